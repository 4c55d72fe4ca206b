package recall

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// The vectors of new chunks are made in the background, a batch at a time: what is there
// is written before the next is asked for, so that a crash costs one batch. A chunk that
// was erased, changed or forgotten while its vector was made gets none.

const (
	vectorBatch = 32 // texts in one request, at most
	// vectorWait is how long a request may take: a model may have to be loaded first.
	vectorWait = 3 * time.Minute
	// vectorPause lets others work between two batches.
	vectorPause = 20 * time.Millisecond
	// vectorLook is how often the job looks for a model, or for one that changed.
	vectorLook = time.Minute
	// After a failure the server is let go: for backoffLeast, then twice as long each time.
	backoffLeast = 5 * time.Second
	backoffMost  = 10 * time.Minute
)

// vectorJob is the background job that makes vectors.
type vectorJob struct {
	x            *Index
	of           *engine           // that the numbers are of
	wait         time.Duration     // for one request; 0 is vectorWait
	skipped      map[uint32]string // chunks that can't be embedded, by their numbers: their ids
	took         time.Duration     // the last batch
	made, wanted int               // vectors that there are, and are to be

	// A server may fail for one text alone, and always: after a failure texts are sent
	// one at a time until that one is found.
	alone   int            // how many are still to be sent so
	suspect string         // id of the last one, where it failed
	strikes map[string]int // how often, by id
}

// runVectors makes vectors until ctx ends.
func (x *Index) runVectors(ctx context.Context) {
	if x.cfg.Embedder == nil {
		return
	}
	j := &vectorJob{x: x}
	wait := time.NewTimer(0)
	defer wait.Stop()
	failures := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.embeddable:
			if failures > 0 {
				continue // the server is left alone
			}
		case <-wait.C:
		}
		if x.waitToEmbed(ctx) != nil {
			return
		}
		more, err := j.step(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errHeld):
			wait.Reset(turnLook)
		case errors.Is(err, ErrNoModel):
			failures = 0
			wait.Reset(vectorLook)
		case err != nil:
			wait.Reset(min(backoffLeast<<min(failures, 10), backoffMost))
			failures++
			x.logger.Info("no vectors could be made; it is tried again later", "err", err, "failures", failures)
		case more:
			failures = 0
			wait.Reset(x.rest(j.took))
		default:
			failures = 0
			x.allMade()
			wait.Reset(vectorLook)
		}
	}
}

// newChunks wakes the job up.
func (x *Index) newChunks() {
	select {
	case x.embeddable <- struct{}{}:
	default:
	}
}

// wanted is a chunk that has no vector yet.
type wanted struct {
	number uint32
	hit    found
}

// step makes the vectors of one batch; more says that there may be others to make.
func (j *vectorJob) step(ctx context.Context) (more bool, err error) {
	whole := ctx
	ctx, stop := context.WithTimeout(ctx, cmp.Or(j.wait, vectorWait))
	defer stop()
	m, err := j.x.cfg.Embedder.Model(ctx)
	if err != nil {
		return false, err
	}
	batch, err := j.choose(ctx, m)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // no index yet
	}
	if err != nil || len(batch) == 0 {
		return false, cmp.Or(err, j.settle(ctx, m))
	}
	batch = j.withTexts(ctx, batch)
	if len(batch) == 0 {
		return true, nil
	}
	texts, bytes := make([]string, len(batch)), 0
	for i, w := range batch {
		texts[i] = w.hit.Text
		bytes += len(w.hit.Text)
	}
	begun := time.Now()
	ask, stopAsking := j.x.untilHeld(ctx)
	vectors, err := j.x.cfg.Embedder.Embed(ask, m, AsPassage, texts)
	held := errors.Is(context.Cause(ask), errHeld)
	stopAsking()
	if err != nil && held {
		return true, errHeld
	}
	j.took = time.Since(begun)
	j.judge(whole, batch, err) // a text that hangs the server fails, too
	if err != nil {
		return false, err
	}
	j.x.pace.took(len(texts), bytes, j.took)
	if len(vectors) != len(batch) {
		return false, fmt.Errorf("the embedding server gave %d vectors for %d texts", len(vectors), len(batch))
	}
	if m.Dims == 0 {
		m.Dims = len(vectors[0])
	}
	j.made += len(batch)
	return true, j.store(ctx, m, batch, vectors)
}

