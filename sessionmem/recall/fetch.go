package recall

import (
	"context"
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
		blobs, err := readRows(ctx, f.q, "detail", []int64{row})
		if err != nil {
			return document{}, err
		}
		if docs, err = f.decode(p, row, blobs[row]); err != nil {
			return document{}, err
		}
	}
	return docs[doc%detailBlock], nil
}

// decode reads a row of details.
func (f *fetcher) decode(p *part, row int64, blob []byte) ([]document, error) {
	data, err := unseal(blob)
	if err != nil {
		return nil, err
	}
	n := int(row & (1<<rowBits - 1))
	docs := make([]document, min(detailBlock, p.docs-n*detailBlock))
	if err := readDetails(data, docs); err != nil {
		return nil, err
	}
	f.rows[row] = docs
	return docs, nil
}

// prefetch reads the details of candidates at once.
func (f *fetcher) prefetch(ctx context.Context, top []candidate) error {
	parts := map[int64]*part{}
	var rows []int64
	for _, c := range top {
		if r := f.v.lay.refs[c.at]; !r.none() && f.v.parts[r.part-1].id != 0 {
			p := f.v.parts[r.part-1]
			row := p.id<<rowBits | int64(r.doc/detailBlock)
			parts[row] = p
			rows = append(rows, row)
		}
	}
	blobs, err := readRows(ctx, f.q, "detail", rows)
	if err != nil {
		return err
	}
	for row, blob := range blobs {
		if _, err := f.decode(parts[row], row, blob); err != nil {
			return err
		}
	}
	return nil
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
