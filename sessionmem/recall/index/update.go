package index

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/analysis"
)

// Update puts sources into the index, each in place of what it holds of it, and removes others by
// their keys, in one transaction. A few hundred sources at a time are a good measure. Passages that
// have the text and the time they had keep their rows; Update returns how many are new.
func (x *Index) Update(ctx context.Context, put []Entry, gone []string) (added int, err error) {
	if x.older {
		return 0, fmt.Errorf("writing to the search index: %w", ErrOther)
	}
	removed := false
	err = x.change(ctx, func(w *writer) error {
		for _, key := range gone {
			if err := w.remove(ctx, key); err != nil {
				return err
			}
		}
		for i := range put {
			if err := w.put(ctx, &put[i]); err != nil {
				return err
			}
			added += len(w.puts[i].fresh)
		}
		removed = len(w.drop) > 0
		return nil
	})
	if err != nil {
		return 0, err
	}
	if err := x.finishErasing(ctx); err != nil && !errors.Is(err, ErrPending) {
		return added, err
	}
	if removed { // text that was deleted shouldn't stay in the log for long
		if err := x.EmptyLog(ctx); err != nil && !errors.Is(err, ErrPending) {
			return added, err
		}
	}
	return added, nil
}

// SetSynced records when the index was up to date with its files.
func (x *Index) SetSynced(ctx context.Context, at time.Time) error {
	return x.inTx(ctx, func(tx *sql.Tx) error { return setMeta(ctx, tx, metaSynced, at.Unix()) })
}

// Erase removes whole sources, by their keys, and single passages, so that no byte of their words
// is left in the file and its log. It ignores what the index doesn't hold. A source that loses a
// passage has no stamp, so it is compared with its files again.
func (x *Index) Erase(ctx context.Context, sources []string, places []Place) error {
	err := x.change(ctx, func(w *writer) error {
		for _, key := range sources {
			if err := w.remove(ctx, key); err != nil {
				return err
			}
		}
		bySource := map[string][]Place{}
		for _, p := range places {
			bySource[p.Source] = append(bySource[p.Source], p)
		}
		for key, places := range bySource {
			if err := w.erase(ctx, key, places); err != nil {
				return err
			}
		}
		return setMeta(ctx, w.tx, metaErasing, 1)
	})
	if err != nil {
		return err
	}
	return x.finishErasing(ctx)
}

// finishErasing empties the log if something was erased since that was done.
func (x *Index) finishErasing(ctx context.Context) error {
	erasing := false
	if err := x.write.QueryRowContext(ctx, "SELECT value FROM meta WHERE key=?", metaErasing).Scan(&erasing); err != nil {
		return explain(err)
	}
	if !erasing {
		return nil
	}
	if err := x.EmptyLog(ctx); err != nil {
		return err
	}
	return x.inTx(ctx, func(tx *sql.Tx) error { return setMeta(ctx, tx, metaErasing, 0) })
}

// EmptyLog writes the log to the file and empties it. It fails with ErrPending while a reader needs
// the log.
func (x *Index) EmptyLog(ctx context.Context) error {
	var busy, frames, done int
	if err := x.write.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &done); err != nil {
		if err = explain(err); errors.Is(err, ErrBusy) {
			return ErrPending
		}
		return err
	}
	if busy != 0 {
		return ErrPending
	}
	return nil
}

// writer is a transaction that changes passages.
type writer struct {
	x       *Index
	tx      *sql.Tx
	change  int64
	puts    []*pending
	drop    map[int][]bool  // by number of a strand: the passages whose postings go
	hashes  map[uint64]bool // of their texts
	removed bool            // a whole source
	sources int             // how many more there are
}

// pending is a source that is to be written.
type pending struct {
	*Source
	id    int
	now   passages
	fresh []posting // the passages whose terms the index lacks, without counts
	terms map[string][]posting
}

