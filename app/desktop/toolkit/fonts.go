package toolkit

import (
	"io"
	"log"
	"slices"
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

// HasFont reports whether a font of the system has a character. It reads the list of fonts that
// Fyne falls back on; the first call of either may scan the font folders, so call it off the UI
// goroutine. A font installed later counts after a restart.
func HasFont(r rune) bool {
	fonts, err := fontscan.SystemFonts(log.New(io.Discard, "", 0), "")
	return err == nil && slices.ContainsFunc(fonts, func(f fontscan.Footprint) bool { return f.Runes.Contains(r) })
}
