package ollama

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
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
	base     *url.URL
	http     *http.Client
	permits  permits
	aside    aside
	idle     time.Duration
	keep     time.Duration
	embedded embedded
	log      *slog.Logger
	shown    descriptions
}

// New returns a client. The error for a bad host shows the expected form.
func New(p Params) (*Client, error) {
	from := p.Host
	if from == "" {
		from = os.Getenv("OLLAMA_HOST")
	}
	base, err := ParseHost(from)
	if err != nil {
		return nil, fmt.Errorf("connect to ollama: %w", err)
	}
	c := &Client{
		base:    base,
		http:    p.HTTP,
		permits: make(permits, max(p.MaxConcurrent, DefaultMaxConcurrent)),
		idle:    p.IdleTimeout,
		keep:    p.KeepAlive,
		log:     p.Logger,
		shown:   descriptions{path: p.Descriptions},
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
	return c, nil
}

// Host returns the server's base address.
func (c *Client) Host() *url.URL {
	u := *c.base
	return &u
}

func (c *Client) target(op, model string) target {
	return target{op: op, host: c.base.Host, model: model}
}
