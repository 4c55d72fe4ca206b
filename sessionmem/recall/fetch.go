package recall

import (
	"context"
	"fmt"
	"path"
)

// fetcher reads whole documents; those of a row of details once.
type fetcher struct {
	q    queryer
	v    *view
	rows map[int64][]document // by the ids of detail
}

func newFetcher(q queryer, v *view) *fetcher {
	return &fetcher{q: q, v: v, rows: map[int64][]document{}}
}

// document reads the document at a position.
func (f *fetcher) document(ctx context.Context, at uint32) (document, *known, error) {
	l := &f.v.lay
	r := l.refs[at]
	if r.none() {
		return document{}, nil, ErrNoChunk
	}
	k := f.v.sources[l.sources[at]]
	p := f.v.parts[r.part-1]
	if p.id == 0 {
		return p.whole[r.doc], k, nil
	}
	d, err := f.detail(ctx, p, r.doc)
	if err != nil {
		return document{}, nil, err
	}
	d.source, d.time, d.number, d.words = k.id, l.times[at], l.numbers[at], uint32(l.words[at])
	d.setFlags(l.flags[at])
	return d, k, nil
}

// detail reads what a segment has of a document beside its head.
func (f *fetcher) detail(ctx context.Context, p *part, doc uint32) (document, error) {
	row := p.id<<rowBits | int64(doc/detailBlock)
	docs, ok := f.rows[row]
	if !ok {
		var blob []byte
		if err := f.q.QueryRowContext(ctx, "SELECT data FROM detail WHERE id=?", row).Scan(&blob); err != nil {
			return document{}, fmt.Errorf("%w: %w", errDamaged, explain(err))
		}
		data, err := unseal(blob)
		if err != nil {
			return document{}, err
		}
		docs = make([]document, min(detailBlock, p.docs-int(doc/detailBlock)*detailBlock))
		if err := readDetails(data, docs); err != nil {
			return document{}, err
		}
		f.rows[row] = docs
	}
	return docs[doc%detailBlock], nil
}

// chunk makes what is told of a document.
func (d *document) chunk(k *known) (Chunk, place) {
	c := Chunk{
		Session: k.session, Source: k.from, Block: d.block, Part: d.part, Turn: d.turn,
		Kind: kindCodes[d.kind], Agent: d.agent, Time: d.when(), Untrusted: d.strange,
	}
	p := place{offset: d.offset, size: d.size, bare: d.bare, hash: d.hash}
	if d.file < len(k.state.files) {
		p.file = k.state.files[d.file].File
	}
	if k.session == "" {
		c.Path = k.key
		c.ID = memoryID(k.key, d.block, d.part)
		return c, p
	}
	c.Path = path.Join("session", p.file)
	c.ID = chunkID(k.session, d.block, d.part)
	return c, p
}
