package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/tools"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/transcript"
)

// bench is a Client whose servers are this test binary.
type bench struct {
	*Client
	t   *testing.T
	dir string
}

func newBench(t *testing.T, how map[string]string) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir()}
	servers := map[string]config{}
	for name, how := range how {
		servers[name] = b.config(how)
	}
	b.write(servers)
	b.open()
	return b
}

func (b *bench) config(how string) config {
	exe, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	return config{Command: exe, Args: []string{"-test.run=^$"}, Env: map[string]string{"MAC_STATS_TEST_SERVER": how, "FLAG": filepath.Join(b.dir, "flag")}}
}

func (b *bench) write(servers map[string]config) {
	b.t.Helper()
	data, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "mcp.json"), data, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) open() {
	b.Client = New(Params{
		File: filepath.Join(b.dir, "mcp.json"), State: filepath.Join(b.dir, "mcp-tools.json"), Logs: filepath.Join(b.dir, "logs"),
		Environ: append(os.Environ(), "SECRET_TOKEN=zanzibar", "LC_TIME=C"),
	})
	b.start, b.first, b.again, b.listing = time.Hour, time.Hour, time.Hour, time.Hour
	client := b.Client
	b.t.Cleanup(func() { _ = client.Close() })
}

// Tools returns the tools without what is missing.
func (b *bench) Tools(ctx context.Context) []tools.Guarded {
	list, _ := b.Client.Tools(ctx, nil)
	return list
}

func (b *bench) tool(name string) tools.Guarded {
	b.t.Helper()
	all := b.Tools(b.t.Context())
	at := slices.IndexFunc(all, func(t tools.Guarded) bool { return t.Doc().Name == name })
	if at < 0 {
		servers, err := b.Servers()
		b.t.Fatalf("there is no %s: %+v %v", name, servers, err)
	}
	return all[at]
}

func (b *bench) call(name, text string) (tools.Result, error) {
	b.t.Helper()
	return b.tool(name).Run(b.t.Context(), &tools.Call{Name: name, Args: map[string]any{"text": text}})
}

func TestAToolOfAServer(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"test": "good"})
	got, err := b.call("test.echo", "hello")
	if err != nil || got.Text != "you said hello" || got.Sources != transcript.FromTool || got.Quote == "" {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := b.tool("test.echo").Run(t.Context(), &tools.Call{Arg: `{"text": "by a directive"}`}); err != nil || got.Text != "you said by a directive" {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := b.call("test.fail", ""); err != nil || !strings.Contains(got.Text, "no such thing") || got.Quote == "" {
		t.Errorf("%+v %v", got, err)
	}
	act, err := b.tool("test.echo").Action(&tools.Call{Args: map[string]any{"text": "a\u202eb <x>"}})
	if err != nil || act.What != `test.echo {"text":"a\u202eb <x>"}` || act.Tool != "test.echo" || !strings.Contains(act.Where, "-test.run") || act.Stamp == "" || act.Sends == "" {
		t.Errorf("%+v %v", act, err)
	}
	if _, err := b.tool("test.echo").Action(&tools.Call{Args: map[string]any{}}); err == nil {
		t.Error("without its argument")
	}
	got, err = b.call("test.environment", "")
	if err != nil || strings.Contains(got.Text, "zanzibar") || !strings.Contains(got.Text, "PATH=") || !strings.Contains(got.Text, "LC_TIME=C") {
		t.Errorf("environment: %s %v", got.Text, err)
	}
}

// Once its tools are known, only a call starts a server.
func TestAServerIsStartedWhenItIsNeeded(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"test": "good"})
	b.tool("test.echo")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b.open()
	tool := b.tool("test.echo")
	if list, err := b.Servers(); err != nil || list[0].State != StateIdle || len(list[0].Tools) == 0 {
		t.Errorf("%+v %v", list, err)
	}
	if _, err := tool.Run(t.Context(), &tools.Call{Args: map[string]any{"text": "x"}}); err != nil {
		t.Error(err)
	}
	if list, _ := b.Servers(); list[0].State != StateRunning {
		t.Errorf("%+v", list)
	}
	b.write(map[string]config{})
	if all := b.Tools(b.t.Context()); len(all) != 0 {
		t.Errorf("of a server that was taken out: %d tools", len(all))
	}
}

