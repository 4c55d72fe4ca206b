package cpuwindow

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"mac-stats/app/config"
	"mac-stats/app/ui/kit"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

func TestTheSizeOfTheWindowIsSaved(t *testing.T) {
	t.Setenv(envScale, "1")
	home := t.TempDir()
	a := newAppearance(test.NewTempApp(t), home, slog.New(slog.DiscardHandler), SystemLook{}, config.Window{Zoom: 100})
	win := test.NewTempWindow(t, kit.Small("words"))
	win.Resize(fyne.NewSize(1234, 567))
	a.Attach(win, config.Window{Zoom: 100})
	a.SaveSize()
	if got, want := readSize(a.sizeFile), win.Canvas().Size(); got != want || got.Width < 1000 {
		t.Errorf("kept %v of %v", got, want)
	}
	win.Resize(fyne.NewSize(400, 400))
	if a.RestoreSize(); win.Canvas().Size().Width < 1000 {
		t.Errorf("given back is %v", win.Canvas().Size())
	}
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
