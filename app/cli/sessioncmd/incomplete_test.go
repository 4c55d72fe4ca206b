package sessioncmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/app/cli/clitest"
)

// What a folder lacks that was restored only in part is told, with what can be done.
func TestAHalfRestoredFolder(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do   func(t *testing.T, e *clitest.Env)
		says string // "" for nothing
	}{
		"whole":      {func(*testing.T, *clitest.Env) {}, ""},
		"journals":   {removes("session/*.md"), "2 sessions have no transcript any more, only a journal: cli-a, cli-b. If they weren't deleted on purpose, copy"},
		"one of two": {removes("session/*cli-a*.md"), "1 session has no transcript any more, only a journal: cli-a."},
		"archived": {func(t *testing.T, e *clitest.Env) {
			files, _ := filepath.Glob(filepath.Join(e.Home, "session", "*cli-a*.md"))
			if err := os.MkdirAll(filepath.Join(e.Home, "session", "archive", "2026-11"), 0o700); err != nil || len(files) != 1 {
				t.Fatal(err, files)
			}
			if err := os.Rename(files[0], filepath.Join(e.Home, "session", "archive", "2026-11", filepath.Base(files[0]))); err != nil {
				t.Fatal(err)
			}
		}, ""},
		"a second part alone": {func(t *testing.T, e *clitest.Env) {
			e.Write(t, "session/session-memory-cli-long-20261121-101500-hello.part2.md", "---\nformat: mac-stats-session/1\nsession: cli-long\nsource: cli\nstarted: 2026-11-21T10:15:00Z\npart: 2\n---\n\n## User · 2026-11-21T10:15:02Z\n<!-- id=z1 -->\n\nhello\n")
		}, "1 session begins with a later part: cli-long. Copy the earlier files back"},
		"the key": {func(t *testing.T, e *clitest.Env) {
			e.Must(t, "memory", "forget", "--text", "orange", "--yes")
			removes("forgotten.key")(t, e)
		}, "forgotten.key is missing or lacks a key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := clitest.New(t, clitest.Answering("ok"))
			e.Must(t, "ask", "--session", "a", "about an orange")
			e.Must(t, "ask", "--session", "b", "about a plum")
			tt.do(t, e)
			o := e.Run(t, "sessions", "list")
			if o.Code != clitest.Done || tt.says == "" && o.Stderr != "" || !strings.Contains(o.Stderr, tt.says) {
				t.Errorf("the list: %+v", o)
			}
			if o := e.Run(t, "doctor"); tt.says != "" && !strings.Contains(o.Stdout, strings.SplitAfter(tt.says, ".")[0]) || tt.says == "" && strings.Contains(o.Stdout, "complete") {
				t.Errorf("doctor: %+v", o)
			}
		})
	}
}

// removes removes the files that match.
func removes(pattern string) func(t *testing.T, e *clitest.Env) {
	return func(t *testing.T, e *clitest.Env) {
		files, err := filepath.Glob(filepath.Join(e.Home, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, f := range files {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
	}
}