// A server that hangs, dies, floods or lies only harms itself: the other server responds,
// and the next call finds a new process.
func TestABadServerHarmsOnlyItself(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	gone := b.config("good")
	gone.Command = "no-such-program"
	b.write(map[string]config{"bad": b.config("good"), "good": b.config("good"), "gone": gone})
	for _, tt := range []struct{ name, want string }{
		{"die", "it ended"},
		{"flood", "it sent more than 32 MB"},
		{"large", ""},
		{"complain", ""},
	} {
		got, err := b.call("bad."+tt.name, "x")
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if len(got.Text) > maxResult {
			t.Errorf("%s: %d bytes", tt.name, len(got.Text))
		}
		if got, err := b.call("good.echo", tt.name); err != nil || got.Text != "you said "+tt.name {
			t.Errorf("beside %s: %+v %v", tt.name, got, err)
		}
		if got, err := b.call("bad.echo", tt.name); err != nil || got.Text != "you said "+tt.name {
			t.Errorf("after %s: %+v %v", tt.name, got, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	if _, err := b.tool("bad.hang").Run(ctx, &tools.Call{Args: map[string]any{"text": "x"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that hangs and is stopped: %v", err)
	}
	list, err := b.Servers()
	if err != nil || len(list) != 3 || list[1].State != StateFailed || !strings.Contains(list[1].Err.Error(), "isn't installed or not in PATH") {
		t.Errorf("%+v %v", list, err)
	}
	if info, err := os.Stat(list[0].Log); err != nil || info.Size() > maxLog {
		t.Errorf("the log: %v %v", info, err)
	}
}

func TestAServerThatNeverAnswers(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"silent", "noise", "flood at start"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]string{"bad": how})
			ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer stop()
			if err := b.Test(ctx, "bad"); err == nil || !strings.Contains(err.Error(), "bad doesn't start") {
				t.Error(err)
			}
		})
	}
}

// The processes that a server started end with it, however it reacts to being stopped.
func TestAServerIsKilledWithItsChildren(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("signals")
	}
	b := newBench(t, map[string]string{"test": "stubborn"})
	got, err := b.call("test.fork", "x")
	pid, convErr := strconv.Atoi(got.Text)
	if err != nil || convErr != nil {
		t.Fatal(got, err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	ends(t, pid)
}

// ends waits until a process has ended.
func ends(t *testing.T, pid int) {
	t.Helper()
	filetest.Until(t, "the end of its process", func() bool {
		child, err := os.FindProcess(pid)
		if err == nil {
			err = child.Signal(syscall.Signal(0))
		}
		data, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err != nil || strings.Contains(string(data), ") Z ")
	})
}

// startingPid waits until the silent server has been started.
func (b *bench) startingPid(log string) (pid int) {
	b.t.Helper()
	filetest.Until(b.t, "the start of its process", func() bool {
		data, err := os.ReadFile(log)
		if err == nil {
			pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		}
		return err == nil && strings.HasSuffix(string(data), "\n")
	})
	return pid
}

// A turn that is stopped no longer waits for a starting server. The start continues for
// others, until the server is removed or the app ends.
func TestStopEndsTheWaitForAServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("signals")
	}
	for name, end := range map[string]func(b *bench){
		"the app ends": func(b *bench) { _ = b.Close() },
		"it is taken out of mcp.json": func(b *bench) {
			b.write(map[string]config{})
			b.Tools(t.Context())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]string{"bad": "silent"})
			ctx, stop := context.WithCancel(t.Context())
			waited := make(chan struct{})
			go func() { defer close(waited); b.Tools(ctx) }()
			pid := b.startingPid(filepath.Join(b.dir, "logs", "mcp-bad.log"))
			stop()
			<-waited
			if list, err := b.Servers(); err != nil || list[0].State != StateStarting { // it waited for the start to fail
				t.Errorf("%+v %v", list, err)
			}
			if err := b.servers["bad"].start(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("a call that is stopped: %v", err)
			}
			end(b)
			ends(t, pid)
		})
	}
}

// If a server takes longer to start than a turn waits, a later turn has its tools.
func TestASlowServerHasItsToolsInALaterTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"test": "slow"})
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if all := b.Tools(stopped); len(all) != 0 {
		t.Fatalf("%d tools", len(all))
	}
	if got, err := b.call("test.echo", "x"); err != nil || got.Text != "you said x" {
		t.Errorf("%+v %v", got, err)
	}
}

