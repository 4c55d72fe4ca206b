package pages

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
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/config"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/memory"
)

// memory returns the memory of the bench's data folder, whose memory.md has this text.
func (b *bench) memory(text string) *memory.Memory {
	b.t.Helper()
	writeOutside(b.t, b.memoryPath(), text)
	return b.parts.Memories.(*memory.Memory)
}

func (b *bench) memoryPath() string {
	return b.parts.Memories.Path(memory.Target{Kind: memory.TargetGlobal})
}

func (b *bench) onMemory(text string) *Memory {
	b.t.Helper()
	b.memory(text)
	p := NewMemory(b, b.parts, b.edits)
	b.shows(p.Object)
	p.Load()
	b.Until("memory.md", "New memories")
	return p
}

// outside changes memory.md as an editor does, and reloads the page as the watcher does.
func (b *bench) outside(p *Memory, text string) {
	b.t.Helper()
	b.memory(text)
	p.Load()
	b.Settle()
}

func TestTheMemoryPageShowsAReloadAsADiff(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		p := b.onMemory("- one\n- two <!-- 2026-11-21 cpu-a -->\n")
		b.Sees("memory.md", "used by every agent", "- one", "cpu-a", "Orchestrator")
		b.outside(p, "- one\n- three\n- four\n")
		b.Until("changed on disk") // a file that became shorter may still be being saved
		b.Sees("+2 −1", "- two", "- four")
		b.pushes("Dismiss")
		b.SeesNot("changed on disk", "- two")
	})
}

func TestAnEditIsMarkedUntilItIsSavedByKey(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		p := b.onMemory("- one\r\n")
		b.pushes("Edit")
		p.edit.entry.SetText("- one\n- two\n")
		b.Sees("not saved yet")
		p.edit.entry.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyS, Modifier: fyne.KeyModifierShortcutDefault})
		var raw []byte
		for end := time.Now().Add(time.Minute); time.Now().Before(end) && string(raw) != "- one\r\n- two\r\n"; {
			b.Settle() // it is saved once the file has been still for a second
			raw, _ = os.ReadFile(b.memoryPath())
		}
		if string(raw) != "- one\r\n- two\r\n" {
			t.Errorf("the file is %q", raw)
		}
		p.edit.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		b.Settle()
		b.Sees("- two", "Open in my editor")
		b.SeesNot("changed on disk")
	})
}

func TestAConflictShowsBothVersionsAndLosesNeither(t *testing.T) {
	for button, want := range map[string]string{
		"Keep mine": "- one\n- mine\n", "Take theirs": "- one\n- theirs\n", "Both": "- one\n- theirs\n- mine\n",
	} {
		t.Run(button, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t)
				p := b.onMemory("- one\n")
				b.pushes("Edit")
				p.edit.entry.SetText("- one\n- mine\n")
				b.outside(p, "- one\n- theirs\n")
				b.Sees("changed here and outside", "- theirs", "- mine", "Keep mine")
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
				b.Until("saved")
				if raw, _ := os.ReadFile(b.memoryPath()); string(raw) != want {
					t.Errorf("the file is %q", raw)
				}
			})
		})
	}
}

func TestALongFileIsEditedInParts(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		text := strings.Repeat("- a line of a long memory\n", 1000)
		p := b.onMemory(text)
		b.Sees("earlier lines")
		b.pushes("Edit")
		b.Sees("part 1 of 4")
		b.pushes("Next part ›")
		b.Sees("part 2 of 4")
		p.edit.entry.SetText("- changed\n" + p.edit.entry.Text)
		b.pushes("Next part ›")
		p.edit.entry.SetText(strings.TrimPrefix(p.edit.entry.Text, "- a line of a long memory\n"))
		b.pushes("Save")
		b.Until("saved")
		raw, _ := os.ReadFile(b.memoryPath())
		if got := string(raw); strings.Count(got, "- changed\n") != 1 || strings.Count(got, "- a line of a long memory\n") != 999 || strings.Contains(got, "\n\n") {
			t.Errorf("the file has %d lines", strings.Count(got, "\n"))
		}
	})
}

func TestFilesThatCantBeEditedAreShownWithTheReason(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"large": {strings.Repeat("- a line\n", 600000), "5.1 MB"}, "binary": {"- a\x00b\n", "not a text file"},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t)
				b.onMemory(tc.text)
				b.Until("edited here", tc.want, "Open in my editor")
				for _, o := range test.LaidOutObjects(b.Win.Content()) {
					if x, ok := o.(*kit.Button); ok && x.Text == "Edit" && x.Visible() {
						t.Error("it offers to edit it")
					}
				}
			})
		})
	}
}

func TestLinesBeyondTheBudgetAreMarked(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		p := b.onMemory("- oldest\n" + strings.Repeat("- a line of forty characters, about so\n", 220) + "- newest\n")
		b.Sees("not in the next prompt", "%")
		lines := p.cardLines(p.data.files[0])
		if !lines[0].faint || lines[len(lines)-1].faint {
			t.Errorf("the oldest is faint: %v, the newest: %v", lines[0].faint, lines[len(lines)-1].faint)
		}
	})
}

