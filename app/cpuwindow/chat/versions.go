package chat

import (
	"slices"

	"fyne.io/fyne/v2"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// pager steps through the versions of a message: "‹ 2 / 3 ›".
type pager struct {
	id         string // ID of the version that is shown
	prev, next *kit.Button
	object     *fyne.Container
}

func (r *Rows) newPager(e *conversation.EntryView) *pager {
	all, at := e.Versions, slices.Index(e.Versions, e.Block)
	p := &pager{id: e.Block}
	turn := func(sign string, to int) *kit.Button {
		b := kit.NewButton(kit.ButtonQuiet, sign, func() { r.Act.UseVersion(all[to], to < at) })
		b.PadX = kit.Gap8 // large enough to hit
		if to < 0 || to == len(all) {
			b.Disable()
		}
		return b
	}
	p.prev, p.next = turn("‹", at-1), turn("›", at+1)
	words := kit.Small(i18n.With("{{.N}} / {{.All}}", i18n.Places{"N": at + 1, "All": len(all)}))
	p.object = kit.Inset(0, 0, -kit.Gap8, -kit.Gap8, kit.Line(0, -1, p.prev, words, p.next)) // aligns the signs with the edges
	return p
}

// FocusVersion focuses the button that leads on from a version, in the direction the user
// was going if possible.
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
		f.row.MinSize() // the toolkit learns the row's content only then
		focus(f.pager)
	}
}
