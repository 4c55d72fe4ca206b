package cpuwindow

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// The roles of colour. Views name a role; what it looks like in light and dark is
// decided here alone.
const (
	roleWindow     fyne.ThemeColorName = theme.ColorNameBackground
	rolePanel      fyne.ThemeColorName = "panel"
	roleCard       fyne.ThemeColorName = "card"
	roleLine       fyne.ThemeColorName = theme.ColorNameSeparator
	roleText       fyne.ThemeColorName = theme.ColorNameForeground
	roleMuted      fyne.ThemeColorName = "muted"
	roleFaint      fyne.ThemeColorName = "faint"
	roleAccent     fyne.ThemeColorName = theme.ColorNamePrimary
	roleAccentSoft fyne.ThemeColorName = "accentSoft"
	roleOnAccent   fyne.ThemeColorName = theme.ColorNameForegroundOnPrimary
	roleWarn       fyne.ThemeColorName = theme.ColorNameWarning
	roleHot        fyne.ThemeColorName = theme.ColorNameError
	roleBubble     fyne.ThemeColorName = "bubble"
	roleCode       fyne.ThemeColorName = "code"
	roleHover      fyne.ThemeColorName = theme.ColorNameHover

	roleCodeKeyword fyne.ThemeColorName = "codeKeyword" // what code is made of; comments are muted
	roleCodeString  fyne.ThemeColorName = "codeString"
	roleCodeNumber  fyne.ThemeColorName = "codeNumber"
	roleCodeName    fyne.ThemeColorName = "codeName"

	roleSelection fyne.ThemeColorName = theme.ColorNameSelection
	roleMark      fyne.ThemeColorName = "mark"    // what find found
	roleMarkNow   fyne.ThemeColorName = "markNow" // the one of them that is looked at
	roleScrim     fyne.ThemeColorName = "scrim"   // over what waits below a card
	roleNone      fyne.ThemeColorName = ""
)

// The type scale and the measures of the window, in Fyne's device-independent
// pixels; everything sits on a grid of 4.
const (
	sizeSmall  float32 = 11
	sizeText   float32 = 13
	sizeLarge  float32 = 16
	sizeNumber float32 = 20
	sizeMono   float32 = 12

	gap4  float32 = 4
	gap8  float32 = 8
	gap12 float32 = 12
	gap16 float32 = 16
	gap20 float32 = 20

	radiusRow    float32 = 6
	radiusCard   float32 = 8
	radiusBubble float32 = 10

	sidebarWidth float32 = 216
	drawerBelow  float32 = 640 // narrower windows show the session list as a drawer
	columnMax    float32 = 780 // chat and composer together
	proseMax     float32 = 620 // a line of an answer
)

// palette is every role in one variant.
type palette map[fyne.ThemeColorName]color.NRGBA

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

func withAlpha(c color.NRGBA, a uint8) color.NRGBA { c.A = a; return c }

func lightPalette() palette {
	return palette{
		roleWindow: rgb(0xFBFBFA), rolePanel: rgb(0xF3F3F1), roleCard: rgb(0xFFFFFF),
		roleLine: rgb(0xE3E3DF), roleText: rgb(0x1C1D1F), roleMuted: rgb(0x6B6E73),
		roleFaint: rgb(0x9A9DA2), roleAccent: rgb(0x0F8A6C), roleAccentSoft: rgb(0xDDF1EA),
		roleOnAccent: rgb(0xFFFFFF), roleWarn: rgb(0xB7791F), roleHot: rgb(0xC2412D),
		roleBubble: rgb(0xE9EEF3), roleCode: rgb(0xF4F4F2),
		roleCodeKeyword: rgb(0x7A3E9D), roleCodeString: rgb(0x0B7259), roleCodeNumber: rgb(0x95520A), roleCodeName: rgb(0x1F5FA8),
		roleHover:     withAlpha(rgb(0x000000), 0x0c),
		roleScrim:     withAlpha(rgb(0x1C1D1F), 0x38),
		roleSelection: withAlpha(rgb(0x0F8A6C), 0x40),
		roleMark:      withAlpha(rgb(0xE0A84A), 0x55), roleMarkNow: withAlpha(rgb(0xE0A84A), 0xc0),
	}
}

