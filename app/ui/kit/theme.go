package kit

import (
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// The colour roles. Views name a role; only this file decides how it looks in light and
// dark.
const (
	RoleWindow     fyne.ThemeColorName = theme.ColorNameBackground
	RolePanel      fyne.ThemeColorName = "panel"
	RoleCard       fyne.ThemeColorName = "card"
	RoleLine       fyne.ThemeColorName = theme.ColorNameSeparator
	RoleText       fyne.ThemeColorName = theme.ColorNameForeground
	RoleMuted      fyne.ThemeColorName = "muted"
	RoleFaint      fyne.ThemeColorName = "faint"
	RoleAccent     fyne.ThemeColorName = theme.ColorNamePrimary
	RoleAccentSoft fyne.ThemeColorName = "accentSoft"
	RoleOnAccent   fyne.ThemeColorName = theme.ColorNameForegroundOnPrimary
	RoleWarn       fyne.ThemeColorName = theme.ColorNameWarning
	RoleHot        fyne.ThemeColorName = theme.ColorNameError
	RoleBubble     fyne.ThemeColorName = "bubble"
	RoleCode       fyne.ThemeColorName = "code"
	RoleHover      fyne.ThemeColorName = theme.ColorNameHover

	RoleCodeKeyword fyne.ThemeColorName = "codeKeyword" // parts of code; comments are muted
	RoleCodeString  fyne.ThemeColorName = "codeString"
	RoleCodeNumber  fyne.ThemeColorName = "codeNumber"
	RoleCodeName    fyne.ThemeColorName = "codeName"

	RoleSelection fyne.ThemeColorName = theme.ColorNameSelection
	RoleMark      fyne.ThemeColorName = "mark"         // a match of a search
	RoleMarkNow   fyne.ThemeColorName = "markNow"      // the current match
	RoleScrim     fyne.ThemeColorName = "scrim"        // dims what is below a card
	RoleDisabled  fyne.ThemeColorName = "disabledText" // WCAG requires no contrast of it
	RoleNone      fyne.ThemeColorName = ""
)

// The type scale and the dimensions of the window, in Fyne's device-independent pixels, on
// a grid of 4.
const (
	SizeSmall  float32 = 11
	SizeText   float32 = 13
	SizeLarge  float32 = 16
	SizeNumber float32 = 20
	SizeMono   float32 = 12

	Gap4  float32 = 4
	Gap8  float32 = 8
	Gap12 float32 = 12
	Gap16 float32 = 16
	Gap20 float32 = 20

	RadiusRow    float32 = 6
	RadiusCard   float32 = 8
	RadiusBubble float32 = 10

	SidebarWidth float32 = 216
	DrawerBelow  float32 = 640 // narrower windows show the session list as a drawer
	ColumnMax    float32 = 780 // chat and composer together
	ProseMax     float32 = 620 // a line of an answer
)

// palette maps every role to its colour in one variant.
type palette map[fyne.ThemeColorName]color.NRGBA

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

func withAlpha(c color.NRGBA, a uint8) color.NRGBA { c.A = a; return c }

// lightPalette returns the light variant, except for the roles of the accent colour.
func lightPalette() palette {
	return palette{
		RoleWindow: rgb(0xFBFBFA), RolePanel: rgb(0xF3F3F1), RoleCard: rgb(0xFFFFFF),
		RoleLine: rgb(0xE3E3DF), RoleText: rgb(0x1C1D1F), RoleMuted: rgb(0x5C5F64),
		RoleFaint: rgb(0x64676C), RoleOnAccent: rgb(0xFFFFFF), RoleWarn: rgb(0x8A5A12), RoleHot: rgb(0xB73C29),
		RoleBubble: rgb(0xE9EEF3), RoleCode: rgb(0xF4F4F2),
		RoleCodeKeyword: rgb(0x7A3E9D), RoleCodeString: rgb(0x0B7259), RoleCodeNumber: rgb(0x95520A), RoleCodeName: rgb(0x1F5FA8),
		RoleHover: withAlpha(rgb(0x000000), 0x0c),
		RoleScrim: withAlpha(rgb(0x1C1D1F), 0x38),
		RoleMark:  withAlpha(rgb(0xE0A84A), 0x55), RoleMarkNow: withAlpha(rgb(0xE0A84A), 0xc0),
	}
}

func darkPalette() palette {
	return palette{
		RoleWindow: rgb(0x17181A), RolePanel: rgb(0x1D1F21), RoleCard: rgb(0x222427),
		RoleLine: rgb(0x2E3134), RoleText: rgb(0xE7E8EA), RoleMuted: rgb(0xA3A8AE),
		RoleFaint: rgb(0x9499A0), RoleOnAccent: rgb(0x0E1512), RoleWarn: rgb(0xE0A84A), RoleHot: rgb(0xEF7A65),
		RoleBubble: rgb(0x232D36), RoleCode: rgb(0x1B1D1F),
		RoleCodeKeyword: rgb(0xC9A2E8), RoleCodeString: rgb(0x7CCFAF), RoleCodeNumber: rgb(0xDDB27A), RoleCodeName: rgb(0x8AB8EC),
		RoleHover: withAlpha(rgb(0xffffff), 0x0d),
		RoleScrim: withAlpha(rgb(0x000000), 0x60),
		RoleMark:  withAlpha(rgb(0xE0A84A), 0x40), RoleMarkNow: withAlpha(rgb(0xE0A84A), 0x90),
	}
}

// lightContrast returns the light variant with a contrast of at least 7 : 1, and visible
// lines.
func lightContrast() palette {
	return palette{
		RoleWindow: rgb(0xFFFFFF), RolePanel: rgb(0xF4F4F4), RoleCard: rgb(0xFFFFFF),
		RoleLine: rgb(0x6E7176), RoleText: rgb(0x000000), RoleMuted: rgb(0x34373B),
		RoleFaint: rgb(0x42454A), RoleOnAccent: rgb(0xFFFFFF), RoleWarn: rgb(0x633B00), RoleHot: rgb(0x861C0B),
		RoleBubble: rgb(0xE6EDF5), RoleCode: rgb(0xF2F2F2),
		RoleCodeKeyword: rgb(0x5B2580), RoleCodeString: rgb(0x04513D), RoleCodeNumber: rgb(0x6B3600), RoleCodeName: rgb(0x12427D),
		RoleHover: withAlpha(rgb(0x000000), 0x1c),
		RoleScrim: withAlpha(rgb(0x000000), 0x70),
		RoleMark:  withAlpha(rgb(0xE0A84A), 0x70), RoleMarkNow: withAlpha(rgb(0xE0A84A), 0xe0),
	}
}

func darkContrast() palette {
	return palette{
		RoleWindow: rgb(0x000000), RolePanel: rgb(0x0B0C0D), RoleCard: rgb(0x111214),
		RoleLine: rgb(0x8C9096), RoleText: rgb(0xFFFFFF), RoleMuted: rgb(0xD0D4D9),
		RoleFaint: rgb(0xB4B9C0), RoleOnAccent: rgb(0x000000), RoleWarn: rgb(0xFFC768), RoleHot: rgb(0xFF9F8F),
		RoleBubble: rgb(0x16222D), RoleCode: rgb(0x0D0E0F),
		RoleCodeKeyword: rgb(0xDDBEF5), RoleCodeString: rgb(0x97E0C4), RoleCodeNumber: rgb(0xF0CB98), RoleCodeName: rgb(0xABD0F7),
		RoleHover: withAlpha(rgb(0xffffff), 0x24),
		RoleScrim: withAlpha(rgb(0x000000), 0xa0),
		RoleMark:  withAlpha(rgb(0xE0A84A), 0x60), RoleMarkNow: withAlpha(rgb(0xE0A84A), 0xa0),
	}
}

// accents are the accent colours, in light and in dark; the first is the default.
var accents = []struct {
	name        string
	light, dark color.NRGBA
}{
	{"green", rgb(0x0A7A5F), rgb(0x3CC29B)},
	{"blue", rgb(0x1F66C4), rgb(0x6FB1F7)},
	{"purple", rgb(0x7648BF), rgb(0xB99AF5)},
	{"pink", rgb(0xB82C72), rgb(0xF28CBA)},
	{"orange", rgb(0xA5530B), rgb(0xF0A35E)},
	{"graphite", rgb(0x565C64), rgb(0xADB4BC)},
}

// accentRole returns the role that shows an accent colour among the choices.
func accentRole(name string) fyne.ThemeColorName { return fyne.ThemeColorName("accent." + name) }

// The contrasts that WCAG 2.2 requires of text: AA, and AAA for high contrast.
const (
	contrastAA  = 4.5
	contrastAAA = 7.0
)

// withAccent adds the roles of an accent colour to a palette, and the colour of disabled text.
func (p palette) withAccent(accent string, dark, high bool) palette {
	p[RoleDisabled] = blend(p[RoleFaint], p[RoleWindow], 0.5)
	for i, a := range accents {
		c, soft, selection := a.light, 0.12, uint8(0x40)
		if dark {
			c, soft, selection = a.dark, 0.16, 0x50
		}
		least := contrastAA
		if high {
			soft, least = 1.35*soft, contrastAAA
		}
		c = p.readable(c, soft, least)
		p[accentRole(a.name)] = c
		if a.name == accent || i == 0 {
			p[RoleAccent], p[RoleAccentSoft], p[RoleSelection] = c, blend(c, p[RoleWindow], soft), withAlpha(c, selection)
		}
	}
	return p
}

// readable shifts a colour towards the text colour until its contrast with every
// background is at least as given, also with the background that has a share of the colour.
func (p palette) readable(c color.NRGBA, soft, least float64) color.NRGBA {
	for share := 0.0; share <= 1; share += 0.05 {
		near := blend(p[RoleText], c, share)
		if min(contrast(near, p[RoleWindow]), contrast(near, p[RolePanel]), contrast(near, p[RoleCard]), contrast(near, p[RoleBubble]), contrast(near, blend(near, p[RoleWindow], soft))) >= least {
			return near
		}
	}
	return p[RoleText]
}

// blend blends a share of a colour into a background.
func blend(c, ground color.NRGBA, share float64) color.NRGBA {
	part := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*share + float64(b)*(1-share))) }
	return color.NRGBA{R: part(c.R, ground.R), G: part(c.G, ground.G), B: part(c.B, ground.B), A: 0xff}
}

