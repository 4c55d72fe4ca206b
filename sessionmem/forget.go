package sessionmem

import (
	"context"
	"errors"
	"slices"
	"time"

	"mac-stats/sessionmem/erase"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// ForgetOptions are the options of Store.Forget.
type ForgetOptions struct {
	Dry      bool            // change nothing, and show texts
	Sessions map[string]bool // only files of these; nil: all
	Since    time.Time       // and of those that were written since then
}

// Forget removes what the traces cover from the sessions' files, wherever they are in the
// session folder (archive, trash, copies, checkpoints, journals), and from the memory of
// this process. Summaries that include it are rebuilt from what is left. Forget holds a session's
// turn and lock meanwhile. What couldn't be done is in the result, and the rest goes on.
// The error is that of ctx, or of a folder that can't be read.
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
	f, err := l.sessions.Eraser().Begin(t, o.Sessions, o.Since, o.Dry)
	if err != nil {
		return nil, err
	}
	found, err := f.Attachments(ctx) // first: after a crash the links to them must still be there
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

// exportsOf lists the exports of a session that is rewritten: they lie where the user
// put them, and the app never removes them.
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
	if transcript.CheckName(f.Name) != nil { // a file with its own name: it can't have a turn
		f.Erase(ctx)
		return nil
	}
	return l.sessions.Session(f.Name).Moves().RunExclusively(ctx, l.patience, "forget", func() { f.Erase(ctx) })
}
