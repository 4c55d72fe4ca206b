package cpuwindow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem"
)

// blocksShown is how many blocks of a transcript are built at once; older ones
// follow on demand.
const blocksShown = 60

// fill sets the conversation from a transcript, newest blocks first to be built.
func (c *conversation) fill(t *sessionmem.Transcript) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.title, c.path = t.Info.Title, t.Info.Path
	c.changed = t.Info.Active
	c.readChosen(t)
	c.loadErr, c.loading = t.Info.Err, false
	live := c.live()
	blocks, summary, count := placeSummary(t.Branch())
	c.summarised = count
	from := max(0, len(blocks)-blocksShown)
	for from > 0 && blocks[from].Kind != sessionmem.KindUser {
		from--
	}
	c.older, c.first = from, ""
	if from < len(blocks) {
		c.first = blocks[from].ID
	}
	c.entries = nil
	c.shownID = map[string]bool{}
	c.edited, c.anew = branches(t.Blocks)
	c.addFrom(blocks, from, len(blocks), summary)
	c.restoreLive(live)
}

// prepend builds the blocks before those shown, from the transcript read again:
// what is not shown is not held. It reports whether there were any.
func (c *conversation) prepend(t *sessionmem.Transcript) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	blocks, summary, _ := placeSummary(t.Branch())
	end := slices.IndexFunc(blocks, func(b sessionmem.Block) bool { return b.ID == c.first })
	if end <= 0 {
		c.older = 0
		return end == 0
	}
	from := max(0, end-blocksShown)
	for from > 0 && blocks[from].Kind != sessionmem.KindUser {
		from--
	}
	shown := c.entries
	if summary < end && len(shown) > 0 && shown[0].kind == entrySummary {
		shown = shown[1:] // it moves up
	}
	c.entries = nil
	c.addFrom(blocks, from, end, summary)
	c.entries = append(c.entries, shown...)
	c.older, c.first = from, blocks[from].ID
	return true
}

// knows reports whether every block of a transcript, from the first one here on, is
// on the screen already.
func (c *conversation) knows(blocks []sessionmem.Block) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := max(0, slices.IndexFunc(blocks, func(b sessionmem.Block) bool { return b.ID == c.first }))
	for _, b := range blocks[at:] {
		if !c.shownID[b.ID] && b.Kind != sessionmem.KindNote && b.Kind != sessionmem.KindAgent && b.Kind != sessionmem.KindTool {
			return false
		}
	}
	return true
}

// showOlder reads and shows the blocks before those shown, once at a time.
func (w *Window) showOlder() {
	c := w.shown
	if !c.startOlder() {
		return
	}
	go func() {
		t, err := w.parts.sessions.Load(w.ctx, c.name)
		if err == nil {
			c.prepend(t)
		}
		c.endOlder()
		if err != nil {
			w.p.Do(func() {
				w.tell(i18n.With("Older messages can't be read: {{.Error}}", i18n.Places{"Error": err.Error()}), "")
			})
		}
		w.painter.changed(c)
	}()
}

func (c *conversation) startOlder() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reading || c.older == 0 {
		return false
	}
	c.reading = true
	return true
}

func (c *conversation) endOlder() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reading = false
}

// addBlocks appends the entries of blocks.
func (c *conversation) addBlocks(blocks []sessionmem.Block) {
	headed := false
	for i, b := range blocks {
		switch b.Kind {
		case sessionmem.KindUser:
			headed = false
			c.add(&entry{kind: entryUser, block: b.ID, text: wordsOf(b), files: b.Attachments(), at: b.Time, edited: c.edited[b.ID]})
			continue
		case sessionmem.KindSummary:
			c.add(&entry{kind: entrySummary, block: b.ID, text: b.Text, at: b.Time, count: c.summarised})
			continue
		case sessionmem.KindNote:
			c.addNote(b, blocks[:i])
			continue
		case sessionmem.KindText:
			c.add(&entry{kind: entryAnswer, block: b.ID, doc: markdown.Parse(b.Text), at: b.Time})
			continue
		}
		if !headed {
			c.addHead(blocks[i:])
			headed = true
		}
		c.addAnswerBlock(b)
	}
}

// addHead puts the badge above the turn's first block: of the answer, if it has one.
func (c *conversation) addHead(rest []sessionmem.Block) {
	h := rest[0]
	for _, b := range rest {
		if b.Kind == sessionmem.KindUser {
			break
		}
		if b.Kind == sessionmem.KindAssistant {
			h = b
			break
		}
	}
	agent := h.Agent
	if h.Kind == sessionmem.KindTool || agent == "" {
		agent = "assistant"
	}
	c.add(&entry{kind: entryHead, agent: agent, model: h.Model, at: h.Time, again: c.anew[h.Parent], read: agents.ReadOf(h), recalled: agents.RecalledOf(h)})
}

func (c *conversation) addAnswerBlock(b sessionmem.Block) {
	switch {
	case b.Kind == sessionmem.KindTool, b.Kind == sessionmem.KindAgent && b.Task != "":
		doc := markdown.Parse(b.Text)
		if b.Kind == sessionmem.KindTool {
			doc = markdown.NewPreformatted()
			doc.Append(b.Text)
			doc.Settle(true)
		}
		c.add(&entry{kind: entryCall, block: b.ID, agent: b.Agent, model: b.Model, task: b.Task, doc: doc, at: b.Time, tool: b.Kind == sessionmem.KindTool, failed: b.Attrs["failed"]})
	case strings.TrimSpace(b.Text) != "":
		c.add(&entry{kind: entryAnswer, block: b.ID, agent: b.Agent, model: b.Model, doc: markdown.Parse(b.Text), at: b.Time})
	}
}

// addNote appends a Note's entry; before are the blocks before it.
func (c *conversation) addNote(b sessionmem.Block, before []sessionmem.Block) {
	text := noteLine(b)
	switch b.Note {
	case sessionmem.NoteInterrupted:
		text = keptLine(cutAnswer(b, before))
	case sessionmem.NoteError:
		if b.Parent != "" && b.Parent == c.lastUserBlock() {
			detail := cmp.Or(strings.TrimSpace(b.Text), i18n.T("The turn failed."))
			c.add(&entry{kind: entryError, block: b.ID, at: b.Time, fault: &fault{sentence: detail, userID: b.Parent}})
			return
		}
	}
	if text == "" {
		return
	}
	c.add(&entry{kind: entryNote, block: b.ID, text: text, at: b.Time})
}

// lastUserBlock is the id of the newest message.
func (c *conversation) lastUserBlock() string {
	for _, e := range slices.Backward(c.entries) {
		if e.kind == entryUser {
			return e.block
		}
	}
	return ""
}

// cutAnswer reports whether there is any text of the answer a Note says was cut off.
func cutAnswer(note sessionmem.Block, before []sessionmem.Block) bool {
	for _, b := range slices.Backward(before) {
		if b.Kind == sessionmem.KindUser {
			return false
		}
		own := b.ID == note.Attrs["block"] || b.Parent == note.Parent && b.Kind == sessionmem.KindAssistant
		if own && strings.TrimSpace(b.Text) != "" {
			return true
		}
	}
	return false
}

// noteLine is a Note block in words; "" for those people need not see.
func noteLine(b sessionmem.Block) string {
	kind, rest, _ := strings.Cut(b.Note, " ")
	detail := strings.TrimSpace(cmp.Or(rest, b.Text))
	switch kind {
	case "ended":
		return i18n.T("new topic from here")
	case "title", "rewind", sessionmem.NoteSettings:
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
	return fmt.Sprintf("%s · %s", kind, detail)
}
