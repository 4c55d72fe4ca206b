package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
)

// A segment never changes, except for its tombs and when something is erased.

// writeSegment writes passages with their terms as a new segment.
func writeSegment(ctx context.Context, tx *sql.Tx, b *format.Builder) error {
	docs, eachTerm := b.Sorted()
	return writeLists(ctx, tx, docs, eachTerm)
}

// writeLists writes a segment of passages with the terms that eachTerm yields in order.
func writeLists(ctx context.Context, tx *sql.Tx, docs []format.Passage, eachTerm func(add func(term string, postings []format.Posting) error) error) error {
	none := format.Seal(nil)
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
		format.Seal(format.AppendHeads(nil, docs)), format.EncodeFirsts(firsts), id)
	return errors.Join(err, tables.CountRows(ctx, tx, tables.SegmentMark(id)))
}

// writeDict writes the dictionary of a segment and returns the first terms of its blocks.
func writeDict(ctx context.Context, tx *sql.Tx, segment int64, docs int, eachTerm func(add func(term string, postings []format.Posting) error) error) ([]string, error) {
	insert, err := tx.PrepareContext(ctx, "INSERT INTO dict(id, data) VALUES(?,?)")
	if err != nil {
		return nil, err
	}
	defer insert.Close() //nolint:errcheck // its last Exec has reported errors
	var firsts []string
	w := format.NewDictWriter(docs, func(first string, block []byte) error {
		if len(firsts) >= 1<<tables.RowBits {
			return fmt.Errorf("%w: a segment has too many terms", format.ErrDamaged)
		}
		_, err := insert.ExecContext(ctx, segment<<tables.RowBits|int64(len(firsts)), block)
		firsts = append(firsts, first)
		return err
	})
	if err := eachTerm(w.Add); err != nil {
		return nil, err
	}
	err = w.Flush()
	return firsts, err
}

func writeDetails(ctx context.Context, tx *sql.Tx, segment int64, docs []format.Passage) error {
	insert, err := tx.PrepareContext(ctx, "INSERT INTO detail(id, data) VALUES(?,?)")
	if err != nil {
		return err
	}
	defer insert.Close() //nolint:errcheck // its last Exec has reported errors
	for from := 0; from < len(docs); from += format.DetailBlock {
		row := docs[from:min(from+format.DetailBlock, len(docs))]
		if _, err := insert.ExecContext(ctx, segment<<tables.RowBits|int64(from/format.DetailBlock), format.Seal(format.AppendDetails(nil, row))); err != nil {
			return err
		}
	}
	return nil
}

// dropSegment deletes the rows of a segment.
func dropSegment(ctx context.Context, tx *sql.Tx, id int64) error {
	for _, table := range []string{"dict", "detail"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE id >= ? AND id < ?", id<<tables.RowBits, (id+1)<<tables.RowBits); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM segment WHERE id=?", id)
	return errors.Join(err, tables.CountRows(ctx, tx, -tables.SegmentMark(id)))
}
