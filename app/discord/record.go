package discord

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// record knows which messages the transcripts hold, and applies Discord's edits and
// deletions to them.
type record struct {
	*desk
	heldMu sync.Mutex // guards held
	held   map[string]map[string]string
}

// forget discards what is known, so that the transcripts are read again: they hold less
// now.
func (rc *record) forget() {
	rc.heldMu.Lock()
	defer rc.heldMu.Unlock()
	clear(rc.held)
}

// maxHeld is the number of channels to remember the messages of.
const maxHeld = 64

// heldIn returns the blocks of a channel's transcript by the IDs of the messages they
// hold: those that people wrote, and those that answers were sent as. The caller holds the
// lock of heard.
func (rc *record) heldIn(ctx context.Context, channel string) map[string]string {
	if ids := rc.held[channel]; ids != nil {
		return ids
	}
	ids, answer := map[string]string{}, ""
	err := rc.p.Sessions.Each(ctx, sessionName(channel), nil, func(block transcript.Block) error {
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
	rows, windowErr := rc.p.State.Window(ctx, channel)
	for _, r := range rows {
		if r.Role == botstate.RoleAssistant {
			for _, id := range append(r.Parts, r.ID) {
				ids[id] = r.Block
			}
		}
	}
	if err != nil && !errors.Is(err, session.ErrNotFound) || windowErr != nil {
		rc.log.Warn("which messages a transcript holds can't be read", "channel", channel, "err", errors.Join(err, windowErr))
		return ids
	}
	if len(rc.held) >= maxHeld {
		clear(rc.held)
	}
	rc.held[channel] = ids
	return ids
}

// addHeld adds messages that a channel's transcript holds from now on.
func (rc *record) addHeld(channel, block string, ids ...string) {
	rc.heldMu.Lock()
	defer rc.heldMu.Unlock()
	if known := rc.held[channel]; known != nil {
		for _, id := range ids {
			known[id] = block
		}
	}
}

// amend records edits and deletions of messages that the transcript holds, so that later
// prompts agree with Discord. It reports whether the transcript holds any of them.
func (rc *record) amend(ctx context.Context, channel string, list []change) bool {
	if len(list) == 0 {
		return false
	}
	rc.heldMu.Lock()
	defer rc.heldMu.Unlock()
	ids := rc.heldIn(ctx, channel)
	list = slices.DeleteFunc(slices.Clone(list), func(c change) bool { return ids[c.id] == "" })
	if len(list) == 0 {
		return false
	}
	blocks, err := rc.blocksOf(ctx, channel, ids, list)
	var notes []transcript.Block
	for _, block := range blocks {
		if note, ok := rc.noteOf(block, list, ids); ok {
			notes = append(notes, note)
		}
	}
	if err == nil && len(notes) > 0 {
		err = rc.p.Sessions.Correct(ctx, sessionName(channel), notes...)
	}
	for _, n := range notes {
		err = errors.Join(err, rc.p.State.Correct(ctx, channel, n.Parent, n.Text))
	}
	if err != nil {
		rc.log.Warn("an edit or a deletion could not be noted: later answers may be made with the old text", "channel", channel, "err", err)
	}
	return true
}

// blocksOf returns the blocks of the changed messages in their new form.
func (rc *record) blocksOf(ctx context.Context, channel string, ids map[string]string, list []change) ([]transcript.Block, error) {
	var blocks []transcript.Block
	err := rc.p.Sessions.Each(ctx, sessionName(channel), nil, func(block transcript.Block) error {
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

// noteOf returns the Note of the changes to a block, or false if nothing changed.
func (rc *record) noteOf(block transcript.Block, list []change, ids map[string]string) (transcript.Block, bool) {
	note := transcript.Block{Note: transcript.NoteDeleted, Parent: block.ID, Attrs: map[string]string{}}
	for _, key := range []string{attrAuthor, attrAuthors, attrMessage, attrAlso} {
		if v := block.Attrs[key]; v != "" {
			note.Attrs[key] = v
		}
	}
	t, ok := parseUserText(block.Text, block.Attrs[attrParts], block.Attrs[attrMessage])
	left := true
	for _, c := range list {
		if ids[c.id] != block.ID {
			continue
		}
		if left = left && ok && block.Kind == transcript.KindUser; left {
			left = t.correct(c, rc.plainText(connection.Message{Text: c.text, Mentions: c.mentions, Shows: c.shows}))
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
