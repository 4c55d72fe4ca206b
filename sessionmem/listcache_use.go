package sessionmem

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"strings"
	"time"
)

// loadList takes the cache's lines over, once.
func (s *Store) loadList() {
	if s.cache == nil {
		return
	}
	s.cacheRead.Do(func() {
		lines, err := s.cache.read()
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				s.logger.Debug("the list cache is not used and made anew", "err", err)
			}
			return
		}
		known := maps.Clone(lines)
		s.mu.Lock()
		defer s.mu.Unlock()
		maps.Copy(known, s.listed)
		s.listed, s.cached = known, lines
	})
}

// saveList brings the cache up to what was found, where that is worth it: many new
// lines, or one that may not stay.
func (s *Store) saveList(ctx context.Context, found []*listed) {
	if s.cache == nil {
		return
	}
	s.mu.Lock()
	fresh, stale := s.compareList(found)
	s.mu.Unlock()
	if len(fresh) < cacheAfter && len(stale) == 0 {
		return
	}
	err := s.cache.change(ctx, func(lines map[string]*listed) bool {
		for _, file := range stale {
			delete(lines, file)
		}
		for _, l := range fresh {
			if _, err := os.Lstat(l.info.Path); err == nil { // it may have been deleted since
				lines[l.file] = l
			}
		}
		s.mu.Lock()
		s.cached = maps.Clone(lines)
		s.mu.Unlock()
		return true
	})
	if err != nil {
		s.logger.Debug("the list cache could not be written, the next start reads all transcripts", "err", err)
	}
}

// compareList tells which lines the cache lacks, and which of its files are gone or
// show another title. The caller holds mu.
func (s *Store) compareList(found []*listed) (fresh []*listed, stale []string) {
	now := time.Now()
	there := 0
	renamed := renamedIn(found)
	for _, l := range found {
		old := s.cached[l.file]
		if old != nil {
			there++
		}
		switch {
		case l.info.Err != nil, renamed[l.Stem] > l.Part && (l.Part == 1 || l.noted != ""): // its title is not shown any more
			if old != nil {
				stale = append(stale, l.file)
			}
		case old == nil || old.stamp != l.stamp:
			line := s.forCache(l)
			if old != nil && (old.info.Title != line.info.Title || old.noted != line.noted || old.first != line.first) {
				stale = append(stale, l.file)
			}
			if l.stamp.Settled(now) {
				fresh = append(fresh, line)
			}
		}
	}
	if there < len(s.cached) {
		stale = append(stale, s.cachedBeside(found)...)
	}
	return fresh, stale
}

// cachedBeside gives the files that the cache knows and that were not found. The
// caller holds mu.
func (s *Store) cachedBeside(found []*listed) []string {
	names := make(map[string]bool, len(found))
	for _, l := range found {
		names[l.file] = true
	}
	var gone []string
	for file := range s.cached {
		if !names[file] {
			gone = append(gone, file)
		}
	}
	return gone
}

// renamedIn gives, of sessions that a later part gave another title, the last part
// that did.
func renamedIn(found []*listed) map[string]int {
	last := map[string]int{}
	for _, l := range found {
		if l.Part > 1 && l.noted != "" {
			last[l.Stem] = max(last[l.Stem], l.Part)
		}
	}
	return last
}

// forCache gives a line without what the list doesn't show: of a first part, or a
// later one behind a part with a title, what its first message said.
func (s *Store) forCache(l *listed) *listed {
	line := *l
	if l.Part == 1 {
		line.first = ""
		return &line
	}
	line.info.Title = ""
	if first := s.listed[strings.TrimSuffix(l.file, partFile(l.Stem, l.Part))+partFile(l.Stem, 1)]; first == nil || first.own {
		line.first = ""
	}
	return &line
}

// dropListed takes the lines of transcripts that are deleted out of the cache.
func (s *Store) dropListed(ctx context.Context, files []string) {
	s.mu.Lock()
	for _, file := range files {
		delete(s.listed, file)
	}
	s.mu.Unlock()
	if s.cache == nil {
		return
	}
	if _, err := os.Stat(s.cache.file); errors.Is(err, fs.ErrNotExist) {
		return
	}
	err := s.cache.change(context.WithoutCancel(ctx), func(lines map[string]*listed) bool {
		before := len(lines)
		for _, file := range files {
			delete(lines, file)
		}
		s.mu.Lock()
		s.cached = maps.Clone(lines)
		s.mu.Unlock()
		return len(lines) < before
	})
	if err == nil {
		return
	}
	if rerr := os.Remove(s.cache.file); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
		s.logger.Warn("the title of a deleted session may stay in the list cache; remove that file by hand", "file", s.cache.file, "err", errors.Join(err, rerr))
	}
}
