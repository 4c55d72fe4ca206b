package cpuwindow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"mac-stats/agents/registry"
	"mac-stats/app/backend"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/memory"
)

// memory writes memory.md in the data folder of the bench and returns its memory.
func (b *bench) memory(text string) *memory.Memory {
	b.t.Helper()
	m, ok := b.parts.memories.(*memory.Memory)
	if !ok {
		m = b.parts.memories.(stubMemories).Memory
		b.with(func(p *parts) { p.memories = m })
	}
	writeText(b.t, b.memoryPath(), text)
	return m
}

func (b *bench) memoryPath() string {
	return b.parts.memories.Path(memory.Target{Kind: memory.TargetGlobal})
}

// onMemory opens the memory page.
func (b *bench) onMemory(text string) {
	b.t.Helper()
	b.memory(text)
	b.w.showPage(pageMemory)
	b.Until("memory.md", "New memories")
}

// onAgents opens the agents page of a data folder with one agent.
func (b *bench) onAgents() {
	b.t.Helper()
	root := b.t.TempDir()
	writeText(b.t, filepath.Join(root, "agents", "agent-002", "agent.json"), "{\n  \"name\": \"Coder\"\n}\n")
	writeText(b.t, filepath.Join(root, "agents", "agent-002", "skill.md"), "Write code.\n")
	b.with(func(p *parts) {
		p.home, p.roster = root, registry.New(registry.Config{Root: root, Defaults: fstest.MapFS{}})
	})
	b.w.showPage(pageAgents)
	b.Until("New agent…")
}

// outside changes memory.md as an editor does, and notifies the window as the watcher does.
func (b *bench) outside(text string) {
	b.t.Helper()
	b.memory(text)
	b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "memory.md reloaded"})
	b.Settle()
}

func writeText(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// pushes presses the button of a label on the page.
func (b *bench) pushes(words string) {
	b.t.Helper()
	page := b.w.win.Content()
	switch b.w.panes.page {
	case pageMemory:
		page = b.w.panes.memory.Object
	case pageAgents:
		page = b.w.panes.roster.Object
	}
	b.Pushes(page, words)
}

func TestAPageIsReadAgainWhenItsFilesChange(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.onMemory("- one\n")
		b.outside("- one\n- two\n")
		b.Sees("changed on disk", "- two")
	})
}

func TestAnEditOutlivesTabsTheWindowAndTheApp(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.onMemory("- one\n")
		b.pushes("Edit")
		b.Types("- one\n- mine\n")
		b.w.showPage(pageSettings)
		b.Settle()
		b.w.showPage(pageMemory)
		b.Settle()
		b.Sees("- mine", "not saved yet")
		b.w.onClose()
		all, err := b.parts.memories.AllUnsaved()
		if err != nil || all[b.memoryPath()].Text != "- one\n- mine\n" {
			t.Errorf("%v: closing the window keeps %v", err, all)
		}
		b.with(func(*parts) {})
		b.Settle()
		b.w.Show()
		b.Settle()
		b.Sees("not saved", "memory.md")
		if got := b.w.side.pages[pageMemory].Trailing; got != "not saved" {
			t.Errorf("beside Memory stands %q", got)
		}
		b.w.showPage(pageMemory)
		b.Until("Continue editing")
		b.pushes("Continue editing")
		b.Sees("- mine", "not saved yet")
	})
}

func TestTheSidebarCountsProposals(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		if _, err := b.memory("- one\n").Propose(t.Context(), memory.Proposal{Text: "Works at night"}); err != nil {
			t.Fatal(err)
		}
		b.w.Hide()
		b.shown()
		if got := b.w.side.pages[pageMemory].Trailing; got != "1 to review" {
			t.Errorf("beside Memory stands %q", got)
		}
		b.w.showPage(pageMemory)
		b.Until("Works at night")
		b.pushes("Discard")
		b.Until("Nothing to review")
		if got := b.w.side.pages[pageMemory].Trailing; got != "" {
			t.Errorf("beside Memory stands %q", got)
		}
	})
}

// The notice bar also reports a line that another program removed.
func TestMissingLinesAreReported(t *testing.T) {
	b := newBench(t)
	m := b.memory("- one\n")
	if _, err := m.Append(t.Context(), memory.Lesson{Text: "Likes tea", Confidence: 1}); err != nil {
		t.Fatal(err)
	}
	b.memory("- one\n")
	b.onMemory("- one\n")
	b.notify(backend.Notice{Kind: backend.NoticeMissing, Text: "x", Missing: m.Dropped()})
	b.Until("1 remembered line is no longer in memory.md", "Likes tea")
	b.Pushes(b.w.notices.Bar, "Restore")
	b.Settle()
	if raw, err := os.ReadFile(b.memoryPath()); err != nil || !strings.Contains(string(raw), "Likes tea") {
		t.Errorf("the file says %q, %v", raw, err)
	}
}
