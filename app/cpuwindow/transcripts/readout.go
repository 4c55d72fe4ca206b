package transcripts

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/transcript"
)

// How much of a transcript is built.
const (
	ReaderStep = 60  // blocks that join when the reader comes to an edge
	ReaderMost = 240 // blocks that are built at once: what is held does not grow with the transcript
)

// readout is a transcript as the viewer knows it: all blocks as they stand in the
// file, the part of them that is built, and what was opened in it. It draws nothing.
type readout struct {
	info     transcript.Info
	Blocks   []transcript.Block
	left     []bool // of each block: its branch was left
	From, to int    // the blocks that are built
	open     map[string]bool
	seed     maphash.Seed
}

func newReadout(t *transcript.Transcript) *readout {
	r := &readout{open: map[string]bool{}, seed: maphash.MakeSeed()}
	r.take(t)
	r.to = min(len(r.Blocks), ReaderStep)
	return r
}

// take replaces what was read; the part that is built stays about where it is.
func (r *readout) take(t *transcript.Transcript) {
	atEnd := r.to == len(r.Blocks)
	r.info, r.Blocks = t.Info, t.Blocks
	branch := map[string]bool{}
	for _, b := range t.Branch() {
		branch[b.ID] = true
	}
	r.left = make([]bool, len(t.Blocks))
	for i, b := range t.Blocks {
		r.left[i] = !branch[b.ID] && !b.IsBranching()
	}
	r.to = min(r.to, len(r.Blocks))
	if atEnd {
		r.to = min(len(r.Blocks), max(r.From+ReaderStep, r.to)+ReaderStep)
	}
	r.From = min(r.From, r.to)
}

// grow builds more blocks before (-1) or after (1) those that are built, and lets
// go of some at the other end. It reports whether there were any.
func (r *readout) grow(dir int) bool {
	if dir < 0 {
		if r.From == 0 {
			return false
		}
		r.From = max(0, r.From-ReaderStep)
		r.to = min(r.to, r.From+ReaderMost)
		return true
	}
	if r.to == len(r.Blocks) {
		return false
	}
	r.to = min(len(r.Blocks), r.to+ReaderStep)
	r.From = max(r.From, r.to-ReaderMost)
	return true
}

// show builds the blocks around one, and opens the branch it is on.
func (r *readout) show(at int) {
	if at < r.From || at >= r.to {
		r.From = max(0, at-ReaderStep/2)
		r.to = min(len(r.Blocks), r.From+ReaderStep)
	}
	if r.left[at] {
		r.open[r.groupOf(at)] = true
	}
}

// groupOf names the left branch a block is on, by its first block.
func (r *readout) groupOf(at int) string {
	for at > 0 && r.left[at-1] {
		at--
	}
	return "left " + r.Blocks[at].ID
}

// indexOf is where a block stands, -1 where it is not there.
func (r *readout) indexOf(block string) int {
	return slices.IndexFunc(r.Blocks, func(b transcript.Block) bool { return b.ID == block })
}

// readerItem is one thing of the viewer's column: an entry as in the chat, a line
// between days, or a branch that was left.
type readerItem struct {
	entry *conversation.EntryView
	day   string
	group string // a left branch's name; label says how much it is
	label string
	left  bool   // of an entry: it is on a left branch
	who   string // of a user's message: its author
	turn  string // of a head: the last block of its turn, to fork at
	next  string // of a head: the message after the turn, "" for none
}

// items words the part that is built. It parses markdown: off the UI goroutine.
func (r *readout) items(now time.Time) []readerItem {
	var out []readerItem
	day := ""
	if r.From > 0 {
		day = dayOf(r.Blocks[r.From-1], now)
	}
	for i := r.From; i < r.to; {
		end := i + 1
		for end < r.to && r.left[end] == r.left[i] {
			end++
		}
		if r.left[i] {
			name := r.groupOf(i)
			out = append(out, readerItem{group: name, label: leftWords(r.Blocks[i:end], r.open[name])})
			if !r.open[name] {
				i = end
				continue
			}
		}
		for _, it := range r.stretch(i, end) {
			if at := r.indexNear(it.entry.Block, i, end); at >= 0 {
				if d := dayOf(r.Blocks[at], now); d != "" && d != day {
					day = d
					out = append(out, readerItem{day: d})
				}
			}
			out = append(out, it)
		}
		i = end
	}
	return out
}

