package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
)

// The passages of this machine are copied to the server in the background. The index itself is
// the queue: the sums of the prints show what the server lacks, so nothing is lost while the
// server is away, and each batch that arrived stays there.

const (
	// copyPassages is the approximate number of passages per request, copyVectors that of vectors.
	copyPassages = 512
	copyVectors  = 256
	// copyEvery is how often the server is compared if nothing changed.
	copyEvery = time.Minute
)

// Copied counts what a copy did.
type Copied struct {
	Sources  int // changed or removed
	Passages int // put
	Vectors  int
}

// mirror keeps the server in step with the index of this machine.
type mirror struct {
	cfg       *Config
	corpus    *corpus.Corpus
	file      *index.File
	behind    chan struct{} // 1 place: the index may lack something
	analyzers *analysis.Pool
	asker     *serverAsker
	wake      chan struct{} // 1 place: the server may lack something
	mu        sync.Mutex    // serialises copies
}

// run keeps the server up to date with the index until ctx ends.
func (m *mirror) run(ctx context.Context) {
	if m.cfg.Server == nil {
		return
	}
	repeat(ctx, m.wake, func() (time.Duration, error) {
		if server, err := m.asker.server(); server == nil && err == nil {
			return copyEvery, nil
		}
		_, err := m.copy(ctx)
		if ctx.Err() == nil {
			if m.asker.note(err); err != nil {
				m.cfg.Logger.Info("the memory server could not be brought up to date; it is tried again", "err", err)
			}
		}
		return copyEvery, err
	})
}

