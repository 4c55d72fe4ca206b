package cpuwindow

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/backend"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem"
)

// memory is the memory of the bench's data folder, with memory.md holding this.
func (b *bench) memory(text string) *sessionmem.Memory {
	b.t.Helper()
	m, ok := b.w.parts.memories.(*sessionmem.Memory)
	if !ok {
		m = b.w.parts.memories.(stubMemories).Memory
		b.w.parts.memories = m
	}
	path := m.Path(sessionmem.Target{Kind: sessionmem.TargetGlobal})
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return m
}

func (b *bench) memoryPath() string {
	return b.w.parts.memories.Path(sessionmem.Target{Kind: sessionmem.TargetGlobal})
}

// outside changes memory.md as an editor does, and tells the window as the watcher does.
func (b *bench) outside(text string) {
	b.t.Helper()
	b.memory(text)
	b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "memory.md reloaded"})
	b.settle()
}

func (b *bench) onMemory(text string) *memoryPage {
	b.t.Helper()
	b.memory(text)
	b.w.showPage(pageMemory)
	b.until("memory.md", "New memories")
	return b.w.memory
}

// until turns the UI goroutine until these words are on the screen: the disk takes
// its time.
func (b *bench) until(words ...string) {
	b.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		b.settle()
		s := b.screen()
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(s, w) }) {
			return
		}
	}
	b.sees(words...)
}

// pushes presses the button of these words on the page.
func (b *bench) pushes(words string) {
	b.t.Helper()
	page := b.w.win.Content()
	switch b.w.page {
	case pageMemory:
		page = b.w.memory.object
	case pageAgents:
		page = b.w.roster.object
	}
	for _, o := range test.LaidOutObjects(page) {
		if x, ok := o.(*kit.Button); ok && x.Text == words && x.Visible() {
			test.Tap(x)
			b.settle()
			return
		}
	}
	b.t.Fatalf("there is no button %q", words)
}

func TestTheMemoryPageShowsAReloadAsADiff(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.onMemory("- one\n- two <!-- 2026-11-21 cpu-a -->\n")
		b.sees("memory.md", "told to every agent", "- one", "cpu-a", "Orchestrator")
		b.outside("- one\n- three\n- four\n")
		b.sees("changed on disk", "+2 −1", "- two", "- four")
		b.pushes("Seen")
		b.seesNot("changed on disk", "- two")
	})
}

func TestAnEditIsSavedWithTheKeyAndMarkedUntilThen(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		p := b.onMemory("- one\r\n")
		b.pushes("Edit")
		p.edit.entry.SetText("- one\n- two\n")
		b.sees("not saved yet")
		p.edit.entry.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyS, Modifier: fyne.KeyModifierShortcutDefault})
		b.settle()
		if raw, _ := os.ReadFile(b.memoryPath()); string(raw) != "- one\r\n- two\r\n" {
			t.Errorf("the file is %q", raw)
		}
		b.until("as on disk")
		p.edit.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		b.settle()
		b.sees("- two", "Open in my editor")
		b.seesNot("changed on disk")
	})
}

func TestAnEditOutlivesTabsTheWindowAndTheApp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		p := b.onMemory("- one\n")
		b.pushes("Edit")
		p.edit.entry.SetText("- one\n- mine\n")
		b.w.showPage(pageSettings)
		b.settle()
		b.w.showPage(pageMemory)
		b.settle()
		if p.edit.object.Hidden || p.edit.entry.Text != "- one\n- mine\n" {
			t.Error("another page took the edit away")
		}
		b.w.onClose()
		all, err := p.w.parts.memories.AllUnsaved()
		if err != nil || all[b.memoryPath()].Text != "- one\n- mine\n" {
			t.Errorf("%v: closing the window keeps %v", err, all)
		}
		b.w.shelf = newEditShelf(p.w.parts.memories, func(err error) { t.Error(err) }) // another start
		b.w.restoreEdits()
		b.settle()
		b.w.Show()
		b.settle()
		b.sees("not saved", "memory.md")
		if got := b.w.side.pages[pageMemory].Trailing; got != "not saved" {
			t.Errorf("beside Memory stands %q", got)
		}
		if got := b.w.shelf.buffers[b.memoryPath()].text; got != "- one\n- mine\n" {
			t.Errorf("back is %q", got)
		}
	})
}

