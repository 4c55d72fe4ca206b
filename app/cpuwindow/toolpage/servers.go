package toolpage

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/agents/mcpclient"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// servers shows the section of MCP servers.
func (p *Page) servers(l *list) {
	l.title(i18n.T("Servers"))
	open := kit.NewButton(kit.ButtonQuiet, i18n.T("Open mcp.json"), func() { p.host.OpenFile(p.parts.Servers.File()) })
	if p.known.badServers != "" {
		l.add(kit.Gap8, card(kit.RoleHot, prose.NewParagraph(p.known.badServers, kit.RoleText),
			prose.NewParagraph(i18n.T("Correct the file. It is reloaded when you save it."), kit.RoleMuted), column.Spacer(kit.Gap4), kit.NewFlowRow(kit.Gap16, open)))
	}
	add := kit.NewButton(kit.ButtonPlain, i18n.T("Add a server…"), p.openSheet)
	if len(p.known.servers) == 0 && p.known.badServers == "" {
		l.add(kit.Gap8, prose.NewParagraph(i18n.T("Servers give agents the tools of other programs through the Model Context Protocol (MCP). They are listed in mcp.json, in the format that Claude Desktop and others use."), kit.RoleMuted))
		l.add(kit.Gap12, kit.NewFlowRow(kit.Gap16, add))
		return
	}
	gap := kit.Gap8
	for _, s := range p.known.servers {
		l.add(gap, p.server(s))
		gap = kit.Gap12
		if p.unfolded[s.Name] != (opened{}) {
			gap = kit.Gap20
		}
		if p.unfolded[s.Name].tools {
			p.tools(l, s)
		}
		if p.unfolded[s.Name].log {
			p.log(l, s)
		}
	}
	if p.known.badServers == "" {
		l.add(kit.Gap12, column.NewBoxRow(kit.Line(kit.Gap16, -1, add, open)))
	}
}

// server returns the card of a server.
func (p *Page) server(s mcpclient.Server) kit.Row {
	words, role := stateWords(s)
	stop := p.busy[s.Name]
	if stop != nil && s.State != mcpclient.StateRunning {
		words, role = i18n.T("starting…"), kit.RoleAccent
	}
	parts := []fyne.CanvasObject{kit.Line(kit.Gap16, 0, kit.Bold(s.Name).Squeezable(), kit.NewLabel(words, role, kit.SizeText))}
	if s.Where != "" {
		where := prose.New([]prose.Run{{Text: s.Where, Mono: true}}, kit.SizeSmall, kit.RoleMuted)
		where.Bare = true
		parts = append(parts, where)
	}
	if stop == nil && s.Err != nil {
		why, next := problemWords(s)
		parts = append(parts, prose.NewParagraph(why, role), prose.NewParagraph(next, kit.RoleMuted))
	}
	if len(s.Left) > 0 {
		parts = append(parts, prose.NewParagraph(i18n.With("Left out: {{.What}}", i18n.Places{"What": strings.Join(s.Left, "; ")}), kit.RoleMuted))
	}
	if failed := p.failed[s.Name]; failed != "" && (s.Err == nil || failed != sentence(s.Err)) {
		parts = append(parts, prose.NewParagraph(failed, kit.RoleHot))
	}
	if buttons := p.serverButtons(s, stop); len(buttons) > 0 {
		parts = append(parts, column.Spacer(kit.Gap4), kit.NewFlowRow(kit.Gap16, buttons...))
	}
	return card(kit.RoleNone, parts...)
}

// serverButtons returns the actions on a server.
func (p *Page) serverButtons(s mcpclient.Server, stop context.CancelFunc) (buttons []fyne.CanvasObject) {
	button := func(words string, do func()) {
		buttons = append(buttons, kit.NewButton(kit.ButtonQuiet, words, do))
	}
	fold := func(open bool, show, hide string, turn func(*opened)) {
		if open {
			show = hide
		}
		button(show, func() {
			o := p.unfolded[s.Name]
			turn(&o)
			p.unfolded[s.Name] = o
			p.reload()
		})
	}
	web, runnable := s.Log == "", s.Where != "" && s.State != mcpclient.StateOff
	switch {
	case stop != nil:
		button(i18n.T("Stop"), stop)
	case runnable && web && s.State == mcpclient.StateFailed:
		button(i18n.T("Sign in…"), func() {
			p.do(s.Name, func(ctx context.Context) error { return p.parts.Servers.SignIn(ctx, s.Name) })
		})
		fallthrough
	case runnable && s.State != mcpclient.StateStarting:
		button(i18n.T("Test"), func() { p.test(s.Name) })
	}
	open := p.unfolded[s.Name]
	if len(s.Tools) > 0 {
		words := i18n.With("Tools ({{.Number}})", i18n.Places{"Number": strconv.Itoa(len(s.Tools))})
		fold(open.tools, words, i18n.T("Hide tools"), func(o *opened) { o.tools = !o.tools })
	}
	if !web {
		fold(open.log, i18n.T("Log"), i18n.T("Hide log"), func(o *opened) { o.log = !o.log })
	}
	return buttons
}

