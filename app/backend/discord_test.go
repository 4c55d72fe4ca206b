package backend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/app/apptest"
	"mac-stats/app/discord/connection"
	"mac-stats/app/discord/service"
	"mac-stats/app/discord/token"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
)

// The tests' people, and the bot.
var (
	anna = apptest.User{ID: "301", Name: "Anna"}
	ben  = apptest.User{ID: "302", Name: "Ben"}
	luna = apptest.User{ID: apptest.BotID, Name: "luna", Bot: true}
)

// bot is the whole bot of the app, with a Discord server and a model of the test.
type bot struct {
	*Backend
	t     *testing.T
	fake  *apptest.Discord
	model *testkit.Server
}

func startBot(t *testing.T, script testkit.Script, files map[string]string, env ...string) *bot {
	t.Helper()
	fake := apptest.StartDiscord(t)
	fake.AddGuild("100", "Home")
	for _, id := range []string{"200", "201"} {
		fake.AddChannel(apptest.Channel{ID: id, Guild: "100", Name: "channel"})
	}
	for _, name := range []string{"qwen3:8b", "other:8b"} {
		script.Models = append(script.Models, testkit.Model{Name: name, ParameterSize: "8B", Capabilities: []string{"completion"}, ContextLength: 16384})
	}
	model := testkit.Start(t, script)
	dir := t.TempDir()
	files["discord/channels.toml"] = "[allow]\nusers = [\"301\", \"302\"]\n[default]\ndebounce = \"0\"\n" + files["discord/channels.toml"]
	for name, text := range files {
		file := filepath.Join(dir, "data", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, file, text)
	}
	env = append(env, "OLLAMA_HOST="+model.Addr(), service.EnvBase+"="+fake.URL(), token.EnvOwn+"="+apptest.Token, "MAC_STATS_DISCORD_ENABLED=true", "MAC_STATS_OLLAMA_MODEL=qwen3:8b")
	b := open(t, Options{Watch: true, Environ: environ(dir, env...)})
	d := &bot{b, t, fake, model}
	d.await("the connection", func() bool { return b.Discord.Status().State == connection.StateReady && fake.Connected() })
	return d
}

func (d *bot) await(what string, holds func() bool) {
	d.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			d.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// ask mentions the bot and waits until its whole answer is written.
func (d *bot) ask(channel string, by apptest.User, text string) string {
	d.t.Helper()
	n := len(d.fake.Sent(channel))
	d.fake.Say(apptest.Message{Channel: channel, Author: by, Text: "<@" + apptest.BotID + "> " + text, Mentions: []apptest.User{luna}})
	d.await("the answer to "+text, func() bool {
		sent := d.fake.Sent(channel)
		return len(sent) > n && !strings.HasSuffix(sent[n].Text, " …") && d.fake.CaughtUp() && d.Discord.Idle()
	})
	return d.fake.Sent(channel)[n].Text
}

// files returns the files below the data and cache folders that contain the words.
func (d *bot) files(words string) []string {
	d.t.Helper()
	var list []string
	for _, dir := range []string{d.Paths.Home, d.Paths.Cache} {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return ignoreGone(err)
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(bytes.ToLower(data), []byte(strings.ToLower(words))) {
				list = append(list, path)
			}
			return ignoreGone(err)
		})
		if err != nil {
			d.t.Fatal(err)
		}
	}
	return list
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func TestForgetMeErasesAPersonAndNobodyElse(t *testing.T) {
	d := startBot(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "I see."}}}}, map[string]string{
		"memory/user-301.md": "# About Anna\n\n- Anna likes oolong <!-- 2026-11-20 discord-200 -->\n- lives next door\n",
		"memory/user-302.md": "# About Ben\n\n- Ben likes espresso\n",
	})
	d.ask("200", anna, "the alarm at my house is zephyr-8812")
	d.ask("200", ben, "my cat is called marimba")
	d.ask("201", anna, "elsewhere it is krakatoa-55")
	for _, words := range []string{"zephyr-8812", "krakatoa-55", "marimba"} {
		if len(d.files(words)) < 2 {
			t.Fatalf("%s is in %q alone, want the transcript and the window", words, d.files(words))
		}
	}

	said := d.ask("200", anna, "forget me")
	if !strings.HasPrefix(said, "Forgotten: 2 recent messages. Erased in ") || strings.Contains(said, "Not everything") {
		t.Errorf("it said %q", said)
	}
	for _, words := range []string{"zephyr-8812", "krakatoa-55", "oolong"} {
		if found := d.files(words); len(found) > 0 {
			t.Errorf("%s is still in %q", words, found)
		}
	}
	for _, words := range []string{"marimba", "espresso"} {
		if len(d.files(words)) == 0 {
			t.Errorf("%s is gone, though Ben asked for nothing", words)
		}
	}
	if data, err := os.ReadFile(filepath.Join(d.Paths.Home, "memory", "user-301.md")); err != nil || string(data) != "# About Anna\n\n- lives next door\n" {
		t.Errorf("what was remembered of Anna is %q, %v, want what the owner wrote alone", data, err)
	}
	checkForgotten(t, d.Store, "discord-200", []string{"[forgotten]", "I see.", "my cat is called marimba", "I see."})
	checkForgotten(t, d.Store, "discord-201", []string{"[forgotten]", "I see."})

	d.ask("200", anna, "do you know my alarm?")
	chats := d.model.Chats()
	request := fmt.Sprint(chats[len(chats)-1].Chat.Messages)
	if strings.Contains(request, "zephyr") || strings.Contains(request, "oolong") || !strings.Contains(request, "marimba") {
		t.Errorf("the model was sent:\n%s", request)
	}
}

