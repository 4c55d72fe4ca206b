package session_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

const year = 365 * 24 * time.Hour

// The clock jumps back by a year and ahead by two during a conversation: it stays in one
// file, in the order it was written.
func TestJumpingClockReordersNothing(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	var want []string
	for i, jump := range []time.Duration{0, -year, -year, year, 0, -time.Hour} {
		text := fmt.Sprint("message ", i)
		mustAppend(t, s, "cli-a", transcript.Block{Kind: transcript.KindUser, Text: text, Time: time.Now().Add(jump)})
		want = append(want, text)
		if got := texts(t, s, "cli-a"); !cmp.Equal(got, want) {
			t.Errorf("after a jump of %s: %q", jump, got)
		}
	}
	onlyFile(t, root)
	storetest.SameAfterRestart(t, s, root, "cli-a")
	if list, err := s.List(t.Context()); err != nil || len(list) != 1 || list[0].Messages != len(want) {
		t.Errorf("listed as %+v, %v", list, err)
	}
}

// A session begun while the clock was a year ahead continues in its file, though the file's
// name is later than anything written now; so does one begun a year back.
func TestSessionOfAnotherYearContinuesInItsFile(t *testing.T) {
	for _, begun := range []time.Duration{-year, year} {
		root := t.TempDir()
		s := openStore(t, root)
		mustAppend(t, s, "cli-a", transcript.Block{Kind: transcript.KindUser, Text: "one", Time: time.Now().Add(begun)})
		file := onlyFile(t, root)
		mustAppend(t, openStore(t, root), "cli-a", user("two"))
		mustAppend(t, s, "cli-a", user("three"))
		if got := onlyFile(t, root); got != file || !cmp.Equal(texts(t, s, "cli-a"), []string{"one", "two", "three"}) {
			t.Errorf("begun %s from now: %s holds %q", begun, got, texts(t, s, "cli-a"))
		}
	}
}

// A clock that jumps ahead makes a running conversation neither inactive nor finished; one
// that jumps back archives nothing; a session archived by a wrong clock comes back with its
// next message.
func TestJumpingClockFinishesNothing(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	rule := sessionmem.ArchiveRule{After: storetest.Month}
	b := mustAppend(t, s, "cli-running", user("one"))
	file := onlyFile(t, root)
	stamp := func(t time.Time) string { return t.Format(time.RFC3339) }
	writeFile(t, file, strings.ReplaceAll(readFile(t, file), stamp(b.Time), stamp(b.Time.Add(-year)))) // as after a jump
	mustAppend(t, s, "cli-back", transcript.Block{Kind: transcript.KindUser, Text: "one", Time: time.Now().Add(year)})
	if got := storetest.Archive(t, s, rule); len(got) != 0 {
		t.Errorf("archived %q", got)
	}
	later := openStore(t, root) // it knows only the times
	if got := storetest.Archive(t, later, rule); !cmp.Equal(got, []string{"cli-running"}) {
		t.Errorf("archived %q", got)
	}
	mustAppend(t, s, "cli-running", user("two"))
	if got := texts(t, s, "cli-running"); !cmp.Equal(got, []string{"one", "two"}) {
		t.Errorf("back from the archive: %q", got)
	}
	if file := onlyFileOf(t, root, "cli-running"); filepath.Dir(file) != filepath.Join(root, transcript.SessionDir) {
		t.Errorf("it is in %s", file)
	}
}

func onlyFileOf(t *testing.T, root, name string) string {
	t.Helper()
	tr, err := openStore(t, root).Load(t.Context(), name)
	must(t, err)
	return tr.Info.Path
}

// After edits by hand and damage: what can be read is context, the same after a restart; the
// next block is appended, and not a byte of the existing text changes.
func TestTranscriptDamagedByHand(t *testing.T) {
	const one, two = "## User · 2026-11-21T10:15:02+01:00\n<!-- id=a -->\n\none\n", "## Assistant · 2026-11-21T10:15:05+01:00\n<!-- id=b parent=a -->\n\ntwo\n"
	whole := "---\nformat: mac-stats-session/1\nsession: cli-a\n---\n\n" + one + "\n" + two
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"an id twice":             {whole + "\n" + strings.Replace(two, "two", "three", 1), []string{"one", "two", "three"}},
		"the same block twice":    {whole + "\n" + two, []string{"one", "two", "two"}},
		"an id removed":           {strings.Replace(whole, "<!-- id=b parent=a -->\n", "", 1), []string{"one", "two"}},
		"all ids removed":         {strings.NewReplacer("<!-- id=b parent=a -->\n", "", "<!-- id=a -->\n", "").Replace(whole), []string{"one", "two"}},
		"an id that is empty":     {strings.Replace(whole, "id=b", `id=""`, 1), []string{"one", "two"}},
		"the ids changed places":  {strings.NewReplacer("id=a", "id=b", "id=b parent=a", "id=a parent=b").Replace(whole), []string{"one", "two"}},
		"CRLF":                    {strings.ReplaceAll(whole, "\n", "\r\n"), []string{"one", "two"}},
		"CRLF in half of it":      {whole[:len(whole)/2] + strings.ReplaceAll(whole[len(whole)/2:], "\n", "\r\n"), []string{"one", "two"}},
		"bytes that are no UTF-8": {strings.Replace(whole, "two", "tw\xff\xfe", 1), []string{"one", "tw\uFFFD"}},
		"UTF-8 cut in a letter":   {strings.TrimSuffix(whole, "\n") + "\xc3", []string{"one", "two\uFFFD"}},
		"cut in a text":           {whole[:len(whole)-2], []string{"one", "tw"}},
		"cut in a comment":        {whole[:strings.Index(whole, " parent")], []string{"one", "<!-- id=b"}},
		"cut in a heading":        {whole[:strings.Index(whole, "## Assistant")+8], []string{"one\n\n## Assis"}},
		"cut in the front matter": {"---\nformat: mac-stats-se", nil},
		"empty":                   {"", nil},
		"a Summary through nothing that is there": {
			whole + "\n## Summary · 2026-11-21T10:15:09+01:00\n<!-- id=s through=gone -->\n\nSo far.\n", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			s := openStore(t, root)
			mustAppend(t, s, "cli-a", user("before it was edited"))
			file := onlyFile(t, root)
			time.Sleep(time.Millisecond)
			renameOver(t, file, tt.text)
			must(t, session.DropJournal(s.Sessions().Session("cli-a"))) // the earlier content is no longer known
			fresh := openStore(t, root)
			if got := texts(t, fresh, "cli-a"); !cmp.Equal(got, tt.want) {
				t.Errorf("the context is %q, want %q", got, tt.want)
			}
			mustAppend(t, fresh, "cli-a", user("next"))
			if got := texts(t, fresh, "cli-a"); !cmp.Equal(got, append(tt.want, "next")) {
				t.Errorf("after one more: %q", got)
			}
			if got := readFile(t, file); !strings.HasPrefix(got, tt.text) {
				t.Errorf("what was there is changed:\n%q", got)
			}
			storetest.SameAfterRestart(t, fresh, root, "cli-a")
			tr, err := fresh.Load(t.Context(), "cli-a")
			must(t, err)
			ids := map[string]bool{}
			for _, b := range tr.Blocks {
				if b.ID == "" || ids[b.ID] {
					t.Errorf("the id %q is there twice", b.ID)
				}
				ids[b.ID] = true
				if _, _, err := fresh.Session("cli-a").Message(t.Context(), b.ID); b.IsMessage() && err != nil {
					t.Error(err)
				}
			}
		})
	}
}
