package compact

import (
	"testing"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/storetest"
)

var (
	must       = filetest.Must
	readFile   = filetest.Read
	writeFile  = filetest.Write
	mustAppend = storetest.Append

	global = memory.Target{Kind: memory.TargetGlobal}
)

// Tools: the result of one is the program's own words, the other passes on a stranger's.
const (
	ownTool       = "SYSTEM_STATS"
	strangersTool = "FETCH_URL"
)

// undoes undoes a change of a memory.
func undoes(t *testing.T, m *memory.Memory, id string) {
	t.Helper()
	_, err := m.Undo(t.Context(), id)
	must(t, err)
}

func second[T any](_ T, err error) error { return err }
