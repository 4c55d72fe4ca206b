package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
)

// The vectors of new chunks are made in the background, one batch at a time: each is written
// before the next is requested, so a crash costs one batch. A chunk that was erased, changed
// or forgotten while its vector was being made gets none.

const (
	vectorBatch = 32 // texts in one request, at most
	// vectorWait is how long a request may take: the model may have to be loaded first.
	vectorWait = 3 * time.Minute
	// vectorPause lets others work between two batches.
	vectorPause = 20 * time.Millisecond
	// vectorEvery is how often the job looks for a new or changed model.
	vectorEvery = time.Minute
)

// vectorJob is the background job that makes vectors.
type vectorJob struct {
	v            *vectorMaker
	wait         time.Duration            // for one request; 0: vectorWait
	skipped      map[index.TextKey]string // IDs of chunks whose texts can't be embedded
	took         time.Duration            // time for the last batch
	made, wanted int                      // vectors that exist, and should exist

	// A server may always fail for one particular text: after a failure texts are sent
	// one at a time until it is found.
	alone   int            // how many are still to be sent alone
	suspect string         // ID of the last one, if it failed
	strikes map[string]int // failures by ID
}

// run makes vectors until ctx ends.
func (v *vectorMaker) run(ctx context.Context) {
	if v.cfg.Embedder == nil {
		return
	}
	j := &vectorJob{v: v}
	repeat(ctx, v.wake, func() (time.Duration, error) {
		if err := v.waitWhileHeld(ctx); err != nil {
			return 0, err
		}
		more, err := j.step(ctx)
		switch {
		case errors.Is(err, errHeld):
			return turnCheck, nil
		case errors.Is(err, ErrNoModel), errors.Is(err, errPower):
			return vectorEvery, nil
		case err != nil:
			if ctx.Err() == nil {
				v.cfg.Logger.Info("no vectors could be made; it is tried again later", "err", err)
			}
			return 0, err
		case more:
			return v.rest(j.took), nil
		}
		v.endFullSpeed()
		return vectorEvery, nil
	})
}

// wanted is a chunk that has no vector yet.
type wanted struct {
	index.Wanted
	hit   found
	texts []string // what is embedded for it
}

// step makes the vectors of one batch; more reports that there may be others to make.
func (j *vectorJob) step(ctx context.Context) (more bool, err error) {
	whole := ctx
	ctx, stop := context.WithTimeout(ctx, cmp.Or(j.wait, vectorWait))
	defer stop()
	m, err := j.v.cfg.Embedder.Model(ctx)
	if err != nil {
		return false, err
	}
	batch, err := j.choose(ctx, m)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // no index yet
	}
	if err != nil || len(batch) == 0 {
		return false, cmp.Or(err, j.dropOtherModels(ctx, m))
	}
	if j.v.held() == HeldPower {
		return false, errPower
	}
	batch = j.withTexts(ctx, batch)
	if len(batch) == 0 {
		return true, nil
	}
	var texts []string
	bytes := 0
	for _, w := range batch {
		texts = append(texts, w.texts...)
		bytes += size(w.texts)
	}
	begun := time.Now()
	ask, stopAsking := j.v.untilHeld(ctx)
	vectors, err := j.v.cfg.Embedder.Embed(ask, m, AsPassage, texts)
	held := errors.Is(context.Cause(ask), errHeld)
	stopAsking()
	if err != nil && held {
		return true, errHeld
	}
	j.took = time.Since(begun)
	j.trackFailures(whole, batch, err) // a text that hangs the server fails, too
	if err != nil {
		return false, err
	}
	j.v.pace.adjust(len(batch), bytes, j.took)
	if len(vectors) != len(texts) {
		return false, fmt.Errorf("the embedding server gave %d vectors for %d texts", len(vectors), len(texts))
	}
	if m.Dims == 0 {
		m.Dims = len(vectors[0])
	}
	if err := j.store(ctx, m, batch, vectors); err != nil {
		return true, err
	}
	return true, j.v.file.Read(ctx, func(now *index.Snapshot) (err error) {
		j.made, _, err = now.Vectors(ctx, m)
		return err
	})
}

