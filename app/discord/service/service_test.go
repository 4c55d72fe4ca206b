package service

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mac-stats/agents"
	"mac-stats/app/apptest"
	"mac-stats/app/config"
	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
	"mac-stats/app/discord/token"
	"mac-stats/sessionmem"
)

// noTurns is an engine that is never called.
type noTurns struct{}

func (noTurns) Start(context.Context, agents.Request) *agents.Run { panic("no turn was expected") }
func (noTurns) Active(string) *agents.Run                         { return nil }

// rig is a service with settings that the test changes.
type rig struct {
	t    *testing.T
	s    *Service
	fake *apptest.Discord
	home string

	mu      sync.Mutex
	cfg     config.Config
	env     map[string]string
	notices []string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, fake: apptest.StartDiscord(t), home: t.TempDir(), cfg: config.Default()}
	r.env = map[string]string{EnvBase: r.fake.URL(), token.EnvOwn: apptest.Token}
	store, err := sessionmem.Open(sessionmem.Config{Root: r.home})
	if err != nil {
		t.Fatal(err)
	}
	r.s = New(Params{
		Home: r.home, Engine: noTurns{}, Store: store, Builtin: "I am {{name}}.",
		Getenv: func(k string) string { r.mu.Lock(); defer r.mu.Unlock(); return r.env[k] },
		Config: func() config.Config { r.mu.Lock(); defer r.mu.Unlock(); return r.cfg },
		Notify: func(text, next string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.notices = append(r.notices, text+" "+next)
		},
	})
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { r.s.Run(ctx) })
	t.Cleanup(func() {
		stop()
		all.Wait()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// change changes the settings as an edit of config.toml does.
func (r *rig) change(do func(*config.Config)) {
	r.mu.Lock()
	do(&r.cfg)
	r.mu.Unlock()
	r.s.Look()
}

func (r *rig) await(state connection.State, words string) {
	r.t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		st := r.s.Status()
		if st.State == state && strings.Contains(st.Text+st.Next, words) {
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("waited in vain for %s %q; it is %+v", state, words, st)
		}
	}
}

func (r *rig) said(words string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Contains(strings.Join(r.notices, "\n"), words)
}

func on(c *config.Config) { c.Discord.Enabled = true }

func TestOffUntilItIsSwitchedOn(t *testing.T) {
	r := newRig(t)
	r.await(connection.StateOff, "switched off")
	if n := len(r.fake.Requests()); n != 0 {
		t.Errorf("%d requests were made while it was off", n)
	}
	r.change(on)
	r.await(connection.StateReady, "Connected as luna")
	if st, pid, ok := r.s.SavedStatus(); !ok || st.State != connection.StateReady || pid != os.Getpid() {
		t.Errorf("the status for commands is %+v of %d", st, pid)
	}
	if _, err := os.Stat(r.s.ChannelsFile()); err != nil {
		t.Errorf("there is no channels.toml to edit: %v", err)
	}
	r.change(func(c *config.Config) { c.Discord.Enabled = false })
	r.await(connection.StateOff, "switched off")
}

func TestAStoppedBotContinuesOnceTheCauseIsFixed(t *testing.T) {
	r := newRig(t)
	r.fake.SetPrivileged(false)
	r.change(func(c *config.Config) { on(c); c.Discord.MessageContent = "on" })
	r.await(connection.StateStopped, "Message Content Intent")
	for end := time.Now().Add(30 * time.Second); !r.said("Message Content Intent"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody was told")
		}
	}
	r.change(func(c *config.Config) { c.Discord.MessageContent = "off" })
	r.await(connection.StateReady, "Connected as luna")
	r.change(func(c *config.Config) { c.Discord.MessageContent = "on" })
	r.await(connection.StateStopped, "Message Content Intent")
	r.fake.SetPrivileged(true) // in the portal: nothing on this side shows it
	if err := r.s.Connect(); err != nil {
		t.Fatal(err)
	}
	r.await(connection.StateReady, "Connected as luna")
}

func TestWithoutATokenItSaysHowToGetOne(t *testing.T) {
	r := newRig(t)
	r.mu.Lock()
	delete(r.env, token.EnvOwn)
	r.mu.Unlock()
	r.change(on)
	r.await(connection.StateStopped, "mac-stats discord token")
	if _, err := r.s.SetToken(apptest.Token); err != nil {
		t.Fatal(err)
	}
	r.await(connection.StateReady, "Connected as luna")
}

