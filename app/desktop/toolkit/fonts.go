package toolkit

import (
	_ "unsafe" // for go:linkname

	_ "fyne.io/fyne/v2" // its painter is used
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

// DropFonts drops all parsed fonts, both bundled and the system's: 13 MB for our window.
// Fyne keeps a font from the first text that needs it until the process ends, and its
// shaper keeps fonts even when the theme changes. Fonts are parsed again when needed.
func DropFonts() {
	clearFontCache()
	systemFonts, systemFontsLoaded = nil, false
	*shaper = shaping.HarfbuzzShaper{}
}
