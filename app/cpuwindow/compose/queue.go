package compose

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// Messages written while an answer arrives wait for it. They are sent one by one, each when
// the answer before it is done. After Stop or an error they wait until the user sends them.
// They belong to their session, whichever session is shown.

// Queue shows the waiting messages above the composer.
type Queue struct {
	Box    *fyne.Container
	rows   []conversation.Queued
	held   bool
	edit   func(id int)
	drop   func(id int)
	send   func(id int)
	resize func()
}

// queueShown is the number of messages shown; the others are counted.
const queueShown = 4

// NewQueue returns an empty queue.
func NewQueue(edit, drop, send func(id int), resize func()) *Queue {
	q := &Queue{Box: kit.Stack(kit.Gap4), edit: edit, drop: drop, send: send, resize: resize}
	q.Box.Hide()
	return q
}

// Show draws the queue if it changed.
func (q *Queue) Show(rows []conversation.Queued, held bool) {
	same := func(a, b conversation.Queued) bool { return a.Id == b.Id && a.Text == b.Text }
	if slices.EqualFunc(rows, q.rows, same) && held == q.held {
		return
	}
	q.rows, q.held = rows, held
	q.Box.Objects = nil
	for i, r := range rows {
		if i == queueShown {
			q.Box.Add(kit.Small(i18n.With("and {{.More}}", i18n.Places{"More": i18n.Count("{{.N}} more messages", len(rows)-i)})))
			break
		}
		q.Box.Add(q.row(r, i == 0))
	}
	q.Box.Hidden = len(rows) == 0
	q.Box.Refresh()
	q.resize()
}

func (q *Queue) row(r conversation.Queued, first bool) fyne.CanvasObject {
	state := i18n.T("waiting")
	switch {
	case q.held:
		state = i18n.T("paused")
	case first:
		state = i18n.T("next")
	}
	text := strings.Join(strings.Fields(i18n.Shorten(r.Text, 400)), " ")
	if len(r.Files) > 0 {
		text = strings.TrimPrefix(text+" · "+conversation.FileNames(conversation.Attachments(r.Files)), " · ")
	}
	words := kit.Muted(text).Squeezable()
	line := kit.Line(kit.Gap12, 1, kit.Small(state), words,
		kit.NewButton(kit.ButtonQuiet, i18n.T("Edit"), func() { q.edit(r.Id) }),
		kit.NewButton(kit.ButtonQuiet, i18n.T("Delete"), func() { q.drop(r.Id) }),
		kit.NewButton(kit.ButtonLink, i18n.T("Send now"), func() { q.send(r.Id) }))
	content := kit.Inset(kit.Gap4, kit.Gap4, kit.Gap12, kit.Gap12, container.New(queuedLayout{line}, line))
	return container.NewStack(kit.NewSurface(kit.RolePanel, kit.RoleLine, kit.RadiusRow), content)
}

// leastQueuedText is the width in pixels below which a message's text needs the room of its
// state.
const leastQueuedText = 100

// queuedLayout lays out the line of a waiting message, and hides the state, its first object,
// if it leaves the text too little room.
type queuedLayout struct{ line *fyne.Container }

func (l queuedLayout) MinSize([]fyne.CanvasObject) fyne.Size { return l.line.MinSize() }

func (l queuedLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	state, words := l.line.Objects[0], l.line.Objects[1]
	state.Show()
	if size.Width-l.line.MinSize().Width+words.MinSize().Width < leastQueuedText {
		state.Hide()
	}
	l.line.Resize(size)
	l.line.Layout.Layout(l.line.Objects, size)
}