func (r *readout) indexNear(block string, from, to int) int {
	for i := from; block != "" && i < to; i++ {
		if r.Blocks[i].ID == block {
			return i
		}
	}
	return -1
}

func dayOf(b transcript.Block, now time.Time) string {
	if b.Time.IsZero() {
		return ""
	}
	return i18n.Day(b.Time.In(now.Location()))
}

func leftWords(blocks []transcript.Block, open bool) string {
	n := 0
	for _, b := range blocks {
		if b.IsMessage() {
			n++
		}
	}
	if open {
		return i18n.With("Earlier version · {{.Messages}} · hide", i18n.Places{"Messages": i18n.Count("{{.N}} messages", n)})
	}
	return i18n.With("Earlier version · {{.Messages}} · show", i18n.Places{"Messages": i18n.Count("{{.N}} messages", n)})
}

// stretch makes the entries of blocks that are on one branch, as the chat shows
// them, each under a key that stays as long as the block says the same.
func (r *readout) stretch(from, to int) []readerItem {
	entries := conversation.Entries(r.info.Name, r.Blocks[from:to])
	var out []readerItem
	head := -1
	for i := range entries {
		e := &entries[i]
		e.RetryID, e.GoOn, e.Edited, e.Rev = "", false, false, 1
		it := readerItem{entry: e, left: r.left[from]}
		if e.Kind == conversation.Error { // what to do about it is over
			e.Kind, e.Text = conversation.Note, i18n.With("failed: {{.Sentence}}", i18n.Places{"Sentence": e.Fault.Sentence})
		}
		at := r.indexNear(e.Block, from, to)
		if at >= 0 {
			b := r.Blocks[at]
			e.Key = fmt.Sprintf("%d %s %x", e.Kind, b.ID, maphash.String(r.seed, b.Text))
			it.who = cmp.Or(b.Attrs["author"], r.asker())
			if head >= 0 {
				out[head].turn = b.ID
			}
		}
		switch e.Kind {
		case conversation.Head:
			head = len(out)
			e.Key = "head" // completed below, by the entry under it
		case conversation.User:
			head = -1
		}
		out = append(out, it)
	}
	for i := range out {
		if out[i].turn != "" && !out[i].left {
			out[i].next = r.messageAfter(out[i].turn)
		}
		if out[i].entry.Key == "head" && i+1 < len(out) {
			out[i].entry.Key = "head of " + out[i+1].entry.Key
		}
	}
	return out
}

// asker is who a message is from where it does not say so itself.
func (r *readout) asker() string {
	if r.info.Source == "discord" {
		return i18n.T("Channel")
	}
	return i18n.T("You")
}

// messageAfter is the first message behind a block that is on the branch the
// conversation is on, "" where there is none.
func (r *readout) messageAfter(block string) string {
	for i := r.indexOf(block) + 1; i > 0 && i < len(r.Blocks); i++ {
		if r.Blocks[i].Kind == transcript.KindUser && !r.left[i] {
			return r.Blocks[i].ID
		}
	}
	return ""
}

// facts is what the viewer says of the file.
func (r *readout) facts(now time.Time) string {
	in := r.info
	parts := []string{sessions.SourceWords(in.Source), i18n.Count("{{.N}} messages", in.Messages)}
	if !in.Started.IsZero() {
		parts = append(parts, i18n.With("started {{.Time}}", i18n.Places{"Time": i18n.LongDate(in.Started.In(now.Location())) + in.Started.In(now.Location()).Format(" 15:04")}))
	}
	switch {
	case in.Archived:
		parts = append(parts, i18n.T("archived"))
	case in.Path == "":
		parts = append(parts, i18n.T("private, in memory only"))
	}
	if in.ReadOnly {
		parts = append(parts, i18n.T("read-only: a newer format, or an older file of the session"))
	}
	return strings.Join(parts, " · ")
}

// place is one place that find found: the nth in a block.
type place struct{ block, nth int }

// places finds a phrase in all blocks, also those that are not built. It reads
// much: off the UI goroutine.
func (r *readout) places(find func(text string) []prose.Mark) []place {
	var out []place
	for i, b := range r.Blocks {
		if b.IsBranching() || b.Kind == transcript.KindNote && b.Note == transcript.NoteTitle {
			continue
		}
		for n := range find(b.Text) {
			out = append(out, place{i, n})
		}
	}
	return out
}
