package sessionmem

import (
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/memory"
)

var (
	must        = filetest.Must
	readFile    = filetest.Read
	writeFile   = filetest.Write
	renameOver  = filetest.Replace
	editorSaves = filetest.EditorSaves

	global = memory.Target{Kind: memory.TargetGlobal}
)

// remember appends a lesson and gives the file's text with the date as DATE.
func remember(t *testing.T, m *memory.Memory, text string) string {
	t.Helper()
	_, err := m.Append(t.Context(), memory.Lesson{Text: text, Target: global, Session: "cpu-k3x9qa"})
	must(t, err)
	return strings.ReplaceAll(readFile(t, m.Path(global)), time.Now().Format(time.DateOnly), "DATE")
}

// propose puts a proposal into the inbox that must fit.
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
