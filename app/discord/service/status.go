package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
	"mac-stats/app/discord/token"
	"mac-stats/sessionmem/wholefile"
)

// Status is how the bot is.
func (s *Service) Status() connection.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// set keeps the status, for this process and, in discord/status.json, for commands.
func (s *Service) set(st connection.Status) {
	st.Since = time.Now()
	if err := s.save(st); err != nil {
		s.log.Debug("commands won't see the state of discord", "err", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = st
}

// save writes the status at once: a command reads the old one or the new one.
func (s *Service) save(st connection.Status) error {
	data, err := json.Marshal(savedStatus{st, os.Getpid()})
	if err == nil {
		err = os.MkdirAll(s.dir(), 0o700)
	}
	if err == nil {
		err = wholefile.WriteQuick(s.statusFile(), append(data, '\n'), 0o600)
	}
	return err
}

func (s *Service) statusFile() string { return filepath.Join(s.dir(), "status.json") }

type savedStatus struct {
	connection.Status
	PID int `json:"pid"`
}

// SavedStatus is the status as the running app wrote it last; ok is false where none
// did.
func (s *Service) SavedStatus() (st connection.Status, pid int, ok bool) {
	data, err := wholefile.Read(s.statusFile(), 1<<20)
	var saved savedStatus
	if err != nil || json.Unmarshal(data, &saved) != nil {
		return connection.Status{}, 0, false
	}
	return saved.Status, saved.PID, true
}

// withState uses the open state, or opens it for a moment: commands work with the
// app running or not.
func (s *Service) withState(ctx context.Context, do func(*botstate.State) error) error {
	s.mu.Lock()
	state := s.state
	s.mu.Unlock()
	if state != nil {
		return do(state)
	}
	if _, err := os.Stat(filepath.Join(s.dir(), "state.db")); errors.Is(err, fs.ErrNotExist) {
		return do(nil)
	}
	state, err := s.openState(ctx, s.p.Config().Session.InMemoryOnly)
	if err != nil {
		return err
	}
	return errors.Join(do(state), state.Close())
}

// Pairings are the strangers who wait to be let in.
func (s *Service) Pairings(ctx context.Context) (list []botstate.Pairing, err error) {
	err = s.withState(ctx, func(state *botstate.State) error {
		if state == nil {
			return nil
		}
		list, err = state.Pairings(ctx)
		return err
	})
	return list, err
}

// Approve lets in the stranger who has this code; an owner may also use the memory of
// all agents in a direct conversation.
func (s *Service) Approve(ctx context.Context, code string, owner bool) (channels.Person, error) {
	var p channels.Person
	err := s.withState(ctx, func(state *botstate.State) error {
		if state == nil {
			return fmt.Errorf("%w: nobody has written to the bot yet", botstate.ErrNoCode)
		}
		found, err := state.Whose(ctx, code)
		if err != nil {
			return err
		}
		p = channels.Person{ID: found.User, Name: found.Name, Owner: owner}
		if err := channels.Add(ctx, s.ChannelsFile(), p); err != nil {
			return fmt.Errorf("%w; the code %s still holds", err, found.Code)
		}
		if err := state.EndPairing(ctx, found); err != nil {
			s.log.Warn("a code that was used still stands among those that wait; it ends by itself", "err", err)
		}
		return nil
	})
	if err == nil {
		s.p.Tell("", "") // who waited need not be told of any more
	}
	return p, err
}

// Allow lets somebody in by their id.
func (s *Service) Allow(ctx context.Context, p channels.Person) error {
	return channels.Add(ctx, s.ChannelsFile(), p)
}

// Revoke takes somebody out who was paired.
func (s *Service) Revoke(ctx context.Context, id string) error {
	return channels.Remove(ctx, s.ChannelsFile(), id)
}

// SetToken keeps the bot's token and says where.
func (s *Service) SetToken(text string) (where string, err error) {
	t, err := token.Parse(text)
	if err != nil {
		return "", err
	}
	where, err = token.Save(s.tokenPlace(), t)
	return where, errors.Join(err, s.markToken())
}

// ForgetToken removes the token from the keychain and the file.
func (s *Service) ForgetToken() error {
	return errors.Join(token.Forget(s.tokenPlace()), s.markToken())
}

// Connect makes the running app, whichever process that is, connect anew: after
// something was put right in the developer portal.
func (s *Service) Connect() error { return s.markToken() }

// tokenMark is a file whose time says when the token was changed last: the running
// app sees by it that it changed in the keychain.
func (s *Service) tokenMark() string { return filepath.Join(s.dir(), ".token-changed") }

func (s *Service) markToken() error {
	err := os.MkdirAll(s.dir(), 0o700)
	if err == nil {
		err = os.WriteFile(s.tokenMark(), []byte(time.Now().Format(time.RFC3339Nano)+"\n"), 0o600)
	}
	s.Look()
	return err
}

// TokenFrom says where the token is found: a variable's name, keychain or the file.
func (s *Service) TokenFrom() (from string, err error) {
	_, from, err = token.Find(s.tokenPlace())
	return from, err
}
