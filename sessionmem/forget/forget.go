package forget

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/wholefile"
)

// Place is a place where a part of a conversation may be kept.
type Place interface {
	// Forget finds what matches the traces, and removes it unless dry. It reports what it
	// couldn't remove as forgotten.Refused or forgotten.Pending. An error is that of ctx,
	// or means that the place couldn't be searched completely.
	Forget(ctx context.Context, t *forgotten.Traces, dry bool) ([]forgotten.Touched, error)
}

// Index is the search index, which is derived from the files.
type Index interface {
	Chunk(ctx context.Context, id string) (corpus.Chunk, error)
	Similar(ctx context.Context, text string, limit int) ([]recall.Hit, error)
	Erase(ctx context.Context, ids, sessions, files []string) error
	Changed()
}

// Params holds the dependencies of a Forgetter. Root, Store and Memory are required.
type Params struct {
	Root     string // the data folder
	CacheDir string // the folder for caches; "" for none
	Store    *sessionmem.Store
	Memory   *memory.Memory
	Index    Index   // may be nil
	Places   []Place // additional places
	// Servers returns the memory servers that hold texts of this folder, and a function that
	// closes them. nil if there are none.
	Servers func() (servers []Server, close func())
	Logger  *slog.Logger
}

// Forgetter forgets in one data folder and its cache.
type Forgetter struct {
	p         Params
	forgotten *forgotten.Record
	places    []Place
}

// New returns a Forgetter. It panics if a required field is missing.
func New(p Params) *Forgetter {
	if p.Root == "" || p.Store == nil || p.Memory == nil {
		panic("forget: New needs Root, Store and Memory")
	}
	if p.Logger == nil {
		p.Logger = slog.New(slog.DiscardHandler)
	}
	f := &Forgetter{p: p, forgotten: p.Memory.Forgotten()}
	f.places = append([]Place{memoryPlace{p.Memory}}, p.Places...)
	f.places = append(f.places, &folders{root: p.Root, cache: p.CacheDir, store: p.Store, memory: p.Memory})
	return f
}

// Plan is what a forgetting would do. It holds texts, so it is never written to disk.
type Plan struct {
	Selection Selection
	Found     []forgotten.Touched
	Common    int // sentences that occur in several sessions, and stay there

	draft    *forgotten.Draft
	sessions map[string]bool
	began    time.Time // a little before the look at the folder
}

// Nothing reports whether there is nothing to forget.
func (p *Plan) Nothing() bool {
	return !slices.ContainsFunc(p.Found, func(t forgotten.Touched) bool { return t.Action != forgotten.Kept && !t.Final })
}

// outcome returns the plan with what became of each place, each once. A place where nothing
// was found any more is done as planned: a running app cleans what it reads, so another
// process may be the one that did it. What stands in a file that stays as it is isn't done.
func (p *Plan) outcome(done []forgotten.Touched) []forgotten.Touched {
	type spot struct{ place, where string }
	at := func(t forgotten.Touched) spot { // a session's file may have been renamed
		return spot{t.Place, cmp.Or(t.Session, t.Path)}
	}
	same := func(a, b forgotten.Touched) bool {
		return at(a) == at(b) && a.Block == b.Block && a.Action == b.Action && a.Line == b.Line && a.Why == b.Why && a.Time.Equal(b.Time)
	}
	var out []forgotten.Touched
	reported := map[spot]int{}
	for _, t := range done {
		if !slices.ContainsFunc(out, func(o forgotten.Touched) bool { return same(o, t) }) {
			out = append(out, t)
			reported[at(t)]++
		}
	}
	for _, t := range p.Found {
		if slices.ContainsFunc(done, func(d forgotten.Touched) bool {
			return t.Path != "" && d.Path == t.Path && (d.Action == forgotten.Refused || d.Action == forgotten.Pending)
		}) {
			continue
		}
		switch t.Action {
		case forgotten.Emptied, forgotten.Rebuilt, forgotten.Removed, forgotten.Proposed, forgotten.Renamed:
			if reported[at(t)]--; reported[at(t)] < 0 {
				t.Text = ""
				out = append(out, t)
			}
		}
	}
	return out
}

// Report is what a forgetting did.
type Report struct {
	Found   []forgotten.Touched
	Refused int // places with something left that can't be removed, except final ones
	Pending int // places in use by others; Resume finishes them
}

// Left returns the number of places that may still hold matching text.
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

// Plan finds everything that matches a selection, and changes nothing.
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
	if !p.Nothing() || s.Text != "" { // the words may be on another machine only
		p.Found = append(p.Found, f.namedServers()...)
	}
	return p, nil
}

