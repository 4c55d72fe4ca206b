package recall

import (
	"context"
	"errors"
	"io/fs"

	"mac-stats/sessionmem/recall/index"
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
	sources := map[string]map[ServerPlace]ServerPassage{}
	for after := int64(0); ; {
		batch, err := p.server.Unembedded(ctx, m, after, pushVectors)
		if err != nil || len(batch) == 0 {
			return err
		}
		after = batch[len(batch)-1].ID
		var ids []int64
		var hashes []uint64
		for _, u := range batch {
			if sources[u.Key] == nil {
				if sources[u.Key], err = p.u.passagesOf(ctx, u.Key); err != nil {
					return err
				}
			}
			if is := sources[u.Key][u.ServerPlace]; is.Mark == u.Mark {
				ids, hashes = append(ids, u.ID), append(hashes, is.place.Hash)
			}
		}
		if err := p.putVectors(ctx, m, ids, hashes); err != nil {
			return err
		}
	}
}

func (p *push) putVectors(ctx context.Context, m EmbedModel, ids []int64, hashes []uint64) error {
	var vectors [][]float32
	err := p.u.file.Read(ctx, func(now *index.Snapshot) (err error) {
		vectors, _, err = now.VectorsOf(ctx, m, hashes)
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
	err = u.file.Read(ctx, func(now *index.Snapshot) error {
		_, dims, err = now.VectorsOf(ctx, m, nil)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return dims, err
}

// passagesOf returns the passages of a source by place, without their texts.
func (u *uploader) passagesOf(ctx context.Context, key string) (map[ServerPlace]ServerPassage, error) {
	out := map[ServerPlace]ServerPassage{}
	s, _, err := u.serverSource(ctx, key)
	if err != nil || s == nil {
		return out, err
	}
	for _, p := range s.Passages {
		out[p.ServerPlace] = p
	}
	return out, nil
}
