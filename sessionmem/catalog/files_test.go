package catalog_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// The files of sessions are found by folder entries alone: parts, copies and older files, in the
// archive too, but never those of a private session.
func TestFilesOfSessions(t *testing.T) {
	root := t.TempDir()
	s := openLimited(t, root, storetest.PartLimit)
	threeParts(t, s)
	mustAppend(t, s, "cli-old", storetest.Ago(2*storetest.Month, "x"))
	storetest.Archive(t, s, sessionmem.ArchiveRule{After: 50 * 24 * time.Hour})
	mustAppend(t, s, "cli-b", user("x"))
	s.SetPrivate("cli-p")
	dir := filepath.Join(root, transcript.SessionDir)
	parts := onlyParts(t, root, "cpu-a")
	writeFile(t, filepath.Join(dir, strings.TrimSuffix(parts[0], ".md")+" copy.md"), readFile(t, filepath.Join(dir, parts[0])))
	older, private := transcript.FileName("cli-b", time.Now().AddDate(-1, 0, 0), "older"), transcript.FileName("cli-p", time.Now(), "x")
	writeFile(t, filepath.Join(dir, older), "## User\n\nolder\n")
	writeFile(t, filepath.Join(dir, private), "## User\n\nx\n")
	must(t, os.Mkdir(filepath.Join(dir, transcript.FileName("cli-folder", time.Now(), "x")), 0o700))

	all, err := s.Catalog().Files(t.Context())
	must(t, err)
	got := map[string]string{}
	for _, f := range all {
		for _, state := range f.Files {
			fi, err := os.Stat(filepath.Join(dir, state.File))
			now, ok := s.Catalog().State(state.File)
			if err != nil || state.Size != fi.Size() || !ok || now != state {
				t.Errorf("%s: %+v, now %+v, %v, %v", state.File, state, now, ok, err)
			}
		}
		source, _, _ := strings.Cut(f.Session, "-")
		got[f.Session] += fmt.Sprintf("%d older %v copy %v;", len(f.Files), f.Older, f.Copy)
		if f.Source != source {
			t.Errorf("%s comes from %s", f.Session, f.Source)
		}
	}
	want := map[string]string{"cpu-a": "3 older false copy false;1 older true copy true;", "cli-b": "1 older false copy false;1 older true copy false;", "cli-old": "1 older false copy false;"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, file := range []string{"none.md", "archive", "../x"} {
		if _, ok := s.Catalog().State(file); ok {
			t.Errorf("%s is a file", file)
		}
	}
	memory, err := sessionmem.Open(sessionmem.Config{InMemoryOnly: true})
	must(t, err)
	if _, ok := memory.Catalog().State("x.md"); ok {
		t.Error("a store in memory has a file")
	}
	if all, err := memory.Catalog().Files(t.Context()); len(all) != 0 || err != nil || memory.Catalog().Titles("cpu-a") != nil {
		t.Errorf("a store in memory has %v, %v", all, err)
	}
}

// onlyParts returns the names of a session's files.
func onlyParts(t *testing.T, root, name string) []string {
	t.Helper()
	return slices.DeleteFunc(transcripts(t, root), func(file string) bool { return transcript.ParseFileName(file).Session != name })
}

// A list entry leads to the files it was made from, or to none if they changed.
func TestFilesOfAListEntry(t *testing.T) {
	root := t.TempDir()
	s := openLimited(t, root, storetest.PartLimit)
	threeParts(t, s)
	c := s.Catalog()
	info := onlyInfo(t, s)
	files, err := c.OfInfo(info)
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	if again := c.Info(files); again.Title != info.Title || again.Messages != 6 || !again.Active.Equal(info.Active) {
		t.Errorf("%+v, listed was %+v", again, info)
	}
	if title, own := c.Title(files); title != info.Title || !own {
		t.Errorf("its title is %q, %v", title, own)
	}
	must(t, os.Rename(info.Path, info.Path+".away"))
	if files, err := c.OfInfo(info); !errors.Is(err, sessiondir.ErrReplaced) {
		t.Errorf("the last is away: %v, %v", files, err)
	}
	for _, p := range info.Parts[:2] {
		must(t, os.Remove(p))
	}
	if files, err := c.OfInfo(info); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("all are gone: %v, %v", files, err)
	}
}

// The titles that files have in their front matter are found whatever the blocks say.
func TestTitlesInFrontMatter(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cpu-a", user("Tea time"))
	must(t, s.SetTitle(t.Context(), "cpu-a", "Another"))
	path := onlyFile(t, root)
	writeFile(t, strings.TrimSuffix(path, ".md")+" copy.md", "\xef\xbb\xbf---\nformat: mac-stats-session/1\ntitle: Copied\n---\n")
	writeFile(t, strings.TrimSuffix(path, ".md")+" (3).md", "no front matter")
	must(t, os.Mkdir(strings.TrimSuffix(path, ".md")+" (4).md", 0o700))
	titles := s.Catalog().Titles("cpu-a")
	slices.Sort(titles)
	if diff := cmp.Diff([]string{"Another", "Copied"}, titles); diff != "" {
		t.Error(diff)
	}
}

