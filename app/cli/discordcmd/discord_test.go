package discordcmd_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/app/apptest"
	"mac-stats/app/backend"
	"mac-stats/app/cli/clitest"
	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/service"
)

func TestDiscordIsSetUpByCommands(t *testing.T) {
	e := clitest.New(t, clitest.Answering("hello"))
	state, err := botstate.Open(t.Context(), botstate.Config{File: filepath.Join(e.Home, "discord", "state.db")})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := state.Pair(context.Background(), "301", "Anna\x1b[31m")
	if err != nil {
		t.Fatal(err)
	}
	if err := state.Close(); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		args  []string
		stdin string
		code  int
		says  string
	}{
		{args: []string{"discord", "status"}, says: "Discord is switched off. `mac-stats discord on` switches it on."},
		{args: []string{"discord", "token"}, stdin: "my token", code: 1, says: "no bot token: it is one word"},
		{args: []string{"discord", "token"}, stdin: "abc\n", code: 1, says: "nothing is saved: one has three parts with dots"},
		{args: []string{"discord", "status"}, says: "no token"},
		{args: []string{"discord", "token", "--force"}, stdin: "abc\n", says: "saved in the file"},
		{args: []string{"discord", "token"}, stdin: "Bot abc.def.ghi\n", says: "saved in the file"},
		{args: []string{"discord", "on"}, says: "Discord is on."},
		{args: []string{"discord", "status"}, says: "waiting to be let in: 1"},
		{args: []string{"discord", "pairings"}, says: p.Code},
		{args: []string{"discord", "pair", "WRONG"}, code: 1, says: "There is no such code: codes hold for 15 minutes"},
		{args: []string{"discord", "pair", strings.ToLower(p.Code), "--owner"}, says: "may talk to the bot now"},
		{args: []string{"discord", "people"}, says: "owner"},
		{args: []string{"discord", "status", "--json"}, says: `"people":1`},
		{args: []string{"discord", "revoke", "301"}, says: "removed"},
		{args: []string{"discord", "revoke", "301"}, code: 1, says: "Nobody with the id 301 was paired."},
		{args: []string{"discord", "token", "--forget"}, says: "removed"},
		{args: []string{"discord", "off"}, says: "Discord is off."},
		{args: []string{"discord", "status"}, says: "no token"},
	}
	for _, s := range steps {
		o := e.RunWith(t.Context(), s.stdin, s.args...)
		said := o.Stdout + o.Stderr
		if o.Code != s.code || !strings.Contains(said, s.says) {
			t.Errorf("%s gave %d, %s; want %d and %q", strings.Join(s.args, " "), o.Code, said, s.code, s.says)
		}
		if strings.Contains(said, "abc.def.ghi") || strings.Contains(said, "\x1b") {
			t.Errorf("%s shows what it should not: %q", strings.Join(s.args, " "), said)
		}
	}
	if _, err := os.Stat(filepath.Join(e.Home, "discord", "token")); !os.IsNotExist(err) {
		t.Errorf("the token's file: %v", err)
	}
}

func TestDiscordStatusSaysWhyAndWhere(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("x"))
	e.AppRuns = true
	e.Write(t, "config.toml", "[discord]\nenabled = true\n")
	e.Write(t, "discord/status.json", `{"state":"connecting","text":"Connecting…","last":"Discord can't be reached.","since":"2026-11-21T10:00:00Z","pid":1}`)
	e.Write(t, "discord/channels.toml", "[default]\nagent = \"codr\"\nmode = \"loud\"\n\n[channel.12]\nmode = \"all_messages\"\n\n[channel.123456789012345678]\nagent = \"coder\"\n")
	text := e.Must(t, "discord", "status")
	wants := []string{"Connecting… The last try: Discord can't be reached.\n", "channels.toml:2: default.agent: ", "did you mean coder?", "channels.toml:3: default.mode", "channels.toml:5: channel.12: \"12\" is hardly an id"}
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	line := clitest.Objects(t, e.Must(t, "discord", "status", "--json"))[0]
	if found := line["findings"].([]any); len(found) != 3 || line["found"] != 3.0 || line["last"] != "Discord can't be reached." {
		t.Errorf("as JSON: %v", line)
	}
	e.Write(t, "discord/channels.toml", "[default")
	line = clitest.Objects(t, e.Must(t, "discord", "status", "--json"))[0]
	if found := line["findings"].([]any); len(found) != 1 || !strings.Contains(found[0].(string), "is not TOML") {
		t.Errorf("no TOML: %v", line)
	}
}

