package cpuwindow

import (
	"mac-stats/agents"
	"mac-stats/app/cpuwindow/slash"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/transcript"
)

// What a message can begin with: an agent, a skill or a command behind a slash.

// slashItems are all of them. An agent goes before a skill or a command of its name.
func slashItems(w *Window) []slash.Item {
	var items []slash.Item
	for _, a := range w.parts.roster.Agents() {
		if a.Usable() {
			items = append(items, slash.Item{Kind: slash.Agent, Name: a.Slug, Words: a.Description})
		}
	}
	for _, s := range w.parts.roster.Skills() {
		if s.Err == nil {
			items = append(items, slash.Item{Kind: slash.Skill, Name: s.Name, Words: s.Description})
		}
	}
	return append(items, slashCommands(w)...)
}

func slashCommands(w *Window) []slash.Item {
	// write leaves what stands behind a command to be sent.
	write := func(do func()) func(string) {
		return func(rest string) {
			do()
			if rest != "" {
				putInComposer(w, rest)
			}
		}
	}
	onFile := func(do func(transcript.Info)) func(string) {
		return func(string) {
			if in, ok := shownInfo(w); ok {
				do(in)
				return
			}
			w.tell(i18n.T("Nothing of this conversation is saved"), "")
		}
	}
	command := func(name, words string, run func(rest string)) slash.Item {
		return slash.Item{Kind: slash.Command, Name: name, Words: words, Run: run}
	}
	return []slash.Item{
		command("new", i18n.T("Start a new chat"), write(w.NewChat)),
		command("private", i18n.T("Start a private chat: nothing is saved"), write(w.NewPrivateChat)),
		command("find", i18n.T("Find in this conversation"), func(rest string) {
			w.findInside()
			if rest != "" {
				w.find.Bar.Entry.SetText(rest)
			}
		}),
		command("search", i18n.T("Search all conversations"), func(rest string) {
			w.closeSwitcher()
			w.openSwitcher()
			if rest != "" {
				w.switcher.Entry.SetText(rest)
			}
		}),
		command("model", i18n.T("Choose the model of this conversation"), write(w.pickModel)),
		command("agent", i18n.T("Choose the agent of this conversation"), write(w.pickAgent)),
		command("options", i18n.T("Temperature, thinking, context and instructions of this conversation"), write(w.showOptions)),
		command("again", i18n.T("Answer the last message again"), write(w.regenerate)),
		command("remember", i18n.T("Remember what is selected, or what you write"), func(rest string) { rememberLine(w, rest) }),
		command("export", i18n.T("Export this conversation as Markdown"), onFile(w.exportSession)),
		command("html", i18n.T("Export this conversation as HTML"), onFile(func(in transcript.Info) { w.exportAs(in, ".html", w.writeHTML(in, false), nil) })),
		command("print", i18n.T("Print this conversation or save it as PDF"), onFile(func(in transcript.Info) { w.exportAs(in, ".html", w.writeHTML(in, true), w.openFile) })),
		command("copy", i18n.T("Copy this conversation as text"), onFile(w.copySession)),
		command("forget", i18n.T("Forget this conversation…"), onFile(w.forgetSession)),
		command("memory", i18n.T("Show the memory"), func(string) { w.goToPage(pageMemory) }),
		command("models", i18n.T("Show the models"), func(string) { w.goToPage(pageModels) }),
		command("schedules", i18n.T("Show the schedules"), func(string) { w.goToPage(pageSchedules) }),
		command("tools", i18n.T("Show permissions and the tools of other programs"), func(string) { w.goToPage(pageTools) }),
		command("settings", i18n.T("Show the settings"), func(string) { w.goToPage(pageSettings) }),
		command("shortcuts", i18n.T("List the shortcuts"), func(string) { w.listShortcuts() }),
	}
}

// shownInfo is the shown conversation as the list has it; false where it is on no disk.
func shownInfo(w *Window) (transcript.Info, bool) {
	for _, in := range w.infos {
		if in.Name == w.shown.Name {
			return in, true
		}
	}
	return transcript.Info{}, false
}

func putInComposer(w *Window, text string) {
	w.compose.SetText(text)
	w.keepDraft(text)
}

// takeSlash does what a message that is no message asks for; it reports whether it was
// one.
func takeSlash(w *Window, text string) bool {
	if w.compose.Keys.Pasted {
		return false
	}
	it, rest, ok := slash.Find(func() []slash.Item { return slashItems(w) }, text)
	switch {
	case !ok:
		return false
	case it.Run != nil:
		putInComposer(w, "")
		it.Run(rest)
		return true
	case rest == "" && len(w.shown.Attached()) == 0:
		w.compose.Say(i18n.With("Write what {{.Name}} is to do.", i18n.Places{"Name": it.Name}))
		return true
	}
	return false
}

// address makes a request of a message that is for an agent or a skill.
func address(w *Window, req *agents.Request) {
	it, rest, ok := slash.Find(func() []slash.Item { return slashItems(w) }, req.Text)
	switch {
	case !ok || it.Run != nil:
	case it.Kind == slash.Agent:
		req.Agent, req.Text = it.Name, rest
	default:
		req.Skill, req.Text = it.Name, rest
	}
}
