package sessionmem_test

import (
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/storetest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var (
	must      = filetest.Must
	readFile  = filetest.Read
	writeFile = filetest.Write

	openStore   = storetest.Open
	mustAppend  = storetest.Append
	user        = storetest.User
	assistant   = storetest.Assistant
	ago         = storetest.Ago
	texts       = storetest.Texts
	names       = storetest.Names
	onlyFile    = storetest.OnlyFile
	mustArchive = storetest.Archive

	global = memory.Target{Kind: memory.TargetGlobal}

	// equalBlocks compares blocks, and times as instants.
	equalBlocks = cmp.Options{cmpopts.EquateEmpty()}

	stamp = time.Date(2026, 11, 21, 10, 15, 2, 0, time.FixedZone("", 3600))
)

const stampText = "2026-11-21T10:15:02+01:00"

// remember appends a lesson.
func remember(t *testing.T, m *memory.Memory, text string) {
	t.Helper()
	_, err := m.Append(t.Context(), memory.Lesson{Text: text, Target: global, Session: "cpu-k3x9qa"})
	must(t, err)
}
