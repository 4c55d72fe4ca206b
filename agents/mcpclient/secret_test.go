package mcpclient

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A key in a server's address or headers reaches no error, whatever the server does with it.
func TestAKeyInAnAddressIsNotShown(t *testing.T) {
	t.Parallel()
	const key, token = "sk-key-1234567", "tok-7654321-x"
	echo := func(status int, body func(r *http.Request) string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body(r))
		}
	}
	all := func(r *http.Request) string { return fmt.Sprint(r.URL.String(), r.Header, " of ", r.Host) }
	for name, answer := range map[string]http.HandlerFunc{
		"refuses and repeats it": echo(403, all),
		"fails and repeats it":   echo(500, all),
		"answers no JSON":        echo(200, all),
		"isn't there":            echo(404, all),
		"leads elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.invalid"+r.URL.String(), http.StatusTemporaryRedirect)
		},
		"hangs up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"answers with an error": echo(200, func(r *http.Request) string {
			return `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"bad key ` + r.URL.Query().Get("api_key") + `"}}`
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(answer)
			defer web.Close()
			b := newBench(t, nil)
			b.write(map[string]config{"web": {URL: web.URL + "/mcp?api_key=" + key, Headers: map[string]string{"Authorization": "Bearer " + token}}})
			b.Tools(t.Context())
			list, err := b.Servers()
			if err != nil || len(list) != 1 || list[0].Err == nil {
				t.Fatalf("%+v, %v", list, err)
			}
			if shown := fmt.Sprintf("%+v %v", list[0], list[0].Err); strings.Contains(shown, key) || strings.Contains(shown, token) {
				t.Errorf("shown: %s", shown)
			}
		})
	}
}