// trackFailures finds a text that makes the server fail while others succeed: it is skipped after
// the second failure. If two texts fail in a row, the server is to blame and not the text.
func (j *vectorJob) trackFailures(ctx context.Context, batch []wanted, err error) {
	switch {
	case err == nil && j.alone == 0, ctx.Err() != nil:
	case err == nil:
		j.alone--
		if j.strikes[j.suspect] < maxStrikes {
			j.retrySuspect()
		} else if j.suspect != "" {
			j.v.cfg.Logger.Info("the embedding server fails for a passage; it is found by its words alone", "chunk", j.suspect)
		}
		j.suspect = ""
	case len(batch) > 1:
		j.alone = vectorBatch
	case j.suspect == "":
		j.suspect = batch[0].hit.ID
		j.strikes[j.suspect]++
		j.skipped[batch[0].TextKey] = j.suspect
	default:
		j.retrySuspect()
		delete(j.strikes, j.suspect)
		j.suspect = ""
	}
}

// maxStrikes is how often the server may fail for a text.
const maxStrikes = 2

// retrySuspect allows the suspect to be tried again.
func (j *vectorJob) retrySuspect() {
	maps.DeleteFunc(j.skipped, func(_ index.TextKey, id string) bool { return id == j.suspect })
}

// choose picks chunks without a vector of the model, the most valuable first.
func (j *vectorJob) choose(ctx context.Context, m EmbedModel) ([]wanted, error) {
	if j.skipped == nil {
		j.skipped, j.strikes = map[index.TextKey]string{}, map[string]int{}
	}
	var out []wanted
	err := j.v.file.Read(ctx, func(now *index.Snapshot) error {
		limit := vectorBatch
		if j.alone > 0 {
			limit = 1
		}
		some, made, err := now.Unembedded(ctx, m, limit, j.skipped)
		out = make([]wanted, len(some))
		for i, w := range some {
			out[i].Wanted = w
			out[i].hit.Chunk, out[i].hit.place = corpus.ChunkOf(&w.Passage, &w.Of.Source)
		}
		j.made, j.wanted = made, now.Passages()
		return err
	})
	return out, err
}

// withTexts reads the chunks' texts. It skips a chunk that its file no longer holds until
// the file is indexed again, and a forgotten one for good.
func (j *vectorJob) withTexts(ctx context.Context, batch []wanted) []wanted {
	r := j.v.corpus.Texts()
	defer r.Close()
	out := batch[:0:0]
	for room := j.v.pace.batchBytes(); len(batch) > 0 && (room > 0 || len(out) == 0); batch = batch[1:] {
		w := batch[0]
		text, err := r.Read(ctx, w.hit.Chunk, w.hit.place)
		if ctx.Err() != nil {
			break
		}
		w.hit.Text = text
		if err != nil || j.v.corpus.IsForgotten(&w.hit.Chunk) {
			j.skipped[w.TextKey] = w.hit.ID
			continue
		}
		w.texts = embedTexts(text)
		if room -= size(w.texts); room < 0 && len(out) > 0 {
			break
		}
		out = append(out, w)
	}
	return out
}

// size returns the total length of texts, in bytes.
func size(texts []string) (n int) {
	for _, t := range texts {
		n += len(t)
	}
	return n
}

// store writes the vectors of those chunks that are unchanged.
func (j *vectorJob) store(ctx context.Context, m EmbedModel, batch []wanted, vectors [][]float32) error {
	return j.v.file.Write(ctx, func(x *index.Index) error {
		var all []index.Vector
		for _, w := range batch {
			if made := blend(vectors[:len(w.texts)]); !j.v.corpus.IsForgotten(&w.hit.Chunk) {
				all = append(all, index.Vector{TextKey: w.TextKey, Values: made})
			}
			vectors = vectors[len(w.texts):]
		}
		return x.PutVectors(ctx, m, all)
	})
}

// dropOtherModels deletes the vectors of other models once all are made.
func (j *vectorJob) dropOtherModels(ctx context.Context, m EmbedModel) error {
	stale := false
	err := j.v.file.Read(ctx, func(now *index.Snapshot) error {
		n, err := now.Models(ctx)
		stale = n > 1
		return err
	})
	if err != nil || !stale {
		return err
	}
	return j.v.file.Write(ctx, func(x *index.Index) error { return x.KeepVectorsOf(ctx, m) })
}
