package session_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func TestFullTranscriptContinuesInAnotherPart(t *testing.T) {
	root := t.TempDir()
	s := openLimited(t, root, storetest.PartLimit)
	want := threeParts(t, s)
	files := transcripts(t, root)
	if len(files) != 3 || !strings.HasSuffix(files[1], ".part2.md") || !strings.HasSuffix(files[2], ".part3.md") {
		t.Fatalf("the files are %v", files)
	}
	for i, f := range files {
		text := readFile(t, filepath.Join(root, transcript.SessionDir, f))
		for _, line := range []string{"format: " + transcript.FormatName, "session: cpu-a", "title: message 0"} {
			if !strings.Contains(text, "\n"+line) {
				t.Errorf("%s has no line %q: %s", f, line, text)
			}
		}
		if got := strings.Contains(text, fmt.Sprintf("\npart: %d\n", i+1)); got != (i > 0) {
			t.Errorf("%s names its part: %v", f, got)
		}
		if n := strings.Count(text, "\n## "); n != 2 {
			t.Errorf("%s holds %d blocks", f, n)
		}
	}
	for name, store := range map[string]*sessionmem.Store{"the store": s, "a restarted one": openLimited(t, root, storetest.PartLimit), "one without a limit": openStore(t, root)} {
		tr := loadOne(t, store, "cpu-a")
		if diff := cmp.Diff(want, tr.Blocks); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		info := onlyInfo(t, store)
		if diff := cmp.Diff(info, tr.Info); diff != "" {
			t.Errorf("%s: list and transcript differ: %s", name, diff)
		}
		if info.Messages != 6 || !info.Started.Equal(want[0].Time) || !info.Active.Equal(want[5].Time) || len(info.Parts) != 3 || filepath.Base(info.Path) != files[2] {
			t.Errorf("%s: listed as %+v", name, info)
		}
		if n := len(texts(t, store, "cpu-a")); n != 6 {
			t.Errorf("%s: %d messages in the context", name, n)
		}
	}
}

func TestBlocksAreNeverSplit(t *testing.T) {
	root := t.TempDir()
	s := openLimited(t, root, 1000)
	long := strings.Repeat("a long line\n", 1000)
	mustAppend(t, s, "cpu-a", user(long))
	mustAppend(t, s, "cpu-a", assistant(long))
	if n := len(transcripts(t, root)); n != 2 {
		t.Errorf("%d files", n)
	}
	for _, b := range loadOne(t, openStore(t, root), "cpu-a").Blocks {
		if b.Text != strings.TrimSpace(long) {
			t.Errorf("a block of %d characters", len(b.Text))
		}
	}
}

// TestPartsAreOneSession plays the same random sequence on a store with tiny parts and on one
// without a limit: what they return is equal after every step.
func TestPartsAreOneSession(t *testing.T) {
	t.Parallel()
	rounds := 3
	if testing.Short() {
		rounds = 1
	}
	for round := range rounds {
		seed := uint64(round) //nolint:gosec // small
		rnd := rand.New(rand.NewPCG(seed, 1))
		roots := [2]string{t.TempDir(), t.TempDir()}
		open := func(i int) *sessionmem.Store { return openLimited(t, roots[i], []int64{400, 0}[i]) }
		stores := [2]*sessionmem.Store{open(0), open(1)}
		at := time.Now().Add(-100 * 24 * time.Hour).Truncate(time.Second)
		for step := range 80 {
			at = at.Add(time.Duration(rnd.IntN(300)-30) * time.Second) // the clock goes back now and then
			act := randomStep(t, rnd, stores[0], step, at)
			for i := range stores {
				if rnd.IntN(10) == 0 {
					stores[i] = open(i)
				}
				if err := act(stores[i]); err != nil {
					t.Fatalf("seed %d, step %d: %v", seed, step, err)
				}
			}
			if diff := cmp.Diff(allOf(t, stores[1]), allOf(t, stores[0])); diff != "" {
				t.Fatalf("seed %d, step %d: -one file +parts\n%s", seed, step, diff)
			}
		}
		if n := len(transcripts(t, roots[0])); n < 5 {
			t.Errorf("seed %d: only %d files", seed, n)
		}
	}
}

