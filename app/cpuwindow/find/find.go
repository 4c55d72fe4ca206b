package find

import (
	"slices"
	"sync/atomic"

	"fyne.io/fyne/v2"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/prose"
)

// Passage is the text of a message that isn't shown yet.
type Passage = struct{ Block, Text string }

// Host is what a Find needs from the window. Except for FindMarks, its methods are called
// on the UI goroutine.
type Host interface {
	Do(f func()) // runs f on the UI goroutine, later
	// FindMarks returns every match of a phrase in a text. It may be called on any
	// goroutine.
	FindMarks(text, phrase string) []prose.Mark
	// Older passes the messages before those shown to then, in order.
	Older(then func([]Passage))
	// ShowFrom shows older messages, back to a block.
	ShowFrom(block string)
	// FindShown reports that the bar was opened or closed.
	FindShown(on bool)
}

// Find is the search of a chat: its bar, and the marks in its column.
type Find struct {
	Bar  *Bar
	host Host
	port *column.Viewport
	back func() // returns to where the reader was

	phrase   string
	marks    map[string][]prose.Mark // by shown text, because most texts stay the same
	first    string                  // the first block shown
	all      bool                    // nothing precedes it
	older    []Passage
	olderAt  []int        // for each older message, the number of matches before it; the last element is the total
	requests int          // only the newest answer of the Host counts
	counts   *atomic.Bool // the count of older messages under way; false stops it
	shown    int          // matches in the column
	at       int          // the current match, counted from the first in the column: negative in older messages
	reveal   bool         // bring the current match into view once it is shown
}

// New returns the search of a column of rows.
func New(host Host, port *column.Viewport) *Find {
	f := &Find{host: host, port: port, all: true, olderAt: []int{0}}
	f.Bar = NewBar(f.search, f.step, func() { f.Close(true) }, func() { f.Close(false) })
	return f
}

// Open reports whether the bar is shown.
func (f *Find) Open() bool { return f.Bar.Visible() }

// Show opens the bar with the last phrase.
func (f *Find) Show() {
	if !f.Open() {
		f.back = f.port.SavePosition()
		f.Bar.Show()
		f.host.FindShown(true)
		f.requestOlder()
	}
	if c := fyne.CurrentApp().Driver().CanvasForObject(f.port); c != nil { // the bar itself may not have been drawn yet
		c.Focus(f.Bar.Entry)
	}
	f.Bar.Entry.TypedShortcut(&fyne.ShortcutSelectAll{})
	f.search(f.Bar.Entry.Text)
}

// Close removes the bar and the marks. If back is set, the reader returns to where they
// were.
func (f *Find) Close(back bool) {
	if !f.Open() {
		return
	}
	f.Bar.Hide()
	f.phrase, f.marks, f.older, f.olderAt, f.reveal = "", nil, nil, []int{0}, false
	f.requests++
	if f.counts != nil {
		f.counts.Store(false)
	}
	f.port.Unmark()
	f.host.FindShown(false)
	if back {
		f.back()
	}
}

// LaidOut marks the rows that the column shows now. first is their first block, all whether
// nothing precedes it.
func (f *Find) LaidOut(first string, all bool) {
	moved := first != f.first || all != f.all
	f.first, f.all = first, all
	if !f.Open() {
		return
	}
	if moved {
		f.dropShown()
	}
	f.mark(f.reveal && f.at >= 0)
}

// dropShown drops the messages that are shown by now. If the first one shown isn't among
// them, it asks for the older messages again.
func (f *Find) dropShown() {
	n := slices.IndexFunc(f.older, func(p Passage) bool { return p.Block == f.first })
	switch {
	case f.all:
		n = 0
	case n < 0:
		f.requestOlder()
		return
	}
	f.at += f.olderAt[len(f.older)] - f.olderAt[n]
	f.older, f.olderAt = f.older[:n], f.olderAt[:n+1]
}

func (f *Find) requestOlder() {
	f.requests++
	f.older, f.olderAt = nil, []int{0}
	if f.all {
		return
	}
	requests := f.requests
	f.host.Older(func(older []Passage) {
		if requests != f.requests {
			return
		}
		f.older = older
		f.countOlder()
	})
}

// countOlder counts the matches in older messages, off the UI goroutine because there may
// be many. Until it is done there are none.
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
				f.selectFirst()
			} else {
				f.mark(false)
			}
		})
	}()
}

// search searches for another phrase, starting at what is visible.
func (f *Find) search(phrase string) {
	f.phrase, f.marks = phrase, nil
	f.countOlder()
	f.selectFirst()
}

// selectFirst selects the first match from what is visible on, or the last match if there is
// none.
func (f *Find) selectFirst() {
	f.at = f.port.MarkRows(f.cachedMarks, 0, f.port.FirstVisible(), -1, false)
	f.at = min(f.at, f.port.MarkRows(f.cachedMarks, 0, len(f.port.Rows), -1, false)-1)
	f.goTo()
}

// cachedMarks is FindMarks with a cache: texts are searched again with every drawing.
func (f *Find) cachedMarks(text string) []prose.Mark {
	if f.phrase == "" || text == "" {
		return nil
	}
	m, known := f.marks[text]
	if !known {
		if m = f.host.FindMarks(text, f.phrase); f.marks == nil || len(f.marks) > 2*len(f.port.Rows)+16 {
			f.marks = map[string][]prose.Mark{} // a streamed row adds an entry for each of its texts
		}
		f.marks[text] = m
	}
	return m
}

// step selects the next or previous match, and wraps around.
func (f *Find) step(by int) {
	older := f.olderAt[len(f.older)]
	if n := older + f.shown; n > 0 {
		f.at = (f.at+older+by+n)%n - older
		f.goTo()
	}
}

// goTo brings the current match into view, and shows its message first if it is an older
// one.
func (f *Find) goTo() {
	older := f.olderAt[len(f.older)]
	f.reveal = f.at < 0 && -f.at <= older
	if f.reveal {
		i, _ := slices.BinarySearch(f.olderAt, older+f.at+1)
		f.host.ShowFrom(f.older[i-1].Block)
	}
	f.mark(true)
}

func (f *Find) mark(reveal bool) {
	older := f.olderAt[len(f.older)]
	f.at = max(f.at, -older)
	f.shown = f.port.MarkRows(f.cachedMarks, 0, len(f.port.Rows), f.at, reveal)
	if reveal && f.at >= 0 {
		f.reveal = false
	}
	f.at = max(min(f.at, f.shown-1), -older)
	f.Bar.SetCount(f.at+older, older+f.shown)
}
