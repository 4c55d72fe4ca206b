package cpuwindow

import (
	"context"
	"fmt"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/sessionmem/recall"
)

const (
	indexLook = 500 * time.Millisecond // between two looks at an index that is being built
	indexTime = 5 * time.Second        // for one look
)

// indexCard says in Settings what the search index covers, and builds it anew.
type indexCard struct {
	*cardRow
	w       *Window
	facts   *prose
	detail  *prose
	rebuild *button
	buttons fyne.CanvasObject
	busy    bool // it is being built because somebody asked for it
	looking bool
}

func newIndexCard(w *Window) *indexCard {
	c := &indexCard{w: w, facts: newProse([]run{{text: tr("Looking at the index…")}}, sizeText, roleText), detail: newProse(nil, sizeSmall, roleMuted)}
	c.detail.Hidden = true
	c.rebuild = newButton(buttonPlain, tr("Rebuild"), c.onRebuild)
	c.buttons = line(gap8, -1, c.rebuild)
	c.cardRow = newCardRow(roleNone, c.facts, c.detail, c.buttons)
	c.pad, c.gap = gap12, gap8
	return c
}

// onRebuild builds the index anew; the old one answers meanwhile.
func (c *indexCard) onRebuild() {
	if c.busy {
		return
	}
	c.setBusy(true)
	go func() {
		err := c.w.parts.recaller.RebuildIndex(c.w.ctx)
		if c.w.ctx.Err() != nil {
			return
		}
		c.w.p.Do(func() {
			c.setBusy(false)
			if err != nil {
				c.w.tell(tr("The search index could not be rebuilt"), err.Error())
			}
			c.look()
		})
	}()
	c.look()
}

func (c *indexCard) setBusy(on bool) {
	c.busy = on
	text := tr("Rebuild")
	if on {
		text = tr("Rebuilding…")
	}
	c.rebuild.SetText(text)
	c.buttons.Refresh() // it is wider now
}

// look shows how the index is now and, while it is being built and the page is there,
// goes on looking.
func (c *indexCard) look() {
	if c.looking {
		return
	}
	c.looking = true
	go func() {
		ctx, stop := context.WithTimeout(c.w.ctx, indexTime)
		s, err := c.w.parts.recaller.IndexStatus(ctx)
		stop()
		if c.w.ctx.Err() != nil {
			return
		}
		c.w.p.Do(func() {
			c.looking = false
			c.show(s, err)
			if (c.busy || err == nil && s.Building) && c.w.page == pageSettings && c.w.visible {
				time.AfterFunc(indexLook, func() { c.w.p.Do(c.look) })
			}
		})
	}()
}

func (c *indexCard) show(s recall.Status, err error) {
	facts, detail := indexWords(s), indexDetail(s)
	if err != nil {
		facts, detail = tr("The search index can't be used."), fullStop(err.Error())+" "+tr("It may be deleted at any time: it is built anew from the conversations.")
	}
	c.facts.setRuns([]run{{text: facts}})
	c.detail.Hidden = detail == ""
	if detail != "" {
		c.detail.setRuns([]run{{text: detail}})
	}
	c.w.pageView.remeasure(c)
	c.Refresh()
}

// indexWords say what the index covers and how far it is behind.
func indexWords(s recall.Status) string {
	words := trWith("{{.Passages}} of {{.Files}} can be found", places{
		"Passages": trCount("{{.N}} passages", s.Chunks), "Files": trCount("{{.N}} files", s.Files),
	})
	return words + " · " + s.String()
}

// indexDetail is its size, and whether it searches by meaning.
func indexDetail(s recall.Status) string {
	detail := ""
	if s.Bytes > 0 {
		detail = fmt.Sprintf("%.1f MB", float64(s.Bytes)/1e6) + " · "
	}
	if s.VectorCount > 0 {
		return detail + trWith("by meaning with {{.Model}}", places{"Model": s.Model})
	}
	return detail + tr("by words alone: no embedding model is at work")
}
