// Package mcpclient gives agents the tools of other programs, by the Model Context
// Protocol: servers on this machine, which it starts, and servers on the web.
//
// Rules:
//   - The servers are those of mcp.json, which is read again when it changed. One is
//     started when its tools are asked for the first time, then when one of them is
//     called. While nothing is called nothing is done: no polling, no open stream.
//   - All that a server sends is a stranger's text: names are checked, descriptions are
//     cleaned and capped, results are quoted. What models are told of a tool is what was
//     there when the person began to use it. A change is shown to the person with the
//     next question; until they agree the model is told the old words.
//   - A server has limits of time, of size and of number. One that goes beyond them is
//     killed with all of its group and harms only itself. Nothing a server asks for is
//     done: no sampling, no files, no questions to the person.
//   - Every call is asked about (tools.Guarded). Nothing here decides.
package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"mac-stats/agents/tools"
	"mac-stats/sessionmem/wholefile"
)

// Limits of a server.
const (
	startTime  = 30 * time.Second // until it has answered and listed its tools
	firstTime  = 10 * time.Second // that a turn waits for a server whose tools are not known yet
	signTime   = 5 * time.Minute  // that a person may take to sign in
	callTime   = 2 * time.Minute
	mostTools  = 100
	mostLine   = 4 << 20  // bytes of one message
	mostSent   = 32 << 20 // bytes between two calls
	mostResult = 256 << 10
	mostLog    = 1 << 20
	mostAbout  = 400     // characters of a description
	mostSchema = 8 << 10 // bytes of the schema of arguments
	mostArgs   = 64 << 10
	again      = time.Minute // after a failure, until a turn tries to start the server again
)

// killAfter is how long a server may take to end a call that was stopped; half of that, to
// end itself.
var killAfter = 2 * time.Second

// Params is what a Client needs. File, State and Logs are required.
type Params struct {
	File    string   // mcp.json
	State   string   // what is known of the servers' tools, and which are switched off
	Logs    string   // the folder of what servers write to stderr
	Environ []string // of this process
	Version string
	Logger  *slog.Logger
	Tokens  Tokens               // of servers that want one; nil: those can't be used
	Browse  func(address string) // opens the page where the person signs in; optional
}

// Client knows the servers. Safe for concurrent use.
type Client struct {
	p Params

	life context.Context // ends with Close
	end  context.CancelFunc

	mu      sync.Mutex
	read    wholefile.Stamp // of mcp.json as it was read
	err     error           // why it can't be read
	servers map[string]*server
	bad     map[string]error
	kept    wholefile.Stamp // of the file of state as it was read
	state   map[string]known
	closed  bool
}

// known is what is kept of a server between starts.
type known struct {
	Config string `json:"config"` // hash of the configuration it is about
	Tools  []spec `json:"tools"`
}

// spec is a tool as the person accepted it.
type spec struct {
	Name        string          `json:"name"` // of the server
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Off         bool            `json:"off,omitempty"`
	Changed     *spec           `json:"changed,omitempty"` // what the server says now
}

// stamp changes with what the server is and what it says of the tool.
func (s spec) stamp(config string) string {
	return hashOf(config, s.Name, s.Description, string(s.Schema))
}

