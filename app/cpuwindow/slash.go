package cpuwindow

import (
	"mac-stats/app/cpuwindow/slash"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/transcript"
)

// slashItems returns the commands that a message can begin with.
func (c *commands) slashItems() []slash.Item {
	w := c.w
	// write leaves the text after a command in the composer.
	write := func(do func()) func(string) {
		return func(rest string) {
			do()
			if rest != "" {
				w.chat.Put(rest)
			}
		}
	}
	onFile := func(do func(transcript.Info)) func(string) {
		return func(string) {
			if in, ok := w.library.Named(w.chats().Shown().Name); ok {
				do(in)
				return
			}
			w.notices.Show(i18n.T("Nothing of this conversation is saved"), "")
		}
	}
	command := func(name, words string, run func(rest string)) slash.Item {
		return slash.Item{Kind: slash.Command, Name: name, Words: words, Run: run}
	}
	return []slash.Item{
		command("new", i18n.T("Start a new chat"), write(w.chat.NewChat)),
		command("private", i18n.T("Start a private chat: nothing is saved"), write(w.chat.NewPrivateChat)),
		command("find", i18n.T("Find in this conversation"), func(rest string) {
			c.find()
			if rest != "" {
				w.chat.Find.Bar.Entry.SetText(rest)
			}
		}),
		command("search", i18n.T("Search all conversations"), func(rest string) {
			c.closeSwitcher()
			c.openSwitcher()
			if rest != "" {
				c.switcher.Entry.SetText(rest)
			}
		}),
		command("model", i18n.T("Choose the model of this conversation"), write(w.chat.Choices.PickModel)),
		command("agent", i18n.T("Choose the agent of this conversation"), write(w.chat.Choices.PickAgent)),
		command("options", i18n.T("Temperature, thinking, context and instructions of this conversation"), write(w.chat.Choices.ShowOptions)),
		command("again", i18n.T("Answer the last message again"), write(w.chat.Regenerate)),
		command("remember", i18n.T("Remember what is selected, or what you write"), chatHost{windowHost{w}}.Remember),
		command("export", i18n.T("Export this conversation as Markdown"), onFile(w.library.Export)),
		command("html", i18n.T("Export this conversation as HTML"), onFile(func(in transcript.Info) { w.library.ExportHTML(in) })),
		command("print", i18n.T("Print this conversation or save it as PDF"), onFile(func(in transcript.Info) { w.library.Print(in) })),
		command("copy", i18n.T("Copy this conversation as text"), onFile(w.library.Copy)),
		command("forget", i18n.T("Forget this conversation…"), onFile(libraryHost{windowHost{w}}.ForgetSession)),
		command("memory", i18n.T("Show the memory"), func(string) { w.goToPage(pageMemory) }),
		command("models", i18n.T("Show the models"), func(string) { w.goToPage(pageModels) }),
		command("schedules", i18n.T("Show the schedules"), func(string) { w.goToPage(pageSchedules) }),
		command("tools", i18n.T("Show permissions and the tools of other programs"), func(string) { w.goToPage(pageTools) }),
		command("settings", i18n.T("Show the settings"), func(string) { w.goToPage(pageSettings) }),
		command("shortcuts", i18n.T("List the shortcuts"), func(string) { c.toggleList() }),
	}
}
