//go:build unix

package failuretest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mac-stats/agents/testkit"
)

// Whatever is at agents/memory.md belongs to the user.
func TestOddMemory(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	big := strings.Repeat("- I like tea, and this is one line of very many of them.\n", 90000) // 5 MB
	for _, tt := range []struct {
		name    string
		content string
		make    func(path string) error
		ask     string // part of stderr
		add     string // part of stderr; "" if a lesson can be added
		sent    string // part of what the model gets
	}{
		{name: "not UTF-8", content: "# Notes\n\n- caf\xe9 au lait\n", sent: "caf\uFFFD au lait"},
		{name: "5 MB", content: big, ask: "did not fit: 8", sent: "one line of very many"},
		{name: "a folder", make: func(path string) error { return os.Mkdir(path, 0o700) }, ask: "it is no file; move it away", add: "it is no file; move it away"},
		{name: "a pipe", make: func(path string) error { return syscall.Mkfifo(path, 0o600) }, ask: "it is no file; move it away", add: "it is no file; move it away"},
		{name: "a circle of links", make: func(path string) error { return os.Symlink("memory.md", path) }, ask: "too many levels of symbolic links", add: "its links lead in a circle; put them right, or remove them"},
		{name: "a link to what isn't there yet", make: func(path string) error { return os.Symlink("../notes.md", path) }, ask: "no such file or directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, server.Addr())
			path := filepath.Join(p.home, "agents/memory.md")
			if tt.make != nil {
				delete(p.had, "agents/memory.md")
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				if err := tt.make(path); err != nil {
					t.Fatal(err)
				}
			} else {
				p.write("agents/memory.md", tt.content)
			}
			o := p.run("ask", "--session", "now", question) // never a reason not to answer
			o.expect(t, 0, "Four.\n", o.stderr)
			if tt.ask == "" && o.stderr != "" || !strings.Contains(o.stderr, tt.ask) || strings.Contains(o.stderr, "can't be written") {
				t.Errorf("ask says %q", o.stderr)
			}
			p.expectSaid("cli-now", "user: "+question, "assistant: Four.")
			if chats := server.Chats(); tt.sent != "" && !sentText(chats, tt.sent) {
				t.Errorf("the model was not told %q", tt.sent)
			}
			o = p.run("memory", "add", "Cats purr at night.")
			if tt.add != "" {
				if o.code != 1 || !strings.Contains(o.stderr, tt.add) || !strings.HasSuffix(o.stderr, "Nothing that was saved before is lost.\n") {
					t.Errorf("memory add: exit %d, %q", o.code, o.stderr)
				}
				return
			}
			delete(p.had, "agents/memory.md") // it grew
			got, err := os.ReadFile(path)
			if o.code != 0 || err != nil || !strings.HasPrefix(string(got), tt.content) || !strings.Contains(string(got)[len(tt.content):], "Cats purr at night.") {
				t.Errorf("memory add: exit %d, %q, %v; the end is %q", o.code, o.stderr, err, got[max(0, len(got)-100):])
			}
		})
	}
}

func sentText(chats []testkit.Request, text string) bool {
	for _, c := range chats {
		if strings.Contains(testkit.System(*c.Chat), text) {
			return true
		}
	}
	return false
}

func TestSoulIsMissing(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	p := newPlace(t, server.Addr())
	p.run("agents", "list")
	soul := filepath.Join(p.home, "agents/soul.md")
	if err := os.Remove(soul); err != nil {
		t.Fatal(err)
	}
	p.run("ask", "--session", "now", question).expect(t, 0, "Four.\n", "")
	p.expectSaid("cli-now", "user: "+question, "assistant: Four.")
	if _, err := os.Stat(soul); err == nil {
		t.Error("what the user deleted came back")
	}
}
