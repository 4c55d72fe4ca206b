package cpuwindow

import (
	"errors"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/app/backend"
	"mac-stats/app/ui/screentest"
)

func TestANoticeDisappearsWhenNoLongerTrue(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		bad := backend.Notice{Kind: backend.NoticeConfig, Text: "config.toml:1: is not TOML", Next: "Edit config.toml"}
		held := []backend.Notice{bad}
		b.with(func(p *parts) { p.notices = func() []backend.Notice { return held } })
		b.notify(bad)
		b.Settle()
		b.Sees("is not TOML.", "Edit config.toml.")
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "memory.md reloaded"})
		b.Settle()
		b.Sees("is not TOML.")
		held = nil
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "config.toml reloaded"})
		b.Settle()
		b.SeesNot("is not TOML")
	})
}

func TestReloadsFadeFromTheFoot(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "memory.md reloaded · +2 −0"})
		(<-b.Queue)()
		if got := b.w.chat.Foot.Reload.Text; got != "memory.md reloaded · +2 −0" {
			t.Fatalf("the foot says %q", got)
		}
		time.Sleep(2 * footStays)
		b.Settle()
		if got := b.w.chat.Foot.Reload.Text; got != "" {
			t.Errorf("the foot still says %q", got)
		}
	})
}

// What was reloaded isn't covered by what the server reads in advance because of it, and an
// end that comes while the window is hidden is shown too.
func TestReadingAheadIsInTheFoot(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		says := func(want string) {
			t.Helper()
			b.Settle()
			if got := b.w.chat.Foot.Reload.Text; got != want {
				t.Errorf("the foot says %q, want %q", got, want)
			}
		}
		ahead := func(model string) { b.notify(backend.Notice{Kind: backend.NoticeAhead, Text: model}) }
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "memory.md reloaded · +2 −0"})
		ahead("qwen3:8b")
		(<-b.Queue)()
		(<-b.Queue)()
		if got := b.w.chat.Foot.Reload.Text; got != "memory.md reloaded · +2 −0" {
			t.Errorf("the foot says %q", got)
		}
		time.Sleep(2 * footStays)
		says("qwen3:8b is reading ahead")
		ahead("")
		says("")
		ahead("qwen3:8b")
		says("qwen3:8b is reading ahead")
		b.w.Hide()
		ahead("")
		b.Settle()
		b.w.Show()
		says("")
	})
}

func TestAReloadThatNeedsActionStays(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.set("ollama.host", "other:1")
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "config.toml reloaded", Next: "The server's address applies after a restart."})
		b.Settle()
		b.Sees("config.toml reloaded.", "address applies after a restart.")
		b.w.win.Resize(fyne.NewSize(980, 3000))
		b.w.ShowSettings()
		b.Settle()
		b.Sees("Takes effect after a restart.")
	})
}

func TestTheHelpStaysBelowAFailedTurn(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.server.down = errors.New("refused")
		b.shown()
		b.w.chat.Send("q")
		b.Settle()
		b.run(0).Sent <- agents.Event{Type: agents.EventState, State: agents.StateQueued, Block: "u1"}
		b.run(0).Sent <- agents.Event{Type: agents.EventError, Kind: fault.KindDown, Text: "Ollama isn't running at h.", Detail: "Start it with `ollama serve`, then Retry."}
		close(b.run(0).Sent)
		b.Settle()
		b.Sees("running at h.", "Retry", "Get Ollama", "Re-check")
		b.w.chat.View.Act.Retry(lastFault(b.w.chats().Shown()))
		b.run(1).Sent <- agents.Event{Type: agents.EventError, Kind: fault.KindDown, Text: "Ollama isn't running at h."}
		close(b.run(1).Sent)
		b.Settle()
		b.Sees("tried again at ")
		b.server.mu.Lock()
		b.server.down = nil
		b.server.mu.Unlock()
		b.w.setup.Check()
		b.Settle()
		b.SeesNot("Get Ollama")
	})
}

func TestAMissingModelCanBePulledWhereverItWasNamed(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		missing := &ollama.Error{Kind: ollama.ErrModelMissing, Op: "resolve", Host: "h", Model: "typed:1b"}
		b := newBench(t).shown()
		b.w.chat.Send("q")
		b.run(0).Sent <- agents.Event{Type: agents.EventError, Kind: fault.KindModelMissing, Text: "typed:1b isn't installed.", Err: missing}
		b.Settle()
		b.Sees("Pull typed:1b")
	})
}
