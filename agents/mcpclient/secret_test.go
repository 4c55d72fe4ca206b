package mcpclient

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// Secrets in the environment of a program reach no error, no log and no result, wherever the
// program repeats them. Words, dates, files and folders stay: answers are about them.
func TestSecretsOfTheEnvironmentAreNotShown(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"good": "good", "bad": "indiscreet"})
	secrets := []string{"svc-4711-abcdef", "sw0rdfish", "only-letters-here", "hunter", "42424242", "ntn_998877", "line\"with\\signs1", "tok-from-here-1"}
	folder := t.TempDir()
	env := map[string]string{
		"SERVICE": secrets[0], "DATABASE_URL": "postgres://ann:" + secrets[1] + "@db.example/notes?sslkey=" + secrets[2], "PASSWORD": secrets[3], "PIN_TOKEN": secrets[4],
		"HEADERS": `{"Authorization": "Bearer ` + secrets[5] + `", "Notion-Version": "2022-06-28"}`, "ODD": secrets[6], "GIVEN": "${FROM_HERE}",
		"NODE_ENV": "production", "FOLDER": folder, "AUTHOR": "Annabel", "KEYBOARD_LAYOUT": "qwertz",
	}
	servers := map[string]config{}
	for _, name := range []string{"good", "bad"} {
		c := b.config(map[string]string{"good": "good", "bad": "indiscreet"}[name])
		for key, value := range env {
			c.Env[key] = value
		}
		servers[name] = c
	}
	b.write(servers)
	b.p.Environ = append(b.p.Environ, "FROM_HERE="+secrets[7])
	shown := []string{}
	b.Tools(t.Context())
	list, err := b.Servers()
	if err != nil || len(list) != 2 || list[0].Err == nil {
		t.Fatalf("%+v, %v", list, err)
	}
	shown = append(shown, fmt.Sprintf("%+v %v", list, list[0].Err))
	got, err := b.call("good.environment", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"NODE_ENV=production", "FOLDER=" + folder, "AUTHOR=Annabel", "KEYBOARD_LAYOUT=qwertz", "2022-06-28", "db.example/notes"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("%s isn't in the result:\n%s", want, got.Text)
		}
	}
	shown = append(shown, got.Text)
	log, err := os.ReadFile(list[0].Log)
	if err != nil || !strings.HasPrefix(string(log), "connecting with … to postgres://…@db.example/notes") || !strings.HasSuffix(string(log), "refused: …") {
		t.Errorf("log: %q, %v", log, err)
	}
	state, _ := os.ReadFile(b.p.State) // it has what failed
	for _, text := range append(shown, string(log), string(state)) {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s is shown in %s", secret, text)
			}
		}
	}
}

// A program that draws its progress over one line costs the log no more than one that writes lines.
func TestTheLogOfAProgressBarIsLinear(t *testing.T) {
	t.Parallel()
	read := map[int]int{}
	for _, n := range []int{500, 1000} {
		log, err := openLog(filepath.Join(t.TempDir(), "log"), func(text string) string {
			read[n] += len(text)
			return text
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if _, err := fmt.Fprintf(log, "\rloading %d of %d", i, n); err != nil {
				t.Fatal(err)
			}
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if read[1000] > 3*read[500] {
		t.Errorf("%d bytes are looked at for 500 steps, %d for 1,000", read[500], read[1000])
	}
}
