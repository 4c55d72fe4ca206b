package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
)

// lookChunk is how many files a goroutine takes at a time.
const lookChunk = 256

// Resolve finds the session name for what a person typed: source+"-"+name if that exists,
// otherwise the session of exactly that name; upper case is tried as lower case too. Otherwise
// it returns ErrNotFound with a list of similar names.
func (c *Catalog) Resolve(ctx context.Context, source, name string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	names, err := c.names()
	if err != nil {
		return "", err
	}
	small := strings.ToLower(name)
	for _, exact := range []string{source + "-" + name, name, source + "-" + small, small} {
		if _, ok := slices.BinarySearch(names, exact); ok {
			return exact, nil
		}
	}
	similar := slices.DeleteFunc(names, func(n string) bool { return small == "" || !strings.Contains(n, small) })
	if len(similar) == 0 {
		return "", fmt.Errorf("%w: %q; `mac-stats sessions list` shows them all", ErrNotFound, name)
	}
	more := ""
	if n := len(similar) - maxSimilar; n > 0 {
		similar, more = similar[:maxSimilar], fmt.Sprintf(" and %d more", n)
	}
	return "", fmt.Errorf("%w: %q; similar names: %s%s", ErrNotFound, name, strings.Join(similar, ", "), more)
}

// maxSimilar is how many similar names an error lists.
const maxSimilar = 5

// List returns all sessions, archived ones included, last active first. A bad file never hides the others.
func (c *Catalog) List(ctx context.Context) ([]transcript.Info, error) {
	var loading sync.WaitGroup
	loading.Go(c.loadList)
	all, err := c.files()
	loading.Wait()
	if err != nil {
		if len(all) == 0 {
			return nil, err
		}
		c.logger.Warn("not all sessions are listed", "err", err)
	}
	found, err := c.readAll(ctx, all)
	if err == nil && c.cleanListed(ctx, found) {
		if all, err = c.files(); err == nil {
			found, err = c.readAll(ctx, all)
		}
	}
	if err != nil {
		return nil, err
	}
	var keeping sync.WaitGroup
	keeping.Go(func() {
		c.forgetListed(all)
		c.saveList(ctx, found)
	})
	defer keeping.Wait()
	held := c.held()
	infos := make([]*transcript.Info, 0, len(held)+len(all))
	for i := range held {
		infos = append(infos, &held[i])
	}
	trash := c.deletions()
	for _, files := range bySession(all) {
		infos = c.infosOf(infos, files, all, found, trash)
	}
	return lastActiveFirst(infos), nil
}

// lastActiveFirst returns the sorted list. It sorts small keys and copies each Info once: an
// Info is too large to be moved around.
func lastActiveFirst(infos []*transcript.Info) []transcript.Info {
	type key struct {
		active int64 // seconds: blocks have no finer time
		at     int
	}
	keys := make([]key, len(infos))
	for i := range infos {
		keys[i] = key{infos[i].Active.Unix(), i}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if n := cmp.Compare(b.active, a.active); n != 0 {
			return n
		}
		return cmp.Or(cmp.Compare(infos[a.at].Name, infos[b.at].Name), cmp.Compare(infos[a.at].Path, infos[b.at].Path))
	})
	out := make([]transcript.Info, len(infos))
	for i, k := range keys {
		out[i] = *infos[k.at]
	}
	return out
}

// readAll finds out about all files on several goroutines: most of what a list costs is
// reading the times of thousands of files.
func (c *Catalog) readAll(ctx context.Context, all []Entry) ([]*listed, error) {
	found := make([]*listed, len(all))
	folders := c.openFolders(all)
	defer folders.close()
	var next atomic.Int64
	var work sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 1+len(all)/lookChunk) {
		work.Go(func() {
			for ctx.Err() == nil {
				from := int(next.Add(lookChunk)) - lookChunk
				if from >= len(all) {
					return
				}
				to := min(from+lookChunk, len(all))
				c.copyKnown(all[from:to], found[from:to])
				for i := from; i < to; i++ {
					if folders.unchanged(all[i].File, found[i]) {
						all[i] = found[i].Entry
						continue
					}
					all[i] = c.EntryOf(all[i].File)
					found[i] = c.fileInfo(all[i])
				}
			}
		})
	}
	work.Wait()
	return found, ctx.Err()
}

// sameSession groups the files of one session name, as indexes of a list.
type sameSession struct {
	first int
	more  []int
}

// bySession groups files by their session's name.
func bySession(all []Entry) []sameSession {
	at := make(map[string]int, len(all))
	groups := make([]sameSession, 0, len(all))
	for i, e := range all {
		n, ok := at[e.Session]
		if !ok {
			at[e.Session] = len(groups)
			groups = append(groups, sameSession{first: i})
			continue
		}
		groups[n].more = append(groups[n].more, i)
	}
	return groups
}

// infosOf adds the entries of a session: its own, and those of copies and older files.
func (c *Catalog) infosOf(infos []*transcript.Info, files sameSession, all []Entry, found []*listed, trash deletions) []*transcript.Info {
	if first := all[files.first]; len(files.more) == 0 && first.Part == 1 && !first.MayBeCopy() && trash[first.Session] == nil {
		return append(infos, &found[files.first].info)
	}
	entries := []Entry{all[files.first]}
	for _, i := range files.more {
		entries = append(entries, all[i])
	}
	parts, others := c.ownedBy(entries, trash)
	if len(parts) > 0 {
		whole := c.Info(parts)
		infos = append(infos, &whole)
	}
	for _, set := range others {
		info := c.Info(set.Files)
		info.ReadOnly, info.Copy = true, set.Copy
		infos = append(infos, &info)
	}
	return infos
}

// cleanListed cleans sessions whose files could not be read because they hold what was
// forgotten. It reports whether there were any.
func (c *Catalog) cleanListed(ctx context.Context, found []*listed) bool {
	names := map[string]bool{}
	for _, l := range found {
		if errors.Is(l.info.Err, sieve.ErrHoldsForgotten) {
			names[l.Session] = true
		}
	}
	for name := range names {
		if err := c.clean(ctx, name); err != nil {
			c.logger.Warn("what was forgotten came back in a session's files and can't be taken out", "session", name, "err", err)
		}
	}
	return len(names) > 0
}
