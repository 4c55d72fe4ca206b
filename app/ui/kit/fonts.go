package kit

import (
	"unicode/utf8"

	"fyne.io/fyne/v2"
)

// For each style of text Fyne loads a font of that style and, again, all fonts it may
// fall back to: emoji alone are 5 MB, a system's Chinese 16 MB. What is styled and
// within the reach of the style's own font is therefore drawn with that font by name,
// and everything else with the plain style, whose fallbacks are then the only ones.
// (Fallback fonts come in one weight, so nothing is lost on the screen.)

// FontOf gives the style and the font, nil for the style's usual ones, to draw a text.
func FontOf(text string, style fyne.TextStyle) (fyne.TextStyle, fyne.Resource) {
	switch {
	case style == fyne.TextStyle{}:
		return style, nil
	case !InOwnFont(text):
		return fyne.TextStyle{}, nil
	}
	return style, fyne.CurrentApp().Settings().Theme().Font(style)
}

// MeasureText is fyne.MeasureText with the font that FontOf gives.
func MeasureText(text string, size float32, style fyne.TextStyle) fyne.Size {
	style, font := FontOf(text, style)
	s, _ := fyne.CurrentApp().Driver().RenderedTextSize(text, size, style, font)
	return s
}

// InOwnFont reports whether the bundled fonts of every style have all of the text.
func InOwnFont(text string) bool {
	for _, r := range text {
		if !IsOwn(r) {
			return false
		}
	}
	return true
}

// IsOwn reports whether the bundled fonts have a letter: Latin, Greek, Cyrillic and what
// punctuation goes with them.
func IsOwn(r rune) bool {
	switch {
	case r < 0x250:
		return true
	case r >= 0x370 && r < 0x500, r >= 0x1E00 && r < 0x1F00:
		return true
	case r >= 0x2010 && r < 0x2028, r >= 0x2030 && r < 0x203E:
		return true
	}
	return r == '€'
}

// SameFont is how many bytes at the beginning of s are drawn with one font. A space
// goes with what follows it: with a letter of the plain font beside it, be it a space,
// an emoji stands on the line the words stand on.
func SameFont(s string) int {
	own, end := false, 0 // of what came last but spaces
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		at += size
		if r == ' ' {
			continue
		}
		if end > 0 && IsOwn(r) != own {
			return end
		}
		own, end = IsOwn(r), at
	}
	return len(s)
}
