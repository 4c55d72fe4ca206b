//go:build unix

package failuretest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"mac-stats/agents/testkit"
)

// secretWord only occurs in forgotten text.
const secretWord = "zanzibar"

// returning is a place whose user wrote the word in a session and in memory, copied
// everything, and then forgot it.
type returning struct {
	*place
	server *testkit.Server
	backup string // of the data folder and the cache, from before the forgetting
	before int    // requests sent before the forgetting
}

func newReturning(t *testing.T) *returning {
	t.Helper()
	server := testkit.Start(t, testkit.Script{
		Models: []testkit.Model{{Name: "tiny:1b", ParameterSize: "1B", Capabilities: []string{"completion"}}},
		Rules:  []testkit.Rule{{Reply: testkit.Reply{Text: "Fine."}}},
	})
	p := newPlace(t, server.Addr())
	delete(p.had, "agents/memory.md")
	r := &returning{place: p, server: server, backup: filepath.Join(t.TempDir(), "backup")}
	for _, text := range []string{"we meet in " + secretWord, "bring a coat"} {
		r.do("ask", "--session", "s", text)
	}
	r.do("memory", "add", "The boat lies in "+secretWord)
	r.do("memory", "reindex")
	r.do("sessions", "list")
	r.copyAll(p.base, r.backup)
	r.before = len(server.Chats())
	r.do("memory", "forget", "--text", secretWord, "--yes")
	if left := r.holding([]string{secretWord}); len(left) > 0 {
		t.Fatalf("the forgetting itself left %v", left)
	}
	return r
}

// do runs a command that succeeds.
func (r *returning) do(args ...string) outcome {
	r.t.Helper()
	o := r.run(args...)
	if o.code != 0 {
		r.t.Fatalf("%v: exit %d, %s%s", args, o.code, o.stdout, o.stderr)
	}
	return o
}

// copyAll copies a folder's files with their times.
func (r *returning) copyAll(from, to string) {
	r.t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		r.t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-a", from+"/.", to).CombinedOutput(); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
}

// old reads a file from before the forgetting.
func (r *returning) old(name string) []byte {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.backup, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return data
}

// file returns the path of the session's transcript, below base.
func (r *returning) file(base string) string {
	r.t.Helper()
	found, err := filepath.Glob(filepath.Join(base, "home/session/session-memory-cli-s-*.md"))
	if err != nil || len(found) != 1 {
		r.t.Fatalf("transcripts %v, %v", found, err)
	}
	return found[0]
}

// put writes a file of the place, as another program would.
func (r *returning) put(path string, data []byte) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// gone checks that these commands don't show the word, and that it is not found, not sent
// and not on disk.
func (r *returning) gone(commands ...[]string) {
	r.t.Helper()
	for _, args := range append(commands, []string{"sessions", "list", "--json"}, []string{"memory", "list", "--json"}, []string{"memory", "reindex"}, []string{"memory", "search", "--all-sessions", "where do we meet boat " + secretWord}, []string{"sessions", "search", secretWord}) {
		o := r.run(args...)
		shown := o.stdout
		if args[1] == "search" {
			shown = strings.ReplaceAll(shown, args[len(args)-1], "")
		}
		if strings.Contains(strings.ToLower(shown+o.stderr), secretWord) && !strings.Contains(o.stderr, `"`+secretWord+`"`) {
			r.t.Errorf("%v shows it:\n%s%s", args, o.stdout, o.stderr)
		}
	}
	for _, request := range r.server.Chats()[r.before:] {
		for _, m := range request.Chat.Messages {
			if strings.Contains(m.Content, secretWord) {
				r.t.Errorf("it was sent: %s", m.Content)
			}
		}
	}
	if left := r.holding([]string{secretWord, string(utf16le([]byte(secretWord))[2:])}); len(left) > 0 {
		r.t.Errorf("on disk: %v", left)
	}
}