// randomStep returns something random to do to a session.
func randomStep(t *testing.T, rnd *rand.Rand, s *sessionmem.Store, step int, at time.Time) func(*sessionmem.Store) error {
	window, err := s.Context(t.Context(), "cpu-a")
	if err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprintf("b%d", step)
	b := transcript.Block{ID: id, Time: at, Kind: transcript.KindUser, Text: fmt.Sprintf("%d %s", step, strings.Repeat("word ", rnd.IntN(60)))}
	appendIt := func(s *sessionmem.Store) error {
		_, err := s.Append(t.Context(), "cpu-a", b)
		return err
	}
	pick := rnd.IntN(20)
	if pick > 6 || len(window.Messages) == 0 {
		b.Kind = []transcript.Kind{transcript.KindUser, transcript.KindAssistant, transcript.KindTool}[rnd.IntN(3)]
		return appendIt
	}
	some := window.Messages[rnd.IntN(len(window.Messages))].ID
	switch pick {
	case 0:
		b.Kind, b.Note, b.Text = transcript.KindNote, transcript.NoteEnded, ""
	case 1:
		b.Kind, b.Note, b.Text = transcript.KindNote, transcript.NoteTitle, fmt.Sprintf("title %d", step)
	case 2:
		b.Kind, b.Note, b.Text = transcript.KindNote, transcript.NoteRewind, some
	case 3, 4:
		b.Kind, b.Through = transcript.KindSummary, some
	case 5: // the same block a second time
		b = window.Messages[len(window.Messages)-1]
	case 6:
		return func(s *sessionmem.Store) error {
			if err := s.Delete(t.Context(), "cpu-a"); err != nil {
				return err
			}
			_, err := s.Undelete(t.Context(), "")
			return err
		}
	}
	return appendIt
}

// allOf returns everything a store says about its session, except its location.
func allOf(t *testing.T, s *sessionmem.Store) any {
	window, err := s.Context(t.Context(), "cpu-a")
	if err != nil {
		t.Fatal(err)
	}
	tr := loadOne(t, s, "cpu-a")
	info := onlyInfo(t, s)
	for _, i := range []*transcript.Info{&info, &tr.Info} {
		i.Path, i.Parts = "", nil
	}
	return struct {
		Context transcript.Context
		Blocks  []transcript.Block
		Infos   [2]transcript.Info
	}{window, tr.Blocks, [2]transcript.Info{info, tr.Info}}
}

