//go:build e2e

package e2etest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mac-stats/agents/testkit"
)

// envServe, if set, makes this test binary a server with tools, which the tests add; its
// value is the file for the server's PID.
const envServe = "MAC_STATS_TEST_TOOLS"

func TestMain(m *testing.M) {
	if file := os.Getenv(envServe); file != "" {
		serveNotes(file)
		return
	}
	os.Exit(m.Run())
}

// serveNotes runs a server with two tools.
func serveNotes(pidFile string) {
	fmt.Fprintln(os.Stderr, "the notes are served")
	if err := os.WriteFile(pidFile, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		panic(err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "notes"}, nil)
	for _, name := range []string{"read", "write"} {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: "Lets one " + name + " a note."}, func(context.Context, *mcp.CallToolRequest, struct {
			Name string `json:"name"`
		},
		) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "The plan is tea."}}}, nil, nil
		})
	}
	_ = server.Run(context.Background(), &mcp.StdioTransport{}) // ends with its client
}

const (
	planRead   = "It says tea."
	planUnread = "Then I leave it."
)

// What agents may do besides talking, with keys and clicks in one program: a server is
// added, its tool asks for permission and is switched off, the server dies; permissions are
// given, take effect and are revoked; a schedule has one of its own.
func TestToolsByKeysAndClicks(t *testing.T) {
	t.Parallel()
	f := startTools(t)
	f.addsAServer(t)
	f.answersQuestions(t)
	f.revokes(t)
	f.switchesAToolOff(t)
	f.seesAServerDie(t)
	f.schedules(t)
	f.click(t, f.icon, "Quit")
	f.app.waitExit(t)
}

func startTools(t *testing.T) *flows {
	t.Helper()
	s := startScreenOf(t, walkWidth+100, walkHeight+100)
	f := &flows{walk: &walk{desk: newcomersDesk(t, s), camera: newCamera(t, s, "tools")}}
	f.ollama.Stop()
	read := testkit.Reply{Text: `MCP: notes.read {"name": "plan"}`}
	f.server = testkit.Start(t, testkit.Script{
		Models: []testkit.Model{{Name: "bench:8b", ParameterSize: "8.2B", Capabilities: []string{"completion"}, ContextLength: 16384}},
		Rules: []testkit.Rule{
			{UserContains: "The plan is tea.", Reply: testkit.Reply{Text: planRead}},
			{UserContains: "the user said no", Reply: testkit.Reply{Text: planUnread}},
			{UserContains: "my plan", Reply: read},
			{Reply: testkit.Reply{Text: "So be it."}},
		},
	})
	f.host = f.server.Addr()
	f.put(t, ".mac-stats/config.toml", "[session]\nauto_title = false\n[window]\ntheme = \"dark\"\n")
	f.app, f.icon = f.launch(t)
	f.click(t, f.icon, "Open CPU window")
	f.camera.aim(t, f.app.pid(), walkWidth, walkHeight)
	return f
}

// inFile waits until a file of the data folder contains text, or no longer does.
func (f *flows) inFile(t *testing.T, name, text string, want bool) {
	t.Helper()
	waitFor(t, patience, fmt.Sprintf("%q in %s: %v", text, name, want), func() bool {
		data, _ := os.ReadFile(filepath.Join(f.home, name)) // a missing one has no text
		return strings.Contains(string(data), text) == want
	})
}

func (f *flows) pidFile() string { return filepath.Join(f.user, "server.pid") }

// addsAServer adds a server by pasting its makers' instructions.
func (f *flows) addsAServer(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	snippet, err := json.Marshal(map[string]any{"notes": map[string]any{"command": exe, "env": map[string]string{envServe: f.pidFile()}}})
	if err != nil {
		t.Fatal(err)
	}
	f.keys(t, "ctrl+7")
	f.camera.shot(t, "empty")
	f.camera.click(t, 290, 385) // Add a server…
	f.camera.still(t)
	f.screen.run(t, "xdotool", "type", "--delay", "5", "no JSON")
	f.keys(t, "Tab", "Return")
	f.camera.shot(t, "no-json")
	f.keys(t, "shift+Tab", "ctrl+a")
	f.screen.run(t, "xdotool", "type", "--delay", "5", string(snippet))
	f.keys(t, "Tab", "Return")
	f.inFile(t, "mcp-tools.json", "Lets one write a note.", true)
	f.camera.shot(t, "added")
}

// asksForThePlan asks in a new chat.
func (f *flows) asksForThePlan(t *testing.T, name string) {
	f.keys(t, "ctrl+n")
	f.camera.still(t)
	before := f.camera.picture(t)
	f.screen.typeLine(t, "Read my plan "+name)
	f.camera.waitChange(t, before, 3000, "the question")
	f.camera.shot(t, "question-"+name)
}

// says waits until the last answer in the chat of this name is text.
func (f *flows) says(t *testing.T, name, text string) {
	t.Helper()
	waitFor(t, patience, fmt.Sprintf("%q in the chat %s", text, name), func() bool {
		return slices.ContainsFunc(f.sessions(t), func(s string) bool {
			return strings.Contains(s, "Read my plan "+name) && strings.Contains(s, text)
		})
	})
}

