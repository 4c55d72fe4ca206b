package answer

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/app/ui/prose"
)

// CodeRow is a code card: the language, Wrap if a line is too long, Copy, and the code.
type CodeRow struct {
	widget.BaseWidget
	bg     *kit.Surface
	name   *kit.Label
	wrap   *kit.Button
	copy   *kit.Button
	bar    *fyne.Container
	Text   *codeText
	thumb  *kit.Surface // how far the code is scrolled sideways
	lang   string
	code   string
	line   bool // a single line without a language
	folded bool // always wrapped, for a command in a card
	padTop float32
	aside  float32 // width kept free to the right of the text
}

const codeBar float32 = 28 // height of the line above the code

func newCodeRow(l markdown.Leaf, onCopy func(string)) *CodeRow {
	r := &CodeRow{lang: l.Lang, bg: kit.NewSurface(kit.RoleCode, kit.RoleLine, kit.RadiusCard), Text: newCodeText(), thumb: kit.NewSurface(kit.RoleLine, kit.RoleNone, 2)}
	r.name = kit.Small(markdown.LanguageName(l.Lang)).Squeezable()
	r.wrap = kit.NewButton(kit.ButtonQuiet, i18n.T("Wrap"), r.onWrap)
	r.wrap.Hide()
	r.copy = kit.NewCopy(func() { onCopy(r.code) })
	r.bar = kit.Line(kit.Gap12, 0, r.name, r.wrap, r.copy)
	r.Text.onScroll = r.placeThumb
	r.ExtendBaseWidget(r)
	r.set(l)
	return r
}

// NewCommandRow returns a card with a command to copy, shown whole.
func NewCommandRow(command string, onCopy func(string)) *CodeRow {
	r := newCodeRow(markdown.Leaf{Code: command}, onCopy)
	r.folded = true
	r.Text.setWrap(true)
	return r
}

func (r *CodeRow) set(l markdown.Leaf) {
	r.code = l.Code
	r.line = l.Lang == "" && !strings.Contains(strings.TrimRight(l.Code, "\n"), "\n")
	r.Text.set(l.Shown(), l.Spans)
}

// fit places the buttons on a line above the code. Copy alone stands beside a single line
// that leaves room for it.
func (r *CodeRow) fit(width float32) {
	r.padTop, r.aside = codeBar, 0
	besideCopy := r.copy.MinSize().Width + kit.Gap12
	beside := r.line && !r.Text.wrap && r.Text.widest <= width-2*kit.Gap12-besideCopy
	if r.folded || beside {
		r.padTop, r.aside = kit.Gap8, besideCopy
	}
}

// update changes the code in place. It returns false if the leaf is another block.
func (r *CodeRow) update(l markdown.Leaf) bool {
	if l.Lang != r.lang {
		return false
	}
	before := r.Text.version
	r.set(l)
	if r.Text.version != before {
		r.Refresh()
	}
	return true
}

func (r *CodeRow) onWrap() {
	r.Text.setWrap(!r.Text.wrap)
	r.wrap.SetText(map[bool]string{false: i18n.T("Wrap"), true: i18n.T("Unwrap")}[r.Text.wrap])
	kit.HostOf(r).Remeasure(r)
}

func (r *CodeRow) textWidth(width float32) float32 { return width - 2*kit.Gap12 - r.aside }

// NaturalWidth returns the width that shows the longest line, or 0 if lines are wrapped.
func (r *CodeRow) NaturalWidth() float32 {
	if r.Text.wrap {
		return 0
	}
	return r.Text.widest + 2*kit.Gap12 + 1
}

// Measure implements Row.
func (r *CodeRow) Measure(width float32) float32 {
	r.fit(width)
	h := r.Text.Measure(r.textWidth(width)) + r.padTop + kit.Gap8
	if r.overflows(width) {
		h += kit.Gap4 // for the thumb
	}
	return h
}

func (r *CodeRow) overflows(width float32) bool {
	return !r.Text.wrap && r.Text.widest > r.textWidth(width)
}

// SetVisiblePart sets the visible part, in the row's own coordinates.
func (r *CodeRow) SetVisiblePart(from, to float32) { r.Text.SetVisiblePart(from-r.padTop, to-r.padTop) }

// SetScroll sets the function that scrolls up and down.
func (r *CodeRow) SetScroll(f func(*fyne.ScrollEvent)) { r.Text.pass = f }

func (r *CodeRow) inner(p fyne.Position) fyne.Position { return p.SubtractXY(kit.Gap12, r.padTop) }

// SelectLen implements Selectable.
func (r *CodeRow) SelectLen() int { return r.Text.SelectLen() }

// OffsetAt implements Selectable.
func (r *CodeRow) OffsetAt(p fyne.Position) int { return r.Text.OffsetAt(r.inner(p)) }

// SetSelection implements Selectable.
func (r *CodeRow) SetSelection(from, to int) { r.Text.SetSelection(from, to) }

// SelectedText implements Selectable.
func (r *CodeRow) SelectedText(from, to int) string { return r.Text.SelectedText(from, to) }

// WordAt returns the word around an offset, for a double click.
func (r *CodeRow) WordAt(off int) (int, int) { return r.Text.WordAt(off) }

func (r *CodeRow) placeThumb() {
	inner := r.textWidth(r.Size().Width)
	if !r.overflows(r.Size().Width) || inner <= 0 {
		r.thumb.Resize(fyne.Size{})
		return
	}
	size := max(28, inner*inner/r.Text.widest)
	at := (inner - size) * r.Text.offset / max(1, r.Text.maxOffset())
	r.thumb.Move(fyne.NewPos(kit.Gap12+at, r.Size().Height-kit.Gap8))
	r.thumb.Resize(fyne.NewSize(size, kit.Gap4))
}

// CreateRenderer implements fyne.Widget.
func (r *CodeRow) CreateRenderer() fyne.WidgetRenderer {
	return kit.NewRenderer(r, r.layOut, r.bg, r.Text, r.thumb, r.bar)
}

// layOut places the parts for a size.
func (r *CodeRow) layOut(s fyne.Size) {
	r.fit(s.Width)
	r.bg.Resize(s)
	r.wrap.Hidden = r.folded || !r.overflows(s.Width) && !r.Text.wrap
	h := r.bar.MinSize().Height
	r.bar.Move(fyne.NewPos(kit.Gap12, kit.Gap4+1))
	r.bar.Resize(fyne.NewSize(s.Width-kit.Gap12-kit.Gap8, h))
	width := r.textWidth(s.Width)
	r.Text.Move(fyne.NewPos(kit.Gap12, r.padTop))
	r.Text.Resize(fyne.NewSize(width, r.Text.Measure(width)))
	r.placeThumb()
}

// FlatText implements Markable.
func (r *CodeRow) FlatText() string { return r.Text.code }

// SetMarks implements Markable.
func (r *CodeRow) SetMarks(marks []prose.Mark, now int) {
	t := r.Text
	if slices.Equal(t.Marks, marks) && (t.markNow == now || len(marks) == 0) {
		return
	}
	t.Marks, t.markNow = marks, now
	t.Refresh()
}

// LineOf implements Markable.
func (r *CodeRow) LineOf(off int) float32 {
	for i, l := range r.Text.lines {
		if off <= l.to {
			return r.padTop + float32(i)*codeLeading()
		}
	}
	return 0
}
