package pages

import (
	"cmp"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/agents/registry"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/prose"
)

// rows returns the rows of what is picked.
func (p *Agents) rows() []*column.Placed {
	var rows []*column.Placed
	add := func(r kit.Row) { rows = append(rows, &column.Placed{Row: r, Gap: kit.Gap8, Max: kit.ProseMax}) }
	if p.result != "" {
		add(p.resultRow())
	}
	if p.data.err != nil {
		add(column.NewCardRow(kit.RoleHot, prose.NewParagraph(i18n.With("The file can't be read: {{.Error}}", i18n.Places{"Error": i18n.Sentence(p.data.err.Error())}), kit.RoleText)))
	}
	if p.picked == newAgentKey {
		for _, n := range p.data.others {
			add(prose.NewParagraph(n, kit.RoleMuted))
		}
		return append(rows, p.newForm.rows()...)
	}
	a, isAgent := p.data.agent(p.picked)
	if isAgent {
		add(p.agentCard(a))
		if a.Err != nil {
			add(p.errorCard(a))
		}
		for _, w := range a.Warnings {
			add(column.NewCardRow(kit.RoleWarn, prose.NewParagraph(w, kit.RoleText)))
		}
		rows = append(rows, p.trialRows(a)...)
		rows = append(rows, &column.Placed{Row: kit.NewFlowRow(kit.Gap8, p.fileButtons(a)...), Gap: kit.Gap16, Max: kit.ProseMax})
	}
	if s, ok := p.data.skill(p.picked); ok && s.Err != nil {
		add(column.NewCardRow(kit.RoleHot, prose.NewParagraph(i18n.With("This skill can't be used: {{.Error}}", i18n.Places{"Error": i18n.Sentence(s.Err.Error())}), kit.RoleText)))
	}
	rows = append(rows, p.fileRows()...)
	if isAgent {
		rows = append(rows, p.endRows(a)...)
	}
	return rows
}

// resultRow shows the result of the last action, with Undo if it can be undone.
func (p *Agents) resultRow() kit.Row {
	role := kit.RoleAccent
	if p.resultBad {
		role = kit.RoleHot
	}
	if p.undo == nil {
		return prose.NewParagraph(p.result, role)
	}
	return column.NewBoxRow(kit.Line(kit.Gap12, 0, kit.NewLabel(p.result, role, kit.SizeText).Squeezable(), kit.NewButton(kit.ButtonLink, i18n.T("Undo"), p.undo)))
}

// agentCard shows the agent with its switch, model, role and tools.
func (p *Agents) agentCard(a registry.Agent) kit.Row {
	state, label := "", i18n.T("Turn off")
	if !a.Enabled {
		state, label = i18n.T("turned off"), i18n.T("Turn on")
	}
	top := []fyne.CanvasObject{kit.Bold(agentTitle(a)).Squeezable(), kit.Small(state)}
	if a.Err == nil {
		top = append(top, kit.NewButton(kit.ButtonPlain, label, func() { p.turn(a, !a.Enabled) }))
	}
	meta := []string{cmp.Or(a.Slug, a.ID), filepath.Base(a.Path)}
	if a.Entry {
		meta = append(meta, i18n.T("sees the conversation"))
	}
	parts := []fyne.CanvasObject{kit.Line(kit.Gap12, 0, top...)}
	parts = append(parts, p.description(a)...)
	parts = append(parts, prose.New([]prose.Run{{Text: strings.Join(meta, " · ")}}, kit.SizeSmall, kit.RoleMuted))
	if a.Err == nil {
		model := cmp.Or(a.Model, i18n.T("automatic model"))
		parts = append(parts, column.Spacer(kit.Gap4), kit.NewFlowRow(kit.Gap8,
			p.pill(model, func() *fyne.Menu {
				return p.host.ModelMenu(a.Model, func(name string) { p.set(a, "model", name) })
			}),
			p.pill(i18n.With("role: {{.Role}}", i18n.Places{"Role": a.Role}), func() *fyne.Menu { return p.roleMenu(a) }),
			p.pill(toolsLabel(a.Tools), func() *fyne.Menu { return p.toolsMenu(a) })))
	}
	return column.NewCardRow(kit.RoleNone, parts...)
}

// turn turns an agent on or off. The one that answers whoever names no other isn't turned off
// by a single click.
func (p *Agents) turn(a registry.Agent, on bool) {
	answers, ok := registry.Select(p.parts.Roster.Agents(), p.parts.Config().Agents.Default, registry.Agent.Usable)
	if on || !ok || answers.ID != a.ID {
		p.set(a, "enabled", on)
		return
	}
	overlay.Confirm(p.host.Canvas(), i18n.With("Turn off {{.Agent}}?", i18n.Places{"Agent": agentTitle(a)}), i18n.T("It answers every message that names no other agent. Those fail until it is turned on again."), kit.ButtonDanger, i18n.T("Turn off"), func() {
		p.set(a, "enabled", false)
	})
}

