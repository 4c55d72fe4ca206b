//go:build unix

package failuretest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mac-stats/agents/testkit"
)

// learning returns a server whose model wants to remember everything.
func learning(t *testing.T) *testkit.Server {
	t.Helper()
	return testkit.Start(t, testkit.Script{Models: []testkit.Model{tiny()}, Rules: []testkit.Rule{
		{UserContains: "zanzibar", Reply: testkit.Reply{Text: "MEMORY_APPEND: The user likes zanzibar tea."}},
		{Reply: testkit.Reply{Text: "Four."}},
	}})
}

// kept returns the files of the data folder that contain the word.
func (p *place) kept(word string) []string {
	p.t.Helper()
	var found []string
	for _, path := range p.everything() {
		if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
			continue
		}
		if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(word)) {
			found = append(found, path)
		}
	}
	return found
}

// unreadable lists unreadable config.toml files, all of people who want privacy.
func unreadable() map[string]func(path string) error {
	text := func(s string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(s), 0o600) }
	}
	const private = "[session]\nin_memory_only = true\n[memory]\nwrite = \"off\"\n"
	var utf16 strings.Builder
	utf16.WriteString("\xff\xfe")
	for _, c := range private {
		utf16.WriteString(string(c) + "\x00")
	}
	return map[string]func(string) error{
		"an error elsewhere":               text(private + "[ollama\n"),
		"an inline table":                  text("session = { in_memory_only = true }\nmemory = { write = 'off' }\n[ollama\n"),
		"quoted keys":                      text("\"session\".\"in_memory_only\" = true\n['memory']\nwrite = \"\"\"off\"\"\"\noops = =\n"),
		"a key twice":                      text(private + "write = \"off\"\n"),
		"a table twice":                    text(private + "[session]\nmax_messages = 20\n"),
		"a value of several lines":         text("[memory]\nwrite = \"off\"\nx = [\n 1,\n"),
		"cut off in a value":               text(private[:len(private)-3]),
		"cut off in a key":                 text("[session]\nin_mem"),
		"empty":                            text(""),
		"nothing but blanks":               text("\n \t\r\n"),
		"a byte order mark alone":          text("\uFEFF"),
		"zero bytes, as after a power cut": text(strings.Repeat("\x00", 200)),
		"zero bytes at the end":            text(private + "\x00\x00\x00\x00"),
		"UTF-16":                           text(utf16.String()),
		"not UTF-8":                        text(private + "[ollama]\nmodel = \"caf\xe9\"\n"),
		"not UTF-8 in a comment":           text(private[:len(private)-1] + " # caf\xe9\n"),
		"larger than can be meant":         text("# " + strings.Repeat("x", 2<<20) + "\n" + private),
		"a pipe":                           func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder":                         func(path string) error { return os.Mkdir(path, 0o700) },
		"a link that leads nowhere":        func(path string) error { return os.Symlink("gone.toml", path) },
		"a link to a device":               func(path string) error { return os.Symlink("/dev/null", path) },
		"a circle of links":                func(path string) error { return os.Symlink("config.toml", path) },
		"a misspelled key":                 text("[session]\nin_memry_only = true\n[memory]\nwirte = \"off\"\n"),
		"keys in the wrong section":        text("[memory]\nin_memory_only = true\nmemory.write = \"off\"\n"),
		"values that are none":             text("[session]\nin_memory_only = \"yess\"\n[memory]\nwrite = \"none\"\n"),
		"a list of tables":                 text("[[session]]\nin_memory_only = true\n[[memory]]\nwrite = \"off\"\n"),
		"a list for a value":               text("[session]\nin_memory_only = [true]\n[memory]\nwrite = [\"off\"]\n"),
		"a section for a value":            text("[session.in_memory_only]\nvalue = true\n[memory.write]\nvalue = \"off\"\n"),
	}
}

// While config.toml can't be read, no conversation is written to disk, and the program says
// so with the next step.
func TestAnUnreadableConfigSavesNoConversation(t *testing.T) {
	t.Parallel()
	server := learning(t)
	for name, make := range unreadable() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, server.Addr())
			if err := make(filepath.Join(p.home, "config.toml")); err != nil {
				t.Fatal(err)
			}
			o := p.run("ask", "--session", "now", "I like zanzibar")
			if o.code != 0 {
				t.Errorf("exit %d", o.code)
			}
			if found := p.kept("zanzibar"); len(found) > 0 {
				t.Errorf("kept in %q", found)
			}
			if !strings.Contains(o.stderr, "config.toml") || !strings.Contains(strings.ToLower(o.stderr), "until that is ") {
				t.Errorf("it says %q", o.stderr)
			}
			if names, err := filepath.Glob(filepath.Join(p.home, "session", "*cli-now*")); err != nil || len(names) > 0 {
				t.Errorf("a transcript: %q, %v", names, err)
			}
			delete(p.had, "agents/memory.md")
			if o := p.run("memory", "add", "By my own hand."); o.code != 0 || !strings.Contains(p.memory(), "By my own hand.") || strings.Contains(o.stderr, "no memory is written") {
				t.Errorf("memory add: %+v", o)
			}
		})
	}
}

// A missing config.toml means the defaults, and so does one with only comments.
func TestAnEmptyConfigMeansTheDefaults(t *testing.T) {
	t.Parallel()
	server := learning(t)
	for name, text := range map[string]string{"none": "", "comments": "# in_memory_only = true\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, server.Addr())
			if text != "" {
				p.write("config.toml", text)
			}
			delete(p.had, "agents/memory.md") // it grows
			if o := p.run("ask", "--session", "now", "I like zanzibar"); len(p.kept("zanzibar")) < 2 {
				t.Errorf("kept in %q; stderr: %s", p.kept("zanzibar"), o.stderr)
			}
		})
	}
}

// Whatever a program sends to another machine goes through the proxy that the environment
// names. Without anything switched on, nothing does.
func TestNothingButTheServerIsAsked(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Method+" "+r.Host)
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	sent := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(asked)
	}
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	p := newPlace(t, server.Addr(), "HTTP_PROXY="+proxy.URL, "HTTPS_PROXY="+proxy.URL)
	app := p.start(p.command("--headless"))
	until(t, "the app to run", func() bool { return strings.Contains(app.stdout.String(), "runs without a screen") })
	p.run("ask", "--session", "now", question).expect(t, 0, "Four.\n", "")
	for _, args := range [][]string{{"doctor"}, {"memory", "reindex"}, {"memory", "search", "tea"}, {"models", "list"}} {
		p.run(args...)
	}
	app.signal(syscall.SIGTERM)
	app.wait()
	if got := sent(); len(got) > 0 {
		t.Errorf("sent elsewhere: %q", got)
	}
	p.env = append(p.env, "MAC_STATS_OLLAMA_HOST=http://models.invalid")
	p.run("ask", "--session", "elsewhere", question)
	if len(sent()) == 0 {
		t.Error("the proxy sees nothing: this proves nothing")
	}
}
