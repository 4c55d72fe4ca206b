package apptest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// client is a connected socket.
type client struct {
	conn    *websocket.Conn
	writing sync.Mutex
	state   *state // nil before an identify or resume
}

// state is a session with its past events, so that it can be resumed.
type state struct {
	id      string
	intents int
	seq     int64
	handled int64 // the sequence number in the last heartbeat
	past    []event
	socket  *client // nil while nobody is connected
	invalid bool
}

type event struct {
	seq  int64
	name string
	data any
}

func (c *client) write(v any) {
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.conn.SetWriteDeadline(time.Now().Add(5 * time.Second)) // the client may be dead
	_ = c.conn.WriteJSON(v)                                      // the client may be gone
}

func (c *client) close(code int) {
	c.writing.Lock()
	_ = c.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second)) // it may be gone
	c.writing.Unlock()
	_ = c.conn.Close()
}

// bots holds the connected clients and their sessions.
type bots struct {
	mu       sync.Mutex // guards the fields below; locked after the server's
	sockets  map[*client]bool
	sessions map[string]*state
}

// send sends an event to every session; data returns the event for the session's intents.
func (b *bots) send(name string, data func(intents int) any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, st := range b.sessions {
		b.sendTo(st, name, data(st.intents))
	}
}

// sendTo keeps a session's events in order. The caller holds the lock.
func (b *bots) sendTo(st *state, name string, data any) {
	st.seq++
	e := event{st.seq, name, data}
	st.past = append(st.past, e)
	if len(st.past) > 5000 {
		st.past = slices.Clone(st.past[1000:])
	}
	if st.socket != nil {
		st.socket.write(e.json())
	}
}

func (e event) json() map[string]any {
	return map[string]any{"op": 0, "s": e.seq, "t": e.name, "d": e.data}
}