// description shows what the agent is for, by which it is found, and the button or field to
// change it.
func (p *Agents) description(a registry.Agent) []fyne.CanvasObject {
	stop := func() { p.describing = nil; p.draw() }
	if box := p.describing; box != nil {
		save := func() {
			p.describing = nil
			p.set(a, "description", strings.Join(strings.Fields(box.Entry.Text), " "))
		}
		box.Entry.OnShortcut = onSave(save)
		box.Entry.SetEscape(stop)
		return []fyne.CanvasObject{box, column.Spacer(kit.Gap4), kit.Line(kit.Gap8, -1,
			kit.NewButton(kit.ButtonPrimary, i18n.T("Save"), save), kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), stop))}
	}
	var parts []fyne.CanvasObject
	label := i18n.T("Add description")
	if a.Description != "" {
		parts, label = append(parts, prose.NewParagraph(a.Description, kit.RoleText)), i18n.T("Edit description")
	}
	if a.Err != nil {
		return parts
	}
	return append(parts, kit.Line(0, -1, kit.NewButton(kit.ButtonQuiet, label, func() {
		p.describing = kit.NewTextBox(a.Description)
		p.draw()
		p.host.Canvas().Focus(p.describing.Entry)
	})))
}

func toolsLabel(tools []string) string {
	switch {
	case tools == nil:
		return i18n.T("usual tools")
	case len(tools) == 0:
		return i18n.T("no tools")
	}
	return i18n.Count("{{.N}} tools", len(tools))
}

// toolsMenu lists the tools the agent may use: the usual ones, or those that are checked.
func (p *Agents) toolsMenu(a registry.Agent) *fyne.Menu {
	m := fyne.NewMenu("")
	add := func(words string, on bool, value []string) {
		item := fyne.NewMenuItem(words, func() { p.set(a, "tools", value) })
		item.Checked = on
		m.Items = append(m.Items, item)
	}
	add(i18n.T("usual tools  ·  as its place needs them"), a.Tools == nil, nil)
	add(i18n.T("no tools"), a.Tools != nil && len(a.Tools) == 0, []string{})
	m.Items = append(m.Items, fyne.NewMenuItemSeparator())
	for _, name := range registry.KnownTools {
		words := name
		if does := conversation.ToolWords(name, false); does != name {
			words = does + "  ·  " + name
		}
		if slices.Contains(a.Tools, name) {
			rest := slices.DeleteFunc(slices.Clone(a.Tools), func(t string) bool { return t == name })
			add(words, true, rest)
			continue
		}
		add(words, false, append(slices.Clone(a.Tools), name))
	}
	return m
}

// roleMenu lists the roles, which choose a model if none is named.
func (p *Agents) roleMenu(a registry.Agent) *fyne.Menu {
	m := fyne.NewMenu("")
	for _, r := range []struct{ role, words string }{
		{"general", i18n.T("general  ·  talks, explains, plans")},
		{"code", i18n.T("code  ·  a model for programs")},
		{"small", i18n.T("small  ·  quick and cheap")},
		{"thinking", i18n.T("thinking  ·  takes its time")},
		{"vision", i18n.T("vision  ·  sees images")},
	} {
		item := fyne.NewMenuItem(r.words, func() { p.set(a, "model_role", r.role) })
		item.Checked = r.role == a.Role
		m.Items = append(m.Items, item)
	}
	return m
}

// set changes one key of the agent's settings, in the current version of their file.
func (p *Agents) set(a registry.Agent, key string, value any) {
	file := a.SettingsFile()
	p.act(func(ctx context.Context) (string, func(), error) {
		if err := p.parts.SetAgent(ctx, a, key, value); err != nil {
			return "", nil, err
		}
		p.host.Do(func() { p.reloads.own[file] = true })
		return i18n.With("{{.Agent}}: takes effect with the next message.", i18n.Places{"Agent": agentTitle(a)}), nil, nil
	})
}

// placeInFile matches the place that an error names.
var placeInFile = regexp.MustCompile(`^(agent\.json|skill\.md|front matter)(?: line (\d+))?`)

