package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func TestListShowsEveryFile(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, transcript.SessionDir)
	s := openStore(t, root)
	mustAppend(t, s, "cpu-a", user("mine"))
	writeFile(t, filepath.Join(dir, "session-memory-fan-noise-1234567890-20260101-101500.md"), "## User\n\nolder form\n\n## Assistant\n\nyes\n")
	writeFile(t, filepath.Join(dir, "session-memory-9876543210-20260102-101500-cooking.md"), "## User\n\nRust form\n")
	writeFile(t, filepath.Join(dir, "session-memory-cli-junk-20260103-101500-x.md"), "\x00\xff\xfe junk")
	writeFile(t, filepath.Join(dir, "session-memory-cli-new-20260104-101500-x.md"), "---\nformat: mac-stats-session/2\nsession: cli-new\n---\n\n## User · 2026-11-21T10:15:02+01:00\n<!-- id=1 -->\n\nnewer\n")
	writeFile(t, filepath.Join(dir, "notes.md"), "## User\n\nby hand\n")
	writeFile(t, filepath.Join(dir, "session-memory-cli-folder-20260105-101500-x.md", "inside"), "x")
	outside := filepath.Join(root, "secret.md")
	writeFile(t, outside, "## User\n\nsecret\n")
	if err := os.Symlink(outside, filepath.Join(dir, "session-memory-cli-link-20260106-101500-x.md")); err != nil {
		t.Fatal(err)
	}
	infos, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		source, title string
		messages      int
		readOnly, bad bool
	}
	got := map[string]line{}
	for _, i := range infos {
		got[i.Name] = line{i.Source, i.Title, i.Messages, i.ReadOnly, i.Err != nil}
	}
	want := map[string]line{
		"cpu-a":      {"cpu", "mine", 1, false, false},
		"1234567890": {"discord", "older form", 2, false, false},
		"9876543210": {"discord", "Rust form", 1, false, false},
		"cli-junk":   {"cli", "x", 0, false, false},
		"cli-new":    {"cli", "newer", 1, true, false},
		"notes":      {"", "by hand", 1, false, false},
		"cli-folder": {"cli", "x", 0, false, true},
		"cli-link":   {"cli", "x", 0, false, true},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(line{})); diff != "" {
		t.Error(diff)
	}
	for i := 1; i < len(infos); i++ {
		if infos[i].Active.After(infos[i-1].Active) {
			t.Errorf("%s is listed after %s but was active later", infos[i].Name, infos[i-1].Name)
		}
	}
	tr, err := s.Load(t.Context(), "cli-junk")
	if err != nil || len(tr.Blocks) != 1 || tr.Blocks[0].Kind != transcript.KindText {
		t.Errorf("junk: %+v, %v", tr, err)
	}
}

func TestUnreadableArchiveHidesNothingElse(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cpu-a", user("hello"))
	if err := os.WriteFile(filepath.Join(root, transcript.SessionDir, catalog.ArchiveDir), []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := s.List(t.Context())
	if diff := cmp.Diff([]string{"cpu-a"}, storetest.Names(list)); diff != "" || err != nil {
		t.Error(diff, err)
	}
	mustAppend(t, openStore(t, root), "cpu-a", user("again"))
	if got := texts(t, s, "cpu-a"); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

func TestListShowsTheLastAgent(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	open := func() *sessionmem.Store {
		s, err := sessionmem.Open(sessionmem.Config{Root: root, CacheDir: cache, MaxFileBytes: func() int64 { return 500 }})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	mustAppend(t, s, "cpu-a", user("q"))
	if got := onlyInfo(t, s).Agent; got != "" {
		t.Errorf("without an answer it is %q", got)
	}
	// given answers of two agents, and work of a third for one of them
	threeParts(t, s)
	mustAppend(t, s, "cpu-a", transcript.Block{Kind: transcript.KindAssistant, Agent: "coder", Text: "a"})
	mustAppend(t, s, "cpu-a", transcript.Block{Kind: transcript.KindAgent, Agent: "doctor", Text: "b"})
	mustAppend(t, s, "cpu-a", user("the last word"))
	if got := onlyInfo(t, s); got.Agent != "coder" || len(got.Parts) < 2 {
		t.Errorf("who answered last is %q, in %d parts", got.Agent, len(got.Parts))
	}
	// then a later start knows it too, from the files and from the cache
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open()
		if got := onlyInfo(t, s).Agent; got != "coder" {
			t.Errorf("after a start who answered last is %q", got)
		}
		tr, err := s.LoadFile(filepath.Join(onlyInfo(t, s).Path))
		if err != nil || tr.Info.Agent != "coder" {
			t.Errorf("its file says %q, %v", tr.Info.Agent, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// What a person typed is a session's name, with or without its source; otherwise similar names
// are offered.
func TestNamesThatPeopleType(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	s.SetPrivate("cpu-private")
	for _, name := range []string{"cli-notes", "cpu-private", "discord-notes", "cpu-n1", "cpu-n2", "cpu-n3", "cpu-n4"} {
		mustAppend(t, s, name, user("x"))
	}
	mustAppend(t, s, "cpu-old", storetest.Ago(2*storetest.Month, "x"))
	storetest.Archive(t, s, sessionmem.ArchiveRule{After: storetest.Month})
	for typed, want := range map[string]string{"notes": "cli-notes", "cpu-private": "cpu-private", "discord-notes": "discord-notes", "CPU-OLD": "cpu-old", "Notes": "cli-notes"} {
		if got, err := s.Catalog().Resolve(t.Context(), "cli", typed); got != want || err != nil {
			t.Errorf("%q resolved to %q, %v", typed, got, err)
		}
	}
	for typed, want := range map[string]string{
		"n": "similar names: cli-notes, cpu-n1, cpu-n2, cpu-n3, cpu-n4 and 1 more", "": "sessions list", "zebra": "sessions list", "../x": "sessions list", "ote": "similar names: cli-notes, discord-notes",
	} {
		if got, err := s.Catalog().Resolve(t.Context(), "cli", typed); !errors.Is(err, catalog.ErrNotFound) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q resolved to %q, %v", typed, got, err)
		}
	}
	must(t, s.Delete(t.Context(), "cpu-n1"))
	all, err := s.Catalog().Names()
	if !all["cpu-n1"] || !all["cpu-old"] || all["cpu-private"] || len(all) != 7 || err != nil {
		t.Errorf("all on disk and in the trash: %v, %v", all, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for what, err := range map[string]error{
		"resolving": second(s.Catalog().Resolve(ctx, "cli", "notes")), "listing": second(s.Catalog().List(ctx)), "files": second(s.Catalog().Files(ctx)),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Of a folder that is away nothing is known, which isn't the same as an empty one.
func TestCatalogOfAFolderThatIsAway(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cpu-a", user("x"))
	folder := filepath.Join(root, transcript.SessionDir)
	must(t, os.Rename(folder, folder+".away"))
	c := s.Catalog()
	for what, err := range map[string]error{
		"listing": second(c.List(t.Context())), "files": second(c.Files(t.Context())), "names": second(c.Names()), "entries": second(c.Entries()),
		"resolving": second(c.Resolve(t.Context(), "cpu", "a")), "locating": second(c.Locate("cpu-a")),
	} {
		if err == nil || errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	must(t, os.Rename(folder+".away", folder))
	if file, err := c.Locate("cpu-a"); filepath.Join(folder, file) != onlyFile(t, root) || err != nil {
		t.Errorf("back again it is %s, %v", file, err)
	}
}
