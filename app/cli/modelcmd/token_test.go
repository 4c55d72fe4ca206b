package modelcmd_test

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli/clitest"
)

// gateway puts a server in front of Ollama that wants an Authorization header and repeats
// what it refuses.
func gateway(t *testing.T, want string) *url.URL {
	t.Helper()
	s := testkit.Start(t, clitest.Answering("It is fine."))
	behind, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(behind)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != want {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, "<html><head><title>401 Authorization Required</title></head><body><h1>401 Authorization Required</h1>not "+got+"</body></html>")
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	u, err := url.Parse(front.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// holds returns the files below a folder that contain a text.
func holds(t *testing.T, dir, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTokenOfAGateway(t *testing.T) {
	t.Parallel()
	front := gateway(t, "Bearer s3cret-token")
	e := clitest.At(t, front.Host)
	e.Environ = append(e.Environ, "DEBUG=1")
	var shown strings.Builder
	run := func(stdin string, args ...string) clitest.Outcome {
		o := e.RunWith(t.Context(), stdin, args...)
		shown.WriteString(o.Stdout + o.Stderr)
		return o
	}
	if o := run("", "ask", "How?"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "(HTTP 401): 401 Authorization Required – not. Save the token that the server wants with `mac-stats models token`") {
		t.Errorf("without a token: %+v", o)
	}
	if o := run("", "models", "token", "--status"); o.Code != clitest.Done || o.Stdout != "No token is saved for "+front.Host+".\n" {
		t.Errorf("without a token: %+v", o)
	}
	for _, bad := range []string{"", "two words\n", "gar\x00bage"} {
		if o := run(bad, "models", "token"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "nothing is saved") {
			t.Errorf("%q: %+v", bad, o)
		}
	}
	file := filepath.Join(e.Home, "ollama", "token")
	if o := run(" Bearer s3cret-token \n", "models", "token"); o.Code != clitest.Done || o.Stdout != "saved in "+file+" for http://"+front.Host+"\n" {
		t.Errorf("saving: %+v", o)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if o := run("", "ask", "How?"); o.Code != clitest.Done || o.Stdout != "It is fine.\n" {
		t.Errorf("with the token: %+v", o)
	}
	if o := run("", "models", "token", "--status", "--json"); o.Code != clitest.Done || !strings.Contains(o.Stdout, `"found":`) {
		t.Errorf("with the token: %+v", o)
	}

	// Another server, here one of another port, never gets it.
	other := gateway(t, "Bearer nothing")
	e.Environ = append(e.Environ, "OLLAMA_HOST="+other.Host)
	if o := run("", "ask", "How?"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "– not. Save the token") {
		t.Errorf("another server: %+v", o)
	}
	if o := run("", "models", "token", "--status"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "belongs to http://"+front.Host) {
		t.Errorf("another server: %+v", o)
	}

	// The variable is for the server that is configured now.
	e.Environ = append(e.Environ, "OLLAMA_HOST="+front.Host, "MAC_STATS_OLLAMA_TOKEN=wrong-s3cret")
	if o := run("", "ask", "How?"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "– not Bearer …. Save") {
		t.Errorf("the variable counts first: %+v", o)
	}
	if o := run("", "models", "token", "--status"); !strings.Contains(o.Stdout, "is in MAC_STATS_OLLAMA_TOKEN.") {
		t.Errorf("%+v", o)
	}
	run("", "doctor")
	e.Environ = append(e.Environ, "MAC_STATS_OLLAMA_TOKEN=")
	if found := holds(t, filepath.Dir(e.Home), "s3cret"); len(found) != 1 || found[0] != file {
		t.Errorf("the token is in %v", found)
	}
	if o := run("", "models", "token", "--forget"); o.Code != clitest.Done {
		t.Errorf("%+v", o)
	}
	if o := run("", "ask", "How?"); o.Code != clitest.Failed || len(holds(t, filepath.Dir(e.Home), "s3cret")) > 0 {
		t.Errorf("after it was removed: %+v", o)
	}
	if strings.Contains(shown.String(), "s3cret") {
		t.Errorf("it was shown:\n%s", shown.String())
	}
}

// The password of an address is sent, and neither shown nor logged. A bad address asks
// nobody, not even the default server.
func TestPasswordInTheAddress(t *testing.T) {
	t.Parallel()
	front := gateway(t, "Basic YW5uOnMzY3JldA==")
	for name, tt := range map[string]struct {
		host, says string
		code       int
	}{
		"right":           {"http://ann:s3cret@" + front.Host, "It is fine.", clitest.Done},
		"without http://": {"ann:s3cret@" + front.Host, "It is fine.", clitest.Done},
		"wrong":           {"http://bob:s3cret@" + front.Host, "Ollama at …@" + front.Host + " reported an error (HTTP 401)", clitest.Failed},
		"no server":       {"http://ann:s3cret@127.0.0.1:1", "Ollama isn't running at …@127.0.0.1:1.", clitest.Failed},
		"a bad address":   {"http://ann:s3cret/x@" + front.Host, "No other server was asked.", clitest.Failed},
		"another scheme":  {"ftp://ann:s3cret@" + front.Host, "the scheme must be http or https", clitest.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := clitest.At(t, tt.host)
			e.Environ = append(e.Environ, "DEBUG=1")
			o := e.Run(t, "ask", "How?")
			if o.Code != tt.code || !strings.Contains(o.Stdout+o.Stderr, tt.says) {
				t.Errorf("%+v", o)
			}
			shown := o.Stdout + o.Stderr
			for _, args := range [][]string{{"doctor"}, {"models", "list"}, {"models", "pull", "x"}, {"models", "token", "--status"}} {
				o := e.Run(t, args...)
				shown += o.Stdout + o.Stderr
			}
			if strings.Contains(shown, "s3cret") || strings.Contains(shown, "czNjcmV0") {
				t.Errorf("the password is shown:\n%s", shown)
			}
			if found := holds(t, filepath.Dir(e.Home), "s3cret"); len(found) > 0 {
				t.Errorf("the password is in %v", found)
			}
		})
	}
}
