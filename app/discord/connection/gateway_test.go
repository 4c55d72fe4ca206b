package connection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// These tests play the gateway over sockets made of channels, so that hours pass in a
// bubble.

// played is one end of a socket: what the connection wrote, and what it receives.
type played struct {
	in     chan []byte // to the connection
	out    chan payload
	closed chan int // the code it was closed with
	gone   chan struct{}
	end    chan error
}

func newPlayed() *played {
	return &played{in: make(chan []byte, 100), out: make(chan payload, 1000), closed: make(chan int, 1), gone: make(chan struct{}), end: make(chan error, 1)}
}

func (p *played) Read() ([]byte, error) {
	select {
	case data := <-p.in:
		return data, nil
	case err := <-p.end:
		return nil, err
	case <-p.gone:
		return nil, errors.New("closed")
	}
}

func (p *played) Write(data []byte) error {
	out, err := readPayload(data)
	if err != nil {
		return err
	}
	p.out <- out
	return nil
}

func (p *played) Close(code int) {
	p.closed <- code
	close(p.gone)
}

func (p *played) sendOp(op int, data any) { p.send(map[string]any{"op": op, "d": data}) }

func (p *played) dispatch(seq int, name string, data any) {
	p.send(map[string]any{"op": 0, "s": seq, "t": name, "d": data})
}

func (p *played) send(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	p.in <- data
}

// hello begins as Discord does, and returns the first answer.
func (p *played) hello() payload {
	p.sendOp(opHello, map[string]any{"heartbeat_interval": 40_000})
	for {
		if first := <-p.out; first.Op != opHeartbeat {
			return first
		}
	}
}

func (p *played) ready(session string) {
	p.dispatch(1, "READY", map[string]any{"user": map[string]any{"id": "1", "username": "luna"}, "session_id": session, "resume_gateway_url": "wss://resume.example"})
}

// stage is a connection whose sockets the test plays.
type stage struct {
	c        *Connection
	sockets  chan *played
	urls     []string
	events   []Event
	statuses []Status

	mu    sync.Mutex // guards limit
	limit startLimit
}

func (s *stage) left(change func(l *startLimit)) startLimit {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.limit)
	return s.limit
}

func asIs(*startLimit) {}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{sockets: make(chan *played), limit: startLimit{Total: 1000, Remaining: 1000, ResetAfter: 86_400_000}}
	c, err := New(Config{
		Token: "secret", Handle: func(e Event) { s.events = append(s.events, e) },
		Changed: func(st Status) { s.statuses = append(s.statuses, st) },
	})
	if err != nil {
		t.Fatal(err)
	}
	c.limits = func(context.Context) (gatewayAddress, error) {
		return gatewayAddress{URL: "wss://gateway.example/", Limit: s.left(asIs)}, nil
	}
	c.dial = func(_ context.Context, url string) (socket, error) {
		s.urls = append(s.urls, url)
		p := newPlayed()
		s.sockets <- p
		return p, nil
	}
	s.c = c
	return s
}

func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.c.Run(ctx) }()
		p := <-s.sockets
		if first := p.hello(); first.Op != opIdentify {
			t.Fatalf("the first payload is op %d, want an identify", first.Op)
		}
		p.ready("s1")
		beats := 0
		for began := time.Now(); time.Since(began) < 10*time.Minute; {
			beat := <-p.out
			if beat.Op != opHeartbeat || string(beat.Data) != "1" {
				t.Fatalf("sent op %d with %s, want a heartbeat with the sequence 1", beat.Op, beat.Data)
			}
			beats++
			p.sendOp(opAck, nil)
		}
		if beats < 14 || beats > 17 {
			t.Errorf("%d heartbeats in ten minutes, want one in 40 s", beats)
		}
		p.sendOp(opHeartbeat, nil) // Discord asks for one
		if beat := <-p.out; beat.Op != opHeartbeat {
			t.Errorf("asked for a heartbeat it sent op %d", beat.Op)
		}
		stop()
		if err := <-done; err != nil {
			t.Errorf("Run gave %v after its context ended", err)
		}
		if code := <-p.closed; code != 1000 {
			t.Errorf("at its end it closed with %d, want 1000", code)
		}
	})
}

