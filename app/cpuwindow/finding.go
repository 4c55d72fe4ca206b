package cpuwindow

import (
	"mac-stats/app/cpuwindow/find"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/transcript"
)

// The window's side of find in the chat.

// findMarks is where a phrase stands in a text, as rows show it.
func (w *Window) findMarks(text, phrase string) []prose.Mark {
	found := w.parts.finder.Find(text, phrase)
	out := make([]prose.Mark, len(found))
	for i, m := range found {
		out[i] = prose.Mark(m)
	}
	return out
}

// FindMarks implements find.Host.
func (w windowHost) FindMarks(text, phrase string) []prose.Mark { return w.findMarks(text, phrase) }

// Older implements find.Host.
func (w windowHost) Older(then func([]find.Passage)) {
	c := w.shown
	go func() {
		t, err := w.parts.sessions.Load(w.ctx, c.Name)
		if err != nil {
			return // what is shown is searched; showing more tells why it can't be read
		}
		var older []find.Passage
		for _, m := range c.OlderMessages(t) {
			older = append(older, find.Passage(m))
		}
		w.p.Do(func() {
			if w.shown == c {
				then(older)
			}
		})
	}()
}

// ShowFrom implements find.Host.
func (w windowHost) ShowFrom(block string) {
	if c := w.shown; c.StartOlder() {
		w.readOlder(c, func(t *transcript.Transcript) { c.PrependFrom(t, block) })
	}
}

// FindShown implements find.Host.
func (w windowHost) FindShown(on bool) {
	if w.chatPane.Refresh(); !on {
		w.focusComposer()
	}
}