func TestAConflictShowsBothAndLosesNeither(t *testing.T) {
	for button, want := range map[string]string{
		"Keep mine": "- one\n- mine\n", "Take theirs": "- one\n- theirs\n", "Both": "- one\n- theirs\n- mine\n",
	} {
		t.Run(button, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				p := b.onMemory("- one\n")
				b.pushes("Edit")
				p.edit.entry.SetText("- one\n- mine\n")
				b.outside("- one\n- theirs\n")
				b.sees("changed here and outside", "- theirs", "- mine", "Keep mine")
				if !p.edit.save.Disabled() {
					t.Error("it can be saved before it is decided")
				}
				b.pushes(button)
				if raw, _ := os.ReadFile(b.memoryPath()); string(raw) != "- one\n- theirs\n" {
					t.Errorf("a choice alone wrote %q", raw)
				}
				if p.edit.entry.Text != want {
					t.Errorf("the field holds %q", p.edit.entry.Text)
				}
				if button != "Take theirs" {
					b.pushes("Save")
				}
				b.until("as on disk")
				if raw, _ := os.ReadFile(b.memoryPath()); string(raw) != want {
					t.Errorf("the file is %q", raw)
				}
			})
		})
	}
}

func TestALongFileIsEditedInParts(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		text := strings.Repeat("- a line of a long memory\n", 1000)
		p := b.onMemory(text)
		b.sees("earlier lines")
		b.pushes("Edit")
		b.sees("part 1 of 4")
		b.pushes("Next part ›")
		b.sees("part 2 of 4")
		p.edit.entry.SetText("- changed\n" + p.edit.entry.Text)
		b.pushes("Next part ›")
		p.edit.entry.SetText(strings.TrimPrefix(p.edit.entry.Text, "- a line of a long memory\n"))
		b.pushes("Save")
		b.until("as on disk")
		raw, _ := os.ReadFile(b.memoryPath())
		if got := string(raw); strings.Count(got, "- changed\n") != 1 || strings.Count(got, "- a line of a long memory\n") != 999 || strings.Contains(got, "\n\n") {
			t.Errorf("the file has %d lines", strings.Count(got, "\n"))
		}
	})
}

func TestFilesThatCannotBeEditedAreShownAndSaid(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"large": {strings.Repeat("- a line\n", 600000), "5.1 MB"}, "binary": {"- a\x00b\n", "not a text file"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				b.onMemory(tc.text)
				b.until("edited here", tc.want, "Open in my editor")
				for _, o := range test.LaidOutObjects(b.w.win.Content()) {
					if x, ok := o.(*kit.Button); ok && x.Text == "Edit" && x.Visible() {
						t.Error("it offers to edit it")
					}
				}
			})
		})
	}
}

func TestLinesBeyondTheBudgetAreMarked(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		p := b.onMemory("- oldest\n" + strings.Repeat("- a line of forty characters, about so\n", 220) + "- newest\n")
		b.sees("not in the next prompt", "%")
		lines := p.cardLines(p.data.files[0])
		if !lines[0].faint || lines[len(lines)-1].faint {
			t.Errorf("the oldest is faint: %v, the newest: %v", lines[0].faint, lines[len(lines)-1].faint)
		}
	})
}

func TestASmallContextIsSaidWhereItLeavesMemoryOut(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.shown.Apply(agents.Event{Type: agents.EventUsage, Usage: &agents.Usage{ContextSize: 4096}})
		b.onMemory(strings.Repeat("- a line of forty characters, about so\n", 100))
		b.until("3,276")
		b.w.shown.Apply(agents.Event{Type: agents.EventUsage, Usage: &agents.Usage{ContextSize: 16384}})
		b.w.memory.load()
		b.settle()
		b.seesNot("16,384")
	})
}

func TestProposalsAreDecidedOnThePage(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		m := b.memory("- Likes tea\n- Lives in Porto\n")
		for _, q := range []sessionmem.Proposal{
			{Text: "Works at night", Session: "discord-ops", Confidence: 0.7},
			{Kind: sessionmem.ProposeReplace, Old: "Lives in Porto", Text: "Lives in Lisbon"},
			{Kind: sessionmem.ProposeRemove, Old: "Likes tea"},
			{Text: "Speaks Danish"},
		} {
			if _, err := m.Propose(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		b.w.Hide()
		b.shown()
		if got := b.w.side.pages[pageMemory].Trailing; got != "4 proposed" {
			t.Errorf("beside Memory stands %q", got)
		}
		b.w.showPage(pageMemory)
		b.settle()
		b.sees("Works at night", "from Discord", "confidence 0.70", "Lives in Porto", "Lives in Lisbon")
		b.pushes("Edit")
		box := b.w.memory.drafts[b.w.memory.data.inbox[0].ID]
		box.Entry.SetText("Works late")
		b.pushes("Save")
		b.until("3 proposed", "Works late")
		b.pushes("Replace")
		b.until("2 proposed")
		b.pushes("Remove the line")
		b.until("1 proposed")
		b.pushes("Discard")
		b.until("Nothing waits for you")
		if got := b.w.side.pages[pageMemory].Trailing; got != "" {
			t.Errorf("beside Memory stands %q", got)
		}
		raw, _ := os.ReadFile(b.memoryPath())
		if got := string(raw); !strings.Contains(got, "Works late") || !strings.Contains(got, "Lives in Lisbon") || strings.Contains(got, "tea") || strings.Contains(got, "Danish") {
			t.Errorf("the memory is %q", got)
		}
		b.w.memory.pick(b.memoryPath())
		b.settle()
		b.seesNot("changed on disk")
	})
}