func TestHowASocketEnds(t *testing.T) {
	tests := map[string]struct {
		end      func(p *played)
		resumed  bool // the next socket resumes
		resume   string
		stops    int // or the close code that ends everything
		mentions string
	}{
		"given a missed heartbeat": {end: func(*played) {}, resumed: true},
		"given a dropped socket":   {end: func(p *played) { p.end <- errors.New("reset by peer") }, resumed: true},
		"given op 7":               {end: func(p *played) { p.sendOp(opReconnect, nil) }, resumed: true},
		"given op 9 to resume":     {end: func(p *played) { p.sendOp(opInvalidSession, true) }, resumed: true},
		"given op 9":               {end: func(p *played) { p.sendOp(opInvalidSession, false) }},
		"given close code 4000":    {end: func(p *played) { p.end <- &closedError{code: 4000} }, resumed: true},
		"given close code 4007":    {end: func(p *played) { p.end <- &closedError{code: 4007} }},
		"given close code 4009":    {end: func(p *played) { p.end <- &closedError{code: 4009} }},
		"given close code 1001":    {end: func(p *played) { p.end <- &closedError{code: 1001} }, resumed: true},
		"given close code 4004":    {end: func(p *played) { p.end <- &closedError{code: 4004} }, stops: 4004, mentions: "mac-stats discord token"},
		"given close code 4010":    {end: func(p *played) { p.end <- &closedError{code: 4010} }, stops: 4010, mentions: "servers"},
		"given close code 4011":    {end: func(p *played) { p.end <- &closedError{code: 4011} }, stops: 4011, mentions: "servers"},
		"given close code 4012":    {end: func(p *played) { p.end <- &closedError{code: 4012} }, stops: 4012, mentions: "newer mac-stats"},
		"given close code 4013":    {end: func(p *played) { p.end <- &closedError{code: 4013} }, stops: 4013, mentions: "newer mac-stats"},
		"given close code 4014":    {end: func(p *played) { p.end <- &closedError{code: 4014} }, stops: 4014, mentions: "Message Content Intent"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				done := make(chan error, 1)
				go func() { done <- s.c.Run(ctx) }()
				p := <-s.sockets
				p.hello()
				p.ready("s1")
				synctest.Wait()
				if got := s.c.Status().State; got != StateReady {
					t.Fatalf("after READY the state is %s", got)
				}
				tt.end(p)
				if tt.stops != 0 {
					var end *StopError
					if err := <-done; !errors.As(err, &end) || end.Code != tt.stops {
						t.Fatalf("Run ended with %v, want a StopError %d", err, tt.stops)
					}
					if st := s.c.Status(); st.State != StateStopped || !strings.Contains(st.Text+st.Next, tt.mentions) {
						t.Errorf("the status is %+v, want it to say %q", st, tt.mentions)
					}
					return
				}
				next := <-s.sockets
				if code := <-p.closed; code == 1000 || code == 1001 {
					t.Errorf("the socket was closed with %d, which ends the session", code)
				}
				first := next.hello()
				if want := map[bool]int{true: opResume, false: opIdentify}[tt.resumed]; first.Op != want {
					t.Errorf("the next socket began with op %d, want %d", first.Op, want)
				}
				if url := s.urls[1]; tt.resumed != (url == "wss://resume.example") {
					t.Errorf("it went to %s", url)
				}
				stop()
				<-done
			})
		})
	}
}

