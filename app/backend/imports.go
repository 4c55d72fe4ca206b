package backend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mac-stats/app/transfer"
	"mac-stats/sessionmem/transcript"
)

// ErrMemoryOnly means that nothing can be imported, because transcripts are not written to
// disk.
var ErrMemoryOnly = errors.New("transcripts are kept in memory only")

// Imported counts what an import did or would do.
type Imported struct {
	Conversations int // new
	Messages      int // in the new conversations
	Present       int // conversations that exist already
	Empty         int // conversations without messages
	Unreadable    int
	From, To      time.Time // dates of the new messages
}

// importsHeld is how many imported conversations stay in memory; an export may contain
// thousands.
const importsHeld = 32

// Import writes a transcript for each conversation of an export file, with its original
// dates, and leaves existing ones alone. With dry it only counts. bad, which may be nil, is
// called for each conversation that can't be read.
func (b *Backend) Import(ctx context.Context, file string, dry bool, bad func(place int, err error)) (Imported, error) {
	var got Imported
	if b.Config().Session.InMemoryOnly && !dry {
		return got, ErrMemoryOnly
	}
	list, err := b.Store.List(ctx)
	if err != nil {
		return got, err
	}
	known := make(map[string]bool, len(list))
	for _, info := range list {
		known[info.Name] = true
	}
	err = transfer.EachConversation(ctx, file, func(conv transfer.Conversation) error {
		switch {
		case conv.Session == "":
			got.Unreadable++
			return nil
		case known[conv.Session]:
			got.Present++
			return nil
		case len(conv.Blocks) == 0:
			got.Empty++
			return nil
		}
		known[conv.Session] = true
		if !dry {
			if err := b.writeImported(ctx, conv); err != nil {
				return fmt.Errorf("after %d conversations: %w", got.Conversations, err)
			}
		}
		got.add(conv.Blocks)
		if !dry && got.Conversations%importsHeld == 0 {
			b.Store.Sessions().Rest(0)
		}
		return nil
	}, func(place int, err error) {
		got.Unreadable++
		if bad != nil {
			bad(place, err)
		}
	})
	return got, err
}

func (i *Imported) add(blocks []transcript.Block) {
	i.Conversations++
	i.Messages += len(blocks)
	first, last := blocks[0].Time, blocks[len(blocks)-1].Time
	if i.From.IsZero() || first.Before(i.From) {
		i.From = first
	}
	if last.After(i.To) {
		i.To = last
	}
}

// writeImported writes a whole conversation or nothing.
func (b *Backend) writeImported(ctx context.Context, conv transfer.Conversation) error {
	blocks := conv.Blocks
	if conv.Title != "" {
		last := blocks[len(blocks)-1].Time
		blocks = append(blocks, transcript.Block{Kind: transcript.KindNote, Time: last, Note: transcript.NoteTitle, Text: conv.Title})
	}
	_, err := b.Store.Session(conv.Session).Append(ctx, blocks...)
	return err
}
