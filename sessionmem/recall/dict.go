package recall

import (
	"context"
	"fmt"
	"sort"
	"strings"
)

// dictReader reads postings from the segments.
type dictReader struct{ q queryer }

// postings gives the documents of a segment that hold a term.
func (d *dictReader) postings(ctx context.Context, p *part, term string, each func(doc, n uint32)) error {
	block := sort.Search(len(p.firsts), func(i int) bool { return strings.Compare(p.firsts[i], term) > 0 }) - 1
	if block < 0 {
		return nil
	}
	var blob []byte
	if err := d.q.QueryRowContext(ctx, "SELECT data FROM dict WHERE id=?", p.id<<rowBits|int64(block)).Scan(&blob); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, explain(err))
	}
	list, n, err := listOf(blob, term)
	if err != nil {
		return err
	}
	r := decoder{data: list}
	r.postings(n, each)
	return r.err()
}