// New starts nothing.
func New(p Params) *Client {
	if p.File == "" || p.State == "" || p.Logs == "" {
		panic("mcpclient: New needs File, State and Logs")
	}
	if p.Logger == nil {
		p.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Client{p: p, servers: map[string]*server{}, state: map[string]known{}}
	c.life, c.end = context.WithCancel(context.Background())
	return c
}

// reload reads what is known where another process wrote it, such as `mac-stats mcp off`.
// The lock must be held.
func (c *Client) reload() {
	var stamp wholefile.Stamp
	if info, err := os.Stat(c.p.State); err == nil {
		stamp = wholefile.StampOf(info)
	}
	if stamp == c.kept {
		return
	}
	c.kept, c.state = stamp, map[string]known{}
	data, err := wholefile.Read(c.p.State, 16<<20)
	if err == nil {
		err = json.Unmarshal(data, &c.state)
	}
	if c.state == nil { // the file said null
		c.state = map[string]known{}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.p.Logger.Warn("what is known of the MCP servers can't be read; they are asked again", "error", err)
	}
}

// look reads mcp.json where it changed. The lock must be held.
func (c *Client) look() {
	var stamp wholefile.Stamp
	if info, err := os.Stat(c.p.File); err == nil {
		stamp = wholefile.StampOf(info)
	}
	if stamp == c.read && c.bad != nil || c.closed {
		return
	}
	configs, bad, err := readFile(c.p.File)
	c.read, c.err, c.bad = stamp, err, bad
	if c.bad == nil {
		c.bad = map[string]error{}
	}
	if err != nil {
		c.p.Logger.Warn("the MCP servers can't be read", "error", err)
		return // those that run go on: half a file may be an edit under way
	}
	for name, s := range c.servers {
		if now, there := configs[name]; !there || now.hash() != s.config.hash() {
			s.end()
			go s.quit("it was changed in mcp.json")
			delete(c.servers, name)
		}
	}
	for name, config := range configs {
		if c.servers[name] == nil {
			s := &server{client: c, name: name, config: config}
			s.life, s.end = context.WithCancel(c.life)
			c.servers[name] = s
		}
	}
}

// list gives the servers, by name.
func (c *Client) list() []*server {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look()
	var list []*server
	for _, name := range sorted(c.servers) {
		list = append(list, c.servers[name])
	}
	return list
}

// Tools are the tools of all servers that are on. It starts those of which nothing is
// known yet, and waits for them for some seconds after their start, or until ctx ends. One
// that takes longer goes on starting: its tools are there for a later turn.
func (c *Client) Tools(ctx context.Context) []tools.Guarded {
	list := c.list()
	var attempts []*attempt
	for _, s := range list {
		if _, ok := c.knownOf(s); !ok && s.mayTry() {
			attempts = append(attempts, s.begin(s.life))
		}
	}
	for _, a := range attempts {
		select {
		case <-a.done: // the page and the log say why not
		case <-time.After(time.Until(a.began.Add(firstTime))):
		case <-ctx.Done():
		}
	}
	var all []tools.Guarded
	for _, s := range list {
		k, _ := c.knownOf(s)
		for _, spec := range k.Tools {
			if !spec.Off && !s.config.Disabled {
				all = append(all, newTool(s, spec))
			}
		}
	}
	return all
}

// knownOf gives what is known of a server as it is configured now.
func (c *Client) knownOf(s *server) (known, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reload()
	k, ok := c.state[s.name]
	if !ok || k.Config != s.config.hash() {
		return known{}, s.config.Disabled
	}
	return k, true
}

// learn compares what a server says of its tools with what was accepted.
func (c *Client) learn(s *server, now []spec) error {
	hash := s.config.hash()
	return c.keep(s.name, func(before known) (known, error) {
		for i, n := range now {
			at := slices.IndexFunc(before.Tools, func(b spec) bool { return b.Name == n.Name })
			if at < 0 || before.Config != hash {
				continue
			}
			b := before.Tools[at]
			b.Changed = nil
			if b.stamp("") != n.stamp("") {
				b.Changed = &n
			}
			now[i] = b
		}
		return known{Config: hash, Tools: now}, nil
	})
}

// change changes what is known of a tool.
func (c *Client) change(s *server, tool string, f func(*spec)) error {
	return c.keep(s.name, func(k known) (known, error) {
		k.Tools = slices.Clone(k.Tools)
		at := slices.IndexFunc(k.Tools, func(b spec) bool { return b.Name == tool })
		if at < 0 {
			return k, fmt.Errorf("%s has no tool %s", s.name, tool)
		}
		f(&k.Tools[at])
		return k, nil
	})
}

// keep changes what is known of a server. Others wait for it, in this process and in
// another one, such as `mac-stats mcp off`.
func (c *Client) keep(name string, change func(known) (known, error)) error {
	unlock, err := c.lock("tools")
	if err != nil {
		return wholefile.Explain("keep what is known of the MCP servers", err)
	}
	defer unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reload()
	now, err := change(c.state[name])
	if err != nil {
		return err
	}
	c.state[name] = now
	data, err := json.Marshal(c.state) // not indented: that would change schemas, and so their stamps
	if err != nil {
		return fmt.Errorf("keep what is known of the MCP servers: %w", err)
	}
	return wholefile.Wrap("keep what is known of the MCP servers", wholefile.Write(c.p.State, data, 0o600))
}

// lock takes a lock that the data folder's programs share.
func (c *Client) lock(what string) (unlock func(), err error) {
	lock := wholefile.NewLock(filepath.Join(filepath.Dir(c.p.State), ".mcp-"+what+".lock"))
	if err := wholefile.TakeLock(c.life, lock); err != nil {
		return nil, err
	}
	return func() { _ = lock.Unlock() }, nil // ends with the process at the latest
}

// File is mcp.json.
func (c *Client) File() string { return c.p.File }

// Close ends all servers.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	servers := c.servers
	c.mu.Unlock()
	c.end()
	var ending sync.WaitGroup
	for _, s := range servers {
		ending.Go(func() { s.quit("mac-stats ends") })
	}
	ending.Wait()
	return nil
}
