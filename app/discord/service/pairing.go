package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/channels"
)

// withState calls do with the open state, or opens it briefly: commands work whether or not
// the app is running.
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

// Pairings returns the strangers who wait to be let in.
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

// Approve lets in the stranger with this code. An owner may also use the memory of all
// agents in a direct conversation.
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
		s.p.Notify("", "") // the notice about the stranger is obsolete
	}
	return p, err
}

// Allow lets in the person with this ID.
func (s *Service) Allow(ctx context.Context, p channels.Person) error {
	return channels.Add(ctx, s.ChannelsFile(), p)
}

// Revoke removes a person who was paired.
func (s *Service) Revoke(ctx context.Context, id string) error {
	return channels.Remove(ctx, s.ChannelsFile(), id)
}
