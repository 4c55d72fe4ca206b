package settings

import (
	"context"
	"errors"
	"testing"

	"mac-stats/agents/mcpclient"
	"mac-stats/app/ui/screentest"
)

type stubServers struct {
	list     []mcpclient.Server
	switched string
}

func (s *stubServers) Servers() ([]mcpclient.Server, error) { return s.list, nil }
func (s *stubServers) Test(context.Context, string) error {
	s.list[0].State = mcpclient.StateRunning
	return nil
}
func (s *stubServers) SignIn(context.Context, string) error { return errors.New("no keychain") }
func (s *stubServers) File() string                         { return "mcp.json" }

func (s *stubServers) Switch(tool string, on bool) error {
	s.switched = tool
	tools := append([]mcpclient.Tool{}, s.list[0].Tools...)
	tools[0].On = on
	s.list = append([]mcpclient.Server{}, s.list...)
	s.list[0].Tools = tools
	return nil
}

func TestServersOnThePage(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		stub := &stubServers{list: []mcpclient.Server{
			{Name: "files", Where: "npx files", State: mcpclient.StateIdle, Log: "mcp-files.log", Tools: []mcpclient.Tool{{Name: "files.read_file", Description: "Reads a file.", Changed: "Reads all files.", On: true}}},
			{Name: "web", Where: "https://example.org/mcp", State: mcpclient.StateFailed, Err: errors.New("it wants you to sign in")},
		}}
		b.parts.Servers = stub
		b.open()
		b.page.search.Field.OnChange("mcp.json")
		b.Settle()
		b.Sees("files · starts when it is needed", "npx files", "web · can't be used", "It wants you to sign in", "Sign in…", "Open log", "Open mcp.json")
		b.SeesNot("Reads a file.")
		b.tap("Tools (1)")
		b.Settle()
		b.Sees("files.read_file", "Reads a file.", "It now says: Reads all files.")
		b.tap("Try it")
		b.Settle()
		b.Sees("files · running")
		b.page.servers.do("files", func() error { return stub.Switch("files.read_file", false) })
		b.Settle()
		if stub.switched != "files.read_file" || b.page.servers.list[0].Tools[0].On {
			t.Errorf("%+v", stub)
		}
		b.tap("Sign in…")
		b.Settle()
		b.Sees("No keychain.")
	})
}