// Whatever restores a file from before a forgetting, the next command that reads it leaves
// nothing of the forgotten text on disk, shown, found or sent.
func TestRestoredFilesAreCleanedOfForgottenText(t *testing.T) {
	t.Parallel()
	session := filepath.Join("home", "session")
	for _, tc := range []struct {
		name     string
		restore  func(r *returning)
		commands [][]string
	}{
		{"an editor saves what it read before", func(r *returning) {
			r.put(r.file(r.base), r.old(r.rel(r.file(r.backup))))
		}, [][]string{{"ask", "--session", "s", "hi"}, {"sessions", "show", "s"}}},
		{"nothing is asked, only shown", func(r *returning) {
			r.put(r.file(r.base), r.old(r.rel(r.file(r.backup))))
		}, [][]string{{"sessions", "show", "s"}}},
		{"a backup in the archive", func(r *returning) {
			r.put(filepath.Join(r.base, session, "archive", "2026-10", filepath.Base(r.file(r.backup))), r.old(r.rel(r.file(r.backup))))
		}, [][]string{{"sessions", "show", "s"}, {"ask", "--session", "s", "hi"}}},
		{"under another session's name", func(r *returning) {
			r.put(strings.ReplaceAll(r.file(r.base), "-cli-s-", "-cli-t-"), r.old(r.rel(r.file(r.backup))))
		}, [][]string{{"ask", "--session", "t", "hi"}, {"sessions", "export", "t"}}},
		{"a copy beside it", func(r *returning) {
			r.put(strings.TrimSuffix(r.file(r.base), ".md")+" copy.md", r.old(r.rel(r.file(r.backup))))
		}, [][]string{{"ask", "--session", "s", "hi"}}},
		{"under a name of its own", func(r *returning) {
			r.put(filepath.Join(r.base, session, "old notes.md"), r.old(r.rel(r.file(r.backup))))
		}, nil},
		{"the session folder as a whole, with the cache", func(r *returning) {
			r.copyAll(filepath.Join(r.backup, session), filepath.Join(r.base, session))
			r.copyAll(filepath.Join(r.backup, "cache"), filepath.Join(r.base, "cache"))
		}, [][]string{{"sessions", "list"}, {"memory", "search", "--all-sessions", secretWord}, {"ask", "--session", "s", "hi"}}},
		{"old blocks are pasted behind the new ones", func(r *returning) {
			f, err := os.OpenFile(r.file(r.base), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				r.t.Fatal(err)
			}
			_, old, _ := strings.Cut(string(r.old(r.rel(r.file(r.backup)))), "\n## ")
			if _, err := f.WriteString("\n## " + old); err != nil {
				r.t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				r.t.Fatal(err)
			}
		}, [][]string{{"ask", "--session", "s", "hi"}}},
		{"saved as UTF-16", func(r *returning) {
			r.put(r.file(r.base), utf16le(r.old(r.rel(r.file(r.backup)))))
		}, [][]string{{"sessions", "show", "s"}, {"ask", "--session", "s", "hi"}}},
		{"the journal of remembered lines", func(r *returning) {
			r.put(filepath.Join(r.home, "agents/.memory-journal"), r.old("home/agents/.memory-journal"))
			r.do("memory", "add", "I sail on Mondays")
		}, [][]string{{"memory", "restore"}, {"ask", "--session", "s", "hi"}}},
		{"memory saved as UTF-16", func(r *returning) {
			r.put(filepath.Join(r.home, "agents/memory.md"), utf16le(r.old("home/agents/memory.md")))
		}, [][]string{{"ask", "--session", "s", "hi"}}},
		{"a deleted session that is brought back", func(r *returning) {
			file := r.old(r.rel(r.file(r.backup)))
			r.do("sessions", "delete", "s")
			trash, err := filepath.Glob(filepath.Join(r.base, session, ".trash", "*", "*.md"))
			if err != nil || len(trash) != 1 {
				r.t.Fatal(trash, err)
			}
			r.put(trash[0], file)
			r.do("sessions", "delete", "--undo")
		}, [][]string{{"sessions", "show", "s"}, {"ask", "--session", "s", "hi"}}},
		{"the memory as it was", func(r *returning) {
			r.put(filepath.Join(r.base, "home/agents/memory.md"), r.old("home/agents/memory.md"))
		}, [][]string{{"ask", "--session", "s", "hi"}}},
		{"a proposal in the inbox", func(r *returning) {
			r.put(filepath.Join(r.base, "home/agents/memory-inbox.md"), []byte("- The boat lies in "+secretWord+" <!-- add to=global session=cli-s at=2026-11-01T10:00:00Z -->\n"))
		}, [][]string{{"memory", "inbox"}, {"ask", "--session", "s", "hi"}}},
		{"memory of an agent, synced", func(r *returning) {
			r.put(filepath.Join(r.home, "agents/agent-002/memory.md"), []byte("# Notes\n\nI sail. It lies in **zan**zibar.\n"))
		}, [][]string{{"ask", "--session", "s", "hi"}}},
		{"instructions of an agent, synced", func(r *returning) {
			r.put(filepath.Join(r.home, "agents/agent-000/soul.md"), []byte("You are kind.\n\nThe user meets friends in "+secretWord+".\n"))
		}, [][]string{{"ask", "--session", "s", "hi"}, {"agents", "show", "orchestrator"}}},
		{"a skill, synced", func(r *returning) {
			r.put(filepath.Join(r.home, "skills/meet/SKILL.md"), []byte("---\nname: meet\ndescription: how to meet\n---\nGo to "+secretWord+" at noon.\nBring a coat.\n"))
		}, [][]string{{"ask", "--session", "s", "hi"}}},
		{"the search index as it was", func(r *returning) {
			r.copyAll(filepath.Join(r.backup, "cache"), filepath.Join(r.base, "cache"))
		}, [][]string{{"memory", "search", "--all-sessions", secretWord}, {"memory", "search", "--all-sessions", "meet"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newReturning(t)
			tc.restore(r)
			r.gone(tc.commands...)
		})
	}
}

// utf16le returns a text in what Windows calls Unicode.
func utf16le(text []byte) []byte {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(string(text))) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return out
}

