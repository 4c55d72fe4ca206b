package settings

import (
	"cmp"
	"context"
	"reflect"
	"strconv"

	"fyne.io/fyne/v2"

	"mac-stats/agents/mcpclient"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// Servers are the servers of mcp.json; *mcpclient.Client.
type Servers interface {
	Servers() ([]mcpclient.Server, error)
	Switch(tool string, on bool) error
	Test(ctx context.Context, server string) error
	SignIn(ctx context.Context, server string) error
	File() string
}

// serversCard shows the servers of other programs' tools: how they are, their tools with
// a switch each, and their log.
type serversCard struct {
	page *Page
	card *kit.CardRow // nil until they were read
	list []mcpclient.Server
	said string          // what went wrong last; "" where nothing did
	busy string          // the server that is being tried
	open map[string]bool // whose tools are shown
}

// look reads how the servers are, off the UI goroutine.
func (c *serversCard) look() { c.do("", func() error { return nil }) }

// do does something with a server, off the UI goroutine, and draws how they are then.
func (c *serversCard) do(server string, work func() error) {
	if c.page.parts.Servers == nil || c.busy != "" {
		return
	}
	if c.busy = server; server != "" {
		c.draw()
	}
	go func() {
		failed := work()
		list, err := c.page.parts.Servers.Servers()
		if c.page.host.Context().Err() != nil {
			return
		}
		c.page.host.Do(func() {
			said := ""
			if err = cmp.Or(failed, err); err != nil {
				said = i18n.Sentence(i18n.Capital(err.Error()))
			}
			changed := c.card == nil || c.busy != "" || c.said != said || !reflect.DeepEqual(c.list, list)
			c.list, c.said, c.busy = list, said, ""
			if changed {
				c.draw()
			}
		})
	}()
}

func (c *serversCard) draw() {
	parts := []fyne.CanvasObject{kit.Bold(i18n.T("Tools of other programs (MCP)"))}
	if len(c.list) == 0 {
		parts = append(parts, kit.NewParagraph(i18n.T("Name their servers in mcp.json, as for Claude Desktop. Each call asks you first."), kit.RoleMuted))
	}
	for _, s := range c.list {
		parts = append(parts, c.server(s)...)
	}
	if c.said != "" {
		parts = append(parts, kit.NewParagraph(c.said, kit.RoleHot))
	}
	parts = append(parts, kit.NewFlowRow(kit.Gap8, kit.NewButton(kit.ButtonPlain, i18n.T("Open mcp.json"), func() { c.page.host.OpenFile(c.page.parts.Servers.File()) })))
	c.card = kit.NewCardRow(kit.RoleNone, parts...)
	c.card.Pad, c.card.Gap = kit.Gap12, kit.Gap8
	c.page.show()
}

// server is one server.
func (c *serversCard) server(s mcpclient.Server) []fyne.CanvasObject {
	state := stateWords(s.State)
	if c.busy == s.Name {
		state = i18n.T("Starting…")
	}
	parts := []fyne.CanvasObject{kit.NewParagraph(s.Name+" · "+state, kit.RoleText)}
	if s.Where != "" {
		parts = append(parts, kit.NewParagraph(s.Where, kit.RoleMuted))
	}
	if s.Err != nil {
		parts = append(parts, kit.NewParagraph(i18n.Sentence(i18n.Capital(s.Err.Error())), kit.RoleWarn))
	}
	var buttons []fyne.CanvasObject
	if s.Where != "" && s.State != mcpclient.StateOff {
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, i18n.T("Try it"), func() {
			c.do(s.Name, func() error { return c.page.parts.Servers.Test(c.page.host.Context(), s.Name) })
		}))
	}
	if s.Log != "" {
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, i18n.T("Open log"), func() { c.page.host.OpenFile(s.Log) }))
	} else if s.State == mcpclient.StateFailed && s.Where != "" {
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, i18n.T("Sign in…"), func() {
			c.do(s.Name, func() error { return c.page.parts.Servers.SignIn(c.page.host.Context(), s.Name) })
		}))
	}
	if len(s.Tools) > 0 {
		words := i18n.With("Tools ({{.Number}})", i18n.Places{"Number": strconv.Itoa(len(s.Tools))})
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, words, func() { c.open[s.Name] = !c.open[s.Name]; c.draw() }))
	}
	parts = append(parts, kit.NewFlowRow(kit.Gap8, buttons...))
	if !c.open[s.Name] {
		return parts
	}
	for _, t := range s.Tools {
		on := kit.NewSwitch(func(value string) {
			c.do(s.Name, func() error { return c.page.parts.Servers.Switch(t.Name, value == "true") })
		})
		on.SetValue(strconv.FormatBool(t.On), false)
		parts = append(parts, kit.Line(kit.Gap8, -1, on, kit.Bold(t.Name)))
		if t.Description != "" {
			parts = append(parts, kit.NewParagraph(t.Description, kit.RoleMuted))
		}
		if t.Changed != "" {
			parts = append(parts, kit.NewParagraph(i18n.With("It now says: {{.Text}}", i18n.Places{"Text": t.Changed}), kit.RoleWarn))
		}
	}
	return parts
}

func stateWords(s mcpclient.State) string {
	switch s {
	case mcpclient.StateOff:
		return i18n.T("disabled in mcp.json")
	case mcpclient.StateRunning:
		return i18n.T("running")
	case mcpclient.StateFailed:
		return i18n.T("can't be used")
	}
	return i18n.T("starts when it is needed")
}