// judge looks for a text that the server fails for while it makes vectors of others: it
// is skipped when that happened twice. Where two fail one after the other it is the
// server's fault, and no text's.
func (j *vectorJob) judge(ctx context.Context, batch []wanted, err error) {
	switch {
	case err == nil && j.alone == 0, ctx.Err() != nil:
	case err == nil:
		j.alone--
		if j.strikes[j.suspect] < strikesMost {
			j.acquit()
		} else if j.suspect != "" {
			j.x.logger.Info("the embedding server fails for a passage; it is found by its words alone", "chunk", j.suspect)
		}
		j.suspect = ""
	case len(batch) > 1:
		j.alone = vectorBatch
	case j.suspect == "":
		j.suspect = batch[0].hit.ID
		j.strikes[j.suspect]++
		j.skipped[batch[0].number] = j.suspect
	default:
		j.acquit()
		delete(j.strikes, j.suspect)
		j.suspect = ""
	}
}

// strikesMost is how often the server may fail for a text.
const strikesMost = 2

// acquit has the suspect tried again.
func (j *vectorJob) acquit() {
	maps.DeleteFunc(j.skipped, func(_ uint32, id string) bool { return id == j.suspect })
}

// worth orders chunks by what their vectors are worth: first what the user said and what
// was learnt, then how each answer begins, then the rest; of each the newest first.
func worth(flags byte, at int64) float64 {
	rank := 2.0
	switch kind := kindCodes[flags>>flagKind&7]; {
	case flags&flagGoesOn != 0:
		rank = 0
	case kind == KindAssistant || kind == KindSummary:
		rank = 1
	case kind != KindUser && kind != KindMemory:
		rank = 0
	}
	return rank*(1<<40) + float64(at)
}

// choose picks chunks without a vector of the model, those first that are worth most.
func (j *vectorJob) choose(ctx context.Context, m EmbedModel) ([]wanted, error) {
	var out []wanted
	err := j.x.readingFrom(ctx, func(e *engine, q queryer, v *view) error {
		out = nil
		if j.of != e { // another file may number its chunks anew
			j.of, j.skipped, j.strikes, j.suspect = e, map[uint32]string{}, map[string]int{}, ""
		}
		if done, err := j.complete(ctx, q, v, m); done || err != nil {
			return err
		}
		s, err := e.setOf(ctx, q, m)
		if err != nil {
			return err
		}
		newest := heap{limit: vectorBatch}
		if j.alone > 0 {
			newest.limit = 1
		}
		for at, r := range v.lay.refs {
			number := v.lay.numbers[at]
			if r.none() || s.has(number) || j.skipped[number] != "" {
				continue
			}
			newest.push(uint32(at), worth(v.lay.flags[at], v.lay.times[at])) //nolint:gosec // positions are 32 bits
		}
		j.made, j.wanted = s.count, v.docs
		f := newFetcher(q, v)
		slices.SortFunc(newest.items, func(a, b heapItem) int { return cmp.Compare(b.score, a.score) })
		for _, item := range newest.items {
			d, k, err := f.document(ctx, item.at)
			if err != nil {
				return err
			}
			w := wanted{number: d.number}
			w.hit.Chunk, w.hit.place = d.chunk(k)
			out = append(out, w)
		}
		return nil
	})
	return out, err
}

// complete says whether all chunks have vectors but those that can't have one. It is
// told without the vectors, which would be kept in memory for nothing.
func (j *vectorJob) complete(ctx context.Context, q queryer, v *view, m EmbedModel) (bool, error) {
	model, err := findModel(ctx, q, m)
	if errors.Is(err, sql.ErrNoRows) {
		return v.docs == 0, nil
	}
	if err != nil {
		return false, err
	}
	n, err := countVectors(ctx, q, model)
	if len(j.skipped) > 0 {
		for at, r := range v.lay.refs {
			if !r.none() && j.skipped[v.lay.numbers[at]] != "" {
				n++
			}
		}
	}
	return n >= v.docs, err
}

