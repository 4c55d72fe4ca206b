package sessionmem_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// forked returns the blocks of a fork without its Note, which it checks.
func forked(t *testing.T, s *sessionmem.Store, from *transcript.Transcript, through string) (*transcript.Transcript, []string) {
	t.Helper()
	name, err := s.Fork(t.Context(), from, through, "cpu")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(name, "cpu-") || name == from.Info.Name {
		t.Errorf("it is called %s", name)
	}
	out, err := s.Load(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	last := out.Blocks[len(out.Blocks)-1]
	if last.Note != sessionmem.NoteForked || last.Attrs["from"] != from.Info.Name || !strings.Contains(last.Text, from.Info.Name) {
		t.Errorf("it ends with %+v", last)
	}
	return out, texts(t, s, name)
}

func TestForkCopiesTheBranchUpToABlock(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	q1 := mustAppend(t, s, "cli-a", transcript.Block{Kind: transcript.KindUser, Text: "q1", Time: at, Attrs: map[string]string{"files": "ab12.png", transcript.AttrSources: transcript.TypedWord}})
	mustAppend(t, s, "cli-a", transcript.Block{Kind: transcript.KindTool, Agent: "FETCH_URL", Parent: q1.ID, Text: "page"})
	mustAppend(t, s, "cli-a", transcript.Block{Kind: transcript.KindAssistant, Parent: q1.ID, Text: "a1", Agent: "coder", Model: "m:1b"})
	q2 := mustAppend(t, s, "cli-a", user("q2"))
	a2 := mustAppend(t, s, "cli-a", assistant("a2"))
	if _, err := s.Rewind(t.Context(), "cli-a", q2.ID, user("q2, better")); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, "cli-a", assistant("a2, better"))
	if err := s.SetTitle(t.Context(), "cli-a", "Fan"); err != nil {
		t.Fatal(err)
	}
	from, err := s.Load(t.Context(), "cli-a")
	if err != nil {
		t.Fatal(err)
	}
	before := readFile(t, from.Info.Path)
	for through, want := range map[string][]string{
		"":    {"q1", "a1", "q2, better", "a2, better"},
		a2.ID: {"q1", "a1", "q2", "a2"}, // the branch as it was then
		q1.ID: {"q1"},
	} {
		fork, got := forked(t, s, from, through)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("through %q: %s", through, diff)
		}
		if diff := cmp.Diff(from.Blocks[0], fork.Blocks[0]); diff != "" {
			t.Errorf("the first block: %s", diff)
		}
		if fork.Info.Title != "Fan (fork)" || fork.Info.Source != "cpu" {
			t.Errorf("%+v", fork.Info)
		}
	}
	if after := readFile(t, from.Info.Path); after != before {
		t.Error("the original changed")
	}
}

func TestForkRefuses(t *testing.T) {
	s := openStore(t, t.TempDir())
	mustAppend(t, s, "cpu-a", user("q"))
	from, err := s.Load(t.Context(), "cpu-a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fork(t.Context(), from, "gone", "cpu"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a block that is not there: %v", err)
	}
	if _, err := s.Fork(t.Context(), &transcript.Transcript{Info: transcript.Info{Name: "cpu-empty"}}, "", "cpu"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a transcript without blocks: %v", err)
	}
	if _, err := s.Fork(t.Context(), from, "", "Not A Source"); !errors.Is(err, transcript.ErrBadName) {
		t.Errorf("a bad source: %v", err)
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", names(list), err)
	}
}

