package sessionmem

import (
	"context"
	"fmt"
	"slices"

	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// NoteForked is the Note at the end of the copied blocks of a fork: Text says in words where
// they come from; the attributes from and block name the session and the block.
const NoteForked = "forked"

// Fork starts a new session of a source with the blocks of t up to and including the
// block through (all of them if it is empty), in one write, and returns its name. It copies
// the branch the conversation was on at that block and keeps the blocks' IDs, times and
// links to attachments: a parent or a Summary's through means the same in both files. t may
// be any transcript, also of a newer format or outside the data folder; it is not changed.
// The fork of a session in memory stays in memory.
// Each block keeps the sources of its text, so that lessons from a Discord channel are
// only proposed.
func (l *library) Fork(ctx context.Context, t *transcript.Transcript, through, source string) (string, error) {
	blocks, err := forkedBlocks(t, through)
	if err != nil {
		return "", fmt.Errorf("forking %s: %w", t.Info.Name, err)
	}
	name := l.sessions.NewName(source)
	if t.Info.Path == "" && l.sessions.IsPrivate(t.Info.Name) {
		l.sessions.Session(name).SetPrivate()
	}
	if _, err := l.sessions.Session(name).AppendIf(ctx, nil, blocks...); err != nil {
		return "", fmt.Errorf("forking %s: %w", t.Info.Name, err)
	}
	return name, nil
}

// forkedBlocks returns the blocks of a fork: the copied ones, its title, and the Note that
// says where it comes from.
func forkedBlocks(t *transcript.Transcript, through string) ([]transcript.Block, error) {
	upTo := len(t.Blocks)
	if through != "" {
		upTo = 1 + slices.IndexFunc(t.Blocks, func(b transcript.Block) bool { return b.ID == through })
	}
	if upTo == 0 {
		return nil, fmt.Errorf("%w: the block %q is not in it any more", session.ErrNotFound, through)
	}
	then := transcript.Transcript{Blocks: t.Blocks[:upTo]}
	blocks := then.Branch()
	if !slices.ContainsFunc(blocks, func(b transcript.Block) bool { return b.Kind != transcript.KindNote }) {
		return nil, fmt.Errorf("%w: nothing was said in it up to there", session.ErrNotFound)
	}
	for i, b := range blocks { // sources that follow from the session's name would be lost with it
		if s := b.TextSources(t.Info.Name); b.Kind != transcript.KindNote && s != b.TextSources("") {
			blocks[i] = b.WithSources(s)
		}
	}
	if t.Info.Title != "" {
		blocks = append(blocks, transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteTitle, Text: t.Info.Title + " (fork)"})
	}
	note := transcript.Block{Kind: transcript.KindNote, Note: NoteForked, Text: "from " + t.Info.Name, Attrs: map[string]string{"from": t.Info.Name, "block": then.Blocks[upTo-1].ID}}
	if t.Info.Title != "" {
		note.Text = "from “" + transcript.OneLine(t.Info.Title) + "” (" + t.Info.Name + ")"
	}
	return append(blocks, note), nil
}

// Continue resumes a session from before a message: the message and everything after it
// leave the context and stay in the transcript as an abandoned branch. A message that isn't
// in the context returns session.ErrNotFound; a running turn returns session.ErrBusy.
func (s *Store) Continue(ctx context.Context, name, from string) error {
	turn, err := s.Session(name).TryTurn(ctx, "continue")
	if err != nil {
		return err
	}
	defer turn.Unlock()
	_, err = s.Rewind(ctx, name, from)
	return err
}
