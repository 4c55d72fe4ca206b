package discord

import (
	"context"
	"strings"

	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem/compact"
)

// PlaceOf returns what sessionmem needs to know about a Discord session, such as whose
// channel it is.
func (b *Bot) PlaceOf(session string) compact.Place {
	channel, ok := strings.CutPrefix(session, "discord-")
	if !ok || !connection.IsID(channel) {
		return compact.Place{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	place, err := b.p.Client.Place(ctx, channel)
	if err != nil {
		place = connection.Place{ID: channel}
	}
	f := b.p.Channels()
	out := compact.Place{Server: place.Guild, Person: func(name string) string { return b.personCalled(channel, name) }}
	out.Silent = f.For(place.ID, place.Parent).Mode == channels.HavingFun
	if f.Mapped(place.ID, place.Parent) {
		out.Agent = f.For(place.ID, place.Parent).Agent
	}
	return out
}

// personCalled returns the ID of the person with this name who wrote in a channel lately;
// "" if there is none or more than one.
func (b *Bot) personCalled(channel, name string) string {
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	window, err := b.p.State.Window(ctx, channel)
	if err != nil {
		return ""
	}
	id := ""
	for _, m := range window {
		if m.Role != "user" || strings.Contains(m.Author, " ") || !strings.EqualFold(m.Name, strings.TrimSpace(name)) {
			continue
		}
		if id != "" && id != m.Author {
			return ""
		}
		id = m.Author
	}
	return id
}
