package vectors

import (
	"context"
	"database/sql"
	"errors"

	"mac-stats/sessionmem/recall/engine/tables"
)

// findModel returns a model that the index has vectors of, or sql.ErrNoRows. Without
// dimensions, a model matches by name and digest.
func findModel(ctx context.Context, q tables.Queryer, m Model) (vectorModel, error) {
	found := vectorModel{Model: m}
	err := q.QueryRowContext(ctx, "SELECT id, dims FROM model WHERE name=? AND digest=? AND (dims=? OR ?=0) ORDER BY id DESC LIMIT 1",
		m.Name, m.Digest, m.Dims, m.Dims).Scan(&found.id, &found.Dims)
	if errors.Is(err, sql.ErrNoRows) {
		return found, err
	}
	return found, tables.Explain(err)
}

// CountModels returns the number of models that have vectors.
func CountModels(ctx context.Context, q tables.Queryer) (n int, err error) {
	err = q.QueryRowContext(ctx, "SELECT count(*) FROM model").Scan(&n)
	return n, tables.Explain(err)
}

// addModel returns the row of a model, adding one if necessary.
func addModel(ctx context.Context, tx *sql.Tx, m Model) (vectorModel, error) {
	found, err := findModel(ctx, tx, m)
	if !errors.Is(err, sql.ErrNoRows) {
		return found, err
	}
	res, err := tx.ExecContext(ctx, "INSERT INTO model(name, digest, dims) VALUES(?,?,?)", m.Name, m.Digest, m.Dims)
	if err != nil {
		return found, tables.Explain(err)
	}
	found.id, err = res.LastInsertId()
	return found, tables.Explain(err)
}

func allModels(ctx context.Context, q tables.Queryer) ([]vectorModel, error) {
	rows, err := q.QueryContext(ctx, "SELECT id, name, digest, dims FROM model")
	if err != nil {
		return nil, tables.Explain(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	var out []vectorModel
	for rows.Next() {
		var m vectorModel
		if err := rows.Scan(&m.id, &m.Name, &m.Digest, &m.Dims); err != nil {
			return nil, tables.Explain(err)
		}
		out = append(out, m)
	}
	return out, tables.Explain(rows.Err())
}
