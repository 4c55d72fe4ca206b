package kit

import (
	"testing"

	"fyne.io/fyne/v2"
)

// wordsAndGrounds returns the pairs of text and background roles.
func wordsAndGrounds() [][2]fyne.ThemeColorName {
	pairs := [][2]fyne.ThemeColorName{
		{RoleOnAccent, RoleAccent},
		{RoleMuted, RoleCode},
		{RoleCodeKeyword, RoleCode},
		{RoleCodeString, RoleCode},
		{RoleCodeNumber, RoleCode},
		{RoleCodeName, RoleCode},
	}
	for _, role := range []fyne.ThemeColorName{RoleText, RoleMuted, RoleFaint, RoleAccent, RoleWarn, RoleHot} {
		for _, ground := range []fyne.ThemeColorName{RoleWindow, RolePanel, RoleCard, RoleBubble, RoleAccentSoft} {
			pairs = append(pairs, [2]fyne.ThemeColorName{role, ground})
		}
	}
	return pairs
}

func TestTextIsReadableOnItsBackground(t *testing.T) {
	for _, accent := range accents {
		for _, test := range []struct {
			name    string
			palette palette
			pairs   [][2]fyne.ThemeColorName
			least   float64
		}{
			{"light", lightPalette().withAccent(accent.name, false, false), wordsAndGrounds(), contrastAA},
			{"dark", darkPalette().withAccent(accent.name, true, false), wordsAndGrounds(), contrastAA},
			{"light, high contrast", lightContrast().withAccent(accent.name, false, true), wordsAndGrounds(), contrastAAA},
			{"dark, high contrast", darkContrast().withAccent(accent.name, true, true), wordsAndGrounds(), contrastAAA},
			{"light, high contrast, lines", lightContrast(), [][2]fyne.ThemeColorName{{RoleLine, RoleWindow}, {RoleLine, RolePanel}, {RoleLine, RoleCard}}, 3},
			{"dark, high contrast, lines", darkContrast(), [][2]fyne.ThemeColorName{{RoleLine, RoleWindow}, {RoleLine, RolePanel}, {RoleLine, RoleCard}}, 3},
		} {
			for _, pair := range test.pairs {
				if c := contrast(test.palette[pair[0]], test.palette[pair[1]]); c < test.least {
					t.Errorf("%s, %s: %s on %s has a contrast of %.2f, not %.1f", test.name, accent.name, pair[0], pair[1], c, test.least)
				}
			}
		}
	}
}

func TestEveryPaletteHasEveryRole(t *testing.T) {
	whole := lightPalette().withAccent("", false, false)
	for name, p := range map[string]palette{
		"dark": darkPalette().withAccent("", true, false), "light contrast": lightContrast().withAccent("", false, true), "dark contrast": darkContrast().withAccent("", true, true),
	} {
		if len(p) != len(whole) {
			t.Errorf("%s has %d roles, light %d", name, len(p), len(whole))
		}
		for role := range whole {
			if _, ok := p[role]; !ok {
				t.Errorf("%s lacks %s", name, role)
			}
		}
	}
}
