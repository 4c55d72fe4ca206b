package recall

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Erase takes chunks, whole sessions and whole files (paths below the data folder) out
// of the index, physically: when it returns, no byte of them is left in its files, nor
// of any other chunk that was taken out before. What the index doesn't hold is no error.
// The names of files stay with what is left of them; where a name has to go, erase the
// session and rename the file. ErrBusy where another process writes it all the time.
func (x *Index) Erase(ctx context.Context, ids, sessions, files []string) error {
	unlock, err := x.lockSoon(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	e, done, err := x.use(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return x.eraseUnfinished()
	}
	if err != nil { // of another version, or damaged: nothing of it is worth keeping
		return errors.Join(x.eraseUnfinished(), x.discard())
	}
	defer done()
	if err := x.erase(ctx, e, ids, sessions, files); err != nil {
		return err
	}
	return x.eraseUnfinished()
}

// lockSoon is lock that gives up with ErrBusy.
func (x *Index) lockSoon(ctx context.Context) (unlock func(), err error) {
	wait, cancel := context.WithTimeout(ctx, x.cfg.ErasePatience)
	defer cancel()
	unlock, err = x.lock(wait)
	if err != nil && wait.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: it is being written", ErrBusy)
	}
	return unlock, err
}

// eraseUnfinished removes an index that is being built: it begins anew. The caller
// holds the writers' lock, so nobody builds it now.
func (x *Index) eraseUnfinished() error { return removeIndex(filepath.Join(x.cfg.CacheDir, newFile)) }

// discard removes the index.
func (x *Index) discard() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	err := x.drop()
	x.mended()
	return errors.Join(err, removeIndex(x.path))
}

func (x *Index) erase(ctx context.Context, e *engine, ids, sessions, files []string) error {
	if err := e.snapshot(ctx, func(queryer, *view) error { return nil }); err != nil {
		return err
	}
	var report Report
	w, err := newWriter(ctx, x, e, &report)
	if err != nil {
		return err
	}
	c := &change{writer: w, v: e.current(), dead: map[*part][]uint32{}, erase: true}
	if err := c.choose(ctx, ids, sessions, files); err != nil {
		return err
	}
	if err := c.write(ctx); err != nil {
		return err
	}
	e.apply(c)
	e.vectors.forget()
	x.mu.Lock()
	x.looked, x.known = time.Time{}, 0 // what is left of the sources is compared with their files again
	x.mu.Unlock()
	return e.db.truncateLog(ctx)
}

// choose finds what to erase.
func (c *change) choose(ctx context.Context, ids, sessions, files []string) error {
	f := newFetcher(c.e.db, c.v)
	for _, k := range c.v.sources {
		if k == nil || k.gone {
			continue
		}
		if k.session != "" && slices.Contains(sessions, k.session) || k.allIn(files) {
			c.gone = append(c.gone, k.key)
		}
	}
	for _, id := range ids {
		err := c.v.find(ctx, f, id, func(at uint32, _ document, k *known) {
			if !slices.Contains(c.gone, k.key) {
				key, seq := c.v.lay.strandAt(k.id, at)
				c.kill(key, seq)
				c.touched = append(c.touched, k)
			}
		})
		if err != nil {
			return err
		}
	}
	return c.chooseFiles(ctx, f, files)
}

// allIn says whether all of a source's files are among these.
func (k *known) allIn(files []string) bool {
	return len(k.state.files) > 0 && !slices.ContainsFunc(k.paths(), func(p string) bool { return !slices.Contains(files, p) })
}

// paths are the source's files, below the data folder.
func (k *known) paths() []string {
	out := make([]string, len(k.state.files))
	for i, f := range k.state.files {
		out[i] = f.File
		if k.session != "" {
			out[i] = path.Join("session", f.File)
		}
	}
	return out
}

// chooseFiles finds the chunks of single files of sessions that have several.
func (c *change) chooseFiles(ctx context.Context, f *fetcher, files []string) error {
	for _, k := range c.v.byID {
		if slices.Contains(c.gone, k.key) || !slices.ContainsFunc(k.paths(), func(p string) bool { return slices.Contains(files, p) }) {
			continue
		}
		paths := k.paths()
		err := c.v.eachOf(k, func(at uint32, strand, seq int) error {
			d, _, err := f.document(ctx, at)
			if err == nil && d.file < len(paths) && slices.Contains(files, paths[d.file]) {
				c.kill(strandKey{k.id, uint8(strand)}, uint32(seq)) //nolint:gosec // small
				c.touched = append(c.touched, k)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// strandAt tells which place of a source a position is.
func (l *layout) strandAt(source int64, at uint32) (strandKey, uint32) {
	for strand := range uint8(strands) {
		key := strandKey{source, strand}
		if s := l.strands[key]; s != nil && at >= s.base && at < s.base+s.size {
			return key, at - s.base
		}
	}
	return strandKey{}, 0
}

// find finds the documents of a chunk's id.
func (v *view) find(ctx context.Context, f *fetcher, id string, found func(at uint32, d document, k *known)) error {
	session, _, _ := strings.Cut(id, "/")
	for _, k := range slices.Concat(v.bySession[session], v.bySession[""]) {
		if k.session == "" && !strings.HasPrefix(id, "memory/"+k.key+"/") {
			continue
		}
		err := v.eachOf(k, func(at uint32, _, _ int) error {
			d, _, err := f.document(ctx, at)
			if err != nil {
				return err
			}
			if c, _ := d.chunk(k); c.ID == id {
				found(at, d, k)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
