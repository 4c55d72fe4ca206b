// Package service runs the Discord bot of one data folder: it finds the token, reads
// channels.toml when it is edited, connects if the settings say so, and reports its status.
// The window and the commands change what is on disk through it.
package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mac-stats/app/config"
	"mac-stats/app/discord"
	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
	"mac-stats/app/discord/token"
	"mac-stats/app/secret"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/wholefile"
)

// EnvBase is a variable that replaces Discord's address, for tests and for trying things
// out with a fake.
const EnvBase = "MAC_STATS_DISCORD_BASE"

// lookEvery is the interval at which settings and files are checked while the app runs.
const lookEvery = 2 * time.Second

// Params holds the dependencies of a Service. Optional fields say so.
type Params struct {
	Home     string // the data folder
	Getenv   func(string) string
	Config   func() config.Config
	Builtin  string // the prompt for users without their own
	Keychain secret.Keychain
	Engine   discord.Engine
	Store    *sessionmem.Store
	// OwnMemory returns an agent's own memory, if it has one. Optional.
	OwnMemory func(selector string) (memory.Target, bool)
	// Forget erases a person from transcripts and memory. Optional.
	Forget func(ctx context.Context, user string) (string, error)
	// Notify shows what people must know: a connection that stopped, a stranger who waits,
	// a mistake in channels.toml. "" withdraws the last notice. Optional.
	Notify    func(text, next string)
	Telemetry io.Writer // optional
	Logger    *slog.Logger
}

// Service is the bot of one data folder.
type Service struct {
	*statusKeeper
	*credentials
	p     Params
	log   *slog.Logger
	again chan struct{} // capacity 1: look at the settings now

	mu    sync.Mutex // guards the fields below
	file  *channels.File
	stamp wholefile.Stamp
	bot   *discord.Bot
	state *botstate.State
}

// stampOf returns the stamp of a file; zero if there is none.
func stampOf(file string) wholefile.Stamp {
	info, err := os.Stat(file)
	if err != nil {
		return wholefile.Stamp{}
	}
	return wholefile.StampOf(info)
}

// New returns a Service. It panics if a required field is missing. Only Run needs Engine and Store.
func New(p Params) *Service {
	if p.Home == "" || p.Getenv == nil || p.Config == nil {
		panic("service: New needs Home, Getenv and Config")
	}
	if p.Logger == nil {
		p.Logger = slog.New(slog.DiscardHandler)
	}
	if p.Notify == nil {
		p.Notify = func(string, string) {}
	}
	s := &Service{p: p, log: p.Logger, again: make(chan struct{}, 1)}
	s.statusKeeper = &statusKeeper{
		file: filepath.Join(s.dir(), "status.json"), log: p.Logger,
		status: connection.Status{State: connection.StateOff, Text: "Discord is switched off.", Since: time.Now()},
	}
	s.credentials = &credentials{
		place: token.Place{Getenv: p.Getenv, File: filepath.Join(s.dir(), "token"), Keychain: p.Keychain},
		mark:  filepath.Join(s.dir(), ".token-changed"), look: s.Look,
	}
	return s
}

func (s *Service) dir() string { return filepath.Join(s.p.Home, "discord") }

// ChannelsFile returns the path of channels.toml.
func (s *Service) ChannelsFile() string { return filepath.Join(s.dir(), "channels.toml") }

// Run runs the bot as the settings say, until ctx ends. It panics without Engine or Store.
func (s *Service) Run(ctx context.Context) {
	if s.p.Engine == nil || s.p.Store == nil {
		panic("service: Run needs Engine and Store")
	}
	for ctx.Err() == nil {
		if !s.p.Config().Discord.Enabled {
			s.set(connection.Status{State: connection.StateOff, Text: "Discord is switched off.", Next: "Switch it on with enabled = true under [discord] in config.toml."})
			s.await(ctx, nil)
			continue
		}
		began := s.wanted()
		err := s.runOnce(ctx)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			s.reportStop(err)
			s.await(ctx, func() bool { return s.wanted() != began })
		}
	}
	s.set(connection.Status{State: connection.StateOff, Text: "mac-stats has ended."})
}

