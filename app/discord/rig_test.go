package discord_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/agents/testkit"
	"mac-stats/app/apptest"
	"mac-stats/app/discord"
	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
)

// The places and people of the tests.
const (
	guild   = "100"
	general = "200"
	forum   = "210"
	direct  = "800"
)

var (
	anna  = apptest.User{ID: "301", Name: "Anna"}
	ben   = apptest.User{ID: "302", Name: "Ben"}
	robot = apptest.User{ID: "390", Name: "Robot", Bot: true}
	luna  = apptest.User{ID: apptest.BotID, Name: "luna", Bot: true}
)

// rig is the bot on the fake Discord, with the real engine on the scripted model.
type rig struct {
	t       testing.TB
	root    string
	discord string // the address of the fake, which may belong to another process
	ollama  string // the address of the model's server, likewise
	fake    *apptest.Discord
	model   *testkit.Server
	store   *sessionmem.Store
	memory  *memory.Memory
	state   *botstate.State
	engine  *agents.Engine
	bot     *discord.Bot
	conn    *connection.Connection
	records *recorder
	logs    *recorder // the log at its usual level
	refused *recorder // the channels that the owner is told about
	stop    func()
}

// recorder keeps the lines of telemetry.
type recorder struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (r *recorder) Write(data []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(data)
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.String()
}

// record is a line of telemetry.
type record struct {
	Subsys string
	Event  string
	Detail map[string]any
}

