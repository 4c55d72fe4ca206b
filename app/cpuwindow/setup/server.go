package setup

import (
	"context"
	"fmt"
	"time"

	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/models"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

const (
	serverTimeout = 4 * time.Second
	recheckEvery  = 5 * time.Second // while the server is down and somebody looks
	oldAfter      = 10 * time.Second
)

// recheckHint stands below the buttons until somebody presses Re-check.
func recheckHint() string { return i18n.T("mac-stats looks again every few seconds") }

// recheckState is what the cards say of the last look at the server.
type recheckState struct {
	note  *kit.Label
	timer *time.Timer // to the next look by itself: one, however often somebody presses Re-check
}

func newRecheckState() *recheckState {
	return &recheckState{note: kit.Small(recheckHint()).Squeezable()}
}

// soon looks again in a while, in place of an earlier look that has not come yet.
func (r *recheckState) soon(look func()) {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.timer = time.AfterFunc(recheckEvery, look)
}

// say words how it went.
func (r *recheckState) say(s state, now time.Time) {
	switch {
	case s.checking:
		r.note.Set(i18n.T("checking…"), kit.RoleMuted)
	case s.down != nil:
		r.note.Set(i18n.With("still not running, checked {{.Time}}", i18n.Places{"Time": now.Format("15:04:05")}), kit.RoleHot)
	case s.checked:
		r.note.Set(i18n.With("checked {{.Time}}", i18n.Places{"Time": now.Format("15:04:05")}), kit.RoleMuted)
	}
}

// Recheck is the Re-check of a card: it shows that something happens.
func (s *Setup) Recheck() {
	s.Check()
	s.recheck.say(s.state, time.Now())
	s.host.ServerSays(i18n.T("checking…"), false)
}

// CheckIfStale is Check where the last look is some time ago.
func (s *Setup) CheckIfStale() {
	if time.Since(s.at) > oldAfter {
		s.Check()
	}
}

// Check asks the server how it is, off the UI goroutine.
func (s *Setup) Check() {
	if s.state.checking {
		return
	}
	s.state.checking = true
	go func() {
		now := ask(s.host.Context(), s.server)
		s.host.Do(func() { s.set(now) })
	}()
}

func ask(ctx context.Context, srv Server) state {
	ctx, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	s := state{checked: true, address: srv.Address()}
	s.version, s.down = srv.Version(ctx)
	if s.down == nil {
		s.models, s.modelsErr = srv.Models(ctx)
	}
	return s
}

// state is what is known of the model server.
type state struct {
	checked   bool
	checking  bool
	down      error
	version   string
	address   string
	models    []ollama.ModelInfo
	modelsErr error
}

// line is the server's state in the foot.
func (s state) line() string {
	switch {
	case !s.checked:
		return i18n.T("looking for Ollama…")
	case s.down != nil:
		return i18n.T("Ollama is down")
	case s.modelsErr != nil:
		return i18n.With("Ollama {{.Version}} · its models can't be listed", i18n.Places{"Version": s.version})
	case len(models.ForChat(s.models)) == 0:
		return i18n.With("Ollama {{.Version}} · no model yet", i18n.Places{"Version": s.version})
	}
	return i18n.With("Ollama {{.Version}} · ready", i18n.Places{"Version": s.version})
}

// says is all that the window shows of the state.
func (s state) says() string {
	return fmt.Sprintln(s.checked, s.address, s.version, s.down, s.modelsErr, s.models)
}

func (s *Setup) set(now state) {
	news := now.says() != s.state.says()
	s.state, s.at = now, time.Now()
	s.seen = s.seen || now.down == nil
	if s.recheck.note.Text != recheckHint() { // somebody asked
		s.recheck.say(now, s.at)
	}
	s.host.ServerSays(now.line(), now.down != nil)
	if !s.host.Visible() {
		return
	}
	if news {
		s.host.SetupChanged()
		s.Draw()
	}
	if now.down != nil || len(models.ForChat(now.models)) == 0 {
		s.recheck.soon(func() {
			s.host.Do(func() {
				if s.host.Visible() {
					s.Check()
				}
			})
		})
	}
}

// pull downloads a model and looks for it: the download is shown until the model is known.
func (s *Setup) pull(ctx context.Context, model string, progress func(ollama.Progress)) error {
	err := s.server.Pull(ctx, model, progress)
	if err == nil {
		_, _ = s.server.ModelsNow(s.host.Context()) // the list that is kept lacks it; ask tells of errors
		now := ask(s.host.Context(), s.server)
		s.host.Do(func() {
			s.pulled = true
			s.set(now)
		})
	}
	return err
}

// pullChanged shows how a download is, wherever it is shown; done: there is a model that
// was not.
func (s *Setup) pullChanged(done bool) {
	if done {
		s.recheck.note.Set(recheckHint(), kit.RoleMuted)
	}
	s.host.SetupChanged()
	s.Draw()
	s.host.PullChanged(done)
}
