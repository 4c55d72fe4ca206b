package cpuwindow

import (
	"cmp"
	"time"

	"mac-stats/app/backend"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem"
)

// learnt shows in its conversation what was remembered or proposed behind the
// scenes, by a compaction: with Undo, or to be decided.
func (w *Window) learnt(n backend.Notice) {
	c := w.convs[n.Session]
	if c == nil {
		return
	}
	c.addLearnt(n.Written, n.Proposed, n.Time)
	w.painter.changed(c)
}

func (c *conversation) addLearnt(written []sessionmem.Written, proposed []sessionmem.Proposal, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	told := map[string]bool{}
	for _, x := range written {
		if told[x.UndoID] && x.UndoID != "" {
			continue // the same lesson, in another file
		}
		told[x.UndoID] = true
		lesson := cmp.Or(x.Text, x.Old)
		c.add(&entry{kind: entryNote, memory: true, learnt: lesson, text: i18n.With("remembered “{{.Text}}”", i18n.Places{"Text": lesson}), undoID: x.UndoID, at: at})
	}
	for _, p := range proposed {
		e := &entry{kind: entryNote, memory: true, text: i18n.With("proposed to remember “{{.Text}}”", i18n.Places{"Text": p.Text}), proposal: p.ID, proposed: p.Text, at: at}
		switch p.Kind {
		case sessionmem.ProposeReplace:
			e.text = i18n.With("proposed to remember “{{.Text}}” in place of “{{.Old}}”", i18n.Places{"Text": p.Text, "Old": p.Old})
		case sessionmem.ProposeRemove:
			e.text, e.proposed = i18n.With("proposed to forget “{{.Old}}”", i18n.Places{"Old": p.Old}), ""
		}
		if why := p.Reason(); why != "" {
			e.text += " · " + why
		}
		c.add(e)
	}
}
