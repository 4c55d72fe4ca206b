package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
)

// Server describes a server to people.
type Server struct {
	Name  string
	Where string // the command or the address
	State State
	Err   error // why it can't be used, or that it exited
	Tools []Tool
	Left  []string // what is missing from Tools, or not right with the server
	Log   string   // the file with its stderr; "" for a server on the web
}

// State is the state of a server.
type State string

// Tool describes a tool to people.
type Tool struct {
	Name        string // files.read_file
	Description string // as models see it
	Changed     string // the server's current description; "" if it hasn't changed
	On          bool
}

// Servers returns the servers, sorted by name. The error concerns mcp.json.
func (c *Client) Servers() ([]Server, error) {
	var out []Server
	for _, s := range c.list() {
		v := Server{Name: s.name, Where: s.config.where()}
		v.State, v.Err = s.status()
		if s.config.Command != "" {
			v.Log = s.logFile()
		}
		k, _ := c.knownOf(s)
		v.Left = k.Left
		if v.State == StateIdle && v.Err == nil && k.Failed != "" {
			v.State, v.Err = StateFailed, errors.New(k.Failed)
		}
		for _, t := range k.Tools {
			tool := Tool{Name: s.name + "." + t.Name, Description: t.Description, On: !t.Off}
			if t.Changed != nil {
				tool.Changed = cmp.Or(t.Changed.Description, "–")
			}
			v.Tools = append(v.Tools, tool)
		}
		out = append(out, v)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range sorted(c.bad) {
		out = append(out, Server{Name: name, State: StateFailed, Err: c.bad[name]})
	}
	return out, c.err
}

// Switch switches a tool (files.read_file) on or off.
func (c *Client) Switch(name string, on bool) error {
	of, tool, _ := strings.Cut(name, ".")
	s, err := c.find(of)
	if err != nil {
		return err
	}
	return c.change(s, tool, func(t *spec) { t.Off = !on })
}

// Test starts a server and lists its tools.
func (c *Client) Test(ctx context.Context, name string) error {
	s, err := c.find(name)
	if err != nil {
		return err
	}
	return s.restart(ctx, "it is tested")
}

// ErrEnded means that a server exited on its own. The next call starts it again.
var ErrEnded = errors.New("it ended by itself")

// ErrNoServer means that mcp.json has no server of that name.
var ErrNoServer = errors.New("mcp.json has no such server")

func (c *Client) find(name string) (*server, error) {
	list := c.list()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := cmp.Or(c.err, c.bad[name]); err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(list, func(s *server) bool { return s.name == name }); at >= 0 {
		return list[at], nil
	}
	return nil, ErrNoServer
}

// The states.
const (
	StateOff      State = "off"      // by mcp.json
	StateIdle     State = "idle"     // not started, or exited on its own, in which case Err is ErrEnded
	StateStarting State = "starting" // for the first time or again
	StateRunning  State = "running"  // or connected
	StateFailed   State = "failed"
)