func checkForgotten(t *testing.T, store *sessionmem.Store, session string, want []string) {
	t.Helper()
	tr, err := store.Load(context.Background(), session)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range tr.Blocks {
		got = append(got, b.Text)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the transcript of %s holds %q, want %q", session, got, want)
	}
}

// Telemetry is in logs/memory.jsonl under fixed names; at the usual level no log contains a
// word of the conversation, whatever goes wrong.
func TestLogsHoldCountsAndNoText(t *testing.T) {
	const thread = "220"
	d := startBot(t, testkit.Script{Rules: []testkit.Rule{
		{UserContains: "quokka", Reply: testkit.Reply{Fault: &testkit.Fault{Kind: testkit.FaultStatus, Status: 500}}},
		{Reply: testkit.Reply{Text: "said by the model: ocarina"}},
	}}, map[string]string{
		"agents/memory.md": "- the owner plays the theremin\n",
		"config.toml":      "[discord]\nmessage_content = \"on\"\n",
	})
	d.fake.AddChannel(apptest.Channel{ID: thread, Guild: "100", Parent: "200", Name: "a thread", Type: apptest.Thread})
	d.fake.Put(apptest.Message{ID: thread, Channel: "200", Author: ben, Text: "begun with a zither"})
	d.fake.Put(apptest.Message{Channel: thread, Author: ben, Text: "gone on with a marimba"})
	d.ask(thread, anna, "what of the xylophone?")
	d.ask(thread, anna, "what of the quokka?") // the model fails here
	d.fake.Fail(apptest.Fault{Method: "GET", Path: "/messages", Status: 403, Code: 50001})
	d.ask(thread, anna, "what of the accordion?")
	d.fake.Heal()
	d.fake.SetChannel("201", func(c *apptest.Channel) { c.NoSend = true })
	d.fake.Say(apptest.Message{Channel: "201", Author: anna, Text: "<@" + apptest.BotID + "> what of the harmonica?", Mentions: []apptest.User{luna}})
	d.await("word to the owner", func() bool {
		for _, n := range d.Notices() {
			if n.Kind == NoticeDiscord && strings.Contains(n.Text, "#channel") {
				return true
			}
		}
		return false
	})
	lines, err := os.ReadFile(filepath.Join(d.Paths.Home, "logs", "memory.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"subsys":"mem.thread","event":"tail_ok","detail":{"count":`, `"subsys":"mem.thread","event":"tail_fallback","detail":{"reason":"permission"}`,
		`"subsys":"mem.ctx","event":"collect_ok","detail":{"case":"thread"`, `"subsys":"mem.ctx","event":"collect_fallback","detail":{"case":"thread","reason":"permission"}`,
		`"subsys":"mem.ctx","event":"merge_ok","detail":{"case":"thread"`,
	} {
		if !strings.Contains(string(lines), want) {
			t.Errorf("memory.jsonl has no %s:\n%s", want, lines)
		}
	}
	logs := filepath.Join(d.Paths.Home, "logs")
	for _, word := range []string{"xylophone", "zither", "marimba", "quokka", "accordion", "harmonica", "ocarina", "theremin", apptest.Token} {
		for _, file := range d.files(word) {
			if strings.HasPrefix(file, logs) {
				t.Errorf("%s holds %q", file, word)
			}
		}
	}
}

// channels.toml decides a channel's agent, model, prompt and tools; lessons from it are
// proposed for that agent.
func TestChannelsTomlDecidesAChannelsAgentAndTools(t *testing.T) {
	d := startBot(t, testkit.Script{Rules: []testkit.Rule{
		{UserContains: "remember", Times: 1, Reply: testkit.Reply{Text: "MEMORY_APPEND: releases are on Tuesdays"}},
		{Reply: testkit.Reply{Text: "I see."}},
	}}, map[string]string{
		"agents/agent-002/memory.md": "- what the mapped agent knows\n",
		"discord/channels.toml":      "[channel.201]\nagent = \"002\"\nmodel = \"other:8b\"\nprompt = \"Answer in verse.\"\n",
		"LUNA_RUNTIME_PROMPT.md":     "You are Luna.\n",
	})
	d.ask("200", anna, "hello")
	d.ask("201", anna, "hello")
	chats := d.model.Chats()
	for i, want := range []struct{ model, prompt string }{{"qwen3:8b", "You are Luna."}, {"other:8b", "You are Luna.\n\nAnswer in verse."}} {
		chat := chats[i].Chat
		system := chat.Messages[0].Content
		if chat.Model != want.model || !strings.HasPrefix(system, want.prompt) {
			t.Errorf("channel %d asked %s with %.80q", i, chat.Model, system)
		}
		if knows := strings.Contains(system, "what the mapped agent knows"); knows != (i == 1) {
			t.Errorf("channel %d has the agent's memory: %v", i, knows)
		}
	}
	d.ask("201", anna, "remember that releases are on Tuesdays")
	waiting, err := d.Memory.Inbox()
	if err != nil || len(waiting) != 1 || waiting[0].Target != (memory.Target{Kind: memory.TargetAgent, ID: "002"}) {
		t.Errorf("proposed is %+v, %v", waiting, err)
	}
	if data, err := os.ReadFile(filepath.Join(d.Paths.Home, "agents", "agent-002", "memory.md")); err != nil || strings.Contains(string(data), "Tuesdays") {
		t.Errorf("the agent's memory is %q, %v", data, err)
	}
}

// With session.in_memory_only, nothing from Discord is written to disk.
func TestInMemoryOnlyWritesNothingFromDiscord(t *testing.T) {
	d := startBot(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "the model says ocarina"}}}}, map[string]string{}, "IN_MEMORY_CONTEXT_ONLY=true")
	d.ask("200", anna, "what of the xylophone?")
	d.ask("200", anna, "and of the zither?")
	chats := d.model.Chats()
	if request := fmt.Sprint(chats[len(chats)-1].Chat.Messages); !strings.Contains(request, "xylophone") {
		t.Errorf("the conversation does not go on:\n%s", request)
	}
	for _, word := range []string{"xylophone", "zither", "ocarina", "Anna"} {
		if found := d.files(word); len(found) > 0 {
			t.Errorf("%s is in %q", word, found)
		}
	}
}
