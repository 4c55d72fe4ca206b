// Package forgetsheet asks what is to be forgotten, and shows what came of it.
//
// A person names a message or a session; a plan of what would go is found, shown with what
// may repeat it, and done only when Forget is pressed: Enter alone is not enough. What was
// touched, and what couldn't be removed, is listed afterwards. The finding and the
// forgetting are the Forgetter's; nothing is changed here. The window opens it.
package forgetsheet

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

// Host is what the sheet needs of the window.
type Host interface {
	Do(f func())              // runs f on the UI goroutine, later
	Context() context.Context // ends with the window
	Canvas() fyne.Canvas
	Tell(words, more string)
	Forgotten() // all of it
}

// Forgetter finds what is to be forgotten, and forgets it; *backend.Backend is one. Off the
// UI goroutine.
type Forgetter interface {
	ForgetPlan(ctx context.Context, s forget.Selection) (*forget.Plan, error)
	Forget(ctx context.Context, p *forget.Plan) (forget.Report, error)
}

// AskMessage asks whether a message of a session is to be forgotten.
func AskMessage(h Host, f Forgetter, session, block string) {
	sheet{h, f}.find(i18n.T("Forget this message?"), forget.Selection{Chunk: session + "/" + block})
}

// AskSession asks whether all that was said in a session is to be forgotten.
func AskSession(h Host, f Forgetter, in transcript.Info) {
	sheet{h, f}.find(i18n.With("Forget everything said in “{{.Title}}”?", i18n.Places{"Title": i18n.Shorten(cmp.Or(in.Title, in.Name), 40)}), forget.Selection{Session: in.Name})
}

// sheet asks about one forgetting.
type sheet struct {
	host      Host
	forgetter Forgetter
}

// find looks for what would go, and asks.
func (s sheet) find(title string, chosen forget.Selection) {
	go func() {
		plan, err := s.forgetter.ForgetPlan(s.host.Context(), chosen)
		s.host.Do(func() {
			switch {
			case err != nil:
				s.host.Tell(i18n.With("Couldn't find what to forget: {{.Error}}", i18n.Places{"Error": err.Error()}), "")
			case plan.Nothing():
				s.host.Tell(i18n.T("There is nothing to forget."), "")
			default:
				s.ask(title, plan)
			}
		})
	}()
}

// ask shows what would go and what may be chosen to go too, and does it where
// that is wanted.
func (s sheet) ask(title string, plan *forget.Plan) {
	var m *overlay.Modal
	chosen := &forgetChoice{of: plan, also: map[string]bool{}}
	cancel := kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), func() { m.Close() })
	list := column.NewListBox(forgetPlanRows(plan, chosen), s.room())
	chosen.reworded = list.Port.Remeasure
	card := column.NewCardRow(kit.RoleNone,
		kit.Title(title), column.Spacer(kit.Gap4),
		list, column.Spacer(kit.Gap4),
		prose.NewParagraph(forgetWarning(plan), kit.RoleMuted), column.Spacer(kit.Gap8),
		kit.Line(kit.Gap8, -1, kit.NewButton(kit.ButtonDanger, i18n.T("Forget"), func() { m.Close(); s.do(chosen) }), cancel))
	card.Pad = kit.Gap16
	m = overlay.ShowModal(s.host.Canvas(), card, sheetWidth)
	s.host.Canvas().Focus(cancel) // Enter must not be enough
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
func (c *forgetChoice) plan(ctx context.Context, f Forgetter) (*forget.Plan, error) {
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

// do forgets, off the UI goroutine; what is shown follows the notice of it.
func (s sheet) do(chosen *forgetChoice) {
	go func() {
		report := forget.Report{}
		plan, err := chosen.plan(s.host.Context(), s.forgetter)
		if err == nil {
			report, err = s.forgetter.Forget(s.host.Context(), plan)
		}
		s.host.Do(func() {
			switch {
			case err != nil:
				s.host.Tell(i18n.With("Not all of it is forgotten yet: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("The app tries again automatically."))
			case report.Left() > 0:
				s.report(i18n.T("Not all of it is forgotten yet"), report)
			default:
				s.host.Forgotten()
				s.report(i18n.Count("Forgotten in {{.N}} places", forgotPlaces(report)), report)
			}
		})
	}()
}

// report shows every place that was touched, and what was refused.
func (s sheet) report(title string, report forget.Report) {
	var m *overlay.Modal
	done := kit.NewButton(kit.ButtonPlain, i18n.T("Close"), func() { m.Close() })
	parts := []fyne.CanvasObject{kit.Title(title), column.Spacer(kit.Gap4), column.NewListBox(groupRows(forgetGroups(report.Found, true)), s.room())}
	if report.Left() > 0 {
		parts = append(parts, column.Spacer(kit.Gap4), prose.NewParagraph(i18n.T("The app tries again automatically."), kit.RoleMuted))
	}
	card := column.NewCardRow(kit.RoleNone, append(parts, column.Spacer(kit.Gap8), kit.Line(kit.Gap8, -1, done))...)
	card.Pad = kit.Gap16
	m = overlay.ShowModal(s.host.Canvas(), card, sheetWidth)
	s.host.Canvas().Focus(done)
}

// room is how high the list of a sheet may be in the window as it is now.
func (s sheet) room() float32 {
	return max(sheetLeast, s.host.Canvas().Size().Height-sheetRest)
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
