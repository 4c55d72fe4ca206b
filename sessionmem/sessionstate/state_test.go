package sessionstate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sessionstate"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func statePath(root string) string { return filepath.Join(root, transcript.SessionDir, "state.json") }

func writeState(t testing.TB, root, text string) {
	t.Helper()
	filetest.Write(t, statePath(root), text)
}

func pin(t testing.TB, s *sessionmem.Store, name string, pinned bool) {
	t.Helper()
	must(t, s.State().SetPinned(t.Context(), name, pinned))
}

func marks(t testing.TB, s *sessionmem.Store) sessionstate.Marks {
	t.Helper()
	m, err := s.State().Marks()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPinsAreSeenByAllProgramsAndAfterARestart(t *testing.T) {
	root := t.TempDir()
	s, other := openStore(t, root), openStore(t, root)
	if got := marks(t, s).Pins(); len(got) != 0 {
		t.Errorf("pinned before: %v", got)
	}
	for _, name := range []string{"cpu-b", "cpu-a"} {
		pin(t, s, name, true)
		time.Sleep(2 * time.Millisecond) // pins keep milliseconds
	}
	pin(t, other, "cpu-c", true)
	pin(t, other, "cpu-c", false)
	for name, store := range map[string]*sessionmem.Store{"the one that pinned": s, "another": other, "a restarted one": openStore(t, root)} {
		if diff := cmp.Diff([]string{"cpu-b", "cpu-a"}, marks(t, store).Pins()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if m := marks(t, store); !m.Pinned("cpu-a") || m.Pinned("cpu-c") || m.Pinned("cpu-none") {
			t.Errorf("%s: other pins than were set", name)
		}
	}
	if text := readFile(t, statePath(root)); strings.Contains(text, "cpu-c") {
		t.Errorf("a session without a mark stays in %s", text)
	}
	if fi, err := os.Stat(statePath(root)); err != nil || fi.Mode().Perm() != 0o600 {
		t.Error(fi.Mode(), err)
	}
}

func TestUnread(t *testing.T) {
	begun := time.Now().Add(-time.Hour).Truncate(time.Second)
	info := func(name string, messages int, active time.Duration) transcript.Info {
		i := transcript.Info{Name: name, Messages: messages, Active: begun.Add(active)}
		i.Source, i.ID = transcript.SplitName(name)
		return i
	}
	root := t.TempDir()
	s := openStore(t, root)
	if got := marks(t, s).Unread(info("cpu-a", 4, 0)); got != 0 {
		t.Errorf("%d unread before anything was ever marked", got)
	}
	must(t, s.State().MarkRead(t.Context(), info("cpu-read", 4, 0)))
	for name, c := range map[string]struct {
		info transcript.Info
		want int
	}{
		"as it was read":                         {info("cpu-read", 4, 0), 0},
		"a note or a Summary since":              {info("cpu-read", 4, time.Minute), 0},
		"two messages since":                     {info("cpu-read", 6, time.Minute), 2},
		"a message since, the clock went back":   {info("cpu-read", 5, -time.Hour), 1},
		"messages deleted by hand":               {info("cpu-read", 2, -time.Minute), 0},
		"deleted by hand, and one since":         {info("cpu-read", 3, time.Minute), 1},
		"never read, from before the first mark": {info("cpu-old", 4, 0), 0},
		"never read, begun since":                {info("discord-123", 4, 2*time.Hour), 4},
		"begun since on the command line":        {info("cli-notes", 4, 2*time.Hour), 0},
	} {
		if got := marks(t, s).Unread(c.info); got != c.want {
			t.Errorf("%s: %d unread, want %d", name, got, c.want)
		}
	}
	before, err := os.Stat(statePath(root))
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.State().MarkRead(t.Context(), info("cpu-read", 4, 0)))
	if after, err := os.Stat(statePath(root)); err != nil || !os.SameFile(before, after) {
		t.Errorf("reading the same again writes a file: %v", err)
	}
}

func TestMarksOfANewerVersionAreKept(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	writeState(t, root, `{"since":"2026-01-02T03:04:05Z","colour":"blue","sessions":{"cpu-a":{"folder":"work","read":{"scroll":7,"messages":1,"active":"2026-01-02T03:04:05Z"}},"cpu-b":{"folder":"home"}}}`)
	pin(t, s, "cpu-a", true)
	pin(t, s, "cpu-b", true)
	pin(t, s, "cpu-b", false)
	must(t, s.State().MarkRead(t.Context(), transcript.Info{Name: "cpu-a", Messages: 2, Active: time.Now()}))
	var got struct {
		Since, Colour string
		Sessions      map[string]struct {
			Folder string
			Read   struct{ Scroll, Messages int }
		}
	}
	must(t, json.Unmarshal([]byte(readFile(t, statePath(root))), &got))
	a := got.Sessions["cpu-a"]
	if got.Colour != "blue" || got.Since != "2026-01-02T03:04:05Z" || a.Folder != "work" || a.Read.Scroll != 7 || a.Read.Messages != 2 || got.Sessions["cpu-b"].Folder != "home" {
		t.Errorf("got %+v", got)
	}
}

func TestNewerStateFileIsLeftAlone(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	const text = `{"format":"mac-stats-state/2","sessions":[]}`
	writeState(t, root, text)
	if _, err := s.State().Marks(); !errors.Is(err, sessionstate.ErrNewerState) {
		t.Errorf("reading: %v", err)
	}
	if err := s.State().SetPinned(t.Context(), "cpu-a", true); !errors.Is(err, sessionstate.ErrNewerState) {
		t.Errorf("writing: %v", err)
	}
	if got := readFile(t, statePath(root)); got != text {
		t.Errorf("it is now %s", got)
	}
}

func TestBrokenStateFileIsMovedAside(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "cut off": `{"sessions":{"cpu-a":{"pin`, "null": "null", "another shape": `{"sessions":["cpu-a"]}`, "no JSON": "\x00\xff",
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			var log bytes.Buffer
			s, err := sessionmem.Open(sessionmem.Config{Root: root, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			writeState(t, root, text)
			if _, err := s.State().Marks(); err == nil {
				t.Error("pins that can't be read are no pins")
			}
			pin(t, s, "cpu-new", true)
			if diff := cmp.Diff([]string{"cpu-new"}, marks(t, s).Pins()); diff != "" {
				t.Error(diff)
			}
			kept, _ := filepath.Glob(filepath.Join(root, transcript.SessionDir, "state-*.broken.json"))
			if len(kept) != 1 || readFile(t, kept[0]) != text {
				t.Errorf("kept: %v", kept)
			}
			if !strings.Contains(log.String(), "pins and unread marks start anew") {
				t.Errorf("logged: %s", log.String())
			}
			writeState(t, root, text)
			pin(t, s, "cpu-new", true)
			if kept, _ = filepath.Glob(filepath.Join(root, transcript.SessionDir, "state-*.broken.json")); len(kept) != 2 {
				t.Errorf("kept after a second time: %v", kept)
			}
		})
	}
}

