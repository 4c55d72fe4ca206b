package kit

import (
	"image/color"
	"math"
	"testing"

	"fyne.io/fyne/v2"
)

func TestTextCanBeReadOnItsGround(t *testing.T) {
	// 4.5 : 1 is what WCAG 2.2 asks of text of this size
	for name, p := range map[string]palette{"light": lightPalette(), "dark": darkPalette()} {
		for _, pair := range [][2]fyne.ThemeColorName{
			{RoleText, RoleWindow},
			{RoleMuted, RoleWindow},
			{RoleMuted, RoleCard},
			{RoleText, RoleBubble},
			{RoleMuted, RoleCode},
			{RoleCodeKeyword, RoleCode},
			{RoleCodeString, RoleCode},
			{RoleCodeNumber, RoleCode},
			{RoleCodeName, RoleCode},
		} {
			if c := contrast(p[pair[0]], p[pair[1]]); c < 4.5 {
				t.Errorf("%s: %s on %s has a contrast of %.2f", name, pair[0], pair[1], c)
			}
		}
	}
}

// contrast is WCAG's.
func contrast(a, b color.NRGBA) float64 {
	luminance := func(c color.NRGBA) float64 {
		part := func(v uint8) float64 {
			x := float64(v) / 255
			if x <= 0.03928 {
				return x / 12.92
			}
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
