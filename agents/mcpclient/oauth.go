package mcpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"mac-stats/sessionmem/wholefile"
)

// Tokens stores the secrets of servers, in the system's keychain.
type Tokens interface {
	Get(server string) (string, error) // returns an error if there is none
	Set(server, secret string) error
}

// ErrSignIn means that a server requires a person to sign in, which no turn does by
// itself.
var ErrSignIn = errors.New("it requires you to sign in: run `mac-stats mcp login` with its name")

// errForbidden reports a refusal that signing in again as the same person wouldn't change.
var errForbidden = errors.New("you are signed in, but it refuses this to you (403): ask those who run it for the right to use it, or sign in as somebody else with `mac-stats mcp login` and its name")

// errMoreRights reports a refusal that signing in again changes: the page then asks for the
// rights that were missing.
var errMoreRights = errors.New("it requires more rights than you gave it: run `mac-stats mcp login` with its name to give them")

// SignIn lets the person sign in to a server on the web, in their browser.
func (c *Client) SignIn(ctx context.Context, name string) error {
	s, err := c.find(name)
	switch {
	case err != nil:
		return err
	case s.config.URL == "":
		return fmt.Errorf("%s is a program on this machine: there is nothing to sign in to", name)
	case c.p.Tokens == nil || c.p.Browse == nil:
		return errors.New("there is no keychain to keep the token in (a data folder that MAC_STATS_HOME names uses none), so nobody can sign in here; put a token into the server's headers in mcp.json")
	}
	ctx, stop := context.WithTimeout(context.WithValue(ctx, signing{}, true), signTime)
	defer stop()
	if k, _ := c.knownOf(s); k.Asks != "" { // a token that is good for all but what was refused
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.config.expanded(c.p.Environ).URL, http.NoBody)
		if err == nil {
			err = (&signedIn{server: s}).ask(ctx, req, &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{challenge: {k.Asks}}, Body: http.NoBody})
		}
		if err == nil {
			err = c.keep(name, func(k known) (known, error) { k.Asks = ""; return k, nil })
		}
		if err != nil {
			return fmt.Errorf("you couldn't sign in to %s: %w", name, s.explain(ctx, err))
		}
	}
	return s.restart(ctx, "the person signs in")
}

// challenge is the header in which a server says which rights it asks for.
const challenge = "Www-Authenticate"

// signing is the key of a context in which the person signs in.
type signing struct{}

// signedIn adds the token to the requests to a server. It stores everything needed to renew
// the token.
type signedIn struct {
	server *server
	once   sync.Once // the person is asked once per connection, even if requests are retried
	err    error     // the result
}

type keptToken struct {
	Address string // of the token's server
	Config  oauth2.Config
	Token   *oauth2.Token
}

// kept returns the server's stored token.
func (h *signedIn) kept() (keptToken, bool) {
	text, err := h.server.client.p.Tokens.Get(h.server.name)
	var kept keptToken
	ok := err == nil && json.Unmarshal([]byte(text), &kept) == nil && kept.Token != nil && kept.Address == h.server.config.URL
	return kept, ok
}

// TokenSource implements auth.OAuthHandler.
func (h *signedIn) TokenSource(context.Context) (oauth2.TokenSource, error) {
	if _, ok := h.kept(); !ok {
		return nil, nil //nolint:nilnil // the interface's way to report that there is none
	}
	return h, nil
}

// Token implements oauth2.TokenSource.
func (h *signedIn) Token() (*oauth2.Token, error) { return h.renew("") }

// noGrant reports that the token can't be renewed, so a person must sign in. The transport
// then sends the request without a token, and the server's response leads to Authorize.
var noGrant = &oauth2.RetrieveError{ErrorCode: "invalid_grant"}

// renew returns the stored token. It renews the token first if it has expired or is the one
// that the server refused. Many servers allow only one renewal, so requests take turns,
// even across processes, and the new token is stored at once.
func (h *signedIn) renew(refused string) (*oauth2.Token, error) {
	h.server.renewing.Lock()
	defer h.server.renewing.Unlock()
	kept, ok := h.kept()
	if ok && kept.Token.AccessToken != refused && kept.Token.Valid() {
		return kept.Token, nil
	}
	unlock, err := h.server.client.lock("sign-in")
	if err != nil {
		return nil, wholefile.Explain("renew the sign-in", err)
	}
	defer unlock()
	kept, ok = h.kept()
	if ok && kept.Token.AccessToken == refused {
		kept.Token.Expiry = time.Unix(1, 0)
	}
	switch {
	case ok && kept.Token.Valid():
		return kept.Token, nil
	case !ok || kept.Token.RefreshToken == "":
		return nil, noGrant
	}
	ctx := context.WithValue(h.server.life, oauth2.HTTPClient, &http.Client{Timeout: startTime})
	token, err := kept.Config.TokenSource(ctx, kept.Token).Token()
	if answer := (*oauth2.RetrieveError)(nil); errors.As(err, &answer) && (answer.Response.StatusCode == http.StatusBadRequest || answer.Response.StatusCode == http.StatusUnauthorized) {
		return nil, noGrant
	}
	if err != nil {
		return nil, fmt.Errorf("the sign-in couldn't be renewed; try again later: %w", err)
	}
	kept.Token = token
	return token, h.keep(kept)
}

