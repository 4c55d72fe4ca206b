package botstate

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Question is a message that wasn't answered yet.
type Question struct {
	ID      string
	Channel string
	At      time.Time
}

// Wait records that a message will be answered, so that its author can be told if the app
// ends before that.
func (s *State) Wait(ctx context.Context, channel, id string) error {
	_, err := s.db.ExecContext(ctx, `INSERT OR IGNORE INTO waiting (id, channel, at) VALUES (?,?,?)`, id, channel, time.Now().UnixMilli())
	return err
}

// Settle records that messages of a channel no longer wait; all of them if there are no
// IDs.
func (s *State) Settle(ctx context.Context, channel string, ids ...string) error {
	if len(ids) == 0 {
		_, err := s.db.ExecContext(ctx, `DELETE FROM waiting WHERE channel = ?`, channel)
		return err
	}
	var errs []error
	for _, id := range ids {
		_, err := s.db.ExecContext(ctx, `DELETE FROM waiting WHERE id = ?`, id)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Waiting returns the waiting messages, oldest first.
func (s *State) Waiting(ctx context.Context) ([]Question, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, channel, at FROM waiting ORDER BY rowid`)
	if err != nil {
		return nil, fmt.Errorf("reading what waits for an answer: %w", err)
	}
	defer func() { _ = rows.Close() }() // Err returns the same error
	var list []Question
	for rows.Next() {
		var q Question
		var at int64
		if err := rows.Scan(&q.ID, &q.Channel, &at); err != nil {
			return nil, fmt.Errorf("reading what waits for an answer: %w", err)
		}
		q.At = time.UnixMilli(at)
		list = append(list, q)
	}
	return list, rows.Err()
}