func darkPalette() palette {
	return palette{
		roleWindow: rgb(0x17181A), rolePanel: rgb(0x1D1F21), roleCard: rgb(0x222427),
		roleLine: rgb(0x2E3134), roleText: rgb(0xE7E8EA), roleMuted: rgb(0x9BA0A6),
		roleFaint: rgb(0x6E7379), roleAccent: rgb(0x3CC29B), roleAccentSoft: rgb(0x173A31),
		roleOnAccent: rgb(0x0E1512), roleWarn: rgb(0xE0A84A), roleHot: rgb(0xEF7A65),
		roleBubble: rgb(0x25303A), roleCode: rgb(0x1B1D1F),
		roleCodeKeyword: rgb(0xC9A2E8), roleCodeString: rgb(0x7CCFAF), roleCodeNumber: rgb(0xDDB27A), roleCodeName: rgb(0x8AB8EC),
		roleHover:     withAlpha(rgb(0xffffff), 0x0d),
		roleScrim:     withAlpha(rgb(0x000000), 0x60),
		roleSelection: withAlpha(rgb(0x3CC29B), 0x50),
		roleMark:      withAlpha(rgb(0xE0A84A), 0x40), roleMarkNow: withAlpha(rgb(0xE0A84A), 0x90),
	}
}

// appTheme is the window's look; it follows the system's light or dark.
type appTheme struct {
	light, dark   palette
	base          fyne.Theme
	text, density float32 // 1 = as drawn here
}

// Theme is the app's own theme. It follows the system's light or dark variant.
func Theme() fyne.Theme {
	return &appTheme{light: lightPalette(), dark: darkPalette(), base: theme.DefaultTheme(), text: 1, density: 1}
}

func (t *appTheme) palette(v fyne.ThemeVariant) palette {
	if v == theme.VariantLight {
		return t.light
	}
	return t.dark
}

// Color implements fyne.Theme: our roles first, then what Fyne's own widgets ask for.
func (t *appTheme) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	p := t.palette(v)
	if c, ok := p[name]; ok {
		return c
	}
	switch name {
	case theme.ColorNameInputBackground, theme.ColorNameInputBorder:
		return color.Transparent // the composer is the one field, and has a surface of ours
	case theme.ColorNameMenuBackground, theme.ColorNameOverlayBackground:
		return p[roleCard]
	case theme.ColorNameButton:
		return p[roleLine]
	case theme.ColorNamePlaceHolder, theme.ColorNameDisabled:
		return p[roleMuted]
	case theme.ColorNameFocus, theme.ColorNamePressed:
		return p[roleAccentSoft]
	case theme.ColorNameHyperlink, theme.ColorNameSuccess:
		return p[roleAccent]
	case theme.ColorNameHeaderBackground, theme.ColorNameDisabledButton:
		return p[rolePanel]
	case theme.ColorNameScrollBar:
		return withAlpha(p[roleMuted], 0x80)
	case theme.ColorNameScrollBarBackground:
		return color.Transparent
	case theme.ColorNameShadow:
		return withAlpha(rgb(0), 0x58) // pop-ups have no line of their own
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
		return sizeText * t.text
	case theme.SizeNameCaptionText:
		return sizeSmall
	case theme.SizeNameSubHeadingText:
		return sizeLarge
	case theme.SizeNameHeadingText:
		return sizeNumber
	case theme.SizeNamePadding, theme.SizeNameLineSpacing:
		return gap4
	case theme.SizeNameInnerPadding:
		return gap8
	case theme.SizeNameInputRadius, theme.SizeNameButtonRadius, theme.SizeNameSelectionRadius:
		return radiusRow
	case theme.SizeNameCardRadius, theme.SizeNameDialogRadius, theme.SizeNamePopupRadius, theme.SizeNameMenuRadius:
		return radiusCard
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

// themeNow is the app's theme at any time: what differs from it in one place embeds
// it, and goes along when people choose another. (theme.Current is no way to it: while
// such a part is drawn, it gives the part's own.)
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

// ink gives a role's colour in the variant shown now.
func ink(role fyne.ThemeColorName) color.Color {
	if role == roleNone {
		return color.Transparent
	}
	return theme.Color(role)
}