func TestAReconnectStormStaysWithinTheDailyIdentifies(t *testing.T) {
	tests := map[string]time.Duration{ // how long each connection lasts
		"given connections that end at once":          0,
		"given connections that hold for two minutes": 2 * time.Minute,
	}
	for name, lives := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				s.limit.Remaining = 400
				ctx, stop := context.WithTimeout(t.Context(), 24*time.Hour)
				defer stop()
				done := make(chan error, 1)
				began, last, identifies := time.Now(), time.Time{}, 0
				go func() { done <- s.c.Run(ctx) }()
				for {
					select {
					case <-done:
						if identifies < 100 || s.left(asIs).Remaining < 1 {
							t.Errorf("%d identifies, %d of the day left: want it to go on trying and to keep some", identifies, s.left(asIs).Remaining)
						}
						return
					case p := <-s.sockets:
						if first := p.hello(); first.Op != opIdentify {
							t.Fatalf("op %d, want an identify", first.Op)
						}
						identifies++
						s.left(func(l *startLimit) {
							l.Remaining--
							l.ResetAfter = int((24*time.Hour - time.Since(began)).Milliseconds())
						})
						if d := time.Since(last); !last.IsZero() && d < identifyEvery {
							t.Fatalf("two identifies within %s", d)
						}
						last = time.Now()
						p.ready(fmt.Sprint("s", identifies))
						go func() {
							for range p.out {
								p.sendOp(opAck, nil)
							}
						}()
						time.Sleep(lives)
						p.end <- &closedError{code: 4009}
						synctest.Wait()
						close(p.out)
					}
				}
			})
		})
	}
}

func TestDroppedSocketsAreResumedSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.c.Run(ctx) }()
		for i := range 30 {
			began := time.Now()
			p := <-s.sockets
			if d := time.Since(began); d > 2*longestResume {
				t.Errorf("drop %d was mended after %s", i, d)
			}
			if first := p.hello(); i > 0 && first.Op != opResume {
				t.Fatalf("after drop %d it began with op %d", i, first.Op)
			}
			p.ready("s1")
			time.Sleep(time.Second)
			p.end <- errors.New("reset by peer")
		}
		stop()
		<-done
	})
}

// After an outage the time it took to reach Discord doesn't affect how long to wait for a
// session.
func TestAfterAnOutageItReconnectsSoon(t *testing.T) {
	tests := map[string]struct {
		end func(p *played) // ends the first sockets that open again
		n   int
	}{
		"given an invalid session":                   {func(p *played) { p.sendOp(opInvalidSession, false) }, 1},
		"given two invalid sessions":                 {func(p *played) { p.sendOp(opInvalidSession, false) }, 2},
		"given that it is asked to connect again":    {func(p *played) { p.sendOp(opReconnect, nil) }, 1},
		"given a session that timed out":             {func(p *played) { p.end <- &closedError{code: 4009} }, 1},
		"given a socket that breaks before a hello":  {func(p *played) { p.end <- errors.New("reset by peer") }, 1},
		"given a session that can be resumed anew":   {func(p *played) { p.sendOp(opInvalidSession, true) }, 1},
		"given nothing but that it is reached again": {nil, 0},
	}
	for name, tt := range tests {
		for _, outage := range []time.Duration{75 * time.Second, 4 * time.Minute, time.Hour} {
			t.Run(fmt.Sprintf("%s after %s", name, outage), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newStage(t)
					var down atomic.Bool
					var tries []time.Time
					dial, limits := s.c.dial, s.c.limits
					refused := errors.New("connection refused")
					s.c.dial = func(ctx context.Context, url string) (socket, error) {
						tries = append(tries, time.Now())
						if down.Load() {
							return nil, refused
						}
						return dial(ctx, url)
					}
					s.c.limits = func(ctx context.Context) (gatewayAddress, error) {
						if down.Load() {
							tries = append(tries, time.Now())
							return gatewayAddress{}, refused
						}
						return limits(ctx)
					}
					ctx, stop := context.WithCancel(t.Context())
					done := make(chan error, 1)
					go func() { done <- s.c.Run(ctx) }()
					p := <-s.sockets
					p.hello()
					p.ready("s1")
					time.Sleep(20 * time.Second) // it began a moment ago
					down.Store(true)
					p.end <- errors.New("reset by peer")
					time.Sleep(outage)
					down.Store(false)
					back := time.Now()
					for range tt.n {
						p := <-s.sockets
						p.sendOp(opHello, map[string]any{"heartbeat_interval": 40_000})
						tt.end(p)
					}
					p = <-s.sockets
					p.hello()
					p.ready("s2")
					synctest.Wait()
					if d := time.Since(back); d > 60*time.Second+time.Duration(tt.n)*12*time.Second {
						t.Errorf("it was back %s after the outage", d.Round(time.Second))
					}
					for i := 1; i < len(tries); i++ {
						if d := tries[i].Sub(tries[i-1]); d > time.Minute && i > 1 {
							t.Errorf("between two tries it waited for %s", d)
						}
					}
					stop()
					<-done
				})
			})
		}
	}
}