// setOf gives the vectors of a model; none where it is new.
func (e *engine) setOf(ctx context.Context, q queryer, m EmbedModel) (*vectorSet, error) {
	model, err := findModel(ctx, q, m)
	if errors.Is(err, sql.ErrNoRows) {
		return &vectorSet{}, nil
	}
	if err != nil {
		return nil, err
	}
	return e.vectors.load(ctx, q, model)
}

// withTexts reads the chunks' texts. What its file does not say any more is left for
// the next look at the file, and what was forgotten for ever.
func (j *vectorJob) withTexts(ctx context.Context, batch []wanted) []wanted {
	r := newTexts(&j.x.cfg)
	defer r.close()
	out := batch[:0:0]
	for room := j.x.pace.batchBytes(); len(batch) > 0 && (room > 0 || len(out) == 0); batch = batch[1:] {
		w := batch[0]
		text, err := r.read(ctx, w.hit.Chunk, w.hit.place)
		if ctx.Err() != nil {
			break
		}
		if err != nil || j.x.isForgotten(text) {
			j.skipped[w.number] = w.hit.ID
			continue
		}
		w.hit.Text = text
		if room -= len(text); room < 0 && len(out) > 0 {
			break
		}
		out = append(out, w)
	}
	return out
}

// store writes vectors, of those chunks that are still what they were.
func (j *vectorJob) store(ctx context.Context, m EmbedModel, batch []wanted, vectors [][]float32) error {
	unlock, err := j.x.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	e, done, err := j.x.use(ctx)
	if err != nil {
		return err
	}
	defer done()
	there, err := j.stillThere(ctx, e, batch)
	if err != nil {
		return err
	}
	model := vectorModel{EmbedModel: m}
	var fresh []newVector
	for i, w := range batch {
		v, err := model.checked(vectors[i])
		if err != nil {
			return err
		}
		if there[w.number] == w.hit.ID && !j.x.isForgotten(w.hit.Text) {
			v.number = w.number
			fresh = append(fresh, v)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	tx, err := e.db.BeginTx(ctx, nil)
	if err != nil {
		return explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
	if model, err = addModel(ctx, tx, m); err != nil {
		return err
	}
	if err := putVectors(ctx, tx, model, fresh); err != nil {
		return err
	}
	return explain(tx.Commit())
}

// stillThere gives the ids of the chunks that the numbers of a batch mean now.
func (j *vectorJob) stillThere(ctx context.Context, e *engine, batch []wanted) (map[uint32]string, error) {
	want := make(map[uint32]bool, len(batch))
	for _, w := range batch {
		want[w.number] = true
	}
	out := map[uint32]string{}
	err := e.snapshot(ctx, func(q queryer, v *view) error {
		clear(out)
		f := newFetcher(q, v)
		for at, r := range v.lay.refs {
			if r.none() || !want[v.lay.numbers[at]] {
				continue
			}
			d, k, err := f.document(ctx, uint32(at)) //nolint:gosec // positions are 32 bits
			if err != nil {
				return err
			}
			c, _ := d.chunk(k)
			out[d.number] = c.ID
		}
		return nil
	})
	return out, err
}

// settle lets the vectors of other models go once all are made.
func (j *vectorJob) settle(ctx context.Context, m EmbedModel) error {
	stale := false
	err := j.x.readingFrom(ctx, func(_ *engine, q queryer, _ *view) error {
		n, err := countModels(ctx, q)
		stale = n > 1
		return err
	})
	if err != nil || !stale {
		return err
	}
	unlock, err := j.x.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	e, done, err := j.x.use(ctx)
	if err != nil {
		return err
	}
	defer done()
	tx, err := e.db.BeginTx(ctx, nil)
	if err != nil {
		return explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
	model, err := findModel(ctx, tx, m)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := dropModels(ctx, tx, model.id); err != nil {
		return err
	}
	return explain(tx.Commit())
}

// isForgotten says whether a text was forgotten.
func (x *Index) isForgotten(text string) bool {
	if x.cfg.Forgotten == nil {
		return false
	}
	dead := x.cfg.Forgotten()
	return dead != nil && dead.Has(text)
}
