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
	recheckEvery  = 5 * time.Second // while the server is down and the window is visible
	staleAfter    = 10 * time.Second
)

// recheckHint is the text below the buttons until the user presses Re-check.
func recheckHint() string { return i18n.T("mac-stats looks again every few seconds") }

// recheckState shows the result of the last check on the cards, and schedules the next one.
type recheckState struct {
	note  *kit.Label
	timer *time.Timer // runs the next automatic check; one, however often the user presses Re-check
}

func newRecheckState() *recheckState {
	return &recheckState{note: kit.Small(recheckHint()).Squeezable()}
}

// schedule schedules the next check, in place of one that is already scheduled.
func (r *recheckState) schedule(check func()) {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.timer = time.AfterFunc(recheckEvery, check)
}

// show shows the result of a check.
func (r *recheckState) show(s state, now time.Time) {
	switch {
	case s.checking:
		r.note.Set(i18n.T("checking…"), kit.RoleMuted)
	case s.down != nil:
		r.note.Set(i18n.With("still not running, checked {{.Time}}", i18n.Places{"Time": now.Format("15:04:05")}), kit.RoleHot)
	case s.checked:
		r.note.Set(i18n.With("checked {{.Time}}", i18n.Places{"Time": now.Format("15:04:05")}), kit.RoleMuted)
	}
}

// Recheck runs Check for the Re-check button and shows that it is checking.
func (s *Setup) Recheck() {
	s.Check()
	s.recheck.show(s.state, time.Now())
	s.host.ShowServer(i18n.T("checking…"), false)
}

// CheckIfStale runs Check if the last check is older than ten seconds.
func (s *Setup) CheckIfStale() {
	if time.Since(s.at) > staleAfter {
		s.Check()
	}
}

// Check asks the server for its version and models, off the UI goroutine.
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

// state holds what is known about the model server.
type state struct {
	checked   bool
	checking  bool
	down      error
	version   string
	address   string
	models    []ollama.ModelInfo
	modelsErr error
}

// line returns the server's state as the foot shows it.
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

// key returns everything that the window shows of the state.
func (s state) key() string {
	return fmt.Sprintln(s.checked, s.address, s.version, s.down, s.modelsErr, s.models)
}

func (s *Setup) set(now state) {
	changed := now.key() != s.state.key()
	s.state, s.at = now, time.Now()
	s.seen = s.seen || now.down == nil
	if s.recheck.note.Text != recheckHint() { // the user pressed Re-check
		s.recheck.show(now, s.at)
	}
	s.host.ShowServer(now.line(), now.down != nil)
	if !s.host.Visible() {
		return
	}
	if changed {
		s.host.SetupChanged()
		s.Draw()
	}
	if now.down != nil || len(models.ForChat(now.models)) == 0 {
		s.recheck.schedule(func() {
			s.host.Do(func() {
				if s.host.Visible() {
					s.Check()
				}
			})
		})
	}
}

// pull downloads a model. The download is shown until the list of models has the model.
func (s *Setup) pull(ctx context.Context, model string, progress func(ollama.Progress)) error {
	err := s.server.Pull(ctx, model, progress)
	if err == nil {
		_, _ = s.server.ModelsNow(s.host.Context()) // refreshes the cached list; ask reports errors
		now := ask(s.host.Context(), s.server)
		s.host.Do(func() {
			s.pulled = true
			s.set(now)
		})
	}
	return err
}

// pullChanged updates the download wherever it is shown. done reports that the model is
// installed.
func (s *Setup) pullChanged(done bool) {
	if done {
		s.recheck.note.Set(recheckHint(), kit.RoleMuted)
	}
	s.host.SetupChanged()
	s.Draw()
	s.host.PullChanged(done)
}
