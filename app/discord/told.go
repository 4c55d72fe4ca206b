package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// told is the text of a User block and the messages that it is made of, so that one of
// them can be edited or taken out later.
type told struct {
	parts []part
	tail  string // what the bot said itself behind them
}

// part is what a message gave to the text: "" for a message without words. name is who
// said it, where several did.
type part struct {
	id, name, text string
}

func (p part) whole() string { return p.name + p.text }

// textOf is what a job says. Where several people said it, their names stand before
// their words.
func (b *Bot) textOf(j *job) told {
	var t told
	several := len(j.authors()) > 1
	for _, m := range j.parts {
		p := part{id: m.ID, text: b.plainText(m)}
		if several {
			p.name, p.text = shortName(m.Author.Name)+": ", tame(p.text, maxLine)
		}
		if p.text == "" {
			p.name = ""
		}
		t.parts = append(t.parts, p)
	}
	return t
}

// words is what the messages say.
func (t told) words() string {
	var list []string
	for _, p := range t.parts {
		if p.text != "" {
			list = append(list, p.whole())
		}
	}
	return strings.Join(list, "\n")
}

func (t told) String() string { return strings.TrimSpace(t.words() + t.tail) }

// attr says how the text is parted: "<message>:<characters>:<of its name>" for each; ""
// where it is the text of that one message alone.
func (t told) attr(message string) string {
	if len(t.parts) == 1 && t.parts[0].id == message {
		return ""
	}
	var list []string
	for _, p := range t.parts {
		list = append(list, fmt.Sprintf("%s:%d:%d", p.id, utf8.RuneCountInString(p.whole()), utf8.RuneCountInString(p.name)))
	}
	return strings.Join(list, " ")
}

// readTold parts a block's text again. Where it was changed by hand since, or forgotten in
// part, ok is false.
func readTold(text, attr, message string) (t told, ok bool) {
	if attr == "" {
		return told{parts: []part{{id: message, text: text}}}, true
	}
	runes := []rune(text)
	for field := range strings.FieldsSeq(attr) {
		id, numbers, _ := strings.Cut(field, ":")
		first, second, _ := strings.Cut(numbers, ":")
		size, err := strconv.Atoi(first)
		named, namedErr := strconv.Atoi(second)
		if len(t.parts) > 0 && size > 0 && len(t.words()) > 0 && len(runes) > 0 {
			if runes[0] != '\n' {
				return told{}, false
			}
			runes = runes[1:]
		}
		if err != nil || namedErr != nil || size < 0 || size > len(runes) || named < 0 || named > size {
			return told{}, false
		}
		t.parts = append(t.parts, part{id, string(runes[:named]), string(runes[named:size])})
		runes = runes[size:]
	}
	t.tail = string(runes)
	return t, t.tail == "" || strings.HasPrefix(t.tail, "\n\n")
}

// correct makes a change of one of the messages; false where none is left.
func (t *told) correct(c change, text string) bool {
	i := slices.IndexFunc(t.parts, func(p part) bool { return p.id == c.id })
	switch {
	case i < 0:
	case c.deleted:
		t.parts = slices.Delete(t.parts, i, i+1)
	case t.parts[i].name != "":
		t.parts[i].text = tame(text, maxLine)
	default:
		t.parts[i].text = text
	}
	return len(t.parts) > 0
}

// maxHeard is for how many channels it is remembered which messages their transcripts hold.
const maxHeard = 64

// heardIn gives the blocks that a channel's transcript holds messages in, by the ids of
// those: what people wrote, and what answers were sent as. It needs the lock of heard.
func (b *Bot) heardIn(ctx context.Context, channel string) map[string]string {
	if ids := b.heard[channel]; ids != nil {
		return ids
	}
	ids, answer := map[string]string{}, ""
	err := b.p.Sessions.Each(ctx, sessionName(channel), nil, func(block transcript.Block) error {
		switch block.Kind {
		case transcript.KindUser:
			for _, id := range strings.Fields(block.Attrs[attrMessage] + " " + block.Attrs[attrAlso]) {
				ids[id] = block.ID
			}
			for _, id := range strings.Fields(block.Attrs[attrSent]) {
				ids[id] = answer
			}
		case transcript.KindAssistant:
			answer = block.ID
		}
		return nil
	})
	rows, windowErr := b.p.State.Window(ctx, channel)
	for _, r := range rows {
		if r.Role == botstate.RoleAssistant {
			for _, id := range append(r.Parts, r.ID) {
				ids[id] = r.Block
			}
		}
	}
	if err != nil && !errors.Is(err, sessionmem.ErrNotFound) || windowErr != nil {
		b.log.Warn("which messages a transcript holds can't be read", "channel", channel, "err", errors.Join(err, windowErr))
		return ids
	}
	if len(b.heard) >= maxHeard {
		clear(b.heard)
	}
	b.heard[channel] = ids
	return ids
}

