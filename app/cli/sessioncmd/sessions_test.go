package sessioncmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/app/cli/clitest"
	"mac-stats/sessionmem/filetest"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("The answer."))
	if got := e.Must(t, "sessions", "list"); !strings.HasPrefix(got, "No sessions yet.") {
		t.Errorf("got %q", got)
	}
	e.Must(t, "ask", "--session", "notes", "A secret question")
	t.Run("list", func(t *testing.T) {
		list := clitest.Objects(t, e.Must(t, "sessions", "list", "--json"))
		want := []string{"active", "messages", "name", "path", "source", "started", "title", "type"}
		if diff := cmp.Diff(want, clitest.Fields(list[0])); diff != "" {
			t.Error(diff)
		}
		if list[0]["type"] != "session" || list[0]["name"] != "cli-notes" || list[0]["source"] != "cli" || list[0]["title"] != "A secret question" || list[0]["messages"] != 2.0 {
			t.Errorf("got %v", list[0])
		}
		if text := e.Must(t, "sessions", "list"); !strings.Contains(text, "cli-notes") || !strings.Contains(text, "A secret question") {
			t.Errorf("text: %s", text)
		}
	})
	t.Run("show", func(t *testing.T) {
		blocks := clitest.Objects(t, e.Must(t, "sessions", "show", "notes", "--json"))
		want := []string{"agent", "id", "kind", "model", "text", "time", "type"}
		if diff := cmp.Diff(want, clitest.Fields(blocks[0])); diff != "" {
			t.Error(diff)
		}
		b := blocks[1]
		if b["type"] != "block" || b["kind"] != "assistant" || b["agent"] != "orchestrator" || b["model"] != "qwen3:8b" || b["text"] != "The answer." {
			t.Errorf("got %v", b)
		}
		if text := e.Must(t, "sessions", "show"); !strings.Contains(text, "  A secret question\n") || !strings.Contains(text, "· orchestrator · qwen3:8b\n  The answer.") {
			t.Errorf("text: %s", text)
		}
	})
	t.Run("status never shows text", func(t *testing.T) {
		for _, args := range [][]string{{"sessions", "status"}, {"sessions", "status", "notes"}, {"sessions", "status", "--json"}} {
			got := e.Must(t, args...)
			if strings.Contains(strings.ToLower(got), "secret") || strings.Contains(got, "answer.") || !strings.Contains(got, "cli-notes") {
				t.Errorf("%q: %s", args, got)
			}
		}
		s := clitest.Objects(t, e.Must(t, "sessions", "status", "--json"))[0]
		if diff := cmp.Diff(map[string]any{"user": 1.0, "assistant": 1.0}, s["blocks"]); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("reset", func(t *testing.T) {
		if got := clitest.Objects(t, e.Must(t, "sessions", "reset", "--json")); got[0]["name"] != "cli-notes" {
			t.Errorf("got %v", got)
		}
		e.Must(t, "ask", "-c", "Anew")
		chats := e.Server.Chats()
		for _, m := range chats[len(chats)-1].Chat.Messages {
			if strings.Contains(m.Content, "secret") {
				t.Errorf("told again after a reset: %q", m.Content)
			}
		}
		if e.Poked[1] != "cli-notes" {
			t.Errorf("poked %q", e.Poked)
		}
	})
	t.Run("names that match nothing or several", func(t *testing.T) {
		e.Must(t, "ask", "--session", "my-notes", "x")
		for _, name := range []string{"nothing", "otes"} {
			if o := e.Run(t, "sessions", "show", name); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: ") {
				t.Errorf("%s: %+v", name, o)
			}
		}
		if o := e.Run(t, "sessions", "show", "otes"); !strings.Contains(o.Stderr, "cli-my-notes, cli-notes") {
			t.Errorf("the candidates are missing: %s", o.Stderr)
		}
	})
}

func TestSessionsFromBeforeInMemoryOnlyAreListed(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	e.Must(t, "ask", "--session", "old", "hello")
	e.Write(t, "config.toml", "[session]\nin_memory_only = true\n")
	e.Must(t, "ask", "--session", "new", "hello")
	o := e.Run(t, "sessions", "list")
	if !strings.Contains(o.Stdout, "cli-old") || strings.Contains(o.Stdout, "cli-new") || !strings.Contains(o.Stderr, "nothing new is written") {
		t.Errorf("got %+v", o)
	}
}

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	e := clitest.At(t, "127.0.0.1:1")
	e.Refuses(t, "`sessions list` takes no arguments; unexpected argument \"x\"", "sessions", "list", "x")
	e.Refuses(t, "needs a NAME and a TITLE", "sessions", "rename", "x")
	e.Refuses(t, "the title is empty", "sessions", "rename", "x", " ")
	e.Refuses(t, "say which session to delete", "sessions", "delete")
	e.Refuses(t, "needs one NAME", "sessions", "export")
	e.Refuses(t, "export as html, open the file in a browser and print it", "sessions", "export", "x", "--format", "pdf")
	e.Refuses(t, "--format is md, html or json", "sessions", "export", "x", "--format", "odt")
	e.Refuses(t, "--json writes JSON to stdout", "sessions", "export", "x", "--json", "--format", "md")
	e.Refuses(t, "needs a QUERY", "sessions", "search")
	e.Refuses(t, "the query is empty", "sessions", "search", " ")
	e.Refuses(t, "--limit needs a whole number, and \"abc\" is none. See", "sessions", "search", "x", "--limit", "abc")
	e.Refuses(t, "--limit must be 0 or more", "sessions", "search", "x", "--limit", "-1")
}

// A list has every transcript: one that can't be read with the reason, and a copy as such.
func TestTheListHasWhatIsNoSession(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	e.Must(t, "ask", "--session", "notes", "hello")
	path := transcriptOf(t, e, "cli-notes")
	copied := strings.TrimSuffix(path, ".md") + " copy.md"
	filetest.Write(t, copied, filetest.Read(t, path))
	if err := os.Mkdir(filepath.Join(e.Home, "session", "session-memory-cli-dir-20260105-080000-dir.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	o := e.Run(t, "sessions", "list")
	if o.Code != clitest.Done || !strings.Contains(o.Stdout, "copy: "+filepath.Base(copied)+"\n") || strings.Count(o.Stdout, "cli-notes ") != 2 || !clitest.OneLineOn(o.Stderr, "mac-stats: cli-dir can't be read: ") {
		t.Errorf("listed as %+v", o)
	}
	copies := 0
	for _, line := range clitest.Objects(t, e.Must(t, "sessions", "list", "--json")) {
		if line["copy"] == true {
			copies++
		}
	}
	if copies != 1 {
		t.Errorf("%d copies as JSON", copies)
	}
	if got := e.Must(t, "sessions", "status"); strings.Count(got, "cli-notes: ") != 1 || strings.Contains(got, "cli-dir") {
		t.Errorf("the status is of %s", got)
	}
}