func TestABadEditOfChannelsLeavesTheLastGoodOnes(t *testing.T) {
	r := newRig(t)
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(r.s.ChannelsFile()), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.s.ChannelsFile(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("[allow\n")
	if f := r.s.Channels(); f.May("301", nil, "200", "") || f.Pairing {
		t.Error("a file that can't be read lets somebody in")
	}
	write("[allow]\nusers = [\"301\"]\n")
	if f := r.s.Channels(); !f.May("301", nil, "200", "") {
		t.Error("the edit does not count")
	}
	write("[allow]\nusers = [\"301\"\n#")
	if f := r.s.Channels(); !f.May("301", nil, "200", "") || !r.said("line") {
		t.Errorf("after a bad edit: %v", r.notices)
	}
	write("[allow]\nusers = [\"302\"]\n[default]\nmode = \"loud\"\n")
	if f := r.s.Channels(); f.May("301", nil, "200", "") || f.For("1", "").Mode != channels.MentionOnly || !r.said("channels.toml:4: default.mode") {
		t.Errorf("after the edit: %v", r.notices)
	}
}

func TestPlaceOfASessionWorksWithTheBotOff(t *testing.T) {
	r := newRig(t)
	text := "[channel.200]\nmode = \"having_fun\"\n[channel.201]\nagent = \"coder\"\n"
	if err := os.MkdirAll(filepath.Dir(r.s.ChannelsFile()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.s.ChannelsFile(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := r.s.PlaceOf("discord-200"); !p.Silent || p.Agent != "" {
		t.Errorf("where it has fun: %+v", p)
	}
	if p := r.s.PlaceOf("discord-201"); p.Silent || p.Agent != "coder" {
		t.Errorf("with an agent of its own: %+v", p)
	}
	if p := r.s.PlaceOf("cpu-200"); p.Silent || p.Agent != "" {
		t.Errorf("another source: %+v", p)
	}
}

// stranger writes to the bot until it returns a code.
func (r *rig) stranger() botstate.Pairing {
	r.t.Helper()
	r.fake.AddChannel(apptest.Channel{ID: "800", Type: apptest.DM})
	r.fake.Say(apptest.Message{Channel: "800", Author: apptest.User{ID: "302", Name: "Ben"}, Text: "hello?"})
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		list, err := r.s.Pairings(r.t.Context())
		if err != nil {
			r.t.Fatal(err)
		}
		if len(list) == 1 {
			return list[0]
		}
		if time.Now().After(end) {
			r.t.Fatal("nobody was given a code")
		}
	}
}

func TestACodeStaysValidIfItsOwnerCouldNotBeSaved(t *testing.T) {
	r := newRig(t)
	r.change(on)
	r.await(connection.StateReady, "Connected")
	p := r.stranger()
	good, err := os.ReadFile(r.s.ChannelsFile())
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(r.s.ChannelsFile(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("[allow\n") // saved in the middle of an edit
	if _, err := r.s.Approve(t.Context(), p.Code, false); err == nil || !strings.Contains(err.Error(), "the code "+p.Code+" still holds") {
		t.Fatalf("Approve gave %v", err)
	}
	write(string(good))
	if got, err := r.s.Approve(t.Context(), p.Code, false); err != nil || got.ID != "302" {
		t.Fatalf("the second time Approve gave %+v, %v", got, err)
	}
	if !r.s.Channels().May("302", nil, "800", "") {
		t.Error("Ben is not let in")
	}
	if _, err := r.s.Approve(t.Context(), p.Code, false); !errors.Is(err, botstate.ErrNoCode) {
		t.Errorf("a code that was used gave %v", err)
	}
}

func TestCommandsSeeWaitingStrangersInPrivateMode(t *testing.T) {
	r := newRig(t)
	r.change(func(c *config.Config) { on(c); c.Session.InMemoryOnly = true })
	r.await(connection.StateReady, "Connected")
	p := r.stranger()
	r.mu.Lock()
	cfg := r.cfg
	r.mu.Unlock()
	command := New(Params{Home: r.home, Getenv: func(string) string { return "" }, Config: func() config.Config { return cfg }})
	list, err := command.Pairings(t.Context())
	if err != nil || len(list) != 1 || list[0].Code != p.Code {
		t.Fatalf("another process sees %+v, %v", list, err)
	}
	if got, err := command.Approve(t.Context(), p.Code, true); err != nil || !got.Owner {
		t.Fatalf("another process lets in %+v, %v", got, err)
	}
	if list, err := r.s.Pairings(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("the app still shows %+v, %v", list, err)
	}
	if !r.s.Channels().Owner("302") {
		t.Error("the app does not know of it")
	}
}

func TestPromptFile(t *testing.T) {
	r := newRig(t)
	if got := r.s.prompt(); got != "I am luna." {
		t.Errorf("without a file it is %q", got)
	}
	for name, text := range map[string]string{promptName: "from the usual place", "other.md": "from another place", "empty.md": " \n"} {
		if err := os.WriteFile(filepath.Join(r.home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.s.prompt(); got != "from the usual place" {
		t.Errorf("with a file it is %q", got)
	}
	for file, want := range map[string]string{"other.md": "from another place", filepath.Join(r.home, "other.md"): "from another place", "gone.md": "I am luna.", "empty.md": "I am luna."} {
		r.change(func(c *config.Config) { c.Discord.PromptFile = file })
		if got := r.s.prompt(); got != want {
			t.Errorf("with %s it is %q, want %q", file, got, want)
		}
	}
}