func TestASmallContextThatCutsMemoryIsReported(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.context = 4096
		p := b.onMemory(strings.Repeat("- a line of forty characters, about so\n", 100))
		b.Until("3,275")
		b.context = 16384
		p.Load()
		b.Settle()
		b.SeesNot("16,384")
	})
}

// A character of Chinese is about a token, one of English about a quarter.
func TestASmallContextCutsMemoryByItsTokens(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.context = 4096
		b.onMemory(strings.Repeat("- 用户住在里斯本，喜欢喝茶，晚上工作。\n", 60))
		b.Until("characters of memory")
		b.SeesNot("3,27")
	})
}

func TestProposalsAreDecidedOnThePage(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		m := b.memory("- Likes tea\n- Lives in Porto\n")
		for _, q := range []memory.Proposal{
			{Text: "Works at night", Session: "discord-ops", Confidence: 0.7},
			{Kind: memory.ProposeReplace, Old: "Lives in Porto", Text: "Lives in Lisbon"},
			{Kind: memory.ProposeRemove, Old: "Likes tea"},
			{Text: "Speaks Danish"},
		} {
			if _, err := m.Propose(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		p := NewMemory(b, b.parts, b.edits)
		b.shows(p.Object)
		p.Load()
		b.Until("Works at night")
		if b.waiting != 4 {
			t.Errorf("the window is told of %d proposals", b.waiting)
		}
		b.Sees("Works at night", "from Discord, “about discord-ops”", "Lives in Porto", "Lives in Lisbon")
		b.SeesNot("confidence")
		b.pushes("Edit")
		box := p.drafts[p.data.inbox[0].ID]
		box.Entry.SetText("Works late")
		b.pushes("Save")
		b.Until("3 to review", "Works late")
		b.pushes("Replace")
		b.Until("2 to review")
		b.pushes("Remove the line")
		b.Until("1 to review")
		b.pushes("Discard")
		b.Until("Nothing to review")
		if b.waiting != 0 {
			t.Errorf("the window is told of %d proposals", b.waiting)
		}
		raw, _ := os.ReadFile(b.memoryPath())
		if got := string(raw); !strings.Contains(got, "Works late") || !strings.Contains(got, "Lives in Lisbon") || strings.Contains(got, "tea") || strings.Contains(got, "Danish") {
			t.Errorf("the memory is %q", got)
		}
		p.Pick(b.memoryPath())
		b.Settle()
		b.SeesNot("changed on disk")
	})
}

func TestALineIsAddedByHandAndUndone(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		p := b.onMemory("- one\n")
		f := p.fields[b.memoryPath()]
		f.Entry.SetText("Likes walking")
		f.Entry.OnSubmitted(f.Entry.Text)
		b.Settle()
		b.Until("Added as line 5", "- Likes walking", "Recently remembered")
		if f.Entry.Text != "" {
			t.Errorf("the field holds %q", f.Entry.Text)
		}
		f.Entry.SetText("likes walking")
		f.Submit()
		b.Settle()
		b.Until("already says so")
		if f.Entry.Text == "" {
			t.Error("what was refused is gone")
		}
		b.pushes("Undo")
		b.Until("Undone")
		if raw, _ := os.ReadFile(b.memoryPath()); string(raw) != "- one\n" {
			t.Errorf("the file is %q", raw)
		}
	})
}

func TestTabReachesEverythingOnTheMemoryPage(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.onMemory("- one <!-- 2026-11-21 cpu-a -->\n")
		b.Until("cpu-a")
		c := b.Win.Canvas()
		var names []string
		for range 40 {
			c.FocusNext()
			name := b.Focus()
			switch f := c.Focused().(type) {
			case *ListRow:
				name = "file " + f.title.Text
			case *kit.Field:
				name = "add a line"
			}
			names = append(names, name)
		}
		for _, want := range []string{"file Inbox", "file memory.md", "file Orchestrator", "Open in my editor", "Edit", "21 Nov · about cpu-a", "add a line"} {
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
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		p := b.onMemory("- one\n")
		for _, tc := range []struct {
			width  float32
			narrow bool
		}{{980, false}, {420, true}, {540, true}, {980, false}} {
			b.Win.Resize(fyne.NewSize(tc.width, 700))
			b.Settle()
			if p.split.layout.narrow != tc.narrow || p.split.picker.Visible() && p.split.layout.bar.Visible() != tc.narrow {
				t.Errorf("at %v it is narrow: %v", tc.width, p.split.layout.narrow)
			}
		}
		if want := fmt.Sprint(p.title(), "  ▾"); p.split.picker.Text != want {
			t.Errorf("the menu says %q", p.split.picker.Text)
		}
	})
}

