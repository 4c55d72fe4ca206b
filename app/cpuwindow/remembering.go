package cpuwindow

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"mac-stats/agents/registry"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/memory"
)

// Remember implements chatpane.Host. It opens the sheet for a line of the shown conversation,
// or for the selected text if line is "".
func (w chatHost) Remember(line string) {
	c := w.chats().Shown()
	if w.chats().IsPrivate(c) {
		w.notices.Show(i18n.T("Nothing of a private chat is remembered"), i18n.T("Add the line on the Memory page if you want it kept."))
		return
	}
	w.rememberFrom(c.Name, cmp.Or(c.Chosen().Agent, w.parts.config().Agents.Default), cmp.Or(line, w.chat.View.Port.SelectedText()))
}

// rememberFrom opens the sheet for a line of a session. The agent's own memory is offered if
// it has one.
func (w windowHost) rememberFrom(session, agent, line string) {
	p := rememberParams{
		Memories: w.parts.memories, Line: strings.Join(strings.Fields(line), " "), Session: session,
		Saved:  w.offerUndo,
		Closed: func() { w.chat.Focus() },
	}
	all := w.parts.roster.Agents()
	if i := slices.IndexFunc(all, func(a registry.Agent) bool { return a.Usable() && a.Slug == agent }); i >= 0 {
		if own, ok := registry.OwnMemory(all[i]); ok {
			p.Agent, p.Own = cmp.Or(all[i].Name, all[i].Slug), own
		}
	}
	openRemember(w, p)
}

// offerUndo confirms that a line was remembered and offers Undo and Show.
func (w windowHost) offerUndo(written memory.Written) {
	w.toast.Offer(i18n.With("Remembered “{{.Text}}”", i18n.Places{"Text": i18n.Shorten(written.Text, 40)}), i18n.T("Undo"), func() {
		w.library.Act(i18n.T("Undoing"), func(ctx context.Context) error {
			_, err := w.parts.memories.Undo(ctx, written.UndoID)
			return err
		}, func() { w.toast.Offer(i18n.T("No longer remembered"), "", nil) })
	})
	w.toast.AlsoOffer(i18n.T("Show"), func() {
		if w.panes.page != pageMemory {
			w.goToPage(pageMemory)
		}
		w.panes.memory.Pick(written.Path)
	})
}