// errorCard explains why an agent can't be used: in which file and line, and what to do.
func (p *Agents) errorCard(a registry.Agent) kit.Row {
	why := a.Err.Error()
	file, at := a.SettingsFile(), 0
	if m := placeInFile.FindStringSubmatch(why); m != nil {
		if m[1] == "skill.md" {
			file = filepath.Join(a.Path, "skill.md")
		}
		at, _ = strconv.Atoi(m[2]) // without a line: the top
	}
	place := filepath.Base(file)
	if at > 0 {
		place += i18n.With(", line {{.At}}", i18n.Places{"At": strconv.Itoa(at)})
	}
	parts := []fyne.CanvasObject{prose.NewParagraph(i18n.With("Can't be used: {{.Why}}", i18n.Places{"Why": i18n.Sentence(why)}), kit.RoleText)}
	if fix := jsonFix(why); fix != "" {
		parts = append(parts, prose.NewParagraph(fix, kit.RoleMuted))
	}
	parts = append(parts, column.Spacer(kit.Gap4), kit.Line(kit.Gap8, -1, kit.NewButton(kit.ButtonPlain, i18n.With("Fix it in {{.Place}}", i18n.Places{"Place": place}), func() {
		p.files[p.picked] = file
		p.editing = true
		p.loadThen(func() { p.startEditing(at) })
	})))
	return column.NewCardRow(kit.RoleHot, parts...)
}

// jsonFix explains the most common JSON mistakes.
func jsonFix(why string) string {
	switch {
	case strings.Contains(why, "looking for beginning of object key"):
		return i18n.T("Usually there is one comma too many before it, or a name without quotes.")
	case strings.Contains(why, "after object key:value pair"):
		return i18n.T("Usually a comma is missing at the end of the line before.")
	case strings.Contains(why, "unexpected end"):
		return i18n.T("A closing brace or quote is missing at the end.")
	case strings.Contains(why, "looking for beginning of value"):
		return i18n.T("Text needs \"double quotes\"; true, false and numbers don't.")
	case strings.Contains(why, "after object key"):
		return i18n.T("A colon is missing between name and value.")
	}
	return ""
}

// fileButtons returns the buttons that select the agent's files.
func (p *Agents) fileButtons(a registry.Agent) []fyne.CanvasObject {
	var buttons []fyne.CanvasObject
	for _, f := range agentFiles(a) {
		label := f.name
		if p.edits.dirty(f.path) {
			label += " •"
		}
		b := kit.NewButton(kit.ButtonPill, label, func() { p.showFile(f.path) })
		if p.data.missing[f.path] {
			b.Tone = kit.RoleFaint
		}
		b.Selected = f.path == p.files[p.picked]
		buttons = append(buttons, b)
	}
	return buttons
}

// fileRows returns the rows of the shown file.
func (p *Agents) fileRows() []*column.Placed {
	o := p.data.owned
	edit := func() { p.startEditing(0) }
	label, openLabel := i18n.T("Edit"), i18n.T("Open in my editor")
	if o.Missing {
		label, openLabel = i18n.T("Create"), i18n.T("Create and open")
	}
	if p.edits.dirty(o.Path) {
		label = i18n.T("Continue editing")
	}
	text := o.Text
	head := []fyne.CanvasObject{kit.Small(p.data.purpose(p.picked)).Squeezable()}
	if p.data.below != "" {
		text = p.data.below
		head = append(head, kit.NewButton(kit.ButtonPlain, i18n.T("Customise"), p.customise))
	} else {
		head = append(head, kit.NewButton(kit.ButtonQuiet, openLabel, func() { p.host.OpenFile(o.Path) }))
		if o.Why == "" {
			head = append(head, kit.NewButton(kit.ButtonPlain, label, edit))
		}
	}
	rows := []*column.Placed{{Row: column.NewBoxRow(kit.Line(kit.Gap12, 0, head...)), Gap: kit.Gap8, Max: kit.ProseMax}}
	for _, n := range ownedNotes(o, p.edits.buffers[o.Path], edit) {
		rows = append(rows, &column.Placed{Row: n, Gap: kit.Gap8, Max: kit.ProseMax})
	}
	if p.data.diff != nil {
		rows = append(rows, &column.Placed{Row: p.reloads.note(o.Path, p.data.diff, p.Load), Gap: kit.Gap8, Max: kit.ProseMax})
	}
	if text == "" {
		return rows
	}
	var lines []cardLine
	for _, d := range fileLines(text, p.data.diff) {
		lines = append(lines, cardLine{text: d.Text, op: d.Op})
	}
	return append(rows, linesRows(lines, p.all, func() { p.all = true; p.draw() })...)
}