// The model doesn't see a changed description, and the person is asked about it again.
func TestAChangedDescriptionAsksAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"test": "changed"})
	before, err := b.tool("test.echo").Action(&tools.Call{Args: map[string]any{"text": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "flag"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.open()
	tool, call := b.tool("test.echo"), &tools.Call{Args: map[string]any{"text": "x"}}
	if act, _ := tool.Action(call); act.Stamp != before.Stamp {
		t.Error("it has changed before the server said so")
	}
	if _, err := tool.Run(t.Context(), call); err == nil || !strings.Contains(err.Error(), "has changed; call it again") {
		t.Errorf("it ran with the old yes: %v", err)
	}
	tool = b.tool("test.echo")
	act, err := tool.Action(call)
	if err != nil || act.Stamp == before.Stamp || !strings.Contains(act.What, "id_rsa") {
		t.Errorf("asked %+v %v", act, err)
	}
	if strings.Contains(tool.Doc().Description, "id_rsa") {
		t.Error("the model is told the new words before the person agrees")
	}
	if _, err := tool.Run(t.Context(), call); err != nil { // the person said yes
		t.Error(err)
	}
	if tool = b.tool("test.echo"); !strings.Contains(tool.Doc().Description, "id_rsa") {
		t.Error("the model isn't told the new words after that")
	}
	agreed, err := tool.Action(call)
	if err != nil {
		t.Fatal(err)
	}
	changed := b.config("changed")
	changed.Args = append(changed.Args, "-test.v")
	b.write(map[string]config{"test": changed})
	if act, err := b.tool("test.echo").Action(call); err != nil || act.Stamp == agreed.Stamp {
		t.Errorf("the yes for another command line counts: %+v %v", act, err)
	}
}

// A server's list is cleaned, and unusable tools are left out.
func TestAServersListIsCleaned(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"raw": "raw", "many": "many"})
	offered := b.Tools(t.Context())
	var names []string
	for _, tool := range offered {
		if strings.HasPrefix(tool.Doc().Name, "many.") {
			continue
		}
		names = append(names, tool.Doc().Name)
		data, err := json.Marshal(tools.Schemas([]tools.Tool{tool}))
		if err != nil {
			t.Fatal(err)
		}
		told := tool.Doc().Description + string(data)
		if len(told) > 2000 || strings.Contains(told, "<|im_") || strings.Contains(told, "\u202e") || strings.Contains(told, "\u200b") || strings.Contains(tool.Doc().Description, "\n") {
			t.Errorf("%s: told %q", tool.Doc().Name, told)
		}
	}
	if want := []string{"raw.read_file", "raw.long", "raw.hidden"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	list, err := b.Servers()
	if err != nil || len(list[0].Tools) != 309 {
		t.Errorf("%d tools %v", len(list[0].Tools), err)
	}
	left := strings.Join(list[1].Left, "\n")
	for _, want := range []string{"the end of its list of tools: it repeats itself", "read-file, Read_File: its name looks like", "two_cases: two of its arguments", "no_object: its arguments are no object", "huge: its arguments take more than"} {
		if !strings.Contains(left, want) {
			t.Errorf("left out: %s; want %q", left, want)
		}
	}
}

func TestInvisibleCharactersAreShown(t *testing.T) {
	for _, r := range "\u007f\u0085\u00a0\u200b\u202e\u2066\u2800\u3164\u115f\u1160\uffa0\ufe0f\U000e0041\U000f0000" {
		data, err := json.Marshal(string(r))
		if err != nil {
			t.Fatal(err)
		}
		var sent string
		if got := visible(data); !strings.HasPrefix(string(got), `"\u`) || json.Unmarshal(got, &sent) != nil || sent != string(r) {
			t.Errorf("%U: %q", r, got)
		}
	}
}

func TestAToolCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"test": "good"})
	tool := b.tool("test.echo")
	if err := b.Switch("test.echo", false); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(b.Tools(b.t.Context()), func(t tools.Guarded) bool { return t.Doc().Name == "test.echo" }) {
		t.Error("it is offered")
	}
	if _, err := tool.Run(t.Context(), &tools.Call{Args: map[string]any{"text": "x"}}); err == nil {
		t.Error("a turn under way called it")
	}
	running := b.Client
	b.open() // like another process, such as `mac-stats mcp on`
	if list, _ := b.Servers(); len(list) != 1 || list[0].Tools[slices.IndexFunc(list[0].Tools, func(t Tool) bool { return t.Name == "test.echo" })].On {
		t.Errorf("%+v", list)
	}
	if err := b.Switch("test.echo", true); err != nil {
		t.Fatal(err)
	}
	b.Client = running
	if !slices.ContainsFunc(b.Tools(t.Context()), func(t tools.Guarded) bool { return t.Doc().Name == "test.echo" }) {
		t.Error("it stays off where another process switched it on")
	}
	if err := b.Switch("test.nothing", true); err == nil {
		t.Error("a tool that isn't there")
	}
	if err := b.Switch("other.echo", true); !errors.Is(err, ErrNoServer) {
		t.Errorf("a server that isn't there: %v", err)
	}
}