// Lines removed by another program's save are shown with the possible actions, in the
// notice bar and on the page.
func TestMissingLinesAreShownAndDecided(t *testing.T) {
	for _, tt := range []struct {
		button string
		want   string
	}{
		{"Restore", "- one\n\n## Remembered\n\n- Likes tea <!-- "},
		{"Keep removed", "- one\n"},
	} {
		t.Run(tt.button, func(t *testing.T) {
			b := newBench(t)
			p := b.onMemory("- one\n")
			m := b.memory("- one\n")
			if _, err := m.Append(t.Context(), memory.Lesson{Text: "Likes tea", Confidence: 1}); err != nil {
				t.Fatal(err)
			}
			b.outside(p, "- one\n")
			p.Load()
			b.Until("1 remembered line is no longer in this file", "Likes tea", "Restore", "Keep removed")
			b.pushes(tt.button)
			b.Until(map[string]string{"Restore": "Restored.", "Keep removed": "They stay removed"}[tt.button])
			b.SeesNot("no longer in this file")
			if got := readText(t, b.memoryPath()); !strings.HasPrefix(got, tt.want) || len(m.Dropped()) > 0 || tt.button == "Keep removed" && got != tt.want {
				t.Errorf("the file says %q, missing are %v", got, m.Dropped())
			}
		})
	}
}

// An edit is discarded, and Undo brings it back.
func TestAnEditIsDiscardedAndBroughtBack(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		p := b.onMemory("- one\n")
		b.pushes("Edit")
		p.edit.entry.SetText("- one\n- mine\n")
		b.Settle()
		if got := b.edits.Unsaved(); len(got) != 1 || got[0] != b.memoryPath() {
			t.Errorf("unsaved: %q", got)
		}
		b.pushes("Discard")
		if got := p.edit.entry.Text; got != "- one\n" || len(b.edits.Unsaved()) != 0 {
			t.Errorf("the field holds %q, unsaved: %q", got, b.edits.Unsaved())
		}
		b.pushes("Undo")
		if got := p.edit.entry.Text; got != "- one\n- mine\n" || len(b.edits.Unsaved()) != 1 {
			t.Errorf("the field holds %q, unsaved: %q", got, b.edits.Unsaved())
		}
		// a window that is opened later finds it
		b.edits.Flush()
		later := NewEdits(b, b.parts.Memories)
		later.LoadStored()
		b.Settle()
		if got := strings.Join(b.notices, "; "); !strings.Contains(got, "Unsaved changes restored: memory.md (") || len(later.Unsaved()) != 1 {
			t.Errorf("notices: %q, unsaved: %q", got, later.Unsaved())
		}
	})
}

func TestHowMemoriesAreSavedIsChosen(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		var set []string
		b.parts.Set = func(key, value string) error { set = append(set, key+" = "+value); return nil }
		b.onMemory("- one\n")
		now := ""
		for _, m := range memoryModes() {
			if m.value == config.Default().Memory.Write {
				now = m.words
			}
		}
		b.pushes(now + "  ▾")
		b.Sees("New memories: ask first", "New memories: off")
		for range memoryModes() {
			b.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
		}
		b.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.Settle()
		if diff := cmp.Diff([]string{"memory.write = off"}, set); diff != "" {
			t.Errorf("set (-want +got):\n%s", diff)
		}
	})
}

// A missing file isn't shown as an empty one, and copies are named.
func TestWhatIsMissingOrACopyIsSaid(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		folder := filepath.Dir(b.memoryPath())
		writeOutside(t, filepath.Join(folder, "memory-inbox 2.md"), "- a discarded proposal\n")
		p := b.onMemory("- one\n")
		b.Until("Not read, because only the originals are memory", "memory-inbox 2.md")
		b.SeesNot("a discarded proposal")
		if err := os.Rename(b.memoryPath(), filepath.Join(folder, "MEMORY.md.txt")); err != nil {
			t.Fatal(err)
		}
		p.Load()
		b.Until("the file is missing: instead of memory.md there is MEMORY.md.txt")
		b.SeesNot("Nothing is remembered here yet")
	})
}

// Every memory is listed below whose it is, with what it is used for.
func TestEveryKindOfMemoryIsListed(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		kinds := map[memory.TargetKind]string{memory.TargetAgent: "002", memory.TargetChannel: "123", memory.TargetPerson: "456", memory.TargetServer: "789"}
		for kind, id := range kinds {
			writeOutside(t, b.parts.Memories.Path(memory.Target{Kind: kind, ID: id}), "- likes tea\n")
		}
		p := b.onMemory("- one\n")
		b.Sees("All agents", "Agents", "Discord channels", "People", "Servers", "#123", "456", "789")
		for kind, used := range map[memory.TargetKind]string{memory.TargetAgent: "used by this agent only", memory.TargetChannel: "used in this Discord channel", memory.TargetPerson: "used when this person writes", memory.TargetServer: "used in this server"} {
			path := b.parts.Memories.Path(memory.Target{Kind: kind, ID: kinds[kind]})
			row := p.split.rows[path]
			if row == nil {
				t.Fatalf("%s isn't listed", path)
			}
			row.OnTap()
			b.Until(used, "- likes tea")
		}
	})
}