// contrast returns the contrast ratio as WCAG defines it.
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

// appTheme is the theme of the window; it follows the system's light or dark variant.
type appTheme struct {
	light, dark   palette
	base          fyne.Theme
	text, density float32 // 1 means as designed
}

// Look holds the choices that determine how the app looks.
type Look struct {
	TextSize     float32 // of conversations, in points; 0 means as designed
	Compact      bool    // less room between rows
	Variant      string  // "light", "dark", or the system's
	HighContrast bool
	Accent       string // name of an accent; an unknown name selects the first
}

// NewTheme returns the app's theme.
func NewTheme(l Look) fyne.Theme {
	light, dark := lightPalette(), darkPalette()
	if l.HighContrast {
		light, dark = lightContrast(), darkContrast()
	}
	t := &appTheme{light: light.withAccent(l.Accent, false, l.HighContrast), dark: dark.withAccent(l.Accent, true, l.HighContrast), base: theme.DefaultTheme(), text: 1, density: 1}
	if l.TextSize > 0 {
		t.text = l.TextSize / SizeText
	}
	if l.Compact {
		t.density = compactDensity
	}
	switch l.Variant {
	case "light":
		t.dark = t.light
	case "dark":
		t.light = t.dark
	}
	return t
}

func (t *appTheme) palette(v fyne.ThemeVariant) palette {
	if v == theme.VariantLight {
		return t.light
	}
	return t.dark
}

