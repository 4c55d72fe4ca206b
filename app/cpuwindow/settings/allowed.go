package settings

import (
	"cmp"
	"slices"

	"fyne.io/fyne/v2"

	"mac-stats/agents/tools"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// allowedCard lists what the person allowed for longer than a call, and takes it back.
type allowedCard struct {
	page *Page
	card *kit.CardRow // nil until the file was read
	list []tools.Permission
	said string // why the file can't be read or written; "" where it can
}

// look reads the file, off the UI goroutine.
func (c *allowedCard) look() { c.do(func() error { return nil }) }

// do does something with the file, off the UI goroutine, and draws the list of after.
func (c *allowedCard) do(work func() error) {
	if c.page.parts.Allowed == nil {
		return
	}
	go func() {
		failed := work()
		list, err := c.page.parts.Allowed.List()
		if c.page.host.Context().Err() != nil {
			return
		}
		c.page.host.Do(func() {
			said := ""
			if err = cmp.Or(failed, err); err != nil {
				said = i18n.Sentence(i18n.Capital(err.Error()))
			}
			if c.card == nil || c.said != said || !slices.Equal(c.list, list) {
				c.list, c.said = list, said
				c.draw()
			}
		})
	}()
}

func (c *allowedCard) draw() {
	parts := []fyne.CanvasObject{kit.Bold(i18n.T("Permissions"))}
	if len(c.list) == 0 && c.said == "" {
		parts = append(parts, kit.NewParagraph(i18n.T("Nothing is allowed for good. Tools that act outside mac-stats ask you each time."), kit.RoleMuted))
	}
	for _, p := range c.list {
		parts = append(parts, kit.NewParagraph(permissionWords(p), kit.RoleText),
			kit.NewFlowRow(kit.Gap8, kit.NewButton(kit.ButtonPlain, i18n.T("Revoke"), func() {
				c.do(func() error { return c.page.parts.Allowed.Revoke(p.ID()) })
			})))
	}
	if c.said != "" {
		parts = append(parts, kit.NewParagraph(c.said, kit.RoleHot))
	}
	if len(c.list) > 0 || c.said != "" {
		parts = append(parts, kit.NewFlowRow(kit.Gap8, kit.NewButton(kit.ButtonPlain, i18n.T("Open permissions.toml"), func() { c.page.host.OpenFile(c.page.parts.Allowed.Path()) })))
	}
	c.card = kit.NewCardRow(kit.RoleNone, parts...)
	c.card.Pad, c.card.Gap = kit.Gap12, kit.Gap8
	c.page.show()
}

// permissionWords say what is allowed, or never is.
func permissionWords(p tools.Permission) string {
	tool := p.Tool
	if p.Covers != "" {
		tool += " " + p.Covers
	}
	places := i18n.Places{"Agent": p.Agent, "Tool": tool, "Session": p.Session, "Schedule": p.Schedule, "Day": i18n.LongDate(p.Time)}
	switch {
	case p.Answer == tools.AnswerNever:
		return i18n.With("{{.Agent}} may never use {{.Tool}} (since {{.Day}})", places)
	case p.Schedule != "":
		return i18n.With("{{.Agent}} may use {{.Tool}} in the schedule {{.Schedule}} (since {{.Day}})", places)
	case p.Answer == tools.AnswerChat:
		return i18n.With("{{.Agent}} may use {{.Tool}} in the chat {{.Session}} (since {{.Day}})", places)
	}
	return i18n.With("{{.Agent}} may always use {{.Tool}} (since {{.Day}})", places)
}
