package service

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem/wholefile"
)

// statusKeeper holds the bot's status, for this process and, in discord/status.json, for
// commands.
type statusKeeper struct {
	file string
	log  *slog.Logger

	mu     sync.Mutex // guards status
	status connection.Status
}

// Status returns the bot's status.
func (k *statusKeeper) Status() connection.Status {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.status
}

// set replaces the status, in memory and on disk.
func (k *statusKeeper) set(st connection.Status) {
	st.Since = time.Now()
	if err := k.save(st); err != nil {
		k.log.Debug("commands won't see the state of discord", "err", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.status = st
}

// save writes the file in one step, so that a command reads either the old status or the
// new one.
func (k *statusKeeper) save(st connection.Status) error {
	data, err := json.Marshal(savedStatus{st, os.Getpid()})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(k.file), 0o700)
	}
	if err == nil {
		err = wholefile.WriteQuick(k.file, append(data, '\n'), 0o600)
	}
	return err
}

type savedStatus struct {
	connection.Status
	PID int `json:"pid"`
}

// SavedStatus returns the status that the running app wrote last; ok is false if there
// is none.
func (k *statusKeeper) SavedStatus() (st connection.Status, pid int, ok bool) {
	data, err := wholefile.Read(k.file, 1<<20)
	var saved savedStatus
	if err != nil || json.Unmarshal(data, &saved) != nil {
		return connection.Status{}, 0, false
	}
	return saved.Status, saved.PID, true
}
