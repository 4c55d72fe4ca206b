package cpuwindow

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem"
)

// What can be done with a message: words beside it that show while the pointer is
// on it, or while one of them has the focus. They keep their place, so that
// nothing moves and Tab reaches them always.

// shyGroup is buttons that are shown together.
type shyGroup struct {
	buttons []*button
	hot     bool // the pointer is on what they belong to
	pinned  bool // always shown: of the newest message
}

// add makes a button one of the group.
func (g *shyGroup) add(label string, onTap func()) *button {
	b := newButton(buttonQuiet, label, onTap)
	b.shy = g
	g.buttons = append(g.buttons, b)
	return b
}

// show tells whether the pointer is there.
func (g *shyGroup) show(hot bool) {
	if g == nil || g.hot == hot {
		return
	}
	g.hot = hot
	g.refresh()
}

func (g *shyGroup) refresh() {
	for _, b := range g.buttons {
		b.Refresh()
	}
}

// visible reports whether the words are drawn.
func (g *shyGroup) visible() bool {
	return g == nil || g.hot || g.pinned || slices.ContainsFunc(g.buttons, func(b *button) bool { return b.focused || b.hovered })
}

// userActions is what can be done with a message of the user's.
func (c *chatView) userActions(e *entryView) (*fyne.Container, *shyGroup) {
	g := &shyGroup{}
	key, text := e.key, e.text
	var objects []fyne.CanvasObject
	if e.block != "" && !c.reading {
		objects = append(objects, g.add(i18n.T("Edit"), func() { c.toggle(key) }))
	}
	if text == sessionmem.ForgottenText {
		return line(gap12, -1, objects...), g
	}
	objects = append(objects, g.add(i18n.T("Copy"), func() { c.act.copyText(text) }))
	if block := e.block; block != "" && c.act.forgetMessage != nil {
		objects = append(objects, g.add(i18n.T("Forget…"), func() { c.act.forgetMessage(block) }))
	}
	return line(gap12, -1, objects...), g
}

// answerFoot is the line below a turn's answer: what can be done with it, and what
// its prompt held.
type answerFoot struct {
	*boxRow
	group *shyGroup
	key   string // what it was made for
}

// footOf gives the foot of a turn, made anew only where it changed. entries are
// the turn's, without the user's message.
func (c *chatView) footOf(user *entryView, entries []entryView, newest bool) *placed {
	head := -1
	links, answer := 0, ""
	answered, copies := false, false
	for i := range entries {
		switch e := &entries[i]; e.kind {
		case entryHead:
			head = i
		case entryAnswer:
			answered, answer = true, e.block
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
	again := copies && user != nil && user.block != "" && user.text != sessionmem.ForgottenText && !c.last.busy
	key := fmt.Sprint(links, copies, again, answer, h.read, h.recalled)
	f := c.feet[h.key]
	if f == nil || f.key != key {
		f = c.newFoot(h, user, answer, links, copies, again)
		f.key = key
	}
	if f.group.pinned != newest {
		f.group.pinned = newest
		f.group.refresh()
	}
	c.alive[h.key] = f
	return &placed{row: f, gap: gap4, max: proseMax, hot: f.group}
}

// saysForgotten reports whether nothing of an answer is left.
func saysForgotten(e *entryView) bool {
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
func (c *chatView) newFoot(h, user *entryView, answer string, links int, copies, again bool) *answerFoot {
	f := &answerFoot{group: &shyGroup{}}
	key := h.key
	var objects []fyne.CanvasObject
	if copies {
		objects = append(objects, f.group.add(i18n.T("Copy"), func() { c.act.copyAnswer(key) }))
	}
	if again {
		block := user.block
		objects = append(objects, f.group.add(i18n.T("Answer again"), func() { c.act.answerAgain(block) }))
	}
	if links > 0 {
		var b *button
		b = f.group.add(i18n.T("Links"), func() { c.act.showLinks(key, b) })
		objects = append(objects, b)
	}
	if answer != "" && c.act.forgetMessage != nil {
		objects = append(objects, f.group.add(i18n.T("Forget…"), func() { c.act.forgetMessage(answer) }))
	}
	objects = append(objects, c.recalledChip(h.recalled, f.group)...)
	objects = append(objects, c.memoryChips(h.read, f.group)...)
	f.boxRow = newBoxRow(line(gap12, -1, objects...))
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
	for _, leaves := range w.shown.answerLeaves(key) {
		markdown.EachLink(leaves, func(words, url string) {
			if seen[url] || len(m.Items) == 30 {
				return
			}
			seen[url] = true
			label := shorten(words, 40)
			if !strings.Contains(url, strings.TrimSuffix(words, "…")) {
				label += "  ·  " + shorten(url, 60)
			}
			m.Items = append(m.Items, fyne.NewMenuItem(label, func() { w.openLink(url) }))
		})
	}
	showMenu(m, below, w.win.Canvas())
}

// answerAgain has a message answered anew. What was said after the answer leaves
// the conversation, so it is asked about.
func (w *Window) answerAgain(block string) {
	n := w.shown.messagesAfter(block)
	do := func() { w.retry(fault{userID: block}) }
	if n <= 1 {
		do()
		return
	}
	w.confirm(i18n.T("Answer this message again?"), i18n.With("{{.N}} The conversation goes on from the new answer.", i18n.Places{"N": leavesWords(n)}), i18n.T("Answer again"), do)
}

// leavesWords says what a branch means for what came later.
func leavesWords(n int) string {
	return i18n.With("The {{.Messages}} after it leave the conversation. They stay in the transcript.", i18n.Places{"Messages": i18n.Count("{{.N}} messages", n)})
}
