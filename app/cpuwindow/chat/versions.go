package chat

import (
	"slices"

	"fyne.io/fyne/v2"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// pager is the way between the versions of a message: "‹ 2 / 3 ›".
type pager struct {
	id         string // of the one that is shown
	prev, next *kit.Button
	object     *fyne.Container
}

func (r *Rows) newPager(e *conversation.EntryView) *pager {
	all, at := e.Versions, slices.Index(e.Versions, e.Block)
	p := &pager{id: e.Block}
	turn := func(sign string, to int) *kit.Button {
		b := kit.NewButton(kit.ButtonQuiet, sign, func() { r.Act.UseVersion(all[to], to < at) })
		b.PadX = kit.Gap8 // enough to aim at
		if to < 0 || to == len(all) {
			b.Disable()
		}
		return b
	}
	p.prev, p.next = turn("‹", at-1), turn("›", at+1)
	words := kit.Small(i18n.With("{{.N}} / {{.All}}", i18n.Places{"N": at + 1, "All": len(all)}))
	p.object = kit.Inset(0, 0, -kit.Gap8, -kit.Gap8, kit.Line(0, -1, p.prev, words, p.next)) // its signs stand at the edges
	return p
}

// FocusVersion gives the focus to the way on from a version: back where one went back
// and can go on so.
func (c *View) FocusVersion(canvas fyne.Canvas, id string, back bool) {
	focus := func(p *pager) {
		if p == nil || p.id != id {
			return
		}
		b := p.next
		if back && !p.prev.Disabled() || p.next.Disabled() {
			b = p.prev
		}
		canvas.Focus(b)
	}
	for _, b := range c.Built {
		focus(b.pager)
	}
	for _, f := range c.feet {
		f.row.MinSize() // before that the toolkit does not know what is in it
		focus(f.pager)
	}
}
