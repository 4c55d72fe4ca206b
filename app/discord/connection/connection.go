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
	// identifyEvery is the least time between two identifies of a bot: the five seconds
	// that Discord wants, and what the first may take longer on its way than the second.
	identifyEvery = 5*time.Second + 250*time.Millisecond
	firstWait     = 250 * time.Millisecond
	longestWait   = time.Minute     // between two tries; the day's identifies are kept by mayIdentify
	longestResume = 5 * time.Second // before a session is resumed: that costs no identify
	// keepSession is how long a session is kept while Discord can't be reached: within
	// it what was said meanwhile is told when the session is resumed.
	keepSession = 5 * time.Minute
	// otherAddress is from which try on a session is resumed at the usual address
	// instead of the one it was given.
	otherAddress = 4
	// steadyAfter is how long a connection has to hold for the next wait to be short again.
	steadyAfter = time.Minute
)

// Config is what a Connection needs. Token and Handle are required.
type Config struct {
	Token string // without "Bot "
	// Handle is told everything that happens, one event at a time, in order. It must
	// not wait: the connection's heartbeat does not, but its events do.
	Handle func(Event)
	// Content asks for the text of messages that don't mention the bot (a privileged
	// intent, which has to be switched on in the developer portal).
	Content bool
	// Changed is told each change of the status; optional.
	Changed func(Status)
	// Base takes the place of https://discord.com and of the CDN's hosts: tests. It must
	// be an address of this machine.
	Base   string
	Logger *slog.Logger // optional
}

// Connection is a bot's connection to Discord. Its REST calls work while Run runs or
// not.
type Connection struct {
	cfg     Config
	rest    *transport
	base    *url.URL
	log     *slog.Logger
	dial    func(ctx context.Context, url string) (socket, error)
	limits  func(ctx context.Context) (gatewayAddress, error)
	session session // of Run's goroutine alone

	mu     sync.Mutex // guards what follows
	status Status
	bot    User
	app    string // the application's id
	places map[string]Place
	roles  map[string]string // the bot's own role, by server
}

// session is what a connection is resumed with.
type session struct {
	id         string
	resumeURL  string
	seq        int64
	identified time.Time // when the last identify was sent
	lost       time.Time // since when Discord can't be reached; zero while it can
	failed     int       // tries to reach it since then
}

func (s *session) resumable() bool { return s.id != "" }

// unreached notes that Discord could not be reached: the session outlives that for a
// while.
func (s *session) unreached() {
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

// New prepares a connection; nothing is sent before Run. It panics where a required
// field is missing, and gives an error for a Base that is no address.
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

// startLimit is how many sessions a bot may begin: so many in all and still, until
// ResetAfter milliseconds are over.
type startLimit struct {
	Total      int
	Remaining  int
	ResetAfter int
}

func gatewayOf(f fields) gatewayAddress {
	limit := f.object("session_start_limit")
	return gatewayAddress{f.text("url"), startLimit{limit.whole("total"), limit.whole("remaining"), limit.whole("reset_after")}}
}

// Status is how the connection is now.
func (c *Connection) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Bot is the bot's own account, once it was connected.
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

// backoff is a pause that grows from one time to the next.
type backoff time.Duration

// pause gives the pause of this time, with jitter, at most so long.
func (b *backoff) pause(longest time.Duration) time.Duration {
	if *b < backoff(firstWait) {
		*b = backoff(firstWait)
	}
	pause := min(jitter(min(time.Duration(*b), longest)), longest)
	*b = min(2**b, backoff(longestWait))
	return pause
}

func (b *backoff) reset() { *b = 0 }

// pauses are those between two tries: one grows while Discord can't be reached, the
// other while sessions end soon. An outage that is over says nothing of the next session.
type pauses struct {
	reach, again backoff
	asked        bool // the last socket ended because Discord wanted it
}

// next is how long to wait after a try that ended with err and held for so long.
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

// Run keeps the connection until ctx ends (nil) or somebody has to change something
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

// errUnreached: no socket could be opened.
var errUnreached = errors.New("discord can't be reached")

// laterError says how long to wait at least: no identify is left of the day's.
type laterError struct{ after time.Duration }

func (e *laterError) Error() string { return "no identify is left for " + e.after.String() }

// once connects once and stays until that ends.
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
		c.session.unreached()
		return fmt.Errorf("%w: %w", errUnreached, err)
	}
	c.session.lost, c.session.failed = time.Time{}, 0
	g := &gateway{c: c, sock: sock, session: &c.session}
	return g.run(ctx)
}

// mayIdentify asks where to connect and waits until identifying is allowed: a bot
// may do it once in five seconds and so often a day.
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

// identifyPause is the time between two identifies: what Discord demands, and
// longer once most of the day's are used up, so that some are left at its end.
func identifyPause(l startLimit) time.Duration {
	if l.Remaining <= 0 || l.ResetAfter <= 0 || l.Remaining*4 >= l.Total {
		return identifyEvery
	}
	reserve := l.Total / 50 // for starts by hand
	return max(identifyEvery, time.Duration(l.ResetAfter)*time.Millisecond/time.Duration(max(l.Remaining-reserve, 1)))
}

// reason is an error in a sentence for people, without addresses.
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
