package connection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
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
)

const (
	gatewayVersion = "10"
	helloTimeout   = 20 * time.Second
	dialTimeout    = 20 * time.Second
	maxPayload     = 16 << 20 // bytes of one event
	// closeKeeping ends a socket so that its session can be resumed; 1000 and 1001
	// would end the session too.
	closeKeeping = 4000
)

// Why a socket ended, where Discord gave no close code.
var (
	errSilent         = errors.New("a heartbeat was not answered")
	errAsked          = errors.New("discord asked to connect again")
	errInvalidSession = errors.New("the session is invalid")
)

// closedError is the end of a socket as Discord told it.
type closedError struct {
	code int
	text string
}

func (e *closedError) Error() string {
	return fmt.Sprintf("discord closed the connection (%d)", e.code)
}

// socket is a websocket. One goroutine reads, one writes.
type socket interface {
	Read() ([]byte, error)
	Write(data []byte) error
	Close(code int)
}

// payload is what is sent over it.
type payload struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  int64           `json:"s,omitempty"`
	Type string          `json:"t,omitempty"`
}

// gateway is one socket at work.
type gateway struct {
	c       *Connection
	sock    socket
	session *session
	beat    *time.Timer
	every   time.Duration
	waiting bool // the last heartbeat was not answered yet
}

// received is a payload, or why there is none any more.
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

// read hands on what comes until the socket ends.
func (g *gateway) read(in chan<- received, ended <-chan struct{}) {
	for {
		var r received
		data, err := g.sock.Read()
		if err == nil {
			err = json.Unmarshal(data, &r.payload)
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

// ended sorts the end of a socket.
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

// onBeat sends a heartbeat; where the last one had no answer the socket is dead.
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

// onHello begins the heartbeat and the session.
func (g *gateway) onHello(data json.RawMessage) error {
	var hello struct {
		Interval float64 `json:"heartbeat_interval"`
	}
	if err := json.Unmarshal(data, &hello); err != nil || hello.Interval <= 0 {
		return fmt.Errorf("discord's hello can't be read: %w", err)
	}
	g.every = time.Duration(hello.Interval * float64(time.Millisecond))
	g.beat.Reset(time.Duration(rand.Float64() * float64(g.every))) // as Discord asks, so that not all beat at once
	if g.session.resumable() {
		return g.send(opResume, map[string]any{"token": g.c.cfg.Token, "session_id": g.session.id, "seq": g.session.seq})
	}
	g.session.identified = time.Now()
	return g.send(opIdentify, map[string]any{
		"token": g.c.cfg.Token, "intents": g.c.intents(),
		"properties": map[string]string{"os": runtime.GOOS, "browser": "mac-stats", "device": "mac-stats"},
	})
}

// intents are what the bot wants to be told.
func (c *Connection) intents() int {
	intents := discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentDirectMessages
	if c.cfg.Content {
		intents |= discordgo.IntentMessageContent
	}
	return int(intents)
}

// onInvalid: the session can be resumed, or a new one is begun after a moment.
func (g *gateway) onInvalid(ctx context.Context, data json.RawMessage) error {
	var resumable bool
	if json.Unmarshal(data, &resumable) != nil || !resumable {
		g.session.forget()
	}
	if err := sleep(ctx, time.Second+rand.N(4*time.Second)); err != nil {
		return err
	}
	return errInvalidSession
}

// dispatch tells what happened.
func (g *gateway) dispatch(p payload) {
	c := g.c
	switch p.Type {
	case "READY":
		g.onReady(p.Data)
	case "RESUMED":
		c.set(Status{State: StateReady, Text: "Connected as " + c.Bot().Name + "."})
		c.cfg.Handle(Event{Kind: EventResumed, User: c.Bot()})
	case "MESSAGE_CREATE":
		c.onMessage(p, EventMessage)
	case "MESSAGE_UPDATE":
		c.onMessage(p, EventEdited)
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		c.onDeleted(p)
	case "INTERACTION_CREATE":
		var i discordgo.Interaction
		if c.decode(p, &i) && i.Type == discordgo.InteractionApplicationCommand {
			c.cfg.Handle(Event{Kind: EventCommand, Channel: i.ChannelID, Command: commandOf(&i)})
		}
	default:
		c.rememberPlaces(p)
	}
}

func (c *Connection) onMessage(p payload, kind EventKind) {
	var m discordgo.Message
	if c.decode(p, &m) && IsID(m.ID) && IsID(m.ChannelID) {
		c.cfg.Handle(Event{Kind: kind, Message: messageOf(&m), Channel: m.ChannelID})
	}
}

func (c *Connection) onDeleted(p payload) {
	var gone struct {
		ID      string   `json:"id"`
		IDs     []string `json:"ids"`
		Channel string   `json:"channel_id"`
	}
	if !c.decode(p, &gone) {
		return
	}
	if gone.ID != "" {
		gone.IDs = append(gone.IDs, gone.ID)
	}
	c.cfg.Handle(Event{Kind: EventDeleted, Channel: gone.Channel, IDs: gone.IDs})
}

// decode reads an event; one that can't be read is logged and passed over.
func (c *Connection) decode(p payload, into any) bool {
	if err := json.Unmarshal(p.Data, into); err != nil {
		c.log.Warn("an event of discord can't be read and is left out", "type", p.Type, "err", err)
		return false
	}
	return true
}

func (g *gateway) onReady(data json.RawMessage) {
	var ready struct {
		User        *discordgo.User `json:"user"`
		Session     string          `json:"session_id"`
		ResumeURL   string          `json:"resume_gateway_url"`
		Application struct {
			ID string `json:"id"`
		} `json:"application"`
	}
	c := g.c
	if !c.decode(payload{Type: "READY", Data: data}, &ready) {
		return
	}
	g.session.id, g.session.resumeURL = ready.Session, ready.ResumeURL
	c.mu.Lock()
	c.bot, c.app = userOf(ready.User), ready.Application.ID
	bot := c.bot
	c.mu.Unlock()
	c.set(Status{State: StateReady, Text: "Connected as " + bot.Name + "."})
	c.cfg.Handle(Event{Kind: EventReady, User: bot})
}

func commandOf(i *discordgo.Interaction) Command {
	cmd := Command{ID: i.ID, Token: i.Token, Channel: i.ChannelID, Guild: i.GuildID, User: userOf(i.User)}
	if data, ok := i.Data.(discordgo.ApplicationCommandInteractionData); ok {
		cmd.Name = data.Name
	}
	if i.Member != nil {
		cmd.User, cmd.Roles = userOf(i.Member.User), i.Member.Roles
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
		_ = resp.Body.Close() // its status is in the error
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
	_ = s.conn.SetWriteDeadline(time.Now().Add(dialTimeout)) // a write to a dead socket fails by itself
	return s.conn.WriteMessage(websocket.TextMessage, data)
}

func (s *webSocket) Close(code int) {
	_ = s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second)) // the other side may be gone
	_ = s.conn.Close()
}
