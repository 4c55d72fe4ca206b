package forget

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/wholefile"
)

// Place is one where something of a conversation may be kept.
type Place interface {
	// Forget finds what the traces mean, and takes it out unless dry. What can't be
	// taken out is told as forgotten.Refused or ForgetPending; an error is that of
	// ctx, or that the place can't be looked through to its end.
	Forget(ctx context.Context, t *forgotten.Traces, dry bool) ([]forgotten.Touched, error)
}

// Index is the search index, derived from the files.
type Index interface {
	Chunk(ctx context.Context, id string) (corpus.Chunk, error)
	Similar(ctx context.Context, text string, limit int) ([]recall.Hit, error)
	Erase(ctx context.Context, ids, sessions, files []string) error
	Changed(paths ...string)
}

// Params is what a Forgetter needs: Root, Store and Memory.
type Params struct {
	Root     string // data folder
	CacheDir string // folder for caches; "" for none
	Store    *sessionmem.Store
	Memory   *memory.Memory
	Index    Index   // may be nil
	Places   []Place // further ones
	// Boards are the servers where other machines learn of it; nil: none. Close lets them go.
	Boards func() (boards []Board, close func())
	Pair   func() (*forgotten.Pair, error) // this machine's keys; required with Boards
	Logger *slog.Logger
}

// Forgetter forgets in one data folder and its cache.
type Forgetter struct {
	p         Params
	forgotten *forgotten.Record
	places    []Place
	boards    boards
}

// New panics where a required field is missing.
func New(p Params) *Forgetter {
	if p.Root == "" || p.Store == nil || p.Memory == nil {
		panic("forget: New needs Root, Store and Memory")
	}
	if p.Logger == nil {
		p.Logger = slog.New(slog.DiscardHandler)
	}
	f := &Forgetter{p: p, forgotten: p.Memory.Forgotten()}
	f.boards = boards{record: f.forgotten, reach: p.Boards, pair: p.Pair, logger: p.Logger}
	f.places = append([]Place{memoryPlace{p.Memory}}, p.Places...)
	f.places = append(f.places, &folders{root: p.Root, cache: p.CacheDir, store: p.Store, memory: p.Memory})
	return f
}

// Plan is what a forgetting would do. It holds texts: it is never written down.
type Plan struct {
	Selection Selection
	Found     []forgotten.Touched
	Common    int // sentences that stand in several sessions, and stay there

	draft    *forgotten.Draft
	sessions map[string]bool
}

// Nothing reports whether there is nothing to forget.
func (p *Plan) Nothing() bool {
	return !slices.ContainsFunc(p.Found, func(t forgotten.Touched) bool { return t.Action != forgotten.Kept && !t.Final })
}

// Report is what a forgetting did.
type Report struct {
	Found   []forgotten.Touched
	Refused int // places where something is left that can't be taken out; not those that are final
	Pending int // places where somebody else is at it: Resume finishes them
}

// Left is how many places may still hold something that was to go.
func (r *Report) Left() int { return r.Refused + r.Pending }

func (r *Report) add(found ...forgotten.Touched) {
	for _, t := range found {
		switch {
		case t.Action == forgotten.Pending:
			r.Pending++
		case t.Action == forgotten.Refused && !t.Final:
			r.Refused++
		}
		r.Found = append(r.Found, t)
	}
}

// Plan finds what a selection means, everywhere, and changes nothing.
func (f *Forgetter) Plan(ctx context.Context, s Selection) (*Plan, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	t, err := f.forgotten.New(s.Copies || s.Text != "", s.Lessons)
	if err != nil {
		return nil, err
	}
	if err := f.seed(ctx, t, s); err != nil {
		return nil, err
	}
	p := &Plan{Selection: s, draft: t}
	g, err := f.look(ctx, p)
	if err != nil {
		return nil, err
	}
	f.offerKept(p.Found)
	offers, err := f.offers(ctx, p, g)
	if err != nil {
		return nil, err
	}
	p.Found = append(p.Found, offers...)
	p.Found = append(p.Found, f.similar(ctx, p, g)...)
	if !p.Nothing() || s.Text != "" { // words may stand at another machine alone
		p.Found = append(p.Found, f.boards.named()...)
	}
	return p, nil
}

// look finds what a plan's traces mean, and adds what is derived from it.
func (f *Forgetter) look(ctx context.Context, p *Plan) (*gathered, error) {
	p.sessions = map[string]bool{}
	g, err := f.gather(ctx, p)
	if err != nil {
		return nil, err
	}
	t := p.draft
	if p.Found, err = f.run(ctx, t.Traces, nil, true); err != nil {
		return nil, err
	}
	for _, found := range p.Found {
		if found.Session != "" {
			p.sessions[found.Session] = true
			t.Touch(found.Session)
		}
		if rel, ok := f.below(found.Path); ok {
			t.Touch(rel)
		}
	}
	t.AddFound(p.Found)
	return g, nil
}

