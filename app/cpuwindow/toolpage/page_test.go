package toolpage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents/mcpclient"
	"mac-stats/agents/tools"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

// bench is the page in a window, on a real permissions.toml and scripted servers.
type bench struct {
	*screentest.Screen
	t        *testing.T
	page     *Page
	allowed  *tools.Answers
	servers  *stubServers
	chosen   map[string]string
	setBy    string
	copied   string
	searched string
	opened   []string
	hidden   bool
}

func newBench(t *testing.T) *bench {
	b := &bench{Screen: screentest.New(t), t: t, chosen: map[string]string{runCommands: "false"}, servers: &stubServers{waits: make(chan error)}}
	b.allowed = tools.OpenAnswers(filepath.Join(t.TempDir(), "permissions.toml"))
	b.page = NewPage(b, Parts{Allowed: b.allowed, Servers: b.servers})
	b.Win = test.NewTempWindow(t, b.page.View)
	b.Win.Resize(fyne.NewSize(700, 900))
	return b
}

func (b *bench) load() {
	b.page.Load()
	b.Settle()
}

func (b *bench) tap(words string) {
	b.t.Helper()
	b.Pushes(b.page.View, words)
	b.Settle()
}

func (b *bench) Visible() bool               { return !b.hidden }
func (b *bench) Copy(text string)            { b.copied = text }
func (b *bench) OpenFile(path string)        { b.opened = append(b.opened, filepath.Base(path)) }
func (b *bench) SearchSettings(words string) { b.searched = words }

func (b *bench) TitleOf(name string) string {
	if name == "cpu-1" {
		return "Why is the fan loud?"
	}
	return ""
}

func (b *bench) Chosen(key string) (value, setBy string) { return b.chosen[key], b.setBy }

func (b *bench) Choose(key, value string, then func(error)) {
	b.chosen[key] = value
	then(nil)
}

// stubServers are servers without programs; a start waits until the test ends it.
type stubServers struct {
	list  []mcpclient.Server
	err   error
	waits chan error
	added string
	lines []string
}

