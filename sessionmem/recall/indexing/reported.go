package indexing

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
)

// Files and sessions passed to Changed and SessionChanged are indexed without checking all
// others: with many thousands of files that check takes longer than the rest. If it isn't
// clear what changed, for example because a file is new or gone, all are checked.

// sessionPrefix marks the name of a session among the reported paths.
const sessionPrefix = "session:"

// Changed reports changed files (paths below the data folder, or absolute ones); Run
// indexes them at once. Without arguments Run checks all files.
func (x *Indexer) Changed(paths ...string) {
	x.mu.Lock()
	x.any = x.any || len(paths) == 0
	for _, p := range paths {
		x.dirty[p] = true
	}
	x.mu.Unlock()
	x.Wake()
}

// Wake makes Run check for changes at once.
func (x *Indexer) Wake() {
	select {
	case x.changed <- struct{}{}:
	default:
	}
}

// SessionChanged reports sessions that were written to, by name; Run indexes them at once.
func (x *Indexer) SessionChanged(names ...string) {
	reported := make([]string, len(names))
	for i, n := range names {
		reported[i] = sessionPrefix + n
	}
	x.Changed(reported...)
}

// syncReported indexes what was reported. It returns false without doing anything if all
// files have to be checked.
func (x *Indexer) syncReported(ctx context.Context) (Report, bool) {
	x.mu.Lock()
	ready := !x.any && len(x.dirty) > 0 && len(x.dirty) < manyFiles && x.known != 0
	x.mu.Unlock()
	if !ready || !x.cfg.File.IsCurrent() {
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
	reported := x.dirty
	x.dirty = map[string]bool{}
	x.mu.Unlock()
	begun := time.Now()
	report, ok := x.indexReported(ctx, e, reported)
	if !ok {
		x.mu.Lock()
		defer x.mu.Unlock()
		for p := range reported {
			x.dirty[p] = true
		}
		return Report{}, false
	}
	x.cfg.File.MarkCurrent()
	report.Took = time.Since(begun)
	return report, true
}

// indexReported indexes what was reported if that identifies the sources. Errors are left
// to the check of all files.
func (x *Indexer) indexReported(ctx context.Context, e *index.Index, reported map[string]bool) (report Report, ok bool) {
	var todo []corpus.Source
	err := e.Read(ctx, func(now *index.Snapshot) error {
		t := reportedSources{x: x, now: now}
		todo, ok = t.find(reported)
		return nil
	})
	if err == nil && ok {
		report.Files = len(todo)
		err = x.indexSources(ctx, e, todo, nil, &report)
	}
	if err != nil {
		x.cfg.Logger.Debug("the reported changes could not be indexed; all files are checked", "err", err)
	}
	return report, ok && err == nil
}

// reportedSources finds the sources of reported changes.
type reportedSources struct {
	x        *Indexer
	now      *index.Snapshot
	found    []corpus.Source
	memories map[string]corpus.Source // nil: not listed yet
}

// find returns the sources as they are now; false if a file is unknown, gone or not
// indexed.
func (t *reportedSources) find(reported map[string]bool) ([]corpus.Source, bool) {
	for path := range reported {
		if name, ok := strings.CutPrefix(path, sessionPrefix); ok {
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

// session adds a session with its known files. It reports false if none of them changed:
// then there may be a new one.
func (t *reportedSources) session(name string) bool {
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

// file adds the session of a transcript file.
func (t *reportedSources) file(file string) bool {
	k := t.now.Source("session/" + file)
	if k == nil || !holds(k, file) {
		all := t.now.Sources()
		at := slices.IndexFunc(all, func(k *index.Indexed) bool { return k.Session != "" && holds(k, file) })
		if at < 0 {
			return false
		}
		k = all[at]
	}
	_, ok := t.take(k)
	return ok
}

func holds(k *index.Indexed, file string) bool { return slices.Contains(k.Files, file) }

// take adds a source with its files as they are now; ok is false if one of them is gone.
func (t *reportedSources) take(k *index.Indexed) (changed, ok bool) {
	s, ok := t.x.cfg.Corpus.Now(&k.Source)
	if !ok || len(k.Files) == 0 || t.x.cfg.Corpus.Store.IsPrivate(k.Session) {
		return false, false
	}
	changed = s.Stamp() != k.Stamp
	if changed && !slices.ContainsFunc(t.found, func(f corpus.Source) bool { return f.Key == s.Key }) {
		t.found = append(t.found, s)
	}
	return changed, true
}

// memory adds a memory file.
func (t *reportedSources) memory(path string) bool {
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
	if ok && s.Stamp() != k.Stamp {
		t.found = append(t.found, s)
	}
	return ok
}
