package recall

import (
	"context"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// dictReader reads postings from the segments. The blocks of the dictionary that a
// question needs are read at once, each once: that is most of what a question costs.
type dictReader struct {
	q      queryer
	blocks map[int64][]byte // by their ids
}

// load reads the blocks in which terms stand, if they stand anywhere.
func (d *dictReader) load(ctx context.Context, parts []*part, terms []QueryTerm) (err error) {
	var ids []int64
	for _, t := range terms {
		for _, v := range t.Variants {
			for _, p := range parts {
				if id, ok := p.blockOf(v.Term); ok {
					ids = append(ids, id)
				}
			}
		}
	}
	d.blocks, err = readRows(ctx, d.q, "dict", ids)
	return err
}

// blockOf finds the block of a segment's dictionary that a term would stand in.
func (p *part) blockOf(term string) (id int64, ok bool) {
	n := sort.Search(len(p.firsts), func(i int) bool { return p.firsts[i] > term }) - 1
	return p.id<<rowBits | int64(n), n >= 0
}

// postings gives the documents of a segment that hold a term.
func (d *dictReader) postings(p *part, term string, each func(doc, n uint32)) error {
	id, ok := p.blockOf(term)
	if !ok {
		return nil
	}
	list, n, err := listOf(d.blocks[id], term)
	if err != nil {
		return err
	}
	r := decoder{data: list}
	r.postings(n, each)
	return r.err()
}

// rowsAtOnce is how many rows a statement asks for.
const rowsAtOnce = 256

// readRows reads the blobs of rows by their ids. One that is missing is damage.
func readRows(ctx context.Context, q queryer, table string, ids []int64) (map[int64][]byte, error) {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	out := make(map[int64][]byte, len(ids))
	for some := range slices.Chunk(ids, rowsAtOnce) {
		if err := readSome(ctx, q, table, some, out); err != nil {
			return nil, err
		}
	}
	if len(out) < len(ids) {
		return nil, errDamaged
	}
	return out, nil
}

func readSome(ctx context.Context, q queryer, table string, ids []int64, out map[int64][]byte) error {
	var query strings.Builder
	query.WriteString("SELECT id, data FROM " + table + " WHERE id IN (")
	for i, id := range ids {
		if i > 0 {
			query.WriteByte(',')
		}
		query.WriteString(strconv.FormatInt(id, 10))
	}
	query.WriteByte(')')
	rows, err := q.QueryContext(ctx, query.String())
	if err != nil {
		return explain(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err told
	for rows.Next() {
		var id int64
		var blob []byte
		if err := rows.Scan(&id, &blob); err != nil {
			return explain(err)
		}
		out[id] = blob
	}
	return explain(rows.Err())
}
