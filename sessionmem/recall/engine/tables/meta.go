package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"mac-stats/sessionmem/recall/engine/format"
)

// The keys of meta.
const (
	metaFormat   = "format"
	metaAnalysis = "analysis"
	metaRoot     = "root"
	metaChange   = "change"  // counts all changes
	metaRemoval  = "removal" // value of metaChange at the last one that removed something
	metaNumber   = "number"  // number of the next passage
	metaSource   = "source"  // ID of the next source
	metaRows     = "rows"    // sum of the marks of all rows of segment and delta
	metaSynced   = "synced"  // when the index was last up to date, in seconds since 1970
	metaVectors  = "vectors" // counts changes of vectors
)

// Counters returns the numbers of the last change and of the last removal.
func Counters(ctx context.Context, q Queryer) (change, removal int64, err error) {
	return metaPair(ctx, q, metaChange, metaRemoval)
}

// NextNumbers returns the ID of the next source and the number of the next passage.
func NextNumbers(ctx context.Context, q Queryer) (source int64, passage uint32, err error) {
	source, number, err := metaPair(ctx, q, metaSource, metaNumber)
	return source, uint32(number), err //nolint:gosec // written from 32 bits
}

// metaPair reads two numbers from meta. A missing one is damage.
func metaPair(ctx context.Context, q Queryer, one, two string) (int64, int64, error) {
	var a, b sql.NullInt64
	err := q.QueryRowContext(ctx, "SELECT (SELECT value FROM meta WHERE key='"+one+"'), (SELECT value FROM meta WHERE key='"+two+"')").Scan(&a, &b)
	if err == nil && (!a.Valid || !b.Valid) {
		err = fmt.Errorf("%w: %s or %s is missing", format.ErrDamaged, one, two)
	}
	return a.Int64, b.Int64, Explain(err)
}

// Synced returns when the index was last up to date; the zero time if never.
func Synced(ctx context.Context, q Queryer) (time.Time, error) {
	var at int64
	if err := q.QueryRowContext(ctx, "SELECT value FROM meta WHERE key=?", metaSynced).Scan(&at); err != nil || at == 0 {
		return time.Time{}, Explain(err)
	}
	return time.Unix(at, 0), nil
}

// A checksum can't detect a missing row. So meta holds the sum of marks, numbers derived from
// the IDs of the rows of segment and delta.

// SegmentMark returns the mark of a row of segment.
func SegmentMark(id int64) int64 { return 1 + id<<20 }

// DeltaMark returns the mark of a row of delta.
func DeltaMark(id int64) int64 { return 1 + id<<40 }

// CountRows adds the marks of rows to the sum.
func CountRows(ctx context.Context, tx *sql.Tx, marks int64) error {
	_, err := tx.ExecContext(ctx, "UPDATE meta SET value=value+? WHERE key='"+metaRows+"'", marks)
	return err
}

// RowMarks returns the sum.
func RowMarks(ctx context.Context, q Queryer) (sum int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT value FROM meta WHERE key='"+metaRows+"'").Scan(&sum)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return sum, Explain(err)
}

// Counts holds the values of meta after a change.
type Counts struct {
	Change      int64 // number of the change
	NextSource  int64
	NextPassage uint32
	Synced      time.Time // zero: unchanged
	Removed     bool      // the change removed something
	Marks       int64     // of the added rows
}

// Count writes the counters of a change.
func Count(ctx context.Context, tx *sql.Tx, n Counts) error {
	var synced, removal any // nil: unchanged
	if !n.Synced.IsZero() {
		synced = n.Synced.Unix()
	}
	if n.Removed {
		removal = n.Change
	}
	_, err := tx.ExecContext(ctx, setCounters, n.Change, n.NextSource, int64(n.NextPassage), synced, removal, n.Marks)
	return err
}

const setCounters = "UPDATE meta SET value=coalesce(CASE key WHEN '" + metaChange + "' THEN ?1 WHEN '" + metaSource + "' THEN ?2 WHEN '" + metaNumber + "' THEN ?3 WHEN '" +
	metaSynced + "' THEN ?4 WHEN '" + metaRemoval + "' THEN ?5 ELSE value+?6 END, value) WHERE key IN ('" +
	metaChange + "','" + metaSource + "','" + metaNumber + "','" + metaSynced + "','" + metaRemoval + "','" + metaRows + "')"

// CountRewrite counts a change to the form of the index only.
func CountRewrite(ctx context.Context, tx *sql.Tx, change int64) error {
	for _, key := range []string{metaChange, metaRemoval} {
		if _, err := tx.ExecContext(ctx, "UPDATE meta SET value=? WHERE key=?", change, key); err != nil {
			return Explain(err)
		}
	}
	return nil
}

// VectorVersion returns the number of changes of vectors.
func VectorVersion(ctx context.Context, q Queryer) (n int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT value FROM meta WHERE key=?", metaVectors).Scan(&n)
	return n, Explain(err)
}

// CountVectorChange counts a change of vectors and returns the new version.
func CountVectorChange(ctx context.Context, tx *sql.Tx) (int64, error) {
	if _, err := tx.ExecContext(ctx, "UPDATE meta SET value=value+1 WHERE key=?", metaVectors); err != nil {
		return 0, Explain(err)
	}
	return VectorVersion(ctx, tx)
}
