package recall

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/vectors"
	"mac-stats/sessionmem/recall/indexfile"
)

const (
	// embedWait is how long a search waits for the vector of its question where
	// Config.EmbedPatience doesn't say.
	embedWait = 800 * time.Millisecond // and never more than half the time that it has
	// embedRest is how long no search asks a server again that made one wait for longer
	// than embedPatience and then gave nothing.
	embedRest     = 10 * time.Second
	embedPatience = 100 * time.Millisecond
	// embedText is how much of a question is embedded, in bytes.
	embedText = 4 << 10
)

// meaning is what a text means, as a vector.
type meaning struct {
	model  EmbedModel
	d      *vectors.Direction // nil: there is none
	vector []float32          // the same
	state  VectorState
}

// meaningAsker asks the embedding server for the vectors of questions.
type meaningAsker struct {
	cfg  *Config
	file *indexfile.File

	mu    sync.Mutex
	again time.Time // when a server is asked again that did not answer
}

// of asks the embedding server for the vector of a question. It never fails: a
// server that is dead or talks nonsense costs nothing, one that is slow no more than
// Config.EmbedPatience, and then nothing for embedRest.
func (a *meaningAsker) of(ctx context.Context, text string) meaning {
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

// withoutModel says how the vectors stand where no model is installed: those there are
// wait for theirs.
func (a *meaningAsker) withoutModel(ctx context.Context) VectorState {
	if a.hasVectors(ctx) {
		return VectorsPaused
	}
	return VectorsOff
}

// hasVectors says whether there is anything to compare a question with.
func (a *meaningAsker) hasVectors(ctx context.Context) bool {
	n := 0
	err := a.file.Read(ctx, func(s *engine.Snapshot) (err error) {
		n, err = s.Models(ctx)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.cfg.Logger.Debug("the vectors can't be read", "err", err)
	}
	return n > 0
}

// ask waits for the server as long as a search may: the words need their time too.
func (a *meaningAsker) ask(ctx context.Context, text string) (meaning, error) {
	wait := cmp.Or(a.cfg.EmbedPatience, embedWait)
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(end)/2)
	}
	return answered(ctx, wait, func(ctx context.Context) (meaning, error) { return a.embedQuestion(ctx, text) })
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
		return meaning{}, vectors.ErrForeign
	}
	d, ok := vectors.NewDirection(made[0])
	if !ok {
		return meaning{}, vectors.ErrForeign
	}
	m.Dims = len(made[0])
	return meaning{model: m, d: d, vector: made[0], state: VectorsReady}, nil
}

// meaningFor is the meaning of a question that is searched for by it.
func (x *Index) meaningFor(ctx context.Context, q *Query, now State) meaning {
	if q.Strategy == Lexical {
		return meaning{state: now.Vectors}
	}
	return x.meanings.of(ctx, q.Text)
}

// vectorStatus tells how the vectors stand, without a question.
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
	err = x.file.Read(ctx, func(s *engine.Snapshot) error {
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
