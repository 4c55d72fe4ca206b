// Package fonts gives back the memory of the fonts that Fyne has read.
//
// Fyne parses a font when a text first needs it and keeps it for as long as the process
// runs: 13 MB for our window. It has no public function to drop one, and its shaper keeps
// fonts even when the theme changes, so this package reaches into Fyne's painter. If an
// upgrade of Fyne renames what is used here, the package no longer links or its test fails.
//
// It is a package of its own because a function without a body needs an assembly file,
// which in a package with cgo the C compiler would assemble.
package fonts

import (
	_ "unsafe" // for go:linkname

	_ "fyne.io/fyne/v2" // whose painter this is about
	"github.com/go-text/typesetting/fontscan"
	"github.com/go-text/typesetting/shaping"
)

//go:linkname clearFontCache fyne.io/fyne/v2/internal/painter.ClearFontCache
func clearFontCache()

//go:linkname systemFonts fyne.io/fyne/v2/internal/painter.fm
var systemFonts *fontscan.FontMap

//go:linkname systemFontsLoaded fyne.io/fyne/v2/internal/painter.loaded
var systemFontsLoaded bool

//go:linkname shaper fyne.io/fyne/v2/internal/painter.shaper
var shaper *shaping.HarfbuzzShaper

// Drop drops all fonts, bundled ones and the system's. Fyne parses those it needs again.
// Call it on the UI goroutine, where all text is measured and drawn: the shaper isn't safe
// for concurrent use.
func Drop() {
	clearFontCache()
	systemFonts, systemFontsLoaded = nil, false
	*shaper = shaping.HarfbuzzShaper{}
}
