package apptest

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

// The kinds of channels, with Discord's numbers.
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
	// Token is the only valid token.
	Token = "test-token.of-the.bot"
)

// The intents that the fake knows.
const (
	IntentMessageContent = 1 << 15
)

// BotRole is the role that Discord creates for the bot in each server.
const BotRole = "900000000000000009"

// Discord is a fake Discord on loopback: a gateway (a websocket), the REST calls that a bot
// makes, and the files of messages. Tests control what people write and what fails, and read
// the bot's requests.
//
// It imitates what a bot may have trouble with: sessions that can be resumed or not, missed
// heartbeats, close codes, rate limits, text withheld from a bot without the Message
// Content intent, echoes of the bot's own messages, threads whose starter is in the parent
// channel, a nonce that is sent twice.
//
// It is safe for concurrent use.
type Discord struct {
	Interval time.Duration // of heartbeats; set it before Start. Default 40 s, like Discord's

	*troubles
	*journal
	*bots
	*store

	http     *http.Server
	listener net.Listener
}

// store holds the servers, channels and messages of the fake, and answers the calls about
// a channel.
type store struct {
	url      func() string // the address of the fake
	troubles *troubles
	bots     *bots
	journal  *journal

	mu       sync.Mutex // guards the fields below
	nextID   uint64
	channels map[string]*Channel
	guilds   map[string]string
	messages map[string][]*kept // by channel, oldest first
	files    map[string]Attachment
	nonces   map[string]*kept
	sent     []*Sent
	typing   map[string]int
}

// NewDiscord returns a fake without channels.
func NewDiscord() *Discord {
	s := &Discord{
		Interval: 40 * time.Second,
		troubles: &troubles{hanging: make(chan struct{}), windows: map[string]*window{}, privileged: true, remaining: 1000},
		journal:  &journal{},
		bots:     &bots{sockets: map[*client]bool{}, sessions: map[string]*state{}},
	}
	s.store = &store{
		url: s.URL, troubles: s.troubles, bots: s.bots, journal: s.journal, nextID: 1_100_000_000_000_000_000,
		channels: map[string]*Channel{}, guilds: map[string]string{}, messages: map[string][]*kept{},
		files: map[string]Attachment{}, nonces: map[string]*kept{}, typing: map[string]int{},
	}
	return s
}

// StartDiscord starts a fake for a test.
func StartDiscord(t testing.TB) *Discord {
	t.Helper()
	s := NewDiscord()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Start listens on a free port of this machine.
func (s *Discord) Start() error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.listener = l
	s.http = &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = s.http.Serve(l) }() // ends with Close
	return nil
}

// URL returns the server's address.
func (s *Discord) URL() string { return "http://" + s.listener.Addr().String() }

// Close stops the server.
func (s *Discord) Close() {
	s.Drop()
	close(s.hanging)
	_ = s.http.Close() // the server of a test
}

// AddGuild adds a server that the bot is in.
func (s *Discord) AddGuild(id, name string) {
	s.store.mu.Lock()
	s.guilds[id] = name
	s.store.mu.Unlock()
	s.sendGuild(id)
}

// AddChannel adds a channel and informs the bot.
func (s *Discord) AddChannel(c Channel) {
	s.store.mu.Lock()
	s.channels[c.ID] = &c
	s.store.mu.Unlock()
	name := "CHANNEL_CREATE"
	if c.Type == Thread {
		name = "THREAD_CREATE"
	}
	s.Dispatch(name, c.json())
}

// SetChannel changes a channel. If it is a thread, the bot is informed.
func (s *Discord) SetChannel(id string, change func(*Channel)) {
	s.store.mu.Lock()
	c := s.channels[id]
	change(c)
	now := *c
	s.store.mu.Unlock()
	if now.Type == Thread {
		s.Dispatch("THREAD_UPDATE", now.json())
	}
}

// DeleteChannel deletes a channel or thread.
func (s *Discord) DeleteChannel(id string) {
	s.store.mu.Lock()
	c := s.channels[id]
	delete(s.channels, id)
	s.store.mu.Unlock()
	name := "CHANNEL_DELETE"
	if c.Type == Thread {
		name = "THREAD_DELETE"
	}
	s.Dispatch(name, c.json())
}

// RemoveGuild removes the bot from a server.
func (s *Discord) RemoveGuild(id string) {
	s.store.mu.Lock()
	delete(s.guilds, id)
	for key, c := range s.channels {
		if c.Guild == id {
			delete(s.channels, key)
		}
	}
	s.store.mu.Unlock()
	s.Dispatch("GUILD_DELETE", map[string]any{"id": id})
}

// Revoke invalidates the token.
func (s *Discord) Revoke() {
	s.set(func() { s.revoked = true })
	s.CloseWith(4004)
}

// newID returns a new ID. IDs grow, like Discord's. The caller holds the lock.
func (s *store) newID() string {
	s.nextID += 1000
	return strconv.FormatUint(s.nextID, 10)
}

// Sent returns the bot's messages in a channel ("" for all) in their current state.
func (s *store) Sent(channel string) []Sent {
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

// Typing returns how often the bot sent the typing indicator.
func (s *store) Typing(channel string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.typing[channel]
}