// The steps of docs/discord.md, "In ten minutes", against a test server.
func TestDiscordInTenMinutes(t *testing.T) {
	fake := apptest.StartDiscord(t)
	fake.AddGuild("100", "Home")
	fake.AddChannel(apptest.Channel{ID: "200", Guild: "100", Name: "general"})
	fake.AddChannel(apptest.Channel{ID: "800", Type: apptest.DM})
	e := clitest.New(t, clitest.Answering("hello from the model"))
	e.Environ = append(e.Environ, service.EnvBase+"="+fake.URL())
	step := func(stdin string, args ...string) string {
		t.Helper()
		o := e.RunWith(t.Context(), stdin, args...)
		if o.Code != clitest.Done {
			t.Fatalf("%q: exit %d\n%s%s", args, o.Code, o.Stdout, o.Stderr)
		}
		return o.Stdout
	}
	await := func(what string, holds func() bool) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("waited in vain for %s", what)
			}
		}
	}
	anna := apptest.User{ID: "301", Name: "Anna"}
	luna := []apptest.User{{ID: apptest.BotID, Name: "luna", Bot: true}}
	last := func(channel string) string {
		list := fake.Sent(channel)
		if len(list) == 0 {
			return ""
		}
		return list[len(list)-1].Text
	}

	step(apptest.Token+"\n", "discord", "token")
	step("", "discord", "on")
	app, err := e.Open(t.Context(), backend.Options{Watch: true, Environ: e.Environ})
	if err != nil {
		t.Fatal(err)
	}
	e.AppRuns = true
	closed := false
	t.Cleanup(func() {
		if !closed {
			_ = app.Close()
		}
	})
	await("the connection", func() bool { return strings.Contains(step("", "discord", "status"), "Connected as luna.") })

	fake.Say(apptest.Message{Channel: "800", Author: anna, Text: "hello?"})
	await("the code", func() bool { return strings.Contains(last("800"), "mac-stats discord pair") })
	_, code, _ := strings.Cut(last("800"), "**")
	code, _, _ = strings.Cut(code, "**")
	step("", "discord", "pair", code)
	settled := func() bool { return fake.CaughtUp() && app.Discord.Idle() }
	await("the answer", func() bool {
		fake.Say(apptest.Message{Channel: "800", Author: anna, Text: "and now?"})
		await("the bot to rest", settled)
		return last("800") == "hello from the model"
	})

	fake.Say(apptest.Message{Channel: "200", Author: anna, Text: "not for the bot"})
	fake.Say(apptest.Message{Channel: "200", Author: anna, Text: "<@" + apptest.BotID + "> hi", Mentions: luna})
	await("the answer in the channel", func() bool { return last("200") == "hello from the model" })
	if got := fake.Identifies(); len(got) != 1 || got[0].Intents&apptest.IntentMessageContent != 0 {
		t.Errorf("it identified as %+v, want no privileged intent", got)
	}

	// An edit of channels.toml takes effect at once; reading every message needs the
	// intent.
	file := filepath.Join(e.Home, "discord", "channels.toml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e.Write(t, "discord/channels.toml", string(text)+"\n[channel.200]\nmode = \"all_messages\"\n")
	await("the new connection", func() bool {
		got := fake.Identifies()
		return len(got) == 2 && got[1].Intents&apptest.IntentMessageContent != 0 && fake.Connected()
	})
	before := len(fake.Sent("200"))
	await("an answer without a mention", func() bool {
		fake.Say(apptest.Message{Channel: "200", Author: anna, Text: "what about this?"})
		await("the bot to rest", settled)
		return len(fake.Sent("200")) > before
	})

	step("", "discord", "off")
	await("the end", func() bool { return !fake.Connected() })
	if out := step("", "sessions", "list"); !strings.Contains(out, "discord-200") || !strings.Contains(out, "discord-800") {
		t.Errorf("the sessions are\n%s", out)
	}
	closed = true
	if err := app.Close(); err != nil {
		t.Error(err)
	}
	log, err := os.ReadFile(filepath.Join(e.Home, "logs", "mac-stats.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{apptest.Token, "hello from the model", "what about this?", code} {
		if strings.Contains(string(log), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}
