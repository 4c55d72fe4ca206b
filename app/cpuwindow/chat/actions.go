package chat

import (
	"fmt"

	"fyne.io/fyne/v2"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem/forgotten"
)

// The actions on a message are words beside it that show while the pointer is on it or
// while one of them has the focus. Their space is reserved, so that nothing moves and Tab
// always reaches them.

// userActions returns the actions on a message of the user.
func (r *Rows) userActions(e *conversation.EntryView) (*fyne.Container, *kit.HoverGroup) {
	g := &kit.HoverGroup{}
	key, text := e.Key, e.Text
	var objects []fyne.CanvasObject
	if e.Block != "" && !r.Reading {
		objects = append(objects, g.Add(i18n.T("Edit"), func() { r.Toggle(key) }))
	}
	if text == forgotten.Text {
		return kit.Line(kit.Gap12, -1, objects...), g
	}
	objects = append(objects, g.AddButton(kit.NewCopy(func() { r.Act.CopyText(text) })))
	if block := e.Block; block != "" && r.Act.ForgetMessage != nil {
		objects = append(objects, r.moreButton(g, block, text))
	}
	return kit.Line(kit.Gap12, -1, objects...), g
}

// answerFoot is the line below a turn's answer: its actions, and what its prompt contained.
type answerFoot struct {
	row   *kit.FlowRow
	pager *pager // nil if there is only one version
	group *kit.HoverGroup
	key   string // what it was built for
}

// footOf returns the foot of a turn, and rebuilds it only if it changed. entries are the
// turn's, without the user's message.
func (c *View) footOf(user *conversation.EntryView, entries []conversation.EntryView, newest bool) *column.Placed {
	head := -1
	links, answer := 0, ""
	var versioned *conversation.EntryView
	answered, copies := false, false
	for i := range entries {
		switch e := &entries[i]; e.Kind {
		case conversation.Head:
			head = i
		case conversation.Answer:
			answered, answer = true, e.Block
			if len(e.Versions) > 1 {
				versioned = e
			}
			if isForgotten(e) {
				answer = ""
			}
			copies = copies || !isForgotten(e)
			links += countLinks(e.Leaves)
		}
	}
	if head < 0 || !answered {
		return nil
	}
	h := &entries[head]
	again := copies && user != nil && user.Block != "" && user.Text != forgotten.Text && !c.last.Busy
	key := fmt.Sprint(links, copies, again, answer, h.Read, h.Recalled)
	if versioned != nil {
		key += fmt.Sprint(versioned.Block, versioned.Versions)
	}
	f := c.feet[h.Key]
	if f == nil || f.key != key {
		f = c.newFoot(h, user, answer, links, copies, again)
		if versioned != nil {
			f.pager = c.newPager(versioned)
			f.row.Objects = append([]fyne.CanvasObject{f.pager.object}, f.row.Objects...)
		}
		f.key = key
	}
	if f.group.Pinned != newest {
		f.group.Pinned = newest
		f.group.Refresh()
	}
	c.alive[h.Key] = f
	return &column.Placed{Row: f.row, Gap: kit.Gap4, Max: kit.ProseMax, Hover: f.group}
}

// isForgotten reports whether the whole answer was forgotten.
func isForgotten(e *conversation.EntryView) bool { return e.Words() == forgotten.Text }

// newFoot builds a foot. A forgotten answer can't be copied; answer is "" then.
func (c *View) newFoot(h, user *conversation.EntryView, answer string, links int, copies, again bool) *answerFoot {
	f := &answerFoot{group: &kit.HoverGroup{}}
	key := h.Key
	var objects []fyne.CanvasObject
	if copies {
		objects = append(objects, f.group.AddButton(kit.NewCopy(func() { c.Act.CopyAnswer(key) })))
	}
	if again {
		block := user.Block
		objects = append(objects, f.group.Add(i18n.T("Answer again"), func() { c.Act.AnswerAgain(block) }))
		if c.Act.AnswerWith != nil {
			var b *kit.Button
			b = f.group.Add(i18n.T("Answer again with…"), func() { c.Act.AnswerWith(block, b) })
			objects = append(objects, b)
		}
	}
	if links > 0 {
		var b *kit.Button
		b = f.group.Add(i18n.T("Links"), func() { c.Act.ShowLinks(key, b) })
		objects = append(objects, b)
	}
	if copies && c.Act.Remember != nil {
		objects = append(objects, f.group.Add(i18n.T("Remember…"), func() { c.Act.Remember(c.answerLine(answer)) }))
	}
	if answer != "" && c.Act.ForgetMessage != nil {
		objects = append(objects, f.group.Add(i18n.T("Forget…"), func() { c.Act.ForgetMessage(answer) }))
	}
	objects = append(objects, c.recalledChip(h.Recalled, f.group)...)
	objects = append(objects, c.memoryChips(h.Read, f.group)...)
	f.row = kit.NewFlowRow(kit.Gap12, objects...)
	return f
}

// countLinks counts the addresses in leaves.
func countLinks(leaves []markdown.Leaf) int {
	n := 0
	markdown.EachLink(leaves, func(string, string) { n++ })
	return n
}
