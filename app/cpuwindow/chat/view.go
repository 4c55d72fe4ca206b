package chat

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/answer"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
)

// View draws the conversation that is shown, in a column that scrolls.
type View struct {
	*Rows
	Port         *column.Viewport
	Latest       *kit.Button
	Object       fyne.CanvasObject
	feet         map[string]*answerFoot
	alive        map[string]*answerFoot // those in use during layoutRows
	messagesSeen int                    // messages that existed when the reader left the end
	olderSeen    int                    // blocks that weren't built at that moment
	float        *fyne.Container
	extra        []*column.Placed // cards below everything: first run, notices
	stateRow     *stateRow
	OnLaidOut    func(first string, all bool) // called with the first block of the rows, and whether nothing precedes it
}

// Rows builds the rows of a conversation's entries. It keeps what it built for each entry
// and rebuilds only what changed.
type Rows struct {
	Act      Actions
	Built    map[string]*Entry
	Expanded map[string]bool // entries that are open; a message, if it is being edited
	Reading  bool            // nothing can be changed here
	OnToggle func()          // called when an entry was opened or closed; lays the rows out again
	unfolded map[string]bool // long messages that are shown whole
	last     conversation.View
	now      func() time.Time
}

// Entry holds the rows of one entry.
type Entry struct {
	rev      int
	Rows     []*column.Placed
	leaves   answer.Rows
	expanded bool
	Call     *callRow
	head     *headRow
	fold     *kit.Button
	pager    *pager        // of a message that has versions
	text     string        // of a user's message
	answer   markdown.View // of an answer
}

// New returns an empty chat.
func New(act Actions) *View {
	rows := &Rows{Act: act, Built: map[string]*Entry{}, Expanded: map[string]bool{}, unfolded: map[string]bool{}, now: time.Now}
	c := &View{Rows: rows, Port: column.NewViewport(), feet: map[string]*answerFoot{}}
	rows.OnToggle = func() { c.Port.ChangeInPlace(c.layoutRows) }
	c.Latest = kit.NewButton(kit.ButtonPlain, i18n.T("Jump to latest ↓"), func() { c.Port.ToEnd() })
	c.Latest.TextSize = kit.SizeSmall
	c.Latest.Hide()
	c.Port.OnAway = func(away bool) {
		c.messagesSeen, c.olderSeen = c.messages(), c.last.Older
		c.labelLatest()
		if away {
			c.Latest.Show()
		} else {
			c.Latest.Hide()
		}
	}
	c.Port.OnTop = func() {
		if c.last.Older > 0 {
			c.Act.ShowOlder()
		}
	}
	c.Port.OnLink, c.Port.OnRune = act.OpenLink, act.TypeInto
	c.Port.OnMenu = c.menu
	c.stateRow = newStateRow()
	c.float = container.New(&floatLayout{}, c.Latest)
	c.Object = container.NewStack(c.Port, c.float)
	return c
}

// floatLayout places a small object above the lower edge.
type floatLayout struct{}

func (floatLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.Size{} }
func (floatLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	m := o[0].MinSize()
	o[0].Move(fyne.NewPos((s.Width-m.Width)/2, s.Height-m.Height-kit.Gap12))
	o[0].Resize(m)
}

// Show draws a conversation. A different conversation starts at its end.
func (c *View) Show(v conversation.View) {
	if v.Name != c.last.Name {
		c.Built, c.feet, c.Expanded, c.unfolded = map[string]*Entry{}, map[string]*answerFoot{}, map[string]bool{}, map[string]bool{}
		c.Port.ClearSelection()
		c.Port.Follow, c.Port.Fixed = true, false
	}
	c.last = v
	c.layoutRows()
}

