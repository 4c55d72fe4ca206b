package recall

import (
	"context"
	"errors"
	"io/fs"

	"mac-stats/sessionmem/recall/engine"
)

// vectors puts the vectors of passages that the server holds without one.
func (p *push) vectors(ctx context.Context) error {
	if p.u.cfg.Embedder == nil {
		return nil
	}
	m, err := p.u.cfg.Embedder.Model(ctx)
	if err != nil {
		return nil //nolint:nilerr // without a model there are no vectors to put
	}
	if m.Dims, err = p.u.dims(ctx, m); err != nil || m.Dims == 0 {
		return err
	}
	sources := map[string]map[ServerPlace]numbered{}
	for after := int64(0); ; {
		batch, err := p.server.Unembedded(ctx, m, after, pushVectors)
		if err != nil || len(batch) == 0 {
			return err
		}
		after = batch[len(batch)-1].ID
		var ids []int64
		var numbers []uint32
		for _, u := range batch {
			if sources[u.Key] == nil {
				if sources[u.Key], err = p.u.passageNumbers(ctx, u.Key); err != nil {
					return err
				}
			}
			if is := sources[u.Key][u.ServerPlace]; is.mark == u.Mark {
				ids, numbers = append(ids, u.ID), append(numbers, is.number)
			}
		}
		if err := p.putVectors(ctx, m, ids, numbers); err != nil {
			return err
		}
	}
}

func (p *push) putVectors(ctx context.Context, m EmbedModel, ids []int64, numbers []uint32) error {
	var vectors [][]float32
	err := p.u.file.Read(ctx, func(now *engine.Snapshot) (err error) {
		vectors, _, err = now.VectorsOf(ctx, m, numbers)
		return err
	})
	if err != nil {
		return err
	}
	n := 0
	for i, v := range vectors {
		if v != nil {
			ids[n], vectors[n] = ids[i], v
			n++
		}
	}
	if n == 0 {
		return nil
	}
	p.out.Vectors += n
	return p.server.PutVectors(ctx, m, ids[:n], vectors[:n])
}

// dims returns the dimensions of a model's vectors; 0 if there are none.
func (u *uploader) dims(ctx context.Context, m EmbedModel) (dims int, err error) {
	err = u.file.Read(ctx, func(now *engine.Snapshot) error {
		_, dims, err = now.VectorsOf(ctx, m, nil)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return dims, err
}

// numbered is a passage of the index with the number of its vector.
type numbered struct {
	number uint32
	mark   string
}

// passageNumbers returns the passages of a source by place.
func (u *uploader) passageNumbers(ctx context.Context, key string) (map[ServerPlace]numbered, error) {
	out := map[ServerPlace]numbered{}
	s, _, err := u.serverSource(ctx, key)
	if err != nil || s == nil {
		return out, err
	}
	for _, p := range s.Passages {
		out[p.ServerPlace] = numbered{p.number, p.Mark}
	}
	return out, nil
}
