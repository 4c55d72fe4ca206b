package backend

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"mac-stats/app/discord/service"
	"mac-stats/assets"
	"mac-stats/sessionmem/compact"
)

// openDiscord prepares the Discord bot. It runs in the app if the settings switch it on.
func (b *Backend) openDiscord() error {
	builtin, err := fs.ReadFile(assets.FS, "prompts/discord.md")
	if err != nil {
		return fmt.Errorf("read the bot's prompt: %w", err)
	}
	getenv := lookup(b.environ)
	p := service.Params{
		Home: b.Paths.Home, Getenv: getenv, Config: b.Config, Builtin: strings.TrimSpace(string(builtin)),
		Engine: b.Engine, Store: b.Store, OwnMemory: b.ownMemory, Forget: b.Forgetting.forgetPerson,
		Notify: func(text, next string) { b.SetNotice(Notice{Kind: NoticeDiscord, Text: text, Next: next}) },
		Logger: b.Logger,
	}
	if lines, err := rotated(filepath.Join(b.Paths.Home, "logs", "memory.jsonl")); err != nil {
		b.Logger.Warn("what the bot remembers is not logged", "error", err)
	} else {
		b.closers = append(b.closers, lines.Close)
		p.Telemetry = lines
	}
	p.Keychain = b.keychain()
	b.Discord = service.New(p)
	return nil
}

// runDiscord runs the bot until Close.
func (b *Backend) runDiscord() {
	if b.Demo {
		return
	}
	b.work.Go(func() { b.Discord.Run(b.ctx) })
}

// placeOf returns the known details of a Discord session's channel.
func (b *Backend) placeOf(session string) compact.Place {
	if b.Discord == nil {
		return compact.Place{}
	}
	return b.Discord.PlaceOf(session)
}
