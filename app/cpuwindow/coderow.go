package cpuwindow

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
)

// codeRow is a code card: language, Wrap where a line is too long, Copy, the code.
type codeRow struct {
	widget.BaseWidget
	bg     *kit.Surface
	name   *kit.Label
	wrap   *kit.Button
	copy   *kit.Button
	bar    *fyne.Container
	text   *codeText
	thumb  *kit.Surface // how far the code is scrolled to the side
	lang   string
	code   string
	line   bool // one line in no language
	folded bool // always wrapped: a command in a card
	padTop float32
	aside  float32 // kept free right of the text
}

const (
	codeBar    float32 = 28 // the line above the code
	besideCopy float32 = 40 // room for Copy beside a single line
)

func newCodeRow(l markdown.Leaf, onCopy func(string)) *codeRow {
	r := &codeRow{lang: l.Lang, bg: kit.NewSurface(kit.RoleCode, kit.RoleLine, kit.RadiusCard), text: newCodeText(), thumb: kit.NewSurface(kit.RoleLine, kit.RoleNone, 2)}
	r.name = kit.Small(markdown.LanguageName(l.Lang)).Squeezable()
	r.wrap = kit.NewButton(kit.ButtonQuiet, i18n.T("Wrap"), r.onWrap)
	r.wrap.Hide()
	r.copy = kit.NewButton(kit.ButtonQuiet, i18n.T("Copy"), func() { onCopy(r.code) })
	r.bar = kit.Line(kit.Gap12, 0, r.name, r.wrap, r.copy)
	r.text.onScroll = r.placeThumb
	r.ExtendBaseWidget(r)
	r.set(l)
	return r
}

// newCommandRow is a card with a command to copy, all of which is seen.
func newCommandRow(command string, onCopy func(string)) *codeRow {
	r := newCodeRow(markdown.Leaf{Code: command}, onCopy)
	r.folded = true
	r.text.setWrap(true)
	return r
}

func (r *codeRow) set(l markdown.Leaf) {
	r.code = l.Code
	r.line = l.Lang == "" && !strings.Contains(strings.TrimRight(l.Code, "\n"), "\n")
	r.text.set(l.Shown(), l.Spans)
}

// fit gives the buttons a line above the code; Copy alone sits beside a single line
// that leaves room for it.
func (r *codeRow) fit(width float32) {
	r.padTop, r.aside = codeBar, 0
	beside := r.line && !r.text.wrap && r.text.widest <= width-2*kit.Gap12-besideCopy
	if r.folded || beside {
		r.padTop, r.aside = kit.Gap8, besideCopy
	}
}

// update changes the code in place; not where it is another block.
func (r *codeRow) update(l markdown.Leaf) bool {
	if l.Lang != r.lang {
		return false
	}
	before := r.text.version
	r.set(l)
	if r.text.version != before {
		r.Refresh()
	}
	return true
}

func (r *codeRow) onWrap() {
	r.text.setWrap(!r.text.wrap)
	r.wrap.SetText(map[bool]string{false: i18n.T("Wrap"), true: i18n.T("Unwrap")}[r.text.wrap])
	kit.HostOf(r).Remeasure(r)
}

func (r *codeRow) textWidth(width float32) float32 { return width - 2*kit.Gap12 - r.aside }

func (r *codeRow) Measure(width float32) float32 {
	r.fit(width)
	h := r.text.Measure(r.textWidth(width)) + r.padTop + kit.Gap8
	if r.overflows(width) {
		h += kit.Gap4 // for the thumb
	}
	return h
}

func (r *codeRow) overflows(width float32) bool {
	return !r.text.wrap && r.text.widest > r.textWidth(width)
}

func (r *codeRow) SetSeen(from, to float32) { r.text.SetSeen(from-r.padTop, to-r.padTop) }

// PassScroll tells who scrolls up and down.
func (r *codeRow) PassScroll(f func(*fyne.ScrollEvent)) { r.text.pass = f }

func (r *codeRow) inner(p fyne.Position) fyne.Position { return p.SubtractXY(kit.Gap12, r.padTop) }

func (r *codeRow) SelectLen() int                   { return r.text.SelectLen() }
func (r *codeRow) OffsetAt(p fyne.Position) int     { return r.text.OffsetAt(r.inner(p)) }
func (r *codeRow) SetSelection(from, to int)        { r.text.SetSelection(from, to) }
func (r *codeRow) SelectedText(from, to int) string { return r.text.SelectedText(from, to) }
func (r *codeRow) WordAt(off int) (int, int)        { return r.text.WordAt(off) }

func (r *codeRow) placeThumb() {
	inner := r.textWidth(r.Size().Width)
	if !r.overflows(r.Size().Width) || inner <= 0 {
		r.thumb.Resize(fyne.Size{})
		return
	}
	size := max(28, inner*inner/r.text.widest)
	at := (inner - size) * r.text.offset / max(1, r.text.maxOffset())
	r.thumb.Move(fyne.NewPos(kit.Gap12+at, r.Size().Height-kit.Gap8))
	r.thumb.Resize(fyne.NewSize(size, kit.Gap4))
}

// CreateRenderer implements fyne.Widget.
func (r *codeRow) CreateRenderer() fyne.WidgetRenderer {
	return &codeRowRenderer{r, []fyne.CanvasObject{r.bg, r.text, r.thumb, r.bar}}
}

type codeRowRenderer struct {
	r       *codeRow
	objects []fyne.CanvasObject
}

func (x *codeRowRenderer) Layout(s fyne.Size) {
	r := x.r
	r.fit(s.Width)
	r.bg.Resize(s)
	r.wrap.Hidden = r.folded || !r.overflows(s.Width) && !r.text.wrap
	h := r.bar.MinSize().Height
	r.bar.Move(fyne.NewPos(kit.Gap12, kit.Gap4+1))
	r.bar.Resize(fyne.NewSize(s.Width-kit.Gap12-kit.Gap8, h))
	width := r.textWidth(s.Width)
	r.text.Move(fyne.NewPos(kit.Gap12, r.padTop))
	r.text.Resize(fyne.NewSize(width, r.text.Measure(width)))
	r.placeThumb()
}

func (x *codeRowRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (x *codeRowRenderer) Objects() []fyne.CanvasObject { return x.objects }
func (x *codeRowRenderer) Destroy()                     {}
func (x *codeRowRenderer) Refresh() {
	x.Layout(x.r.Size())
	for _, o := range x.objects {
		o.Refresh()
	}
	canvas.Refresh(x.r)
}

func (r *codeRow) FlatText() string { return r.text.code }

func (r *codeRow) SetMarks(marks []kit.Mark, now int) {
	t := r.text
	if len(t.marks) == 0 && len(marks) == 0 {
		return
	}
	t.marks, t.markNow = marks, now
	t.Refresh()
}

func (r *codeRow) LineOf(off int) float32 {
	for i, l := range r.text.lines {
		if off <= l.to {
			return r.padTop + float32(i)*codeLeading()
		}
	}
	return 0
}
