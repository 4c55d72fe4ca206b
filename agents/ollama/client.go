package ollama

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"
	"time"
)

// The defaults of Params.
const (
	DefaultMaxConcurrent = 1
	DefaultIdleTimeout   = 120 * time.Second
	DefaultKeepAlive     = 10 * time.Minute
)

// Params configures a Client; all fields are optional.
type Params struct {
	Host          string        // in the form of OLLAMA_HOST; "" is OLLAMA_HOST, or 127.0.0.1:11434 if that is unset
	Token         func() string // the token for a gateway in front of the server; nil or "" is none
	HTTP          *http.Client  // nil is one without a proxy for loopback that follows no redirect to another host
	MaxConcurrent int           // maximum concurrent chat calls, default 1
	IdleTimeout   time.Duration // the longest silence, default 120 s; paused while a model loads, and longer before the first token of a long prompt
	KeepAlive     time.Duration // default 10 min; below zero keeps the model forever
	// Descriptions is a file with the capabilities of models, by digest, for times when the
	// server is too busy to describe them; "" keeps them only in memory.
	Descriptions string
	Logger       *slog.Logger
}

// Client is a connection to one server. Safe for concurrent use.
type Client struct {
	base      *url.URL      // without credentials
	bad       error         // why there is no address
	user      *url.Userinfo // sent as Basic authentication, unless there is a token
	token     func() string
	http      *http.Client
	permits   permits
	aside     aside
	preparing aside // calls of Prepare, which yield to every chat
	slots     slots
	chats     atomic.Int32 // those that run or wait
	pulls     atomic.Int32 // downloads that run
	idle      time.Duration
	keep      time.Duration
	embedded  embedded
	log       *slog.Logger
	shown     descriptions
}

// New returns a client. The error for a bad host shows the expected form. Then there is a
// client, too: each of its calls fails with that error (ErrAddress), and no server is asked.
func New(p Params) (*Client, error) {
	from := p.Host
	if from == "" {
		from = os.Getenv("OLLAMA_HOST")
	}
	base, bad := ParseHost(from)
	if bad != nil {
		base = &url.URL{Scheme: "http", Host: "address.invalid"}
	}
	user := base.User
	base.User = nil
	c := &Client{
		base:    base,
		bad:     bad,
		user:    user,
		token:   p.Token,
		http:    p.HTTP,
		permits: make(permits, max(p.MaxConcurrent, DefaultMaxConcurrent)),
		idle:    p.IdleTimeout,
		keep:    p.KeepAlive,
		log:     p.Logger,
		shown:   descriptions{path: p.Descriptions},
		slots:   newSlots(),
	}
	if c.http == nil {
		c.http = newHTTPClient(base)
	}
	if c.idle <= 0 {
		c.idle = DefaultIdleTimeout
	}
	if c.keep == 0 {
		c.keep = DefaultKeepAlive
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if bad != nil {
		return c, fmt.Errorf("connect to ollama: %w", bad)
	}
	return c, nil
}

// Host returns the server's base address, without credentials.
func (c *Client) Host() *url.URL {
	u := *c.base
	return &u
}

// Address returns the server's host and port for display, after …@ if the address has
// credentials.
func (c *Client) Address() string {
	if c.user != nil {
		return "…@" + c.base.Host
	}
	return c.base.Host
}

func (c *Client) target(op, model string) target {
	t := target{op: op, host: c.Address(), model: model}
	token := ""
	if c.token != nil {
		token = c.token()
	}
	if c.user != nil {
		password, _ := c.user.Password()
		both := base64.StdEncoding.EncodeToString([]byte(c.user.Username() + ":" + password))
		t.auth, t.secrets = "Basic "+both, []string{both}
		if password != "" {
			t.secrets = append(t.secrets, password)
		}
	}
	if token != "" {
		t.auth, t.secrets = "Bearer "+token, append(t.secrets, token)
	}
	return t
}