func (c *View) layoutRows() {
	v := c.last
	var rows []*column.Placed
	if v.Older > 0 {
		rows = append(rows, &column.Placed{Row: c.olderRow(v.Older), Gap: kit.Gap4})
	}
	alive := make(map[string]*Entry, len(v.Entries))
	c.alive = map[string]*answerFoot{}
	turn, answer := 0, len(rows) // index of the turn's first entry, and of the first row of its answer
	for i := range v.Entries {
		b := c.Build(&v.Entries[i])
		alive[v.Entries[i].Key] = b
		rows = append(rows, b.Rows...)
		if v.Entries[i].Kind == conversation.User {
			answer = len(rows)
		}
		if endsTurn(v.Entries, i) {
			if f := c.turnFoot(v.Entries[turn:i+1], i+1 == len(v.Entries)); f != nil {
				for _, p := range rows[answer:] {
					p.Hover = f.Hover
				}
				rows = append(rows, f)
			}
			turn = i + 1
		}
	}
	c.Built, c.feet = alive, c.alive
	if v.State != "" {
		c.stateRow.set(v.State)
		rows = append(rows, &column.Placed{Row: c.stateRow, Gap: kit.Gap12})
	}
	rows = append(rows, c.extra...)
	if empty := len(v.Entries) == 0; empty != c.Port.Fixed { // the cards are read from their heading on
		c.Port.Follow, c.Port.Fixed = !empty, empty
		if empty {
			c.Port.Offset = 0
		}
	}
	c.Port.SetRows(rows)
	c.Port.ReportAway()
	c.labelLatest()
	if c.OnLaidOut != nil {
		c.OnLaidOut(v.First, v.Older == 0)
	}
}

// endsTurn reports whether entry i is the last of its turn.
func endsTurn(entries []conversation.EntryView, i int) bool {
	if i+1 == len(entries) {
		return true
	}
	next := entries[i+1].Kind
	return next == conversation.User || next == conversation.Summary
}

// messages returns the number of messages built.
func (c *View) messages() int {
	n := 0
	for i := range c.last.Entries {
		if k := c.last.Entries[i].Kind; k == conversation.User || k == conversation.Head {
			n++
		}
	}
	return n
}

// labelLatest shows how many messages arrived since the reader left the end.
func (c *View) labelLatest() {
	label := i18n.T("Jump to latest ↓")
	if n := c.messages() - c.messagesSeen; n > 0 && c.Port.Away && c.last.Older == c.olderSeen {
		label = i18n.Count("{{.N}} new messages", n) + " ↓"
	}
	if c.Latest.Text != label {
		c.Latest.SetText(label)
		c.float.Refresh()
	}
}

// turnFoot returns the foot of a finished turn.
func (c *View) turnFoot(turn []conversation.EntryView, newest bool) *column.Placed {
	if newest && c.last.Busy || c.Reading {
		return nil
	}
	var user *conversation.EntryView
	if turn[0].Kind == conversation.User {
		user, turn = &turn[0], turn[1:]
	}
	return c.footOf(user, turn, newest)
}

func (c *View) olderRow(n int) kit.Row {
	return column.NewDivider(i18n.With("{{.Older}} · show", i18n.Places{"Older": i18n.Count("{{.N}} older entries", n)}), c.Act.ShowOlder)
}

// SetExtra puts cards below the conversation.
func (c *View) SetExtra(rows []*column.Placed) {
	c.extra = rows
	c.layoutRows()
}

// Toggle opens or closes an entry; for a message, its editing.
func (r *Rows) Toggle(key string) {
	r.Expanded[key] = !r.Expanded[key]
	r.OnToggle()
}

// OpenSummary opens the Summary that stands for older messages.
func (c *View) OpenSummary() {
	for i := range c.last.Entries {
		e := &c.last.Entries[i]
		if e.Kind != conversation.Summary {
			continue
		}
		c.Port.Follow = false
		c.Expanded[e.Key] = true
		c.layoutRows()
		rows := c.Built[e.Key].Rows
		for _, p := range c.Port.Rows {
			if p.Row == rows[0].Row {
				c.Port.ScrollTo(p.Top - kit.Gap16)
			}
		}
	}
}
