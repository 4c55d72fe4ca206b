package sessionmem

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/memory"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var (
	must      = filetest.Must
	readFile  = filetest.Read
	writeFile = filetest.Write

	global = memory.Target{Kind: memory.TargetGlobal}

	// equalBlocks compares blocks, and times as instants.
	equalBlocks = cmp.Options{cmpopts.EquateEmpty()}

	stamp = time.Date(2026, 11, 21, 10, 15, 2, 0, time.FixedZone("", 3600))
)

// waitForGlob waits until a file matches the pattern.
func waitForGlob(t *testing.T, pattern string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if files, err := filepath.Glob(pattern); err != nil || len(files) > 0 {
			must(t, err)
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("there is no %s", pattern)
		}
	}
}

const stampText = "2026-11-21T10:15:02+01:00"

// remember appends a lesson and returns the file's text with the date as DATE.
func remember(t *testing.T, m *memory.Memory, text string) string {
	t.Helper()
	_, err := m.Append(t.Context(), memory.Lesson{Text: text, Target: global, Session: "cpu-k3x9qa"})
	must(t, err)
	return strings.ReplaceAll(readFile(t, m.Path(global)), time.Now().Format(time.DateOnly), "DATE")
}

// propose adds a proposal to the inbox, where it must fit.
func propose(t *testing.T, m *memory.Memory, p memory.Proposal) memory.Proposal {
	t.Helper()
	out, err := m.Propose(t.Context(), p)
	must(t, err)
	return out
}

func checkSameAfterRestart(t *testing.T, s *Store, root string) {
	t.Helper()
	running, err := s.Context(t.Context(), "cli-a")
	must(t, err)
	fresh, err := openStore(t, root).Context(t.Context(), "cli-a")
	must(t, err)
	if diff := cmp.Diff(running, fresh, equalBlocks); diff != "" {
		t.Errorf("a restart gives another context:\n%s", diff)
	}
}