// look finds what matches a plan's traces, and adds what is derived from it.
func (f *Forgetter) look(ctx context.Context, p *Plan) (*gathered, error) {
	p.sessions, p.began = map[string]bool{}, time.Now().Add(-time.Second) // as exact as times of files are
	g, err := f.gather(ctx, p)
	if err != nil {
		return nil, err
	}
	t := p.draft
	if p.Found, err = f.run(ctx, t.Traces, nil, time.Time{}, true); err != nil {
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

// below returns a path in the form in which the index names it.
func (f *Forgetter) below(path string) (string, bool) {
	rel, err := filepath.Rel(f.p.Root, path)
	if path == "" || err != nil || strings.HasPrefix(rel, "..") {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Do forgets what a plan found, and reports what became of each place. It first records the forgetting, so that Resume finishes it
// whatever happens to this process. If something is refused, the forgetting stays
// unfinished and the next start tries again.
func (f *Forgetter) Do(ctx context.Context, p *Plan) (Report, error) {
	unlock, err := f.forgotten.Lock(ctx)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	if err := f.forgotten.Begin(p.draft); err != nil {
		return Report{}, err
	}
	r, err := f.finish(ctx, p.draft.Traces, p.sessions, p.began)
	if err != nil {
		return r, err
	}
	r.Found = p.outcome(r.Found)
	return r, nil
}

// Resume finishes forgettings that were begun and not completed, because of a crash or
// because something was refused. If there are none, it changes nothing.
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
		r, err := f.finish(ctx, t, nil, time.Time{})
		errs = append(errs, err)
		all.add(r.Found...)
	}
	return all, errors.Join(errs...)
}

// finish removes everything. sessions are the names of those to look into, besides those that
// were written since a time; nil for all.
func (f *Forgetter) finish(ctx context.Context, t *forgotten.Traces, sessions map[string]bool, since time.Time) (Report, error) {
	var r Report
	early := f.eraseIndex(ctx, t, nil) // if it fails, it is tried again below
	found, err := f.run(ctx, t, sessions, since, false)
	r.add(found...)
	if err != nil {
		return r, fmt.Errorf("forgetting: %w; run it again, or restart mac-stats, to finish it", err)
	}
	// Once more: indexing that was under way may have added text that it read before.
	if err := f.eraseIndex(ctx, t, found); err != nil {
		f.p.Logger.Warn("the search index is not rid of what was forgotten yet", "error", errors.Join(early, err))
		r.add(f.indexLeft(err))
	}
	r.add(f.sweepAll(ctx)...)
	if r.Left() > 0 {
		return r, f.forgotten.Tried(t, found)
	}
	return r, f.forgotten.Done(t, found)
}

// indexLeft reports that the index may still hold matching words. It never reports their
// texts.
func (f *Forgetter) indexLeft(err error) forgotten.Touched {
	t := forgotten.Touched{Place: "index", Path: filepath.Join(f.p.CacheDir, "recall.db")}
	if errors.Is(err, recall.ErrBusy) {
		t.Action, t.Why = forgotten.Pending, "another process holds the search index; single words of it go from there as soon as that ends"
		return t
	}
	t.Action, t.Why = forgotten.Refused, wholefile.WhyNot(err)+", or delete the index: `mac-stats memory reindex` makes it anew"
	return t
}

// run goes through all places. Memory comes first, because lessons are found by the texts
// that are still there.
func (f *Forgetter) run(ctx context.Context, t *forgotten.Traces, sessions map[string]bool, since time.Time, dry bool) ([]forgotten.Touched, error) {
	var all []forgotten.Touched
	for _, place := range f.places {
		found, err := place.Forget(ctx, t, dry)
		if all = append(all, found...); ctx.Err() != nil {
			return all, err
		}
		all = append(all, unseen(err)...)
	}
	found, err := f.p.Store.Forget(ctx, t, sessionmem.ForgetOptions{Dry: dry, Sessions: sessions, Since: since})
	if all = append(all, found...); ctx.Err() != nil {
		return all, err
	}
	return append(all, unseen(err)...), nil
}

// unseen reports a place that couldn't be searched completely; the others were.
func unseen(err error) []forgotten.Touched {
	if err == nil {
		return nil
	}
	return []forgotten.Touched{{Place: "folder", Action: forgotten.Refused, Why: wholefile.WhyNot(err)}}
}

// eraseIndex removes the touched sessions and files from the index, which then indexes the
// rest of them again.
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

// derived returns the sessions and files in the index that were made from what is touched.
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

// memoryPlace is the memory files, the inbox and the undo data.
type memoryPlace struct{ m *memory.Memory }

func (p memoryPlace) Forget(ctx context.Context, t *forgotten.Traces, dry bool) ([]forgotten.Touched, error) {
	return p.m.Forget(ctx, t, dry)
}
