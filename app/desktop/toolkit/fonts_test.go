package toolkit_test

import (
	"fmt"
	"runtime"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/desktop/toolkit"
)

func TestDropFontsFreesThem(t *testing.T) {
	test.NewTempApp(t)
	measure := func(text string) (sizes [3]fyne.Size) {
		for i, style := range []fyne.TextStyle{{}, {Bold: true}, {Monospace: true}} {
			sizes[i], _ = fyne.CurrentApp().Driver().RenderedTextSize(text, 14, style, nil)
		}
		return sizes
	}
	inUse := func() uint64 {
		runtime.GC()
		runtime.GC() // empties pools
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := inUse()
	want := measure("words 🔍 0")
	for i := range 3 { // a shaper that isn't reset keeps the fonts of earlier rounds
		toolkit.DropFonts()
		got := measure(fmt.Sprint("words 🔍 ", i+1)) // Fyne caches the sizes of texts
		held := inUse()
		toolkit.DropFonts()
		after := inUse()
		switch {
		case held < before+5<<20:
			t.Fatalf("the fonts take %d bytes only", held-before)
		case after > before+1<<20:
			t.Errorf("of %d bytes %d stay", held-before, after-before)
		case got != want:
			t.Errorf("a text measures %v once fonts were dropped, %v before", got, want)
		}
	}
}

func TestHasFont(t *testing.T) {
	if !toolkit.HasFont('a') {
		t.Error("no font has the letter a")
	}
	if toolkit.HasFont('\U0010FFFD') { // for private use
		t.Error("a font has a character that means nothing")
	}
}
