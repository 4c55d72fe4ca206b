package cpuwindow

import (
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
)

// agentRows is the Agents page.
func agentRows(list []agents.Agent, openFile func(string)) []*placed {
	rows := []*placed{textRow("Who answers. Each agent is a folder of plain text; a saved change holds from the next message on.", roleMuted, gap8)}
	if len(list) == 0 {
		rows = append(rows, textRow("There are no agents. `mac-stats agents reset` puts the five default ones back.", roleText, gap12))
	}
	for _, a := range list {
		rows = append(rows, &placed{row: agentCard(a, openFile), gap: gap8, max: proseMax})
	}
	return rows
}

func agentCard(a agents.Agent, openFile func(string)) row {
	name := orElse(a.Name, orElse(a.Slug, a.ID))
	mark := roleNone
	model := a.Model
	if model == "" {
		model = "model by role: " + orElse(a.Role, "general")
	}
	meta := []string{a.ID}
	if a.Slug != "" && a.Slug != name {
		meta = append(meta, a.Slug)
	}
	meta = append(meta, model)
	if a.Entry {
		meta = append(meta, "sees the conversation")
	}
	if !a.Enabled && a.Err == nil {
		meta = append(meta, "switched off")
	}
	parts := []fyne.CanvasObject{line(gap8, 0, boldWords(name).squeezable(), newButton(buttonQuiet, "Open", func() { openFile(a.Path) }))}
	if a.Description != "" {
		parts = append(parts, newParagraph(a.Description, roleText))
	}
	parts = append(parts, newProse([]run{{text: strings.Join(meta, " · ")}}, sizeSmall, roleMuted))
	if a.Err != nil {
		mark = roleHot
		parts = append(parts, newParagraph("Can't be used: "+a.Err.Error(), roleHot))
	}
	for _, w := range a.Warnings {
		if mark == roleNone {
			mark = roleWarn
		}
		parts = append(parts, newParagraph(w, roleMuted))
	}
	return newCardRow(mark, parts...)
}
