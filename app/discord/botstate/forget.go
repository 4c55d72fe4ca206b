package botstate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
)

// Forgetter removes from the window what is forgotten elsewhere. It opens the file itself,
// because the bot may or may not be running.
type Forgetter struct{ File string }

// Forget finds the messages that match the traces, and removes them unless dry.
func (f Forgetter) Forget(ctx context.Context, t *forgotten.Traces, dry bool) ([]forgotten.Touched, error) {
	if _, err := os.Stat(f.File); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	s, err := Open(ctx, Config{File: f.File})
	if err != nil {
		return nil, err
	}
	found, err := s.forget(ctx, f.File, t, dry)
	return found, errors.Join(err, s.Close())
}

func (s *State) forget(ctx context.Context, file string, t *forgotten.Traces, dry bool) ([]forgotten.Touched, error) {
	return s.forgetRows(ctx, file, dry, func(session string, b transcript.Block) bool { return t.Selects(session, b) || t.Holds(b.Text) })
}

// Clean removes messages that were forgotten earlier and came back with a backup of the
// file.
func (s *State) Clean(ctx context.Context, isForgotten func(session string, b transcript.Block) bool) error {
	found, err := s.forgetRows(ctx, "", false, isForgotten)
	for _, t := range found {
		if t.Action == forgotten.Refused {
			err = errors.Join(err, errors.New(t.Why))
		}
	}
	return err
}

func (s *State) forgetRows(ctx context.Context, file string, dry bool, matches func(session string, b transcript.Block) bool) ([]forgotten.Touched, error) {
	rows, err := s.rows(ctx, "")
	if err != nil {
		return nil, err
	}
	var found []forgotten.Touched
	for _, m := range rows {
		block := transcript.Block{ID: m.Block, Kind: transcript.Kind(m.Role), Time: m.At, Text: m.Text, Attrs: map[string]string{"authors": m.Author}}
		if !matches("discord-"+m.Channel, block) {
			continue
		}
		touched := forgotten.Touched{Place: "window", Action: forgotten.Removed, Path: file, Session: "discord-" + m.Channel, Block: m.Block, Time: m.At}
		if !dry {
			if _, err := s.db.ExecContext(ctx, `DELETE FROM channel_messages WHERE channel = ? AND id = ?`, m.Channel, m.ID); err != nil {
				touched.Action, touched.Why = forgotten.Refused, err.Error()
			}
		}
		found = append(found, touched)
	}
	if dry || len(found) == 0 {
		return found, nil
	}
	if _, err := s.db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		return found, fmt.Errorf("forgetting in the bot's state: %w", err)
	}
	return found, nil
}