// If a server asks again and again to reconnect, the connection doesn't do so several times
// a second.
func TestRepeatedReconnectRequestsAreThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.c.Run(ctx) }()
		began := time.Now()
		for range 100 {
			p := <-s.sockets
			p.hello()
			p.ready("s1")
			p.sendOp(opReconnect, nil)
		}
		if d := time.Since(began); d < 3*time.Minute {
			t.Errorf("it connected 100 times within %s", d)
		}
		stop()
		<-done
	})
}

func TestNoIdentifyIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.limit.Remaining, s.limit.ResetAfter = 0, int((3 * time.Hour).Milliseconds())
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.c.Run(ctx) }()
		time.Sleep(2 * time.Hour)
		if len(s.urls) > 0 {
			t.Fatal("it connected although no identify was left")
		}
		if st := s.c.Status(); st.State != StateWaiting || !strings.Contains(st.Text, "no more new sessions") {
			t.Errorf("the status is %+v", st)
		}
		s.left(func(l *startLimit) { l.Remaining = 1000 })
		p := <-s.sockets
		if first := p.hello(); first.Op != opIdentify {
			t.Errorf("op %d, want an identify", first.Op)
		}
		stop()
		<-done
	})
}

func TestTokenRefusedBeforeTheGateway(t *testing.T) {
	s := newStage(t)
	s.c.limits = func(context.Context) (gatewayAddress, error) {
		return gatewayAddress{}, &Error{Status: http.StatusUnauthorized, What: "asking for the gateway"}
	}
	var stop *StopError
	if err := s.c.Run(t.Context()); !errors.As(err, &stop) || stop.Code != closeAuthFailed {
		t.Errorf("Run gave %v, want a StopError 4004", err)
	}
	if slices.ContainsFunc(s.statuses, func(st Status) bool { return strings.Contains(st.Text+st.Next, "secret") }) {
		t.Error("the token is in a status")
	}
}