// below is a path as the index names it.
func (f *Forgetter) below(path string) (string, bool) {
	rel, err := filepath.Rel(f.p.Root, path)
	if path == "" || err != nil || strings.HasPrefix(rel, "..") {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Do forgets what a plan found. It is written down first: from then on it is finished
// by Resume whatever happens to this process. Where something was refused it stays
// unfinished, so that the next start tries again.
func (f *Forgetter) Do(ctx context.Context, p *Plan) (Report, error) {
	unlock, err := f.forgotten.Lock(ctx)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	if err := f.forgotten.Begin(p.draft); err != nil {
		return Report{}, err
	}
	return f.finish(ctx, p.draft.Traces, p.sessions)
}

// Resume finishes what was begun and not completed: before a crash, or because
// something was refused. It changes nothing where there is nothing.
func (f *Forgetter) Resume(ctx context.Context) (Report, error) {
	if len(f.forgotten.Unfinished()) == 0 {
		return Report{}, nil
	}
	unlock, err := f.forgotten.Lock(ctx)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	var all Report
	var errs []error
	for _, t := range f.forgotten.Unfinished() {
		r, err := f.finish(ctx, t, nil)
		errs = append(errs, err)
		all.add(r.Found...)
	}
	return all, errors.Join(errs...)
}

// finish takes everything out; sessions are those to look at, nil is all.
func (f *Forgetter) finish(ctx context.Context, t *forgotten.Traces, sessions map[string]bool) (Report, error) {
	var r Report
	early := f.eraseIndex(ctx, t, nil) // where that fails, it is done below
	found, err := f.run(ctx, t, sessions, false)
	r.add(found...)
	if err != nil {
		return r, fmt.Errorf("forgetting: %w; run it again, or restart mac-stats, to finish it", err)
	}
	// Once more: an indexing that was under way may have taken up what it had read before.
	if err := f.eraseIndex(ctx, t, found); err != nil {
		f.p.Logger.Warn("the search index is not rid of what was forgotten yet", "error", errors.Join(early, err))
		r.add(f.indexLeft(err))
	}
	r.add(f.boards.tellAll(ctx, func() (sessions, files []string, err error) { return f.derived(ctx, t, found) })...)
	if r.Left() > 0 {
		return r, f.forgotten.Tried(t, found)
	}
	return r, f.forgotten.Done(t, found)
}

// indexLeft tells that the index may hold words of it. Their texts it never does.
func (f *Forgetter) indexLeft(err error) forgotten.Touched {
	t := forgotten.Touched{Place: "index", Path: filepath.Join(f.p.CacheDir, "recall.db")}
	if errors.Is(err, recall.ErrBusy) {
		t.Action, t.Why = forgotten.Pending, "another process holds the search index; single words of it go from there as soon as that ends"
		return t
	}
	t.Action, t.Why = forgotten.Refused, wholefile.WhyNot(err)+", or delete the index: `mac-stats memory reindex` makes it anew"
	return t
}

// run goes through all places. Memory first: what was learnt is found by what is
// still said.
func (f *Forgetter) run(ctx context.Context, t *forgotten.Traces, sessions map[string]bool, dry bool) ([]forgotten.Touched, error) {
	var all []forgotten.Touched
	for _, place := range f.places {
		found, err := place.Forget(ctx, t, dry)
		if all = append(all, found...); ctx.Err() != nil {
			return all, err
		}
		all = append(all, unseen(err)...)
	}
	found, err := f.p.Store.Forget(ctx, t, sessionmem.ForgetOptions{Dry: dry, Sessions: sessions})
	if all = append(all, found...); ctx.Err() != nil {
		return all, err
	}
	return append(all, unseen(err)...), nil
}

// unseen tells of a place that could not be looked through to its end: the others are.
func unseen(err error) []forgotten.Touched {
	if err == nil {
		return nil
	}
	return []forgotten.Touched{{Place: "folder", Action: forgotten.Refused, Why: wholefile.WhyNot(err)}}
}

// eraseIndex takes the touched sessions and files out of the index; it takes up again
// what is left of them.
func (f *Forgetter) eraseIndex(ctx context.Context, t *forgotten.Traces, found []forgotten.Touched) error {
	if f.p.Index == nil {
		return nil
	}
	sessions, files, err := f.derived(ctx, t, found)
	if err != nil || len(sessions)+len(files) == 0 {
		return err
	}
	err = f.p.Index.Erase(ctx, nil, sessions, files)
	f.p.Index.Changed()
	return err
}

// derived gives the sessions and files that the index has from what is touched.
func (f *Forgetter) derived(ctx context.Context, t *forgotten.Traces, found []forgotten.Touched) (sessions, files []string, err error) {
	all, err := f.p.Store.Catalog().Files(ctx)
	if err != nil {
		return nil, nil, err
	}
	touched := map[string]bool{}
	names := map[string]bool{}
	for _, t := range found {
		if t.Session != "" {
			names[t.Session] = true
		}
		if rel, ok := f.below(t.Path); ok {
			touched[rel] = true
		}
	}
	for _, s := range all {
		if t.Touches(s.Session) {
			names[s.Session] = true
		}
	}
	sessions = slices.Sorted(maps.Keys(names))
	memories, err := f.p.Memory.List()
	for _, m := range memories {
		if rel, ok := f.below(m.Path); ok && (t.Touches(rel) || touched[rel]) {
			files = append(files, rel)
		}
	}
	return sessions, files, err
}

// memoryPlace is the memory files, the inbox and what is kept to undo.
type memoryPlace struct{ m *memory.Memory }

func (p memoryPlace) Forget(ctx context.Context, t *forgotten.Traces, dry bool) ([]forgotten.Touched, error) {
	return p.m.Forget(ctx, t, dry)
}
