package forget

import (
	"context"
	"errors"
	"strings"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
)

// Exchange gets what other machines forgot and forgets it here, and publishes what was
// forgotten here. Call it before anything is stored on the board.
func (f *Forgetter) Exchange(ctx context.Context, b Board) (Report, error) {
	var r Report
	state, err := f.boards.readState(ctx, b)
	if err != nil {
		return r, err
	}
	var unknown []string
	for id := range state.Noted {
		if !f.forgotten.Knows(id) {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) > 0 {
		all, err := b.Fetch(ctx, unknown)
		if err != nil {
			return r, err
		}
		for _, s := range all {
			found, err := f.adopt(ctx, s, state.Ahead)
			if errors.Is(err, forgotten.ErrNoKey) {
				f.p.Logger.Info("another machine forgot something that this one can't read yet", "err", err)
				continue
			}
			if r.add(found.Found...); err != nil {
				return r, err
			}
		}
		if state, err = f.boards.readState(ctx, b); err != nil {
			return r, err
		}
	}
	return r, f.boards.publish(ctx, b, state)
}

// adopt forgets what another machine forgot.
func (f *Forgetter) adopt(ctx context.Context, s forgotten.Shared, ahead time.Duration) (Report, error) {
	t, err := f.forgotten.Open(s, ahead)
	if err != nil {
		return Report{}, err
	}
	if err := leaveNamesakes(ctx, f.p.Store, t); err != nil {
		return Report{}, err
	}
	p := &Plan{draft: t}
	if _, err := f.look(ctx, p); err != nil {
		return Report{}, err
	}
	unlock, err := f.forgotten.Lock(ctx)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	if f.forgotten.Knows(t.Own().ID) { // another process was faster
		return Report{}, nil
	}
	if err := f.forgotten.Begin(t); err != nil {
		return Report{}, err
	}
	return f.finish(ctx, t.Traces, p.sessions, p.began)
}

// leaveNamesakes keeps sessions that only have the same name as one that another machine
// forgot, because people choose the names. A copy of the session has the same blocks. The
// conversation with a Discord channel is the same everywhere.
func leaveNamesakes(ctx context.Context, store *sessionmem.Store, t *forgotten.Draft) error {
	matching, same := map[string]bool{}, map[string]bool{}
	err := store.EachForgettable(ctx, nil, func(session, _ string, b transcript.Block) {
		if t.MatchesSession(session) {
			matching[session] = true
			same[session] = same[session] || strings.HasPrefix(session, "discord-") || t.MatchesBlock(session, b.ID)
		}
	})
	for session := range matching {
		if !same[session] {
			t.ExcludeSession(session)
		}
	}
	return err
}
