package transcript

import (
	"slices"
	"strings"
	"time"
)

// A turn gets passages of earlier conversations in places that this file knows: below the
// user's message (Block.Context) and in the result of a search (a Tool block). Each passage
// begins with a line that names its chunk, so that forgotten text can be removed from
// quotations too:
//
//	from cpu-k3x9qa/7f3a/0, 3 May 2026, user: the passage, its
//	  further lines indented

// ToolMemorySearch is the name of the tool whose results quote other conversations.
const ToolMemorySearch = "MEMORY_SEARCH"

const (
	attrRecalled = "recalled" // ids of the quoted chunks, separated by blanks
	// AttrRecalledFrom holds the sources of the chunks, unless the owner typed all of them; before
	// there were sources, "strangers".
	AttrRecalledFrom = "recalled_from"
	recalledBegin    = "from "
)

// Quotation is a passage of an earlier conversation.
type Quotation struct {
	Chunk   string // its ID
	Time    time.Time
	Who     string // user, assistant, summary, …; Line marks other people's words within the text
	Text    string
	Sources Sources // of the text
}

// Line returns the passage with its origin, as it appears in a prompt.
func (q Quotation) Line() string {
	text := strings.Join(strings.Split(strings.TrimSpace(q.Text), "\n"), "\n  ")
	return recalledBegin + q.Chunk + ", " + q.Time.Local().Format("2 Jan 2006") + ", " + q.speaker() + ": " + text
}

// speaker returns who a passage is attributed to: never "user" for a stranger.
func (q Quotation) speaker() string {
	switch {
	case q.Sources.Typed():
		return q.Who
	case q.Who == string(KindUser) && q.Sources.Has(FromDiscord|FromUnknown):
		return "a stranger"
	}
	return q.Who + ", with words of strangers"
}

// WithRecalled records on a block which passages were part of its message or of its answer's
// prompt.
func (b Block) WithRecalled(list []Quotation) Block {
	if len(list) == 0 {
		return b
	}
	attrs := map[string]string{}
	for k, v := range b.Attrs {
		attrs[k] = v
	}
	var ids []string
	var from Sources
	for _, q := range list {
		ids = append(ids, strings.ReplaceAll(q.Chunk, " ", "%20"))
		from |= q.Sources
	}
	if !from.Typed() {
		attrs[AttrRecalledFrom] = from.String()
	}
	attrs[attrRecalled] = strings.Join(ids, " ")
	b.Attrs = attrs
	return b
}

// Recalled returns the IDs of the chunks that were part of the block's message or of its
// answer's prompt.
func (b Block) Recalled() []string {
	ids := strings.Fields(b.Attrs[attrRecalled])
	for i := range ids {
		ids[i] = strings.ReplaceAll(ids[i], "%20", " ")
	}
	return ids
}

// RecalledSources returns the sources of what was recalled for the block.
func (b Block) RecalledSources() Sources { return ParseSources(b.Attrs[AttrRecalledFrom]) }

// DropRecalled removes quotations of chunks that are gone from a block and reports whether
// there were any.
func (b Block) DropRecalled(gone func(chunk string) bool) (Block, bool) {
	changed := false
	if ids := b.Recalled(); len(ids) > 0 {
		kept := slices.DeleteFunc(ids, gone)
		if len(kept) < len(strings.Fields(b.Attrs[attrRecalled])) {
			attrs := map[string]string{}
			for k, v := range b.Attrs {
				attrs[k] = v
			}
			delete(attrs, attrRecalled)
			b.Attrs, changed = attrs, true
			for i := range kept {
				kept[i] = strings.ReplaceAll(kept[i], " ", "%20")
			}
			if len(kept) > 0 {
				b.Attrs[attrRecalled] = strings.Join(kept, " ")
			}
		}
	}
	text := &b.Context
	if b.Kind == KindTool && b.Agent == ToolMemorySearch {
		text = &b.Text
	}
	if left, cut := dropQuotations(*text, gone); cut {
		*text, changed = left, true
	}
	return b, changed
}

// dropQuotations removes the passages of chunks that are gone from a text.
func dropQuotations(text string, gone func(chunk string) bool) (string, bool) {
	if !strings.Contains(text, recalledBegin) {
		return text, false
	}
	var kept strings.Builder
	dropping, cut := false, false
	for line := range strings.Lines(text) {
		id, begins := quotedChunk(line)
		switch {
		case begins:
			dropping = gone(id)
		case dropping && !strings.HasPrefix(line, "  ") && strings.TrimSpace(line) != "":
			dropping = false
		}
		if dropping {
			cut = true
			continue
		}
		kept.WriteString(line)
	}
	return kept.String(), cut
}

// quotedChunk returns the ID of the chunk that a quotation's first line names.
func quotedChunk(line string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(line, recalledBegin)
	if !ok {
		return "", false
	}
	// The ID may contain commas (in a memory file's name); the date after it has a fixed form.
	for at := 0; ; {
		i := strings.Index(rest[at:], ", ")
		if i < 0 {
			return "", false
		}
		at += i
		date, _, found := strings.Cut(rest[at+2:], ",")
		if _, err := time.Parse("2 Jan 2006", date); found && err == nil {
			return rest[:at], strings.Contains(rest[:at], "/")
		}
		at += 2
	}
}
