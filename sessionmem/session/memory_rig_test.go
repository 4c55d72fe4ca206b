package session_test

import (
	"strings"
	"testing"

	"mac-stats/sessionmem/memory"
)

var global = memory.Target{Kind: memory.TargetGlobal}

// propose adds a proposal to the inbox, where it must fit.
func propose(t *testing.T, m *memory.Memory, p memory.Proposal) memory.Proposal {
	t.Helper()
	out, err := m.Propose(t.Context(), p)
	must(t, err)
	return out
}

func bulletTexts(t testing.TB, m *memory.Memory) string {
	t.Helper()
	f, err := m.Load(global)
	must(t, err)
	var texts []string
	for _, b := range f.Bullets {
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, "|")
}
