package forget

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/transcript"
)

const (
	// maxOffers is the maximum number of places offered, in addition to those with the same
	// words.
	maxOffers = 40
	// maxSets is the number of texts that go that are compared one by one.
	maxSets = 64
	// rareShare is the divisor for rare words: a word in more than one in ten of a
	// session's blocks says little.
	rareShare = 10
)

// offers finds what stays and may reveal the same: the rest of a turn that loses a part,
// texts with most of the same words, and what was learned in the session since. It goes if
// Selection.Also names it.
func (f *Forgetter) offers(ctx context.Context, p *Plan, g *gathered) ([]forgotten.Touched, error) {
	if p.draft.Own().Guest {
		return nil, nil // nobody is asked
	}
	o := &offering{f: f, p: p, g: g, turns: map[string]map[string]bool{}, spread: map[string]int{}, listed: map[string]bool{}}
	in := map[string]bool{}
	for name := range g.gone {
		in[name] = !p.draft.MatchesSession(name)
	}
	for _, t := range p.Found {
		o.listed[t.Session+"/"+t.Block] = true
	}
	for _, look := range []func(string, string, transcript.Block){o.count, o.offer} {
		o.session, o.turn = "", ""
		err := f.p.Store.EachForgettable(ctx, in, func(session, path string, b transcript.Block) {
			if in[session] && b.Kind != transcript.KindNote {
				o.follow(session, b)
				look(session, path, b)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	o.offerLessons()
	return o.found[:min(len(o.found), maxOffers)], nil
}

// offering goes twice through the sessions that lose something.
type offering struct {
	f *Forgetter
	p *Plan
	g *gathered

	session, turn string                     // the current place; a turn has the ID of its question
	turns         map[string]map[string]bool // the turns that lose a block
	spread        map[string]int             // by word of what goes: the number of blocks that have it
	blocks        int
	listed        map[string]bool
	found         []forgotten.Touched
}

// follow records which turn a block belongs to.
func (o *offering) follow(session string, b transcript.Block) {
	switch {
	case b.Kind == transcript.KindUser:
		o.turn = b.ID
	case b.Parent != "":
		o.turn = b.Parent
	case session != o.session:
		o.turn = ""
	}
	o.session = session
}

func (o *offering) count(session, _ string, b transcript.Block) {
	o.blocks++
	for w := range o.p.draft.WordsOf(b.Text) {
		if o.g.words[session][w] {
			o.spread[w]++
		}
	}
	if o.g.gone[session][b.ID] && o.turn != "" {
		if o.turns[session] == nil {
			o.turns[session] = map[string]bool{}
		}
		o.turns[session][o.turn] = true
	}
}

func (o *offering) offer(session, path string, b transcript.Block) {
	id := session + "/" + b.ID
	if o.listed[id] || o.g.gone[session][b.ID] || b.Text == "" || b.Text == forgotten.Text {
		return
	}
	why := ""
	switch inTurn := o.turns[session][o.turn]; {
	case inTurn && b.Kind == transcript.KindAssistant:
		why = "the answer of the same turn"
	case inTurn && (b.Kind == transcript.KindAgent || b.Kind == transcript.KindTool):
		why = "a step of the same turn"
	case o.saysTheSame(session, b):
		why = "it uses the same words"
	default:
		return
	}
	o.listed[id] = true
	o.found = append(o.found, forgotten.Touched{
		Place: string(b.Kind), Action: forgotten.Kept, Path: path, Session: session, Block: b.ID, Time: b.Time,
		Text: short(b.Text), Why: why, Offer: id,
	})
}

// saysTheSame reports whether a text uses the words of text that goes: at least half of the
// words of one such text that are rare in the session, or so many that they are at least half
// of its own words.
func (o *offering) saysTheSame(session string, b transcript.Block) bool {
	words := o.p.draft.WordsOf(b.Text)
	own, rare := 0, 0
	for w := range words {
		if !o.g.words[session][w] {
			continue
		}
		own++
		if o.isRare(w) {
			rare++
		}
	}
	if rare < 2 {
		return false
	}
	return 2*own >= len(words) || slices.ContainsFunc(o.g.sets, func(set map[string]bool) bool {
		all, both := 0, 0
		for w := range set {
			if o.isRare(w) {
				all++
				if words[w] {
					both++
				}
			}
		}
		return both >= 2 && 2*both >= all
	})
}

func (o *offering) isRare(w string) bool { return o.spread[w] <= max(3, o.blocks/rareShare) }

// offerLessons offers what was learned in a session after the text that goes, and isn't
// known to come from it.
func (o *offering) offerLessons() {
	for _, l := range o.f.p.Memory.Learned() {
		gone := o.g.gone[l.Session]
		late := l.Day.IsZero() || !l.Day.AddDate(0, 0, 1).Before(o.g.since[l.Session])
		if l.Proposal || gone == nil || !late || o.p.draft.Holds(l.Text) || o.p.draft.IsChosen(l.Text) || o.g.comesFrom(o.p.draft, l) {
			continue
		}
		o.found = append(o.found, forgotten.Touched{
			Place: "lesson", Action: forgotten.Kept, Path: l.Path, Line: l.Line, Text: short(l.Text),
			Why: "it was learnt in the same session", Offer: o.f.lineID(l.Path, l.Text),
		})
	}
}

// lineID returns the ID of a line of a memory file in the search index.
func (f *Forgetter) lineID(path, text string) string {
	rel, err := filepath.Rel(f.p.Root, path)
	if err != nil {
		rel = filepath.Base(path)
	}
	sum := sha256.Sum256([]byte(text))
	return "memory/" + filepath.ToSlash(rel) + "/" + hex.EncodeToString(sum[:6])
}

// offerKept offers the places that were found to hold the same and stay.
func (f *Forgetter) offerKept(found []forgotten.Touched) {
	for i, t := range found {
		switch {
		case t.Action != forgotten.Kept || t.Offer != "":
		case t.Session != "" && t.Block != "":
			found[i].Offer = t.Session + "/" + t.Block
		case t.Place == "lesson" && t.Line > 0:
			found[i].Offer = f.lineAt(t)
		}
	}
}

// lineAt returns the ID of the found line of a memory file; "" if it isn't a learned line.
func (f *Forgetter) lineAt(t forgotten.Touched) string {
	for _, l := range f.p.Memory.Learned() {
		if l.Path == t.Path && l.Line == t.Line && !l.Proposal {
			return f.lineID(l.Path, l.Text)
		}
	}
	return ""
}

// lineOf returns the ID of the found line of a memory file; "" if it can't be chosen.
func (f *Forgetter) lineOf(h recall.Hit) string {
	path := filepath.Join(f.p.Root, filepath.FromSlash(h.Path))
	for _, l := range f.p.Memory.Learned() {
		if l.Path == path && !l.Proposal && strings.Contains(l.Text, h.Text) {
			return f.lineID(l.Path, l.Text)
		}
	}
	return ""
}

// seedAlso adds the offers that were chosen.
func (f *Forgetter) seedAlso(ctx context.Context, t *forgotten.Draft, ids []string) error {
	for _, id := range ids {
		if file, ok := strings.CutPrefix(id, "memory/"); ok {
			if !f.seedChosenLine(t, id) {
				return fmt.Errorf("%w: %s is no line of a memory any more", recall.ErrNoChunk, file)
			}
			continue
		}
		session, block, _, err := parseChunk(id)
		if err != nil {
			return err
		}
		found := false
		err = f.p.Store.EachForgettable(ctx, map[string]bool{session: true}, func(name, _ string, b transcript.Block) {
			found = found || name == session && b.ID == block
		})
		switch {
		case err != nil:
			return err
		case !found:
			return fmt.Errorf("%w: %s; show again what would go, without it", recall.ErrNoChunk, id)
		}
		t.AddBlock(session, block)
	}
	return nil
}

func (f *Forgetter) seedChosenLine(t *forgotten.Draft, id string) (found bool) {
	for _, l := range f.p.Memory.Learned() {
		if !l.Proposal && f.lineID(l.Path, l.Text) == id {
			t.AddLine(l.Text)
			return true
		}
	}
	return false
}

// Offers returns the places of a plan that stay, and go too if Selection.Also holds their
// Offer.
func (p *Plan) Offers() []forgotten.Touched {
	return slices.DeleteFunc(slices.Clone(p.Found), func(t forgotten.Touched) bool { return t.Offer == "" })
}
