package toolpage

import (
	"context"

	"fyne.io/fyne/v2"

	"mac-stats/agents/tools"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// permissions shows what the person allowed for longer than a call, each with a button that
// revokes it.
func (p *Page) permissions(l *list) {
	l.title(i18n.T("Permissions"))
	open := kit.NewButton(kit.ButtonQuiet, i18n.T("Open permissions.toml"), func() { p.host.OpenFile(p.parts.Allowed.Path()) })
	if p.known.badAllowed != "" {
		l.add(kit.Gap8, card(kit.RoleHot, prose.NewParagraph(p.known.badAllowed, kit.RoleText),
			prose.NewParagraph(i18n.T("Nothing is allowed until the file can be read: every call asks you."), kit.RoleMuted), column.Spacer(kit.Gap4), kit.NewFlowRow(kit.Gap16, open)))
		return
	}
	if len(p.known.allowed) == 0 {
		l.add(kit.Gap8, prose.NewParagraph(i18n.T("Nothing is allowed permanently. When you answer “always” or “never”, it appears here, and you can revoke it."), kit.RoleMuted))
		return
	}
	var parts []fyne.CanvasObject
	for i, one := range p.known.allowed {
		revoke := kit.NewButton(kit.ButtonQuiet, i18n.T("Revoke"), func() {
			p.do("", func(context.Context) error { return p.parts.Allowed.Revoke(one.ID()) })
		})
		if i > 0 {
			parts = append(parts, kit.Inset(kit.Gap4, kit.Gap4, 0, 0, kit.Hairline()))
		}
		tool := one.Tool
		if one.Covers != "" {
			tool += " " + one.Covers
		}
		parts = append(parts, kit.Line(kit.Gap16, 0, kit.Bold(tool).Squeezable(), revoke), prose.New([]prose.Run{{Text: p.permissionWords(one)}}, kit.SizeText, kit.RoleMuted))
	}
	l.add(kit.Gap8, card(kit.RoleNone, parts...))
	l.add(kit.Gap8, kit.NewFlowRow(kit.Gap16, open))
}

// permissionWords describes who may use a tool and where, or that nobody may.
func (p *Page) permissionWords(one tools.Permission) string {
	places := i18n.Places{"Agent": one.Agent, "Session": one.Session, "Schedule": one.Schedule, "Day": i18n.LongDate(one.Time)}
	if title := p.host.TitleOf(one.Session); title != "" {
		places["Session"] = i18n.Shorten(title, 60)
	}
	switch {
	case one.Answer == tools.AnswerNever:
		return i18n.With("{{.Agent}} may never use it, since {{.Day}}", places)
	case one.Schedule != "":
		return i18n.With("{{.Agent}} may use it in the schedule “{{.Schedule}}”, since {{.Day}}", places)
	case one.Answer == tools.AnswerChat:
		return i18n.With("{{.Agent}} may use it in the chat “{{.Session}}”, since {{.Day}}", places)
	}
	return i18n.With("{{.Agent}} may always use it, since {{.Day}}", places)
}
