// Package mcpclient offers agents the tools of other programs, by the Model Context Protocol:
// from servers on this machine, which it starts, and servers on the web.
//
// Rules:
//   - The servers are those in mcp.json, which is reread when it changes. A server is
//     started when its tools are first needed, and later when one of them is called.
//     Between calls nothing happens: no polling, no open stream.
//   - Everything a server sends is a stranger's text: names are checked, descriptions are
//     cleaned and capped, results are quoted. Models see a tool's description as it was
//     when the person began to use it. The next question shows a change to the person;
//     until they agree, models see the old description.
//   - A server has limits of time, size and number. A server that exceeds them is killed
//     with its whole group and harms only itself. Requests of a server are never
//     fulfilled: no sampling, no files, no questions to the person.
//   - Every call needs a decision (tools.Guarded), which the package leaves to its caller.
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
	startTime  = 5 * time.Minute  // to start and list its tools: npx may have to download it
	firstTime  = time.Minute      // how long a turn waits for a server whose tools aren't known yet
	againTime  = 5 * time.Second  // the same if its last start failed
	listTime   = 10 * time.Second // to list its tools
	signTime   = 5 * time.Minute  // for a person to sign in
	callTime   = 2 * time.Minute
	maxTools   = 2000
	maxSent    = 32 << 20 // bytes between two calls
	maxResult  = 256 << 10
	maxLog     = 1 << 20
	maxAbout   = 400     // characters of a description
	maxSchema  = 8 << 10 // bytes of the schema of arguments
	maxArgs    = 64 << 10
	retryAfter = time.Minute // after a failure, before a turn tries to start the server again
)

// killAfter is how long a server may take to end a call that was stopped, and half of it
// how long it may take to exit.
var killAfter = 2 * time.Second

// Params configures a Client. File, State and Logs are required.
type Params struct {
	File    string   // mcp.json
	State   string   // the file with the known tools of the servers and which are switched off
	Logs    string   // the folder for the servers' stderr
	Environ []string // of this process
	Version string
	Logger  *slog.Logger
	Tokens  Tokens               // for servers that need one; nil: these can't be used
	Browse  func(address string) // opens the page for signing in; optional
}

// Client manages the servers. Safe for concurrent use.
type Client struct {
	p Params

	life context.Context // cancelled by Close
	end  context.CancelFunc

	start, first, again, listing time.Duration // startTime and so on; tests start real programs on machines that may be busy

	mu      sync.Mutex
	read    wholefile.Stamp // of mcp.json when it was last read
	err     error           // why mcp.json can't be read
	servers map[string]*server
	bad     map[string]error
	kept    wholefile.Stamp // of the state file when it was last read
	state   map[string]known
	closed  bool
}

// known is the stored state of a server between starts.
type known struct {
	Config string   `json:"config"`           // hash of the configuration to which it applies
	Tools  []spec   `json:"tools"`            // nil if it has never been started
	Left   []string `json:"left,omitempty"`   // what is missing from Tools, or not right with the server, for people
	Failed string   `json:"failed,omitempty"` // why its last start failed
	Asks   string   `json:"asks,omitempty"`   // the challenge of a refusal, for the next sign-in
}

// spec is a tool as the person accepted it.
type spec struct {
	Name        string          `json:"name"` // the server's name for it
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Off         bool            `json:"off,omitempty"`
	Used        bool            `json:"used,omitempty"`    // it has run
	Changed     *spec           `json:"changed,omitempty"` // the server's current form
}

// stamp changes with the server's configuration and the tool's description.
func (s spec) stamp(config string) string {
	return hashOf(config, s.Name, s.Description, string(s.Schema))
}

// New returns a Client. It starts no server.
func New(p Params) *Client {
	if p.File == "" || p.State == "" || p.Logs == "" {
		panic("mcpclient: New needs File, State and Logs")
	}
	if p.Logger == nil {
		p.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Client{p: p, start: startTime, first: firstTime, again: againTime, listing: listTime, servers: map[string]*server{}, state: map[string]known{}}
	c.life, c.end = context.WithCancel(context.Background())
	return c
}

// reload rereads the state file if another process changed it, such as `mac-stats mcp off`.
// The caller holds the lock.
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
	if c.state == nil { // the file is null
		c.state = map[string]known{}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.p.Logger.Warn("what is known of the MCP servers can't be read; they are asked again", "error", err)
	}
}