// Color implements fyne.Theme: our roles first, then those of Fyne's own widgets.
func (t *appTheme) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	p := t.palette(v)
	if c, ok := p[name]; ok {
		return c
	}
	switch name {
	case theme.ColorNameInputBackground, theme.ColorNameInputBorder:
		return color.Transparent // the composer is the only such field, and has a surface of ours
	case theme.ColorNameMenuBackground, theme.ColorNameOverlayBackground:
		return p[RoleCard]
	case theme.ColorNameButton:
		return p[RoleLine]
	case theme.ColorNamePlaceHolder, theme.ColorNameDisabled:
		return p[RoleMuted]
	case theme.ColorNameFocus, theme.ColorNamePressed:
		return p[RoleAccentSoft]
	case theme.ColorNameHyperlink, theme.ColorNameSuccess:
		return p[RoleAccent]
	case theme.ColorNameHeaderBackground, theme.ColorNameDisabledButton:
		return p[RolePanel]
	case theme.ColorNameScrollBar:
		return withAlpha(p[RoleMuted], 0x80)
	case theme.ColorNameScrollBarBackground:
		return color.Transparent
	case theme.ColorNameShadow:
		return withAlpha(rgb(0), 0x58) // pop-ups have no outline of their own
	}
	return t.base.Color(name, v)
}

