package discord

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
)

// pairingEvery is the minimum time between two answers to a stranger.
const pairingEvery = 5 * time.Minute

// offerPairing answers a stranger with a code that the owner can use to let them in.
func (b *Bot) offerPairing(m connection.Message, f *channels.File) {
	if !f.Pairing || m.Author.Bot || !b.limits.once("stranger "+m.Author.ID, pairingEvery) {
		return
	}
	b.spawn(func(ctx context.Context) {
		p, fresh, err := b.p.State.Pair(ctx, m.Author.ID, m.Author.Name)
		if errors.Is(err, botstate.ErrTooMany) {
			b.log.Info("a stranger was given no code: too many wait")
			return
		}
		if err != nil {
			b.log.Warn("a stranger could not be given a code", "err", err)
			return
		}
		if fresh && b.p.Paired != nil {
			b.p.Paired(p)
		}
		b.say(ctx, m, fmt.Sprintf("Hello! I don't know you yet. Ask my owner to let you in with this code: **%s**\nIt holds for %d minutes (owner: `mac-stats discord pair %s`, or the Discord page of mac-stats).",
			p.Code, int(botstate.CodeLife.Minutes()), p.Code))
	})
}
