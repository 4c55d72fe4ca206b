package catalog

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
)

// loadList loads the cache's entries, once.
func (c *contents) loadList() {
	if c.cache == nil {
		return
	}
	c.cacheRead.Do(func() {
		lines, err := c.cache.read()
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				c.logger.Debug("the list cache is not used and made anew", "err", err)
			}
			return
		}
		known := maps.Clone(lines)
		c.mu.Lock()
		defer c.mu.Unlock()
		maps.Copy(known, c.listed)
		c.listed, c.cached = known, lines
	})
}

// saveList updates the cache with what was found if that is worth it: for many new entries, or
// for one that must not stay.
func (c *contents) saveList(ctx context.Context, found []*listed) {
	if c.cache == nil {
		return
	}
	c.mu.Lock()
	fresh, stale := c.compareList(found)
	c.mu.Unlock()
	if len(fresh) < cacheAfter && len(stale) == 0 {
		return
	}
	err := c.cache.change(ctx, func(lines map[string]*listed) bool {
		for _, file := range stale {
			delete(lines, file)
		}
		for _, l := range fresh {
			if _, err := os.Lstat(l.info.Path); err == nil { // it may have been deleted since
				lines[l.File] = l
			}
		}
		c.mu.Lock()
		c.cached = maps.Clone(lines)
		c.mu.Unlock()
		return true
	})
	if err != nil {
		c.logger.Debug("the list cache could not be written, the next start reads all transcripts", "err", err)
	}
}

// compareList returns the entries the cache lacks, and its files that are gone or show another
// title. The caller holds mu.
func (c *contents) compareList(found []*listed) (fresh []*listed, stale []string) {
	now := time.Now()
	there := 0
	renamed := renamedIn(found)
	for _, l := range found {
		old := c.cached[l.File]
		if old != nil {
			there++
		}
		switch {
		case l.info.Err != nil, renamed[l.Stem] > l.Part && (l.Part == 1 || l.noted != ""): // its title is no longer shown
			if old != nil {
				stale = append(stale, l.File)
			}
		case old == nil || old.stamp != l.stamp:
			line := c.forCache(l)
			if old != nil && (old.info.Title != line.info.Title || old.noted != line.noted || old.first != line.first) {
				stale = append(stale, l.File)
			}
			if l.stamp.Settled(now) {
				fresh = append(fresh, line)
			}
		}
	}
	if there < len(c.cached) {
		stale = append(stale, c.cachedMissing(found)...)
	}
	return fresh, stale
}

// cachedMissing returns the files that are in the cache but were not found. The caller holds
// mu.
func (c *contents) cachedMissing(found []*listed) []string {
	names := make(map[string]bool, len(found))
	for _, l := range found {
		names[l.File] = true
	}
	var gone []string
	for file := range c.cached {
		if !names[file] {
			gone = append(gone, file)
		}
	}
	return gone
}

// renamedIn returns, for sessions that a later part gave another title, the last part that
// did.
func renamedIn(found []*listed) map[string]int {
	last := map[string]int{}
	for _, l := range found {
		if l.Part > 1 && l.noted != "" {
			last[l.Stem] = max(last[l.Stem], l.Part)
		}
	}
	return last
}

// forCache returns an entry without titles that the list doesn't show: those of later parts,
// and the one made of a part's first message unless the session gets its title from it.
func (c *contents) forCache(l *listed) *listed {
	line := *l
	if l.Part == 1 {
		line.first = ""
		return &line
	}
	line.info.Title = ""
	if first := c.listed[strings.TrimSuffix(l.File, transcript.PartFile(l.Stem, l.Part))+transcript.PartFile(l.Stem, 1)]; first == nil || first.own {
		line.first = ""
	}
	return &line
}

// Drop removes the entries of deleted transcripts from the cache.
func (c *contents) Drop(ctx context.Context, files []string) {
	c.mu.Lock()
	for _, file := range files {
		delete(c.listed, file)
	}
	c.mu.Unlock()
	if c.cache == nil {
		return
	}
	if _, err := os.Stat(c.cache.file); errors.Is(err, fs.ErrNotExist) {
		return
	}
	err := c.cache.change(context.WithoutCancel(ctx), func(lines map[string]*listed) bool {
		before := len(lines)
		for _, file := range files {
			delete(lines, file)
		}
		c.mu.Lock()
		c.cached = maps.Clone(lines)
		c.mu.Unlock()
		return len(lines) < before
	})
	if err == nil {
		return
	}
	if rerr := os.Remove(c.cache.file); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
		c.logger.Warn("the title of a deleted session may stay in the list cache; remove that file by hand", "file", c.cache.file, "err", errors.Join(err, rerr))
	}
}
