package connection

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"mac-stats/sessionmem/loopback"
)

const (
	// identifyEvery is the minimum time between two identifies of a bot: the five seconds
	// that Discord demands, plus the time by which the first may take longer to arrive than
	// the second.
	identifyEvery = 5*time.Second + 250*time.Millisecond
	firstWait     = 250 * time.Millisecond
	longestWait   = time.Minute     // between two tries; mayIdentify limits the identifies of a day
	longestResume = 5 * time.Second // before a session is resumed, which costs no identify
	// keepSession is how long a session is kept while Discord can't be reached. When it is
	// resumed within that time, Discord sends the events that were missed.
	keepSession = 5 * time.Minute
	// otherAddress is the try from which on a session is resumed at the usual address
	// instead of its own.
	otherAddress = 4
	// steadyAfter is how long a connection must last for the next wait to be short again.
	steadyAfter = time.Minute
)

// Config holds the options of a Connection. Token and Handle are required.
type Config struct {
	Token string // without "Bot "
	// Program tells this program from others that use the same token. It stays the same over
	// restarts, so that a message that was sent before one isn't sent again.
	Program string
	// Handle receives all events, one at a time and in order. It must not block: heartbeats
	// continue, but further events wait.
	Handle func(Event)
	// Content requests the text of messages that don't mention the bot. This is a
	// privileged intent, which must be switched on in the developer portal.
	Content bool
	// Changed receives each change of the status. Optional.
	Changed func(Status)
	// Base replaces https://discord.com and the hosts of the CDN in tests. It must be an
	// address of this machine.
	Base   string
	Logger *slog.Logger // optional
}

// Connection is a bot's connection to Discord. Its REST calls also work while Run isn't
// running.
type Connection struct {
	cfg     Config
	rest    *transport
	base    *url.URL
	log     *slog.Logger
	dial    func(ctx context.Context, url string) (socket, error)
	limits  func(ctx context.Context) (gatewayAddress, error)
	session session // used only by Run's goroutine

	mu     sync.Mutex // guards the fields below
	status Status
	bot    User
	app    string // the application's ID
	places map[string]Place
	roles  map[string]string // the bot's own role, by server
}

// session is what it takes to resume a connection.
type session struct {
	id         string
	resumeURL  string
	seq        int64
	identified time.Time // when the last identify was sent
	lost       time.Time // since when Discord can't be reached; zero while it can
	failed     int       // failed tries since then
}

func (s *session) resumable() bool { return s.id != "" }

// noteUnreachable records that Discord couldn't be reached. The session survives that for a
// while.
func (s *session) noteUnreachable() {
	if s.lost.IsZero() {
		s.lost = time.Now()
	}
	if s.failed++; s.failed >= otherAddress {
		s.resumeURL = ""
	}
	if time.Since(s.lost) > keepSession {
		s.forget()
	}
}

func (s *session) forget() { *s = session{identified: s.identified} }

