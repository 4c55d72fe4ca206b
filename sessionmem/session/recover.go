package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/journal"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// recovery completes a session's transcript with what dead processes left behind.
type recovery struct{ *Session }

// all appends the checkpoints that a dead holder of the turn left behind. The caller holds the
// turn. If a checkpoint's block is in the transcript (the holder died after appending it), the
// checkpoint is only removed. If the holder died while appending, the block isn't there and
// the transcript has changed since, the block may have been in it until the user removed it: it
// goes to the journal, and the user decides.
func (s recovery) all(ctx context.Context) error {
	files, err := s.partials()
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := s.recoverOne(ctx, file); err != nil {
			return err
		}
	}
	return nil
}

// partialFiles returns the names of all files in .partial/.
func (s *shared) partialFiles() ([]string, error) {
	if err := s.dir.Check(); err != nil {
		return nil, err
	}
	names, err := s.dir.Names(transcript.PartialDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, wholefile.Explain("reading checkpoints", err)
	}
	return names, nil
}

// partials returns a session's checkpoints and removes half-written ones.
func (s recovery) partials() ([]string, error) {
	names, err := s.partialFiles()
	if err != nil {
		return nil, err
	}
	var files []string
	for _, n := range names {
		switch {
		case !strings.HasPrefix(n, s.name+"."):
		case strings.HasSuffix(n, transcript.FileSuffix):
			files = append(files, transcript.PartialDir+"/"+n)
		default: // a process died while it wrote this one; the one before it is complete
			if err := s.dir.RemoveIfThere(transcript.PartialDir + "/" + n); err != nil {
				return nil, wholefile.Explain("removing a half checkpoint", err)
			}
		}
	}
	slices.Sort(files)
	return files, nil
}

func (s recovery) recoverOne(ctx context.Context, file string) error {
	data, err := s.dir.ReadFile(file)
	if err != nil {
		return wholefile.Explain("reading a checkpoint", err)
	}
	t, err := transcript.Parse(bytes.NewReader(data))
	if err != nil {
		return err
	}
	for _, b := range t.Blocks {
		if b.Text == "" {
			continue
		}
		if s.isUnsaved(b.ID) {
			return nil // this process still holds the whole block
		}
		there, err := s.hasBlock(ctx, b.ID)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		if s.mayHaveBeenRemoved(file) {
			if err := s.journalAlone(ctx, b); err != nil {
				return err
			}
			continue
		}
		if _, err := s.AppendIf(ctx, nil, b, interruption(b)); err != nil {
			return err
		}
		s.logger.Info("an interrupted answer was put into its transcript", "session", s.name, "block", b.ID)
	}
	if err := s.dir.RemoveIfThere(file); err != nil {
		return wholefile.Explain("removing a checkpoint", err)
	}
	return nil
}

// mayHaveBeenRemoved reports whether the block of a checkpoint may have been in the transcript:
// its holder died while appending, and the transcript isn't what it was before.
func (s recovery) mayHaveBeenRemoved(file string) bool {
	name, appending := strings.CutSuffix(file, commitSuffix)
	now := s.stamp()
	return appending && (now == "" || !strings.HasSuffix(name, "."+now))
}

// isUnsaved reports whether this process holds the block, waiting for the disk.
func (s recovery) isUnsaved(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unsaved.contains(id)
}

// interruption returns the Note that marks b as cut off.
func interruption(b transcript.Block) transcript.Block {
	parent := b.Parent
	if parent == "" {
		parent = b.ID
	}
	return transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteInterrupted, Parent: parent, Attrs: map[string]string{"block": b.ID}}
}

// hasBlock reports whether the session's transcript holds a block of this ID, or did before
// the user removed it.
func (s recovery) hasBlock(ctx context.Context, id string) (bool, error) {
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return false, err
	}
	defer unlock()
	if err := s.refresh(); err != nil {
		return false, err
	}
	return s.acknowledged(id)
}

// recoverPatience is how long RecoverAll waits for a session's turn: while another holds it,
// the checkpoint belongs to that answer.
const recoverPatience = 50 * time.Millisecond

// RecoverAll puts the checkpoints of dead processes into their transcripts, as LockTurn does
// for one session, so that an interrupted answer can be read before the next message.
// Sessions whose turn is held are left alone.
func (f *Folder) RecoverAll(ctx context.Context) error {
	if f.dir == nil {
		return nil
	}
	names, err := f.partialSessions()
	if err != nil {
		return err
	}
	errs := []error{f.journals.Clear()}
	for _, name := range names {
		lock, err := f.Session(name).lockBriefly(ctx)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
		case err != nil:
			errs = append(errs, fmt.Errorf("recovering %s: %w", name, err))
		default:
			lock.Unlock()
		}
	}
	return errors.Join(errs...)
}

func (s *Session) lockBriefly(ctx context.Context) (*TurnLock, error) {
	patience, cancel := context.WithTimeout(ctx, recoverPatience)
	defer cancel()
	return s.lockTurn(ctx, patience, "recovery", nil)
}

// partialSessions returns the sessions that have a checkpoint.
func (f *Folder) partialSessions() ([]string, error) {
	files, err := f.partialFiles()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		if name, _, ok := strings.Cut(file, "."); ok && transcript.CheckName(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// journalAlone adds a block that is in none of the session's files to its journal.
func (s recovery) journalAlone(ctx context.Context, b transcript.Block) error {
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.refresh(); err != nil {
		return err
	}
	return s.journal.Add(s.guard(b, false))
}

// acknowledged reports whether a block was written to the session before, even if it has
// been removed since.
func (s recovery) acknowledged(id string) (bool, error) {
	if s.taken(id) {
		return true, nil
	}
	missing, err := s.journal.Missing()
	return slices.ContainsFunc(missing, func(m journal.Block) bool { return m.ID == id }), err
}
