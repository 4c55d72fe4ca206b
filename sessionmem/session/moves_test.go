package session_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
)

// A session that is in use isn't moved, and who wants to move it is told by whom.
func TestWorkOnASessionInUse(t *testing.T) {
	root := t.TempDir()
	s, other := openStore(t, root), openStore(t, root)
	mustAppend(t, s, "cpu-a", user("one"))
	info := onlyInfo(t, s)
	moves := s.Session("cpu-a").Moves()
	turn, err := other.Session("cpu-a").LockTurn(t.Context(), "window", nil)
	must(t, err)
	ran := false
	run := func() { ran = true }
	put := func(context.Context, string) error { ran = true; return nil }
	for what, err := range map[string]error{
		"work":      moves.RunExclusively(t.Context(), 20*time.Millisecond, "forget", run),
		"deleting":  moves.Delete(t.Context(), nil, put),
		"archiving": moves.Archive(t.Context(), info, time.Hour, func(transcript.Info) bool { return true }),
	} {
		if !errors.Is(err, session.ErrBusy) || !strings.Contains(err.Error(), "window") {
			t.Errorf("%s during a turn: %v", what, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := moves.RunExclusively(ctx, time.Minute, "forget", run); !errors.Is(err, context.Canceled) || ran {
		t.Errorf("cancelled: %v, it ran: %v", err, ran)
	}
	turn.Unlock()
	if err := moves.RunExclusively(t.Context(), time.Second, "forget", run); err != nil || !ran {
		t.Errorf("after the turn: %v, it ran: %v", err, ran)
	}
}

// What can't be deleted stays whole.
func TestDeletingThatFailsKeepsTheSession(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cpu-a", user("one"))
	broken := errors.New("the disk is broken")
	for name, err := range map[string]error{
		"another has changed its mind":  s.Session("cpu-a").Moves().Delete(t.Context(), func() error { return broken }, func(context.Context, string) error { t.Error("it was deleted"); return nil }),
		"its files can't be moved":      s.Session("cpu-a").Moves().Delete(t.Context(), nil, func(context.Context, string) error { return broken }),
		"it doesn't exist":              s.Session("cpu-none").Moves().Delete(t.Context(), nil, nil),
		"it has no name of a session's": s.Session("../x").Moves().Delete(t.Context(), nil, nil),
	} {
		if err == nil || !errors.Is(err, broken) && !errors.Is(err, session.ErrNotFound) && !errors.Is(err, transcript.ErrBadName) {
			t.Errorf("%s: %v", name, err)
		}
	}
	mustAppend(t, s, "cpu-a", user("two"))
	if got := texts(t, openStore(t, root), "cpu-a"); len(got) != 2 {
		t.Errorf("it holds %q", got)
	}
}

// A session is archived only if it is as it was listed and finished.
func TestArchivingChecksAgain(t *testing.T) {
	finished := func(transcript.Info) bool { return true }
	for name, c := range map[string]struct {
		since func(t *testing.T, path string)
		rule  func(transcript.Info) bool
		want  error
	}{
		"nothing changed":      {func(*testing.T, string) {}, finished, nil},
		"it goes on meanwhile": {func(*testing.T, string) {}, func(transcript.Info) bool { return false }, sessiondir.ErrReplaced},
		"its file is renamed":  {func(t *testing.T, path string) { must(t, os.Rename(path, strings.Replace(path, "-old", "-new", 1))) }, finished, sessiondir.ErrReplaced},
		"its file is removed":  {func(t *testing.T, path string) { must(t, os.Remove(path)) }, finished, session.ErrNotFound},
		"a save removed a block": {func(t *testing.T, path string) {
			text := readFile(t, path)
			writeFile(t, path, text[:strings.LastIndex(text, "\n## ")])
		}, finished, session.ErrBusy},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			s := openStore(t, root)
			mustAppend(t, s, "cpu-a", storetest.Ago(40*24*time.Hour, "old question"))
			mustAppend(t, s, "cpu-a", storetest.Ago(40*24*time.Hour, "two"))
			info := onlyInfo(t, s)
			s = openStore(t, root) // this program saw nothing said in it
			c.since(t, info.Path)
			err := s.Session("cpu-a").Moves().Archive(t.Context(), info, time.Hour, c.rule)
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			_, serr := os.Stat(info.Path)
			if _, jerr := os.Stat(journalOf(root, "cpu-a")); c.want == nil && (!os.IsNotExist(serr) || !os.IsNotExist(jerr)) {
				t.Errorf("the file: %v, its journal: %v", serr, jerr)
			}
		})
	}
}

func journalOf(root, name string) string {
	return root + "/" + transcript.SessionDir + "/" + transcript.JournalDir + "/" + name + transcript.FileSuffix
}

// A session that comes back from the trash has a journal at once.
func TestBringingBackMakesAJournal(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cpu-a", user("one"))
	path := onlyFile(t, root)
	text := readFile(t, path)
	must(t, s.Session("cpu-a").Moves().Delete(t.Context(), nil, func(context.Context, string) error { return os.Remove(path) }))
	if _, err := os.Stat(journalOf(root, "cpu-a")); !os.IsNotExist(err) {
		t.Errorf("its journal stays: %v", err)
	}
	moves := s.Session("cpu-a").Moves()
	broken := errors.New("the disk is broken")
	if err := moves.BringBack(t.Context(), func() error { return broken }, true); !errors.Is(err, broken) {
		t.Errorf("it can't be brought back: %v", err)
	}
	must(t, moves.BringBack(t.Context(), func() error { return os.WriteFile(path, []byte(text), 0o600) }, true))
	if got := readFile(t, journalOf(root, "cpu-a")); !strings.Contains(got, "one") {
		t.Errorf("its journal is\n%s", got)
	}
}

// A save may remove messages and other blocks; keeping its result is the end of them.
func TestKeepingWhatASaveLeft(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	s.SetPrivate("cpu-p")
	mustAppend(t, s, "cpu-p", user("one"))
	mustAppend(t, s, "cpu-a", user("one"))
	before := readFile(t, onlyFile(t, root))
	mustAppend(t, s, "cpu-a", user("two"))
	mustAppend(t, s, "cpu-a", transcript.Block{Kind: transcript.KindTool, Agent: "FETCH_URL", Text: "page"})
	filetest.WriteEarlier(t, onlyFile(t, root), before)
	for _, want := range []session.Removed{{Session: "cpu-a", Messages: 1, Others: 1}, {Session: "cpu-a"}} {
		if got, err := s.Removed(t.Context(), "cpu-a"); got != want || err != nil {
			t.Errorf("%+v are missing, %v; want %+v", got, err, want)
		}
		if got, err := s.KeepRemoved(t.Context(), "cpu-a"); got != want || err != nil {
			t.Errorf("%+v are gone, %v; want %+v", got, err, want)
		}
	}
	for _, name := range []string{"cpu-p", "cpu-none", "../x"} {
		if got, err := s.KeepRemoved(t.Context(), name); got != (session.Removed{Session: name}) || err != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	must(t, s.Sessions().ExpireRemoved(t.Context()))
}

// An editor may save a transcript in another encoding, also one that was seen to be UTF-8; the
// next block makes it UTF-8 again.
func TestTranscriptInAnotherEncoding(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cpu-a", user("Lüfter"))
	mustAppend(t, s, "cpu-a", user("one"))
	path := onlyFile(t, root)
	utf16 := []byte{0xff, 0xfe}
	for _, r := range readFile(t, path) {
		utf16 = append(utf16, byte(r), byte(r>>8))
	}
	writeFile(t, path, string(utf16))
	mustAppend(t, s, "cpu-a", user("two"))
	if got := texts(t, openStore(t, root), "cpu-a"); !slices.Equal(got, []string{"Lüfter", "one", "two"}) {
		t.Errorf("the context is %q", got)
	}
	if text := readFile(t, path); strings.ContainsRune(text, 0) || !strings.Contains(text, "Lüfter") {
		t.Errorf("the file is %q", text)
	}
}

// An editor that moves the file away before it writes the new one gets no second file.
func TestFileThatIsAwayForAMoment(t *testing.T) {
	root := t.TempDir()
	s := storetest.Open(t, root)
	mustAppend(t, s, "cpu-a", user("one"))
	path := onlyFile(t, root)
	text := readFile(t, path)
	must(t, os.Rename(path, path+"~"))
	back := make(chan error)
	go func() {
		time.Sleep(300 * time.Millisecond) // longer than a session waits for its file
		back <- os.WriteFile(path, []byte(text+"\nand more\n"), 0o600)
	}()
	mustAppend(t, s, "cpu-a", user("two"))
	must(t, <-back)
	if got := texts(t, openStore(t, root), "cpu-a"); len(got) != 2 || got[0] != "one\n\nand more" || got[1] != "two" {
		t.Errorf("the context is %q", got)
	}
	onlyFile(t, root)
}
