package pages

import (
	"context"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/agents/registry"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
)

// newAgentForm is the form for a new agent: its name, and what it is based on.
type newAgentForm struct {
	p       *Agents
	name    *kit.LineField
	hint    *kit.Label // the slug it would get, or why the name can't be used
	basedOn string     // slug of the agent it is based on; "" for a plain one
}

func newNewAgentForm(p *Agents) *newAgentForm {
	f := &newAgentForm{p: p, name: kit.NewLineField(i18n.T("Name, such as Trip Planner"), i18n.T("Create"))}
	f.hint = kit.Small("").Squeezable()
	f.name.OnSubmit = f.submit
	typed := f.name.Entry.OnChanged
	f.name.Entry.OnChanged = func(text string) {
		typed(text)
		f.check(text)
	}
	return f
}

// check shows below the name what the agent would be called, or what is wrong.
func (f *newAgentForm) check(text string) {
	if text == "" {
		f.hint.Set("", kit.RoleMuted)
		return
	}
	go func() {
		slug, err := f.p.parts.Roster.CheckName(text)
		f.p.host.Do(func() {
			if f.name.Entry.Text != text {
				return
			}
			if err != nil {
				f.hint.Set(i18n.Sentence(strings.TrimPrefix(err.Error(), registry.ErrBadName.Error()+": ")), kit.RoleHot)
				f.name.Button.Disable()
				return
			}
			f.hint.Set(i18n.With("Its short name is {{.Slug}}; its folder is in agents/.", i18n.Places{"Slug": slug}), kit.RoleMuted)
		})
	}()
}

// rows returns the form's rows.
func (f *newAgentForm) rows() []*column.Placed {
	title := i18n.T("empty: write the skill yourself")
	for _, a := range f.p.data.list {
		if f.basedOn != "" && a.Slug == f.basedOn {
			title = i18n.With("like {{.Agent}}", i18n.Places{"Agent": agentTitle(a)})
		}
	}
	like := f.p.pill(title, f.menu)
	return []*column.Placed{
		{Row: column.NewBoxRow(kit.Title(i18n.T("New agent"))), Gap: kit.Gap8},
		column.TextRow(i18n.T("Creates a folder with agent.json and skill.md, which you can edit here or in any editor. The agent is available from the next message."), kit.RoleMuted, kit.Gap4),
		{Row: f.name, Gap: kit.Gap12, Max: kit.ProseMax},
		{Row: column.NewBoxRow(f.hint), Gap: kit.Gap4, Max: kit.ProseMax},
		{Row: column.NewBoxRow(kit.Line(kit.Gap8, -1, kit.Muted(i18n.T("Based on")), like)), Gap: kit.Gap8, Max: kit.ProseMax},
	}
}

// menu lists what a new agent can be based on.
func (f *newAgentForm) menu() *fyne.Menu {
	choose := func(slug string) func() {
		return func() { f.basedOn = slug; f.p.draw() }
	}
	plain := fyne.NewMenuItem(i18n.T("empty: write the skill yourself"), choose(""))
	plain.Checked = f.basedOn == ""
	m := fyne.NewMenu("", plain)
	for _, a := range f.p.data.list {
		if !a.Usable() {
			continue
		}
		item := fyne.NewMenuItem(i18n.With("like {{.Agent}}  ·  {{.Description}}", i18n.Places{"Agent": agentTitle(a), "Description": i18n.Shorten(a.Description, 56)}), choose(a.Slug))
		item.Checked = f.basedOn == a.Slug
		m.Items = append(m.Items, item)
	}
	return m
}

// submit creates the agent and shows it.
func (f *newAgentForm) submit(name string) {
	like := f.basedOn
	f.p.act(func(ctx context.Context) (string, func(), error) {
		a, err := f.p.parts.Roster.Create(ctx, name, like)
		if err != nil {
			return "", nil, err
		}
		f.p.host.Do(func() {
			f.name.Clear(name)
			f.basedOn = ""
			f.p.picked = a.Path
		})
		return i18n.With("{{.Agent}} is ready. Describe in skill.md what it should do.", i18n.Places{"Agent": agentTitle(a)}), nil, nil
	})
}
