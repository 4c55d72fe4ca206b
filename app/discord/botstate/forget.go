package botstate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// Forgetter takes out of the window what is forgotten elsewhere. It opens the file by
// itself, for the bot may run or not.
type Forgetter struct{ File string }

// Forget finds the messages that the traces mean, and removes them unless dry.
func (f Forgetter) Forget(ctx context.Context, t *sessionmem.Traces, dry bool) ([]sessionmem.Touched, error) {
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

func (s *State) forget(ctx context.Context, file string, t *sessionmem.Traces, dry bool) ([]sessionmem.Touched, error) {
	rows, err := s.rows(ctx, "")
	if err != nil {
		return nil, err
	}
	var found []sessionmem.Touched
	for _, m := range rows {
		block := transcript.Block{ID: m.Block, Time: m.At, Attrs: map[string]string{"authors": m.Author}}
		if !t.Selects("discord-"+m.Channel, block) && !t.Holds(m.Text) {
			continue
		}
		touched := sessionmem.Touched{Place: "window", Action: sessionmem.ForgetRemoved, Path: file, Session: "discord-" + m.Channel, Block: m.Block, Time: m.At}
		if !dry {
			if _, err := s.db.ExecContext(ctx, `DELETE FROM channel_messages WHERE channel = ? AND id = ?`, m.Channel, m.ID); err != nil {
				touched.Action, touched.Why = sessionmem.ForgetRefused, err.Error()
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
