package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
)

// Append writes b at the end of the session (which is created by its first
// block): one write, one fsync, under the session's lock. It returns b with its
// ID and Time. After an error nothing of b is in the file. A block whose ID is
// there already with the same content is not written a second time; with other
// content it is an error.
func (s *Store) Append(ctx context.Context, name string, b transcript.Block) (transcript.Block, error) {
	out, err := s.AppendAll(ctx, name, b)
	if err != nil {
		return transcript.Block{}, err
	}
	return out[0], nil
}

// AppendAll is Append for several blocks: all of them in one write, or none.
func (s *Store) AppendAll(ctx context.Context, name string, blocks ...transcript.Block) ([]transcript.Block, error) {
	out, err := s.appendIf(ctx, name, nil, blocks...)
	if err != nil {
		return nil, fmt.Errorf("writing to %s: %w", name, err)
	}
	return out, nil
}

// appendIf appends blocks where, under the session's lock, its state allows it
// (nil: it does); else it gives none.
func (s *Store) appendIf(ctx context.Context, name string, may func(*branch.Fold) bool, blocks ...transcript.Block) ([]transcript.Block, error) {
	if err := transcript.CheckName(name); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ses := s.session(name)
	return outsideSaves(ctx, savePatience, func(anyway bool) ([]transcript.Block, error) {
		return s.appendOnce(ctx, ses, anyway, may, blocks)
	})
}

// appendOnce is appendIf that gives sessiondir.ErrMidSave where it has to wait, unless it is anyway.
func (s *Store) appendOnce(ctx context.Context, ses *session, anyway bool, may func(*branch.Fold) bool, blocks []transcript.Block) ([]transcript.Block, error) {
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		if may != nil {
			return nil, err
		}
		return s.keepUnlocked(ses, blocks, err)
	}
	defer unlock()
	ses.anyway = anyway
	if ses.private.Load() {
		if may != nil && !may(&ses.fold) {
			return nil, nil
		}
		return s.appendMemory(ses, blocks)
	}
	if may != nil {
		if err := s.refreshToWrite(ctx, ses); err != nil || !may(&ses.fold) {
			return nil, err
		}
	}
	out, err := s.appendFile(ctx, ses, blocks)
	if err != nil && (anyway || !errors.Is(err, sessiondir.ErrMidSave)) {
		return s.keepUnsaved(ses, blocks, err)
	}
	return out, err
}

// appendTries is how often an append is made anew because an editor saved in its
// midst.
const appendTries = 5

// appendFile appends to the session's file, behind what waits for the disk: all of
// it or nothing. An editor that renames its copy over the file while it is being
// written to leaves the blocks in a file without a name: so the name is looked at
// again, and they are written to what it means now.
func (s *Store) appendFile(ctx context.Context, ses *session, blocks []transcript.Block) ([]transcript.Block, error) {
	waiting, err := s.stillWaiting(ses)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(waiting, blocks)
	for try := 1; ; try++ {
		if err := s.prepare(ctx, ses, all[:len(waiting)]); err != nil {
			ses.setUnsaved(waiting)
			return nil, err
		}
		out, err := s.write(ses, all)
		if err == nil && s.isCurrent(ses) {
			s.savedWaiting(ses, len(waiting))
			return out[len(waiting):], nil
		}
		if err == nil {
			all, err = out, fmt.Errorf("writing %s: %w", ses.file, sessiondir.ErrReplaced)
		}
		if try == appendTries || !errors.Is(err, sessiondir.ErrReplaced) {
			ses.setUnsaved(waiting)
			return nil, err
		}
	}
}

// prepare reads what changed on disk, and says why it can't be written to now. What has
// waited for the disk gets new ids where its own are taken meanwhile.
func (s *Store) prepare(ctx context.Context, ses *session, waiting []transcript.Block) error {
	if err := s.refreshToWrite(ctx, ses); err != nil {
		return err
	}
	if s.midSave(ses) {
		return fmt.Errorf("writing to %s: %w", ses.name, sessiondir.ErrMidSave)
	}
	ses.setUnsaved(nil)
	return s.renumber(ses, waiting)
}

// savedWaiting tells that blocks which have waited for the disk are written.
func (s *Store) savedWaiting(ses *session, blocks int) {
	if blocks == 0 {
		return
	}
	s.logger.Info("what waited for the disk is written", "session", ses.name, "blocks", blocks)
	ses.unsaved = unsaved{}
	s.writeRescue(ses)
	s.tellUnsaved(ses)
}

// isCurrent says whether the session's file is still the one that was written to.
func (s *Store) isCurrent(ses *session) bool {
	if ses.stat == nil {
		return true // it could not be asked for: the next refresh reads the file whole
	}
	fi, err := s.root.Stat(ses.file)
	return err == nil && os.SameFile(ses.stat, fi)
}

// appendMemory appends to an in-memory session.
func (s *Store) appendMemory(ses *session, blocks []transcript.Block) ([]transcript.Block, error) {
	out, fresh, err := s.completeAll(ses, blocks, time.Now())
	if err != nil {
		return nil, err
	}
	for _, b := range fresh {
		ses.mem = append(ses.mem, b)
		ses.follow(b, b.Words(), ses.size, 0)
		ses.size += int64(len(b.Text)) // as if it were a file
	}
	return out, nil
}

// completeAll completes blocks and tells which of them are not there yet.
func (s *Store) completeAll(ses *session, blocks []transcript.Block, now time.Time) (all, fresh []transcript.Block, err error) {
	for _, b := range blocks {
		b = s.guard(ses, ses.complete(b, now), b.ID == "")
		all = append(all, b)
		n, taken := ses.index.Find(ses.index.Hash(b.ID))
		if !taken {
			fresh = append(fresh, b)
			continue
		}
		if same, err := s.sameBlock(ses, n, b); err != nil {
			return nil, nil, err
		} else if !same {
			return nil, nil, fmt.Errorf("the id %s is taken by another block of the session; leave it empty to get a new one", b.ID)
		}
	}
	return all, fresh, nil
}

// complete gives a block what Append promises: normalized, with time and ID.
func (ses *session) complete(b transcript.Block, now time.Time) transcript.Block {
	if b.Time.IsZero() {
		b.Time = now
	}
	if b.ID == "" {
		for b.ID = transcript.RandomID(8); ses.taken(b.ID); {
			b.ID = transcript.RandomID(8)
		}
	}
	return b.Normalized()
}
