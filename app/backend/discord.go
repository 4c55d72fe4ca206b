package backend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"mac-stats/app/discord/service"
	"mac-stats/assets"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
)

// openDiscord prepares the Discord bot; it runs where the folders are watched and the
// settings switch it on.
func (b *Backend) openDiscord() error {
	builtin, err := fs.ReadFile(assets.FS, "prompts/discord.md")
	if err != nil {
		return fmt.Errorf("read the bot's prompt: %w", err)
	}
	getenv := lookup(b.environ)
	p := service.Params{
		Home: b.Paths.Home, Getenv: getenv, Config: b.Config, Builtin: strings.TrimSpace(string(builtin)),
		Engine: b.Engine, Store: b.Store, OwnMemory: b.ownMemory, Forget: b.forgetPerson,
		Tell:   func(text, next string) { b.SetNotice(Notice{Kind: NoticeDiscord, Text: text, Next: next}) },
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

// placeOf is what is known of a Discord session's channel.
func (b *Backend) placeOf(session string) compact.Place {
	if b.Discord == nil {
		return compact.Place{}
	}
	return b.Discord.PlaceOf(session)
}

// forgetPerson erases what somebody wrote on Discord and what was learnt from it; what the
// owner wrote stays.
// What it says is in numbers alone, also with an error.
func (b *Backend) forgetPerson(ctx context.Context, user string) (string, error) {
	plan, err := b.ForgetPlan(ctx, forget.Selection{Author: user, Lessons: true})
	if err != nil {
		return "", err
	}
	var report forget.Report
	if !plan.Nothing() { // else nothing is noted either: who asks again and again fills no file
		report, err = b.Forget(ctx, plan)
	}
	done := 0
	for _, t := range report.Found {
		if t.Action != forgotten.Kept && t.Action != forgotten.Refused {
			done++
		}
	}
	if report.Refused > 0 {
		err = errors.Join(err, fmt.Errorf("%d places could not be changed", report.Refused))
	}
	return fmt.Sprintf("Erased in %d places of the transcripts and the memory.", done), err
}
