package settings

import (
	"context"
	"fmt"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/cpuwindow/indexwords"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/recall"
)

const (
	barWidth     = 200                    // of the bar, like that of a download
	pollBuilding = 500 * time.Millisecond // between two polls of an index being built
	pollWaiting  = 2 * time.Second        // between two polls of an index that will be built, or whose vectors are being made
	pollTimeout  = 5 * time.Second        // limit for one poll
)

// indexCard shows what the search index covers and the progress of a build, and rebuilds
// the index.
type indexCard struct {
	*column.CardRow
	page    *Page
	facts   *prose.Text
	bar     *kit.Gauge // progress of a build
	detail  *prose.Text
	rebuild *kit.Button
	stop    *kit.Button
	pause   *kit.Button // pauses making vectors, or resumes it
	now     *kit.Button // makes the vectors at full speed
	held    recall.Held
	buttons *fyne.Container
	cancel  func() // cancels the build that the user started; nil if there is none
	looking bool
}

func newIndexCard(p *Page) *indexCard {
	c := &indexCard{page: p, facts: prose.New([]prose.Run{{Text: i18n.T("Looking at the index…")}}, kit.SizeText, kit.RoleText), detail: prose.New(nil, kit.SizeSmall, kit.RoleMuted)}
	c.detail.Hidden = true
	c.bar = kit.NewGauge(barWidth)
	c.bar.Hide()
	c.rebuild = kit.NewButton(kit.ButtonPlain, i18n.T("Rebuild"), c.onRebuild)
	c.stop = kit.NewButton(kit.ButtonPlain, i18n.T("Stop"), func() { c.cancel() })
	c.stop.Hide()
	c.pause = kit.NewButton(kit.ButtonPlain, i18n.T("Pause"), c.onPause)
	c.now = kit.NewButton(kit.ButtonPlain, i18n.T("Finish now"), c.onNow)
	c.pause.Hide()
	c.now.Hide()
	c.buttons = kit.Line(kit.Gap8, -1, c.rebuild, c.stop, c.pause, c.now)
	c.CardRow = column.NewCardRow(kit.RoleNone, c.facts, c.bar, c.detail, c.buttons)
	c.Pad, c.Gap = kit.Gap12, kit.Gap8
	return c
}

// onRebuild rebuilds the index, or continues a build that was stopped. The old index
// answers meanwhile.
func (c *indexCard) onRebuild() {
	if c.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(c.page.host.Context())
	c.setBusy(cancel)
	go func() {
		err := c.page.parts.Index.RebuildIndex(ctx)
		stopped := ctx.Err() != nil
		cancel()
		if c.page.host.Context().Err() != nil {
			return
		}
		c.page.host.Do(func() {
			c.setBusy(nil)
			if err != nil && !stopped {
				c.page.host.Notify(i18n.T("The search index could not be rebuilt"), err.Error())
			}
			c.poll()
		})
	}()
	c.poll()
}

// onPause pauses making vectors, or resumes it.
func (c *indexCard) onPause() {
	paused := c.held != recall.HeldPaused
	go func() {
		c.page.parts.Index.PauseVectors(paused)
		c.page.host.Do(c.poll)
	}()
}

// onNow makes the missing vectors at full speed.
func (c *indexCard) onNow() {
	go func() {
		c.page.parts.Index.VectorsNow()
		c.page.host.Do(c.poll)
	}()
}

// showVectors shows the buttons for making vectors.
func (c *indexCard) showVectors(s recall.Status) {
	making := s.Vectors == recall.VectorsBuilding && !s.Building && c.cancel == nil
	c.held = s.VectorsHeld
	c.pause.Hidden, c.now.Hidden = !making, !making
	c.pause.SetText(i18n.T("Pause"))
	if c.held == recall.HeldPaused {
		c.pause.SetText(i18n.T("Resume"))
	}
}

func (c *indexCard) setBusy(cancel func()) {
	c.cancel = cancel
	c.rebuild.Hidden, c.stop.Hidden, c.buttons.Hidden = cancel != nil, cancel == nil, false
	c.buttons.Refresh()
}

// poll shows the index's state, and keeps looking while the index is being built and the
// page is shown.
func (c *indexCard) poll() {
	if c.looking {
		return
	}
	c.looking = true
	go func() {
		ctx, stop := context.WithTimeout(c.page.host.Context(), pollTimeout)
		s, err := c.page.parts.Index.IndexStatus(ctx)
		stop()
		if c.page.host.Context().Err() != nil {
			return
		}
		c.page.host.Do(func() {
			c.looking = false
			c.show(s, err)
			if wait := c.nextPoll(s, err); wait > 0 && c.page.visible() {
				time.AfterFunc(wait, func() { c.page.host.Do(c.poll) })
			}
		})
	}()
}