// change calls do in a transaction and writes what it gathered.
func (x *Index) change(ctx context.Context, do func(w *writer) error) error {
	return x.inTx(ctx, func(tx *sql.Tx) error {
		w := &writer{x: x, tx: tx, drop: map[int][]bool{}, hashes: map[uint64]bool{}}
		if err := tx.QueryRowContext(ctx, "UPDATE meta SET value=value+1 WHERE key=? RETURNING value", metaChange).Scan(&w.change); err != nil {
			return err
		}
		if err := do(w); err != nil {
			return err
		}
		w.analyze(ctx)
		if err := w.writePostings(ctx); err != nil {
			return err
		}
		if err := w.writeSources(ctx); err != nil {
			return err
		}
		if err := w.dropVectors(ctx); err != nil {
			return err
		}
		if w.removed {
			if err := setMeta(ctx, tx, metaRemoved, w.change); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "UPDATE meta SET value=value+? WHERE key=?", w.sources, metaSources)
		return err
	})
}

// stored reads the passages of a source; id is 0 if there is none.
func (w *writer) stored(ctx context.Context, key string) (id int, all passages, err error) {
	var heads, details []byte
	err = w.tx.QueryRowContext(ctx, "SELECT id, heads, details FROM source WHERE key=?", key).Scan(&id, &heads, &details)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, all, nil
	}
	if err == nil {
		heads, err = unseal(heads, key)
	}
	var decoded [Strands][]head
	if err == nil {
		decoded, err = decodeHeads(heads)
	}
	if err == nil {
		all, err = decodePassages(key, decoded, details)
	}
	return id, all, err
}

// dropPassage removes the postings of a passage.
func (w *writer) dropPassage(id int, all *passages, s Strand, i int) {
	strand := id*int(Strands) + int(s)
	if w.drop[strand] == nil {
		w.drop[strand] = make([]bool, len(all[s]))
	}
	w.drop[strand][i] = true
	w.hashes[all[s][i].Hash] = true
}

// remove removes a source.
func (w *writer) remove(ctx context.Context, key string) error {
	id, old, err := w.stored(ctx, key)
	if err != nil || id == 0 {
		return err
	}
	old.each(func(s Strand, i int, p *Passage) {
		if p.Hash != 0 {
			w.dropPassage(id, &old, s, i)
		}
	})
	w.removed = true
	w.sources--
	_, err = w.tx.ExecContext(ctx, "DELETE FROM source WHERE id=?", id)
	return err
}

// erase removes passages of a source.
func (w *writer) erase(ctx context.Context, key string, places []Place) error {
	id, all, err := w.stored(ctx, key)
	if err != nil || id == 0 {
		return err
	}
	for _, p := range places {
		if p.Strand < Strands && p.Number >= 0 && p.Number < len(all[p.Strand]) && all[p.Strand][p.Number].Hash != 0 {
			w.dropPassage(id, &all, p.Strand, p.Number)
			all[p.Strand][p.Number] = Passage{Strand: p.Strand}
		}
	}
	of := Source{Name: Name{Key: key}}
	var about []byte
	if err := w.tx.QueryRowContext(ctx, "SELECT stamp, about FROM source WHERE id=?", id).Scan(&of.Stamp, &about); err != nil {
		return err
	}
	if err := of.decode(about); err != nil {
		return err
	}
	of.Stamp = ""
	return w.writeSource(ctx, id, &of, &all)
}

