package conversation

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// log holds the entries of a conversation, in order. Its lock also guards the turn, the
// history and the conversation itself: they change together with the entries.
type log struct {
	mu       sync.Mutex
	entries  []*entry
	shownID  map[string]bool     // blocks that are in entries
	versions map[string][]string // by block: the IDs of all its versions
	seq      int
}

// eachAnswer calls f for each answer below a head.
func (l *log) eachAnswer(key string, f func(*entry)) {
	in := false
	for _, e := range l.entries {
		switch {
		case e.Key == key:
			in = true
		case in && (e.Kind == User || e.Kind == Head):
			return
		}
		if in && e.Kind == Answer {
			f(e)
		}
	}
}

// live collects, by the user's message, what no transcript holds. It is called before the
// transcript is read again.
func (l *log) live() map[string]*liveTurn {
	out := map[string]*liveTurn{}
	turn := &liveTurn{}
	for _, e := range l.entries {
		switch {
		case e.Kind == User:
			turn = &liveTurn{}
			out[e.Block] = turn
		case e.memory:
			turn.notes = append(turn.notes, liveNote{e, turn.rows})
		case e.isRow():
			turn.rows++
		}
	}
	delete(out, "")
	return out
}

// restoreLive puts what live collected back in its place.
func (l *log) restoreLive(turns map[string]*liveTurn) {
	entries := make([]*entry, 0, len(l.entries))
	turn := &liveTurn{}
	put := func(all bool) {
		for len(turn.notes) > 0 && (all || turn.notes[0].after <= turn.rows) {
			entries = append(entries, turn.notes[0].entry)
			turn.notes = turn.notes[1:]
		}
	}
	for _, e := range l.entries {
		switch {
		case e.Kind == User:
			put(true)
			turn = &liveTurn{}
			if t := turns[e.Block]; t != nil {
				turn = &liveTurn{notes: t.notes}
			}
		case e.isRow():
			put(false)
			turn.rows++
		}
		entries = append(entries, e)
	}
	put(true)
	l.entries = entries
}

// lastUserBlock returns the ID of the newest message.
func (l *log) lastUserBlock() string {
	for _, e := range slices.Backward(l.entries) {
		if e.Kind == User {
			return e.Block
		}
	}
	return ""
}

func (l *log) add(e *entry) *entry {
	l.seq++
	if e.Key == "" {
		e.Key = fmt.Sprintf("%d", l.seq)
	}
	e.Rev = 1
	l.entries = append(l.entries, e)
	if e.Block != "" {
		l.shownID[e.Block] = true
		e.Versions = l.versions[e.Block]
	}
	return e
}

// turnStart returns the index of the first entry of the turn under way.
func (l *log) turnStart() int {
	for i := len(l.entries) - 1; i >= 0; i-- {
		if l.entries[i].Kind == User {
			return i + 1
		}
	}
	return 0
}

func (l *log) inTurn(match func(*entry) bool) *entry {
	for _, e := range slices.Backward(l.entries[l.turnStart():]) {
		if match(e) {
			return e
		}
	}
	return nil
}

// hasAnswer reports whether the turn has any answer text.
func (l *log) hasAnswer() bool {
	return l.inTurn(func(e *entry) bool { return e.Kind == Answer && strings.TrimSpace(e.Doc.Text()) != "" }) != nil
}
