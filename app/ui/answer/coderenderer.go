package answer

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/app/ui/prose"
)

type codeRenderer struct {
	prose.LinePaint
	t     *codeText
	width float32 // for which the lines are drawn
}

func (r *codeRenderer) Layout(s fyne.Size) {
	if t := r.t; t.offset > t.maxOffset() {
		t.offset = t.maxOffset()
		r.Refresh()
	} else if t.drawn != t.version || r.width != s.Width {
		r.Refresh()
	}
}

func (r *codeRenderer) MinSize() fyne.Size { return fyne.NewSize(0, codeLeading()) }

func (r *codeRenderer) Objects() []fyne.CanvasObject { return r.Drawn }

func (r *codeRenderer) Destroy() {}

// Refresh places the visible lines.
func (r *codeRenderer) Refresh() {
	t := r.t
	t.drawn, r.width = t.version, t.Size().Width
	r.Begin()
	first, last := t.visibleLines()
	for n := first; n < last; n++ {
		l, y := t.lines[n], float32(n)*codeLeading()
		mark := func(role fyne.ThemeColorName, from, to int) {
			r.Rect(role, fyne.NewPos(t.span(l.from, from)-t.offset, y), fyne.NewSize(t.span(from, to), codeLeading()), 0)
		}
		if from, to := max(l.from, t.selFrom), min(l.to, t.selTo); from < to {
			mark(kit.RoleSelection, from, to)
		}
		prose.EachMark(t.Marks, t.markNow, l.from, l.to, mark)
		r.line(l, y)
	}
	r.End()
	canvas.Refresh(t)
}

// line draws the pieces of a line, split where the colour or the font changes.
func (r *codeRenderer) line(l codeLine, y float32) {
	t := r.t
	k := spanAt(t.spans, l.from)
	x := -t.offset
	for at := l.from; at < l.to; {
		end, role := l.to, kit.RoleText
		if k < len(t.spans) {
			end, role = min(int(t.spans[k].To), l.to), inkRole(t.spans[k].Ink)
		}
		end = at + kit.SameFont(t.code[at:end])
		w := t.piece(t.code[at:end])
		if x+w > 0 && x < t.Size().Width || t.Size().Width == 0 {
			r.piece(t.code[at:end], role, x, y)
		}
		x += w
		at = end
		if k < len(t.spans) && at >= int(t.spans[k].To) {
			k++
		}
	}
}

// piece draws text of one colour and font. Of a long one it draws only the visible part,
// because a texture can't be wider.
func (r *codeRenderer) piece(s string, role fyne.ThemeColorName, x, y float32) {
	t := r.t
	if cells := int(t.Size().Width/t.cell) + 2; len(s) > cells && t.Size().Width > 0 && kit.InOwnFont(s) {
		left := max(0, int(-x/t.cell))
		s = s[runeOffset(s, left):]
		s = s[:runeOffset(s, cells)]
		x += float32(left) * t.cell
	}
	if strings.TrimSpace(s) != "" {
		r.Text(s, role, fyne.NewPos(x, y), t.piece(s), codeLeading(), codeSize(), fyne.TextStyle{Monospace: true})
	}
}

// spanAt returns the index of the span that contains a byte.
func spanAt(spans []markdown.Span, at int) int {
	lo, hi := 0, len(spans)
	for lo < hi {
		m := (lo + hi) / 2
		if int(spans[m].To) <= at {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// inkRole returns the colour role for a class of code.
func inkRole(k markdown.Ink) fyne.ThemeColorName {
	switch k {
	case markdown.Keyword:
		return kit.RoleCodeKeyword
	case markdown.String:
		return kit.RoleCodeString
	case markdown.Number:
		return kit.RoleCodeNumber
	case markdown.Comment:
		return kit.RoleMuted
	case markdown.Name:
		return kit.RoleCodeName
	}
	return kit.RoleText
}
