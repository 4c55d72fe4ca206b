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
	// maxIntake is the number of events that may wait; more are dropped and counted.
	maxIntake = 2000
	// maxSeen is the number of message IDs to remember, in addition to those in the state.
	maxSeen        = 4096
	defaultWorkers = 4
	turnTimeout    = 15 * time.Minute
	sendTimeout    = 2 * time.Minute
)

// Params holds the dependencies of a Bot. Optional fields say so.
type Params struct {
	Client   Client
	Engine   Engine
	Sessions Sessions
	State    *botstate.State
	Settings func() Settings
	ReadsAll bool // the bot also receives messages that don't mention it
	Channels func() *channels.File
	// Prompt returns the text that comes first in every call.
	Prompt func() string
	// Forget erases everything known about a person except in the bot's own state, and
	// returns in words what it erased. Optional.
	Forget func(ctx context.Context, user string) (string, error)
	// OwnMemory returns an agent's own memory, if it has one. Optional.
	OwnMemory func(selector string) (memory.Target, bool)
	Paired    func(botstate.Pairing)                  // called when a stranger was given a code; optional
	Refused   func(place connection.Place, why error) // called when an answer wasn't sent, or may not have been; optional
	Twin      func()                                  // called when another program uses the same token; optional
	Telemetry io.Writer                               // optional: logs/memory.jsonl
	Workers   int                                     // concurrent turns; 4 if 0
	Logger    *slog.Logger                            // optional
}

// Bot answers on Discord. There is one in a process. Handle may be called from any
// goroutine.
type Bot struct {
	*desk
	*tasks
	queue    *queue
	seen     *seen
	people   *people
	record   *record
	waiting  *waiting
	answers  *answerer
	commands *commands
	intake   chan connection.Event
	dropped  atomic.Int64
	began    time.Time
	offered  sync.Once // for the commands, when Discord is ready
}

var mentionPattern = regexp.MustCompile(`<(@[!&]?|#)\d{1,20}>`)

// New returns a Bot. It panics if a required field is missing.
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
	d := &desk{p: p, log: p.Logger, telemetry: &telemetry{to: p.Telemetry, log: p.Logger}, limits: newLimiter()}
	b := &Bot{
		desk: d, tasks: &tasks{ctx: context.Background()}, queue: newQueue(), began: time.Now(), intake: make(chan connection.Event, maxIntake),
		seen:   &seen{desk: d, ids: map[string]bool{}},
		people: &people{forgot: map[string]time.Time{}, clean: map[string]bool{}},
		record: &record{desk: d, held: map[string]map[string]string{}},
	}
	b.waiting = &waiting{desk: d, tasks: b.tasks, queue: b.queue, pending: map[string]*pending{}, fun: map[string]*funState{}}
	b.answers = &answerer{desk: d, tasks: b.tasks, queue: b.queue, people: b.people, record: b.record}
	b.commands = &commands{desk: d, tasks: b.tasks, queue: b.queue, waiting: b.waiting, people: b.people, record: b.record, seen: b.seen}
	return b
}

// Run answers until ctx ends, and waits for unfinished work: turns are stopped and their
// partial answers saved.
func (b *Bot) Run(ctx context.Context) {
	b.run(ctx)
	var all sync.WaitGroup
	for range b.p.Workers {
		all.Go(func() {
			for {
				w := b.queue.next(ctx)
				if w == nil {
					return
				}
				if b.answers.answer(ctx, w) {
					b.settle(w.job.channel(), b.queue.snapshot(w, true).all()...)
				}
				for late := b.queue.done(w); late != nil; late = b.queue.done(w) {
					b.record.amend(context.WithoutCancel(ctx), w.job.channel(), late)
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
				b.handle(ctx, e)
				b.over()
			}
		}
	})
	all.Wait()
	b.end()
}

// Handle receives the events of Discord and never waits. What must get through is started
// at once; everything else is processed in order.
func (b *Bot) Handle(e connection.Event) {
	switch e.Kind {
	case connection.EventReady:
		b.offered.Do(func() {
			b.spawn(b.commands.offerCommands)
			b.spawn(b.notifyInterrupted)
		})
		return
	case connection.EventCommand:
		b.spawn(func(ctx context.Context) { b.commands.slash(ctx, e.Command) })
		return
	case connection.EventMessage:
		if op := b.commands.operator(e.Message); op != "" {
			b.spawn(func(ctx context.Context) { b.commands.operate(ctx, op, e.Message) })
			return
		}
	}
	b.begin()
	select {
	case b.intake <- e:
	default:
		b.over()
		b.dropped.Add(1)
		b.log.Warn("too many events at once: one was left out", "dropped", b.dropped.Load())
	}
}

// Idle reports whether all events given to Handle are done: nothing waits to be looked at,
// gathered or answered, and the last answer is in the window.
func (b *Bot) Idle() bool {
	return b.isDone() && b.queue.idle() // in this order: work that ends in the first continues in the second
}
