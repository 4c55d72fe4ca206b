package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// A segment is never changed but for its tombs, and where something is erased.

// writeSegment writes passages with their terms as a new segment.
func writeSegment(ctx context.Context, tx *sql.Tx, b *builder) error {
	order := b.inOrder()
	docs := b.sorted(order)
	return writeLists(ctx, tx, docs, func(add func(term string, postings []posting) error) error {
		return b.eachTerm(order, add)
	})
}

// writeLists writes a segment of passages, with the terms that eachTerm gives in order.
func writeLists(ctx context.Context, tx *sql.Tx, docs []Passage, eachTerm func(add func(term string, postings []posting) error) error) error {
	none := sealed(nil)
	res, err := tx.ExecContext(ctx, "INSERT INTO segment(docs, version, heads, firsts, tombs) VALUES(?,0,?,?,?)", len(docs), none, none, none)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	firsts, err := writeDict(ctx, tx, id, len(docs), eachTerm)
	if err != nil {
		return err
	}
	if err := writeDetails(ctx, tx, id, docs); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE segment SET heads=?, firsts=? WHERE id=?",
		sealed(appendHeads(nil, docs)), encodeFirsts(firsts), id)
	return errors.Join(err, countRows(ctx, tx, segmentMark(id)))
}

// A row that is missing leaves no bytes that a check sum could tell of. So meta holds the
// sum of numbers that the rows of segment and delta have by their ids.

func segmentMark(id int64) int64 { return 1 + id<<20 }

func deltaMark(id int64) int64 { return 1 + id<<40 }

// countRows adds the marks of rows to the sum.
func countRows(ctx context.Context, tx *sql.Tx, marks int64) error {
	_, err := tx.ExecContext(ctx, "UPDATE meta SET value=value+? WHERE key='"+metaRows+"'", marks)
	return err
}

// writeDict writes the dictionary of a segment and gives the first terms of its blocks.
func writeDict(ctx context.Context, tx *sql.Tx, segment int64, docs int, eachTerm func(add func(term string, postings []posting) error) error) ([]string, error) {
	insert, err := tx.PrepareContext(ctx, "INSERT INTO dict(id, data) VALUES(?,?)")
	if err != nil {
		return nil, err
	}
	defer insert.Close() //nolint:errcheck // its last Exec told
	var firsts []string
	w := dictWriter{docs: docs, emit: func(first string, block []byte) error {
		if len(firsts) >= 1<<rowBits {
			return fmt.Errorf("%w: a segment has too many terms", ErrDamaged)
		}
		_, err := insert.ExecContext(ctx, segment<<rowBits|int64(len(firsts)), block)
		firsts = append(firsts, first)
		return err
	}}
	if err := eachTerm(w.add); err != nil {
		return nil, err
	}
	err = w.flush()
	return firsts, err
}

func encodeFirsts(firsts []string) []byte {
	out := appendInt(nil, len(firsts))
	for _, f := range firsts {
		out = appendText(out, f)
	}
	return sealed(out)
}

func writeDetails(ctx context.Context, tx *sql.Tx, segment int64, docs []Passage) error {
	insert, err := tx.PrepareContext(ctx, "INSERT INTO detail(id, data) VALUES(?,?)")
	if err != nil {
		return err
	}
	defer insert.Close() //nolint:errcheck // its last Exec told
	for from := 0; from < len(docs); from += detailBlock {
		row := docs[from:min(from+detailBlock, len(docs))]
		if _, err := insert.ExecContext(ctx, segment<<rowBits|int64(from/detailBlock), sealed(appendDetails(nil, row))); err != nil {
			return err
		}
	}
	return nil
}

// dropSegment deletes the rows of a segment.
func dropSegment(ctx context.Context, tx *sql.Tx, id int64) error {
	for _, table := range []string{"dict", "detail"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE id >= ? AND id < ?", id<<rowBits, (id+1)<<rowBits); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM segment WHERE id=?", id)
	return errors.Join(err, countRows(ctx, tx, -segmentMark(id)))
}