// put gathers what is to be written of a source.
func (w *writer) put(ctx context.Context, e *Entry) error {
	id, old, err := w.stored(ctx, e.Key)
	if err != nil {
		return err
	}
	if id == 0 {
		err := w.tx.QueryRowContext(ctx, "INSERT INTO source(key, stamp, change, about, heads, details) VALUES(?, '', 0, x'', x'', x'') RETURNING id", e.Key).Scan(&id)
		if err != nil {
			return err
		}
		w.sources++
	}
	if slices.ContainsFunc(w.puts, func(p *pending) bool { return p.id == id }) {
		return fmt.Errorf("indexing %s: it was listed twice", e.Key)
	}
	p := &pending{Source: &e.Source, id: id}
	for _, d := range e.Passages {
		if d.Strand >= Strands {
			return fmt.Errorf("indexing %s: there is no strand %d", e.Key, d.Strand)
		}
		if d.Text == "" {
			d = Passage{Strand: d.Strand}
		} else {
			d.Hash = Hash(d.Text)
		}
		p.now[d.Strand] = append(p.now[d.Strand], d)
	}
	same := func(s Strand, i int) bool {
		return i < len(old[s]) && i < len(p.now[s]) && old[s][i].Hash == p.now[s][i].Hash && seconds(old[s][i].Time) == seconds(p.now[s][i].Time)
	}
	old.each(func(s Strand, i int, d *Passage) {
		if d.Hash != 0 && !same(s, i) {
			w.dropPassage(id, &old, s, i)
		}
	})
	p.now.each(func(s Strand, i int, d *Passage) {
		switch {
		case d.Hash == 0:
		case same(s, i):
			d.Words, d.Marks = old[s][i].Words, old[s][i].Marks
		default:
			p.fresh = append(p.fresh, posting{strand: id*int(Strands) + int(s), passage: i})
		}
	})
	w.puts = append(w.puts, p)
	return nil
}

type background struct{}

// InBackground marks an Update that nobody waits for.
func InBackground(ctx context.Context) context.Context {
	return context.WithValue(ctx, background{}, true)
}

// muchWork is the number of passages from which an Update in the background gives way.
const muchWork = 512

// analyze finds the terms of the new passages, on several processors.
func (w *writer) analyze(ctx context.Context) {
	fresh := 0
	for _, p := range w.puts {
		fresh += len(p.fresh)
	}
	workers := min(runtime.GOMAXPROCS(0), len(w.puts))
	if ctx.Value(background{}) != nil && fresh >= muchWork { // half of the processors are left to other work
		workers = (workers + 1) / 2
	}
	var work sync.WaitGroup
	todo := make(chan *pending)
	for range workers {
		work.Go(func() {
			a := w.x.opt.Words.Get()
			defer w.x.opt.Words.Put(a)
			for p := range todo {
				p.analyze(a)
			}
		})
	}
	for _, p := range w.puts {
		todo <- p
	}
	close(todo)
	work.Wait()
}

func (p *pending) analyze(a *analysis.Analyzer) {
	p.terms = map[string][]posting{}
	for _, at := range p.fresh {
		d := &p.now[at.strand%int(Strands)][at.passage]
		t := a.Chunk(d.Text, d.Time)
		d.Words, d.Marks = t.Words, t.Marks
		for _, f := range t.Freqs {
			at.n = f.N
			p.terms[f.Term] = append(p.terms[f.Term], at)
		}
	}
}

// writePostings changes the posting rows, bucket by bucket and in their order there.
func (w *writer) writePostings(ctx context.Context) error {
	slices.SortFunc(w.puts, func(a, b *pending) int { return cmp.Compare(a.id, b.id) })
	added, changed := map[int]map[string][]posting{}, map[int]bool{}
	for _, p := range w.puts {
		bucket := p.id / bucketSources
		if added[bucket] == nil {
			added[bucket] = map[string][]posting{}
		}
		changed[bucket] = true
		for term, all := range p.terms {
			added[bucket][term] = append(added[bucket][term], all...)
		}
		p.terms = nil
	}
	losing := map[int]bool{}
	for strand := range w.drop {
		losing[strand/bucketStrands], changed[strand/bucketStrands] = true, true
	}
	for _, bucket := range slices.Sorted(maps.Keys(changed)) {
		if err := w.writeBucket(ctx, bucket, added[bucket], losing[bucket]); err != nil {
			return err
		}
	}
	return nil
}