func (p *Page) test(server string) {
	p.do(server, func(ctx context.Context) error { return p.parts.Servers.Test(ctx, server) })
}

// tools shows a server's tools, each with a switch.
func (p *Page) tools(l *list, s mcpclient.Server) {
	for _, t := range s.Tools {
		row := column.NewChoiceRow(t.Name, t.Description, func(on bool) {
			p.do(t.Name, func(context.Context) error { return p.parts.Servers.Switch(t.Name, on) })
		})
		row.Set(t.On)
		l.below(kit.Gap12, row)
		if failed := p.failed[t.Name]; failed != "" {
			l.below(kit.Gap4, prose.NewParagraph(failed, kit.RoleHot))
		}
		if t.Changed != "" {
			l.below(kit.Gap4, prose.NewParagraph(i18n.With("It now says: {{.Text}}", i18n.Places{"Text": t.Changed}), kit.RoleWarn))
			l.below(kit.Gap4, prose.NewParagraph(i18n.T("Agents get the old description until you allow a call with the new one."), kit.RoleMuted))
		}
	}
}

// log shows the end of a server's log.
func (p *Page) log(l *list, s mcpclient.Server) {
	lines := p.known.logs[s.Name]
	if len(lines) == 0 {
		l.below(kit.Gap12, prose.NewParagraph(i18n.T("Its log is empty: it wrote nothing since its last start."), kit.RoleMuted))
		return
	}
	text := strings.Join(lines, "\n")
	shown := prose.New([]prose.Run{{Text: text, Mono: true}}, kit.SizeSmall, kit.RoleText)
	shown.Bare = true
	l.below(kit.Gap12, column.NewFramed(shown, kit.RoleCode, kit.RoleLine, kit.RadiusCard, kit.Gap12, kit.Gap8))
	l.below(kit.Gap8, kit.NewFlowRow(kit.Gap16,
		kit.NewButton(kit.ButtonQuiet, i18n.T("Copy log"), func() { p.host.Copy(text) }),
		kit.NewButton(kit.ButtonQuiet, i18n.T("Open log"), func() { p.host.OpenFile(s.Log) })))
}

// stateWords describes a server's state.
func stateWords(s mcpclient.Server) (words string, role fyne.ThemeColorName) {
	switch s.State {
	case mcpclient.StateOff:
		return i18n.T("disabled in mcp.json"), kit.RoleMuted
	case mcpclient.StateStarting:
		return i18n.T("starting…"), kit.RoleAccent
	case mcpclient.StateRunning:
		return i18n.T("running"), kit.RoleAccent
	case mcpclient.StateFailed:
		return i18n.T("can't be used"), kit.RoleHot
	}
	if s.Err != nil {
		return i18n.T("ended"), kit.RoleWarn
	}
	return i18n.T("starts when needed"), kit.RoleMuted
}

// problemWords describes what is wrong with a server, and what to do.
func problemWords(s mcpclient.Server) (why, next string) {
	why = sentence(s.Err)
	switch {
	case errors.Is(s.Err, mcpclient.ErrSignIn):
		return i18n.T("It requires you to sign in."), i18n.T("Press “Sign in…”: your browser opens its page.")
	case errors.Is(s.Err, mcpclient.ErrEnded):
		return why, i18n.T("The next call starts it again. Its log may say why it ended.")
	case s.Where == "":
		return why, i18n.T("Correct it in mcp.json.")
	case s.Log == "":
		return why, i18n.T("Check its address in mcp.json and that you are online, then press “Test”.")
	}
	return why, i18n.T("Install it, or correct its entry in mcp.json, then press “Test”. Its log may say more.")
}
