package recall

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
)

const (
	// embedWait is how long a search waits for the vector of its question if
	// Config.EmbedPatience is zero.
	embedWait = 800 * time.Millisecond // and at most half of its remaining time
	// embedRest is how long searches don't ask a server again that failed after more than
	// embedPatience.
	embedRest     = 10 * time.Second
	embedPatience = 100 * time.Millisecond
	// embedText limits how much of a question is embedded, in bytes.
	embedText = 4 << 10
)

// meaning is the vector of a question.
type meaning struct {
	model  EmbedModel
	d      *index.Direction // nil: none
	vector []float32        // the same
	state  VectorState
}

// meaningAsker asks the embedding server for the vectors of questions.
type meaningAsker struct {
	cfg  *Config
	file *index.File

	mu    sync.Mutex
	again time.Time // when to ask a server again that failed
}

// embed asks the embedding server for the vector of a question. It never fails: a broken
// server costs nothing, and a slow one at most Config.EmbedPatience, then nothing for
// embedRest.
func (a *meaningAsker) embed(ctx context.Context, text string) meaning {
	if a.cfg.Embedder == nil {
		return meaning{state: VectorsOff}
	}
	a.mu.Lock()
	resting := time.Now().Before(a.again)
	a.mu.Unlock()
	if resting {
		return meaning{state: VectorsPartial}
	}
	begun := time.Now()
	m, err := a.ask(ctx, corpus.Cut(text, embedText))
	switch {
	case errors.Is(err, ErrNoModel):
		return meaning{state: a.withoutModel(ctx)}
	case err == nil:
		return m
	}
	a.cfg.Logger.Debug("the question could not be embedded; it is answered by words alone", "err", err)
	if ctx.Err() == nil && time.Since(begun) > embedPatience {
		a.mu.Lock()
		a.again = time.Now().Add(embedRest)
		a.mu.Unlock()
	}
	return meaning{state: VectorsPartial}
}

// withoutModel returns the state of the vectors if no model is installed: existing ones
// wait for their model.
func (a *meaningAsker) withoutModel(ctx context.Context) VectorState {
	if a.hasVectors(ctx) {
		return VectorsPaused
	}
	return VectorsOff
}

// hasVectors reports whether there is anything to compare a question with.
func (a *meaningAsker) hasVectors(ctx context.Context) bool {
	n := 0
	err := a.file.Read(ctx, func(s *index.Snapshot) (err error) {
		n, err = s.Models(ctx)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.cfg.Logger.Debug("the vectors can't be read", "err", err)
	}
	return n > 0
}

// ask waits no longer than a search may: the word search needs time too.
func (a *meaningAsker) ask(ctx context.Context, text string) (meaning, error) {
	wait := cmp.Or(a.cfg.EmbedPatience, embedWait)
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(end)/2)
	}
	return askFor(ctx, wait, func(ctx context.Context) (meaning, error) { return a.embedQuestion(ctx, text) })
}

func (a *meaningAsker) embedQuestion(ctx context.Context, text string) (meaning, error) {
	m, err := a.cfg.Embedder.Model(ctx)
	if err != nil {
		return meaning{}, err
	}
	if !a.hasVectors(ctx) {
		return meaning{model: m, state: VectorsBuilding}, nil
	}
	made, err := a.cfg.Embedder.Embed(ctx, m, AsQuestion, []string{text})
	if err != nil {
		return meaning{}, err
	}
	if len(made) != 1 || m.Dims > 0 && len(made[0]) != m.Dims {
		return meaning{}, index.ErrForeign
	}
	d, ok := index.NewDirection(made[0])
	if !ok {
		return meaning{}, index.ErrForeign
	}
	m.Dims = len(made[0])
	return meaning{model: m, d: d, vector: made[0], state: VectorsReady}, nil
}

// questionMeaning returns the meaning of a question, unless only words are searched.
func (x *Index) questionMeaning(ctx context.Context, q *Query, now State) meaning {
	if q.Strategy == Lexical {
		return meaning{state: now.Vectors}
	}
	return x.meanings.embed(ctx, q.Text)
}

// vectorStatus fills in the state of the vectors.
func (x *Index) vectorStatus(ctx context.Context, out *Status) {
	out.Vectors = VectorsOff
	if x.cfg.Embedder == nil {
		return
	}
	ctx, stop := context.WithTimeout(ctx, cmp.Or(x.cfg.EmbedPatience, embedWait))
	defer stop()
	m, err := x.cfg.Embedder.Model(ctx)
	if err != nil {
		if out.Vectors = VectorsPartial; errors.Is(err, ErrNoModel) {
			out.Vectors = x.meanings.withoutModel(ctx)
		}
		return
	}
	out.Model = m.Name
	err = x.file.Read(ctx, func(s *index.Snapshot) error {
		n, known, err := s.Vectors(ctx, m)
		if err != nil {
			return err
		}
		all := s.Passages()
		switch {
		case known && n >= all:
			out.Vectors = VectorsReady
		case known:
			out.Vectors, out.VectorsHeld, out.VectorsLeft = VectorsBuilding, x.vectors.held(), x.vectors.timeLeft(all-n)
		default:
			models, err := s.Models(ctx)
			if out.Vectors = VectorsBuilding; models > 0 {
				out.Vectors = VectorsPaused
			}
			return err
		}
		out.VectorCount = n
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.cfg.Logger.Debug("the vectors can't be counted", "err", err)
	}
}