// writeBucket adds postings to the rows of a bucket, and removes those of dropped passages.
func (w *writer) writeBucket(ctx context.Context, bucket int, added map[string][]posting, losing bool) error {
	terms := slices.Collect(maps.Keys(added))
	if losing {
		more, err := w.losing(ctx, bucket)
		if err != nil {
			return err
		}
		terms = append(terms, more...)
	}
	slices.Sort(terms)
	filled := false // else all rows are new
	if err := w.tx.QueryRowContext(ctx, "SELECT EXISTS(SELECT 1 FROM posting WHERE bucket=?)", bucket).Scan(&filled); err != nil {
		return err
	}
	get, err := w.tx.PrepareContext(ctx, "SELECT list FROM posting WHERE bucket=? AND term=?")
	if err != nil {
		return err
	}
	defer func() { _ = get.Close() }() // its transaction tells
	put, err := w.tx.PrepareContext(ctx, "REPLACE INTO posting(bucket, term, list) VALUES(?, ?, ?)")
	if err != nil {
		return err
	}
	defer func() { _ = put.Close() }() // as above
	var fresh []string
	gone := map[string]bool{}
	for _, term := range slices.Compact(terms) {
		all := added[term]
		var data []byte
		if filled {
			if err := get.QueryRowContext(ctx, bucket, []byte(term)).Scan(&data); err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
		}
		if data != nil {
			l := newList(bucket, term, data)
			for p, ok := l.next(); ok; p, ok = l.next() {
				if !w.dropped(p) {
					all = append(all, p)
				}
			}
			if l.bad {
				return ErrDamaged
			}
		}
		if data == nil {
			fresh = append(fresh, term)
		}
		if len(all) == 0 {
			gone[term] = true
			_, err = w.tx.ExecContext(ctx, "DELETE FROM posting WHERE bucket=? AND term=?", bucket, []byte(term))
		} else {
			slices.SortFunc(all, func(a, b posting) int {
				return cmp.Or(cmp.Compare(a.strand, b.strand), cmp.Compare(a.passage, b.passage))
			})
			_, err = put.ExecContext(ctx, bucket, []byte(term), encodeList(bucket, term, all))
		}
		if err != nil {
			return err
		}
	}
	return w.writeWords(ctx, bucket, fresh, gone)
}

// dropped reports whether a posting is one of a dropped passage.
func (w *writer) dropped(p posting) bool {
	drop := w.drop[p.strand]
	return p.passage < len(drop) && drop[p.passage]
}

// losing returns the terms of a bucket that occur in dropped passages. Nothing says which they
// are, since their text may be gone, so all rows of the bucket are read.
func (w *writer) losing(ctx context.Context, bucket int) (terms []string, err error) {
	rows, err := w.tx.QueryContext(ctx, "SELECT term, list FROM posting WHERE bucket=?", bucket)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	var term, data sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&term, &data); err != nil {
			return nil, err
		}
		l := newList(bucket, string(term), data)
		for p, ok := l.next(); ok; p, ok = l.next() {
			if w.dropped(p) {
				terms = append(terms, string(term))
				break
			}
		}
		if l.bad {
			return nil, ErrDamaged
		}
	}
	return terms, rows.Err()
}

// writeSources writes the rows of the sources that were put.
func (w *writer) writeSources(ctx context.Context) error {
	for _, p := range w.puts {
		if err := w.writeSource(ctx, p.id, p.Source, &p.now); err != nil {
			return err
		}
	}
	return nil
}

// writeSource writes the row of a source.
func (w *writer) writeSource(ctx context.Context, id int, of *Source, all *passages) error {
	heads, details := all.encode()
	_, err := w.tx.ExecContext(ctx, "UPDATE source SET stamp=?, change=?, about=?, heads=?, details=? WHERE id=?",
		of.Stamp, w.change, of.encode(), seal(heads, of.Key), seal(details, of.Key), id)
	return err
}
