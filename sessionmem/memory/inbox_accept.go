package memory

import (
	"context"
	"errors"
	"fmt"
)

// Accept makes the change of a proposal and removes the proposal from the inbox. The text
// is checked again, because people may have edited it. After an error the proposal waits as
// before. A lesson is written even if it exceeds the memory's budget, because the user
// decided so.
//
// Accept takes three steps, each an atomic write: it marks the proposal, changes the
// memory, and removes the proposal. After a crash in between, the proposal is still marked,
// and the next Accept finishes the work. Nothing is lost and nothing is written twice, but
// UndoID may be "".
func (b *inbox) Accept(ctx context.Context, id string) (Written, error) {
	p, err := b.s.waiting.find(id)
	if err != nil {
		return Written{}, err
	}
	paths := []string{b.s.waiting.path}
	if path := b.s.Path(p.Target); path != "" {
		paths = append(paths, path)
	}
	unlock, err := b.s.files.LockStill(ctx, paths...)
	if err != nil {
		return Written{}, err
	}
	defer unlock()
	if p, err = b.s.waiting.find(id); err != nil { // it may have changed meanwhile
		return Written{}, err
	}
	if err := p.check(b.s.root, b.s.forgotten); err != nil {
		return Written{}, err
	}
	w, done := Written{}, false
	if p.Accepting {
		if w, done, err = b.isDone(p); err != nil {
			return Written{}, err
		}
	}
	if !done {
		if w, err = b.acceptNew(p); err != nil {
			return Written{}, err
		}
	}
	if err := b.s.waiting.takeOut(p.ID); err != nil {
		return w, fmt.Errorf("done, but the proposal is still in the inbox; accept it again, or discard it: %w", err)
	}
	return w, nil
}

// acceptNew marks a proposal and changes the memory. After an error the proposal is in the
// inbox as before.
func (b *inbox) acceptNew(p Proposal) (Written, error) {
	before, err := b.s.waiting.mark(p.ID)
	if err != nil {
		return Written{}, err
	}
	w, err := b.changeMemory(p)
	if err != nil {
		return Written{}, errors.Join(err, b.s.waiting.unmark(p.ID, before))
	}
	return w, nil
}

// changeMemory makes the change of a proposal. The caller holds the lock.
func (b *inbox) changeMemory(p Proposal) (Written, error) {
	if p.Kind == ProposeAdd {
		w, u, err := b.s.write(Lesson{Text: p.Text, Target: p.Target, Session: p.Session, Hand: true})
		if err == nil {
			w.UndoID = b.s.undos.keep(u)
		}
		return w, err
	}
	w, err := b.s.changeLine(p)
	if errors.Is(err, ErrNoLine) {
		return w, fmt.Errorf("%w; it was changed since it was proposed, so nothing was done: discard the proposal, or copy the line as it is now into it", err)
	}
	return w, err
}

// isDone reports whether the memory already says what the proposal would make it say.
func (b *inbox) isDone(p Proposal) (Written, bool, error) {
	f, err := b.s.Load(p.Target)
	if err != nil {
		return Written{}, false, err
	}
	w := Written{Path: f.Path, Text: p.Text, Old: p.Old, Target: p.Target}
	old := false
	for _, b := range f.Bullets {
		if b.Text == p.Text && p.Kind != ProposeRemove {
			w.Line = b.Line
		}
		old = old || b.Text == p.Old
	}
	if p.Kind == ProposeRemove {
		return w, !old, nil
	}
	return w, w.Line > 0 && (p.Kind == ProposeAdd || !old), nil
}
