//go:build realollama

package realollama_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
)

// A real server behind a gateway that wants a token or a password, and that fails in the
// ways of gateways.
func TestServerBehindAGateway(t *testing.T) {
	server, _, _ := withParrot(t)
	behind, err := url.Parse("http://" + server.Host())
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.Out.Header.Del("Authorization")
	}}
	var how atomic.Value
	how.Store("")
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if auth := r.Header.Get("Authorization"); auth != "Bearer tok-s3cret" && auth != "Basic YW5uOnMzY3JldA==" {
			w.Header().Set("WWW-Authenticate", `Basic realm="models"`)
			http.Error(w, "who is "+auth+"?", http.StatusUnauthorized)
			return
		}
		if r.URL.Path != "/api/chat" {
			proxy.ServeHTTP(w, r)
			return
		}
		switch how.Load() {
		case "502":
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></body></html>")
		case "cut":
			_, _ = io.WriteString(w, `{"message":{"content":"Half"}}`+"\n"+`{"message":{"cont`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case "hang":
			_, _ = io.WriteString(w, `{"message":{"content":"Half"}}`+"\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "elsewhere":
			http.Redirect(w, r, "http://login.invalid/?from=secret", http.StatusTemporaryRedirect)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(front.Close)
	client := func(userinfo, token string, patience time.Duration) *ollama.Client {
		c, err := ollama.New(ollama.Params{
			Host: strings.Replace(front.URL, "://", "://"+userinfo, 1), Token: func() string { return token }, IdleTimeout: patience,
		})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	req := ask("Why is my fan loud?")
	for name, login := range map[string][2]string{"a token": {"", "tok-s3cret"}, "a password": {"ann:s3cret@", ""}} {
		c := client(login[0], login[1], time.Minute)
		how.Store("")
		if models, err := c.Models(t.Context()); err != nil || len(models) == 0 {
			t.Errorf("%s: %v, %v", name, models, err)
		}
		if got, err := c.Chat(t.Context(), req); err != nil || got.Content != plainAnswer {
			t.Errorf("%s: %q, %v", name, got.Content, err)
		}
		for failure, want := range map[string]struct {
			kind     error
			sentence string
		}{
			"502":       {ollama.ErrServer, "(HTTP 502): 502 Bad Gateway – nginx."},
			"cut":       {ollama.ErrStreamCut, "broke off in mid-answer."},
			"hang":      {ollama.ErrTimeout, "stopped in mid-answer."},
			"elsewhere": {ollama.ErrServer, "http://login.invalid/?…"},
		} {
			how.Store(failure)
			c := c
			if failure == "hang" {
				c = client(login[0], login[1], time.Second)
			}
			_, err := c.Chat(t.Context(), req)
			if x := fault.Explain(err); !errors.Is(err, want.kind) || !strings.Contains(x.Sentence, want.sentence) || strings.Contains(x.Sentence, "cret") {
				t.Errorf("%s, %s: %v: %+v", name, failure, err, x)
			}
		}
	}
	for name, c := range map[string]*ollama.Client{
		"none": client("", "", time.Minute), "another token": client("", "tok-wrong-s3cret", time.Minute), "another name": client("bob:s3cret@", "", time.Minute),
	} {
		_, err := c.Chat(t.Context(), req)
		if x := fault.Explain(err); !strings.Contains(x.Sentence, "(HTTP 401): who is") || !strings.Contains(x.Next, "models token") || strings.Contains(x.Sentence+err.Error(), "cret") {
			t.Errorf("%s: %v: %+v", name, err, x)
		}
	}
}
