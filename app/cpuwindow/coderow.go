package cpuwindow

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/markdown"
)

// codeRow is a code card: language, Wrap where a line is too long, Copy, the code.
type codeRow struct {
	widget.BaseWidget
	bg     *surface
	name   *words
	wrap   *button
	copy   *button
	bar    *fyne.Container
	text   *codeText
	thumb  *surface // how far the code is scrolled to the side
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
	r := &codeRow{lang: l.Lang, bg: newSurface(roleCode, roleLine, radiusCard), text: newCodeText(), thumb: newSurface(roleLine, roleNone, 2)}
	r.name = smallWords(markdown.LanguageName(l.Lang)).squeezable()
	r.wrap = newButton(buttonQuiet, i18n.T("Wrap"), r.onWrap)
	r.wrap.Hide()
	r.copy = newButton(buttonQuiet, i18n.T("Copy"), func() { onCopy(r.code) })
	r.bar = line(gap12, 0, r.name, r.wrap, r.copy)
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
	beside := r.line && !r.text.wrap && r.text.widest <= width-2*gap12-besideCopy
	if r.folded || beside {
		r.padTop, r.aside = gap8, besideCopy
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
	if w := windowOf(r); w != nil {
		w.chat.port.remeasure(r)
	}
}

func (r *codeRow) textWidth(width float32) float32 { return width - 2*gap12 - r.aside }

func (r *codeRow) measure(width float32) float32 {
	r.fit(width)
	h := r.text.measure(r.textWidth(width)) + r.padTop + gap8
	if r.overflows(width) {
		h += gap4 // for the thumb
	}
	return h
}

func (r *codeRow) overflows(width float32) bool {
	return !r.text.wrap && r.text.widest > r.textWidth(width)
}

func (r *codeRow) look(from, to float32) { r.text.look(from-r.padTop, to-r.padTop) }

// passScroll tells who scrolls up and down.
func (r *codeRow) passScroll(f func(*fyne.ScrollEvent)) { r.text.pass = f }

func (r *codeRow) inner(p fyne.Position) fyne.Position { return p.SubtractXY(gap12, r.padTop) }

func (r *codeRow) selectLen() int                   { return r.text.selectLen() }
func (r *codeRow) offsetAt(p fyne.Position) int     { return r.text.offsetAt(r.inner(p)) }
func (r *codeRow) setSelection(from, to int)        { r.text.setSelection(from, to) }
func (r *codeRow) selectedText(from, to int) string { return r.text.selectedText(from, to) }
func (r *codeRow) wordAt(off int) (int, int)        { return r.text.wordAt(off) }

func (r *codeRow) placeThumb() {
	inner := r.textWidth(r.Size().Width)
	if !r.overflows(r.Size().Width) || inner <= 0 {
		r.thumb.Resize(fyne.Size{})
		return
	}
	size := max(28, inner*inner/r.text.widest)
	at := (inner - size) * r.text.offset / max(1, r.text.maxOffset())
	r.thumb.Move(fyne.NewPos(gap12+at, r.Size().Height-gap8))
	r.thumb.Resize(fyne.NewSize(size, gap4))
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
	r.bar.Move(fyne.NewPos(gap12, gap4+1))
	r.bar.Resize(fyne.NewSize(s.Width-gap12-gap8, h))
	width := r.textWidth(s.Width)
	r.text.Move(fyne.NewPos(gap12, r.padTop))
	r.text.Resize(fyne.NewSize(width, r.text.measure(width)))
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
