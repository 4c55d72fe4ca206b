package recall

import (
	"path/filepath"
	"testing"

	"mac-stats/sessionmem"
)

func TestWhatIsRememberedOfDiscordIsOfStrangers(t *testing.T) {
	m := sessionmem.NewMemory(sessionmem.MemoryConfig{Root: t.TempDir()})
	for target, want := range map[sessionmem.Target]bool{
		{Kind: sessionmem.TargetGlobal}:           false,
		{Kind: sessionmem.TargetChannel, ID: "7"}: true,
		{Kind: sessionmem.TargetServer, ID: "8"}:  true,
		{Kind: sessionmem.TargetPerson, ID: "9"}:  true,
	} {
		if _, err := m.Append(t.Context(), sessionmem.Lesson{Text: "Raids are on Fridays", Target: target, Hand: true}); err != nil {
			t.Fatal(target, err)
		}
		file, err := m.Load(target)
		if err != nil {
			t.Fatal(target, err)
		}
		pieces := memoryPieces(filepath.Base(file.Path), file)
		if len(pieces) != 1 || pieces[0].Untrusted != want {
			t.Errorf("%v: %+v, want untrusted %v", target, pieces, want)
		}
	}
}