func (s *stubServers) Servers() ([]mcpclient.Server, error) { return s.list, s.err }
func (s *stubServers) Log(string, int) ([]string, error)    { return s.lines, nil }
func (s *stubServers) File() string                         { return "mcp.json" }
func (s *stubServers) SignIn(context.Context, string) error { return mcpclient.ErrNoServer }
func (s *stubServers) Test(ctx context.Context, _ string) error {
	select {
	case err := <-s.waits:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stubServers) Add(text string) ([]string, error) {
	if s.added = text; !strings.Contains(text, "{") {
		return nil, errors.New("it isn't JSON (no); paste all of it, from { to }")
	}
	s.list = []mcpclient.Server{{Name: "new", Where: "npx new", State: mcpclient.StateIdle, Log: "x.log"}}
	return []string{"new"}, nil
}

func (s *stubServers) Switch(tool string, on bool) error {
	list := append([]mcpclient.Server{}, s.list...)
	list[0].Tools = append([]mcpclient.Tool{}, list[0].Tools...)
	for i, t := range list[0].Tools {
		if t.Name == tool {
			list[0].Tools[i].On = on
		}
	}
	s.list = list
	return nil
}

func TestPermissionsAreListedAndRevoked(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.load()
		b.Sees("Nothing is allowed permanently.")
		for _, p := range []tools.Permission{
			{Agent: "coder", Tool: tools.RunCmd, Covers: "git", Answer: tools.AnswerAlways},
			{Agent: "coder", Tool: "files.read_file", Answer: tools.AnswerNever},
			{Agent: "coder", Tool: "files.write_file", Answer: tools.AnswerChat, Session: "cpu-1"},
			{Agent: "coder", Tool: "files.list", Answer: tools.AnswerAlways, Schedule: "Morning"},
		} {
			if err := b.allowed.Keep(p, false); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(checkInterval) // it is on the screen
		b.Settle()
		b.Sees("RUN_CMD git", "coder may always use it, since ", "files.read_file", "coder may never use it, since ", "in the chat “Why is the fan loud?”", "in the schedule “Morning”", "Open permissions.toml")
		b.tap("Revoke")
		b.SeesNot("RUN_CMD git")
		b.Sees("files.read_file")
		if list, err := b.allowed.List(); err != nil || len(list) != 3 {
			t.Errorf("%+v %v", list, err)
		}
		if err := os.WriteFile(b.allowed.Path(), []byte("[[permission]]\nagent = \"coder\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.load()
		b.Sees("Read permissions.toml: entry 1 is incomplete", "Nothing is allowed until the file can be read")
	})
}

func TestServerStates(t *testing.T) {
	tool := []mcpclient.Tool{{Name: "files.read_file", Description: "Reads a file.", Changed: "Reads all files.", On: true}}
	for name, tt := range map[string]struct {
		server mcpclient.Server
		sees   []string
		lacks  []string
	}{
		"idle":     {mcpclient.Server{State: mcpclient.StateIdle, Log: "l", Tools: tool}, []string{"starts when needed", "Test", "Tools (1)", "Log"}, []string{"Sign in…"}},
		"starting": {mcpclient.Server{State: mcpclient.StateStarting, Log: "l"}, []string{"starting…", "Log"}, []string{"Test", "Tools ("}},
		"running":  {mcpclient.Server{State: mcpclient.StateRunning}, []string{"running", "Test"}, []string{"Log", "Sign in…"}},
		"off":      {mcpclient.Server{State: mcpclient.StateOff}, []string{"disabled in mcp.json"}, []string{"Test", "Sign in…"}},
		"ended":    {mcpclient.Server{State: mcpclient.StateIdle, Err: mcpclient.ErrEnded, Log: "l"}, []string{"ended", "It ended by itself.", "The next call starts it again."}, nil},
		"failed":   {mcpclient.Server{State: mcpclient.StateFailed, Err: errors.New("npx isn't installed or not in PATH"), Log: "l"}, []string{"can't be used", "Npx isn't installed", "Its log may say more."}, nil},
		"web":      {mcpclient.Server{State: mcpclient.StateFailed, Err: errors.New("no route")}, []string{"No route.", "you are online", "Sign in…", "Test"}, []string{"Log"}},
		"sign in":  {mcpclient.Server{State: mcpclient.StateFailed, Err: mcpclient.ErrSignIn}, []string{"It requires you to sign in.", "your browser"}, []string{"mac-stats mcp login"}},
		"bad":      {mcpclient.Server{Where: "-", State: mcpclient.StateFailed, Err: errors.New("it needs a command")}, []string{"It needs a command.", "Correct it in mcp.json."}, []string{"Test"}},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t)
				tt.server.Name, tt.server.Where = "files", strings.Trim(tt.server.Where+"npx files", "-")
				if name == "bad" {
					tt.server.Where = ""
				}
				b.servers.list = []mcpclient.Server{tt.server}
				b.load()
				b.Sees(append(tt.sees, "files", "Open mcp.json")...)
				b.SeesNot(append(tt.lacks, "Reads a file.")...)
			})
		})
	}
}