// serveGateway serves a websocket.
func (s *Discord) serveGateway(w http.ResponseWriter, r *http.Request) {
	if s.refusesSocket() {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	upgrader := websocket.Upgrader{}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	c := &client{conn: conn}
	s.enter(c)
	defer s.leave(c)
	c.write(map[string]any{"op": 10, "d": map[string]any{"heartbeat_interval": s.Interval.Milliseconds()}})
	for {
		var p struct {
			Op   int             `json:"op"`
			Data json.RawMessage `json:"d"`
		}
		if err := conn.ReadJSON(&p); err != nil {
			return
		}
		s.onPayload(c, p.Op, p.Data)
	}
}

func (s *Discord) onPayload(c *client, op int, data json.RawMessage) {
	switch op {
	case 1:
		s.handled(c, data)
		if !s.isDeaf() {
			c.write(map[string]any{"op": 11})
		}
	case 2:
		s.onIdentify(c, data)
	case 6:
		s.onResume(c, data)
	}
}

func (s *Discord) onIdentify(c *client, data json.RawMessage) {
	var id struct {
		Token   string `json:"token"`
		Intents int    `json:"intents"`
	}
	_ = json.Unmarshal(data, &id) // an empty one is refused
	note(s.journal, &s.identifies, Identify{Token: id.Token, Intents: id.Intents, Time: time.Now()})
	if code := s.admit(id.Token, id.Intents); code != 0 {
		c.close(code)
		return
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.bots.mu.Lock()
	defer s.bots.mu.Unlock()
	st := &state{id: "session-" + s.newID(), intents: id.Intents, socket: c}
	c.state = st
	s.sessions[st.id] = st
	for old, other := range s.sessions { // one bot, one session: sessions without a client are over
		if other != st && other.socket == nil {
			delete(s.sessions, old)
		}
	}
	guilds := []map[string]any{}
	for _, g := range slices.Sorted(maps.Keys(s.guilds)) {
		guilds = append(guilds, map[string]any{"id": g, "unavailable": true})
	}
	s.sendTo(st, "READY", map[string]any{
		"v": 10, "user": User{ID: BotID, Name: BotName, Bot: true}.json(), "session_id": st.id, "guilds": guilds,
		"resume_gateway_url": "ws" + s.URL()[len("http"):] + "/resume", "application": map[string]any{"id": BotID, "flags": 0},
	})
	for _, g := range slices.Sorted(maps.Keys(s.guilds)) {
		s.sendTo(st, "GUILD_CREATE", s.guildJSON(g))
	}
}

func (s *Discord) onResume(c *client, data json.RawMessage) {
	var r struct {
		Session string `json:"session_id"`
		Seq     int64  `json:"seq"`
	}
	_ = json.Unmarshal(data, &r) // an empty one is refused
	s.bots.mu.Lock()
	defer s.bots.mu.Unlock()
	st := s.sessions[r.Session]
	ok := st != nil && !st.invalid && r.Seq <= st.seq
	note(s.journal, &s.resumes, Resume{Session: r.Session, Seq: r.Seq, Time: time.Now(), OK: ok})
	if !ok {
		delete(s.sessions, r.Session)
		c.write(map[string]any{"op": 9, "d": false})
		return
	}
	c.state, st.socket = st, c
	for _, e := range st.past {
		if e.seq > r.Seq {
			c.write(e.json())
		}
	}
	s.sendTo(st, "RESUMED", map[string]any{})
}

// enter records a socket.
func (b *bots) enter(c *client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sockets[c] = true
}

// leave records that a socket is closed; its session may be resumed.
func (b *bots) leave(c *client) {
	b.mu.Lock()
	delete(b.sockets, c)
	if c.state != nil && c.state.socket == c {
		c.state.socket = nil
	}
	b.mu.Unlock()
	_ = c.conn.Close()
}

// handled records how far a bot is, according to its heartbeat.
func (b *bots) handled(c *client, data json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if seq := int64(0); c.state != nil && json.Unmarshal(data, &seq) == nil {
		c.state.handled = max(c.state.handled, seq)
	}
}

// each calls do with every socket, without holding the lock.
func (b *bots) each(do func(*client)) {
	b.mu.Lock()
	var list []*client
	for c := range b.sockets {
		list = append(list, c)
	}
	b.mu.Unlock()
	for _, c := range list {
		do(c)
	}
}

// Drop breaks the sockets without closing them properly.
func (b *bots) Drop() { b.each(func(c *client) { _ = c.conn.Close() }) }

// CloseWith closes the sockets with a close code.
func (b *bots) CloseWith(code int) { b.each(func(c *client) { c.close(code) }) }

// AskReconnect asks clients to reconnect (op 7).
func (b *bots) AskReconnect() { b.each(func(c *client) { c.write(map[string]any{"op": 7}) }) }

// Invalidate invalidates the sessions (op 9); resumable is sent along.
func (b *bots) Invalidate(resumable bool) {
	b.mu.Lock()
	for _, st := range b.sessions {
		st.invalid = !resumable
	}
	b.mu.Unlock()
	b.each(func(c *client) { c.write(map[string]any{"op": 9, "d": resumable}) })
}

// Expire makes the current sessions impossible to resume.
func (b *bots) Expire() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, st := range b.sessions {
		st.invalid = true
	}
}

// CaughtUp reports whether the bot has handled every event of its session; false while
// nobody is connected. If it hasn't, CaughtUp asks for a heartbeat, which says how far the
// bot is.
func (b *bots) CaughtUp() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	connected := false
	for _, st := range b.sessions {
		if st.socket == nil {
			continue
		}
		connected = true
		if st.handled < st.seq {
			st.socket.write(map[string]any{"op": 1})
			return false
		}
	}
	return connected
}

// Connected reports whether a bot has a session with a socket.
func (b *bots) Connected() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, st := range b.sessions {
		if st.socket != nil {
			return true
		}
	}
	return false
}
