// Package forgetsheet is the sheet that asks what to forget and shows the result.
//
// The user names a message or a session. The sheet shows a plan of what will be forgotten and of
// what may repeat it, and carries it out only when Forget is pressed; Enter is not enough.
// Afterwards it lists every place that changed and every place that couldn't be changed. The
// Forgetter makes the plan and does the forgetting; this package changes nothing itself. The
// window opens the sheet.
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

// Host is what the sheet needs from the window.
type Host interface {
	kit.Window
	Notify(words, more string)
	Forgotten() // called when everything in the plan is forgotten
}

// Forgetter plans and carries out a forgetting. Its methods are called off the UI goroutine.
type Forgetter interface {
	ForgetPlan(ctx context.Context, s forget.Selection) (*forget.Plan, error)
	Forget(ctx context.Context, p *forget.Plan) (forget.Report, error)
}

// AskMessage asks whether to forget a message of a session.
func AskMessage(h Host, f Forgetter, session, block string) {
	sheet{h, f}.find(i18n.T("Forget this message?"), forget.Selection{Chunk: session + "/" + block})
}

// AskSession asks whether to forget everything said in a session.
func AskSession(h Host, f Forgetter, in transcript.Info) {
	sheet{h, f}.find(i18n.With("Forget everything said in “{{.Title}}”?", i18n.Places{"Title": i18n.Shorten(cmp.Or(in.Title, in.Name), 40)}), forget.Selection{Session: in.Name})
}

// sheet asks about and reports one forgetting.
type sheet struct {
	host      Host
	forgetter Forgetter
}

// find makes the plan, then asks.
func (s sheet) find(title string, chosen forget.Selection) {
	go func() {
		plan, err := s.forgetter.ForgetPlan(s.host.Context(), chosen)
		s.host.Do(func() {
			switch {
			case err != nil:
				s.host.Notify(i18n.With("Couldn't find what to forget: {{.Error}}", i18n.Places{"Error": err.Error()}), "")
			case plan.Nothing():
				s.host.Notify(i18n.T("There is nothing to forget."), "")
			default:
				s.ask(title, plan)
			}
		})
	}()
}

// ask shows the plan and carries it out if the user presses Forget.
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
	s.host.Canvas().Focus(cancel) // Enter must not confirm
}

// forgetWarning returns the warning of a plan.
func forgetWarning(plan *forget.Plan) string {
	if slices.ContainsFunc(plan.Found, func(t forgotten.Touched) bool { return t.Place == "server" }) {
		return i18n.T("This can't be undone. Your other machines forget it too: the memory server passes on encrypted hashes of it, no text.")
	}
	return i18n.T("This can't be undone. Nothing is sent anywhere.")
}

// forgetChoice is what the user chose to forget in addition to the plan.
type forgetChoice struct {
	of      *forget.Plan
	also    map[string]bool // by Touched.Offer
	lessons bool
	// reworded measures a heading again after its text changed.
	reworded func(head kit.Row)
}

// setLessons sets whether the lessons are removed at once, and updates their heading.
func (c *forgetChoice) setLessons(groups []forgetGroup, on bool) {
	c.lessons = on
	for _, g := range groups {
		if g.action == forgotten.Proposed {
			g.head.SetRuns([]prose.Run{{Text: learntWords(on), Bold: true}})
			c.reworded(g.head)
		}
	}
}

// plan returns the plan with the user's additions.
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

// do carries out the plan off the UI goroutine. The backend's notice then updates the window.
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
				s.host.Notify(i18n.With("Not all of it is forgotten yet: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("The app tries again automatically."))
			case report.Left() > 0:
				s.report(i18n.T("Not all of it is forgotten yet"), report)
			default:
				s.host.Forgotten()
				s.report(i18n.Count("Forgotten in {{.N}} places", forgotPlaces(report)), report)
			}
		})
	}()
}

// report shows every place that changed and every one that couldn't be changed.
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

// room returns the largest height of the list in the window.
func (s sheet) room() float32 {
	return max(sheetLeast, s.host.Canvas().Size().Height-sheetRest)
}

// forgotPlaces counts the places where something was forgotten.
func forgotPlaces(r forget.Report) (n int) {
	for _, t := range r.Found {
		if t.Action != forgotten.Kept && t.Action != forgotten.Refused {
			n++
		}
	}
	return n
}
