package cpuwindow

import (
	"cmp"
	"context"
	"slices"

	"fyne.io/fyne/v2"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
)

// forgetter finds what is to be forgotten, and forgets it; *backend.Backend is one.
type forgetter interface {
	ForgetPlan(ctx context.Context, s forget.Selection) (*forget.Plan, error)
	Forget(ctx context.Context, p *forget.Plan) (forget.Report, error)
}

// forgetMessage asks whether a message of the shown conversation is to be forgotten.
func (w *Window) forgetMessage(block string) {
	w.forget(i18n.T("Forget this message?"), forget.Selection{Chunk: w.shown.Name + "/" + block})
}

// forgetSession asks whether all that was said in a session is to be forgotten.
func (w *Window) forgetSession(in transcript.Info) {
	w.forget(i18n.With("Forget all that was said in “{{.Title}}”?", i18n.Places{"Title": i18n.Shorten(cmp.Or(in.Title, in.Name), 40)}), forget.Selection{Session: in.Name})
}

// forget looks for what would go, and asks.
func (w *Window) forget(title string, s forget.Selection) {
	go func() {
		plan, err := w.parts.forgetter.ForgetPlan(w.ctx, s)
		w.p.Do(func() {
			switch {
			case err != nil:
				w.tell(i18n.With("Couldn't find what to forget: {{.Error}}", i18n.Places{"Error": err.Error()}), "")
			case plan.Nothing():
				w.tell(i18n.T("There is nothing to forget."), "")
			default:
				w.askForget(title, plan)
			}
		})
	}()
}

// askForget shows what would go and what may be chosen to go too, and does it where
// that is wanted.
func (w *Window) askForget(title string, plan *forget.Plan) {
	var m *overlay.Modal
	chosen := &forgetChoice{of: plan, also: map[string]bool{}}
	cancel := kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), func() { m.Close() })
	list := column.NewListBox(forgetPlanRows(plan, chosen), w.sheetRoom())
	chosen.reworded = list.Port.Remeasure
	card := column.NewCardRow(kit.RoleNone,
		kit.Title(title), column.Spacer(kit.Gap4),
		list, column.Spacer(kit.Gap4),
		prose.NewParagraph(forgetWarning(plan), kit.RoleMuted), column.Spacer(kit.Gap8),
		kit.Line(kit.Gap8, -1, kit.NewButton(kit.ButtonDanger, i18n.T("Forget"), func() { m.Close(); w.doForget(chosen) }), cancel))
	card.Pad = kit.Gap16
	m = overlay.ShowModal(w.win.Canvas(), card, sheetWidth)
	w.win.Canvas().Focus(cancel) // Enter must not be enough
}

// forgetWarning says what a forgetting means.
func forgetWarning(plan *forget.Plan) string {
	if slices.ContainsFunc(plan.Found, func(t forgotten.Touched) bool { return t.Place == "server" }) {
		return i18n.T("This can't be undone. Your other machines forget it too: the memory server passes on encrypted hashes of it, no text.")
	}
	return i18n.T("This can't be undone. Nothing is sent anywhere.")
}

// forgetChoice is what was chosen on the sheet beside what the plan names.
type forgetChoice struct {
	of      *forget.Plan
	also    map[string]bool // by Touched.Offer
	lessons bool
	// reworded measures a heading of the sheet anew.
	reworded func(head kit.Row)
}

// setLessons chooses whether what was learnt goes at once, and words its heading so.
func (c *forgetChoice) setLessons(groups []forgetGroup, on bool) {
	c.lessons = on
	for _, g := range groups {
		if g.action == forgotten.Proposed {
			g.head.SetRuns([]prose.Run{{Text: learntWords(on), Bold: true}})
			c.reworded(g.head)
		}
	}
}

// plan finds what goes with what was chosen.
func (c *forgetChoice) plan(ctx context.Context, f forgetter) (*forget.Plan, error) {
	s := c.of.Selection
	s.Lessons = s.Lessons || c.lessons
	for _, o := range c.of.Offers() {
		if c.also[o.Offer] {
			s.Also = append(s.Also, o.Offer)
		}
	}
	if len(s.Also) == len(c.of.Selection.Also) && s.Lessons == c.of.Selection.Lessons {
		return c.of, nil
	}
	return f.ForgetPlan(ctx, s)
}

// doForget forgets, off the UI goroutine; what is shown follows the notice of it.
func (w *Window) doForget(chosen *forgetChoice) {
	go func() {
		report := forget.Report{}
		plan, err := chosen.plan(w.ctx, w.parts.forgetter)
		if err == nil {
			report, err = w.parts.forgetter.Forget(w.ctx, plan)
		}
		w.p.Do(func() {
			switch {
			case err != nil:
				w.tell(i18n.With("Not all of it is forgotten yet: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("The app tries again by itself."))
			case report.Left() > 0:
				w.showForgot(i18n.T("Not all of it is forgotten yet"), report)
			default:
				w.foot.SetReload(i18n.T("forgotten"))
				w.showForgot(i18n.Count("Forgotten in {{.N}} places", forgotPlaces(report)), report)
			}
		})
	}()
}

// showForgot shows every place that was touched, and what was refused.
func (w *Window) showForgot(title string, report forget.Report) {
	var m *overlay.Modal
	done := kit.NewButton(kit.ButtonPlain, i18n.T("Close"), func() { m.Close() })
	parts := []fyne.CanvasObject{kit.Title(title), column.Spacer(kit.Gap4), column.NewListBox(groupRows(forgetGroups(report.Found, true)), w.sheetRoom())}
	if report.Left() > 0 {
		parts = append(parts, column.Spacer(kit.Gap4), prose.NewParagraph(i18n.T("The app tries again by itself."), kit.RoleMuted))
	}
	card := column.NewCardRow(kit.RoleNone, append(parts, column.Spacer(kit.Gap8), kit.Line(kit.Gap8, -1, done))...)
	card.Pad = kit.Gap16
	m = overlay.ShowModal(w.win.Canvas(), card, sheetWidth)
	w.win.Canvas().Focus(done)
}

// sheetRoom is how high the list of a sheet may be in the window as it is now.
func (w *Window) sheetRoom() float32 {
	return max(sheetLeast, w.win.Canvas().Size().Height-sheetRest)
}

// forgotPlaces counts where something went.
func forgotPlaces(r forget.Report) (n int) {
	for _, t := range r.Found {
		if t.Action != forgotten.Kept && t.Action != forgotten.Refused {
			n++
		}
	}
	return n
}

// forgot follows a forgetting, of whatever program: what is held of sessions is read
// again, and drafts that hold it go.
func (w *Window) forgot(holds func(text string) bool) {
	for name, kept := range w.drafts {
		if kept, changed := kept.Without(holds); changed {
			w.drafts[name] = kept
		}
	}
	for _, c := range w.convs {
		if c.DropUnsent(holds) && c == w.shown {
			w.compose.SetText("")
		}
		if !c.Busy() && c != w.shown && c.Begun() {
			w.load(c)
		}
	}
	w.keepDrafts()
	if w.visible {
		w.reloadList()
	}
	w.reloadShown()
}
