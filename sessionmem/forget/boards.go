package forget

import (
	"context"
	"fmt"
	"log/slog"
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

// boards are the servers that the person's machines look at.
type boards struct {
	record *forgotten.Record
	reach  func() (all []Board, closeAll func()) // nil: there are none
	pair   func() (*forgotten.Pair, error)
	logger *slog.Logger
}

// lookAt reads what is noted, and takes the keys that are there for this machine.
func (o boards) lookAt(ctx context.Context, b Board) (forgotten.BoardState, error) {
	own, err := o.pair()
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
	have := o.record.KeyIDs()
	for _, k := range state.Keys {
		if slices.Contains(have, k.ID) {
			continue
		}
		if err := o.record.TakeKey(k.ID, k.Box, own); err != nil { // sealed to the key of a machine.key that was deleted
			o.logger.Warn("a key of what other machines forgot can't be used", "err", err)
		}
	}
	return state, nil
}

// tell notes what others don't know yet and gives keys to machines that have none; what
// stands on the board is taken out of it.
func (o boards) tell(ctx context.Context, b Board, state forgotten.BoardState) error {
	fresh, err := o.record.Share(func(id string) bool { return state.Noted[id] != "" }, state.Ahead)
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
	if err := o.give(ctx, b, state, slices.Sorted(maps.Keys(needed))); err != nil {
		return err
	}
	all := o.record.Traces()
	unswept = slices.DeleteFunc(unswept, func(id string) bool { return !o.record.Knows(id) })
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
func (o boards) give(ctx context.Context, b Board, state forgotten.BoardState, needed []string) error {
	have := o.record.KeyIDs()
	var out []forgotten.SealedKey
	for _, m := range state.Machines {
		for _, id := range needed {
			if slices.Contains(m.Has, id) || !slices.Contains(have, id) {
				continue
			}
			box, err := o.record.SealKey(id, m.Public)
			if err != nil {
				o.logger.Warn("a machine can't be told the key of what was forgotten", "machine", m.Name, "err", err)
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

// named are the servers in a plan.
func (o boards) named() (out []forgotten.Touched) {
	all, closeAll := o.open()
	defer closeAll()
	for _, b := range all {
		out = append(out, forgotten.Touched{
			Place: placeServer, Action: forgotten.Removed, Path: b.Name(),
			Why: "from its tables, and from the files of the other machines when they are next online; " + serverCopies,
		})
	}
	return out
}

// placeServer is a memory server as a place of a forgetting.
const placeServer = "server"

func (o boards) open() (all []Board, closeAll func()) {
	if o.reach == nil {
		return nil, func() {}
	}
	return o.reach()
}

// derived gives the sessions and files that an index has from what is touched.
type derived func() (sessions, files []string, err error)

// tellAll takes what is forgotten out of the servers and has the other machines know. One
// that can't be reached is pending: the forgetting is not over before it was.
func (o boards) tellAll(ctx context.Context, from derived) (out []forgotten.Touched) {
	all, closeAll := o.open()
	defer closeAll()
	for _, b := range all {
		told := forgotten.Touched{Place: placeServer, Action: forgotten.Removed, Path: b.Name(), Why: serverCopies}
		others, err := o.tellOne(ctx, b, from)
		switch {
		case err != nil:
			o.logger.Warn("a memory server is not rid of what was forgotten yet", "error", err)
			told.Action, told.Why = forgotten.Pending, fmt.Sprintf("%v; mac-stats goes on trying, and `mac-stats memory status` tells when it worked", err)
		case len(others) > 0:
			told.Why = strings.Join(others, ", ") + " forgets it when it is next online; " + serverCopies
		}
		out = append(out, told)
	}
	return out
}

func (o boards) tellOne(ctx context.Context, b Board, from derived) (others []string, err error) {
	ctx, stop := context.WithTimeout(ctx, boardWait)
	defer stop()
	state, err := o.lookAt(ctx, b)
	if err != nil {
		return nil, err
	}
	sessions, files, err := from()
	if err == nil && len(sessions)+len(files) > 0 {
		err = b.Erase(ctx, nil, sessions, files)
	}
	if err == nil {
		err = o.tell(ctx, b, state)
	}
	for _, m := range state.Machines {
		if !m.Mine {
			others = append(others, m.Name)
		}
	}
	return others, err
}
