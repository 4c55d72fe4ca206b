package find

import (
	"slices"
	"sync/atomic"

	"fyne.io/fyne/v2"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/prose"
)

// Passage is a message that is not shown yet.
type Passage struct{ Block, Text string }

// Host is what a Find needs of the window. All of it happens on the UI goroutine.
type Host interface {
	Do(f func()) // runs f on the UI goroutine, later
	// FindMarks gives every place of the text where the phrase stands. Any goroutine.
	FindMarks(text, phrase string) []prose.Mark
	// Older gives the messages before those that are shown, in their order.
	Older(then func([]Passage))
	// ShowFrom shows older messages, back to a block.
	ShowFrom(block string)
	// FindShown says that the bar was opened or closed.
	FindShown(on bool)
}

// Find is the search of a chat: its bar, and the marks in its column.
type Find struct {
	Bar  *Bar
	host Host
	port *column.Viewport
	back func() // to where the reader was

	phrase  string
	marks   map[string][]prose.Mark // of the texts that are shown: most stay as they are
	first   string                  // the first block that is shown
	all     bool                    // there is nothing before it
	older   []Passage
	olderAt []int        // of each of them, how many places are in those before it; and the sum
	asked   int          // only the newest answer of the Host counts
	counts  *atomic.Bool // the counting of older messages that is under way; false ends it
	shown   int          // places in the column
	at      int          // the one that is looked at, from the first in the column: negative in an older message
	seeks   bool         // it is to be brought into sight once it is shown
}

// New is the search of a column of rows.
func New(host Host, port *column.Viewport) *Find {
	f := &Find{host: host, port: port, all: true, olderAt: []int{0}}
	f.Bar = NewBar(f.look, f.step, func() { f.Close(true) }, func() { f.Close(false) })
	return f
}

// Open reports whether the bar is shown.
func (f *Find) Open() bool { return f.Bar.Visible() }

// Show opens the bar, with what was looked for last.
func (f *Find) Show() {
	if !f.Open() {
		f.back = f.port.Remember()
		f.Bar.Show()
		f.host.FindShown(true)
		f.askOlder()
	}
	if c := fyne.CurrentApp().Driver().CanvasForObject(f.port); c != nil { // the bar itself may never have been drawn
		c.Focus(f.Bar.Entry)
	}
	f.Bar.Entry.TypedShortcut(&fyne.ShortcutSelectAll{})
	f.look(f.Bar.Entry.Text)
}

// Close takes the bar and the marks away; back leads to where the reader was before.
func (f *Find) Close(back bool) {
	if !f.Open() {
		return
	}
	f.Bar.Hide()
	f.phrase, f.marks, f.older, f.olderAt, f.seeks = "", nil, nil, []int{0}, false
	f.asked++
	if f.counts != nil {
		f.counts.Store(false)
	}
	f.port.Unmark()
	f.host.FindShown(false)
	if back {
		f.back()
	}
}

// LaidOut marks what the column shows now. first is the block it begins with, all
// whether nothing is before that.
func (f *Find) LaidOut(first string, all bool) {
	moved := first != f.first || all != f.all
	f.first, f.all = first, all
	if !f.Open() {
		return
	}
	if moved {
		f.cutOlder()
	}
	f.mark(f.seeks && f.at >= 0)
}

// cutOlder takes the messages out that are shown by now. Where the first one that is
// shown is none of them, they are asked for again.
func (f *Find) cutOlder() {
	n := slices.IndexFunc(f.older, func(p Passage) bool { return p.Block == f.first })
	switch {
	case f.all:
		n = 0
	case n < 0:
		f.askOlder()
		return
	}
	f.at += f.olderAt[len(f.older)] - f.olderAt[n]
	f.older, f.olderAt = f.older[:n], f.olderAt[:n+1]
}

func (f *Find) askOlder() {
	f.asked++
	f.older, f.olderAt = nil, []int{0}
	if f.all {
		return
	}
	asked := f.asked
	f.host.Older(func(older []Passage) {
		if asked != f.asked {
			return
		}
		f.older = older
		f.countOlder()
	})
}

// countOlder counts the places in older messages, off the UI goroutine: there may be very
// many. Until it is done none are known.
func (f *Find) countOlder() {
	if f.counts != nil {
		f.counts.Store(false)
	}
	f.olderAt = make([]int, len(f.older)+1)
	if f.phrase == "" || len(f.older) == 0 {
		return
	}
	goesOn, older, phrase := &atomic.Bool{}, f.older, f.phrase
	goesOn.Store(true)
	f.counts = goesOn
	go func() {
		at := make([]int, len(older)+1)
		for i, p := range older {
			if !goesOn.Load() {
				return
			}
			at[i+1] = at[i] + len(f.host.FindMarks(p.Text, phrase))
		}
		f.host.Do(func() {
			if !goesOn.Load() {
				return
			}
			f.olderAt = at[:len(f.older)+1] // some may be shown by now
			if f.shown == 0 {
				f.start()
			} else {
				f.mark(false)
			}
		})
	}()
}

// look looks for another phrase, from what is in sight on.
func (f *Find) look(phrase string) {
	f.phrase, f.marks = phrase, nil
	f.countOlder()
	f.start()
}

// start goes to the first place from what is in sight on; where there is none, to the
// last one.
func (f *Find) start() {
	f.at = f.port.MarkRows(f.find, 0, f.port.FirstInSight(), -1, false)
	f.at = min(f.at, f.port.MarkRows(f.find, 0, len(f.port.Rows), -1, false)-1)
	f.goTo()
}

// find is FindMarks for texts that are asked for again with every drawing.
func (f *Find) find(text string) []prose.Mark {
	if f.phrase == "" || text == "" {
		return nil
	}
	m, known := f.marks[text]
	if !known {
		if m = f.host.FindMarks(text, f.phrase); f.marks == nil || len(f.marks) > 2*len(f.port.Rows)+16 {
			f.marks = map[string][]prose.Mark{} // it grows with each text a streamed row had
		}
		f.marks[text] = m
	}
	return m
}

// step goes to the next or previous place, around the ends.
func (f *Find) step(by int) {
	older := f.olderAt[len(f.older)]
	if n := older + f.shown; n > 0 {
		f.at = (f.at+older+by+n)%n - older
		f.goTo()
	}
}

// goTo brings the place that is looked at into sight; an older message is shown first.
func (f *Find) goTo() {
	older := f.olderAt[len(f.older)]
	f.seeks = f.at < 0 && -f.at <= older
	if f.seeks {
		i, _ := slices.BinarySearch(f.olderAt, older+f.at+1)
		f.host.ShowFrom(f.older[i-1].Block)
	}
	f.mark(true)
}

func (f *Find) mark(reveal bool) {
	older := f.olderAt[len(f.older)]
	f.at = max(f.at, -older)
	f.shown = f.port.MarkRows(f.find, 0, len(f.port.Rows), f.at, reveal)
	if reveal && f.at >= 0 {
		f.seeks = false
	}
	f.at = max(min(f.at, f.shown-1), -older)
	f.Bar.Say(f.at+older, older+f.shown)
}
