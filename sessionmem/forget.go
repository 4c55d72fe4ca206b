package sessionmem

import (
	"context"
	"errors"
	"slices"

	"mac-stats/sessionmem/erase"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/session"
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
func (l *library) Forget(ctx context.Context, t *forgotten.Traces, o ForgetOptions) ([]forgotten.Touched, error) {
	if !o.Dry {
		l.sessions.Forget(t)
	}
	if l.dir == nil || t.Empty() {
		return nil, nil
	}
	if err := l.dir.Check(); err != nil {
		return nil, err
	}
	f, err := l.sessions.Eraser().Begin(t, o.Sessions, o.Dry)
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
		of := l.forgetIn(ctx, ses, o.Dry)
		if len(of) > 0 {
			of = append(of, l.exportsOf(ses.Name)...)
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
func (l *library) forgetIn(ctx context.Context, f *erase.Session, dry bool) []forgotten.Touched {
	if !f.Plan() || dry {
		return f.Found()
	}
	if err := l.erase(ctx, f); err != nil {
		f.Refuse(err, errors.Is(err, session.ErrBusy))
	}
	return f.Found()
}

// exportsOf tells of the exports of a session that is rewritten: they lie where the user
// put them, and nobody else removes them.
func (l *library) exportsOf(session string) []forgotten.Touched {
	var found []forgotten.Touched
	for _, folder := range l.state.Exports(session) {
		found = append(found, forgotten.Touched{
			Place: "export", Action: forgotten.Kept, Path: folder, Session: session,
			Why: "the conversation was exported to this folder; remove the file by hand if it holds what you forget",
		})
	}
	return found
}

// erase erases in the files of one session while nobody writes to it.
func (l *library) erase(ctx context.Context, f *erase.Session) error {
	if transcript.CheckName(f.Name) != nil { // a file with a name of its own: no turn can be in it
		f.Erase(ctx)
		return nil
	}
	return l.sessions.Session(f.Name).Moves().WhileNobodyWrites(ctx, l.patience, "forget", func() { f.Erase(ctx) })
}