func TestStopEndsTheWaitForAStartInProgress(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"test": "good"})
	s, err := b.find("test")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	s.attempt = &attempt{done: done, cancel: sync.OnceFunc(func() { close(done) })} // while somebody signs in
	why := errors.New("the user stopped it")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	if err := s.start(ctx); !errors.Is(err, why) {
		t.Error(err)
	}
}

// Servers are found as other programs write them, with what people write into such files.
func TestMCPJSONOfOtherPrograms(t *testing.T) {
	t.Parallel()
	one := config{Command: "npx", Args: []string{"-y", "x"}}
	for _, tt := range []struct {
		name, text string
		want       config
	}{
		{"Claude Desktop", `{"mcpServers": {"s": {"command": "npx", "args": ["-y", "x"]}}}`, one},
		{"VS Code's own file", `{"inputs": [{"id": "key"}], "servers": {"s": {"type": "stdio", "command": "npx", "args": ["-y", "x"]}}}`, config{Command: "npx", Args: one.Args, Type: "stdio"}},
		{"VS Code's settings", `{"editor.fontSize": 12, "files.exclude": {"a": true}, "mcp": {"servers": {"s": {"command": "npx", "args": ["-y", "x"]}}}}`, one},
		{"Zed", `{"theme": "One", "context_servers": {"s": {"source": "custom", "command": "npx", "args": ["-y", "x"]}}}`, one},
		{"Zed, some time ago", `{"context_servers": {"s": {"command": {"path": "npx", "args": ["-y", "x"]}, "settings": {}}}}`, one},
		{"opencode", `{"mcp": {"s": {"type": "local", "command": ["npx", "-y", "x"], "environment": {"A": "b"}, "enabled": true}}}`, config{Command: "npx", Args: one.Args, Type: "local", Env: map[string]string{"A": "b"}}},
		{"opencode on the web", `{"mcp": {"s": {"type": "remote", "url": "https://a.example/mcp", "enabled": false}}}`, config{Type: "remote", URL: "https://a.example/mcp", Disabled: true}},
		{"Windsurf", `{"mcpServers": {"s": {"serverUrl": "https://a.example/mcp"}}}`, config{URL: "https://a.example/mcp"}},
		{"Gemini", `{"mcpServers": {"s": {"httpUrl": "https://a.example/mcp", "headers": {"A": "b"}, "timeout": 5}}}`, config{URL: "https://a.example/mcp", Headers: map[string]string{"A": "b"}}},
		{"Cline", `{"mcpServers": {"s": {"command": "npx", "args": ["-y", "x"], "disabled": true, "autoApprove": ["a"]}}}`, config{Command: "npx", Args: one.Args, Disabled: true}},
		{"an agreed sign-in", `{"mcpServers": {"s": {"type": "http", "url": "https://a.example/mcp", "oauth": {"clientId": 1234567890, "callbackPort": 8123}}}}`, config{Type: "http", URL: "https://a.example/mcp", OAuth: registration{ID: "1234567890", Port: "8123"}}},
		{"Cursor's", `{"mcpServers": {"s": {"url": "https://a.example/mcp", "auth": {"CLIENT_ID": "mine", "CLIENT_SECRET": "${KEY}", "scopes": ["read"]}}}}`, config{URL: "https://a.example/mcp", OAuth: registration{ID: "mine", Secret: "${KEY}"}}},
		{"a sign-in without a person", `{"mcpServers": {"s": {"url": "https://a.example/mcp", "oauth": {"grant_type": "client_credentials", "client_id": "mine", "client_secret": "s"}}}}`, config{URL: "https://a.example/mcp", OAuth: registration{ID: "mine", Secret: "s", Grant: "client_credentials"}}},
		{"another program's way to sign in", `{"mcpServers": {"s": {"url": "https://a.example/mcp", "oauth": true, "auth": "oauth"}}}`, config{URL: "https://a.example/mcp"}},
		{"the servers alone", `{"s": {"command": "npx", "args": ["-y", "x"]}}`, one},
		{"a name of a field", `{"mcpServers": {"url": {"command": "a"}, "s": {"command": "npx", "args": ["-y", "x"]}}}`, one},
		{"comments and commas", "// mine\n{\"mcpServers\": {\n/* off \"s\": {}, */ \"s\": {\"command\": \"npx\", // fast\n\"args\": [\"-y\", \"x\",],\n},\n},}", one},
		{"numbers and truths for text", `{"mcpServers": {"s": {"command": "npx", "args": ["-y", "x"], "env": {"PORT": 3000, "ON": true, "NO": null}}}}`, config{Command: "npx", Args: one.Args, Env: map[string]string{"PORT": "3000", "ON": "true", "NO": ""}}},
		{"switched off in words", `{"mcpServers": {"s": {"command": "npx", "args": ["-y", "x"], "enabled": "false"}}}`, config{Command: "npx", Args: one.Args, Disabled: true}},
		{"both switches", `{"mcpServers": {"s": {"command": "npx", "args": ["-y", "x"], "enabled": false, "disabled": false}}}`, config{Command: "npx", Args: one.Args, Disabled: true}},
		{"a file of Windows", "\ufeff{\r\n\"mcpServers\": {\"s\": {\"command\": \"npx\", \"args\": [\"-y\", \"x\"]}}}\r\n", one},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mcp.json")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			servers, bad, err := readFile(path)
			if err != nil || len(bad) != 0 {
				t.Fatal(bad, err)
			}
			if diff := cmp.Diff(tt.want, servers["s"]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestVariablesOfTheEnvironment(t *testing.T) {
	c := config{Command: "${BIN}/a", Args: []string{"${env:KEY}", "${UNSET:-b c}", "${UNSET}", "$KEY", "${KEY:-d}"}, URL: "https://${HOST}/", Env: map[string]string{"A": "${KEY}"}, Headers: map[string]string{"B": "Bearer ${KEY}"}}
	want := config{Command: "/opt/a", Args: []string{"k", "b c", "${UNSET}", "$KEY", "k"}, URL: "https://h/", Env: map[string]string{"A": "k"}, Headers: map[string]string{"B": "Bearer k"}}
	if diff := cmp.Diff(want, c.expanded([]string{"BIN=/opt", "KEY=x", "KEY=k", "HOST=h"})); diff != "" {
		t.Error(diff)
	}
	if c.Args[0] != "${env:KEY}" || c.Env["A"] != "${KEY}" {
		t.Error("the configuration itself has changed, and with it the permissions")
	}
}

func TestMCPJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, bad string }{
		{"as Claude Desktop writes it", `{"globalShortcut":"", "mcpServers": {"files": {"command": "npx", "args": ["-y", "x"], "env": {"A": "b"}}}}`, ""},
		{"on the web", `{"mcpServers": {"web": {"type": "http", "url": "https://example.org/mcp", "headers": {"Authorization": "Bearer x"}}}}`, ""},
		{"no command", `{"mcpServers": {"x": {}}}`, "needs either a command or a url"},
		{"both", `{"mcpServers": {"x": {"command": "a", "url": "https://b.example"}}}`, "not both"},
		{"the old transport", `{"mcpServers": {"x": {"type": "sse", "url": "https://b.example"}}}`, "streamable HTTP"},
		{"a file's address", `{"mcpServers": {"x": {"url": "file:///etc/passwd"}}}`, "not an http or https"},
		{"a path as a name", `{"mcpServers": {"../x": {"command": "a"}}}`, "letters (a to z)"},
		{"a dot in a name", `{"mcpServers": {"files.read": {"command": "a"}}}`, "letters (a to z)"},
		{"look-alikes", `{"mcpServers": {"files": {"command": "a"}, "Fi1es": {"command": "a"}}}`, "looks like"},
		{"other letters", `{"mcpServers": {"filеs": {"command": "a"}}}`, "letters (a to z)"},
		{"what models write before any tool", `{"mcpServers": {"functions": {"command": "a"}}}`, "can't be a server's name"},
		{"a tool's name", `{"mcpServers": {"fetch_url": {"command": "a"}}}`, "can't be a server's name"},
		{"a wrong kind of value", "{\"mcpServers\": {\"x\": {\"command\": \"a\",\n\"args\": {\"b\": 1}}}}", "args in line 2 must be a list of texts"},
		{"a wrong kind of list", `{"mcpServers": {"x": {"command": [["a"]]}}}`, "command in line 1 must be text, or a list of texts"},
		{"a wrong kind of switch", `{"mcpServers": {"x": {"command": "a", "disabled": "perhaps"}}}`, "disabled in line 1 must be true or false"},
		{"a wrong kind of server", `{"mcpServers": {"x": "npx"}}`, "must be an object, in braces, in line 1"},
		{"what VS Code asks for", `{"servers": {"x": {"command": "a", "env": {"KEY": "${input:key}"}}}}`, "which VS Code asks for"},
		{"half a file", `{"mcpServers": {"x": {"comm`, "read mcp.json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil)
			if err := os.WriteFile(filepath.Join(b.dir, "mcp.json"), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			b.open()
			list, err := b.Servers()
			for _, s := range list {
				err = errors.Join(err, s.Err)
			}
			if (err == nil) != (tt.bad == "") || err != nil && !strings.Contains(err.Error(), tt.bad) {
				t.Errorf("%v, want %q", err, tt.bad)
			}
		})
	}
}

// An argument may be defined elsewhere in the schema.
func TestASchemaWithReferencesIsInlined(t *testing.T) {
	for _, tt := range []struct{ name, schema, args, usage, want string }{
		{
			"a reference", `{"type":"object","properties":{"n":{"$ref":"#/$defs/count","description":"how many"}},"$defs":{"count":{"type":"integer"}}}`,
			"3", `"n?": integer`, `{"n":3}`,
		},
		{"the older name", `{"type":"object","properties":{"n":{"$ref":"#/definitions/a~1b"}},"definitions":{"a/b":{"type":"array"}}}`, "[3]", `"n?": array`, `{"n":[3]}`},
		{"one to one", `{"type":"object","properties":{"n":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"type":"boolean"}}}`, "true", `"n?": boolean`, `{"n":true}`},
		{"one to itself", `{"type":"object","properties":{"n":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}}}`, "x", `"n?": "…"`, `{"n":"x"}`},
		{"one that doubles", `{"type":"object","properties":{"n":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}`, "x", `"n?": "…"`, `{"n":"x"}`},
		{"one that leads nowhere", `{"type":"object","properties":{"n":{"$ref":"#/$defs/x"}}}`, "x", `"n?": "…"`, `{"n":"x"}`},
		{"one to the web", `{"type":"object","properties":{"n":{"$ref":"http://example.org/#/$defs/x"}}}`, "x", `"n?": "…"`, `{"n":"x"}`},
	} {
		tool := newTool(&server{name: "s", client: &Client{}}, spec{Name: "t", Schema: json.RawMessage(tt.schema)})
		got, err := tool.arguments(&tools.Call{Args: map[string]any{"n": tt.args}})
		if err != nil || string(got) != tt.want || !strings.Contains(tool.Doc().Usage, tt.usage) {
			t.Errorf("%s: %s %v, usage %s", tt.name, got, err, tool.Doc().Usage)
		}
		if data, err := json.Marshal(tool.Doc().Schema); err != nil || len(data) > maxSchema {
			t.Errorf("%s: %d bytes %v", tt.name, len(data), err)
		}
	}
}

// The window and `mac-stats mcp off` use the same state.
func TestTwoProcessesSwitchTools(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"many": "many"})
	b.tool("many.tool_1000x")
	here := b.Client
	b.open()
	there := b.Client
	var both sync.WaitGroup
	for n, c := range []*Client{here, there} {
		for i := range 20 {
			both.Go(func() {
				if err := c.Switch(fmt.Sprintf("many.tool_%dx", 1000+20*n+i), false); err != nil {
					t.Error(err)
				}
			})
		}
	}
	both.Wait()
	list, err := here.Servers()
	if err != nil {
		t.Fatal(err)
	}
	off := 0
	for _, tool := range list[0].Tools {
		if !tool.On {
			off++
		}
	}
	if off != 40 {
		t.Errorf("%d of 40 are off", off)
	}
}

func TestAnEmptyStateFileIsAccepted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"null", "[]", "{", "", `{"test": null}`, "\x00"} {
		b := newBench(t, map[string]string{"test": "good"})
		if err := os.WriteFile(filepath.Join(b.dir, "mcp-tools.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := b.call("test.echo", "hello"); err != nil || got.Text != "you said hello" {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	}
}