// reportStop reports an end that requires somebody to act.
func (s *Service) reportStop(err error) {
	st := connection.Status{State: connection.StateStopped, Text: err.Error()}
	notice := "Discord: " + st.Text
	var stop *connection.StopError
	if errors.As(err, &stop) {
		st.Text, st.Next, st.Code = stop.Text, stop.Next, stop.Code
		notice = st.Text
	}
	s.set(st)
	s.log.Warn("the discord bot has stopped", "err", err)
	s.p.Notify(notice, st.Next)
}

// wanted is what a connection depends on. When it changes, the connection is made again.
type wanted struct {
	enabled, content, memory bool
	token                    [2]wholefile.Stamp // see stamps
	workers                  int
}

func (s *Service) wanted() wanted {
	cfg := s.p.Config()
	return wanted{
		enabled: cfg.Discord.Enabled, content: s.readsAll(cfg.Discord), memory: cfg.Session.InMemoryOnly, workers: cfg.Discord.Workers,
		token: s.stamps(),
	}
}

// readsAll reports whether the bot should receive messages that don't mention it.
func (s *Service) readsAll(cfg config.Discord) bool {
	switch cfg.MessageContent {
	case "on":
		return true
	case "off":
		return false
	}
	return s.Channels().ReadsAll()
}

// await waits until holds returns true, which it checks periodically and after Look.
// Without holds it waits for Look.
func (s *Service) await(ctx context.Context, holds func() bool) {
	var looks <-chan time.Time
	if holds != nil {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		looks = tick.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.again:
			if holds == nil || holds() {
				return
			}
		case <-looks:
			if holds() {
				return
			}
		}
	}
}

// runOnce runs the bot until the settings change (nil) or it can't continue.
func (s *Service) runOnce(ctx context.Context) error {
	tok, from, err := token.Find(s.place)
	if err != nil {
		return err
	}
	s.log.Info("the discord bot starts", "token_from", from)
	if err := channels.Ensure(s.ChannelsFile()); err != nil {
		s.log.Warn("the first channels.toml could not be written", "err", err)
	}
	began := s.wanted()
	state, err := s.openState(ctx, began.memory)
	if err != nil {
		return err
	}
	defer func() {
		if err := state.Close(); err != nil {
			s.log.Warn("the bot's state was not closed", "err", err)
		}
	}()
	ctx, end := context.WithCancel(ctx)
	defer end()
	hostname, _ := os.Hostname() // without one, only the folder counts
	var bot *discord.Bot
	conn, err := connection.New(connection.Config{
		Token: tok.Reveal(), Program: hostname + " " + s.dir(), Content: began.content, Base: s.p.Getenv(EnvBase), Logger: s.log,
		Handle: func(e connection.Event) { bot.Handle(e) },
		Changed: func(st connection.Status) {
			if st.State == connection.StateReady && s.Status().State != connection.StateReady {
				s.p.Notify("", "")
			}
			s.set(st)
		},
	})
	if err != nil {
		return err
	}
	bot = s.newBot(conn, state, began)
	s.setBot(bot, state)
	defer s.setBot(nil, nil)
	var all sync.WaitGroup
	all.Go(func() { bot.Run(ctx) })
	all.Go(func() {
		s.await(ctx, func() bool { return s.wanted() != began })
		end()
	})
	err = conn.Run(ctx)
	end()
	all.Wait()
	return err
}

func (s *Service) setBot(bot *discord.Bot, state *botstate.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bot, s.state = bot, state
}

// Idle reports whether the bot has handled all events; true if no bot is running.
func (s *Service) Idle() bool {
	s.mu.Lock()
	bot := s.bot
	s.mu.Unlock()
	return bot == nil || bot.Idle()
}

func (s *Service) openState(ctx context.Context, inMemory bool) (*botstate.State, error) {
	cfg := s.p.Config().Discord
	state, err := botstate.Open(ctx, botstate.Config{
		File: filepath.Join(s.dir(), "state.db"), Private: inMemory, MaxChars: cfg.MessageMaxChars, Keep: 2 * cfg.HistoryTurns,
	})
	if err != nil || s.p.Store == nil {
		return state, err
	}
	if err := state.Clean(ctx, s.p.Store.Forgotten().HasBlock); err != nil {
		return nil, errors.Join(fmt.Errorf("taking out of the bot's state what was forgotten: %w", err), state.Close())
	}
	return state, nil
}

