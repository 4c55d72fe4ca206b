package corpus

import (
	"path/filepath"
	"testing"

	"mac-stats/sessionmem/memory"
)

func TestDiscordMemoriesAreUntrusted(t *testing.T) {
	m := memory.New(memory.Config{Root: t.TempDir()})
	for target, want := range map[memory.Target]bool{
		{Kind: memory.TargetGlobal}:           false,
		{Kind: memory.TargetChannel, ID: "7"}: true,
		{Kind: memory.TargetServer, ID: "8"}:  true,
		{Kind: memory.TargetPerson, ID: "9"}:  true,
	} {
		if _, err := m.Append(t.Context(), memory.Lesson{Text: "Raids are on Fridays", Target: target, Hand: true}); err != nil {
			t.Fatal(target, err)
		}
		file, err := m.Load(target)
		if err != nil {
			t.Fatal(target, err)
		}
		pieces := MemoryPieces(filepath.Base(file.Path), file)
		if len(pieces) != 1 || pieces[0].Untrusted != want {
			t.Errorf("%v: %+v, want untrusted %v", target, pieces, want)
		}
	}
}
