package conversation

import (
	"cmp"
	"slices"
	"strings"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// blocksShown is the number of blocks of a transcript that are built at once; older ones
// follow on demand.
const blocksShown = 60

// While blocks are added at the end, blocksKept stay shown: a conversation that goes on
// elsewhere must not fill memory. If the user asked for older ones, these stay until
// blocksAdded more have come.
const (
	blocksKept  = blocksShown + blocksShown/2
	blocksAdded = 4 * blocksShown
)

// Fill sets the conversation from a transcript: its newest blocks, and those older ones
// that are already shown, as far as blocksKept allows.
func (c *Conversation) Fill(t *transcript.Transcript) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.fill(t)
}

// Turns returns the number of turns begun in this conversation.
func (t *turn) Turns() int {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	return t.turns
}

// FillSince is Fill for a transcript that was read when the conversation had that many
// turns. It does nothing if a turn has begun since, because the transcript may lack its
// message.
func (c *Conversation) FillSince(turns int, t *transcript.Transcript) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	if c.turns == turns {
		c.fill(t)
	}
}

func (c *Conversation) fill(t *transcript.Transcript) {
	c.title, c.path = t.Info.Title, t.Info.Path
	c.LoadChoice(t)
	c.loadErr, c.loading = t.Info.Err, false
	live := c.live()
	blocks, summary, count := session.PlaceSummary(t.Branch())
	c.summarised = count
	from := max(0, len(blocks)-blocksShown)
	if oldest := slices.IndexFunc(blocks, c.shows); oldest >= 0 {
		kept := blocksKept
		if c.asked > 0 {
			kept = c.asked + blocksAdded
		}
		from = min(from, max(oldest, len(blocks)-kept))
	}
	for from > 0 && blocks[from].Kind != transcript.KindUser {
		from--
	}
	c.older, c.first = from, ""
	if from < len(blocks) {
		c.first = blocks[from].ID
	}
	before := c.entries
	c.entries, c.parsed = nil, documentsOf(before)
	c.shownID = map[string]bool{}
	c.edited, c.answeredAgain = branches(t.Blocks)
	c.versions = t.Versions()
	c.addFrom(blocks, from, len(blocks), summary)
	c.parsed = nil
	c.keepUnchanged(before)
	c.readUsage(blocks)
	c.restoreLive(live)
}

// shows reports whether a block is shown in its place. A Summary may be shown above blocks
// that aren't. The lock must be held.
func (l *log) shows(b transcript.Block) bool {
	return l.shownID[b.ID] && b.Kind != transcript.KindSummary
}

// readUsage takes the usage of the last answer, if it has one. The lock must be held.
func (t *turn) readUsage(blocks []transcript.Block) {
	for _, b := range slices.Backward(blocks) {
		if b.Kind != transcript.KindAssistant {
			continue
		}
		if u := agents.UsageOf(b); u != nil && !t.running.Busy() {
			t.usage = u
		}
		return
	}
}

// Prepend builds the blocks before those shown, from the transcript read again, because
// blocks that aren't shown aren't kept. It reports whether there were any.
func (h *history) Prepend(t *transcript.Transcript) bool {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	blocks, summary, _ := session.PlaceSummary(t.Branch())
	end := slices.IndexFunc(blocks, func(b transcript.Block) bool { return b.ID == h.first })
	if end <= 0 {
		h.older = 0
		return false
	}
	from := max(0, end-blocksShown)
	for from > 0 && blocks[from].Kind != transcript.KindUser {
		from--
	}
	shown := h.log.entries
	if summary < end && len(shown) > 0 && shown[0].Kind == Summary {
		shown = shown[1:] // it moves up
	}
	h.log.entries = nil
	h.addFrom(blocks, from, end, summary)
	h.log.entries = append(h.log.entries, shown...)
	h.older, h.first, h.asked = from, blocks[from].ID, len(blocks)-from
	return true
}

// Message is the text of a block.
type Message = struct{ Block, Text string }

// OlderMessages returns the messages before the blocks that are shown, as the screen would
// show them. It parses markdown, so call it off the UI goroutine.
func (h *history) OlderMessages(t *transcript.Transcript) []Message {
	h.log.mu.Lock()
	first := h.first
	h.log.mu.Unlock()
	blocks, _, _ := session.PlaceSummary(t.Branch())
	var out []Message
	for _, b := range blocks {
		switch {
		case b.ID == first:
			return out
		case b.Kind == transcript.KindUser:
			out = append(out, Message{b.ID, agents.MessageText(b)})
		case b.Kind == transcript.KindAssistant || b.Kind == transcript.KindText:
			out = append(out, Message{b.ID, markdown.Parse(b.Text).View().Words()})
		}
	}
	return nil
}

// PrependFrom is Prepend back to a block; it reports whether the block is shown now.
func (h *history) PrependFrom(t *transcript.Transcript, block string) bool {
	shown := func() bool {
		h.log.mu.Lock()
		defer h.log.mu.Unlock()
		return h.log.shownID[block]
	}
	for !shown() && h.Prepend(t) {
	}
	return shown()
}

// ShowsAll reports whether every block of a transcript, from the first one shown on, is on the
// screen.
func (h *history) ShowsAll(blocks []transcript.Block) bool {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	at := max(0, slices.IndexFunc(blocks, func(b transcript.Block) bool { return b.ID == h.first }))
	for _, b := range blocks[at:] {
		if !h.log.shownID[b.ID] && (b.Kind != transcript.KindSummary || !session.CoversNothing(&b)) && b.Kind != transcript.KindNote && b.Kind != transcript.KindAgent && b.Kind != transcript.KindTool {
			return false
		}
	}
	return true
}

// StartOlder reports whether older blocks may be read now. If so, call EndOlder when they
// were.
func (h *history) StartOlder() bool {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	if h.reading || h.older == 0 {
		return false
	}
	h.reading = true
	return true
}

// EndOlder ends the reading that StartOlder allowed.
func (h *history) EndOlder() {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	h.reading = false
}

// cutAnswer reports whether any text is left of the answer that a Note reports as cut off.
func cutAnswer(note transcript.Block, before []transcript.Block) bool {
	for _, b := range slices.Backward(before) {
		if b.Kind == transcript.KindUser {
			return false
		}
		own := b.ID == note.Attrs["block"] || b.Parent == note.Parent && b.Kind == transcript.KindAssistant
		if own && strings.TrimSpace(b.Text) != "" {
			return true
		}
	}
	return false
}

// NoteWords returns the line of a Note, or "" for one that people needn't see. before holds the
// blocks that precede it.
func NoteWords(b transcript.Block, before []transcript.Block) string {
	switch b.Note {
	case transcript.NoteInterrupted:
		return keptLine(cutAnswer(b, before))
	case transcript.NoteError:
		return cmp.Or(strings.TrimSpace(b.Text), i18n.T("The turn failed."))
	}
	return cutShortWords(agents.CutShortOf(b), noteLine(b))
}

// noteLine returns a Note block in words, or "" for one that people needn't see.
func noteLine(b transcript.Block) string {
	kind, rest, _ := strings.Cut(b.Note, " ")
	detail := strings.TrimSpace(cmp.Or(rest, b.Text))
	switch kind {
	case "ended":
		return i18n.T("new topic from here")
	case transcript.NoteTitle, transcript.NoteRewind, transcript.NoteVersion, transcript.NoteSettings:
		return ""
	case "error":
		if detail == "" {
			return i18n.T("failed")
		}
		return i18n.With("failed: {{.Detail}}", i18n.Places{"Detail": detail})
	case "":
		return detail
	}
	if detail == "" {
		return kind
	}
	return detail
}