func (h *signedIn) keep(k keptToken) error {
	k.Address = h.server.config.URL
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return h.server.client.p.Tokens.Set(h.server.name, string(data))
}

// Authorize implements auth.OAuthHandler. It renews a token that the server refuses, or
// opens the sign-in page if the person is signing in.
func (h *signedIn) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	if ctx.Value(signing{}) == nil {
		_ = resp.Body.Close() // not read
		refused, sent := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
		switch {
		case !sent:
			return ErrSignIn
		case resp.StatusCode == http.StatusForbidden && strings.Contains(resp.Header.Get(challenge), "insufficient_scope"):
			err := h.server.client.keep(h.server.name, func(k known) (known, error) { k.Asks = resp.Header.Get(challenge); return k, nil })
			return cmp.Or(err, errMoreRights)
		case resp.StatusCode != http.StatusUnauthorized:
			return errForbidden
		}
		_, err := h.renew(refused)
		if errors.Is(err, noGrant) {
			return ErrSignIn
		}
		return err
	}
	h.once.Do(func() { h.err = h.ask(ctx, req, resp) })
	_ = resp.Body.Close() // of a second attempt, which isn't read
	return h.err
}

// agreedHandler gets tokens for an ID and a secret. The library renews them in the context of
// the request for the first one, which mustn't be done then, and has no lock of its own.
type agreedHandler struct {
	mu      sync.Mutex
	library *extauth.ClientCredentialsHandler
}

// TokenSource implements auth.OAuthHandler.
func (h *agreedHandler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.library.TokenSource(ctx)
}

// Authorize implements auth.OAuthHandler. A request that was refused with an older token than the last
// one is only repeated: a service may allow only one token at a time.
func (h *agreedHandler) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if source, err := h.library.TokenSource(ctx); err == nil && source != nil && resp.StatusCode == http.StatusUnauthorized {
		if last, err := source.Token(); err == nil && req.Header.Get("Authorization") != "Bearer "+last.AccessToken {
			return resp.Body.Close()
		}
	}
	return h.library.Authorize(context.WithoutCancel(ctx), req, resp)
}

func (r registration) credentials() *oauthex.ClientCredentials {
	c := &oauthex.ClientCredentials{ClientID: r.ID}
	if r.Secret != "" {
		c.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: r.Secret}
	}
	return c
}

// ask opens the sign-in page and waits for the browser's redirect.
func (h *signedIn) ask(ctx context.Context, req *http.Request, resp *http.Response) error {
	agreed := h.server.config.expanded(h.server.client.p.Environ).OAuth
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:"+cmp.Or(agreed.Port, "0"))
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	back := "http://" + listener.Addr().String() + "/callback"
	if agreed.Port != "" {
		back = "http://localhost:" + agreed.Port + "/callback" // as people register it
	}
	var as *oauthex.ClientCredentials
	var page *auth.ClientIDMetadataDocumentConfig
	if agreed.ID != "" {
		as = agreed.credentials()
	}
	if u, err := url.Parse(agreed.ID); err == nil && u.Scheme == "https" && strings.Trim(u.Path, "/") != "" && agreed.Secret == "" { // a secret is agreed on
		page = &auth.ClientIDMetadataDocumentConfig{URL: agreed.ID} // for servers that read it
	}
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		PreregisteredClient: as, ClientIDMetadataDocumentConfig: page, RedirectURL: back,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			RedirectURIs: []string{back}, ClientName: "mac-stats", GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none",
		}},
		RequestRefreshToken: true,
		ScopeFilter: func(asked []string) []string { // what was given before stays
			kept, _ := h.kept()
			for _, scope := range kept.Config.Scopes {
				if resp.StatusCode == http.StatusForbidden && !slices.Contains(asked, scope) {
					asked = append(asked, scope)
				}
			}
			return asked
		},
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			u, err := url.Parse(args.URL)
			if err != nil || u.Scheme != "https" && (u.Scheme != "http" || u.Hostname() != "127.0.0.1" && u.Hostname() != "localhost") {
				return nil, errors.New("the server's sign-in page is not an https address")
			}
			return awaitRedirect(ctx, listener, u.Query().Get("state"), func() { h.server.client.p.Browse(args.URL) })
		},
		NewTokenSource: func(_ context.Context, config *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			return h, h.keep(keptToken{Config: *config, Token: token})
		},
	})
	if err != nil {
		return err
	}
	return handler.Authorize(ctx, req, resp)
}

// awaitRedirect waits for the browser at the redirect address of the sign-in page. Other
// pages may request that address too, but they don't know the state.
func awaitRedirect(ctx context.Context, listener net.Listener, state string, open func()) (*auth.AuthorizationResult, error) {
	got := make(chan url.Values, 1)
	server := &http.Server{ReadHeaderTimeout: startTime, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.URL.Path != "/callback" || q.Get("state") != state {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprintln(w, "You can close this page and go back to mac-stats.") // fails only if the browser is gone
		select {
		case got <- q:
		default:
		}
	})}
	go func() { _ = server.Serve(listener) }() // returns after Close
	defer func() { _ = server.Close() }()
	open()
	select {
	case q := <-got:
		if q.Get("code") == "" {
			return nil, fmt.Errorf("the sign-in was refused: %s: %s", q.Get("error"), q.Get("error_description"))
		}
		return &auth.AuthorizationResult{Code: q.Get("code"), State: state, Iss: q.Get("iss")}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