// All files of a session are opened, or none.
func TestOpeningTheFilesOfASession(t *testing.T) {
	root := t.TempDir()
	s := openLimited(t, root, storetest.PartLimit)
	written := threeParts(t, s)
	c := s.Catalog()
	parts, err := c.OpenParts("cpu-a")
	must(t, err)
	defer catalog.Close(parts)
	info, front, err := c.Scan(parts)
	if err != nil || info.Messages != 6 || len(info.Parts) != 3 || transcript.FrontValue(front, "session") != "cpu-a" {
		t.Errorf("%+v, %v:\n%s", info, err, front)
	}
	mustAppend(t, s, "cpu-a", user("later"))
	text, err := io.ReadAll(parts[2].Reader())
	if err != nil || strings.Contains(string(text), "later") || !strings.Contains(string(text), written[5].ID) {
		t.Errorf("the last part, as it was: %v\n%s", err, text)
	}
	second := onlyParts(t, root, "cpu-a")[1]
	path := filepath.Join(root, transcript.SessionDir, second)
	must(t, os.Rename(path, path+".away"))
	must(t, os.Mkdir(path, 0o700))
	files, err := c.Parts("cpu-a")
	must(t, err)
	if _, err := c.OpenParts("cpu-a"); !errors.Is(err, transcript.ErrNotFile) {
		t.Errorf("a folder in place of a part: %v", err)
	}
	if _, err := c.Load(files); !errors.Is(err, transcript.ErrNotFile) {
		t.Errorf("loading it: %v", err)
	}
	must(t, os.Remove(path))
	if _, err := c.Load(files); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a part is gone: %v", err)
	}
	if _, err := c.OpenParts("cpu-none"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("a session that isn't there: %v", err)
	}
}

// A transcript anywhere is read by its path, named by its front matter if its name names no
// session. Nothing is read before it is clean.
func TestTranscriptsReadByTheirPath(t *testing.T) {
	c := openStore(t, t.TempDir()).Catalog()
	dir := t.TempDir()
	for file, text := range map[string]string{
		"notes.md": "---\nformat: mac-stats-session/1\nsession: cli-b\n---\n\n## User · 2026-01-01T00:00:00Z\n\nhi\n",
		"todo.md":  "---\nsession: cli-b\n---\n\n## User\n\nhi\n",
		"session-memory-cli-a-20260102-030405-x.md": "---\nformat: mac-stats-session/1\nsession: cli-b\n---\n\n## User · 2026-01-01T00:00:00Z\n\nhi\n",
	} {
		writeFile(t, filepath.Join(dir, file), text)
	}
	clean := func(string) error { return nil }
	for file, want := range map[string]string{"notes.md": "cli-b", "todo.md": "todo", "session-memory-cli-a-20260102-030405-x.md": "cli-a"} {
		tr, err := c.ReadPath(filepath.Join(dir, file), clean)
		if err != nil || tr.Info.Name != want || len(tr.Blocks) != 1 || tr.Info.Path != filepath.Join(dir, file) {
			t.Errorf("%s: %+v, %v", file, tr, err)
		}
	}
	dirty := errors.New("it holds what was forgotten")
	for name, err := range map[string]error{
		"a folder": second(c.ReadPath(dir, clean)), "nothing": second(c.ReadPath(filepath.Join(dir, "none.md"), clean)),
		"a file that can't be cleaned": second(c.ReadPath(filepath.Join(dir, "notes.md"), func(string) error { return dirty })),
	} {
		if err == nil || !strings.Contains(err.Error(), "reading a transcript") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each deletion has a folder, of which only what Delete moved there counts.
func TestTrashOfTheFolder(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	c := s.Catalog()
	if all, err := c.Trash(); len(all) != 0 || err != nil {
		t.Errorf("before anything was deleted: %v, %v", all, err)
	}
	trash := filepath.Join(root, transcript.SessionDir, catalog.TrashDir)
	attached := strings.Repeat("0a", 32) + "-2.txt"
	for _, file := range []string{"a.md", "archive/2026-01/b.md", "files/" + attached, "files/notes.txt", "c.md/inside.md", "d.txt"} {
		writeFile(t, filepath.Join(trash, "20260102-030405.678.cpu-a", file), "x")
	}
	for _, name := range []string{"20260101-030405.678.cpu-b", "20269999-030405.678.cpu-c", "20260102-030405.678", "mine", "20260103-030405.678-cpu-d"} {
		must(t, os.MkdirAll(filepath.Join(trash, name), 0o700))
	}
	all, err := c.Trash()
	want := []catalog.Trashed{{".trash/20260101-030405.678.cpu-b", "20260101-030405.678", "cpu-b"}, {".trash/20260102-030405.678.cpu-a", "20260102-030405.678", "cpu-a"}}
	if diff := cmp.Diff(want, all); diff != "" || err != nil {
		t.Fatal(err, diff)
	}
	files, err := c.TrashedFiles(all[1])
	if diff := cmp.Diff([]string{"a.md", "archive/2026-01/b.md", "c.md", "files/" + attached}, files); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if _, err := c.TrashedFiles(catalog.Trashed{Dir: ".trash/none"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a deletion that is gone: %v", err)
	}
	for name, want := range map[string]bool{attached: true, "notes.txt": false, strings.ToUpper(attached): false, attached + ".tmp": false} {
		if catalog.IsAttachmentName(name) != want || catalog.IsAttachment("files/"+name) != want || catalog.IsAttachment("x/"+name) || catalog.IsAttachment(name) {
			t.Errorf("%s is an attachment: %v", name, !want)
		}
	}
}