// purpose describes what the shown file is for, and where a link leads.
func (d agentsData) purpose(picked string) string {
	o := d.owned
	text := i18n.T("shared by all agents that have no soul.md of their own")
	if a, ok := d.agent(picked); ok {
		for _, f := range agentFiles(a) {
			if f.path == o.Path {
				text = f.purpose
			}
		}
	} else if s, ok := d.skill(picked); ok {
		text = i18n.With("a skill: {{.Description}}", i18n.Places{"Description": cmp.Or(s.Description, i18n.T("no description"))})
	}
	switch {
	case d.below != "":
		text = i18n.With("came with mac-stats: {{.Text}}", i18n.Places{"Text": text})
	case o.Missing:
		text = i18n.With("no file yet: {{.Text}}", i18n.Places{"Text": text})
	case o.Link != "":
		text += i18n.With(" · a link to {{.Link}}", i18n.Places{"Link": o.Link})
	}
	return text
}

// customise copies what is shown into the person's folder, where it can be edited.
func (p *Agents) customise() {
	path, file := p.picked, p.data.owned.Path
	p.act(func(ctx context.Context) (string, func(), error) {
		p.host.Do(func() { p.reloads.own[file] = true })
		return i18n.T("Copied into your folder. New versions of mac-stats don't change it."), nil, p.parts.Roster.Customise(ctx, path)
	})
}

// endRows returns the actions on the agent as a whole. One that came with the app is turned
// off rather than deleted.
func (p *Agents) endRows(a registry.Agent) []*column.Placed {
	var buttons []fyne.CanvasObject
	if !a.AsShipped {
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, i18n.T("Open folder"), func() { p.host.OpenFile(filepath.Dir(a.SettingsFile())) }))
	}
	switch {
	case !p.data.shipped:
		buttons = append(buttons, kit.NewButton(kit.ButtonDanger, i18n.T("Delete…"), func() { p.delete(a) }))
	case !a.AsShipped:
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, i18n.T("Reset to default…"), func() { p.reset(a) }))
	default:
		return nil
	}
	return []*column.Placed{{Row: kit.NewFlowRow(kit.Gap8, buttons...), Gap: kit.Gap20, Max: kit.ProseMax}}
}

// refuseUnsaved reports whether the agent has unsaved edits. If so, it says that they must
// be saved or discarded first, because their file is about to go.
func (p *Agents) refuseUnsaved(a registry.Agent) bool {
	for _, f := range agentFiles(a) {
		if p.edits.dirty(f.path) {
			p.result, p.resultBad, p.undo = i18n.With("You have unsaved changes in {{.Name}}. Save or discard them first.", i18n.Places{"Name": f.name}), true, nil
			p.view.Offset = 0
			p.draw()
			return true
		}
	}
	return false
}

// reset puts a shipped agent back; the user's version moves to the trash.
func (p *Agents) reset(a registry.Agent) {
	if p.refuseUnsaved(a) {
		return
	}
	overlay.Confirm(p.host.Canvas(), i18n.With("Reset {{.Agent}}?", i18n.Places{"Agent": agentTitle(a)}), i18n.T("The agent is as it came with mac-stats again. Your version moves to agents/.trash, and its memory stays."), kit.ButtonDanger, i18n.T("Reset"), func() {
		p.act(func(ctx context.Context) (string, func(), error) {
			kept, err := p.parts.Roster.Reset(ctx, a.ID)
			if err != nil {
				return "", nil, err
			}
			if len(kept) == 0 {
				return i18n.With("{{.Agent}} is reset.", i18n.Places{"Agent": agentTitle(a)}), nil, nil
			}
			return i18n.With("{{.Agent}} is reset; your version is kept as {{.Kept}}.", i18n.Places{"Agent": agentTitle(a), "Kept": filepath.Join("agents", ".trash", filepath.Base(kept[0]))}), nil, nil
		})
	})
}

// delete moves an agent to the trash, from which it can be restored.
func (p *Agents) delete(a registry.Agent) {
	if p.refuseUnsaved(a) {
		return
	}
	overlay.Confirm(p.host.Canvas(), i18n.With("Delete {{.Agent}}?", i18n.Places{"Agent": agentTitle(a)}), i18n.T("Its folder and its memory move to agents/.trash."), kit.ButtonDanger, i18n.T("Delete"), func() {
		p.act(func(ctx context.Context) (string, func(), error) {
			trash, err := p.parts.Roster.Delete(ctx, a)
			if err != nil {
				return "", nil, err
			}
			return i18n.With("{{.Agent}} is deleted.", i18n.Places{"Agent": agentTitle(a)}), func() {
				p.act(func(context.Context) (string, func(), error) {
					return i18n.With("{{.Agent}} is back.", i18n.Places{"Agent": agentTitle(a)}), nil, p.parts.Roster.Restore(trash, a.Path)
				})
			}, nil
		})
	})
}
