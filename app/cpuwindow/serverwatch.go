package cpuwindow

import (
	"context"
	"fmt"
	"time"

	"mac-stats/agents/ollama"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

const (
	serverTimeout = 4 * time.Second
	recheckEvery  = 5 * time.Second // while the server is down and somebody looks
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
func (r *recheckState) say(s serverState, now time.Time) {
	switch {
	case s.checking:
		r.note.Set(i18n.T("checking…"), kit.RoleMuted)
	case s.down != nil:
		r.note.Set(i18n.With("still not running, checked {{.Time}}", i18n.Places{"Time": now.Format("15:04:05")}), kit.RoleHot)
	case s.checked:
		r.note.Set(i18n.With("checked {{.Time}}", i18n.Places{"Time": now.Format("15:04:05")}), kit.RoleMuted)
	}
}

// recheckNow is the Re-check of a card: it shows that something happens.
func (w *Window) recheckNow() {
	w.checkServer()
	w.recheck.say(w.server, time.Now())
	w.foot.SetServer(i18n.T("checking…"), false)
}

// checkServer asks the server how it is, off the UI goroutine.
func (w *Window) checkServer() {
	if w.server.checking {
		return
	}
	w.server.checking = true
	go func() {
		s := askServer(w.ctx, w.parts.server)
		w.p.Do(func() { w.setServer(s) })
	}()
}

func askServer(ctx context.Context, srv server) serverState {
	ctx, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	s := serverState{checked: true, address: srv.Address()}
	s.version, s.down = srv.Version(ctx)
	if s.down == nil {
		s.models, s.modelsErr = srv.Models(ctx)
	}
	return s
}

// says is all that the window shows of the state.
func (s serverState) says() string {
	return fmt.Sprintln(s.checked, s.address, s.version, s.down, s.modelsErr, s.models)
}

func (w *Window) setServer(s serverState) {
	news := s.says() != w.server.says()
	w.server, w.serverAt = s, time.Now()
	w.serverSeen = w.serverSeen || s.down == nil
	if w.recheck.note.Text != recheckHint() { // somebody asked
		w.recheck.say(s, w.serverAt)
	}
	w.foot.SetServer(s.line(), s.down != nil)
	if !w.visible {
		return
	}
	if news {
		w.painter.changed(w.shown)
		w.drawWelcome()
	}
	if s.down != nil || len(chatModels(s.models)) == 0 {
		w.recheck.soon(func() {
			w.p.Do(func() {
				if w.visible {
					w.checkServer()
				}
			})
		})
	}
}

// pullModel downloads a model and looks for it: the download is shown until the window
// knows the model.
func (w *Window) pullModel(ctx context.Context, model string, progress func(ollama.Progress)) error {
	err := w.parts.server.Pull(ctx, model, progress)
	if err == nil {
		_, _ = w.parts.server.ModelsNow(w.ctx) // the list that is kept lacks it; askServer tells of errors
		s := askServer(w.ctx, w.parts.server)
		w.p.Do(func() {
			w.pulled = true
			w.setServer(s)
		})
	}
	return err
}

// pullChanged shows how a download is, wherever it is shown; done: there is a model that
// was not.
func (w *Window) pullChanged(done bool) {
	if done {
		w.recheck.note.Set(recheckHint(), kit.RoleMuted)
	}
	w.painter.changed(w.shown)
	w.drawWelcome()
	if w.page == pageModels && w.visible {
		if done {
			w.models.Load()
		} else {
			w.models.Draw()
		}
	}
}

func (w *Window) setup() setupCards {
	return setupCards{
		open: w.openLink, copyText: func(t string) { w.p.App.Clipboard().SetContent(t) },
		check: w.recheckNow, note: w.recheck.note, demo: w.tryDemo(), puller: w.puller,
	}
}
