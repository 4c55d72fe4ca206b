package session_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// forget records that a phrase is forgotten, wherever sessions hold it.
func forget(t *testing.T, s *sessionmem.Store, phrase string) *forgotten.Draft {
	t.Helper()
	draft, err := s.Forgotten().New(true, false)
	must(t, err)
	draft.AddWords(phrase)
	must(t, s.EachForgettable(t.Context(), nil, func(_, _ string, b transcript.Block) { draft.AddPhrase(b.Text, draft.Phrase(phrase)) }))
	must(t, s.Forgotten().Begin(draft))
	return draft
}

// readers are all ways in which a session is read.
var readers = map[string]func(t *testing.T, s *sessionmem.Store, path string) string{
	"its context": func(t *testing.T, s *sessionmem.Store, _ string) string {
		return strings.Join(texts(t, s, "cli-a"), "|")
	},
	"the whole session": func(t *testing.T, s *sessionmem.Store, _ string) string {
		var out []string
		for _, b := range loadOne(t, s, "cli-a").Blocks {
			out = append(out, b.Text)
		}
		return strings.Join(out, "|")
	},
	"block by block": func(t *testing.T, s *sessionmem.Store, _ string) string {
		var out []string
		must(t, s.Each(t.Context(), "cli-a", nil, func(b transcript.Block) error { out = append(out, b.Text); return nil }))
		return strings.Join(out, "|")
	},
	"the file by its path": func(t *testing.T, s *sessionmem.Store, path string) string {
		tr, err := s.LoadFile(path)
		must(t, err)
		var out []string
		for _, b := range tr.Blocks {
			out = append(out, b.Text)
		}
		return strings.Join(out, "|")
	},
	"the open file": func(t *testing.T, s *sessionmem.Store, path string) string {
		f, err := s.OpenPart(t.Context(), path)
		must(t, err)
		all := transcript.NewCollector()
		must(t, second(all.File(f)))
		var out []string
		for _, b := range all.Transcript().Blocks {
			out = append(out, b.Text)
		}
		return strings.Join(out, "|")
	},
	"after a message": func(t *testing.T, s *sessionmem.Store, _ string) string {
		mustAppend(t, s, "cli-a", user("next"))
		return strings.TrimSuffix(strings.Join(texts(t, s, "cli-a"), "|"), "|next")
	},
}

// Forgotten text that an editor's late save, a backup or a copy brings back is removed from the
// file before anything is read from it.
func TestForgottenTextThatComesBackIsNotRead(t *testing.T) {
	for name, read := range readers {
		for _, again := range []bool{true, false} { // in the program that read the session before, and in another
			t.Run(name, func(t *testing.T) {
				root := t.TempDir()
				s := openStore(t, root)
				for _, text := range []string{"one", "the blue zebra sleeps", "three"} {
					mustAppend(t, s, "cli-a", storetest.Ago(time.Hour, text))
				}
				path := onlyFile(t, root)
				before := readFile(t, path)
				draft := forget(t, s, "blue zebra")
				found, err := s.Forget(t.Context(), draft.Traces, sessionmem.ForgetOptions{})
				must(t, err)
				must(t, s.Forgotten().Done(draft.Traces, found))
				files := transcripts(t, root)
				path = filepath.Join(filepath.Dir(path), files[0])
				filetest.WriteEarlier(t, path, before)
				if !again {
					s = openStore(t, root)
				}
				if got := read(t, s, path); got != "one||three" && got != "one|three" && !strings.HasPrefix(got, "one|"+forgotten.Text) {
					t.Errorf("read %q", got)
				}
				if text := readFile(t, path); strings.Contains(text, "zebra") || !strings.Contains(text, "three") {
					t.Errorf("the file holds\n%s", text)
				}
			})
		}
	}
}

