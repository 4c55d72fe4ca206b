package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mac-stats/sessionmem/erase"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
)

// ForgetOptions say how Store.Forget goes about it.
type ForgetOptions struct {
	Dry      bool            // change nothing, and show texts
	Sessions map[string]bool // only files of these; nil: all
}

// Forget takes what the traces mean out of the sessions' files, wherever in the
// session folder they are: archive, trash, copies, checkpoints, journals; and out of what this process holds of them. Summaries
// made of it are made anew of what is left. A session's turn and its lock are held
// meanwhile. What can't be done is told by ForgetRefused, the others go on. The error
// is of ctx or of a folder that can't be read.
func (s *Store) Forget(ctx context.Context, t *forgotten.Traces, o ForgetOptions) ([]forgotten.Touched, error) {
	if !o.Dry {
		s.forgetMemory(t)
	}
	if s.root == nil || t.Empty() {
		return nil, nil
	}
	if err := s.root.Check(); err != nil {
		return nil, err
	}
	f, err := s.eraser.Begin(t, o.Sessions, o.Dry)
	if err != nil {
		return nil, err
	}
	found, err := f.Attachments(ctx) // first: a crash must leave the links to them
	if err != nil {
		return found, err
	}
	for _, ses := range f.Sessions() {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		of := s.forgetIn(ctx, ses, o.Dry)
		if len(of) > 0 {
			of = append(of, s.exportsOf(ses.Name)...)
		}
		found = append(found, of...)
	}
	more, err := f.AttachedTexts()
	for _, m := range more {
		if !slices.ContainsFunc(found, func(f forgotten.Touched) bool { return f.Path == m.Path }) {
			found = append(found, m)
		}
	}
	return found, err
}

// forgetIn forgets in the files of one session.
func (s *Store) forgetIn(ctx context.Context, f *erase.Session, dry bool) []forgotten.Touched {
	if !f.Plan() || dry {
		return f.Found()
	}
	if err := s.whileNobodyWrites(ctx, f.Name, func() { f.Erase(ctx) }); err != nil {
		f.Refuse(err, errors.Is(err, ErrBusy))
	}
	return f.Found()
}

// whileNobodyWrites works while the session's turn and lock are held.
func (s *Store) whileNobodyWrites(ctx context.Context, name string, work func()) error {
	if transcript.CheckName(name) != nil { // a file with a name of its own: no turn can be in it
		work()
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	holder := ""
	turn, err := s.lockTurn(ctx, wait, name, "forget", func(h Holder) { holder = h.Who })
	if err != nil {
		if holder != "" && ctx.Err() == nil {
			return fmt.Errorf("%w: the %s is at it; it goes when that ends", ErrBusy, holder)
		}
		return err
	}
	defer turn.Unlock()
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return err
	}
	defer unlock()
	work()
	ses.forgetFile()
	return nil
}

// forgetMemory forgets in what this process alone holds: private sessions, and what
// waits for the disk.
func (s *Store) forgetMemory(t *forgotten.Traces) {
	for _, ses := range s.all() {
		ses.mu.Lock()
		switch {
		case ses.private.Load():
			ses.cleanPrivate(t)
		case len(ses.unsaved.blocks) > 0:
			blocks := slices.Clone(ses.unsaved.blocks)
			for i, b := range blocks {
				blocks[i], _, _ = t.Clean(ses.name, b)
			}
			ses.setUnsaved(blocks)
			s.writeRescue(ses)
		}
		ses.inTurn = slices.DeleteFunc(ses.inTurn, func(b turnBlock) bool {
			_, _, changed := t.Clean(ses.name, b.block)
			return changed
		})
		ses.mu.Unlock()
	}
}

// cleanPrivate forgets in a session that is in memory alone.
func (ses *session) cleanPrivate(t *forgotten.Traces) {
	blocks := make([]transcript.Block, len(ses.mem))
	any := false
	for i, b := range ses.mem {
		var changed bool
		blocks[i], _, changed = t.Clean(ses.name, b)
		any = any || changed
	}
	if !any {
		return
	}
	ses.mem, ses.size = nil, 0
	ses.forgetBlocks()
	for _, b := range blocks {
		ses.mem = append(ses.mem, b)
		ses.follow(b, b.Words(), ses.size, 0)
		ses.size += int64(len(b.Text))
	}
}

// exportsOf tells of the exports of a session that is rewritten: they lie where the user
// put them, and nobody else removes them.
func (s *Store) exportsOf(session string) []forgotten.Touched {
	var found []forgotten.Touched
	for _, folder := range s.state.Exports(session) {
		found = append(found, forgotten.Touched{
			Place: "export", Action: forgotten.Kept, Path: folder, Session: session,
			Why: "the conversation was exported to this folder; remove the file by hand if it holds what you forget",
		})
	}
	return found
}

// EachForgettable gives every block of the sessions as a forgetting finds them: of private
// ones, and of all files, see erase.Eraser.Each. sessions are those to look at, nil is all.
func (s *Store) EachForgettable(ctx context.Context, sessions map[string]bool, each func(session, path string, b transcript.Block)) error {
	for _, ses := range s.all() {
		if ses.private.Load() && (sessions == nil || sessions[ses.name]) {
			ses.mu.Lock()
			blocks := slices.Clone(ses.mem)
			ses.mu.Unlock()
			for _, b := range blocks {
				each(ses.name, "", b)
			}
		}
	}
	if s.root == nil {
		return nil
	}
	return s.eraser.Each(ctx, sessions, each)
}
