package conversation

import (
	"strings"

	"mac-stats/agents"
	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem/transcript"
)

// history is the part of the transcript that is in the log. It is guarded by the log's
// lock.
type history struct {
	log     *log
	reading bool   // older messages are being read
	older   int    // blocks before the first one in the log; they are read on demand
	first   string // the first block in the log
	asked   int    // blocks of the branch from the first one on, when older ones were last asked for
	// summarised is the number of messages the Summary stands for.
	summarised    int
	edited        map[string]bool               // messages that replaced earlier versions
	answeredAgain map[string]bool               // messages that were answered again
	parsed        map[string]*markdown.Document // set while a transcript is read again: the texts already parsed, by block
}

// parse returns the document of a block, and reuses the parsed one if its text is the same.
func (h *history) parse(b transcript.Block) *markdown.Document {
	if d := h.parsed[b.ID]; d != nil && d.Text() == b.Text {
		return d
	}
	return markdown.Parse(b.Text)
}

// keepUnchanged gives each entry that looks like one of those before it the key and the document
// of that one.
func (h *history) keepUnchanged(before []*entry) {
	old := make(map[place]*entry, len(before))
	for i, e := range before {
		old[placeOf(before, i)] = e
	}
	for i, e := range h.log.entries {
		at := placeOf(h.log.entries, i)
		if o := old[at]; o != nil && looksSame(*o, *e) {
			e.Key, e.Rev, e.Doc = o.Key, o.Rev, o.Doc
			delete(old, at) // a key belongs to one entry
		}
	}
}

// addFrom appends the entries of blocks[from:to]. If the Summary's place is further up, it
// goes first.
func (h *history) addFrom(blocks []transcript.Block, from, to, summary int) {
	if summary >= 0 && summary < from {
		h.addBlocks(blocks[summary : summary+1])
	}
	h.addBlocks(blocks[from:to])
}

// addBlocks appends the entries of blocks.
func (h *history) addBlocks(blocks []transcript.Block) {
	headed := false
	for i, b := range blocks {
		switch b.Kind {
		case transcript.KindUser:
			headed = false
			h.log.add(&entry{Kind: User, Block: b.ID, Text: agents.MessageText(b), At: b.Time, message: message{Files: b.Attachments(), Edited: h.edited[b.ID]}})
			continue
		case transcript.KindSummary:
			h.log.add(&entry{Kind: Summary, Block: b.ID, Text: b.Text, At: b.Time, Count: h.summarised})
			continue
		case transcript.KindNote:
			if b.Note != transcript.NoteThinking {
				h.addNote(b, blocks[:i])
				continue
			}
		case transcript.KindText:
			h.log.add(&entry{Kind: Answer, Block: b.ID, Doc: h.parse(b), At: b.Time})
			continue
		}
		if !headed {
			h.addHead(blocks[i:])
			headed = true
		}
		h.addAnswerBlock(b)
	}
}

// addHead appends the badge above a turn's first block. It shows the answer's agent, if
// there is an answer.
func (h *history) addHead(rest []transcript.Block) {
	source := rest[0]
	for _, b := range rest {
		if b.Kind == transcript.KindUser {
			break
		}
		if b.Kind == transcript.KindAssistant {
			source = b
			break
		}
	}
	agent := source.Agent
	if source.Kind == transcript.KindTool || agent == "" {
		agent = "assistant"
	}
	e := h.log.add(&entry{Kind: Head, Agent: agent, Model: source.Model, At: source.Time, badge: badge{Again: h.answeredAgain[source.Parent], Read: agents.ReadOf(source), Recalled: agents.RecalledOf(source)}})
	if u := agents.UsageOf(source); u != nil {
		e.Speed = u.TokensPerSecond
	}
	if u, _, ok := agents.ReadingOf(source); ok {
		e.Reading = readingWords(u)
	}
}

func (h *history) addAnswerBlock(b transcript.Block) {
	switch {
	case b.Kind == transcript.KindNote:
		h.log.add(&entry{Kind: Thinking, Block: b.ID, Doc: h.parse(b), At: b.Time, Took: agents.TookOf(b)})
	case b.Kind == transcript.KindTool, b.Kind == transcript.KindAgent && b.Task != "":
		doc, failed := h.parse(b), agents.FailedOf(b)
		if b.Kind == transcript.KindTool {
			if doc = markdown.NewPreformatted(); failed == "" {
				doc.Append(b.Text)
			}
			doc.Settle(true)
		}
		h.log.add(&entry{Kind: Call, Block: b.ID, Agent: b.Agent, Model: b.Model, Doc: doc, At: b.Time, Took: agents.TookOf(b), call: call{Task: b.Task, Written: agents.WrittenOf(b), Tool: b.Kind == transcript.KindTool, Unsaved: unsavedWords(agents.UnsavedOf(b.Text)), Failed: failed}})
	case strings.TrimSpace(b.Text) != "":
		h.log.add(&entry{Kind: Answer, Block: b.ID, Agent: b.Agent, Model: b.Model, Doc: h.parse(b), At: b.Time})
	}
}

// addNote appends the entry of a Note. before holds the blocks that precede it.
func (h *history) addNote(b transcript.Block, before []transcript.Block) {
	text, goOn := NoteWords(b, before), agents.CanGoOn(b)
	switch b.Note {
	case transcript.NoteInterrupted:
		goOn = cutAnswer(b, before)
	case transcript.NoteError:
		if b.Parent != "" && b.Parent == h.log.lastUserBlock() {
			h.log.add(&entry{Kind: Error, Block: b.ID, At: b.Time, Fault: &Fault{Sentence: text, UserID: b.Parent}, note: note{GoOn: cutAnswer(b, before)}})
			return
		}
		text = noteLine(b)
	}
	if text == "" {
		return
	}
	h.log.add(&entry{Kind: Note, Block: b.ID, Text: text, At: b.Time, note: note{GoOn: goOn}})
}
