package connection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// The operations of the gateway.
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opAck            = 11
	opUnknown        = -1
)

const (
	gatewayVersion = "10"
	helloTimeout   = 20 * time.Second
	dialTimeout    = 20 * time.Second
	usualBeat      = 41250 * time.Millisecond // between heartbeats, if Discord doesn't set it
	maxPayload     = 16 << 20                 // bytes of one event
	// closeKeeping closes a socket so that its session can be resumed; 1000 and 1001 would
	// end the session too.
	closeKeeping = 4000
)

// Why a socket ended without a close code from Discord.
var (
	errSilent         = errors.New("a heartbeat was not answered")
	errAsked          = errors.New("discord asked to connect again")
	errInvalidSession = errors.New("the session is invalid")
)

// closedError is a close code from Discord.
type closedError struct {
	code int
	text string
}

func (e *closedError) Error() string {
	return fmt.Sprintf("discord closed the connection (%d)", e.code)
}

// socket is a websocket. One goroutine reads, another one writes.
type socket interface {
	Read() ([]byte, error)
	Write(data []byte) error
	Close(code int)
}

// payload is a message of the gateway.
type payload struct {
	Op   int
	Data json.RawMessage
	Seq  int64
	Type string
}

// readPayload decodes a payload. An error ends the socket.
func readPayload(data []byte) (payload, error) {
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return payload{}, fmt.Errorf("reading from Discord: %w", err)
	}
	p := payload{Op: opUnknown, Data: f["d"], Type: f.text("t")}
	if _, ok := f.number("op"); ok {
		p.Op = f.whole("op")
	}
	if seq, ok := f.number("s"); ok {
		p.Seq = int64(seq)
	}
	return p, nil
}

// gateway is one open socket.
type gateway struct {
	c       *Connection
	sock    socket
	session *session
	beat    *time.Timer
	every   time.Duration
	waiting bool // the last heartbeat wasn't answered yet
}

// received is a payload, or the error that ended the socket.
type received struct {
	payload payload
	err     error
}

// run serves the socket until it ends, and closes it.
func (g *gateway) run(ctx context.Context) error {
	in := make(chan received)
	ended := make(chan struct{})
	closing := closeKeeping
	defer func() {
		close(ended)
		g.sock.Close(closing)
	}()
	go g.read(in, ended)
	g.beat = time.NewTimer(helloTimeout)
	defer g.beat.Stop()
	for {
		select {
		case <-ctx.Done():
			closing = websocket.CloseNormalClosure
			return context.Cause(ctx)
		case <-g.beat.C:
			if err := g.onBeat(); err != nil {
				return err
			}
		case r := <-in:
			if r.err != nil {
				return g.ended(r.err)
			}
			if err := g.on(ctx, r.payload); err != nil {
				return err
			}
		}
	}
}

// read passes on payloads until the socket ends.
func (g *gateway) read(in chan<- received, ended <-chan struct{}) {
	for {
		var r received
		data, err := g.sock.Read()
		if err == nil {
			r.payload, err = readPayload(data)
		}
		r.err = err
		select {
		case in <- r:
		case <-ended:
			return
		}
		if err != nil {
			return
		}
	}
}

// ended classifies the end of a socket.
func (g *gateway) ended(err error) error {
	var closed *closedError
	if !errors.As(err, &closed) {
		return err
	}
	if stop := stopFor(closed.code); stop != nil {
		g.session.forget()
		return stop
	}
	if !keepsSession(closed.code) {
		g.session.forget()
	}
	return err
}

// onBeat sends a heartbeat. If the last one wasn't answered, the socket is dead.
func (g *gateway) onBeat() error {
	if g.every == 0 || g.waiting {
		return errSilent
	}
	g.waiting = true
	g.beat.Reset(g.every)
	return g.heartbeat()
}

func (g *gateway) heartbeat() error {
	var seq any
	if g.session.seq > 0 {
		seq = g.session.seq
	}
	return g.send(opHeartbeat, seq)
}

func (g *gateway) send(op int, data any) error {
	text, err := json.Marshal(struct {
		Op   int `json:"op"`
		Data any `json:"d"`
	}{op, data})
	if err != nil {
		return fmt.Errorf("encoding for Discord: %w", err)
	}
	if err := g.sock.Write(text); err != nil {
		return fmt.Errorf("writing to Discord: %w", err)
	}
	return nil
}

// on handles one payload.
func (g *gateway) on(ctx context.Context, p payload) error {
	switch p.Op {
	case opHello:
		return g.onHello(p.Data)
	case opHeartbeat:
		return g.heartbeat()
	case opAck:
		g.waiting = false
	case opReconnect:
		return errAsked
	case opInvalidSession:
		return g.onInvalid(ctx, p.Data)
	case opDispatch:
		g.session.seq = max(g.session.seq, p.Seq)
		g.dispatch(p)
	}
	return nil
}

// onHello starts the heartbeat and the session.
func (g *gateway) onHello(data json.RawMessage) error {
	g.every = usualBeat
	if ms, ok := readFields(data).number("heartbeat_interval"); ok && ms > 0 {
		g.every = time.Duration(ms * float64(time.Millisecond))
	}
	g.beat.Reset(time.Duration(rand.Float64() * float64(g.every))) // as Discord asks, so that not all bots beat at once
	if g.session.resumable() {
		return g.send(opResume, map[string]any{"token": g.c.cfg.Token, "session_id": g.session.id, "seq": g.session.seq})
	}
	g.session.identified = time.Now()
	return g.send(opIdentify, map[string]any{
		"token": g.c.cfg.Token, "intents": g.c.intents(),
		"properties": map[string]string{"os": runtime.GOOS, "browser": "mac-stats", "device": "mac-stats"},
	})
}

