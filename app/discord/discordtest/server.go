package discordtest

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// The kinds of channels, as Discord numbers them.
const (
	Text   = 0
	DM     = 1
	Thread = 11
	Forum  = 15
)

// BotID and BotName are the bot's own account.
const (
	BotID   = "900000000000000001"
	BotName = "luna"
	// Token is the only one that is let in.
	Token = "test-token.of-the.bot"
)

// The intents that matter here.
const (
	IntentMessageContent = 1 << 15
)

// BotRole is the role that Discord makes for the bot in each server.
const BotRole = "900000000000000009"

// Server is the fake. Its methods may be used by several goroutines.
type Server struct {
	Interval time.Duration // of heartbeats; set it before Start. Default 40 s, as Discord has it

	http     *http.Server
	listener net.Listener
	hanging  chan struct{}

	mu         sync.Mutex // guards what follows
	nextID     uint64
	channels   map[string]*Channel
	guilds     map[string]string
	messages   map[string][]*kept // by channel, oldest first
	files      map[string]Attachment
	nonces     map[string]*kept
	sockets    map[*client]bool
	sessions   map[string]*state
	requests   []Request
	identifies []Identify
	resumes    []Resume
	faults     []*Fault
	limits     []Limit
	windows    map[string]*window // by bucket and channel
	global     int                // calls a second in all; 0 is no limit
	revoked    bool               // the token is good no more
	sent       []*Sent
	typing     map[string]int
	commands   []string
	answers    []string
	deaf       bool // heartbeats get no answer
	privileged bool // the Message Content intent is on in the portal
	closeNext  int  // the next identify is answered with this close code
	remaining  int  // of the identifies of the day
	down       bool
	refused    int                          // sockets, while it was down
	shape      func(message map[string]any) // nil: as Discord documents it
}

// Identify is an identify that was received.
type Identify struct {
	Token   string
	Intents int
	Time    time.Time
}

// Resume is a resume that was received.
type Resume struct {
	Session string
	Seq     int64
	Time    time.Time
	OK      bool
}

// New makes a fake with no channels.
func New() *Server {
	return &Server{
		Interval: 40 * time.Second, hanging: make(chan struct{}), nextID: 1_100_000_000_000_000_000,
		channels: map[string]*Channel{}, guilds: map[string]string{}, messages: map[string][]*kept{},
		files: map[string]Attachment{}, nonces: map[string]*kept{}, windows: map[string]*window{}, sockets: map[*client]bool{},
		sessions: map[string]*state{}, typing: map[string]int{}, privileged: true, remaining: 1000,
	}
}

// Start starts a fake for a test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := New()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Start listens on a free port of this machine.
func (s *Server) Start() error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.listener = l
	s.http = &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = s.http.Serve(l) }() // ends with Close
	return nil
}

// URL is its address.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close ends it.
func (s *Server) Close() {
	s.Drop()
	close(s.hanging)
	_ = s.http.Close() // of a test's server
}

// AddGuild adds a server that the bot is in.
func (s *Server) AddGuild(id, name string) {
	s.mu.Lock()
	s.guilds[id] = name
	s.mu.Unlock()
	s.sendGuild(id)
}

// AddChannel adds a channel and tells the bot of it.
func (s *Server) AddChannel(c Channel) {
	s.mu.Lock()
	s.channels[c.ID] = &c
	s.mu.Unlock()
	name := "CHANNEL_CREATE"
	if c.Type == Thread {
		name = "THREAD_CREATE"
	}
	s.Dispatch(name, c.json())
}

// SetChannel changes a channel; the bot is told where it is a thread.
func (s *Server) SetChannel(id string, change func(*Channel)) {
	s.mu.Lock()
	c := s.channels[id]
	change(c)
	now := *c
	s.mu.Unlock()
	if now.Type == Thread {
		s.Dispatch("THREAD_UPDATE", now.json())
	}
}

// DeleteChannel takes a channel or thread away.
func (s *Server) DeleteChannel(id string) {
	s.mu.Lock()
	c := s.channels[id]
	delete(s.channels, id)
	s.mu.Unlock()
	name := "CHANNEL_DELETE"
	if c.Type == Thread {
		name = "THREAD_DELETE"
	}
	s.Dispatch(name, c.json())
}

// RemoveGuild puts the bot out of a server.
func (s *Server) RemoveGuild(id string) {
	s.mu.Lock()
	delete(s.guilds, id)
	for key, c := range s.channels {
		if c.Guild == id {
			delete(s.channels, key)
		}
	}
	s.mu.Unlock()
	s.Dispatch("GUILD_DELETE", map[string]any{"id": id})
}

// Revoke makes the token one that is good no more.
func (s *Server) Revoke() {
	s.mu.Lock()
	s.revoked = true
	s.mu.Unlock()
	s.CloseWith(4004)
}

// NewID gives the next id: later ones are greater, as Discord's are.
func (s *Server) NewID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newID()
}

func (s *Server) newID() string {
	s.nextID += 1000
	return strconv.FormatUint(s.nextID, 10)
}

// Fail makes REST calls go wrong from now on.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// Heal takes all faults away.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// set changes what the fake does.
func (s *Server) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// SetPrivileged says whether the Message Content intent is on in the portal.
func (s *Server) SetPrivileged(on bool) { s.set(func() { s.privileged = on }) }

// SetRemaining says how many identifies are left of the day.
func (s *Server) SetRemaining(n int) { s.set(func() { s.remaining = n }) }

// SetDeaf leaves heartbeats without an answer.
func (s *Server) SetDeaf(deaf bool) { s.set(func() { s.deaf = deaf }) }

// SetShape changes how messages are sent to the bot, in events and in answers to REST
// calls: other servers, and later versions of Discord, have fields of other types.
func (s *Server) SetShape(shape func(message map[string]any)) { s.set(func() { s.shape = shape }) }

// SetDown refuses new sockets.
func (s *Server) SetDown(down bool) { s.set(func() { s.down = down }) }

// CloseNext answers the next identify with a close code.
func (s *Server) CloseNext(code int) { s.set(func() { s.closeNext = code }) }

// SetLimits sets the limits, in the place of those of before.
func (s *Server) SetLimits(list ...Limit) {
	s.set(func() { s.limits, s.windows = list, map[string]*window{} })
}

// SetGlobal sets how many calls may be made a second in all; 0 is no limit.
func (s *Server) SetGlobal(n int) { s.set(func() { s.global = n }) }

// copied is a copy of a list that the lock guards.
func copied[T any](s *Server, list *[]T) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(*list)
}

// Requests are the REST calls so far.
func (s *Server) Requests() []Request { return copied(s, &s.requests) }

// Identifies are the identifies so far.
func (s *Server) Identifies() []Identify { return copied(s, &s.identifies) }

// Resumes are the resumes so far.
func (s *Server) Resumes() []Resume { return copied(s, &s.resumes) }

// Answers are what slash commands were answered with.
func (s *Server) Answers() []string { return copied(s, &s.answers) }

// Commands are the slash commands that the bot offers.
func (s *Server) Commands() []string { return copied(s, &s.commands) }

// Sent are the bot's messages in a channel ("" for all), as they stand now.
func (s *Server) Sent(channel string) []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Sent
	for _, m := range s.sent {
		if channel == "" || m.Channel == channel {
			c := *m
			c.Edits, c.Times = slices.Clone(m.Edits), slices.Clone(m.Times)
			list = append(list, c)
		}
	}
	return list
}

// Refused is how many sockets were refused while the fake was down.
func (s *Server) Refused() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// Typing is how often the bot said that it is typing.
func (s *Server) Typing(channel string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.typing[channel]
}