func FuzzPayload(f *testing.F) {
	for _, seed := range []string{
		`{"op":10,"d":{"heartbeat_interval":41250}}`, `{"op":0,"s":1,"t":"READY","d":{"user":null,"session_id":"x"}}`,
		`{"op":0,"t":"MESSAGE_CREATE","d":{"id":"1","channel_id":"2","author":null,"type":19,"message_reference":null,"referenced_message":{"id":"3"}}}`,
		`{"op":0,"t":"MESSAGE_DELETE_BULK","d":{"ids":["1"]}}`, `{"op":0,"t":"INTERACTION_CREATE","d":{"type":2,"data":{"name":"stop"},"member":{"user":null}}}`,
		`{"op":0,"t":"GUILD_CREATE","d":{"id":"1","channels":[{"id":"2","type":11,"thread_metadata":{}}],"threads":[{"id":"../x"}]}}`,
		`{"op":0,"t":"THREAD_DELETE","d":{}}`, `{"op":0,"t":"MESSAGE_CREATE","d":{"id":"1","channel_id":"2","attachments":[null],"mentions":[null]}}`, `{"op":11}`, `{"op":7}`, `{"op":-1,"d":[]}`, `{"op":0,"t":"GUILD_CREATE","d":{"channels":[null]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := New(Config{Token: "secret", Handle: func(e Event) {
			if e.Kind == EventMessage && (!IsID(e.Message.ID) || !IsID(e.Channel)) {
				t.Errorf("a message %q in %q was handed on", e.Message.ID, e.Channel)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		g := &gateway{c: c, sock: newPlayed(), session: &session{}, beat: time.NewTimer(time.Hour)}
		defer g.beat.Stop()
		p, err := readPayload(data)
		if err != nil || p.Op == opInvalidSession {
			return // this one waits, and is tested elsewhere
		}
		_ = g.on(t.Context(), p) // an error only ends the socket
	})
}

// While a new try is under way, the status says why the last one failed.
func TestReconnectingReportsTheLastCause(t *testing.T) {
	c := &Connection{log: slog.New(slog.DiscardHandler)}
	for _, tt := range []struct {
		set  Status
		last string
	}{
		{Status{State: StateConnecting, Text: "Connecting…"}, ""},
		{Status{State: StateWaiting, Text: whyUnreached}, ""},
		{Status{State: StateConnecting, Text: "Connecting…"}, whyUnreached},
		{Status{State: StateReady, Text: "Connected."}, ""},
		{Status{State: StateConnecting, Text: "Connecting…"}, ""},
	} {
		c.set(tt.set)
		if got := c.Status(); got.State != tt.set.State || got.Last != tt.last {
			t.Errorf("after %s: %+v, want the last cause %q", tt.set.State, got, tt.last)
		}
	}
}

// message is a MESSAGE_CREATE in Discord's form: a reply in a server, with a file, an embed
// and a mention.
const message = `{"id":"1175", "channel_id":"200", "guild_id":"100", "type":19, "content":"hello <@1>", "tts":false, "pinned":false,
	"timestamp":"2026-11-21T10:15:02.123000+00:00", "edited_timestamp":"2026-11-21T10:16:02.123000+00:00", "flags":0, "nonce":"77", "mention_everyone":false,
	"author":{"id":"301","username":"anna","global_name":"Anna","discriminator":"0","avatar":null,"bot":false,"public_flags":64,"primary_guild":null,"collectibles":null},
	"member":{"nick":"Annie","roles":["501","502"],"joined_at":"2024-01-01T00:00:00.000000+00:00","deaf":false,"mute":false,"flags":0,"avatar":null},
	"mentions":[{"id":"1","username":"luna","global_name":null,"bot":true,"public_flags":0,"member":{"roles":[]}}], "mention_roles":["601"], "mention_channels":[],
	"attachments":[{"id":"9","filename":"a.txt","size":12,"url":"https://cdn.discordapp.com/a.txt","proxy_url":"https://x","content_type":"text/plain","width":null,"height":null,"flags":0}],
	"embeds":[{"type":"link","url":"https://x","thumbnail":{"url":"https://x","width":400,"height":300,"flags":0}}],
	"reactions":[{"emoji":{"id":null,"name":"x"},"count":1,"me":false}], "components":[{"type":1,"components":[{"type":2,"style":1}]}], "sticker_items":[],
	"webhook_id":null, "application_id":null, "activity":null, "interaction_metadata":null, "thread":null, "poll":null, "position":3, "resolved":{},
	"message_reference":{"type":0,"channel_id":"200","message_id":"1170","guild_id":"100"},
	"referenced_message":{"id":"1170","channel_id":"200","type":0,"content":"before","timestamp":"2026-11-21T10:14:00.000000+00:00","edited_timestamp":null,
		"author":{"id":"302","username":"ben","global_name":"Ben","public_flags":0},"mentions":[],"mention_roles":[],"attachments":[],"embeds":[]}}`

// dependents are the fields of a Message and of its parts that a field of the event may
// change.
var dependents = map[string][]string{
	"guild_id": {"Guild"}, "type": {"System", "Reply", "ReplyPlace"}, "content": {"Text", "NoText"}, "timestamp": {"Time"}, "edited_timestamp": {"Edited"},
	"author": {"Author"}, "author.id": {"Author.ID"}, "author.username": {"Author.Name"}, "author.global_name": {"Author.Name"}, "author.bot": {"Author.Bot"},
	"member": {"Roles", "Author.Name"}, "member.nick": {"Author.Name"}, "member.roles": {"Roles"}, "mentions": {"Mentions"}, "mention_roles": {"roles"},
	"attachments": {"Attachments"}, "webhook_id": {"Webhook"}, "message_reference": {"Reply", "ReplyPlace"}, "message_reference.type": {"Reply", "ReplyPlace"},
	"message_reference.channel_id": {"ReplyPlace"}, "message_reference.message_id": {"Reply"},
	"referenced_message": {"Answered"}, "referenced_message.id": {"Answered"}, "referenced_message.type": {"Answered.System"}, "referenced_message.content": {"Answered.Text", "Answered.NoText"},
	"referenced_message.channel_id": {"Answered.Channel"}, "referenced_message.timestamp": {"Answered.Time"}, "referenced_message.edited_timestamp": {"Answered.Edited"},
	"referenced_message.author": {"Answered.Author"}, "referenced_message.author.id": {"Answered.Author.ID"}, "referenced_message.author.global_name": {"Answered.Author.Name"},
	"referenced_message.mentions": {"Answered.Mentions"}, "referenced_message.mention_roles": {"Answered.roles"}, "referenced_message.attachments": {"Answered.Attachments"},
}

// flat returns the fields of a message by name.
func flat(m Message) map[string]string {
	out := map[string]string{}
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			name, f := prefix+v.Type().Field(i).Name, v.Field(i)
			switch {
			case f.Type() == reflect.TypeFor[User]():
				walk(name+".", f)
			case f.Kind() == reflect.Pointer && !f.IsNil():
				walk(name+".", f.Elem())
			default:
				out[name] = fmt.Sprintf("%+v", f)
			}
		}
	}
	walk("", reflect.ValueOf(m))
	return out
}

func TestAFieldOfAnyTypeAffectsNoOther(t *testing.T) {
	read := func(data []byte) (got []Message) {
		c, err := New(Config{Token: "secret", Handle: func(e Event) { got = append(got, e.Message) }})
		if err != nil {
			t.Fatal(err)
		}
		c.onMessage(payload{Type: "MESSAGE_CREATE", Data: data}, EventMessage)
		return got
	}
	parse := func() (o map[string]any) {
		if err := json.Unmarshal([]byte(message), &o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	whole := read([]byte(message))[0]
	if whole.Author.Name != "Annie" || whole.Reply != "1170" || whole.Answered.Author.Name != "Ben" || len(whole.Attachments) != 1 || len(whole.Roles) != 2 || !whole.Mentioned("1") {
		t.Fatalf("the message is read as %+v", whole)
	}
	want, tried := flat(whole), 0
	var each func(path string, at func(o map[string]any) map[string]any)
	each = func(path string, at func(o map[string]any) map[string]any) {
		for name, was := range at(parse()) {
			if path == "" && (name == "id" || name == "channel_id") {
				continue // unrecognisable, or not settable
			}
			for _, odd := range []any{nil, "odd", 7, 400.5, true, []any{}, []any{"odd", 7, nil}, map[string]any{}, map[string]any{"id": []any{}}} {
				o := parse()
				at(o)[name] = odd
				data, err := json.Marshal(o)
				if err != nil {
					t.Fatal(err)
				}
				got := read(data)
				if len(got) != 1 {
					t.Errorf("%s%s = %v loses the message", path, name, odd)
					continue
				}
				tried++
				may := dependents[path+name]
				for field, text := range flat(got[0]) {
					changes := slices.ContainsFunc(may, func(m string) bool { return field == m || strings.HasPrefix(field, m+".") })
					if known, ok := want[field]; ok && text != known && !changes {
						t.Errorf("%s%s = %v changes %s from %s to %s", path, name, odd, field, known, text)
					}
				}
			}
			if _, ok := was.(map[string]any); ok {
				each(path+name+".", func(o map[string]any) map[string]any { return at(o)[name].(map[string]any) })
			}
		}
	}
	each("", func(o map[string]any) map[string]any { return o })
	if tried < 500 {
		t.Errorf("only %d were tried", tried)
	}
}

// Of several objects in a list, only the unexpected one is lost.
func TestAnUnexpectedElementAffectsNoOther(t *testing.T) {
	c, err := New(Config{Token: "secret", Handle: func(Event) {}})
	if err != nil {
		t.Fatal(err)
	}
	c.rememberPlaces(payload{Type: "GUILD_CREATE", Data: json.RawMessage(`{"id":100,"name":7,"roles":"x","emojis":[7],"max_members":"1","channels":[null,7,{"id":"x"},
		{"id":"200","name":"general","type":0,"rate_limit_per_user":"0","permission_overwrites":7,"position":1.5},{"id":201,"name":[],"type":"15"}],
		"threads":[{"id":"300","type":11,"parent_id":200,"thread_metadata":{"archived":"true","archive_timestamp":7,"auto_archive_duration":"x"}}],"members":[{"joined_at":0}]}`)})
	want := map[string]Place{
		"200": {ID: "200", Guild: "100", Name: "general", Kind: KindChannel},
		"201": {ID: "201", Guild: "100", Kind: KindForum},
		"300": {ID: "300", Guild: "100", Parent: "200", Kind: KindThread, Archived: true},
	}
	if diff := cmp.Diff(want, c.places); diff != "" {
		t.Error(diff)
	}
}

// A server's message is never mistaken for a direct one: direct conversations use the
// owner's own memory.
func TestAServersMessageIsNeverDirect(t *testing.T) {
	for _, data := range []string{
		`{"id":"1","channel_id":"200","guild_id":{},"content":"x"}`, `{"id":"1","channel_id":"200","guild_id":"x","content":"x"}`,
		`{"id":"1","channel_id":"200","member":{},"content":"x"}`, `{"id":"1","channel_id":"210","guild_id":null,"content":"x"}`,
	} {
		var got Message
		c, err := New(Config{Token: "secret", Handle: func(e Event) { got = e.Message }})
		if err != nil {
			t.Fatal(err)
		}
		c.remember(Place{ID: "210", Guild: "100"})
		c.onMessage(payload{Data: json.RawMessage(data)}, EventMessage)
		if got.ID == "" || got.Direct() {
			t.Errorf("%s is read as %+v", data, got)
		}
	}
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte(message))
	f.Add([]byte(`{"id":1,"channel_id":2,"message_snapshots":[{"message":{"content":"x"}}],"message_reference":{"type":1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := messageOf(readFields(data))
		for _, id := range []string{m.ID, m.Channel, m.Author.ID, m.Reply} {
			if id != "" && !IsID(id) {
				t.Errorf("%q is taken for an id", id)
			}
		}
		if !utf8.ValidString(m.Text) || !utf8.ValidString(m.Author.Name) {
			t.Errorf("what is no UTF-8 is handed on: %q by %q", m.Text, m.Author.Name)
		}
		if m.Answered != nil && m.Answered.ID == "" {
			t.Error("a message without an id is answered")
		}
	})
}
