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

// How many blocks of a transcript have rows.
const (
	ReaderStep = 60  // blocks that are added when the reader reaches an edge
	ReaderMost = 240 // blocks that have rows at a time, so that memory doesn't grow with the transcript
)

// readout is the state of the viewer: all blocks in the order of the file, the part of them that
// has rows, and the groups that are open. It draws nothing.
type readout struct {
	info     transcript.Info
	Blocks   []transcript.Block
	left     []bool // for each block, whether its branch was abandoned
	From, to int    // the blocks that have rows
	open     map[string]bool
	seed     maphash.Seed
}

func newReadout(t *transcript.Transcript) *readout {
	r := &readout{open: map[string]bool{}, seed: maphash.MakeSeed()}
	r.replace(t)
	r.to = min(len(r.Blocks), ReaderStep)
	return r
}

// replace sets a new version of the transcript. The part that has rows stays about where it is.
func (r *readout) replace(t *transcript.Transcript) {
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

// grow adds blocks before (-1) or after (1) those that have rows, and drops some at the other
// end. It reports whether there were any.
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

// show makes the blocks around one have rows, and opens its branch.
func (r *readout) show(at int) {
	if at < r.From || at >= r.to {
		r.From = max(0, at-ReaderStep/2)
		r.to = min(len(r.Blocks), r.From+ReaderStep)
	}
	if r.left[at] {
		r.open[r.groupOf(at)] = true
	}
}

// groupOf returns the name of the abandoned branch of a block, made from its first block.
func (r *readout) groupOf(at int) string {
	for at > 0 && r.left[at-1] {
		at--
	}
	return "left " + r.Blocks[at].ID
}

// indexOf returns the index of a block, or -1 if it isn't there.
func (r *readout) indexOf(block string) int {
	return slices.IndexFunc(r.Blocks, func(b transcript.Block) bool { return b.ID == block })
}

// readerItem is one item of the viewer's column: an entry as in the chat, a line between days,
// or an abandoned branch.
type readerItem struct {
	entry *conversation.EntryView
	day   string
	group string // name of an abandoned branch
	label string // of the group, with its number of messages
	left  bool   // the entry is on an abandoned branch
	who   string // author of a user's message
	turn  string // for a head, the last block of its turn, to fork at
	next  string // for a head, the message after the turn; "" for none
}

// items returns the items of the part that has rows. It parses markdown, so it is called off the
// UI goroutine.
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
			out = append(out, readerItem{group: name, label: groupLabel(r.Blocks[i:end], r.open[name])})
			if !r.open[name] {
				i = end
				continue
			}
		}
		for _, it := range r.branchItems(i, end) {
			if at := r.indexWithin(it.entry.Block, i, end); at >= 0 {
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

func (r *readout) indexWithin(block string, from, to int) int {
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

func groupLabel(blocks []transcript.Block, open bool) string {
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

// branchItems returns the entries of blocks on one branch, as the chat shows them. The key of each
// stays the same as long as the text of its block does.
func (r *readout) branchItems(from, to int) []readerItem {
	entries := conversation.Entries(r.info.Name, r.Blocks[from:to])
	var out []readerItem
	head := -1
	for i := range entries {
		e := &entries[i]
		e.RetryID, e.GoOn, e.Edited, e.Rev = "", false, false, 1
		it := readerItem{entry: e, left: r.left[from]}
		if e.Kind == conversation.Error { // too late to act on it
			e.Kind, e.Text = conversation.Note, i18n.With("failed: {{.Sentence}}", i18n.Places{"Sentence": e.Fault.Sentence})
		}
		at := r.indexWithin(e.Block, from, to)
		if at >= 0 {
			b := r.Blocks[at]
			e.Key = fmt.Sprintf("%d %s %x", e.Kind, b.ID, maphash.String(r.seed, b.Text))
			it.who = cmp.Or(b.Attrs["author"], r.defaultAuthor())
			if head >= 0 {
				out[head].turn = b.ID
			}
		}
		switch e.Kind {
		case conversation.Head:
			head = len(out)
			e.Key = "head" // completed below with the key of the next entry
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

// defaultAuthor returns the author of messages that don't name one.
func (r *readout) defaultAuthor() string {
	if r.info.Source == "discord" {
		return i18n.T("Channel")
	}
	return i18n.T("You")
}

// messageAfter returns the first message after a block on the current branch, or "" if there is
// none.
func (r *readout) messageAfter(block string) string {
	for i := r.indexOf(block) + 1; i > 0 && i < len(r.Blocks); i++ {
		if r.Blocks[i].Kind == transcript.KindUser && !r.left[i] {
			return r.Blocks[i].ID
		}
	}
	return ""
}

// facts returns the line about the file: source, number of messages, start.
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

// place is the nth occurrence of a phrase in a block.
type place struct{ block, nth int }

// places finds a phrase in all blocks, including those without rows. It may take long, so it is
// called off the UI goroutine.
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
