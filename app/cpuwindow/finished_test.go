package cpuwindow

import (
	"testing"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/app/config"
	"mac-stats/app/ui/screentest"
)

// lifecycle is how Fyne reports focus changes.
type lifecycle interface {
	OnEnteredForeground() func()
	OnExitedForeground() func()
}

func TestASlowAnswerNotifiesIfNobodyIsWatching(t *testing.T) {
	done := agents.Event{Type: agents.EventDone, Text: "the secret answer"}
	for name, c := range map[string]struct {
		took    time.Duration
		after   time.Duration
		prepare func(b *bench)
		last    agents.Event
		want    string
	}{
		"slow and unseen":      {took: time.Minute, last: done, want: "“Why is my fan loud?”: the answer is ready"},
		"it failed":            {took: time.Minute, last: agents.Event{Type: agents.EventError, Kind: fault.KindDown}, want: "“Why is my fan loud?”: no answer: something went wrong"},
		"stopped by the user":  {took: time.Minute, last: agents.Event{Type: agents.EventError, Kind: fault.KindCancelled}},
		"quick":                {took: 9 * time.Second, last: done},
		"turned off":           {took: time.Minute, after: -1, last: done},
		"the window is looked": {took: time.Minute, last: done, prepare: func(b *bench) { b.w.p.App.Lifecycle().(lifecycle).OnEnteredForeground()() }},
		"focused but hidden":   {took: time.Minute, last: done, prepare: func(b *bench) { b.w.chats().Focus(true); b.w.Hide() }, want: "“Why is my fan loud?”: the answer is ready"},
		"private":              {took: time.Minute, last: done, prepare: func(b *bench) { b.w.chats().Shown().BeginLoading(true) }},
		"private by a setting": {took: time.Minute, last: done, prepare: func(b *bench) { b.keeper.SetPrivate(b.w.chats().Shown().Name) }},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t)
				cfg := config.Default()
				if c.after != 0 {
					cfg.Session.NotifyAfter = 0
				}
				got := ""
				var press func()
				b.params.Notify = func(title, body string, onClick func()) {
					got, press = body, onClick
					if title != "mac-stats" {
						t.Errorf("the title is %q", title)
					}
				}
				b.with(func(p *parts) { p.config = func() config.Config { return cfg } })
				b.shown()
				b.w.p.App.Lifecycle().(lifecycle).OnEnteredForeground()()
				b.w.p.App.Lifecycle().(lifecycle).OnExitedForeground()()
				b.w.chat.Send("Why is my fan loud?")
				if c.prepare != nil {
					c.prepare(b)
				}
				conv := b.w.chats().Shown()
				time.Sleep(c.took)
				b.run(0).Sent <- c.last
				close(b.run(0).Sent)
				b.Settle()
				if got != c.want {
					t.Errorf("it says %q, want %q", got, c.want)
				}
				if press == nil {
					return
				}
				b.w.chat.NewPrivateChat()
				b.w.Hide()
				press()
				b.Settle()
				if b.w.chats().Shown() != conv || !b.w.visible {
					t.Error("pressing it does not open the conversation")
				}
			})
		})
	}
}
