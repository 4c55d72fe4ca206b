package session

import (
	"bytes"
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

// Append writes blocks at the end of the session, which its first block creates: all of them or
// none, with one write and one fsync, under the session's lock. It returns them with ID and
// Time. A block whose ID exists with the same content is not written again; with other
// content it is an error.
func (s *Session) Append(ctx context.Context, blocks ...transcript.Block) ([]transcript.Block, error) {
	out, err := s.AppendIf(ctx, nil, blocks...)
	if err != nil {
		return nil, fmt.Errorf("writing to %s: %w", s.name, err)
	}
	return out, nil
}

// AppendIf is Append, but only if may allows it for the session's state (nil: it does),
// under the session's lock. Otherwise it returns no blocks.
func (s *Session) AppendIf(ctx context.Context, may func(*branch.Fold) bool, blocks ...transcript.Block) ([]transcript.Block, error) {
	if err := transcript.CheckName(s.name); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return retryMidSave(ctx, savePatience, func(anyway bool) ([]transcript.Block, error) {
		return s.appendOnce(ctx, anyway, may, blocks)
	})
}

// SetTitle appends a Note with the session's new title, and gives its file the same title in its
// front matter, for programs that show that. What counts is the Note: a file that can't be
// replaced now, because a program has it open or it is a link, keeps its old line.
func (s *Session) SetTitle(ctx context.Context, title string) error {
	if _, err := s.Append(ctx, transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteTitle, Text: title}); err != nil {
		return err
	}
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return nil //nolint:nilerr // the title is set
	}
	defer unlock()
	if s.private.Load() || len(s.transcripts()) == 0 {
		return nil
	}
	file := s.transcripts()[0]
	was, err := s.dir.Lstat(file)
	if err != nil || !was.Mode().IsRegular() {
		return nil //nolint:nilerr // as above
	}
	data, err := s.dir.ReadRegular(file)
	if err != nil || int64(len(data)) != was.Size() {
		return nil //nolint:nilerr // as above
	}
	skip := len(data) - len(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	_, size := transcript.CutFrontMatter(data[skip:])
	front := transcript.WithTitle(string(data[:skip+size]), title)
	if out := append([]byte(front), data[skip+size:]...); !bytes.Equal(out, data) {
		if err := s.dir.Replace(file, was, out); err != nil {
			s.logger.Info("the front matter keeps the session's old title", "file", file, "err", err)
		}
		s.stat = nil
	}
	return nil
}

// appendOnce is AppendIf, but returns sessiondir.ErrMidSave if it would have to wait, unless anyway is set.
func (s *Session) appendOnce(ctx context.Context, anyway bool, may func(*branch.Fold) bool, blocks []transcript.Block) ([]transcript.Block, error) {
	unlock, err := s.lock(ctx, false)
	if err != nil {
		if may != nil {
			return nil, err
		}
		return s.keepUnlocked(blocks, err)
	}
	defer unlock()
	s.ignoreSaves = anyway
	if s.private.Load() {
		if may != nil && !may(&s.fold) {
			return nil, nil
		}
		return s.appendMemory(blocks)
	}
	if may != nil {
		if err := s.refreshToWrite(ctx); err != nil || !may(&s.fold) {
			return nil, err
		}
	}
	out, err := s.appendFile(ctx, blocks)
	if err != nil && (anyway || !errors.Is(err, sessiondir.ErrMidSave)) {
		return s.keepUnsaved(blocks, err)
	}
	return out, err
}

// appendTries is how often an append is tried again because an editor saved while it ran.
const appendTries = 5

// appendFile appends to the session's file, behind the blocks that wait for the disk: all of
// them or none. If an editor renames its copy over the file during the write, the blocks
// end up in a file without a name. So the name is checked afterwards, and the blocks are
// written again to the file it leads to.
func (s *state) appendFile(ctx context.Context, blocks []transcript.Block) ([]transcript.Block, error) {
	waiting, err := s.stillWaiting()
	if err != nil {
		return nil, err
	}
	all := slices.Concat(waiting, blocks)
	for try := 1; ; try++ {
		if err := s.prepare(ctx, all[:len(waiting)]); err != nil {
			s.setUnsaved(waiting)
			return nil, err
		}
		out, err := s.write(all)
		if err == nil && s.isCurrent() {
			s.waitingSaved(len(waiting))
			return out[len(waiting):], nil
		}
		if err == nil {
			all, err = out, fmt.Errorf("writing %s: %w", s.file, sessiondir.ErrReplaced)
		}
		if try == appendTries || !errors.Is(err, sessiondir.ErrReplaced) {
			s.setUnsaved(waiting)
			return nil, err
		}
	}
}

// prepare reads what changed on disk and returns an error if the session can't be written to now.
// Waiting blocks get new IDs if theirs have been taken meanwhile.
func (s *state) prepare(ctx context.Context, waiting []transcript.Block) error {
	if err := s.refreshToWrite(ctx); err != nil {
		return err
	}
	if s.midSave() {
		return fmt.Errorf("writing to %s: %w", s.name, sessiondir.ErrMidSave)
	}
	s.setUnsaved(nil)
	return s.renumber(waiting)
}

// waitingSaved reports that the waiting blocks are written.
func (s *state) waitingSaved(blocks int) {
	if blocks == 0 {
		return
	}
	s.logger.Info("what waited for the disk is written", "session", s.name, "blocks", blocks)
	s.unsaved = unsaved{}
	s.writeRescue()
	s.notifyUnsaved()
}

// isCurrent reports whether the session's file is still the one that was written to.
func (s *files) isCurrent() bool {
	if s.stat == nil {
		return true // its FileInfo wasn't available: the next refresh reads the file whole
	}
	fi, err := s.dir.Stat(s.file)
	return err == nil && os.SameFile(s.stat, fi)
}

// appendMemory appends to an in-memory session.
func (s *state) appendMemory(blocks []transcript.Block) ([]transcript.Block, error) {
	out, fresh, err := s.completeAll(blocks, time.Now())
	if err != nil {
		return nil, err
	}
	for _, b := range fresh {
		s.mem = append(s.mem, b)
		s.follow(b, b.Checksum(), s.size, 0)
		s.size += int64(len(b.Text)) // as if it were a file
	}
	return out, nil
}

// completeAll completes blocks and returns those that don't exist yet as fresh.
func (s *state) completeAll(blocks []transcript.Block, now time.Time) (all, fresh []transcript.Block, err error) {
	for _, b := range blocks {
		b = s.guard(s.complete(b, now), b.ID == "")
		all = append(all, b)
		n, taken := s.index.Find(s.index.Hash(b.ID))
		if !taken {
			fresh = append(fresh, b)
			continue
		}
		if same, err := s.sameBlock(n, b); err != nil {
			return nil, nil, err
		} else if !same {
			return nil, nil, fmt.Errorf("the id %s is taken by another block of the session; leave it empty to get a new one", b.ID)
		}
	}
	return all, fresh, nil
}
