package discord

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"mac-stats/app/discord/connection"
)

// The subsystems of telemetry.
const (
	subsysThread  = "mem.thread"
	subsysContext = "mem.ctx"
)

// telemetry writes records as lines of JSON: counts and IDs, never text.
type telemetry struct {
	mu  sync.Mutex
	to  io.Writer // nil to discard
	log *slog.Logger
}

func (t *telemetry) write(subsys, event string, detail map[string]any) {
	if t.to == nil {
		return
	}
	line, err := json.Marshal(struct {
		Time   string         `json:"time"`
		Subsys string         `json:"subsys"`
		Event  string         `json:"event"`
		Detail map[string]any `json:"detail"`
	}{time.Now().Format(time.RFC3339Nano), subsys, event, detail})
	if err != nil {
		t.log.Warn("a line of telemetry can't be written", "err", err)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.to.Write(append(line, '\n')); err != nil {
		t.log.Warn("a line of telemetry could not be written", "err", err)
	}
}

// reasonOf returns why something couldn't be fetched, in one word.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, connection.ErrBusy):
		return "timeout"
	case errors.Is(err, connection.ErrArchived):
		return "archived"
	case errors.Is(err, connection.ErrPermission):
		return "permission"
	case errors.Is(err, connection.ErrGone):
		return "deleted"
	}
	return "fetch"
}