// rel returns a path relative to the backup.
func (r *returning) rel(path string) string {
	rel, err := filepath.Rel(r.backup, path)
	if err != nil {
		r.t.Fatal(err)
	}
	return rel
}

// Forgetting renames a transcript whose name contains the words, and an editor saves under
// the old name: the next message cleans that file too, though it is no longer the
// session's.
func TestALateSaveUnderTheOldNameIsCleaned(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "archive/2026-10"} {
		r := newReturning(t)
		old := r.file(r.backup)
		if filepath.Base(old) == filepath.Base(r.file(r.base)) {
			t.Fatal("the forgetting did not rename the transcript: the test shows nothing")
		}
		r.put(filepath.Join(r.base, "home", "session", name, filepath.Base(old)), r.old(r.rel(old)))
		r.do("ask", "--session", "s", "hi")
		if left := r.holding([]string{secretWord}); len(left) > 0 {
			t.Errorf("in %q: after one question it is still in %v", name, left)
		}
	}
}

// A pipe in place of the list of forgotten text blocks no command; commands report it.
func TestPipesInPlaceOfForgottenLists(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"forgotten.jsonl", "forgotten.key"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReturning(t)
			path := filepath.Join(r.home, name)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			r.do("sessions", "list")
			r.do("ask", "--session", "s", "hi")
			if o := r.run("memory", "forget", "--text", "coat", "--yes"); o.code != 1 || !strings.Contains(o.stderr, "it is no file; move it away") {
				t.Errorf("forgetting: exit %d, %s%s", o.code, o.stdout, o.stderr)
			}
		})
	}
}
