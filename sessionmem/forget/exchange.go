package forget

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
)

// Board is a server where a person's machines tell each other what they forgot, and which
// holds what they say.
type Board interface {
	// Name is what people call it.
	Name() string
	// Look tells what is noted there. The machine's public key is noted.
	Look(ctx context.Context, public []byte) (forgotten.BoardState, error)
	// Fetch gives forgettings that are noted.
	Fetch(ctx context.Context, ids []string) ([]forgotten.Shared, error)
	// Note notes forgettings: no machine puts anything there any more before it knows them.
	Note(ctx context.Context, all []forgotten.Shared) error
	// Give notes keys for machines.
	Give(ctx context.Context, keys []forgotten.SealedKey) error
	// Erase takes sessions and files (below the data folder) of this machine out.
	Erase(ctx context.Context, ids, sessions, files []string) error
	// Sweep takes out what is meant of what any machine put, and notes that it was done for
	// these forgettings.
	Sweep(ctx context.Context, ids []string, means func(session string, b transcript.Block) bool) error
}

const (
	// boardWait is how long a forgetting waits for a server.
	boardWait = 5 * time.Second
	// clockWithin is what clocks may differ by and count as the same.
	clockWithin = 2 * time.Second
)

// Exchange learns what other machines forgot, and forgets it here; and tells them what was
// forgotten here. It is done before anything is put on the board.
func (f *Forgetter) Exchange(ctx context.Context, b Board) (Report, error) {
	var r Report
	state, err := f.lookAt(ctx, b)
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
		if state, err = f.lookAt(ctx, b); err != nil {
			return r, err
		}
	}
	return r, f.tell(ctx, b, state)
}

// lookAt reads what is noted, and takes the keys that are there for this machine.
func (f *Forgetter) lookAt(ctx context.Context, b Board) (forgotten.BoardState, error) {
	own, err := f.p.Pair()
	if err != nil {
		return forgotten.BoardState{}, err
	}
	state, err := b.Look(ctx, own.Public())
	if err != nil {
		return state, err
	}
	if state.Ahead.Abs() < clockWithin {
		state.Ahead = 0
	}
	have := f.forgotten.KeyIDs()
	for _, k := range state.Keys {
		if slices.Contains(have, k.ID) {
			continue
		}
		if err := f.forgotten.TakeKey(k.ID, k.Box, own); err != nil { // sealed to the key of a machine.key that was deleted
			f.p.Logger.Warn("a key of what other machines forgot can't be used", "err", err)
		}
	}
	return state, nil
}

