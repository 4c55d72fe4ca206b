package catalog_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// Among the files of a session's name one is the session, whatever the others are called and
// wherever they are.
func TestWhichFileIsTheSession(t *testing.T) {
	const (
		mine  = "session-memory-cli-a-20261122-101500-tea-time.md"
		front = "---\nformat: mac-stats-session/1\nsession: cli-a\nsource: cli\nstarted: 2026-11-22T10:15:00Z\ntitle: Tea time\n---\n"
		block = "\n## User · 2026-11-22T10:15:00Z\n<!-- id=a -->\n\nTea time\n"
		text  = front + block
	)
	retitled := strings.Replace(text, "title: Tea time", "title: Something else", 1)
	other := strings.Replace(text, "2026-11-22T10:15:00Z", "2026-11-20T09:00:00Z", 1)
	for name, tc := range map[string]struct {
		files  map[string]string
		want   string   // the session's file; "" if there is none
		copies []string // the others that are copies
	}{
		"alone":                                 {files: map[string]string{mine: text}, want: mine},
		"beside copies of copies":               {files: map[string]string{mine: text, cutEnd(mine) + " copy.md": text, cutEnd(mine) + " copy 2.md": text}, want: mine, copies: []string{cutEnd(mine) + " copy 2.md", cutEnd(mine) + " copy.md"}},
		"a copy whose name begins otherwise":    {files: map[string]string{mine: text, "Copy of " + mine: text}, want: mine, copies: []string{"Copy of " + mine}},
		"a copy in the archive's place":         {files: map[string]string{"archive/2026-11/" + mine: text, cutEnd(mine) + "-backup.md": text}, want: "archive/2026-11/" + mine, copies: []string{cutEnd(mine) + "-backup.md"}},
		"the same name in the archive":          {files: map[string]string{mine: text, "archive/2026-11/" + mine: text}, want: mine, copies: []string{"archive/2026-11/" + mine}},
		"a copy with a later time in its name":  {files: map[string]string{mine: text, "session-memory-cli-a-20261201-000000-tea-time.md": text}, want: mine, copies: []string{"session-memory-cli-a-20261201-000000-tea-time.md"}},
		"a copy with another topic":             {files: map[string]string{mine: text, "session-memory-cli-a-20261122-101500-zebra.md": text}, want: mine, copies: []string{"session-memory-cli-a-20261122-101500-zebra.md"}},
		"a copy of another session":             {files: map[string]string{mine: text, "session-memory-cli-a-20261130-101500-x.md": strings.Replace(text, "session: cli-a", "session: cli-b", 1)}, want: mine, copies: []string{"session-memory-cli-a-20261130-101500-x.md"}},
		"a title that was edited by hand":       {files: map[string]string{mine: retitled, cutEnd(mine) + "-2.md": text}, want: mine, copies: []string{cutEnd(mine) + "-2.md"}},
		"a copy of a later part":                {files: map[string]string{mine: text, cutEnd(mine) + ".part2.md": other, cutEnd(mine) + ".part2 copy.md": other}, want: cutEnd(mine) + ".part2.md", copies: []string{cutEnd(mine) + ".part2 copy.md"}},
		"renamed by hand":                       {files: map[string]string{"session-memory-cli-a-20261122-101500-My notes.md": text}, want: "session-memory-cli-a-20261122-101500-My notes.md"},
		"renamed by hand, the name goes on":     {files: map[string]string{cutEnd(mine) + "-and-more.md": text}, want: cutEnd(mine) + "-and-more.md"},
		"a copy whose original is gone":         {files: map[string]string{cutEnd(mine) + " (1).md": text}, copies: []string{cutEnd(mine) + " (1).md"}},
		"an older file of the name":             {files: map[string]string{mine: text, "session-memory-cli-a-20261120-090000-tea-time.md": other}, want: mine},
		"files of the Rust app":                 {files: map[string]string{"session-memory-cli-a-20261122-101500-v1.2 notes.md": "## User\n\nhi\n"}, want: "session-memory-cli-a-20261122-101500-v1.2 notes.md"},
		"a copy of a file of the Rust app":      {files: map[string]string{"session-memory-cli-a-20261122-101500-notes.md": "## User\n\nhi\n", "session-memory-cli-a-20261122-101500-notes (copy).md": "## User\n\nhi\n"}, want: "session-memory-cli-a-20261122-101500-notes.md", copies: []string{"session-memory-cli-a-20261122-101500-notes (copy).md"}},
		"a copy of a file without a topic":      {files: map[string]string{"session-memory-cli-a-20261122-101500.md": "## User\n\nhi\n", "session-memory-cli-a-20261122-101500 copy.md": "## User\n\nhi\n"}, want: "session-memory-cli-a-20261122-101500.md", copies: []string{"session-memory-cli-a-20261122-101500 copy.md"}},
		"renamed freely":                        {files: map[string]string{"Meine Notizen.md": text}, want: "Meine Notizen.md"},
		"renamed freely, in the archive":        {files: map[string]string{"archive/2026-11/Meine Notizen.md": text}, want: "archive/2026-11/Meine Notizen.md"},
		"renamed to the session's bare name":    {files: map[string]string{"cli-a.md": text}, want: "cli-a.md"},
		"renamed to another session's name":     {files: map[string]string{"cli-b.md": text}, want: "cli-b.md"},
		"renamed on Windows":                    {files: map[string]string{"Meine Notizen.md": "\xef\xbb\xbf" + strings.ReplaceAll(text, "\n", "\r\n")}, want: "Meine Notizen.md"},
		"both parts renamed":                    {files: map[string]string{"notes.md": text, "notes.part2.md": strings.Replace(other, "---\n\n", "part: 2\n---\n\n", 1)}, want: "notes.part2.md"},
		"copies with names of their own":        {files: map[string]string{mine: text, "backup.md": text, "cli-a.md": text, "archive/2026-11/backup.md": text}, want: mine, copies: []string{"archive/2026-11/backup.md", "backup.md", "cli-a.md"}},
		"renamed, then copied":                  {files: map[string]string{"notes.md": text, "notes copy.md": text, "backup of notes.md": text}, want: "notes.md", copies: []string{"backup of notes.md", "notes copy.md"}},
		"renamed beside an older copy":          {files: map[string]string{"notes.md": text, cutEnd(mine) + " (1).md": text}, want: "notes.md", copies: []string{cutEnd(mine) + " (1).md"}},
		"two that nothing tells apart":          {files: map[string]string{"apples.md": text, "bananas.md": text}, copies: []string{"apples.md", "bananas.md"}},
		"a note that names a session":           {files: map[string]string{mine: text, "todo.md": "---\nsession: cli-a\n---\n\n## User\n\nhi\n"}, want: mine},
		"a conflict on two machines, in German": {files: map[string]string{mine: text, cutEnd(mine) + " (In Konflikt stehende Kopie von Anna 2026-11-22).md": text}, want: mine, copies: []string{cutEnd(mine) + " (In Konflikt stehende Kopie von Anna 2026-11-22).md"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			before := map[string]string{}
			for file, text := range tc.files {
				path := filepath.Join(root, transcript.SessionDir, filepath.FromSlash(file))
				must(t, os.MkdirAll(filepath.Dir(path), 0o700))
				writeFile(t, path, text)
				before[path] = text
			}
			s := openStore(t, root)
			got, err := s.Catalog().Locate("cli-a")
			if got != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("the session is %q, %v; want %q", got, err, tc.want)
			}
			for range 2 { // from the files, and from the cache
				var copies []string
				list, err := s.List(t.Context())
				must(t, err)
				for _, info := range list {
					if info.Copy {
						copies = append(copies, below(root, info.Path))
					}
				}
				slices.Sort(copies)
				if diff := cmp.Diff(tc.copies, copies); diff != "" {
					t.Errorf("the copies (-want +got):\n%s", diff)
				}
			}
			mustAppend(t, s, "cli-a", user("next"))
			for path, text := range before {
				rel := below(root, path)
				if now, err := os.ReadFile(path); rel != tc.want && (err != nil || string(now) != text) {
					t.Errorf("%s was written to: %v\n%s", rel, err, now)
				}
			}
		})
	}
}

