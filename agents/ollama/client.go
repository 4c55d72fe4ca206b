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

// Params is what a Client needs; all optional.
type Params struct {
	Host          string        // as OLLAMA_HOST is read; "" takes OLLAMA_HOST, then 127.0.0.1:11434
	HTTP          *http.Client  // nil is one that uses no proxy for loopback and follows no redirect elsewhere
	MaxConcurrent int           // permits per HTTP chat call, default 1
	IdleTimeout   time.Duration // the longest silence, default 120 s; does not run while a model loads, and a long prompt gets more until its first token
	KeepAlive     time.Duration // default 10 min; below zero keeps the model for ever
	// Descriptions is a file that keeps what models can do, by their digest, so that a
	// server too busy to say changes nothing; "" keeps it in memory.
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

// New returns a client; a bad host is an error with the form expected.
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

// Host is the server's base address.
func (c *Client) Host() *url.URL {
	u := *c.base
	return &u
}

func (c *Client) target(op, model string) target {
	return target{op: op, host: c.base.Host, model: model}
}