// The intents, see https://discord.com/developers/docs/events/gateway#gateway-intents.
const (
	intentGuilds         = 1 << 0
	intentGuildMessages  = 1 << 9
	intentDirectMessages = 1 << 12
	intentMessageContent = 1 << 15
)

// intents returns the events that the bot subscribes to.
func (c *Connection) intents() int {
	intents := intentGuilds | intentGuildMessages | intentDirectMessages
	if c.cfg.Content {
		intents |= intentMessageContent
	}
	return intents
}

// onInvalid resumes the session if it can be, or starts a new one after a moment.
func (g *gateway) onInvalid(ctx context.Context, data json.RawMessage) error {
	if !(fields{"d": data}).isTrue("d") {
		g.session.forget()
	}
	if err := Sleep(ctx, time.Second+rand.N(4*time.Second)); err != nil {
		return err
	}
	return errInvalidSession
}

// dispatch handles an event.
func (g *gateway) dispatch(p payload) {
	c := g.c
	switch p.Type {
	case "READY":
		g.onReady(p.Data)
	case "RESUMED":
		c.set(Status{State: StateReady, Text: "Connected as " + c.Bot().Name + "."})
	case "MESSAGE_CREATE":
		c.onMessage(p, EventMessage)
	case "MESSAGE_UPDATE":
		c.onMessage(p, EventEdited)
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		c.onDeleted(p)
	case "INTERACTION_CREATE":
		if i := readFields(p.Data); i.whole("type") == interactionCommand {
			c.cfg.Handle(Event{Kind: EventCommand, Channel: i.id("channel_id"), Command: commandOf(i)})
		}
	default:
		c.rememberPlaces(p)
	}
}

// interactionCommand is the type of interactions that are slash commands.
const interactionCommand = 2

func (c *Connection) onMessage(p payload, kind EventKind) {
	f := readFields(p.Data)
	m := messageOf(f)
	if m.ID == "" || m.Channel == "" {
		c.log.Warn("a message without an id is left out", "type", p.Type)
		return
	}
	c.mu.Lock()
	if place := c.places[m.Channel]; place.Guild != "" && (m.Guild == "" || m.Guild == unknownGuild) {
		m.Guild = place.Guild
	}
	role, bot := c.roles[m.Guild], c.bot
	c.mu.Unlock()
	if kind == EventMessage && m.Author.ID == bot.ID && !m.System && !m.Webhook && !f.has("interaction_metadata") && (f.isText("nonce") || !f.has("nonce")) && !strings.HasPrefix(f.text("nonce"), c.mark()) {
		kind = EventTwin
	}
	if role != "" && slices.Contains(m.roles, role) { // people pick the role from the list instead of the bot
		m.Text = strings.ReplaceAll(m.Text, "<@&"+role+">", "<@"+bot.ID+">")
		if !m.Mentioned(bot.ID) {
			m.Mentions = append(m.Mentions, bot)
		}
	}
	c.cfg.Handle(Event{Kind: kind, Message: m, Channel: m.Channel})
}

func (c *Connection) onDeleted(p payload) {
	f := readFields(p.Data)
	ids := f.ids("ids")
	if id := f.id("id"); id != "" {
		ids = append(ids, id)
	}
	c.cfg.Handle(Event{Kind: EventDeleted, Channel: f.id("channel_id"), IDs: ids})
}

func (g *gateway) onReady(data json.RawMessage) {
	ready := readFields(data)
	app, user := ready.object("application").id("id"), userOf(ready.object("user"))
	if user.ID == "" {
		user.ID = app // they are the same, except for bots from Discord's first years
	}
	g.session.id, g.session.resumeURL = ready.text("session_id"), ready.text("resume_gateway_url")
	c := g.c
	c.mu.Lock()
	c.bot, c.app = user, app
	c.mu.Unlock()
	c.set(Status{State: StateReady, Text: "Connected as " + user.Name + "."})
	c.cfg.Handle(Event{Kind: EventReady, User: user})
}

func commandOf(i fields) Command {
	cmd := Command{
		ID: i.id("id"), Token: i.text("token"), Name: i.object("data").text("name"),
		Channel: i.id("channel_id"), Guild: i.id("guild_id"), User: userOf(i.object("user")),
	}
	if member := i.object("member"); member != nil {
		cmd.User, cmd.Roles = userOf(member.object("user")), member.ids("roles")
	}
	return cmd
}

// webSocket is a socket over the network.
type webSocket struct{ conn *websocket.Conn }

func (c *Connection) dialSocket(ctx context.Context, address string) (socket, error) {
	if address == "" {
		address = "wss://gateway.discord.gg"
	}
	if c.base != nil {
		address = "ws" + strings.TrimPrefix(c.base.Scheme, "http") + "://" + c.base.Host + "/gateway"
	}
	address = strings.TrimRight(address, "/") + "/?v=" + gatewayVersion + "&encoding=json"
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: dialTimeout}
	conn, resp, err := dialer.DialContext(ctx, address, nil)
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close() // the error holds its status
	}
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxPayload)
	return &webSocket{conn}, nil
}

func (s *webSocket) Read() ([]byte, error) {
	_, data, err := s.conn.ReadMessage()
	var closed *websocket.CloseError
	if errors.As(err, &closed) {
		return nil, &closedError{closed.Code, closed.Text}
	}
	return data, err
}

func (s *webSocket) Write(data []byte) error {
	_ = s.conn.SetWriteDeadline(time.Now().Add(dialTimeout)) // a write to a dead socket fails anyway
	return s.conn.WriteMessage(websocket.TextMessage, data)
}

func (s *webSocket) Close(code int) {
	_ = s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second)) // the other side may be gone
	_ = s.conn.Close()
}