// New prepares a connection; only Run sends anything. It panics if a required field is
// missing, and returns an error if Base isn't a valid address.
func New(cfg Config) (*Connection, error) {
	if cfg.Token == "" || cfg.Handle == nil {
		panic("connection: New needs Token and Handle")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Connection{cfg: cfg, log: cfg.Logger, places: map[string]Place{}, roles: map[string]string{}, status: Status{State: StateOff, Text: "Not connected.", Since: time.Now()}}
	if cfg.Base != "" {
		base, err := url.Parse(cfg.Base)
		if err != nil || !loopback.Is(base.Hostname()) {
			return nil, fmt.Errorf("the address %q can't be used for Discord: it must be of this machine, like http://127.0.0.1:8080, for the bot's token goes there", cfg.Base)
		}
		c.base = base
	}
	c.rest = newTransport(c.base)
	c.dial = c.dialSocket
	c.limits = func(ctx context.Context) (gatewayAddress, error) {
		answer, err := c.call(ctx, "asking for the gateway", http.MethodGet, "/gateway/bot", nil)
		return gatewayOf(readFields(answer)), err
	}
	return c, nil
}

// gatewayAddress is where to connect, and how often that is allowed.
type gatewayAddress struct {
	URL   string
	Limit startLimit
}

// startLimit is how many sessions a bot may begin: in all, and how many are left until
// ResetAfter milliseconds have passed.
type startLimit struct {
	Total      int
	Remaining  int
	ResetAfter int
}

func gatewayOf(f fields) gatewayAddress {
	limit := f.object("session_start_limit")
	return gatewayAddress{f.text("url"), startLimit{limit.whole("total"), limit.whole("remaining"), limit.whole("reset_after")}}
}

// Status returns the connection's current status.
func (c *Connection) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Bot returns the bot's own account, known after the first connection.
func (c *Connection) Bot() User {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bot
}

func (c *Connection) set(s Status) {
	s.Since = time.Now()
	c.mu.Lock()
	s.Bot = c.bot
	if s.State == StateConnecting && c.status.State == StateWaiting {
		s.Last = c.status.Text
	}
	same := s.State == c.status.State && s.Text == c.status.Text && s.Bot == c.status.Bot
	if !same {
		c.status = s
	}
	c.mu.Unlock()
	if same {
		return
	}
	c.log.Info("discord", "state", s.State, "text", s.Text)
	if c.cfg.Changed != nil {
		c.cfg.Changed(s)
	}
}

// backoff is a pause that grows each time.
type backoff time.Duration

// pause returns the next pause, with jitter and limited to longest.
func (b *backoff) pause(longest time.Duration) time.Duration {
	if *b < backoff(firstWait) {
		*b = backoff(firstWait)
	}
	pause := min(jitter(min(time.Duration(*b), longest)), longest)
	*b = min(2**b, backoff(longestWait))
	return pause
}

func (b *backoff) reset() { *b = 0 }

// pauses are the pauses between two tries. One grows while Discord can't be reached, the
// other while sessions end soon: an outage that is over predicts nothing about the next
// session.
type pauses struct {
	reach, again backoff
	asked        bool // the last socket ended because Discord asked for it
}

// next returns how long to wait after a try that ended with err and lasted held.
func (p *pauses) next(err error, held time.Duration, longest time.Duration) time.Duration {
	if errors.Is(err, errUnreached) {
		return p.reach.pause(longest)
	}
	p.reach.reset()
	wanted := errors.Is(err, errAsked) || errors.Is(err, errInvalidSession)
	if held >= steadyAfter || wanted && !p.asked {
		p.again.reset()
	}
	p.asked = wanted
	return p.again.pause(longest)
}

// Run maintains the connection until ctx ends (nil) or until somebody must change something
// first (a *StopError). Between two tries it waits, longer each time, with jitter.
func (c *Connection) Run(ctx context.Context) error {
	var waits pauses
	for {
		began := time.Now()
		err := c.once(ctx)
		if ctx.Err() != nil {
			c.set(Status{State: StateOff, Text: "Not connected."})
			return nil
		}
		var stop *StopError
		if errors.As(err, &stop) {
			c.set(Status{State: StateStopped, Text: stop.Text, Next: stop.Next, Code: stop.Code})
			return stop
		}
		longest := longestWait
		if c.session.resumable() {
			longest = longestResume
		}
		pause := waits.next(err, time.Since(began), longest)
		var later *laterError
		if errors.As(err, &later) {
			pause = max(pause, later.after)
		}
		c.log.Info("the connection to discord ended", "err", err, "again_in", pause.Round(time.Millisecond))
		c.set(Status{State: StateWaiting, Text: reason(err), Next: nextNothing})
		if Sleep(ctx, pause) != nil {
			c.set(Status{State: StateOff, Text: "Not connected."})
			return nil
		}
	}
}

// errUnreached means that no socket could be opened.
var errUnreached = errors.New("discord can't be reached")

// laterError means that no identify of the day is left, and holds the minimum time to wait.
type laterError struct{ after time.Duration }

func (e *laterError) Error() string { return "no identify is left for " + e.after.String() }

// once connects once and returns when that connection ends.
func (c *Connection) once(ctx context.Context) error {
	c.set(Status{State: StateConnecting, Text: "Connecting…"})
	address := c.session.resumeURL
	if !c.session.resumable() {
		var err error
		if address, err = c.mayIdentify(ctx); err != nil {
			return err
		}
	}
	sock, err := c.dial(ctx, address)
	if err != nil {
		c.session.noteUnreachable()
		return fmt.Errorf("%w: %w", errUnreached, err)
	}
	c.session.lost, c.session.failed = time.Time{}, 0
	g := &gateway{c: c, sock: sock, session: &c.session}
	return g.run(ctx)
}

// mayIdentify asks Discord for the address and waits until an identify is allowed: Discord
// limits them to one in five seconds and a number per day.
func (c *Connection) mayIdentify(ctx context.Context) (address string, err error) {
	limits, err := c.limits(ctx)
	var said *Error
	if errors.As(err, &said) && said.Status == http.StatusUnauthorized {
		return "", stopFor(closeAuthFailed)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", errUnreached, err)
	}
	if l := limits.Limit; l.Total > 0 && l.Remaining <= 0 {
		after := time.Duration(l.ResetAfter) * time.Millisecond
		return "", &laterError{max(after, time.Minute)}
	}
	if d := time.Until(c.session.identified.Add(identifyPause(limits.Limit))); d > 0 && !c.session.identified.IsZero() {
		c.set(Status{State: StateWaiting, Text: whyLimited, Next: nextNothing})
		if err := Sleep(ctx, d); err != nil {
			return "", err
		}
	}
	return limits.URL, nil
}

// identifyPause returns the time between two identifies: what Discord demands, and longer
// when most of the day's are used up, so that some are left at the end of the day.
func identifyPause(l startLimit) time.Duration {
	if l.Remaining <= 0 || l.ResetAfter <= 0 || l.Remaining*4 >= l.Total {
		return identifyEvery
	}
	reserve := l.Total / 50 // for manual starts
	return max(identifyEvery, time.Duration(l.ResetAfter)*time.Millisecond/time.Duration(max(l.Remaining-reserve, 1)))
}

// reason returns an error as a sentence for people, without addresses.
func reason(err error) string {
	var later *laterError
	var closed *closedError
	switch {
	case errors.As(err, &later):
		return whyNoneLeft
	case errors.As(err, &closed):
		return whyClosed
	case errors.Is(err, errSilent):
		return whySilent
	case errors.Is(err, errAsked):
		return whyAsked
	case errors.Is(err, errInvalidSession):
		return whyInvalid
	}
	return whyUnreached
}
