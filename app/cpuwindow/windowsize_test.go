package cpuwindow

import (
	"os"
	"path/filepath"
	"testing"

	"mac-stats/app/ui/screentest"

	"fyne.io/fyne/v2"
)

func TestTheWindowsSizeIsKept(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.win.Resize(fyne.NewSize(1234, 567))
		b.w.Hide()
		if got, want := readSize(b.w.sizePath()), b.w.win.Canvas().Size(); got != want || got.Width < 1000 {
			t.Errorf("kept %v of %v", got, want)
		}
	})
}

func TestReadSize(t *testing.T) {
	first := fyne.NewSize(firstWidth, firstHeight)
	for text, want := range map[string]fyne.Size{
		`{"width":800,"height":600}`: fyne.NewSize(800, 600),
		`{"width":1,"height":1}`:     fyne.NewSize(leastWidth, leastHeight),
		`{"width":1e9,"height":600}`: fyne.NewSize(mostSize, 600),
		`{"width":800,"hei`:          first,
		`{"width":"x"}`:              first,
		``:                           first,
	} {
		path := filepath.Join(t.TempDir(), "window.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := readSize(path); got != want {
			t.Errorf("%q gives %v, want %v", text, got, want)
		}
	}
	if got := readSize(filepath.Join(t.TempDir(), "gone")); got != first {
		t.Errorf("no file gives %v", got)
	}
}
