package sessionmem

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A command that has ended by then holds nothing of what an editor's late save drops.
func TestALateSaveDropsNothingOfAProgramThatEnded(t *testing.T) {
	root := t.TempDir()
	app := openStore(t, root)
	mustAppend(t, app, "cli-a", user("one"))
	path := onlyFile(t, root)
	before := readFile(t, path)
	command := openStore(t, root)
	mustAppend(t, command, "cli-a", user("two"))
	mustAppend(t, command, "cli-a", assistant("three"))
	must(t, command.Close())
	writeFile(t, path, before) // an editor that had read it before

	for _, next := range []string{"four", "five"} {
		later := openStore(t, root)
		mustAppend(t, later, "cli-a", user(next))
		must(t, later.Close())
	}
	want := []string{"one", "two", "three", "four", "five"}
	for name, s := range map[string]*Store{"the app": app, "a new program": openStore(t, root)} {
		if diff := cmp.Diff(want, toldOf(t, s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if n := strings.Count(readFile(t, path), "note=restored"); n != 1 {
		t.Errorf("put back %d times, want once", n)
	}
}

func TestWhatIsDeletedTwiceStaysDeleted(t *testing.T) {
	root := t.TempDir()
	mustAppend(t, openStore(t, root), "cli-a", user("one"))
	path := onlyFile(t, root)
	before := readFile(t, path)
	mustAppend(t, openStore(t, root), "cli-a", user("two"))
	for range 2 {
		writeFile(t, path, before)
		mustAppend(t, openStore(t, root), "cli-a", user("three"))
	}
	if got := toldOf(t, openStore(t, root)); len(got) == 0 || strings.Count(strings.Join(got, " "), "two") != 0 {
		t.Errorf("told %q", got)
	}
}

// The drop counts from the save on, however late the next message comes.
func TestALateSaveIsMendedHoursAfter(t *testing.T) {
	root := t.TempDir()
	mustAppend(t, openStore(t, root), "cli-a", user("one"))
	path := onlyFile(t, root)
	before := readFile(t, path)
	mustAppend(t, openStore(t, root), "cli-a", user("two"))
	noted := filepath.Join(root, sessionDir, recentFile("cli-a"))
	text := readFile(t, noted)
	hours := time.Now().Add(-5 * time.Hour)
	for _, tc := range []struct {
		name  string
		saved time.Time
		want  []string
	}{
		{"saved soon after", hours.Add(10 * time.Minute), []string{"one", "two", "three"}},
		{"deleted long after", hours.Add(2 * time.Hour), []string{"one", "three"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			writeFile(t, path, before)
			must(t, os.Chtimes(path, tc.saved, tc.saved))
			writeFile(t, noted, replaceSeen(t, text, hours))
			mustAppend(t, openStore(t, root), "cli-a", user("three"))
			if diff := cmp.Diff(tc.want, toldOf(t, openStore(t, root))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// replaceSeen gives the noted blocks another time.
func replaceSeen(t *testing.T, text string, seen time.Time) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(text) {
		_, rest, ok := strings.Cut(line, ",")
		if !ok {
			t.Fatalf("the line %q", line)
		}
		out.WriteString(`{"Seen":"` + seen.Format(time.RFC3339Nano) + `",` + rest)
	}
	return out.String()
}

func TestNotedBlocksGo(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	noted := filepath.Join(root, sessionDir, recentFile("cli-a"))
	old := time.Now().Add(-2 * recentKept)

	writeFile(t, noted, replaceSeen(t, readFile(t, noted), old)+strings.Repeat(" ", recentSize)+"\n{half a line\n")
	mustAppend(t, s, "cli-a", user("two"))
	if text := readFile(t, noted); strings.Count(text, "\n") != 1 || !strings.Contains(text, `"Text":"two"`) {
		t.Errorf("what is out of date stays: %d lines", strings.Count(text, "\n"))
	}
	must(t, os.Chtimes(noted, old, old))
	must(t, s.RecoverAll(t.Context()))
	if _, err := os.Stat(noted); !os.IsNotExist(err) {
		t.Errorf("after a day it is still there: %v", err)
	}
	mustAppend(t, s, "cli-a", user("three"))
	must(t, s.Delete(t.Context(), "cli-a"))
	if _, err := os.Stat(noted); !os.IsNotExist(err) {
		t.Errorf("it outlives its session: %v", err)
	}
	private := openStore(t, root)
	private.SetPrivate("cpu-p")
	mustAppend(t, private, "cpu-p", user("hush"))
	if _, err := os.Stat(filepath.Join(root, sessionDir, recentFile("cpu-p"))); !os.IsNotExist(err) {
		t.Errorf("a private chat is noted: %v", err)
	}
}
