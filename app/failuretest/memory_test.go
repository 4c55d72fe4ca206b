//go:build unix

package failuretest

import (
	"errors"
	"io/fs"
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
		{name: "not UTF-8", content: "# Notes\n\n- caf\xe9 au lait\n", sent: "café au lait"},
		{name: "5 MB", content: big, ask: "did not fit: 5,032,160 characters of the memory\n", sent: "one line of very many"},
		{name: "a folder", make: func(path string) error { return os.Mkdir(path, 0o700) }, ask: "it is no file; move it away", add: "it is no file; move it away"},
		{name: "a pipe", make: func(path string) error { return syscall.Mkfifo(path, 0o600) }, ask: "it is no file; move it away", add: "it is no file; move it away"},
		{name: "a circle of links", make: func(path string) error { return os.Symlink("memory.md", path) }, ask: "too many levels of symbolic links", add: "its links lead in a circle; put them right, or remove them"},
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

// A memory behind a link to what isn't there yet is not taken for an empty one: its disk may
// not be mounted. A lesson waits until the file is back, or the user begins it anew.
func TestMemoryBehindADanglingLink(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	const notes = "# Notes\n\n- I drink green tea.\n"
	for _, tt := range []struct {
		name   string
		back   func(p *place) outcome
		before string // what the file then has above the lesson
	}{
		{"the file comes back", func(p *place) outcome {
			return p.shell("printf '" + notes + "' > ../notes.md; touch -d '-1 minute' ../notes.md").wait()
		}, notes + "\n"},
		{"it is begun anew", func(p *place) outcome { return p.run("memory", "begin") }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, server.Addr())
			delete(p.had, "agents/memory.md")
			file := filepath.Join(p.home, "notes.md")
			if err := errors.Join(os.Remove(p.memoryFile()), os.Symlink("../notes.md", p.memoryFile())); err != nil {
				t.Fatal(err)
			}
			const why = "notes.md, which isn't there; put it back, or begin anew with `mac-stats memory begin`"
			o := p.run("ask", "--session", "now", question) // never a reason not to answer
			o.expect(t, 0, "Four.\n", o.stderr)
			if !strings.Contains(o.stderr, "The memory could not be read and is left out: ") || !strings.Contains(o.stderr, why) || strings.Contains(o.stderr, "can't be written") {
				t.Errorf("ask says %q", o.stderr)
			}
			p.expectSaid("cli-now", "user: "+question, "assistant: Four.")
			for range 2 { // and it isn't there twice after the same call again
				o = p.run("memory", "add", lesson)
				if o.code != 0 || !strings.HasPrefix(o.stdout, "waiting: "+lesson+"\n") || !strings.Contains(o.stderr, why) || !strings.Contains(o.stderr, "The lesson waits in the inbox as ") {
					t.Errorf("memory add: %+v", o)
				}
			}
			if o := p.run("memory", "inbox"); !strings.Contains(o.stdout, lesson) {
				t.Errorf("the lesson doesn't wait: %+v", o)
			}
			if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a file was made in the place of the one that is missing: %v", err)
			}
			if o := tt.back(p); o.code != 0 {
				t.Fatalf("%+v", o)
			}
			if o := p.run("memory", "list"); o.code != 0 || o.stderr != "" || !strings.Contains(o.stdout, lesson) {
				t.Errorf("memory list: %+v", o)
			}
			got, err := os.ReadFile(file)
			if err != nil || !strings.HasPrefix(string(got), tt.before+"## Remembered\n\n- "+lesson+" <!-- ") || strings.Count(string(got), lesson) != 1 {
				t.Errorf("the file has %q, %v", got, err)
			}
			if o := p.run("memory", "inbox"); strings.Contains(o.stdout, lesson) {
				t.Errorf("the lesson still waits: %+v", o)
			}
			if to, err := os.Readlink(p.memoryFile()); err != nil || to != "../notes.md" {
				t.Errorf("the link is gone: %q, %v", to, err)
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
