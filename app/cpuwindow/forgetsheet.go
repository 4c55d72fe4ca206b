package cpuwindow

import (
	"context"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forget"
)

// forgetter finds what is to be forgotten, and forgets it; *backend.Backend is one.
type forgetter interface {
	ForgetPlan(ctx context.Context, s forget.Selection) (*forget.Plan, error)
	Forget(ctx context.Context, p *forget.Plan) (forget.Report, error)
}

const (
	// sheetWidth is how wide the sheet is, at most.
	sheetWidth float32 = 440
	// sheetQuotes is how many texts the sheet quotes.
	sheetQuotes = 4
)

// forgetMessage asks whether a message of the shown conversation is to be forgotten.
func (w *Window) forgetMessage(block string) {
	w.forget(tr("Forget this message?"), forget.Selection{Chunk: w.shown.name + "/" + block})
}

// forgetSession asks whether all that was said in a session is to be forgotten.
func (w *Window) forgetSession(in sessionmem.Info) {
	w.forget(trWith("Forget all that was said in “{{.Title}}”?", places{"Title": shorten(orElse(in.Title, in.Name), 40)}), forget.Selection{Session: in.Name})
}

// forget looks for what would go, and asks.
func (w *Window) forget(title string, s forget.Selection) {
	go func() {
		plan, err := w.parts.forgetter.ForgetPlan(w.ctx, s)
		w.p.Do(func() {
			switch {
			case err != nil:
				w.tell(trWith("What would be forgotten can't be found: {{.Error}}", places{"Error": err.Error()}), "")
			case plan.Nothing():
				w.tell(tr("There is nothing to forget."), "")
			default:
				w.askForget(title, plan)
			}
		})
	}()
}

// askForget shows what would go, and does it where that is wanted.
func (w *Window) askForget(title string, plan *forget.Plan) {
	var m *modal
	objects := []fyne.CanvasObject{titleWords(title), spacer(gap4)}
	for _, text := range forgetLines(plan) {
		objects = append(objects, newParagraph(text, roleText))
	}
	for _, text := range forgetQuotes(plan) {
		objects = append(objects, newProse([]run{{text: "“" + text + "”"}}, sizeSmall, roleMuted))
	}
	objects = append(objects, spacer(gap4), newParagraph(tr("This can't be undone. Nothing is sent anywhere."), roleMuted), spacer(gap8))
	cancel := newButton(buttonPlain, tr("Cancel"), func() { m.close() })
	buttons := []fyne.CanvasObject{newButton(buttonDanger, tr("Forget"), func() { m.close(); w.doForget(plan) })}
	if placesWith(plan, sessionmem.ForgetProposed) > 0 {
		with := plan.Selection
		with.Lessons = true
		buttons = append(buttons, newButton(buttonPlain, tr("With its lessons…"), func() { m.close(); w.forget(title, with) }))
	}
	card := newCardRow(roleNone, append(objects, line(gap8, -1, append(buttons, cancel)...))...)
	card.pad = gap16
	m = w.showModal(card, sheetWidth)
	w.win.Canvas().Focus(cancel) // Enter must not be enough
}

// doForget forgets, off the UI goroutine; what is shown follows the notice of it.
func (w *Window) doForget(plan *forget.Plan) {
	go func() {
		report, err := w.parts.forgetter.Forget(w.ctx, plan)
		w.p.Do(func() {
			switch {
			case err != nil:
				w.tell(trWith("Not all of it is forgotten yet: {{.Error}}", places{"Error": err.Error()}), tr("The next start tries again."))
			case report.Refused > 0:
				w.tell(trCount("{{.N}} places still hold what was to be forgotten.", report.Refused), firstRefused(report))
			default:
				w.foot.setReload(tr("forgotten"))
			}
		})
	}()
}

// firstRefused says why the first of the places could not be emptied, and what to do.
func firstRefused(r forget.Report) string {
	for _, t := range r.Found {
		if t.Action == sessionmem.ForgetRefused {
			return orElse(t.Path, t.Place) + ": " + t.Why
		}
	}
	return ""
}

func placesWith(p *forget.Plan, actions ...string) (n int) {
	for _, t := range p.Found {
		for _, a := range actions {
			if t.Action == a {
				n++
			}
		}
	}
	return n
}

// forgetLines says what would be done, in sentences.
func forgetLines(p *forget.Plan) []string {
	var lines []string
	add := func(n int, text func(int) string) {
		if n > 0 {
			lines = append(lines, "• "+text(n))
		}
	}
	add(placesWith(p, sessionmem.ForgetEmptied), func(n int) string { return trCount("{{.N}} texts become [forgotten].", n) })
	add(placesWith(p, sessionmem.ForgetRebuilt), func(n int) string {
		return trCount("{{.N}} summaries that cover it are made anew of what is left.", n)
	})
	add(placesWith(p, sessionmem.ForgetRemoved), func(n int) string {
		return trCount("It goes from {{.N}} other places: memory, files, copies, caches.", n)
	})
	add(placesWith(p, sessionmem.ForgetProposed), func(n int) string {
		return trCount("{{.N}} lessons learnt from it are proposed for removal.", n)
	})
	add(placesWith(p, sessionmem.ForgetKept), func(n int) string { return trCount("{{.N}} places that tell of the same stay.", n) })
	return lines
}

// forgetQuotes are the first texts that would go.
func forgetQuotes(p *forget.Plan) []string {
	var quotes []string
	for _, t := range p.Found {
		if t.Action == sessionmem.ForgetEmptied && t.Place != "title" && t.Text != "" && len(quotes) < sheetQuotes {
			quotes = append(quotes, shorten(strings.TrimSpace(t.Text), 100))
		}
	}
	return quotes
}

// forgot follows a forgetting, of whatever program: what is held of sessions is read
// again, and drafts that hold it go.
func (w *Window) forgot(holds func(text string) bool) {
	for name, kept := range w.drafts {
		if kept, changed := kept.without(holds); changed {
			w.drafts[name] = kept
		}
	}
	for _, c := range w.convs {
		if c.dropUnsent(holds) && c == w.shown {
			w.compose.setText("")
		}
		if !c.busy() && c != w.shown && c.begun() {
			w.load(c)
		}
	}
	w.keepDrafts()
	if w.visible {
		w.reloadList()
	}
	w.reloadShown()
}

// without leaves out what holds something.
func (k keptDraft) without(holds func(string) bool) (keptDraft, bool) {
	out := keptDraft{Draft: k.Draft}
	if holds(k.Draft) {
		out.Draft = ""
	}
	for _, text := range k.Queue {
		if !holds(text) {
			out.Queue = append(out.Queue, text)
		}
	}
	return out, out.Draft != k.Draft || len(out.Queue) != len(k.Queue)
}

// dropUnsent takes what holds something out of what is not sent yet. It reports
// whether the draft was.
func (c *conversation) dropUnsent(holds func(string) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.queue[:0:0]
	for _, q := range c.queue {
		if !holds(q.text) {
			kept = append(kept, q)
		}
	}
	c.queue = kept
	if c.draft == "" || !holds(c.draft) {
		return false
	}
	c.draft = ""
	return true
}