// answersQuestions answers with keys and clicks. After "Always allow" nothing is asked
// again.
func (f *flows) answersQuestions(t *testing.T) {
	back := func(n int) []string { return append(slices.Repeat([]string{"shift+Tab"}, n), "Return") }
	f.asksForThePlan(t, "once")
	f.keys(t, back(6)...)
	f.says(t, "once", planRead)
	f.asksForThePlan(t, "no")
	f.keys(t, back(3)...)
	f.says(t, "no", planUnread)
	f.asksForThePlan(t, "here")
	f.camera.click(t, 397, 499) // Allow in this chat
	f.inFile(t, "permissions.toml", "answer = 'chat'", true)
	f.says(t, "here", planRead)
	f.asksForThePlan(t, "always")
	f.camera.click(t, 519, 499) // Always allow
	f.inFile(t, "permissions.toml", "answer = 'always'", true)
	f.says(t, "always", planRead)
	f.asksForThePlan(t, "unasked")
	f.says(t, "unasked", planRead)
}

// revokes revokes permissions and answers never instead.
func (f *flows) revokes(t *testing.T) {
	f.keys(t, "ctrl+7")
	f.camera.shot(t, "permissions")
	for range 2 {
		before := f.read(t, filepath.Join(f.home, "permissions.toml"))[0]
		f.camera.click(t, 826, 243) // Revoke
		waitFor(t, patience, "a permission less", func() bool { return f.read(t, filepath.Join(f.home, "permissions.toml"))[0] != before })
		f.camera.still(t)
	}
	f.inFile(t, "permissions.toml", "answer = ", false)
	f.asksForThePlan(t, "never")
	f.keys(t, "shift+Tab", "shift+Tab", "Return")
	f.inFile(t, "permissions.toml", "answer = 'never'", true)
	f.says(t, "never", planUnread)
	f.keys(t, "ctrl+7")
	f.camera.still(t)
	f.camera.click(t, 826, 243)
	f.inFile(t, "permissions.toml", "answer = ", false)
}

func (f *flows) switchesAToolOff(t *testing.T) {
	f.camera.shot(t, "tools")
	f.camera.click(t, 265, 434) // the switch of notes.read
	f.inFile(t, "mcp-tools.json", `"off":true`, true)
	f.camera.shot(t, "off")
	f.camera.click(t, 265, 434)
	f.inFile(t, "mcp-tools.json", `"off":true`, false)
}

// seesAServerDie checks that the page reports it with the next step.
func (f *flows) seesAServerDie(t *testing.T) {
	pid, err := strconv.Atoi(f.read(t, f.pidFile())[0])
	if err != nil {
		t.Fatal(err)
	}
	server, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, patience, "that it ended, on the page", func() bool {
		_, found := coloured(f.camera.picture(t), warnings(), 60)
		return found
	})
	f.camera.shot(t, "ended")
}

// schedules creates a schedule with its own permission, runs, changes and deletes it.
func (f *flows) schedules(t *testing.T) {
	f.keys(t, "ctrl+6")
	f.camera.shot(t, "no-schedules")
	f.camera.turns(t, "the sheet of a new schedule", func() { f.camera.click(t, 309, 319) })
	typed := func(text string) {
		f.camera.still(t) // earlier clicks have taken effect
		f.screen.run(t, "xdotool", "type", "--delay", "5", text)
		f.camera.still(t)
	}
	typed("Plan")
	f.keys(t, "Tab")
	typed("Read my plan scheduled")
	f.keys(t, slices.Repeat([]string{"Tab"}, 10)...) // to what may run without asking
	typed("notes.read")
	f.camera.shot(t, "new-schedule")
	f.keys(t, "Tab") // to Save
	f.camera.turns(t, "the list", func() { f.keys(t, "Return") })
	f.inFile(t, "schedules.toml", "Read my plan scheduled", true)
	f.inFile(t, "permissions.toml", "schedule = 'Plan'", true)
	f.camera.shot(t, "schedule")
	f.camera.click(t, 270, 330) // Run now
	f.says(t, "scheduled", planRead)
	f.camera.shot(t, "ran")
	f.camera.turns(t, "the sheet of the schedule", func() { f.camera.click(t, 437, 364) }) // Edit… waits for the end of the run
	f.keys(t, "Tab", "ctrl+a")
	typed("Read it again")
	f.keys(t, slices.Repeat([]string{"Tab"}, 11)...)
	f.camera.turns(t, "the list again", func() { f.keys(t, "Return") })
	f.inFile(t, "schedules.toml", "Read it again", true)
	f.inFile(t, "permissions.toml", "schedule = 'Plan'", true)
	f.camera.shot(t, "edited")
	f.camera.turns(t, "the question", func() { f.camera.click(t, 489, 364) }) // Delete…
	f.keys(t, "shift+Tab", "Return")
	f.inFile(t, "schedules.toml", "Read it again", false)
	f.inFile(t, "permissions.toml", "schedule = 'Plan'", false)
}