// A session whose file is renamed while the app runs continues in it: nothing is lost or
// duplicated.
func TestFileRenamedWhileItsSessionIsOpen(t *testing.T) {
	root := t.TempDir()
	s, other := openStore(t, root), openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	mustAppend(t, other, "cli-a", assistant("two"))
	file := filepath.Join(root, transcript.SessionDir, "My tea.md")
	must(t, os.Rename(onlyFile(t, root), file))
	mustAppend(t, s, "cli-a", user("three"))
	mustAppend(t, other, "cli-a", assistant("four"))
	if got := onlyFile(t, root); got != file {
		t.Errorf("the file is %s", got)
	}
	for _, store := range []*sessionmem.Store{s, other, openStore(t, root)} {
		if diff := cmp.Diff([]string{"one", "two", "three", "four"}, texts(t, store, "cli-a")); diff != "" {
			t.Error(diff)
		}
		if removed, err := store.Removed(t.Context(), "cli-a"); removed.Messages != 0 || err != nil {
			t.Errorf("removed are %+v, %v", removed, err)
		}
	}
}

// When a session is deleted, a copy stays a copy, whatever it is called, and the session
// comes back as it was.
func TestCopyOfADeletedSessionStaysACopy(t *testing.T) {
	for _, name := range []string{"backup.md", "tea-backup", " copy", ""} {
		root := t.TempDir()
		s := openStore(t, root)
		mustAppend(t, s, "cli-a", user("tea"))
		original := onlyFile(t, root)
		text := readFile(t, original)
		copied := cutEnd(original) + name + ".md"
		switch name {
		case "": // the session itself has its own name
			copied, original = original, filepath.Join(filepath.Dir(original), "mine.md")
			must(t, os.Rename(copied, original))
			copied = filepath.Join(filepath.Dir(original), "mine copy.md")
		case "backup.md":
			copied = filepath.Join(filepath.Dir(original), name)
		}
		writeFile(t, copied, text)
		must(t, s.Delete(t.Context(), "cli-a"))
		for _, store := range []*sessionmem.Store{s, openStore(t, root)} {
			list, err := store.List(t.Context())
			if err != nil || len(list) != 1 || !list[0].Copy || list[0].Path != copied {
				t.Errorf("%s: the list is %+v, %v", copied, list, err)
			}
			if got := texts(t, store, "cli-a"); got != nil {
				t.Errorf("%s: its context is %q", copied, got)
			}
		}
		if back, err := s.Undelete(t.Context(), "cli-a"); back != "cli-a" || err != nil {
			t.Errorf("%s: came back as %q, %v", copied, back, err)
		}
		mustAppend(t, s, "cli-a", assistant("hot"))
		if got := readFile(t, original); !strings.HasPrefix(got, text) || !strings.Contains(got, "hot") {
			t.Errorf("beside %s the session is\n%s", copied, got)
		}
		if got := readFile(t, copied); got != text {
			t.Errorf("%s was written to:\n%s", copied, got)
		}
	}
}

func cutEnd(file string) string { return strings.TrimSuffix(file, transcript.FileSuffix) }

// below returns a path relative to the session folder.
func below(root, path string) string {
	rel, err := filepath.Rel(filepath.Join(root, transcript.SessionDir), path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}
