package models

import (
	"context"
	"errors"
	"testing"
	"time"

	"mac-stats/agents/ollama"
)

// host runs functions for the UI goroutine at once.
type host struct{ ctx context.Context }

func (h host) Do(f func())              { f() }
func (h host) Context() context.Context { return h.ctx }

// If Stop comes with the last byte, the model is there, and the download doesn't count as
// stopped.
func TestADownloadThatEndedWasNotStopped(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		want bool // the download is shown as stopped
	}{
		"the last byte came": {nil, false},
		"bytes were missing": {context.Canceled, true},
		"it failed as well":  {errors.New("odd"), true},
	} {
		t.Run(name, func(t *testing.T) {
			over := make(chan bool, 2)
			var p *Puller
			p = NewPuller(host{t.Context()}, func(context.Context, string, func(ollama.Progress)) error {
				p.Stop()
				return tt.err
			}, func(done bool) { over <- done })
			p.Start("small:1b")
			<-over // the download has begun
			if done := <-over; done == tt.want || p.Now().Stopped != tt.want {
				t.Errorf("done %v, shown as %+v", done, p.Now())
			}
		})
	}
}

func TestPullProgressInWords(t *testing.T) {
	for want, p := range map[string]Pull{
		"Asking for it…":                                 {Status: "pulling manifest"},
		"12 MB of 98 MB · 12 %":                          {Status: "pulling b179c9523d0e", Completed: 12e6, Total: 98e6},
		"1.3 GB of 5.2 GB · 25 % · about 6 minutes left": {Status: "pulling b179c9523d0e", Completed: 1.3e9, Total: 5.2e9, Left: 5*time.Minute + 1},
		"1.3 GB of 5.2 GB · 25 % · about 2 hours left":   {Status: "pulling b179c9523d0e", Completed: 1.3e9, Total: 5.2e9, Left: 90 * time.Minute},
		"Checking what came…":                            {Status: "verifying sha256 digest", Completed: 5.2e9, Total: 5.2e9, Left: 1},
		"Installing…":                                    {Status: "writing manifest", Completed: 5.2e9, Total: 5.2e9},
		"Stopped at 1.3 GB of 5.2 GB · 25 %":             {Status: "pulling b179c9523d0e", Completed: 1.3e9, Total: 5.2e9, Stopped: true},
		"A step of a later Ollama…":                      {Status: "a step of a later Ollama", Completed: 5.2e9, Total: 5.2e9},
	} {
		if got := p.words(); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
}

// What was downloaded before doesn't count for the pace.
func TestPullTimeLeft(t *testing.T) {
	half := Pull{Completed: 3e9, Total: 5e9}
	for took, want := range map[time.Duration]time.Duration{time.Second: 0, 10 * time.Second: 20 * time.Second} {
		if got := half.timeLeft(2e9, took); got != want {
			t.Errorf("after %v: %v, want %v", took, got, want)
		}
	}
	if got := half.timeLeft(3e9, time.Minute); got != 0 {
		t.Errorf("nothing came, and it says %v", got)
	}
}

func TestPullFailuresInWords(t *testing.T) {
	for _, tt := range []struct{ detail, what, next string }{
		{`pull model manifest: Get "https://x/v2": dial tcp: lookup x: no such host`, "The registry could not be reached.", "Is the machine online? Then try again."},
		{"pull model manifest: file does not exist", "The registry has no model m:1b.", "Check its name in the list of models, then try again."},
		{"write: no space left on device", "The disk is full.", "Free some space, then try again. The download continues where it stopped."},
		{"odd", "The download of m:1b failed.", "Try again. Ollama said: odd"},
	} {
		what, next := failure("m:1b", &ollama.Error{Kind: ollama.ErrServer, Host: "h", Detail: tt.detail})
		if what != tt.what || next != tt.next {
			t.Errorf("%q: %q, %q", tt.detail, what, next)
		}
	}
	if what, _ := failure("m:1b", &ollama.Error{Kind: ollama.ErrOllamaDown, Host: "h:1"}); what != "Ollama isn't running at h:1." {
		t.Errorf("a server that is down: %q", what)
	}
}
