package discord

import (
	"context"
	"io"
	"log/slog"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem/memory"
)

const (
	// maxIntake is how many events wait to be looked at; more are dropped and counted.
	maxIntake = 2000
	// maxSeen is how many message ids are remembered beside the state's own.
	maxSeen        = 4096
	defaultWorkers = 4
	turnTimeout    = 15 * time.Minute
	sendTimeout    = 2 * time.Minute
)

// Params is what a Bot needs. Optional fields say so.
type Params struct {
	Client   Client
	Engine   Engine
	Sessions Sessions
	State    *botstate.State
	Settings func() Settings
	ReadsAll bool // Discord was asked for messages that don't mention the bot
	Channels func() *channels.File
	// Prompt is the text that comes first in every call.
	Prompt func() string
	// Forget erases what is known of a person beyond the bot's own state, and says in
	// words what that was; optional.
	Forget func(ctx context.Context, user string) (string, error)
	// OwnMemory is an agent's own memory, where it has one; optional.
	OwnMemory func(selector string) (memory.Target, bool)
	Paired    func(botstate.Pairing)       // a stranger was given a code; optional
	Refused   func(place connection.Place) // an answer may not be posted there; optional
	Telemetry io.Writer                    // optional: logs/memory.jsonl
	Workers   int                          // turns at a time; 4 where 0
	Logger    *slog.Logger                 // optional
}

// Bot answers on Discord. One a process; Handle may be called from any goroutine.
type Bot struct {
	p         Params
	log       *slog.Logger
	telemetry *telemetry
	queue     *queue
	limits    *limiter
	intake    chan connection.Event
	dropped   atomic.Int64
	began     time.Time
	commands  sync.Once

	hearing sync.Mutex // guards heard; taken before mu
	heard   map[string]map[string]string

	mu      sync.Mutex // guards what follows
	seen    map[string]bool
	recent  []string // ids in seen, the oldest first
	pending map[string]*pending
	fun     map[string]*funState
	forgot  map[string]time.Time // when somebody wanted to be forgotten
	clean   map[string]bool      // who was forgotten and has said nothing since
	ctx     context.Context      // of Run
	open    int                  // events, short work and pauses that are not over
	ended   bool                 // Run waits for the last of the work, or is over
	work    sync.WaitGroup       // short work beside the workers
}

var mentionPattern = regexp.MustCompile(`<(@[!&]?|#)\d{1,20}>`)

// New panics where a required field is missing.
func New(p Params) *Bot {
	if p.Client == nil || p.Engine == nil || p.Sessions == nil || p.State == nil || p.Settings == nil || p.Channels == nil || p.Prompt == nil {
		panic("discord: New needs Client, Engine, Sessions, State, Settings, Channels and Prompt")
	}
	if p.Logger == nil {
		p.Logger = slog.New(slog.DiscardHandler)
	}
	if p.Workers <= 0 {
		p.Workers = defaultWorkers
	}
	return &Bot{
		p: p, log: p.Logger, telemetry: &telemetry{to: p.Telemetry, log: p.Logger}, queue: newQueue(), limits: newLimiter(),
		began: time.Now(), intake: make(chan connection.Event, maxIntake), seen: map[string]bool{}, pending: map[string]*pending{},
		fun: map[string]*funState{}, heard: map[string]map[string]string{}, forgot: map[string]time.Time{}, clean: map[string]bool{}, ctx: context.Background(),
	}
}

