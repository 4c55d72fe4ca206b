package memory

import (
	"context"
	"errors"
	"time"

	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/sharedfile"
)

// Settled is the result of Settle.
type Settled struct {
	Written []Written // lessons that waited for a save
	Pending bool      // something is left to do
}

// Settle finishes the work that waits for other programs' saves: lessons in the inbox, and
// files that were open for writing when they were replaced. It also removes forgotten text
// that came back in the journal. It never waits for a save: if something is pending, call
// it again.
func (m *Memory) Settle(ctx context.Context) (Settled, error) {
	var s Settled
	waiting, err := m.waiting.list()
	if err != nil {
		return s, err
	}
	if !m.files.Unsettled() && !anySaving(waiting) {
		return s, nil
	}
	unlock, err := m.files.Lock(ctx)
	if err != nil {
		return s, err
	}
	defer unlock()
	if s.Pending, err = m.files.TakeOver(); err != nil {
		return s, err
	}
	if waiting, err = m.waiting.list(); err != nil { // another process may have changed it
		return s, err
	}
	for _, p := range waiting {
		if p.Why != WhySaving {
			continue
		}
		if rests := m.files.Still(m.Path(p.Target)) && m.files.Still(m.waiting.path); !rests && time.Since(p.Time) < sharedfile.LongestWait {
			s.Pending = true
			continue
		}
		w, err := m.settle(p)
		switch {
		case errors.Is(err, sharedfile.ErrLater): // a person has to do something first
		case err != nil:
			return s, err
		case w.Text != "":
			s.Written = append(s.Written, w)
		}
	}
	return s, nil
}

func anySaving(list []Proposal) bool {
	for _, p := range list {
		if p.Why == WhySaving {
			return true
		}
	}
	return false
}

// settle writes a lesson that waited for a save. If it can't be written any more, it
// becomes an ordinary proposal and the user decides.
func (m *Memory) settle(p Proposal) (Written, error) {
	w, u, err := m.write(Lesson{Text: p.Text, Target: p.Target, Confidence: p.Confidence, Session: p.Session, Hand: p.Session == ""})
	switch {
	case errors.Is(err, sharedfile.ErrLater):
		return Written{}, err
	case err == nil:
		w.UndoID = m.undos.keep(u)
		return w, m.waiting.takeOut(p.ID)
	case errors.Is(err, ErrDuplicate), errors.Is(err, lesson.ErrRejected):
		return Written{}, m.waiting.takeOut(p.ID)
	}
	m.logger.Warn("a lesson that waited for a save could not be written, it stays in the inbox", "err", err)
	why := ""
	if errors.Is(err, ErrFull) {
		why = WhyFull
	}
	return Written{}, m.waiting.unsettle(p.ID, why)
}

// Replaced returns the names, without folders, of the replaced files that a program may
// still have open and that Settle looks after.
func (m *Memory) Replaced() []string { return m.files.Replaced() }

// Begin creates an empty memory file in the place of one that is missing, because the person
// doesn't expect it back. Lessons that waited for it are written by Settle.
func (m *Memory) Begin(ctx context.Context, t Target) error {
	path := m.Path(t)
	if path == "" {
		return badTarget(t)
	}
	unlock, err := m.files.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return m.files.Begin(path)
}