func (s *Service) newBot(conn *connection.Connection, state *botstate.State, w wanted) *discord.Bot {
	return discord.New(discord.Params{
		Client: conn, Engine: s.p.Engine, Sessions: s.p.Store, State: state, Workers: w.workers, ReadsAll: w.content,
		Settings: s.botSettings, Channels: s.Channels, Prompt: s.prompt, Forget: s.p.Forget, OwnMemory: s.p.OwnMemory,
		Paired: func(p botstate.Pairing) {
			s.p.Notify(fmt.Sprintf("%s wants to talk to the bot on Discord (code %s)", p.Name, p.Code),
				"Let them in with `mac-stats discord pair "+p.Code+"`, or leave it: the code ends by itself.")
		},
		Refused: func(place connection.Place, why error) {
			where := "#" + place.Name
			if place.Kind == connection.KindDirect {
				where = "a direct conversation"
			}
			said := (*connection.Error)(nil)
			switch {
			case errors.Is(why, connection.ErrPermission):
				s.p.Notify(fmt.Sprintf("The bot may not write in %s on Discord: its answers stand in the transcript alone", where),
					"Give its role Send Messages there (in threads: Send Messages in Threads), or take the channel out of its sight.")
			case errors.As(why, &said) && connection.NotDone(why):
				s.p.Notify(fmt.Sprintf("Discord refused an answer of the bot in %s (%d): %s", where, said.Code, said.Message),
					"The answer stands in the transcript.")
			default:
				s.p.Notify(fmt.Sprintf("It isn't known whether an answer of the bot arrived in %s on Discord", where),
					"Discord didn't say. The answer stands in the transcript.")
			}
		},
		Twin: func() {
			s.p.Notify("Another program answers on Discord with the bot's token, so people may get two answers",
				"End that program, or give each a bot of its own. If you don't know it, reset the token in Discord's developer portal.")
		},
		Telemetry: s.p.Telemetry, Logger: s.log,
	})
}

func (s *Service) botSettings() discord.Settings {
	cfg := s.p.Config()
	d := cfg.Discord
	return discord.Settings{
		Name: d.Name, HistoryTurns: d.HistoryTurns, MessageMaxChars: d.MessageMaxChars, TailCount: d.TailCount,
		MaxMsgs: d.MaxMsgs, MaxChars: d.MaxChars, MaxAge: d.MaxAge, FetchTimeout: d.FetchTimeout, ChannelBudget: cfg.Memory.ChannelBudget,
	}
}

// Look makes Run check the settings now.
func (s *Service) Look() {
	select {
	case s.again <- struct{}{}:
	default:
	}
}

// PlaceOf returns what sessionmem needs to know about a Discord session.
func (s *Service) PlaceOf(session string) compact.Place {
	s.mu.Lock()
	bot := s.bot
	s.mu.Unlock()
	if bot != nil {
		return bot.PlaceOf(session)
	}
	channel, ok := strings.CutPrefix(session, "discord-")
	if !ok {
		return compact.Place{}
	}
	f := s.Channels() // the bot isn't running, but the file's settings for the channel apply anyway
	here := f.For(channel, "")
	out := compact.Place{Silent: here.Mode == channels.HavingFun}
	if f.Mapped(channel, "") {
		out.Agent = here.Agent
	}
	return out
}

// Channels returns the current channels.toml. If it can't be read, the last readable
// version applies; at the start nobody is let in.
func (s *Service) Channels() *channels.File {
	file := s.ChannelsFile()
	now := stampOf(file)
	s.mu.Lock()
	if s.file != nil && now == s.stamp {
		defer s.mu.Unlock()
		return s.file
	}
	s.mu.Unlock()
	f, found, err := channels.Load(file)
	s.mu.Lock()
	first := s.file == nil
	s.stamp = now
	if err == nil {
		s.file = f
	} else if first {
		s.file, _, _ = channels.Parse(file, nil) // it is empty: nobody may talk
		s.file.Pairing = false
	}
	f = s.file
	s.mu.Unlock()
	if err != nil {
		s.log.Warn("channels.toml can't be used", "err", err)
		s.p.Notify(err.Error(), "")
	}
	var words []string
	for _, one := range found {
		s.log.Warn("something in channels.toml can't be used", "line", one.Line, "key", one.Key)
		words = append(words, one.String())
	}
	if len(words) > 0 { // all at once, because a notice replaces the one before
		s.p.Notify(strings.Join(words, "; "), "Edit "+file+"; it is read again when you save it.")
	}
	return f
}
