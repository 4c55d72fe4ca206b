package transcripts

import (
	"fyne.io/fyne/v2"

	"mac-stats/app/ui/prose"
)

// openFind shows the find bar with the last phrase.
func (v *View) openFind() {
	if v.Read == nil {
		return
	}
	v.Bar.Show()
	v.Object.Refresh()
	if c := fyne.CurrentApp().Driver().CanvasForObject(v.Object); c != nil {
		c.Focus(v.Bar.Entry)
	}
	v.Bar.Entry.TypedShortcut(&fyne.ShortcutSelectAll{})
	v.search(v.Bar.Entry.Text)
}

func (v *View) closeFind() {
	v.Phrase, v.places = "", nil
	v.Bar.Hide()
	v.Object.Refresh()
	v.mark()
	if c := fyne.CurrentApp().Driver().CanvasForObject(v.Object); c != nil {
		c.Focus(v.Rows.Port)
	}
}

// search looks for a phrase in the whole transcript, off the UI goroutine.
func (v *View) search(phrase string) {
	v.Phrase = phrase
	v.findPlaces(true)
}

// findPlaces finds and counts the places. With jump, it goes to the first one in or after the part
// that has rows.
func (v *View) findPlaces(jump bool) {
	if v.Read == nil {
		return
	}
	phrase, snapshot, from := v.Phrase, *v.Read, v.Read.From
	go func() {
		places := snapshot.places(func(text string) []prose.Mark { return v.act.Find(text, phrase) })
		v.act.Do(func() {
			if v.Phrase != phrase {
				return
			}
			v.places = places
			if jump {
				v.at = 0
				for v.at < len(places)-1 && places[v.at].block < from {
					v.at++
				}
				v.goTo()
			}
			v.at = max(0, min(v.at, len(places)-1))
			v.Bar.SetCount(v.at, len(places))
			v.mark()
		})
	}()
}

// step goes to the next or previous place, wrapping around.
func (v *View) step(by int) {
	if n := len(v.places); n > 0 {
		v.at = (v.at + by + n) % n
		v.Bar.SetCount(v.at, n)
		v.goTo()
	}
}

// goTo scrolls to the current place.
func (v *View) goTo() {
	if v.at >= len(v.places) {
		return
	}
	p := v.places[v.at]
	if p.block >= len(v.Read.Blocks) {
		return // the file became shorter: the next search counts again
	}
	v.seek = &p
	v.Read.show(p.block)
	v.build()
}

// mark marks the phrase in the rows and scrolls to the place in v.seek.
func (v *View) mark() {
	if v.Read == nil {
		return
	}
	marks := func(text string) []prose.Mark {
		if v.Phrase == "" {
			return nil
		}
		return v.act.Find(text, v.Phrase)
	}
	p, target := v.target()
	if p.block >= len(v.Read.Blocks) {
		v.Rows.Port.MarkRows(marks, 0, 0, 0, false)
		return
	}
	span := v.index[v.Read.Blocks[p.block].ID]
	if target && span.folds && !v.Rows.Expanded[span.key] {
		v.Rows.Expanded[span.key] = true
		v.build()
		return // build calls mark again
	}
	if target && span.from < span.to {
		v.Rows.Port.RevealRow(v.Rows.Port.Rows[span.from].Row)
		v.seek = nil
	}
	v.Rows.Port.MarkRows(marks, span.from, span.to, p.nth, target)
}

// target returns the place to show as the current one. ok reports whether to scroll to it.
func (v *View) target() (p place, ok bool) {
	switch {
	case v.seek != nil:
		return *v.seek, true
	case v.at < len(v.places) && v.Bar.Visible():
		return v.places[v.at], false
	}
	return place{block: len(v.Read.Blocks)}, false
}