// A copy of a transcript in which forgotten text comes back is cleaned too.
func TestForgottenTextInACopy(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", storetest.Ago(time.Hour, "one"))
	mustAppend(t, s, "cli-a", storetest.Ago(time.Hour, "the blue zebra sleeps"))
	path := onlyFile(t, root)
	before := readFile(t, path)
	draft := forget(t, s, "blue zebra")
	must(t, second(s.Forget(t.Context(), draft.Traces, sessionmem.ForgetOptions{})))
	path = onlyFile(t, root)
	copied := strings.TrimSuffix(path, ".md") + " (2).md"
	writeFile(t, copied, before)
	mustAppend(t, s, "cli-a", user("next"))
	if got := texts(t, openStore(t, root), "cli-a"); len(got) != 2 && len(got) != 3 || got[0] != "one" {
		t.Errorf("the context is %q", got)
	}
	must(t, second(s.List(t.Context())))
	if text := readFile(t, copied); strings.Contains(text, "zebra") {
		t.Errorf("the copy holds\n%s", text)
	}
}

// A session in memory forgets too, and goes on.
func TestForgettingInAPrivateSession(t *testing.T) {
	s := openStore(t, t.TempDir())
	s.SetPrivate("cpu-p")
	s.SetPrivate("cpu-other")
	for _, text := range []string{"one", "the blue zebra sleeps", "three"} {
		mustAppend(t, s, "cpu-p", storetest.Ago(time.Hour, text))
	}
	mustAppend(t, s, "cpu-other", storetest.Ago(time.Hour, "other"))
	draft := forget(t, s, "blue zebra")
	s.Sessions().Forget(draft.Traces)
	got := texts(t, s, "cpu-p")
	if len(got) < 2 || got[0] != "one" || got[len(got)-1] != "three" || strings.Contains(strings.Join(got, "|"), "zebra") {
		t.Errorf("its context is %q", got)
	}
	mustAppend(t, s, "cpu-p", user("four"))
	if again := texts(t, s, "cpu-p"); !slices.Equal(again, append(got, "four")) {
		t.Errorf("then it is %q", again)
	}
	if got := texts(t, s, "cpu-other"); !slices.Equal(got, []string{"other"}) {
		t.Errorf("another session holds %q", got)
	}
}

// Forgetting looks at the blocks of all sessions, or of those it is asked about.
func TestBlocksThatForgettingLooksAt(t *testing.T) {
	s := openStore(t, t.TempDir())
	s.SetPrivate("cpu-p")
	for _, name := range []string{"cli-a", "cli-b", "cpu-p"} {
		mustAppend(t, s, name, user("in "+name))
	}
	for name, c := range map[string]struct {
		of   map[string]bool
		want []string
	}{
		"all": {nil, []string{"in cli-a", "in cli-b", "in cpu-p"}}, "one on disk": {map[string]bool{"cli-b": true}, []string{"in cli-b"}}, "one in memory": {map[string]bool{"cpu-p": true}, []string{"in cpu-p"}},
	} {
		var got []string
		must(t, s.EachForgettable(t.Context(), c.of, func(session, path string, b transcript.Block) {
			if got = append(got, b.Text); (path == "") != (session == "cpu-p") {
				t.Errorf("%s is in %q", session, path)
			}
		}))
		slices.Sort(got)
		if diff := cmp.Diff(c.want, slices.Compact(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	memory, err := sessionmem.Open(sessionmem.Config{InMemoryOnly: true})
	must(t, err)
	mustAppend(t, memory, "cli-a", user("x"))
	n := 0
	must(t, memory.EachForgettable(t.Context(), nil, func(string, string, transcript.Block) { n++ }))
	if n != 1 {
		t.Errorf("%d blocks in memory", n)
	}
}

// A file outside of the session folder is read without what was forgotten, and stays as it is.
func TestForgottenTextOutsideTheFolder(t *testing.T) {
	s := openStore(t, t.TempDir())
	mustAppend(t, s, "cli-a", storetest.Ago(time.Hour, "the blue zebra sleeps"))
	forget(t, s, "blue zebra")
	var text bytes.Buffer
	must(t, transcript.Write(&text, &transcript.Transcript{Blocks: []transcript.Block{storetest.Ago(time.Hour, "the blue zebra sleeps"), user("two")}}))
	file := filepath.Join(t.TempDir(), "export.md")
	must(t, os.WriteFile(file, text.Bytes(), 0o600))
	tr, err := s.LoadFile(file)
	must(t, err)
	if last := tr.Blocks[len(tr.Blocks)-1].Text; last != "two" || strings.Contains(tr.Blocks[0].Text, "zebra") || readFile(t, file) != text.String() {
		t.Errorf("read %+v", tr.Blocks)
	}
}