// Run answers until ctx ends, and waits for what is under way: turns are stopped,
// their partial answers are kept.
func (b *Bot) Run(ctx context.Context) {
	b.mu.Lock()
	b.ctx = ctx
	b.mu.Unlock()
	var all sync.WaitGroup
	for range b.p.Workers {
		all.Go(func() {
			for {
				w := b.queue.next(ctx)
				if w == nil {
					return
				}
				if b.answer(ctx, w) {
					b.settle(w.job.channel(), b.queue.snapshot(w, true).all()...)
				}
				for late := b.queue.done(w); late != nil; late = b.queue.done(w) {
					b.amend(context.WithoutCancel(ctx), w.job.channel(), late)
				}
			}
		})
	}
	all.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case e := <-b.intake:
				b.take(ctx, e)
				b.over()
			}
		}
	})
	all.Wait()
	b.mu.Lock()
	b.ended = true // before the wait: nothing is begun beside it
	b.mu.Unlock()
	b.work.Wait()
}

// Handle is told what happens on Discord; it never waits. What must get through is
// begun at once, the rest is looked at in order.
func (b *Bot) Handle(e connection.Event) {
	switch e.Kind {
	case connection.EventReady:
		b.commands.Do(func() {
			b.aside(b.offerCommands)
			b.aside(b.tellInterrupted)
		})
		return
	case connection.EventCommand:
		b.aside(func(ctx context.Context) { b.slash(ctx, e.Command) })
		return
	case connection.EventMessage:
		if op := b.operator(e.Message); op != "" {
			b.aside(func(ctx context.Context) { b.operate(ctx, op, e.Message) })
			return
		}
	}
	b.mu.Lock()
	b.open++
	b.mu.Unlock()
	select {
	case b.intake <- e:
	default:
		b.over()
		b.dropped.Add(1)
		b.log.Warn("too many events at once: one was left out", "dropped", b.dropped.Load())
	}
}

// aside does short work on a goroutine of its own, that Run waits for.
func (b *Bot) aside(do func(ctx context.Context)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return // nobody waits for it any more
	}
	parent := b.ctx
	b.open++
	b.work.Go(func() {
		defer b.over()
		ctx, cancel := context.WithTimeout(parent, sendTimeout)
		defer cancel()
		do(ctx)
	})
}

// later does something after a while, unless never takes it back. It needs the lock;
// do runs without it.
func (b *Bot) later(after time.Duration, do func()) *time.Timer {
	b.open++
	return time.AfterFunc(after, func() {
		defer b.over()
		do()
	})
}

// never takes back what later was told, and reports whether it still could. It needs
// the lock; there may be no timer.
func (b *Bot) never(t *time.Timer) bool {
	if t == nil || !t.Stop() {
		return false
	}
	b.open--
	return true
}

func (b *Bot) over() {
	b.mu.Lock()
	b.open--
	b.mu.Unlock()
}

// Idle reports whether all that Handle was told is done with: nothing waits to be
// looked at, gathered or answered, and the last answer stands in the window.
func (b *Bot) Idle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open == 0 && b.queue.idle()
}

// isNew notes a message and reports whether it was not seen before, by this process
// or an earlier one.
func (b *Bot) isNew(ctx context.Context, id string) bool {
	b.mu.Lock()
	known := b.seen[id]
	if !known {
		b.seen[id] = true
		if b.recent = append(b.recent, id); len(b.recent) > maxSeen {
			delete(b.seen, b.recent[0])
			b.recent = b.recent[1:]
		}
	}
	b.mu.Unlock()
	if known {
		return false
	}
	before, err := b.p.State.Seen(ctx, id)
	if err != nil {
		b.log.Warn("whether a message was answered before can't be looked up", "message", id, "err", err)
		return true
	}
	return !before
}

// say posts a short text of the bot's own, as an answer to a message.
func (b *Bot) say(ctx context.Context, m connection.Message, text string) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if _, err := b.p.Client.Send(ctx, m.Channel, connection.Outgoing{Text: cutTo(text, partSize), Reply: m.ID, Nonce: "s" + m.ID}); err != nil {
		b.log.Warn("a message could not be sent", "channel", m.Channel, "err", err)
	}
}

// sessionName is a channel's session. Ids are digits, as the connection makes sure.
func sessionName(channel string) string { return "discord-" + channel }
