package kit

import (
	"unicode/utf8"

	"fyne.io/fyne/v2"
)

// For each text style Fyne loads a font of that style and, once more, all its fallback
// fonts: emoji alone take 5 MB, a system's Chinese font 16 MB. Styled text that the style's
// own font covers is therefore drawn with that font by name, and all other text in the
// plain style, whose fallbacks are then the only ones loaded. (Fallback fonts come in one
// weight, so nothing is lost on the screen.) A text that is partly covered is drawn in parts.

// FontOf returns the style and the font to draw a text with. The font is nil for the
// style's usual fonts.
func FontOf(text string, style fyne.TextStyle) (fyne.TextStyle, fyne.Resource) {
	switch {
	case style == fyne.TextStyle{}:
		return style, nil
	case !InOwnFont(text):
		return fyne.TextStyle{}, nil
	}
	return style, fyne.CurrentApp().Settings().Theme().Font(style)
}

// MeasureText is fyne.MeasureText with the fonts from FontOf, one for each part of the text
// (SameFont).
func MeasureText(text string, size float32, style fyne.TextStyle) fyne.Size {
	if style == (fyne.TextStyle{}) || InOwnFont(text) {
		style, font := FontOf(text, style)
		s, _ := fyne.CurrentApp().Driver().RenderedTextSize(text, size, style, font)
		return s
	}
	var whole fyne.Size
	for text != "" {
		part := text[:SameFont(text)]
		style, font := FontOf(part, style)
		s, _ := fyne.CurrentApp().Driver().RenderedTextSize(part, size, style, font)
		whole = fyne.NewSize(whole.Width+s.Width, max(whole.Height, s.Height))
		text = text[len(part):]
	}
	return whole
}

// InOwnFont reports whether the bundled fonts of every style cover the text.
func InOwnFont(text string) bool {
	for _, r := range text {
		if !IsOwn(r) {
			return false
		}
	}
	return true
}

// IsOwn reports whether the bundled fonts have a character: Latin, Greek, Cyrillic and
// their punctuation.
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

// SameFont returns how many bytes at the beginning of s are drawn with one font. Spaces go
// with the text that follows them: an emoji drawn together with a character of the plain
// font, even a space, stays on the baseline of the text.
func SameFont(s string) int {
	own, end := false, 0 // font of the last character that isn't a space
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