func TestMarksOfTwoProgramsAtOnce(t *testing.T) {
	root := t.TempDir()
	stores := []*sessionmem.Store{openStore(t, root), openStore(t, root)}
	var work sync.WaitGroup
	var want []string
	for i := range 20 {
		name := fmt.Sprintf("cpu-%02d", i)
		want = append(want, name)
		work.Go(func() {
			if err := stores[i%2].State().SetPinned(t.Context(), name, true); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	m := marks(t, stores[0])
	for _, name := range want {
		if !m.Pinned(name) {
			t.Errorf("the pin of %s is lost", name)
		}
	}
}

func TestPrivateMarksAreNeverWritten(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	s.SetPrivate("cpu-secret")
	pin(t, s, "cpu-secret", true)
	must(t, s.State().MarkRead(t.Context(), transcript.Info{Name: "cpu-secret", Messages: 2, Active: time.Now()}))
	if m := marks(t, s); !m.Pinned("cpu-secret") || m.Unread(transcript.Info{Name: "cpu-secret", Messages: 3}) != 1 || len(m.Pins()) != 1 {
		t.Errorf("its marks are %+v", m)
	}
	if _, err := os.Stat(statePath(root)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was written: %v", err)
	}
	memory, err := sessionmem.Open(sessionmem.Config{InMemoryOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	pin(t, memory, "cpu-a", true)
	if !marks(t, memory).Pinned("cpu-a") {
		t.Error("a pin in memory is lost")
	}
}

func TestPruneDropsMarksOfGoneSessions(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cpu-there", user("one"))
	mustAppend(t, s, "cpu-deleted", user("two"))
	for _, name := range []string{"cpu-there", "cpu-deleted", "cpu-gone"} {
		pin(t, s, name, true)
	}
	must(t, s.Delete(t.Context(), "cpu-deleted"))
	for _, want := range []int{1, 0} {
		if got, err := s.State().Prune(t.Context()); got != want || err != nil {
			t.Errorf("dropped %d, %v, want %d", got, err, want)
		}
	}
	if m := marks(t, s); !m.Pinned("cpu-there") || !m.Pinned("cpu-deleted") || m.Pinned("cpu-gone") {
		t.Errorf("left: %v", m.Pins())
	}
}

func TestUnwritableMarks(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	must(t, os.Mkdir(statePath(root), 0o700))
	if err := s.State().SetPinned(t.Context(), "cpu-a", true); err == nil || !strings.Contains(err.Error(), "cpu-a") {
		t.Errorf("got %v", err)
	}
	if err := s.State().SetPinned(t.Context(), "", true); !errors.Is(err, transcript.ErrBadName) {
		t.Errorf("no name: %v", err)
	}
}

// The folders a session was exported to are kept, each once, the latest last, and no more than
// the last twenty. File names are not stored.
func TestExportFolders(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	var want []string
	for i := range 25 {
		folder := filepath.Join(root, fmt.Sprint("folder ", i))
		must(t, s.State().MarkExported(t.Context(), "cpu-a", filepath.Join(folder, "my secret.html")))
		want = append(want, folder)
	}
	want = append(slices.Delete(want[5:], 3, 4), filepath.Join(root, "folder 8"))
	must(t, s.State().MarkExported(t.Context(), "cpu-a", filepath.Join(want[19], "again.html")))
	if diff := cmp.Diff(want, openStore(t, root).State().Exports("cpu-a")); diff != "" {
		t.Error(diff)
	}
	if text := readFile(t, statePath(root)); strings.Contains(text, "secret") {
		t.Errorf("a file's name is stored:\n%s", text)
	}
	writeState(t, root, "{")
	if got := s.State().Exports("cpu-a"); got != nil {
		t.Errorf("of an unreadable file: %v", got)
	}
}

// What was deleted by age, and what came back from there, is known to all programs.
func TestMarksOfDeletionByAge(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	at := time.Now().Add(-time.Hour).Truncate(time.Millisecond)
	pin(t, s, "cpu-a", true)
	must(t, s.State().SetExpired(t.Context(), nil, at))
	must(t, s.State().SetExpired(t.Context(), []string{"cpu-a", "cpu-b", "cpu-c"}, at))
	must(t, s.State().SetExpired(t.Context(), []string{"cpu-c"}, time.Time{}))
	before := time.Now().Truncate(time.Millisecond)
	must(t, s.State().BroughtBack(t.Context(), []string{"cpu-b"}))
	m := marks(t, openStore(t, root))
	for name, want := range map[string]bool{"cpu-a": true, "cpu-b": false, "cpu-c": false, "cpu-d": false} {
		if m.Expired(name) != want {
			t.Errorf("%s was deleted by age: %v", name, !want)
		}
	}
	if back := m.Back("cpu-b"); back.Before(before) || !m.Back("cpu-a").IsZero() || !m.Pinned("cpu-a") {
		t.Errorf("cpu-b came back %s, cpu-a %s", back, m.Back("cpu-a"))
	}
	if got := m.LastBack([]transcript.Info{{Name: "cpu-a"}, {Name: "cpu-b"}}); !got.Equal(m.Back("cpu-b")) || !m.LastBack([]transcript.Info{{Name: "cpu-a"}}).IsZero() {
		t.Errorf("the last that came back: %s", got)
	}
	if text := readFile(t, statePath(root)); strings.Contains(text, "cpu-c") {
		t.Errorf("a session without a mark stays in %s", text)
	}
}

func TestWarningOutlivesARestart(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	want := sessionstate.Warning{At: time.Now().Truncate(time.Second), After: 90 * 24 * time.Hour, Used: true}
	for _, w := range []sessionstate.Warning{{}, want, {}} {
		must(t, s.State().SetWarning(t.Context(), w))
		got, err := openStore(t, root).State().Warning()
		if diff := cmp.Diff(w, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
	}
}

// While the session folder is away, nothing is known of the marks and none is set.
func TestMarksOfAFolderThatIsAway(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	pin(t, s, "cpu-a", true)
	folder := filepath.Join(root, transcript.SessionDir)
	must(t, os.Rename(folder, folder+".away"))
	if _, err := s.State().Marks(); err == nil {
		t.Error("marks are read from nowhere")
	}
	for what, err := range map[string]error{
		"a pin": s.State().SetPinned(t.Context(), "cpu-b", true), "a mark of several": s.State().SetExpired(t.Context(), []string{"cpu-b"}, time.Now()),
		"a warning": s.State().SetWarning(t.Context(), sessionstate.Warning{At: time.Now()}),
	} {
		if err == nil {
			t.Errorf("%s is set nowhere", what)
		}
	}
	if _, err := s.State().Prune(t.Context()); err == nil {
		t.Error("pruned what is away")
	}
	must(t, os.Rename(folder+".away", folder))
	if m := marks(t, s); !m.Pinned("cpu-a") || m.Pinned("cpu-b") || m.Expired("cpu-b") {
		t.Errorf("back again: %v", m.Pins())
	}
}

// Who is still there must be known before marks are dropped.
func TestPruneWithoutTheNamesDropsNothing(t *testing.T) {
	broken := errors.New("the archive can't be read")
	logger := slog.New(slog.DiscardHandler)
	st := sessionstate.New(sessiondir.New(t.TempDir(), logger), logger, func(string) bool { return false }, func() (map[string]bool, error) { return nil, broken })
	must(t, st.SetPinned(t.Context(), "cpu-a", true))
	if n, err := st.Prune(t.Context()); n != 0 || !errors.Is(err, broken) {
		t.Errorf("dropped %d, %v", n, err)
	}
	if m, err := st.Marks(); err != nil || !m.Pinned("cpu-a") {
		t.Errorf("%v, %v", m.Pins(), err)
	}
}