func TestTwoProgramsAtTheLimit(t *testing.T) {
	root := t.TempDir()
	stores := []*sessionmem.Store{openLimited(t, root, 600), openLimited(t, root, 600), openStore(t, root)}
	var work sync.WaitGroup
	for i := range 60 {
		work.Go(func() {
			if _, err := stores[i%3].Append(t.Context(), "cpu-a", transcript.Block{ID: fmt.Sprintf("b%d", i), Kind: transcript.KindUser, Text: strings.Repeat("x", 100)}); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if n := len(transcripts(t, root)); n < 5 {
		t.Errorf("only %d parts", n)
	}
	want := loadOne(t, openStore(t, root), "cpu-a").Blocks
	if len(want) != 60 {
		t.Errorf("%d blocks", len(want))
	}
	for i, s := range stores {
		window, err := s.Context(t.Context(), "cpu-a")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, window.Messages); diff != "" {
			t.Errorf("store %d: %s", i, diff)
		}
	}
}

func TestPartLeftEmptyByACrash(t *testing.T) {
	root := t.TempDir()
	s := openLimited(t, root, storetest.PartLimit)
	want := threeParts(t, s)
	files := transcripts(t, root)
	stem := strings.TrimSuffix(files[0], transcript.FileSuffix)
	if err := os.WriteFile(filepath.Join(root, transcript.SessionDir, transcript.PartFile(stem, 4)), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if info := onlyInfo(t, s); info.Messages != 6 || !info.Active.Equal(want[5].Time) {
		t.Errorf("listed as %+v", info)
	}
	for _, store := range []*sessionmem.Store{s, openLimited(t, root, storetest.PartLimit)} {
		want = append(want, mustAppend(t, store, "cpu-a", user("after the crash "+strings.Repeat("x", 100))))
		if diff := cmp.Diff(want, loadOne(t, s, "cpu-a").Blocks); diff != "" {
			t.Error(diff)
		}
	}
	text := readFile(t, filepath.Join(root, transcript.SessionDir, transcript.PartFile(stem, 4)))
	if !strings.HasPrefix(text, transcript.Fence+"\nformat: ") || !strings.Contains(text, "\npart: 4\n") {
		t.Errorf("part 4 begins with %q", text[:min(80, len(text))])
	}
}

func TestFailedPartChangesNothing(t *testing.T) {
	root := t.TempDir()
	s := openLimited(t, root, 100)
	first := mustAppend(t, s, "cpu-a", user("one"))
	path := onlyFile(t, root)
	before, inTheWay := readFile(t, path), strings.TrimSuffix(path, transcript.FileSuffix)+transcript.PartMark+"2"+transcript.FileSuffix
	must(t, os.Mkdir(inTheWay, 0o700))
	if out, err := s.Append(t.Context(), "cpu-a", user("two")); err == nil || !strings.Contains(err.Error(), filepath.Base(inTheWay)) {
		t.Errorf("a folder stands in the place of part 2: %+v, %v", out, err)
	}
	if diff := cmp.Diff(before, readFile(t, path)); diff != "" {
		t.Errorf("part 1 changed: %s", diff)
	}
	must(t, os.Remove(inTheWay))
	second := mustAppend(t, s, "cpu-a", user("two"))
	if diff := cmp.Diff([]transcript.Block{first, second}, loadOne(t, openStore(t, root), "cpu-a").Blocks); diff != "" {
		t.Error(diff)
	}
}

func TestIDsAreUniqueAcrossParts(t *testing.T) {
	s := openLimited(t, t.TempDir(), storetest.PartLimit)
	blocks := threeParts(t, s)
	if _, err := s.Append(t.Context(), "cpu-a", blocks[0]); err != nil {
		t.Errorf("the same block again: %v", err)
	}
	other := blocks[0]
	other.Text = "something else"
	if _, err := s.Append(t.Context(), "cpu-a", other); err == nil || !strings.Contains(err.Error(), "is taken") {
		t.Errorf("another block of that id: %v", err)
	}
	if got := loadOne(t, s, "cpu-a").Blocks; len(got) != 6 {
		t.Errorf("%d blocks", len(got))
	}
}

func TestBlocksWithoutIDsInSeveralParts(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	const text = "---\nformat: mac-stats-session/1\n---\n\n## User · 2026-01-02T03:04:05Z\n\nhello\n"
	for _, f := range []string{"notes.md", "notes.part2.md", "notes.part3.md"} {
		writeFile(t, filepath.Join(root, transcript.SessionDir, f), text)
	}
	tr := loadOne(t, s, "notes")
	base := transcript.DeriveID(transcript.KindUser, "hello")
	var got []string
	for _, b := range tr.Blocks {
		got = append(got, b.ID)
	}
	if diff := cmp.Diff([]string{base, base + "-2", base + "-3"}, got); diff != "" {
		t.Error(diff)
	}
	window, err := s.Context(t.Context(), "notes")
	if diff := cmp.Diff(tr.Blocks, window.Messages); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestDeletingAndArchivingIncludeAllParts(t *testing.T) {
	root := t.TempDir()
	s, other := openLimited(t, root, storetest.PartLimit), openStore(t, root)
	want := threeParts(t, s)
	files := transcripts(t, root)
	if len(texts(t, other, "cpu-a")) != 6 {
		t.Fatal("the other store does not know it")
	}
	if err := s.Delete(t.Context(), "cpu-a"); err != nil {
		t.Fatal(err)
	}
	if left := transcripts(t, root); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := other.Undelete(t.Context(), "cpu-a"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files, transcripts(t, root)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"cpu-a"}, storetest.Archive(t, s, sessionmem.ArchiveRule{After: storetest.Month})); diff != "" {
		t.Error(diff)
	}
	archived, _ := filepath.Glob(filepath.Join(root, transcript.SessionDir, catalog.ArchiveDir, "*", "*.md"))
	if len(archived) != 3 || len(transcripts(t, root)) != 0 {
		t.Errorf("archived: %v", archived)
	}
	for _, store := range []*sessionmem.Store{s, other, openStore(t, root)} {
		if info := onlyInfo(t, store); !info.Archived || info.Messages != 6 {
			t.Errorf("listed as %+v", info)
		}
		if diff := cmp.Diff(want, loadOne(t, store, "cpu-a").Blocks); diff != "" {
			t.Error(diff)
		}
		if len(texts(t, store, "cpu-a")) != 6 {
			t.Error("its context is another")
		}
	}
	want = append(want, mustAppend(t, other, "cpu-a", user("again")))
	if got := transcripts(t, root); len(got) != 3 {
		t.Errorf("brought back: %v", got)
	}
	if diff := cmp.Diff(want, loadOne(t, s, "cpu-a").Blocks); diff != "" {
		t.Error(diff)
	}
}

func TestArchivingInterruptedByACrash(t *testing.T) {
	root := t.TempDir()
	s := openLimited(t, root, storetest.PartLimit)
	want := threeParts(t, s)
	files := transcripts(t, root)
	dir := filepath.Join(root, transcript.SessionDir, catalog.ArchiveDir, want[5].Time.Format("2006-01"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(root, transcript.SessionDir, files[0]), filepath.Join(dir, files[0])); err != nil {
		t.Fatal(err)
	}
	for _, store := range []*sessionmem.Store{s, openStore(t, root)} {
		if info := onlyInfo(t, store); info.Archived {
			t.Error("a part of it is archived, not all")
		}
		if diff := cmp.Diff(want, loadOne(t, store, "cpu-a").Blocks); diff != "" {
			t.Error(diff)
		}
	}
	storetest.Archive(t, s, sessionmem.ArchiveRule{After: storetest.Month})
	if info := onlyInfo(t, s); !info.Archived || len(transcripts(t, root)) != 0 {
		t.Errorf("the next pass leaves %v", transcripts(t, root))
	}
}

func TestEditingEarlierParts(t *testing.T) {
	t.Parallel()
	setUp := func(t *testing.T) (*sessionmem.Store, []string, []transcript.Block) {
		root := t.TempDir()
		s := openLimited(t, root, storetest.PartLimit)
		blocks := threeParts(t, s)
		var files []string
		for _, f := range transcripts(t, root) {
			files = append(files, filepath.Join(root, transcript.SessionDir, f))
		}
		return s, files, blocks
	}
	without := func(t *testing.T, file, id string) string {
		return filetest.WithoutBlock(t, readFile(t, file), id)
	}
	contents := func(t *testing.T, s *sessionmem.Store) []string {
		var out []string
		for _, b := range loadOne(t, s, "cpu-a").Blocks {
			if b.Kind == transcript.KindNote {
				out = append(out, b.Note)
				continue
			}
			out = append(out, strings.TrimRight(b.Text, "x "))
		}
		return out
	}
	t.Run("a block deleted from the middle stays deleted", func(t *testing.T) {
		s, files, blocks := setUp(t)
		renameOver(t, files[0], without(t, files[0], blocks[0].ID))
		mustAppend(t, s, "cpu-a", user("next"))
		want := []string{"message 1", "message 2", "message 3", "message 4", "message 5", "next"}
		if diff := cmp.Diff(want, contents(t, s)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want[:6], trimAll(texts(t, s, "cpu-a"))); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("what was dropped from the end of part 1 is restored there", func(t *testing.T) {
		s, files, blocks := setUp(t)
		renameOver(t, files[0], without(t, files[0], blocks[1].ID))
		mustAppend(t, s, "cpu-a", user("next"))
		if diff := cmp.Diff([]string{"message 0", "message 2", "message 3", "message 4", "message 5", "next"}, contents(t, s)); diff != "" {
			t.Error(diff)
		}
		must(t, second(s.Restore(t.Context(), "cpu-a")))
		if diff := cmp.Diff([]string{"message 0", "message 1", "message 2", "message 3", "message 4", "message 5", "next"}, contents(t, s)); diff != "" {
			t.Error(diff)
		}
		if text := readFile(t, files[0]); !strings.Contains(text, "message 1") {
			t.Errorf("it is in another part:\n%s", text)
		}
	})
	t.Run("a part that is removed by hand stays removed", func(t *testing.T) {
		for gone, want := range [][]string{
			{"message 2", "message 3", "message 4", "message 5", "next"},
			{"message 0", "message 1", "message 4", "message 5", "next"},
			{"message 0", "message 1", "message 2", "message 3", "next"},
		} {
			s, files, _ := setUp(t)
			if err := os.Remove(files[gone]); err != nil {
				t.Fatal(err)
			}
			mustAppend(t, s, "cpu-a", user("next"))
			if diff := cmp.Diff(want, contents(t, s)); diff != "" {
				t.Errorf("without part %d: %s", gone+1, diff)
			}
		}
	})
	t.Run("text added by hand is read", func(t *testing.T) {
		s, files, _ := setUp(t)
		if err := os.WriteFile(files[1], []byte(readFile(t, files[1])+"\nby hand\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := texts(t, s, "cpu-a"); len(got) != 6 || !strings.HasSuffix(got[3], "by hand") {
			t.Errorf("the context is %q", got)
		}
	})
}

func trimAll(all []string) []string {
	var out []string
	for _, s := range all {
		out = append(out, strings.TrimRight(s, "x "))
	}
	return out
}

func TestPartOfANewerFormatIsReadOnly(t *testing.T) {
	root := t.TempDir()
	s := openLimited(t, root, storetest.PartLimit)
	threeParts(t, s)
	second := filepath.Join(root, transcript.SessionDir, transcripts(t, root)[1])
	if err := os.WriteFile(second, []byte(strings.Replace(readFile(t, second), transcript.FormatName, transcript.FormatPrefix+"9", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), "cpu-a", user("next")); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
	if !onlyInfo(t, s).ReadOnly || !loadOne(t, s, "cpu-a").Info.ReadOnly {
		t.Error("it is not shown as read-only")
	}
}