// hearAlso adds messages that a channel's transcript holds from now on.
func (b *Bot) hearAlso(channel, block string, ids ...string) {
	b.hearing.Lock()
	defer b.hearing.Unlock()
	if known := b.heard[channel]; known != nil {
		for _, id := range ids {
			known[id] = block
		}
	}
}

// amend notes edits and deletions of messages that the transcript holds, so that later
// prompts are made of what stands on Discord. It reports whether it holds any of them.
func (b *Bot) amend(ctx context.Context, channel string, list []change) bool {
	if len(list) == 0 {
		return false
	}
	b.hearing.Lock()
	defer b.hearing.Unlock()
	ids := b.heardIn(ctx, channel)
	list = slices.DeleteFunc(slices.Clone(list), func(c change) bool { return ids[c.id] == "" })
	if len(list) == 0 {
		return false
	}
	blocks, err := b.blocksOf(ctx, channel, ids, list)
	var notes []transcript.Block
	for _, block := range blocks {
		if note, ok := b.noteOf(block, list, ids); ok {
			notes = append(notes, note)
		}
	}
	if err == nil && len(notes) > 0 {
		err = b.p.Sessions.Correct(ctx, sessionName(channel), notes...)
	}
	for _, n := range notes {
		err = errors.Join(err, b.p.State.Correct(ctx, channel, n.Parent, n.Text))
	}
	if err != nil {
		b.log.Warn("an edit or a deletion could not be noted: later answers may be made with the old text", "channel", channel, "err", err)
	}
	return true
}

// blocksOf gives the blocks of the messages that changed, as they read now.
func (b *Bot) blocksOf(ctx context.Context, channel string, ids map[string]string, list []change) ([]transcript.Block, error) {
	var blocks []transcript.Block
	err := b.p.Sessions.Each(ctx, sessionName(channel), nil, func(block transcript.Block) error {
		id := block.ID
		correction := block.Kind == transcript.KindNote && (block.Note == transcript.NoteEdited || block.Note == transcript.NoteDeleted)
		if correction {
			id = block.Parent
		}
		at := slices.IndexFunc(blocks, func(known transcript.Block) bool { return known.ID == id })
		switch {
		case correction && at >= 0 && block.Note == transcript.NoteDeleted:
			blocks = slices.Delete(blocks, at, at+1)
		case correction && at >= 0:
			blocks[at].Text, blocks[at].Attrs = block.Text, block.Attrs
		case !correction && at < 0 && slices.ContainsFunc(list, func(c change) bool { return ids[c.id] == block.ID }):
			blocks = append(blocks, block)
		}
		return nil
	})
	return blocks, err
}

// noteOf is the Note of what changed in a block; false where nothing did.
func (b *Bot) noteOf(block transcript.Block, list []change, ids map[string]string) (transcript.Block, bool) {
	note := transcript.Block{Note: transcript.NoteDeleted, Parent: block.ID, Attrs: map[string]string{}}
	for _, key := range []string{attrAuthor, attrAuthors, attrMessage, attrAlso} {
		if v := block.Attrs[key]; v != "" {
			note.Attrs[key] = v
		}
	}
	t, ok := readTold(block.Text, block.Attrs[attrParts], block.Attrs[attrMessage])
	left := true
	for _, c := range list {
		if ids[c.id] != block.ID {
			continue
		}
		if left = left && ok && block.Kind == transcript.KindUser; left {
			left = t.correct(c, b.plainText(connection.Message{Text: c.text, Mentions: c.mentions}))
		}
	}
	if text := t.String(); left && text != "" {
		note.Note, note.Text = transcript.NoteEdited, text
		if attr := t.attr(block.Attrs[attrMessage]); attr != "" {
			note.Attrs[attrParts] = attr
		}
	}
	return note, note.Note == transcript.NoteDeleted || note.Text != block.Text
}