// nextPoll returns the time until the next poll, or 0 if nothing is under way.
func (c *indexCard) nextPoll(s recall.Status, err error) time.Duration {
	switch {
	case c.cancel != nil, err == nil && s.Building:
		return pollBuilding
	case err != nil, s.Behind > 0, s.Vectors == recall.VectorsBuilding:
		return pollWaiting
	}
	return 0
}

func (c *indexCard) show(s recall.Status, err error) {
	facts, detail := indexWords(s), indexDetail(s)
	if err != nil {
		facts, detail = i18n.T("The search index can't be used."), i18n.Sentence(err.Error())+" "+i18n.T("You can delete it at any time: it is rebuilt from the conversations.")
	}
	c.facts.SetRuns([]prose.Run{{Text: facts}})
	c.bar.Hidden = err != nil || !s.Building || s.Of == 0
	c.bar.Set(float64(s.Done)/float64(max(s.Of, 1)), kit.RoleAccent)
	c.rebuild.SetText(i18n.T("Rebuild"))
	if s.Unfinished {
		c.rebuild.SetText(i18n.T("Resume rebuild"))
	}
	c.showVectors(s)
	c.buttons.Hidden = c.cancel == nil && err == nil && s.Building // a build the user didn't start
	c.buttons.Refresh()                                            // their widths may have changed
	c.detail.Hidden = detail == ""
	if detail != "" {
		c.detail.SetRuns([]prose.Run{{Text: detail}})
	}
	c.page.View.Remeasure(c)
	c.Refresh()
}

// indexWords describes what the index covers and what is missing.
func indexWords(s recall.Status) string {
	if !s.Building && s.Behind == 0 && s.Err == nil {
		return i18n.With("Index up to date: {{.Conversations}}, {{.Passages}}", i18n.Places{
			"Conversations": i18n.Count("{{.N}} conversations", s.Files), "Passages": i18n.Count("{{.N}} passages", s.Chunks),
		})
	}
	words := i18n.With("Index: {{.Conversations}}, {{.Passages}}", i18n.Places{
		"Conversations": i18n.Count("{{.N}} conversations", s.Files), "Passages": i18n.Count("{{.N}} passages", s.Chunks),
	})
	if s.Building && s.Of > 0 {
		words += " · " + fmt.Sprintf("%d %%", 100*s.Done/s.Of)
	}
	return words + " · " + indexwords.Of(s.State)
}

// indexDetail returns the index's size, and whether it searches by meaning.
func indexDetail(s recall.Status) string {
	detail := ""
	if s.Unfinished {
		detail = i18n.T("A rebuild was stopped. It resumes where it left off.") + " "
	}
	if s.Bytes > 0 {
		detail += i18n.Number(fmt.Sprintf("%.1f MB", float64(s.Bytes)/1e6)) + " · "
	}
	if s.Vectors == recall.VectorsBuilding && s.VectorCount > 0 {
		return detail + i18n.With("{{.N}} of {{.Passages}} by meaning with {{.Model}}", i18n.Places{"N": i18n.Thousands(s.VectorCount), "Passages": i18n.Count("{{.N}} passages", s.Chunks), "Model": s.Model}) + vectorsHeld(s)
	}
	if s.VectorCount > 0 {
		return detail + i18n.With("by meaning with {{.Model}}", i18n.Places{"Model": s.Model})
	}
	return detail + i18n.T("by words alone: no embedding model is at work")
}

// vectorsHeld explains why no vectors are being made, or how long the rest takes.
func vectorsHeld(s recall.Status) string {
	switch {
	case s.VectorsHeld == recall.HeldPaused:
		return " · " + i18n.T("paused")
	case s.VectorsHeld == recall.HeldPower:
		return " · " + i18n.T("waiting for mains power")
	case s.VectorsLeft >= time.Hour:
		return " · " + i18n.Count("about {{.N}} hours left", int(s.VectorsLeft.Round(time.Hour)/time.Hour))
	case s.VectorsLeft > 0:
		return " · " + i18n.Count("about {{.N}} minutes left", int(s.VectorsLeft/time.Minute)+1)
	}
	return ""
}