func TestAServerIsTriedAndItsToolsSwitched(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.servers.list = []mcpclient.Server{{Name: "files", Where: "npx files", State: mcpclient.StateIdle, Log: "mcp-files.log", Tools: []mcpclient.Tool{
			{Name: "files.read_file", Description: "Reads a file.", Changed: "Reads all files.", On: true}, {Name: "files.list", On: true},
		}}}
		b.load()
		b.tap("Test")
		b.Sees("starting…", "Stop")
		b.servers.waits <- errors.New("it didn't answer in time")
		b.Settle()
		b.Sees("It didn't answer in time.")
		b.tap("Test")
		b.tap("Stop")
		b.SeesNot("It didn't answer in time.", "canceled", "starting…")

		b.tap("Tools (2)")
		b.Sees("files.read_file", "Reads a file.", "It now says: Reads all files.", "until you allow a call")
		switches := func() (all []*kit.Switch) {
			for _, o := range column.RowControls(b.page.View.Rows) {
				if s, ok := o.(*kit.Switch); ok {
					all = append(all, s)
				}
			}
			return all
		}
		second := switches()[1]
		b.Canvas().Focus(second)
		second.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		b.Settle()
		if got := b.servers.list[0].Tools; !got[0].On || got[1].On {
			t.Errorf("%+v", got)
		}
		if now := switches()[1]; now.On || b.Canvas().Focused() != fyne.Focusable(now) {
			t.Errorf("on %v; the focus is on %v", now.On, b.Canvas().Focused())
		}
		b.tap("Hide tools")
		b.SeesNot("Reads a file.")

		b.tap("Log")
		b.Sees("Its log is empty")
		b.servers.lines = []string{"ready", "got a call"}
		time.Sleep(checkInterval)
		b.Settle()
		b.Sees("got a call")
		b.tap("Copy log")
		b.tap("Open log")
		if b.copied != "ready\ngot a call" || len(b.opened) != 1 {
			t.Errorf("%q %v", b.copied, b.opened)
		}
		b.servers.list = []mcpclient.Server{{Name: "files", Where: "npx files", State: mcpclient.StateIdle, Err: mcpclient.ErrEnded, Log: "mcp-files.log"}}
		time.Sleep(checkInterval)
		b.Settle()
		b.Sees("It ended by itself.")
		b.hidden = true
		time.Sleep(2 * checkInterval)
		b.servers.list[0].Err = nil
		time.Sleep(2 * checkInterval)
		b.Settle()
		b.Sees("It ended by itself.") // the page isn't shown, so nothing is checked
	})
}

func TestAServerIsAdded(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.load()
		b.Sees("through the Model Context Protocol (MCP)")
		b.tap("Add a server…")
		entry := b.page.sheet.text.Entry
		if b.Canvas().Focused() != fyne.Focusable(entry) {
			t.Errorf("the focus is on %v", b.Canvas().Focused())
		}
		entry.SetText("npx new")
		b.tap("Add")
		b.Sees("It isn't JSON (no); paste all of it, from { to }")
		entry.SetText(`{"new": {"command": "npx"}}`)
		b.tap("Add")
		b.Sees("new", "starting…")
		b.servers.list = []mcpclient.Server{{Name: "new", Where: "npx new", State: mcpclient.StateRunning, Log: "x.log", Tools: []mcpclient.Tool{{Name: "new.go", On: true}}}}
		b.servers.waits <- nil
		b.Settle()
		b.Sees("running", "new.go")
		b.tap("Add a server…")
		b.tap("Cancel")
		b.Sees("Permissions", "new.go")
		b.servers.err = errors.New("read mcp.json: unexpected end of JSON input")
		b.load()
		b.Sees("Read mcp.json: unexpected end", "Correct the file")
	})
}

func TestCommandsAreSwitched(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.load()
		on := func() *kit.Switch {
			for _, o := range column.RowControls(b.page.View.Rows) {
				if s, ok := o.(*kit.Switch); ok {
					return s
				}
			}
			return nil
		}
		on().Tapped(nil)
		b.Settle()
		if b.chosen[runCommands] != "true" || !on().On {
			t.Error("it is off")
		}
		b.tap("Folder, time and network…")
		if b.searched != "tools.command" {
			t.Errorf("searched %q", b.searched)
		}
		b.setBy = "MAC_STATS_TOOLS_COMMANDS"
		b.load()
		b.Sees("MAC_STATS_TOOLS_COMMANDS, which overrides config.toml.")
		if on() != nil {
			t.Error("it can be switched")
		}
	})
}