func (r *recorder) all(t testing.TB) []record {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []record
	for line := range strings.SplitSeq(strings.TrimSpace(r.buf.String()), "\n") {
		if line == "" {
			continue
		}
		var one record
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	return list
}

// has returns a line with this event, and reports whether there is one.
func (r *rig) has(subsys, event string) (record, bool) {
	r.t.Helper()
	for _, one := range r.records.all(r.t) {
		if one.Subsys == subsys && one.Event == event {
			return one, true
		}
	}
	return record{}, false
}

type options struct {
	channels string // channels.toml
	script   testkit.Script
	settings func(*discord.Settings)
	workers  int
	forget   func(context.Context, string) (string, error)
	root     string
	fake     *apptest.Discord
	mentions bool // the bot doesn't ask for messages that don't mention it
}

const openToAll = "[allow]\nchannels = [\"200\", \"201\", \"210\", \"800\", \"801\"]\n[default]\ndebounce = \"0\"\n"

func start(t testing.TB, o options) *rig {
	t.Helper()
	if o.channels == "" {
		o.channels = openToAll
	}
	if o.script.Models == nil {
		o.script.Models = []testkit.Model{{Name: "qwen3:8b", ParameterSize: "8B", Capabilities: []string{"completion", "vision"}, ContextLength: 16384}}
	}
	if o.script.Rules == nil {
		o.script.Rules = []testkit.Rule{{Reply: testkit.Reply{Text: "the answer"}}}
	}
	r := &rig{t: t, root: o.root, fake: o.fake, model: testkit.Start(t, o.script)}
	if r.root == "" {
		r.root = t.TempDir()
	}
	if r.fake == nil {
		r.fake = apptest.StartDiscord(t)
		r.fake.AddGuild(guild, "Home")
		r.fake.AddChannel(apptest.Channel{ID: general, Guild: guild, Name: "general"})
		r.fake.AddChannel(apptest.Channel{ID: "201", Guild: guild, Name: "other"})
		r.fake.AddChannel(apptest.Channel{ID: forum, Guild: guild, Name: "help", Type: apptest.Forum})
		r.fake.AddChannel(apptest.Channel{ID: direct, Type: apptest.DM})
	}
	r.discord, r.ollama = r.fake.URL(), r.model.URL()
	r.open(o)
	r.await("the connection", func() bool { return r.conn.Status().State == connection.StateReady && r.fake.Connected() })
	return r
}

func (r *rig) open(o options) {
	t := r.t
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	r.records, r.logs, r.refused = &recorder{}, &recorder{}, &recorder{}
	logger := slog.New(slog.NewTextHandler(r.logs, nil))
	file, found, err := channels.Parse("channels.toml", []byte(o.channels))
	must(err)
	if len(found) > 0 {
		t.Fatal(found)
	}
	r.store, err = sessionmem.Open(sessionmem.Config{Root: r.root})
	must(err)
	r.memory = memory.New(memory.Config{Root: r.root})
	registry := registry.New(registry.Config{Root: r.root, Defaults: os.DirFS("../../assets")})
	must(registry.Prepare(t.Context()))
	client, err := ollama.New(ollama.Params{Host: r.ollama, IdleTimeout: 2 * time.Minute, MaxConcurrent: 8})
	must(err)
	r.engine = agents.NewEngine(agents.Params{
		Store: r.store, Memory: r.memory, Registry: registry, Chat: client, Models: ollama.NewCatalog(client, 0), Prompts: os.DirFS("../../assets"),
		Settings: func() agents.Settings {
			return agents.Settings{DefaultAgent: "orchestrator", MaxMessages: 20, MaxTokens: 8192, GlobalBudget: 8000, AgentBudget: 4000, MemoryWrite: "auto", Model: "qwen3:8b"}
		},
		Vitals: func() string { return "CPU 12 % on the owner's machine" },
		Stats:  func(context.Context, string) (string, error) { return "the owner's processes", nil },
		Logger: logger,
	})
	r.state, err = botstate.Open(t.Context(), botstate.Config{File: filepath.Join(r.root, "discord", "state.db")})
	must(err)
	settings := discord.Settings{
		Name: "luna", HistoryTurns: 6, MessageMaxChars: 4000, TailCount: 5, MaxMsgs: 40, MaxChars: 8000,
		MaxAge: 4 * time.Hour, FetchTimeout: 2 * time.Minute, ChannelBudget: 12000,
	}
	if o.settings != nil {
		o.settings(&settings)
	}
	r.conn, err = connection.New(connection.Config{
		Token: apptest.Token, Program: r.root, Content: !o.mentions, Base: r.discord, Handle: func(e connection.Event) { r.bot.Handle(e) }, Logger: logger,
	})
	must(err)
	r.bot = discord.New(discord.Params{
		Client: r.conn, Engine: r.engine, Sessions: r.store, State: r.state, Settings: func() discord.Settings { return settings },
		Channels: func() *channels.File { return file }, Prompt: func() string { return "You are Luna, by LUNA_RUNTIME_PROMPT.md." },
		Telemetry: r.records, Workers: o.workers, Forget: o.forget, Logger: logger, ReadsAll: !o.mentions,
		Refused: func(p connection.Place, _ error) { fmt.Fprintln(r.refused, p.ID) },
		Twin:    func() { fmt.Fprintln(r.refused, "another program") },
	})
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { r.bot.Run(ctx) })
	all.Go(func() {
		if err := r.conn.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	r.stop = sync.OnceFunc(func() {
		cancel()
		all.Wait()
		must(r.engine.Close())
		must(r.state.Close())
		r.logsHoldNoText()
		must(r.store.Close())
	})
	t.Cleanup(r.stop)
}

// logsHoldNoText fails if the log holds anybody's text, or the token.
func (r *rig) logsHoldNoText() {
	r.t.Helper()
	if r.fake == nil {
		return
	}
	texts := append(r.fake.Texts(), apptest.Token)
	for _, place := range []string{general, "201", thread, direct} {
		if tr, err := r.store.Load(context.Background(), "discord-"+place); err == nil { // otherwise nobody wrote there
			for _, b := range tr.Blocks {
				texts = append(texts, b.Text)
			}
		}
	}
	logs := r.logs.text()
	for _, text := range texts {
		text = text[strings.LastIndexByte(text, '>')+1:] // after a mention
		if text = strings.TrimSpace(text); len(text) >= 8 && strings.Contains(logs, text[:min(len(text), 60)]) {
			r.t.Errorf("the log holds %.60q:\n%s", text, logs)
		}
	}
}

// await waits until holds returns true.
func (r *rig) await(what string, holds func() bool) {
	r.t.Helper()
	for end := time.Now().Add(120 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// answered waits until the bot has sent n messages in a channel, all of them final.
func (r *rig) answered(channel string, n int) []apptest.Sent {
	r.t.Helper()
	r.await("the bot's message", func() bool {
		sent := r.fake.Sent(channel)
		return len(sent) >= n && !strings.HasSuffix(sent[n-1].Text, " …")
	})
	return r.fake.Sent(channel)
}

// mention lets somebody write to the bot.
func (r *rig) mention(channel string, by apptest.User, text string) string {
	return r.fake.Say(apptest.Message{Channel: channel, Author: by, Text: "<@" + apptest.BotID + "> " + text, Mentions: []apptest.User{luna}})
}

// settle waits until the bot has received and handled everything that happened.
func (r *rig) settle() {
	r.t.Helper()
	r.await("the bot to rest", func() bool { return r.fake.CaughtUp() && r.bot.Idle() })
}

// lastChat returns the last request to the model.
func (r *rig) lastChat() api.ChatRequest {
	r.t.Helper()
	chats := r.model.Chats()
	if len(chats) == 0 {
		r.t.Fatal("the model was not asked")
	}
	return *chats[len(chats)-1].Chat
}

// sent returns everything in a request, message by message.
func sent(c api.ChatRequest) string {
	var b strings.Builder
	for _, m := range c.Messages {
		b.WriteString("\n<" + m.Role + ">\n" + m.Content)
	}
	return b.String()
}

// quotedPart returns what others said, which is sent before the message, if there is any.
func quotedPart(c api.ChatRequest) string {
	for _, m := range c.Messages[:len(c.Messages)-1] {
		if m.Role == "user" && strings.Contains(m.Content, "<<<quoted") {
			return m.Content
		}
	}
	return ""
}

// inOrder fails unless the text holds all of these, one after the other.
func inOrder(t testing.TB, text string, wanted ...string) {
	t.Helper()
	at := 0
	for _, want := range wanted {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Errorf("%q is not there, or not in order, in:\n%s", want, text)
			return
		}
		at += i + len(want)
	}
}

func hasNone(t testing.TB, text string, unwanted ...string) {
	t.Helper()
	for _, bad := range unwanted {
		if strings.Contains(text, bad) {
			t.Errorf("%q is in:\n%s", bad, text)
		}
	}
}

// jsonNumber returns an ID as a number.
func jsonNumber(id any) json.Number { return json.Number(fmt.Sprint(id)) }
