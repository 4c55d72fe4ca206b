package header

import (
	"cmp"
	"fmt"

	"fyne.io/fyne/v2"

	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/models"
	"mac-stats/app/i18n"
)

// AgentMenu returns the menu of agents. An agent that can't be used shows why.
func AgentMenu(list []registry.Agent, chosen string, pick func(slug string)) *fyne.Menu {
	m := fyne.NewMenu("")
	for _, a := range list {
		if !a.Enabled && a.Err == nil {
			continue
		}
		label := cmp.Or(a.Slug, a.Name)
		if a.Description != "" {
			label += "  ·  " + i18n.Shorten(a.Description, 56)
		}
		item := fyne.NewMenuItem(label, func() { pick(a.Slug) })
		if a.Err != nil {
			item.Label = i18n.With("{{.Slug}}  ·  can't be used: {{.Error}}", i18n.Places{"Slug": cmp.Or(a.Slug, a.ID), "Error": i18n.Shorten(a.Err.Error(), 56)})
			item.Disabled = true
		}
		item.Checked = a.Slug == chosen
		m.Items = append(m.Items, item)
	}
	return m
}

// ModelMenu returns the menu of models. Its first item picks "", which leaves the choice to the
// agent.
func ModelMenu(all []ollama.ModelInfo, chosen string, pick func(name string)) *fyne.Menu {
	auto := fyne.NewMenuItem(i18n.T("automatic: the agent's own, else one that fits it"), func() { pick("") })
	auto.Checked = chosen == ""
	m := fyne.NewMenu("", auto)
	found := chosen == ""
	for _, info := range models.ForChat(all) {
		label := info.Name
		if info.Size > 0 {
			label += "  ·  " + i18n.Number(fmt.Sprintf("%.1f GB", float64(info.Size)/1e9))
		}
		if info.MaxContext > 0 {
			label += i18n.With("  ·  {{.MaxContext}} context", i18n.Places{"MaxContext": compose.TokensWords(info.MaxContext)})
		}
		if info.Can("vision") {
			label += i18n.T("  ·  sees images")
		}
		item := fyne.NewMenuItem(label, func() { pick(info.Name) })
		item.Checked = info.Name == chosen
		found = found || item.Checked
		m.Items = append(m.Items, item)
	}
	if !found {
		item := fyne.NewMenuItem(i18n.With("{{.Chosen}}  ·  not installed", i18n.Places{"Chosen": chosen}), func() {})
		item.Checked, item.Disabled = true, true
		m.Items = append(m.Items, item)
	}
	return m
}

// DemoMenu returns the ways out of the demo. own switches to the user's own data; nil hides that
// item.
func DemoMenu(own, quit func()) *fyne.Menu {
	m := fyne.NewMenu("", fyne.NewMenuItem(i18n.T("Quit the demo"), quit))
	if own != nil {
		m.Items = append([]*fyne.MenuItem{fyne.NewMenuItem(i18n.T("Leave the demo for your own data"), own)}, m.Items...)
	}
	return m
}
