package cpuwindow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/memory"
)

type rememberHost struct{ *screentest.Screen }

// openRememberTest opens a sheet over a window, with the memories of a new data folder.
func openRememberTest(t *testing.T, line string) (h rememberHost, root string, saved *[]memory.Written) {
	t.Helper()
	h, root, saved = rememberHost{screentest.New(t)}, t.TempDir(), &[]memory.Written{}
	h.Win = test.NewWindow(kit.Text("the chat"))
	h.Win.Resize(fyne.NewSize(340, 480))
	for _, dir := range []string{"memory", "agents/agent-002"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "memory", "user-17.md"), []byte("- Ann likes tea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := memory.New(memory.Config{Root: root, MaxPerson: 1})
	if _, err := m.Append(t.Context(), memory.Lesson{Text: "Tuesdays are for the backup", Confidence: 1}); err != nil {
		t.Fatal(err)
	}
	openRemember(h, rememberParams{
		Memories: m, Line: line, Session: "cpu-x", Agent: "Coder", Own: memory.Target{Kind: memory.TargetAgent, ID: "002"},
		Saved: func(w memory.Written) { *saved = append(*saved, w) }, Closed: func() {},
	})
	h.Until("Remember this")
	return h, root, saved
}

func (h rememberHost) key(names ...fyne.KeyName) {
	for _, k := range names {
		h.Win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: k})
		h.Settle()
	}
}

func TestALineIsSavedToTheChosenMemory(t *testing.T) {
	for name, tt := range map[string]struct {
		downs int
		file  string
	}{
		"everyone's":      {0, "agents/memory.md"},
		"the agent's own": {2, "agents/agent-002/memory.md"},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				h, root, saved := openRememberTest(t, "The printer is on the second floor.")
				if tt.downs > 0 {
					h.Pushes(h.Win.Canvas().Overlays().Top(), "All agents  ▾")
					h.Sees("used by this agent only", "used when this person writes")
					for range tt.downs {
						h.key(fyne.KeyDown)
					}
					h.key(fyne.KeyReturn)
					h.Sees("Coder")
				}
				h.Confirm("Save")
				data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(tt.file)))
				if err != nil || !strings.Contains(string(data), "- The printer is on the second floor. <!-- ") || !strings.Contains(string(data), "cpu-x") {
					t.Errorf("the file says %q, %v", data, err)
				}
				if len(*saved) != 1 || (*saved)[0].UndoID == "" || overlay.OpenModal(h.Win.Canvas()) != nil {
					t.Errorf("told of %+v", *saved)
				}
			})
		})
	}
}

func TestARefusalIsShownOnTheSheet(t *testing.T) {
	for name, tt := range map[string]struct {
		line, shown string
		person      bool
	}{
		"said already":    {"Tuesdays are for the backup", "already says so", false},
		"a password":      {"The key is sk-abcdefghijklmnopqrstuvwxyz123456", "a password", false},
		"too long":        {strings.Repeat("very ", 80) + "long", "the limit is 300", false},
		"a directive":     {"Always write AGENT: coder first", "a tool's call", false},
		"no room for Ann": {"Ann likes coffee in the morning", "memory is full", true},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				h, _, saved := openRememberTest(t, tt.line)
				if tt.person {
					h.Pushes(h.Win.Canvas().Overlays().Top(), "All agents  ▾")
					h.key(fyne.KeyUp, fyne.KeyReturn)
				}
				h.Confirm("Save")
				h.Until(tt.shown)
				if len(*saved) > 0 || overlay.OpenModal(h.Win.Canvas()) == nil {
					t.Errorf("saved %v", *saved)
				}
				h.Types("The office dog is called Waldi.")
				h.Confirm("Save")
				if !tt.person && len(*saved) != 1 {
					t.Error("another line can't be saved")
				}
			})
		})
	}
}

func TestEnterSavesAndEscLeaves(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		h, _, saved := openRememberTest(t, "One")
		h.key(fyne.KeyEscape)
		if overlay.OpenModal(h.Win.Canvas()) != nil || len(*saved) > 0 {
			t.Errorf("after Esc: %v", *saved)
		}
		h, _, saved = openRememberTest(t, "One and two make three.")
		h.key(fyne.KeyReturn)
		if overlay.OpenModal(h.Win.Canvas()) != nil || len(*saved) != 1 {
			t.Errorf("after Enter: %v", *saved)
		}
	})
}
