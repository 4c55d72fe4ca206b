package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// Tokens keeps the secret of a server; the system's keychain.
type Tokens interface {
	Get(server string) (string, error) // an error where there is none
	Set(server, secret string) error
}

// errSignIn: a server wants a person to sign in, which no turn does by itself.
var errSignIn = errors.New("it wants you to sign in: run `mac-stats mcp login` with its name")

// SignIn lets the person sign in to a server on the web, in their browser.
func (c *Client) SignIn(ctx context.Context, name string) error {
	s, err := c.find(name)
	switch {
	case err != nil:
		return err
	case s.config.URL == "":
		return fmt.Errorf("%s is a program on this machine: there is nothing to sign in to", name)
	case c.p.Tokens == nil || c.p.Browse == nil:
		return errors.New("there is no keychain to keep the token in, so nobody can sign in here; put a token into the server's headers in mcp.json")
	}
	return s.restart(context.WithValue(ctx, signing{}, true), "the person signs in")
}

// signing marks a context in which the person signs in.
type signing struct{}

// signedIn gives the requests to a server their token. What is kept of it is all that
// renewing it needs.
type signedIn struct{ server *server }

type keptToken struct {
	Address string // of the server that it is for
	Config  oauth2.Config
	Token   *oauth2.Token
}

// TokenSource implements auth.OAuthHandler.
func (h *signedIn) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	text, err := h.server.client.p.Tokens.Get(h.server.name)
	var kept keptToken
	if err != nil || json.Unmarshal([]byte(text), &kept) != nil || kept.Token == nil || kept.Address != h.server.config.URL {
		return nil, nil //nolint:nilnil // as the interface says it: there is none
	}
	return &renewing{h: h, kept: kept, from: kept.Config.TokenSource(context.WithoutCancel(ctx), kept.Token)}, nil
}

// renewing keeps a token again when it was renewed.
type renewing struct {
	h    *signedIn
	kept keptToken
	from oauth2.TokenSource
}

func (r *renewing) Token() (*oauth2.Token, error) {
	token, err := r.from.Token()
	if err != nil {
		return nil, errSignIn
	}
	if token.AccessToken != r.kept.Token.AccessToken {
		r.kept.Token = token
		err = r.h.keep(r.kept)
	}
	return token, err
}

func (h *signedIn) keep(k keptToken) error {
	k.Address = h.server.config.URL
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return h.server.client.p.Tokens.Set(h.server.name, string(data))
}

// Authorize implements auth.OAuthHandler: where the person signs in, it opens the page
// and waits for the browser to come back.
func (h *signedIn) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	if ctx.Value(signing{}) == nil {
		_ = resp.Body.Close() // read by nobody
		return errSignIn
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		_ = resp.Body.Close()
		return err
	}
	defer func() { _ = listener.Close() }()
	back := "http://" + listener.Addr().String() + "/callback"
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			RedirectURIs: []string{back}, ClientName: "mac-stats", GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none",
		}},
		RequestRefreshToken: true,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			if u, err := url.Parse(args.URL); err != nil || u.Scheme != "https" && (u.Scheme != "http" || u.Hostname() != "127.0.0.1" && u.Hostname() != "localhost") {
				return nil, errors.New("the server's sign-in page is no https address")
			}
			return comeBack(ctx, listener, func() { h.server.client.p.Browse(args.URL) })
		},
		NewTokenSource: func(ctx context.Context, config *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			return config.TokenSource(ctx, token), h.keep(keptToken{Config: *config, Token: token})
		},
	})
	if err != nil {
		_ = resp.Body.Close()
		return err
	}
	return handler.Authorize(ctx, req, resp)
}

// comeBack waits for the browser at the address that the sign-in page leads back to.
func comeBack(ctx context.Context, listener net.Listener, open func()) (*auth.AuthorizationResult, error) {
	got := make(chan *auth.AuthorizationResult, 1)
	server := &http.Server{ReadHeaderTimeout: startTime, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.URL.Path != "/callback" || q.Get("state") == "" {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprintln(w, "You can close this page and go back to mac-stats.") // the browser may be gone
		select {
		case got <- &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}:
		default:
		}
	})}
	go func() { _ = server.Serve(listener) }() // ends with the server
	defer func() { _ = server.Close() }()
	open()
	select {
	case result := <-got:
		if result.Code == "" {
			return nil, errors.New("the sign-in page gave no code: it was refused")
		}
		return result, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
