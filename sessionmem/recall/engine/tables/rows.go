package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mac-stats/sessionmem/recall/engine/format"
)

// Queryer is a database, a transaction or a connection.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Blob returns the only column of a row. A missing row is damage.
func Blob(ctx context.Context, q Queryer, query string, id int64) (blob []byte, err error) {
	err = q.QueryRowContext(ctx, query, id).Scan(&blob)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: a row of it is missing", format.ErrDamaged)
	}
	return blob, Explain(err)
}

// RowsAtOnce is how many rows a statement reads.
const RowsAtOnce = 256

// ReadRows reads the blobs of rows by ID. A missing row is damage.
func ReadRows(ctx context.Context, q Queryer, table string, ids []int64) (map[int64][]byte, error) {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	out := make(map[int64][]byte, len(ids))
	for some := range slices.Chunk(ids, RowsAtOnce) {
		if err := readSome(ctx, q, table, some, out); err != nil {
			return nil, err
		}
	}
	if len(out) < len(ids) {
		return nil, format.ErrDamaged
	}
	return out, nil
}

func readSome(ctx context.Context, q Queryer, table string, ids []int64, out map[int64][]byte) error {
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
		return Explain(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	for rows.Next() {
		var id int64
		var blob []byte
		if err := rows.Scan(&id, &blob); err != nil {
			return Explain(err)
		}
		out[id] = blob
	}
	return Explain(rows.Err())
}
