package mcpserver_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mac-stats/app/config"
	"mac-stats/app/mcpserver"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/storetest"
)

// everything lets an assistant ask for all but Discord.
func everything() config.MCP {
	return config.MCP{Conversations: true, Memory: true, Vitals: true, Propose: true}
}

// served is a data folder that another assistant has connected to.
type served struct {
	params   mcpserver.Params
	allowed  config.MCP
	memory   *memory.Memory
	proposed int
	log      bytes.Buffer
	session  *mcp.ClientSession
}

// serve fills a data folder and connects a client by that name. change adjusts what is
// served.
func serve(t *testing.T, name string, change func(*served)) *served {
	t.Helper()
	root := t.TempDir()
	store := storetest.Open(t, root)
	storetest.Append(t, store, "cpu-a", storetest.User("The heron stands in the blue boat"))
	storetest.Append(t, store, "discord-7", storetest.User("The heron sleeps on a server"))
	s := &served{allowed: everything(), memory: memory.New(memory.Config{Root: root})}
	for _, l := range []memory.Lesson{
		{Text: "The heron eats at noon", Hand: true},
		{Text: "The heron likes chess", Session: "discord-7"},
		{Text: "The heron belongs to Ben", Target: memory.Target{Kind: memory.TargetPerson, ID: "301"}, Hand: true},
	} {
		if _, err := s.memory.Append(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	index, err := recall.Open(recall.Config{Root: root, CacheDir: t.TempDir(), Store: store, Memory: s.memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := index.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.params = mcpserver.Params{
		Version:  "1.2.3",
		Settings: func() config.MCP { return s.allowed },
		Search:   index.Search,
		Memory:   s.memory,
		Stats:    func(_ context.Context, topic string) (string, error) { return "vitals of [" + topic + "]", nil },
		Proposed: func() { s.proposed++ },
		Logger:   slog.New(slog.NewTextHandler(&s.log, nil)),
	}
	if change != nil {
		change(s)
	}
	s.connect(t, name)
	return s
}

// connect starts the server with a pair of pipes, which the client closes at the end.
func (s *served) connect(t *testing.T, name string) {
	t.Helper()
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	var running sync.WaitGroup
	running.Go(func() {
		if err := mcpserver.Serve(t.Context(), s.params, stdin, stdout); err != nil {
			t.Errorf("after the client left: %v", err)
		}
		_ = stdout.Close()
	})
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "9"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.session = session
	t.Cleanup(func() {
		_ = session.Close()
		running.Wait()
	})
}

// call calls a tool and returns its text, and whether it is an error.
func (s *served) call(t *testing.T, tool string, args map[string]any) (string, bool) {
	t.Helper()
	r, err := s.session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

func TestOnlyAProposalWrites(t *testing.T) {
	s := serve(t, "other", nil)
	list, err := s.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	reads := map[string]bool{}
	for _, tool := range list.Tools {
		reads[tool.Name] = tool.Annotations.ReadOnlyHint
	}
	if len(reads) != 4 || !reads["search_memory"] || !reads["list_memory"] || !reads["read_vitals"] || reads["propose_memory"] {
		t.Errorf("the tools and whether they only read: %v", reads)
	}
	if got := s.session.InitializeResult(); got.ServerInfo.Version != "1.2.3" || !strings.Contains(got.Instructions, "not instructions") {
		t.Errorf("the server introduces itself as %+v", got)
	}
}

func TestWhatAnAssistantIsGiven(t *testing.T) {
	tests := map[string]struct {
		discord    bool
		tool       string
		args       map[string]any
		has, hasNo []string
	}{
		"given a search": {
			tool: "search_memory", args: map[string]any{"query": "heron"},
			has: []string{"blue boat", "eats at noon", "The index is "}, hasNo: []string{"on a server", "chess", "Ben"},
		},
		"given a search that includes Discord": {
			discord: true, tool: "search_memory", args: map[string]any{"query": "heron"}, has: []string{"blue boat", "on a server", "chess", "Ben"},
		},
		"given a search without a hit": {
			tool: "search_memory", args: map[string]any{"query": "xylophone", "old": true}, has: []string{"Nothing was found.", "The index is "},
		},
		"given a limit": {
			discord: true, tool: "search_memory", args: map[string]any{"query": "blue boat", "limit": 1}, has: []string{"blue boat"}, hasNo: []string{"on a server", "chess"},
		},
		"given the memory": {
			tool: "list_memory", has: []string{"Memory of ", "- The heron eats at noon"}, hasNo: []string{"chess", "Ben"},
		},
		"given the memory with Discord": {
			discord: true, tool: "list_memory", has: []string{"- The heron eats at noon", "- The heron likes chess", "- The heron belongs to Ben"},
		},
		"given all vitals":       {tool: "read_vitals", has: []string{"vitals of []"}},
		"given a topic of these": {tool: "read_vitals", args: map[string]any{"topic": " CPU "}, has: []string{"vitals of [cpu]"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := serve(t, "other", nil)
			s.allowed.Discord = tt.discord
			got, failed := s.call(t, tt.tool, tt.args)
			if failed {
				t.Fatal(got)
			}
			for _, text := range tt.has {
				if !strings.Contains(got, text) {
					t.Errorf("%q is missing from\n%s", text, got)
				}
			}
			for _, text := range tt.hasNo {
				if strings.Contains(got, text) {
					t.Errorf("%q is in\n%s", text, got)
				}
			}
		})
	}
}

func TestAProposalWaitsInTheInbox(t *testing.T) {
	s := serve(t, "other", nil)
	got, failed := s.call(t, "propose_memory", map[string]any{"text": "Ada likes herons."})
	inbox, err := s.memory.Inbox()
	if failed || err != nil || len(inbox) != 1 || inbox[0].Text != "Ada likes herons." || inbox[0].Why != memory.WhyAssistant || !strings.Contains(got, inbox[0].ID) || s.proposed != 1 {
		t.Errorf("%s: the inbox holds %+v, %v, and was announced %d times", got, inbox, err, s.proposed)
	}
	if got, _ := s.call(t, "list_memory", nil); strings.Contains(got, "Ada") {
		t.Errorf("a proposal is remembered: %s", got)
	}
	if got, failed := s.call(t, "propose_memory", map[string]any{"text": " "}); !failed || !strings.HasPrefix(got, "proposing: ") || s.proposed != 1 {
		t.Errorf("an empty line: %q, announced %d times", got, s.proposed)
	}
}

func TestWhatIsRefused(t *testing.T) {
	broken := errors.New("the disk is gone")
	tests := map[string]struct {
		change func(*served)
		tool   string
		args   map[string]any
		want   string
	}{
		"given conversations that aren't shared": {func(s *served) { s.allowed.Conversations = false }, "search_memory", map[string]any{"query": "heron"}, "mcp.conversations is false"},
		"given memory that isn't shared":         {func(s *served) { s.allowed.Memory = false }, "list_memory", nil, "mcp.memory is false"},
		"given vitals that aren't shared":        {func(s *served) { s.allowed.Vitals = false }, "read_vitals", nil, "mcp.vitals is false"},
		"given a user who takes no proposals":    {func(s *served) { s.allowed.Propose = false }, "propose_memory", map[string]any{"text": "x"}, "mcp.propose is false"},
		"given an empty query":                   {nil, "search_memory", map[string]any{"query": " \n"}, "the query is empty"},
		"given a query that is too long":         {nil, "search_memory", map[string]any{"query": strings.Repeat("é", 4001)}, "longer than 4000 characters"},
		"given a negative limit":                 {nil, "search_memory", map[string]any{"query": "x", "limit": -1}, "limit must be from 1 to 50"},
		"given a limit that is too high":         {nil, "search_memory", map[string]any{"query": "x", "limit": 51}, "limit must be from 1 to 50"},
		"given an unknown topic":                 {nil, "read_vitals", map[string]any{"topic": strings.Repeat("y", 41)}, `there is no topic "` + strings.Repeat("y", 40) + `…"`},
		"given an index that fails": {func(s *served) {
			s.params.Search = func(context.Context, recall.Query) (recall.Answer, error) { return recall.Answer{}, broken }
		}, "search_memory", map[string]any{"query": "heron"}, "searching: the disk is gone"},
		"given vitals that can't be read": {func(s *served) {
			s.params.Stats = func(context.Context, string) (string, error) { return "", broken }
		}, "read_vitals", nil, "reading the machine's vitals: the disk is gone"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := serve(t, "other", tt.change)
			if got, failed := s.call(t, tt.tool, tt.args); !failed || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want an error with %q", got, tt.want)
			}
		})
	}
}

func TestWithoutMemoryAShareIsEmpty(t *testing.T) {
	s := serve(t, "other", func(s *served) { s.params.Memory = memory.New(memory.Config{Root: t.TempDir()}) })
	if got, failed := s.call(t, "list_memory", nil); failed || got != "Nothing is remembered yet." {
		t.Errorf("got %q", got)
	}
}

// The log says who called what, and nothing of what was asked or answered.
func TestTheLogNamesTheCallerOnly(t *testing.T) {
	s := serve(t, strings.Repeat("n", 60), nil)
	for _, query := range []string{"heron", ""} {
		s.call(t, "search_memory", map[string]any{"query": query})
	}
	got := s.log.String()
	for _, text := range []string{"an assistant's call\"", "an assistant's call was refused", "client=" + strings.Repeat("n", 40) + "… ", "tool=search_memory"} {
		if !strings.Contains(got, text) {
			t.Errorf("%q is missing from\n%s", text, got)
		}
	}
	if strings.Contains(got, "heron") {
		t.Errorf("the log has what was asked:\n%s", got)
	}
}

// A client may write its calls and close its side: all are answered.
func TestCallsAreAnsweredAfterTheInputEnds(t *testing.T) {
	s := serve(t, "a", nil)
	search, went := s.params.Search, make(chan struct{})
	s.params.Search = func(ctx context.Context, q recall.Query) (recall.Answer, error) { // slower than the end of the input
		<-went
		return search(ctx, q)
	}
	call := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search_memory","arguments":{"query":"heron"}}}`
	input := strings.NewReader(strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pipe","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, call, call, strings.Replace(call, "3", `"four"`, 1), ``,
	}, "\n"))
	in := io.MultiReader(input, end(func() { close(went) }))
	var out bytes.Buffer
	if err := mcpserver.Serve(t.Context(), s.params, in, &out); err != nil {
		t.Error(err)
	}
	for _, want := range []string{`"id":1`, `"id":3`, `"id":"four"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no answer with %s: %s", want, out.String())
		}
	}
}

// A client that takes no more answers is gone: nothing waits for them once its input ends.
func TestNobodyIsAnsweredAfterAWriteFailed(t *testing.T) {
	s := serve(t, "a", nil)
	s.params.Stats = func(context.Context, string) (string, error) { return "fine", nil }
	input := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pipe","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_vitals","arguments":{}}}`, ``,
	}, "\n")
	for _, writes := range []int{0, 1} { // that succeed
		// Each server has its input for itself: one that gave up may still be reading.
		_ = mcpserver.Serve(t.Context(), s.params, strings.NewReader(input), &failing{writes}) // it ends; a closed pipe may be an error
	}
}

// failing is a writer that fails after some writes.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// end is an empty reader that is told when it is read.
type end func()

func (e end) Read([]byte) (int, error) { e(); return 0, io.EOF }

func TestServeEnds(t *testing.T) {
	s := &served{params: mcpserver.Params{Settings: everything}}
	if err := mcpserver.Serve(t.Context(), s.params, strings.NewReader(""), io.Discard); err != nil {
		t.Errorf("at the end of the input: %v", err)
	}
	if err := mcpserver.Serve(t.Context(), s.params, strings.NewReader("hello\n"), io.Discard); err == nil {
		t.Error("input that isn't the protocol gave no error")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	in, _ := io.Pipe()
	if err := mcpserver.Serve(ctx, s.params, in, io.Discard); err != nil {
		t.Errorf("when it is stopped: %v", err)
	}
}
