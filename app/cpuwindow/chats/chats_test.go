package chats

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// bench holds chats with stub parts. It is also their host; its lock stands for the UI goroutine.
type bench struct {
	*Chats
	ctx  context.Context
	ui   sync.Mutex
	home string

	mu       sync.Mutex
	runs     []*run
	asked    []string // the texts of all requests
	drawn    int
	notified []string // the notifications
	told     []string // the notices in the window
	opened   string   // the session that a notification led to
	press    func()   // presses the newest notification
	active   conversation.Run
}

// run is a run whose events a test sends.
type run struct{ events chan agents.Event }

func (r *run) Events(context.Context) <-chan agents.Event { return r.events }
func (*run) Stop()                                        {}
func (*run) StopCall(string)                              {}
func (*run) Answer(string, agents.Answer) bool            { return true }

func (b *bench) Do(f func()) {
	go func() {
		b.ui.Lock()
		defer b.ui.Unlock()
		f()
	}()
}

// onUI runs f on the UI goroutine and waits until everything is idle.
func (b *bench) onUI(f func()) {
	b.ui.Lock()
	f()
	b.ui.Unlock()
	synctest.Wait()
}

// seen returns the requests, the number of drawings and the notifications.
func (b *bench) seen() (asked []string, drawn int, notified []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.asked), b.drawn, slices.Clone(b.notified)
}

func (b *bench) Draw(conversation.View) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drawn++
}

func (b *bench) notify(_, body string, onClick func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notified, b.press = append(b.notified, body), onClick
}

func (b *bench) Notify(words, more string) { b.told = append(b.told, words+" "+more) }
func (b *bench) ShowSession(name string)   { b.opened = name }

// Active returns a run of this process that the chats didn't start.
func (b *bench) Active(string) conversation.Run { return b.active }
func (*bench) Attend(string)                    {}
func (*bench) Typing()                          {}

func (b *bench) Context() context.Context                                     { return b.ctx }
func (*bench) Started(*conversation.Conversation)                             {}
func (*bench) Address(*agents.Request)                                        {}
func (*bench) NoServer()                                                      {}
func (*bench) ListChanged()                                                   {}
func (*bench) NewName(source string) string                                   { return source + "-new" }
func (*bench) SetPrivate(string)                                              {}
func (*bench) IsPrivate(name string) bool                                     { return strings.HasPrefix(name, "private") }
func (*bench) Inbox() ([]memory.Proposal, error)                              { return nil, nil }
func (*bench) Undoable() []memory.UndoStep                                    { return nil }
func (*bench) SetSettings(context.Context, string, transcript.Settings) error { return nil }

func (*bench) Load(context.Context, string) (*transcript.Transcript, error) {
	return nil, errors.New("no file")
}

func (*bench) Removed(context.Context, string) (session.Removed, error) {
	return session.Removed{}, nil
}

func (b *bench) Start(_ context.Context, req agents.Request) conversation.Run {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := &run{events: make(chan agents.Event)}
	b.runs, b.asked = append(b.runs, r), append(b.asked, req.Text)
	return r
}

// memories holds no lessons.
type memories struct {
	Memories
	*bench
}

func (m memories) Inbox() ([]memory.Proposal, error) { return m.bench.Inbox() }
func (m memories) Undoable() []memory.UndoStep       { return m.bench.Undoable() }

func newBench(t *testing.T, home string) *bench {
	t.Helper()
	b := &bench{ctx: t.Context(), home: home}
	b.Chats = New(b, Parts{
		Engine: b, Sessions: b, Library: b, Memories: memories{bench: b}, Config: config.Default, Home: home,
		Notify:    b.notify,
		Forgotten: func(string, time.Time) bool { return false },
	})
	return b
}

// end ends the nth turn.
func (b *bench) end(n int, ev agents.Event) {
	b.mu.Lock()
	r := b.runs[n]
	b.mu.Unlock()
	r.events <- ev
	close(r.events)
	synctest.Wait()
}

func TestAQueuedMessageIsSentAfterASuccessfulTurn(t *testing.T) {
	for name, tt := range map[string]struct {
		last agents.Event
		want []string
	}{
		"well":   {agents.Event{Type: agents.EventDone, Text: "yes"}, []string{"one", "two"}},
		"failed": {agents.Event{Type: agents.EventError, Kind: fault.KindDown}, []string{"one"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, t.TempDir())
				b.onUI(func() {
					c := b.Fresh()
					b.Show(c)
					b.Turns.Send(c, "one", nil)
					b.Turns.Send(c, "two", nil)
				})
				b.end(0, tt.last)
				asked, _, _ := b.seen()
				if diff := cmp.Diff(tt.want, asked); diff != "" {
					t.Error(diff)
				}
				for i := range asked[1:] {
					b.end(i+1, agents.Event{Type: agents.EventDone})
				}
				time.Sleep(time.Second) // drafts
			})
		})
	}
}

func TestOnlyAVisibleConversationIsDrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, t.TempDir())
		b.onUI(func() {
			c := b.Fresh()
			b.Show(c)
			b.Turns.Send(c, "one", nil)
		})
		time.Sleep(time.Minute)
		if _, drawn, _ := b.seen(); drawn != 0 {
			t.Errorf("hidden, it was drawn %d times", drawn)
		}
		b.onUI(func() { b.SetVisible(true) })
		b.mu.Lock()
		events := b.runs[0].events
		b.mu.Unlock()
		for range 100 {
			events <- agents.Event{Type: agents.EventToken, Round: 1, Text: "word "}
		}
		b.end(0, agents.Event{Type: agents.EventDone})
		time.Sleep(time.Second)
		if _, drawn, _ := b.seen(); drawn == 0 || drawn > 4 {
			t.Errorf("it was drawn %d times", drawn)
		}
	})
}

func TestASlowAnswerNotifiesUnlessItIsPrivate(t *testing.T) {
	for name, want := range map[string]int{"cpu-a": 1, "private-a": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, t.TempDir())
				b.onUI(func() {
					c, _ := b.Named(name)
					b.Show(c)
					b.Turns.Send(c, "one", nil)
				})
				time.Sleep(config.Default().Session.NotifyAfter)
				b.end(0, agents.Event{Type: agents.EventDone})
				if _, _, notified := b.seen(); len(notified) != want {
					t.Errorf("notified %q", notified)
				}
				time.Sleep(time.Second)
			})
		})
	}
}

func TestDraftsSurviveARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		home := t.TempDir()
		if err := os.Mkdir(filepath.Join(home, "session"), 0o700); err != nil {
			t.Fatal(err)
		}
		b := newBench(t, home)
		b.onUI(func() {
			for _, name := range []string{"cpu-a", "private-a"} {
				c, _ := b.Named(name)
				c.KeepDraft("half of " + name)
				b.Show(c)
			}
			b.Drafts.Save()
		})
		time.Sleep(time.Second)
		synctest.Wait()
		again := newBench(t, home)
		var drafts []string
		for _, name := range []string{"cpu-a", "private-a"} {
			c, _ := again.Named(name)
			drafts = append(drafts, c.Draft())
		}
		if !slices.Equal(drafts, []string{"half of cpu-a", ""}) {
			t.Errorf("the drafts are %q", drafts)
		}
	})
}