// Font implements fyne.Theme with the bundled fonts.
func (t *appTheme) Font(s fyne.TextStyle) fyne.Resource { return t.base.Font(s) }

// Icon implements fyne.Theme.
func (t *appTheme) Icon(n fyne.ThemeIconName) fyne.Resource { return t.base.Icon(n) }

// Size implements fyne.Theme.
func (t *appTheme) Size(name fyne.ThemeSizeName) float32 {
	switch name {
	case sizeNameText:
		return t.text
	case sizeNameDensity:
		return t.density
	case theme.SizeNameText:
		return SizeText * t.text
	case theme.SizeNameCaptionText:
		return SizeSmall
	case theme.SizeNameSubHeadingText:
		return SizeLarge
	case theme.SizeNameHeadingText:
		return SizeNumber
	case theme.SizeNamePadding, theme.SizeNameLineSpacing:
		return Gap4
	case theme.SizeNameInnerPadding:
		return Gap8
	case theme.SizeNameInputRadius, theme.SizeNameButtonRadius, theme.SizeNameSelectionRadius:
		return RadiusRow
	case theme.SizeNameCardRadius, theme.SizeNameDialogRadius, theme.SizeNamePopupRadius, theme.SizeNameMenuRadius:
		return RadiusCard
	case theme.SizeNameScrollBar:
		return 8
	case theme.SizeNameScrollBarSmall:
		return 4
	case theme.SizeNameSeparatorThickness:
		return 1
	case theme.SizeNameInputBorder:
		return 0
	}
	return t.base.Size(name)
}

// themeNow is the app's current theme. A theme that differs from it in one place embeds it,
// and follows when people choose another. (theme.Current doesn't work here: while such a
// part is drawn, it returns the part's own theme.)
type themeNow struct{}

func (themeNow) now() fyne.Theme { return fyne.CurrentApp().Settings().Theme() }

// Color implements fyne.Theme.
func (t themeNow) Color(n fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	return t.now().Color(n, v)
}

// Font implements fyne.Theme.
func (t themeNow) Font(s fyne.TextStyle) fyne.Resource { return t.now().Font(s) }

// Icon implements fyne.Theme.
func (t themeNow) Icon(n fyne.ThemeIconName) fyne.Resource { return t.now().Icon(n) }

// Size implements fyne.Theme.
func (t themeNow) Size(n fyne.ThemeSizeName) float32 { return t.now().Size(n) }

// Color returns a role's colour in the current variant.
func Color(role fyne.ThemeColorName) color.Color {
	if role == RoleNone {
		return color.Transparent
	}
	return theme.Color(role)
}

// The sizes of our theme that Fyne doesn't have.
const (
	sizeNameText    fyne.ThemeSizeName = "mac-stats.text"    // 1 means the type scale unchanged
	sizeNameDensity fyne.ThemeSizeName = "mac-stats.density" // 1 means comfortable
)

// compactDensity is the space between rows in the compact density, relative to the usual
// one.
const compactDensity float32 = 0.6

// TextScale returns the factor by which the text of conversations is larger than the type
// scale.
func TextScale() float32 { return sizeOr1(sizeNameText) }

// Density returns the factor for the space between rows.
func Density() float32 { return sizeOr1(sizeNameDensity) }

func sizeOr1(name fyne.ThemeSizeName) float32 {
	if s := theme.Size(name); s > 0 {
		return s
	}
	return 1 // not our theme
}