func TestALineIsAddedByHandAndUndone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		p := b.onMemory("- one\n")
		f := p.fields[b.memoryPath()]
		f.Entry.SetText("Likes walking")
		f.Entry.OnSubmitted(f.Entry.Text)
		b.settle()
		b.until("Added as line 2", "- Likes walking", "Remembered lately")
		if f.Entry.Text != "" {
			t.Errorf("the field holds %q", f.Entry.Text)
		}
		f.Entry.SetText("likes walking")
		f.Submit()
		b.settle()
		b.until("already says so")
		if f.Entry.Text == "" {
			t.Error("what was refused is gone")
		}
		b.pushes("Undo")
		b.until("Undone")
		if raw, _ := os.ReadFile(b.memoryPath()); string(raw) != "- one\n" {
			t.Errorf("the file is %q", raw)
		}
	})
}

func TestEverythingOnTheMemoryPageIsReachedByTab(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).withSessions(1).shown()
		b.onMemory("- one <!-- 2026-11-21 cpu-a -->\n")
		b.until("cpu-a")
		c := b.w.win.Canvas()
		var names []string
		for range 40 {
			c.FocusNext()
			name := b.focusName()
			switch f := c.Focused().(type) {
			case *splitRow:
				name = "file " + f.title.Text
			case *kit.Field:
				name = "add a line"
			}
			names = append(names, name)
		}
		for _, want := range []string{"file Inbox", "file memory.md", "file Orchestrator", "Open in my editor", "Edit", "21 Nov · cpu-a", "add a line"} {
			if !slices.Contains(names, want) {
				t.Errorf("Tab does not reach %q: %v", want, names)
			}
		}
		if !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "New memories") }) {
			t.Error("Tab does not reach the mode")
		}
	})
}

func TestANarrowMemoryPageHasAMenuInsteadOfTheList(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		p := b.onMemory("- one\n")
		for _, tc := range []struct {
			width  float32
			narrow bool
		}{{980, false}, {420, true}, {700, true}, {980, false}} {
			b.w.win.Resize(fyne.NewSize(tc.width, 700))
			b.settle()
			if p.split.layout.narrow != tc.narrow || p.split.picker.Visible() && p.split.layout.bar.Visible() != tc.narrow {
				t.Errorf("at %v it is narrow: %v", tc.width, p.split.layout.narrow)
			}
		}
		if want := fmt.Sprint(p.title(), "  ▾"); p.split.picker.Text != want {
			t.Errorf("the menu says %q", p.split.picker.Text)
		}
	})
}

// A line that another program's save took out is shown with what can be done about it,
// in the notice bar and on the page.
func TestMissingLinesAreShownAndDecided(t *testing.T) {
	for _, tt := range []struct {
		button string
		want   string
	}{
		{"Restore", "- one\n- Likes tea <!-- "},
		{"Keep removed", "- one\n"},
	} {
		t.Run(tt.button, func(t *testing.T) {
			b := newBench(t)
			p := b.onMemory("- one\n")
			m := b.memory("- one\n")
			if _, err := m.Append(t.Context(), sessionmem.Lesson{Text: "Likes tea", Confidence: 1}); err != nil {
				t.Fatal(err)
			}
			b.outside("- one\n")
			p.load()
			b.until("1 remembered line is no longer in this file", "Likes tea", "Restore", "Keep removed")
			b.notify(backend.Notice{Kind: backend.NoticeMissing, Text: "x", Missing: m.Dropped()})
			b.until("1 remembered line is no longer in memory.md")
			b.pushes(tt.button)
			b.until(map[string]string{"Restore": "Restored.", "Keep removed": "They stay removed"}[tt.button])
			b.seesNot("no longer in this file")
			if got := readText(t, b.memoryPath()); !strings.HasPrefix(got, tt.want) || len(m.Dropped()) > 0 || tt.button == "Keep removed" && got != tt.want {
				t.Errorf("the file says %q, missing are %v", got, m.Dropped())
			}
		})
	}
}