// adopt forgets what another machine forgot.
func (f *Forgetter) adopt(ctx context.Context, s forgotten.Shared, ahead time.Duration) (Report, error) {
	t, err := f.forgotten.Open(s, ahead)
	if err != nil {
		return Report{}, err
	}
	if err := f.leaveNamesakes(ctx, t); err != nil {
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
	return f.finish(ctx, t.Traces, p.sessions)
}

// leaveNamesakes keeps sessions that only have the name of one which another machine forgot:
// people name them themselves. A copy holds the same blocks; the conversation with a channel
// of Discord is the same everywhere.
func (f *Forgetter) leaveNamesakes(ctx context.Context, t *forgotten.Draft) error {
	means, same := map[string]bool{}, map[string]bool{}
	err := f.p.Store.EachForgettable(ctx, nil, func(session, _ string, b transcript.Block) {
		if t.MeansSession(session) {
			means[session] = true
			same[session] = same[session] || strings.HasPrefix(session, "discord-") || t.MeansBlock(session, b.ID)
		}
	})
	for session := range means {
		if !same[session] {
			t.LeaveSession(session)
		}
	}
	return err
}

// tell notes what others don't know yet and gives keys to machines that have none; what
// stands on the board is taken out of it.
func (f *Forgetter) tell(ctx context.Context, b Board, state forgotten.BoardState) error {
	fresh, err := f.forgotten.Share(func(id string) bool { return state.Noted[id] != "" }, state.Ahead)
	if err == nil && len(fresh) > 0 {
		err = b.Note(ctx, fresh)
	}
	if err != nil {
		return err
	}
	needed := map[string]bool{}
	for _, key := range state.Noted {
		needed[key] = true
	}
	unswept := state.Unswept
	for _, s := range fresh {
		needed[s.KeyID] = true
		unswept = append(unswept, s.ID)
	}
	if err := f.give(ctx, b, state, slices.Sorted(maps.Keys(needed))); err != nil {
		return err
	}
	all := f.forgotten.Traces()
	unswept = slices.DeleteFunc(unswept, func(id string) bool { return !f.forgotten.Knows(id) })
	if len(unswept) == 0 {
		return nil
	}
	return b.Sweep(ctx, unswept, func(session string, block transcript.Block) bool {
		_, _, changed := all.Clean(session, block)
		return changed
	})
}

// give gives the keys that this machine has to those that lack them, itself among them: its
// own data folder may come back from a backup.
func (f *Forgetter) give(ctx context.Context, b Board, state forgotten.BoardState, needed []string) error {
	have := f.forgotten.KeyIDs()
	var out []forgotten.SealedKey
	for _, m := range state.Machines {
		for _, id := range needed {
			if slices.Contains(m.Has, id) || !slices.Contains(have, id) {
				continue
			}
			box, err := f.forgotten.SealKey(id, m.Public)
			if err != nil {
				f.p.Logger.Warn("a machine can't be told the key of what was forgotten", "machine", m.Name, "err", err)
				continue
			}
			out = append(out, forgotten.SealedKey{ID: id, Machine: m.Number, Box: box})
		}
	}
	if len(out) == 0 {
		return nil
	}
	return b.Give(ctx, out)
}

// serverCopies is what no forgetting reaches.
const serverCopies = "its log, backups and replicas keep copies until its administrator removes them"

// boardsNamed are the servers in a plan.
func (f *Forgetter) boardsNamed() (out []forgotten.Touched) {
	boards, closeAll := f.boards()
	defer closeAll()
	for _, b := range boards {
		out = append(out, forgotten.Touched{
			Place: placeServer, Action: forgotten.Removed, Path: b.Name(),
			Why: "from its tables, and from the files of the other machines when they are next online; " + serverCopies,
		})
	}
	return out
}

// placeServer is a memory server as a place of a forgetting.
const placeServer = "server"

func (f *Forgetter) boards() ([]Board, func()) {
	if f.p.Boards == nil {
		return nil, func() {}
	}
	return f.p.Boards()
}

// tellBoards takes what is forgotten out of the servers and has the other machines know. One
// that can't be reached is pending: the forgetting is not over before it was.
func (f *Forgetter) tellBoards(ctx context.Context, t *forgotten.Traces, found []forgotten.Touched) (out []forgotten.Touched) {
	boards, closeAll := f.boards()
	defer closeAll()
	for _, b := range boards {
		told := forgotten.Touched{Place: placeServer, Action: forgotten.Removed, Path: b.Name(), Why: serverCopies}
		others, err := f.tellBoard(ctx, b, t, found)
		switch {
		case err != nil:
			f.p.Logger.Warn("a memory server is not rid of what was forgotten yet", "error", err)
			told.Action, told.Why = forgotten.Pending, fmt.Sprintf("%v; mac-stats goes on trying, and `mac-stats memory status` tells when it worked", err)
		case len(others) > 0:
			told.Why = strings.Join(others, ", ") + " forgets it when it is next online; " + serverCopies
		}
		out = append(out, told)
	}
	return out
}

func (f *Forgetter) tellBoard(ctx context.Context, b Board, t *forgotten.Traces, found []forgotten.Touched) (others []string, err error) {
	ctx, stop := context.WithTimeout(ctx, boardWait)
	defer stop()
	state, err := f.lookAt(ctx, b)
	if err != nil {
		return nil, err
	}
	sessions, files, err := f.derived(ctx, t, found)
	if err == nil && len(sessions)+len(files) > 0 {
		err = b.Erase(ctx, nil, sessions, files)
	}
	if err == nil {
		err = f.tell(ctx, b, state)
	}
	for _, m := range state.Machines {
		if !m.Mine {
			others = append(others, m.Name)
		}
	}
	return others, err
}