// copy implements Index.Copy.
func (m *mirror) copy(ctx context.Context) (out Copied, err error) {
	server, err := m.asker.server()
	if err == nil && server == nil {
		err = fmt.Errorf("%w: none is set (recall.backend)", ErrServer)
	}
	if err != nil {
		return out, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cfg.BeforeCopy != nil {
		if err := m.cfg.BeforeCopy(ctx, server); err != nil {
			return out, err
		}
	}
	sums, last := map[string]int64{}, map[string]int64{}
	whole := false // else the index lacks some only because it is being built
	err = m.file.Read(ctx, func(now *index.Snapshot) error {
		at, err := now.Synced(ctx)
		whole = !at.IsZero()
		for _, k := range now.Sources() {
			sum := int64(0)
			k.EachHead(func(number int, hash uint64, at int64) { sum += printOf(number, hash, at) })
			sums[k.Key], last[k.Key] = sum, k.Last
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil // there is no index yet
	}
	if err != nil {
		return out, err
	}
	var keep []string
	if !whole {
		found, err := m.corpus.Sources(ctx)
		if err != nil {
			return out, err
		}
		for _, s := range found {
			keep = append(keep, s.Key)
		}
	}
	differ, dropped, err := server.Compare(ctx, sums, keep)
	if err != nil {
		return out, err
	}
	c := &copying{mirror: m, server: server}
	c.out.Sources = dropped
	todo := make([]string, 0, len(differ))
	for key := range differ {
		todo = append(todo, key)
	}
	slices.SortFunc(todo, func(a, b string) int { return cmp.Or(cmp.Compare(last[b], last[a]), cmp.Compare(a, b)) }) // newest first
	for _, key := range todo {
		if err := c.source(ctx, key, differ[key]); err != nil {
			return c.out, err
		}
	}
	if err := c.flush(ctx); err != nil {
		return c.out, err
	}
	if len(c.forgotten) > 0 && m.cfg.ForgottenElsewhere != nil {
		if err := m.cfg.ForgottenElsewhere(ctx, c.forgotten); err != nil {
			return c.out, err
		}
	}
	return c.out, c.vectors(ctx)
}

// printOf returns the print of a passage: it is the same in every process as long as its text, time,
// place and analysis are. A sum of many fits into 63 bits.
func printOf(number int, hash uint64, at int64) int64 {
	version := uint64(analysis.Version)
	h := hash ^ uint64(at)*0x9E3779B97F4A7C15 ^ uint64(number)*0xC2B2AE3D27D4EB4F ^ version*0x165667B19E3779F9 //nolint:gosec // bits are what is wanted
	h ^= h >> 29
	h *= 0xBF58476D1CE4E5B9
	return int64(h >> 24) //nolint:gosec // 40 bits
}

// copying is a copy in progress.
type copying struct {
	*mirror
	server    Server
	batch     []ServerPassage
	gone      []ServerPlace
	forgotten []corpus.Chunk // by other machines
	out       Copied
}

// source copies the changes of one source; there reports whether the server holds some of it.
func (c *copying) source(ctx context.Context, key string, there bool) (err error) {
	was := map[int]int64{}
	if there {
		if was, err = c.server.Prints(ctx, key); err != nil {
			return err
		}
	}
	type passage struct {
		ServerPassage
		place corpus.Place
	}
	var fresh []passage
	err = c.file.Read(ctx, func(now *index.Snapshot) error {
		fresh = nil
		k := now.Source(key)
		if k == nil {
			return nil
		}
		prints := map[int]int64{}
		k.EachHead(func(number int, hash uint64, at int64) { prints[number] = printOf(number, hash, at) })
		return now.Each(ctx, k, func(at uint32, d *index.Passage) error {
			number := now.Number(at)
			print, ok := was[number]
			delete(was, number)
			if ok && print == prints[number] {
				return nil
			}
			p := passage{ServerPassage: ServerPassage{ServerPlace: ServerPlace{key, number}, Print: prints[number], Hash: d.Hash}}
			p.Chunk, p.place = corpus.ChunkOf(d, &k.Source)
			fresh = append(fresh, p)
			return nil
		})
	})
	if err != nil || len(fresh)+len(was) == 0 {
		return err
	}
	c.out.Sources++
	for number := range was {
		c.gone = append(c.gone, ServerPlace{key, number})
	}
	r := c.corpus.Texts()
	defer r.Close()
	a := c.analyzers.Get()
	defer c.analyzers.Put(a)
	for i := range fresh {
		p := fresh[i].ServerPassage
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.Text, err = r.Read(ctx, p.Chunk, fresh[i].place); err != nil {
			c.cfg.Logger.Debug("a passage can't be read for the memory server", "err", err)
			nudge(c.behind) // the index may have to read its file again first
			continue
		}
		if p.Sources = r.Sources; c.corpus.IsForgotten(&p.Chunk) {
			continue
		}
		p.Terms = slices.Clone(a.Chunk(p.Text, p.Time).Freqs)
		c.batch = append(c.batch, p)
		if len(c.batch)+len(c.gone) >= copyPassages {
			if err := c.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush puts the batch.
func (c *copying) flush(ctx context.Context) error {
	if len(c.batch)+len(c.gone) == 0 {
		return nil
	}
	forgotten, err := c.server.Put(ctx, c.batch, c.gone)
	if err != nil {
		return err
	}
	for _, i := range forgotten {
		c.forgotten = append(c.forgotten, c.batch[i].Chunk)
	}
	c.out.Passages += len(c.batch) - len(forgotten)
	c.batch, c.gone = nil, nil
	return nil
}

// vectors puts the vectors of passages that the server holds without one.
func (c *copying) vectors(ctx context.Context) error {
	if c.cfg.Embedder == nil {
		return nil
	}
	m, err := c.cfg.Embedder.Model(ctx)
	if err != nil {
		return nil //nolint:nilerr // without a model there are no vectors to put
	}
	var dims int
	err = c.file.Read(ctx, func(now *index.Snapshot) (err error) {
		_, dims, err = now.VectorsOf(ctx, m, nil)
		return err
	})
	if m.Dims = dims; err != nil || dims == 0 {
		return err
	}
	for after := int64(0); ; {
		some, err := c.server.Unembedded(ctx, m, after, copyVectors)
		if err != nil || len(some) == 0 {
			return err
		}
		after = some[len(some)-1].Entry
		hashes := make([]uint64, len(some))
		for i, u := range some {
			hashes[i] = u.Hash
		}
		var made [][]float32
		err = c.file.Read(ctx, func(now *index.Snapshot) (err error) {
			made, _, err = now.VectorsOf(ctx, m, hashes)
			return err
		})
		if err != nil {
			return err
		}
		var entries []int64
		var vectors [][]float32
		for i, v := range made {
			if v != nil {
				entries, vectors = append(entries, some[i].Entry), append(vectors, v)
			}
		}
		if len(entries) == 0 {
			continue
		}
		if err := c.server.PutVectors(ctx, m, entries, vectors); err != nil {
			return err
		}
		c.out.Vectors += len(entries)
	}
}
