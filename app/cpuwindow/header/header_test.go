package header

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem/transcript"
)

func TestChoicesAreSqueezedBeforeTheTitle(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	choices := []fyne.CanvasObject{
		kit.NewButton(kit.ButtonPill, "orchestrator", nil), kit.NewButton(kit.ButtonPill, "a-model-with-a-very-long-name:70b-instruct-q4_K_M", nil), kit.NewButton(kit.ButtonPill, "options", nil),
	}
	free := choiceWidths(choices, 2000)
	tight := choiceWidths(choices, 320)
	total := float32(0)
	for i, w := range tight {
		total += w + kit.Gap8
		if w < choiceLeast || w > free[i] {
			t.Errorf("choice %d is %v wide", i, w)
		}
	}
	if total > 320+kit.Gap8+1 || tight[2] != free[2] {
		t.Errorf("widths %v of %v", tight, free)
	}
	choices[0].Hide()
	if diff := cmp.Diff(float32(0), choiceWidths(choices, 320)[0]); diff != "" {
		t.Error(diff)
	}
}

func TestTheTitleHasRoomInTheNarrowestWindow(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	h := New(Actions{}, false)
	w := test.NewTempWindow(t, h.Object)
	w.SetPadded(false)
	for _, size := range []struct {
		width float32
		file  bool
	}{{340, false}, {600, true}, {340, false}} {
		h.SetNarrow(true)
		h.SetWidth(size.width)
		h.ShowChat("What is in this picture of mine", "orchestrator", transcript.Settings{}, true)
		w.Resize(fyne.NewSize(size.width, 100))
		if got := h.title.Size().Width; got < titleLeast || h.file.Visible() != size.file {
			t.Errorf("at %g the title is %g wide, the button visible: %t", size.width, got, h.file.Visible())
		}
	}
	h.SetWidth(600)
	if !h.file.Visible() {
		t.Error("a wider window has no button for the file")
	}
}
