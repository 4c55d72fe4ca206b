package compact

import (
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

var (
	must      = filetest.Must
	readFile  = filetest.Read
	writeFile = filetest.Write

	global = memory.Target{Kind: memory.TargetGlobal}
)

// Tools: the result of one is the program's own words, the other passes on a stranger's.
const (
	ownTool       = "SYSTEM_STATS"
	strangersTool = "FETCH_URL"
)

func mustAppend(t testing.TB, s *sessionmem.Store, name string, b transcript.Block) transcript.Block {
	t.Helper()
	out, err := s.Append(t.Context(), name, b)
	must(t, err)
	return out
}

// undoes undoes a change of a memory.
func undoes(t *testing.T, m *memory.Memory, id string) {
	t.Helper()
	_, err := m.Undo(t.Context(), id)
	must(t, err)
}

func second[T any](_ T, err error) error { return err }
