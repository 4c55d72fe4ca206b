package indexing

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/format"
)

// What Changed and SessionChanged tell of is taken up without a look at all the other
// files: with many thousands of them that look takes longer than all the rest. Where it
// isn't clear what changed, a file that is new or gone for one, they are all looked at.

// sessionTold stands before the name of a session among the paths that were told.
const sessionTold = "session:"

// Changed says that files changed (paths below the data folder, or absolute ones); Run
// takes them up at once. None means any: Run looks at all.
func (x *Indexer) Changed(paths ...string) {
	x.mu.Lock()
	x.any = x.any || len(paths) == 0
	for _, p := range paths {
		x.dirty[p] = true
	}
	x.mu.Unlock()
	x.Wake()
}

// Wake has Run look at once.
func (x *Indexer) Wake() {
	select {
	case x.changed <- struct{}{}:
	default:
	}
}

// SessionChanged says that sessions were written to, by their names; Run takes them up
// at once.
func (x *Indexer) SessionChanged(names ...string) {
	told := make([]string, len(names))
	for i, n := range names {
		told[i] = sessionTold + n
	}
	x.Changed(told...)
}

// syncTold takes up what was told; false: all has to be looked at, and nothing was done.
func (x *Indexer) syncTold(ctx context.Context) (Report, bool) {
	x.mu.Lock()
	ready := !x.any && len(x.dirty) > 0 && len(x.dirty) < manyFiles && x.known != 0
	x.mu.Unlock()
	if !ready || !x.cfg.File.Settled() {
		return Report{}, false
	}
	unlock, err := x.cfg.File.Lock(ctx)
	if err != nil {
		return Report{}, false
	}
	defer unlock()
	e, done, err := x.cfg.File.Use(ctx)
	if err != nil {
		return Report{}, false
	}
	defer done()
	x.mu.Lock()
	told := x.dirty
	x.dirty = map[string]bool{}
	x.mu.Unlock()
	begun := time.Now()
	report, ok := x.takeTold(ctx, e, told)
	if !ok {
		x.mu.Lock()
		defer x.mu.Unlock()
		for p := range told {
			x.dirty[p] = true
		}
		return Report{}, false
	}
	x.cfg.File.Settle()
	report.Took = time.Since(begun)
	return report, true
}

// takeTold takes up what was told, if that is clear. What goes wrong is left to whoever
// looks at all.
func (x *Indexer) takeTold(ctx context.Context, e *engine.Engine, told map[string]bool) (report Report, ok bool) {
	var todo []corpus.Source
	err := e.Read(ctx, func(now *engine.Snapshot) error {
		t := toldSources{x: x, now: now}
		todo, ok = t.find(told)
		return nil
	})
	if err == nil && ok {
		report, err = x.syncSome(ctx, e, todo)
	}
	if err == nil && ok {
		err = e.Tidy(ctx)
	}
	if err != nil {
		x.cfg.Logger.Debug("what was told to have changed was not taken up; all files are looked at", "err", err)
	}
	return report, ok && err == nil
}

// toldSources finds the sources of what was told.
type toldSources struct {
	x        *Indexer
	now      *engine.Snapshot
	found    []corpus.Source
	memories map[string]corpus.Source // nil: not asked for
}

// find gives the sources as they are now; false where a file is not known, or gone, or
// is none that is indexed.
func (t *toldSources) find(told map[string]bool) ([]corpus.Source, bool) {
	for path := range told {
		if name, ok := strings.CutPrefix(path, sessionTold); ok {
			if !t.session(name) {
				return nil, false
			}
			continue
		}
		if filepath.IsAbs(path) {
			rel, err := filepath.Rel(t.x.cfg.Corpus.Root, path)
			if err != nil {
				return nil, false
			}
			path = rel
		}
		path = filepath.ToSlash(path)
		file, ok := strings.CutPrefix(path, "session/")
		if ok && !t.file(file) || !ok && !t.memory(path) {
			return nil, false
		}
	}
	return t.found, true
}

// session takes a session with the files that are known of it, if one of them changed:
// else there may be a new one.
func (t *toldSources) session(name string) bool {
	if name == "" {
		return false // memory files have none
	}
	changed := false
	for _, k := range t.now.OfSession(name) {
		differs, ok := t.take(k)
		if !ok {
			return false
		}
		changed = changed || differs
	}
	return changed
}

// file takes the session of a transcript's file.
func (t *toldSources) file(file string) bool {
	k := t.now.Source("session/" + file)
	if k == nil || !holds(k, file) {
		all := t.now.Sources()
		at := slices.IndexFunc(all, func(k *engine.Source) bool { return k != nil && k.Session != "" && holds(k, file) })
		if at < 0 {
			return false
		}
		k = all[at]
	}
	_, ok := t.take(k)
	return ok
}

func holds(k *engine.Source, file string) bool {
	return slices.ContainsFunc(k.State.Files, func(f format.File) bool { return f.File == file })
}

// take takes a source with its files as they are now; ok is false where one of them is
// gone.
func (t *toldSources) take(k *engine.Source) (changed, ok bool) {
	if len(k.State.Files) == 0 || t.x.cfg.Corpus.Store.IsPrivate(k.Session) {
		return false, false
	}
	s := corpus.Source{Name: k.Name}
	for _, f := range k.State.Files {
		state, ok := t.x.cfg.Corpus.Store.Catalog().State(f.File)
		if !ok {
			return false, false
		}
		s.Files = append(s.Files, format.File(state))
	}
	changed = !slices.Equal(s.Files, k.State.Files)
	if changed && !slices.ContainsFunc(t.found, func(f corpus.Source) bool { return f.Key == s.Key }) {
		t.found = append(t.found, s)
	}
	return changed, true
}

// memory takes a memory file.
func (t *toldSources) memory(path string) bool {
	k := t.now.Source(path)
	if k == nil || k.Session != "" {
		return false
	}
	if t.memories == nil {
		all, err := t.x.cfg.Corpus.Memories()
		if err != nil {
			return false
		}
		t.memories = map[string]corpus.Source{}
		for _, s := range all {
			t.memories[s.Key] = s
		}
	}
	s, ok := t.memories[path]
	if ok && !slices.Equal(s.Files, k.State.Files) {
		t.found = append(t.found, s)
	}
	return ok
}