// readConfig rereads mcp.json if it changed. The caller holds the lock.
func (c *Client) readConfig() {
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
		return // running servers continue: half a file may be an edit in progress
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

// list returns the servers, sorted by name.
func (c *Client) list() []*server {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readConfig()
	var list []*server
	for _, name := range sorted(c.servers) {
		list = append(list, c.servers[name])
	}
	return list
}

// Known reports whether Tools would start no server, because the tools of all are known.
func (c *Client) Known() bool {
	return !slices.ContainsFunc(c.list(), func(s *server) bool {
		_, ok := c.knownOf(s)
		return !ok && s.mayStart()
	})
}

// Tools returns the tools of all servers that are on, and a sentence for each server whose
// tools are missing. It starts the servers whose tools aren't known yet and waits for them,
// a minute for one that hasn't failed before, or until ctx is done; waiting is told for
// which, and may be nil. A server that takes longer continues to start, and its tools are
// available in a later turn.
func (c *Client) Tools(ctx context.Context, waiting func(server string)) (all []tools.Guarded, missing []string) {
	list := c.list()
	attempts := map[*server]*attempt{}
	for _, s := range list {
		if _, ok := c.knownOf(s); !ok && s.mayStart() {
			attempts[s] = s.begin(s.life)
		}
	}
	for _, s := range list {
		a := attempts[s]
		if a == nil {
			continue
		}
		most := c.first
		if k, _ := c.knownOf(s); k.Failed != "" {
			most = c.again
		}
		if waiting != nil {
			waiting(s.name)
		}
		select {
		case <-a.done: // the page and the log show a failure
		case <-time.After(time.Until(a.began.Add(most))):
		case <-ctx.Done():
		}
	}
	c.mu.Lock()
	if c.err != nil {
		missing = append(missing, fmt.Sprintf("The tools of MCP servers are missing: %v", c.err))
	}
	for _, name := range sorted(c.bad) {
		missing = append(missing, fmt.Sprintf("The tools of the MCP server %s are missing: %v", name, c.bad[name]))
	}
	c.mu.Unlock()
	for _, s := range list {
		k, ok := c.knownOf(s)
		if why := s.why(k); !ok {
			missing = append(missing, fmt.Sprintf("The tools of the MCP server %s are missing: %s", s.name, why))
		}
		for _, spec := range k.Tools {
			if !spec.Off && !s.config.Disabled {
				all = append(all, newTool(s, spec))
			}
		}
	}
	return all, missing
}

// why explains why the server's tools aren't known.
func (s *server) why(k known) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attempt != nil || k.Failed == "" {
		return "it is still starting; `mac-stats mcp test " + s.name + "` waits for it"
	}
	return k.Failed
}

// knownOf returns the stored state of a server, if it is for the current configuration. It
// reports whether the tools are known.
func (c *Client) knownOf(s *server) (known, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reload()
	k, ok := c.state[s.name]
	if !ok || k.Config != s.config.hash() {
		return known{}, s.config.Disabled
	}
	return k, s.config.Disabled || k.Tools != nil || k.Failed == ""
}

// learn compares a server's list of tools with the accepted one.
func (c *Client) learn(s *server, now known) error {
	now.Config = s.config.hash()
	return c.keep(s.name, func(before known) (known, error) {
		if before.Config == now.Config {
			now.Asks = before.Asks
		}
		for i, n := range now.Tools {
			at := slices.IndexFunc(before.Tools, func(b spec) bool { return b.Name == n.Name })
			if at < 0 || before.Config != now.Config {
				continue
			}
			b := before.Tools[at]
			b.Changed = nil
			if b.stamp("") != n.stamp("") {
				b.Changed = &n
			}
			now.Tools[i] = b
		}
		return now, nil
	})
}

// change changes the stored state of a tool.
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

// keep changes the stored state of a server. Other callers wait for it, in this process and
// in others, such as `mac-stats mcp off`.
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
	data, err := json.Marshal(c.state) // not indented, as that would change schemas and so their stamps
	if err != nil {
		return fmt.Errorf("keep what is known of the MCP servers: %w", err)
	}
	return wholefile.Wrap("keep what is known of the MCP servers", wholefile.Write(c.p.State, data, 0o600))
}

// lock takes a lock that all programs using the data folder share.
func (c *Client) lock(what string) (unlock func(), err error) {
	lock := wholefile.NewLock(filepath.Join(filepath.Dir(c.p.State), ".mcp-"+what+".lock"))
	if err := wholefile.TakeLock(c.life, lock); err != nil {
		return nil, err
	}
	return func() { _ = lock.Unlock() }, nil // the process's end releases it at the latest
}

// File returns the path of mcp.json.
func (c *Client) File() string { return c.p.File }

// Close stops all servers.
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
