package cpuwindow

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem"
)

// What can be done with a message: words beside it that show while the pointer is
// on it, or while one of them has the focus. They keep their place, so that
// nothing moves and Tab reaches them always.

// userActions is what can be done with a message of the user's.
func (c *chatView) userActions(e *conversation.EntryView) (*fyne.Container, *kit.HoverGroup) {
	g := &kit.HoverGroup{}
	key, text := e.Key, e.Text
	var objects []fyne.CanvasObject
	if e.Block != "" && !c.reading {
		objects = append(objects, g.Add(i18n.T("Edit"), func() { c.toggle(key) }))
	}
	if text == sessionmem.ForgottenText {
		return kit.Line(kit.Gap12, -1, objects...), g
	}
	objects = append(objects, g.Add(i18n.T("Copy"), func() { c.act.copyText(text) }))
	if block := e.Block; block != "" && c.act.forgetMessage != nil {
		objects = append(objects, g.Add(i18n.T("Forget…"), func() { c.act.forgetMessage(block) }))
	}
	return kit.Line(kit.Gap12, -1, objects...), g
}

// answerFoot is the line below a turn's answer: what can be done with it, and what
// its prompt held.
type answerFoot struct {
	*kit.BoxRow
	group *kit.HoverGroup
	key   string // what it was made for
}

// footOf gives the foot of a turn, made anew only where it changed. entries are
// the turn's, without the user's message.
func (c *chatView) footOf(user *conversation.EntryView, entries []conversation.EntryView, newest bool) *kit.Placed {
	head := -1
	links, answer := 0, ""
	answered, copies := false, false
	for i := range entries {
		switch e := &entries[i]; e.Kind {
		case conversation.Head:
			head = i
		case conversation.Answer:
			answered, answer = true, e.Block
			if saysForgotten(e) {
				answer = ""
			}
			copies = copies || !saysForgotten(e)
			links += countLinks(e.Leaves)
		}
	}
	if head < 0 || !answered {
		return nil
	}
	h := &entries[head]
	again := copies && user != nil && user.Block != "" && user.Text != sessionmem.ForgottenText && !c.last.Busy
	key := fmt.Sprint(links, copies, again, answer, h.Read, h.Recalled)
	f := c.feet[h.Key]
	if f == nil || f.key != key {
		f = c.newFoot(h, user, answer, links, copies, again)
		f.key = key
	}
	if f.group.Pinned != newest {
		f.group.Pinned = newest
		f.group.Refresh()
	}
	c.alive[h.Key] = f
	return &kit.Placed{Row: f, Gap: kit.Gap4, Max: kit.ProseMax, Hot: f.group}
}

// saysForgotten reports whether nothing of an answer is left.
func saysForgotten(e *conversation.EntryView) bool {
	text := ""
	for _, l := range slices.Concat(e.Leaves, e.Tail) {
		text += l.Code
		for _, r := range l.Runs {
			text += r.Text
		}
		if l.Table != nil {
			return false
		}
	}
	return text == sessionmem.ForgottenText
}

// newFoot makes a foot; there is nothing to copy of an answer that is forgotten, and
// answer is "" then.
func (c *chatView) newFoot(h, user *conversation.EntryView, answer string, links int, copies, again bool) *answerFoot {
	f := &answerFoot{group: &kit.HoverGroup{}}
	key := h.Key
	var objects []fyne.CanvasObject
	if copies {
		objects = append(objects, f.group.Add(i18n.T("Copy"), func() { c.act.copyAnswer(key) }))
	}
	if again {
		block := user.Block
		objects = append(objects, f.group.Add(i18n.T("Answer again"), func() { c.act.answerAgain(block) }))
	}
	if links > 0 {
		var b *kit.Button
		b = f.group.Add(i18n.T("Links"), func() { c.act.showLinks(key, b) })
		objects = append(objects, b)
	}
	if answer != "" && c.act.forgetMessage != nil {
		objects = append(objects, f.group.Add(i18n.T("Forget…"), func() { c.act.forgetMessage(answer) }))
	}
	objects = append(objects, c.recalledChip(h.Recalled, f.group)...)
	objects = append(objects, c.memoryChips(h.Read, f.group)...)
	f.BoxRow = kit.NewBoxRow(kit.Line(kit.Gap12, -1, objects...))
	return f
}

// countLinks counts the addresses in leaves.
func countLinks(leaves []markdown.Leaf) int {
	n := 0
	markdown.EachLink(leaves, func(string, string) { n++ })
	return n
}

// showLinks opens a menu of an answer's links: the way to them without a mouse.
func (w *Window) showLinks(key string, below fyne.CanvasObject) {
	m := fyne.NewMenu("")
	seen := map[string]bool{}
	for _, leaves := range w.shown.AnswerLeaves(key) {
		markdown.EachLink(leaves, func(words, url string) {
			if seen[url] || len(m.Items) == 30 {
				return
			}
			seen[url] = true
			label := i18n.Shorten(words, 40)
			if !strings.Contains(url, strings.TrimSuffix(words, "…")) {
				label += "  ·  " + i18n.Shorten(url, 60)
			}
			m.Items = append(m.Items, fyne.NewMenuItem(label, func() { w.openLink(url) }))
		})
	}
	kit.ShowMenu(m, below, w.win.Canvas())
}

// answerAgain has a message answered anew. What was said after the answer leaves
// the conversation, so it is asked about.
func (w *Window) answerAgain(block string) {
	n := w.shown.MessagesAfter(block)
	do := func() { w.retry(conversation.Fault{UserID: block}) }
	if n <= 1 {
		do()
		return
	}
	kit.Confirm(w.win.Canvas(), i18n.T("Answer this message again?"), i18n.With("{{.N}} The conversation goes on from the new answer.", i18n.Places{"N": leavesWords(n)}), i18n.T("Answer again"), do)
}

// leavesWords says what a branch means for what came later.
func leavesWords(n int) string {
	return i18n.With("The {{.Messages}} after it leave the conversation. They stay in the transcript.", i18n.Places{"Messages": i18n.Count("{{.N}} messages", n)})
}
