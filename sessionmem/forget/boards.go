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

// Board is a server through which a person's machines share what they forgot, and which
// holds their texts.
type Board interface {
	// Name returns the name that people know it by.
	Name() string
	// Look returns the content of the board and stores this machine's public key on it.
	Look(ctx context.Context, public []byte) (forgotten.BoardState, error)
	// Fetch returns shared forgettings.
	Fetch(ctx context.Context, ids []string) ([]forgotten.Shared, error)
	// Note stores forgettings. From then on no machine stores anything on the board before
	// it knows them.
	Note(ctx context.Context, all []forgotten.Shared) error
	// Give stores keys for machines.
	Give(ctx context.Context, keys []forgotten.SealedKey) error
	// Erase removes sessions and files (relative to the data folder) of this machine.
	Erase(ctx context.Context, ids, sessions, files []string) error
	// Sweep removes what matches from the texts of all machines, and records that this was
	// done for these forgettings.
	Sweep(ctx context.Context, ids []string, matches func(session string, b transcript.Block) bool) error
}

const (
	// boardWait is how long a forgetting waits for a server.
	boardWait = 5 * time.Second
	// clockWithin is the difference up to which clocks count as equal.
	clockWithin = 2 * time.Second
)

// boards are the servers that the person's machines use.
type boards struct {
	record *forgotten.Record
	reach  func() (all []Board, closeAll func()) // nil if there are none
	pair   func() (*forgotten.Pair, error)
	logger *slog.Logger
}

// readState returns the content of a board, and saves the keys on it for this machine.
func (o boards) readState(ctx context.Context, b Board) (forgotten.BoardState, error) {
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

// publish stores what others don't know yet, and keys for machines that have none. It also
// removes matching text from the board.
func (o boards) publish(ctx context.Context, b Board, state forgotten.BoardState) error {
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

// give stores the keys of this machine for machines that lack them. Those include itself:
// its own data folder may come back from a backup.
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

// serverCopies names what no forgetting reaches.
const serverCopies = "its log, backups and replicas keep copies until its administrator removes them"

// named returns the servers for a plan.
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

// derived returns the sessions and files that an index made from the places touched.
type derived func() (sessions, files []string, err error)

// publishAll removes matching text from the servers and informs the other machines. A
// server that can't be reached is pending: the forgetting isn't over before it was reached.
func (o boards) publishAll(ctx context.Context, from derived) (out []forgotten.Touched) {
	all, closeAll := o.open()
	defer closeAll()
	for _, b := range all {
		touched := forgotten.Touched{Place: placeServer, Action: forgotten.Removed, Path: b.Name(), Why: serverCopies}
		others, err := o.publishOne(ctx, b, from)
		switch {
		case err != nil:
			o.logger.Warn("a memory server is not rid of what was forgotten yet", "error", err)
			touched.Action, touched.Why = forgotten.Pending, fmt.Sprintf("%v; mac-stats goes on trying, and `mac-stats memory status` tells when it worked", err)
		case len(others) > 0:
			touched.Why = strings.Join(others, ", ") + " forgets it when it is next online; " + serverCopies
		}
		out = append(out, touched)
	}
	return out
}

func (o boards) publishOne(ctx context.Context, b Board, from derived) (others []string, err error) {
	ctx, stop := context.WithTimeout(ctx, boardWait)
	defer stop()
	state, err := o.readState(ctx, b)
	if err != nil {
		return nil, err
	}
	sessions, files, err := from()
	if err == nil && len(sessions)+len(files) > 0 {
		err = b.Erase(ctx, nil, sessions, files)
	}
	if err == nil {
		err = o.publish(ctx, b, state)
	}
	for _, m := range state.Machines {
		if !m.Mine {
			others = append(others, m.Name)
		}
	}
	return others, err
}