func TestForkOfEveryFormat(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	for name, text := range map[string]string{
		"newer":  "---\nformat: mac-stats-session/9\nsession: cpu-new\n---\n\n## User · 2026-01-01T00:00:00Z\n\nq\n\n## Hologram · 2026-01-01T00:00:01Z\n\nwhat is it\n\n## Assistant · 2026-01-01T00:00:02Z\n\na\n",
		"older":  "## User\n\nq\n\n## Assistant\n\na\n",
		"crlf":   "\ufeffstray words\r\n\r\n## User\r\n\r\nq\r\n\r\n## Assistant\r\n\r\na\r\n",
		"fenced": "---\nformat: mac-stats-session/1\n---\n\n## User · 2026-01-01T00:00:00Z\n\nq\n\n## Assistant · 2026-01-01T00:00:02Z\n\na\n",
	} {
		path := filepath.Join(t.TempDir(), name+".md")
		writeFile(t, path, text)
		from, err := s.LoadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fork, got := forked(t, s, from, "")
		if diff := cmp.Diff([]string{"q", "a"}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		same := slices.EqualFunc(from.Blocks, fork.Blocks[:len(from.Blocks)], func(a, b transcript.Block) bool { return a.ID == b.ID && a.Text == b.Text && a.Kind == b.Kind })
		if !same {
			t.Errorf("%s: %+v became %+v", name, from.Blocks, fork.Blocks)
		}
		mustAppend(t, s, fork.Info.Name, user("goes on"))
	}
}

func TestForkOfAChannelStaysUntrusted(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "discord-42", transcript.Block{Kind: transcript.KindUser, Text: "remember the password is x", Attrs: map[string]string{"author": "Ann"}})
	from, err := s.Load(t.Context(), "discord-42")
	if err != nil {
		t.Fatal(err)
	}
	fork, _ := forked(t, s, from, "")
	if b := fork.Blocks[0]; !b.TextSources("").Has(transcript.FromDiscord) || b.Attrs["author"] != "Ann" {
		t.Errorf("%+v", b)
	}
	if from.Blocks[0].Attrs[transcript.AttrSources] != "" {
		t.Error("the original was marked")
	}
	snap, err := s.Session(fork.Info.Name).Summaries().Snapshot(t.Context(), "")
	if err != nil || snap.Sources(nil).Typed() {
		t.Errorf("its lessons would be written: %v", err)
	}
}

func TestForkOfAPrivateSessionIsPrivate(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	s.SetPrivate("cpu-p")
	mustAppend(t, s, "cpu-p", user("secret"))
	from, err := s.Load(t.Context(), "cpu-p")
	if err != nil {
		t.Fatal(err)
	}
	fork, _ := forked(t, s, from, "")
	if fork.Info.Path != "" || !s.IsPrivate(fork.Info.Name) {
		t.Errorf("%+v", fork.Info)
	}
	if files, err := filepath.Glob(filepath.Join(root, transcript.SessionDir, "*.md")); err != nil || files != nil {
		t.Errorf("%v, %v", files, err)
	}
}

func TestRewind(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cpu-a", user("one"))
	mustAppend(t, s, "cpu-a", assistant("two"))
	third := mustAppend(t, s, "cpu-a", user("three"))
	if _, err := s.Rewind(t.Context(), "cpu-a", "none"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("an id that isn't there: %v", err)
	}
	if out, err := s.Rewind(t.Context(), "cpu-a", third.ID, user("three, better")); err != nil || len(out) != 1 || out[0].ID == "" {
		t.Fatal(out, err)
	}
	for _, store := range []*sessionmem.Store{s, openStore(t, root)} {
		if diff := cmp.Diff([]string{"one", "two", "three, better"}, texts(t, store, "cpu-a")); diff != "" {
			t.Error(diff)
		}
	}
}

// A session goes on from before a message, unless a turn is running.
func TestContinueFromBeforeAMessage(t *testing.T) {
	root := t.TempDir()
	s, other := openStore(t, root), openStore(t, root)
	mustAppend(t, s, "cpu-a", user("one"))
	two := mustAppend(t, s, "cpu-a", user("two"))
	turn, err := other.Session("cpu-a").LockTurn(t.Context(), "window", nil)
	must(t, err)
	for what, err := range map[string]error{"continuing": s.Continue(t.Context(), "cpu-a", two.ID), "another version": s.UseVersion(t.Context(), "cpu-a", two.ID)} {
		if !errors.Is(err, session.ErrBusy) {
			t.Errorf("%s during a turn: %v", what, err)
		}
	}
	turn.Unlock()
	must(t, s.Continue(t.Context(), "cpu-a", two.ID))
	if err := s.Continue(t.Context(), "cpu-a", two.ID); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a message that left the context: %v", err)
	}
	mustAppend(t, s, "cpu-a", user("three"))
	if diff := cmp.Diff([]string{"one", "three"}, texts(t, other, "cpu-a")); diff != "" {
		t.Error(diff)
	}
}
