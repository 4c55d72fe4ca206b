package memory

import (
	"path/filepath"
	"slices"
	"testing"

	"mac-stats/sessionmem/wholefile"
)

// Only files with the exact names are memory. Copies of them, and above all of the inbox, are
// named and never read.
func TestCopiesAreNoMemory(t *testing.T) {
	m := New(Config{Root: t.TempDir()})
	files := []string{
		"agents/memory.md", "agents/memory-main.md", "agents/agent-002/memory.md", "agents/memory-discord-123.md", "memory/user-7.md", "memory/server-9.md",
	}
	copies := []string{
		"agents/memory-inbox.sync-conflict-20261121-101500-ABCDEFG.md", "agents/memory-inbox 2.md", "agents/memory-inbox (1).md", "agents/memory-Inbox.md",
		"agents/memory (Kopie).md", "agents/memory-work.md", "agents/memory.md.orig", "agents/memory.md~", "agents/memory.md.txt", "agents/MEMORY.md", "agents/memory 2.md",
		"agents/.memory.md.swp", "agents/memory.conflict-1.md", "agents/memory-discord-123 2.md", "agents/memory-discord-123-conflict.md", "agents/memory-main (2).md",
		"agents/agent-002/memory.sync-conflict-1.md", "agents/agent-002/memory 2.md",
		"memory/user-7 2.md", "memory/user-7.md.bak", "memory/user-seven.md", "memory/notes.md", "memory/server-٣.md",
	}
	for _, name := range append(slices.Clone(files), copies...) {
		saved(t, filepath.Join(string(m.root), filepath.FromSlash(name)), "- x\n")
	}
	saved(t, m.InboxPath(), "- a proposal\n")
	for _, own := range []string{wholefile.TempName("memory.md"), ".memory-journal", ".memory-undo", "memory-keeper/notes.txt"} { // the app's own
		saved(t, filepath.Join(string(m.root), "agents", own), "x")
	}
	rel := func(path string) string {
		name, err := filepath.Rel(string(m.root), path)
		must(t, err)
		return filepath.ToSlash(name)
	}
	var read, named []string
	list, err := m.List()
	must(t, err)
	for _, f := range list {
		read = append(read, rel(f.Path))
	}
	for _, path := range m.Copies() {
		named = append(named, rel(path))
	}
	if slices.Sort(read); !slices.Equal(read, slices.Sorted(slices.Values(files))) {
		t.Errorf("read %q", read)
	}
	if slices.Sort(named); !slices.Equal(named, slices.Sorted(slices.Values(copies))) {
		t.Errorf("named %q", named)
	}
}
