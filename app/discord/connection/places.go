package connection

import (
	"context"
	"fmt"
	"net/http"

	"github.com/bwmarrin/discordgo"
)

// maxPlaces is how many channels and threads are remembered; beyond it Discord is
// asked again.
const maxPlaces = 20_000

// rememberPlaces takes in what an event tells of channels and threads.
func (c *Connection) rememberPlaces(p payload) {
	switch p.Type {
	case "GUILD_CREATE":
		var g discordgo.Guild
		if !c.decode(p, &g) {
			return
		}
		for _, list := range [][]*discordgo.Channel{g.Channels, g.Threads} {
			for _, ch := range list {
				if ch == nil {
					continue
				}
				ch.GuildID = g.ID
				c.remember(placeOf(ch))
			}
		}
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		var ch discordgo.Channel
		if c.decode(p, &ch) {
			c.remember(placeOf(&ch))
		}
	case "CHANNEL_DELETE", "THREAD_DELETE":
		var ch discordgo.Channel
		if c.decode(p, &ch) {
			c.leave(func(p Place) bool { return p.ID == ch.ID || p.Parent != "" && p.Parent == ch.ID })
		}
	case "GUILD_DELETE":
		var g discordgo.Guild
		if c.decode(p, &g) && !g.Unavailable { // else Discord has an outage
			c.leave(func(p Place) bool { return p.Guild == g.ID })
		}
	}
}

// leave forgets places that are gone for the bot, and tells of each.
func (c *Connection) leave(gone func(Place) bool) {
	c.mu.Lock()
	var list []string
	for id, p := range c.places {
		if gone(p) {
			list = append(list, id)
			delete(c.places, id)
		}
	}
	c.mu.Unlock()
	for _, id := range list {
		c.cfg.Handle(Event{Kind: EventGone, Channel: id})
	}
}

func (c *Connection) remember(p Place) {
	if !IsID(p.ID) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.places) >= maxPlaces {
		clear(c.places)
	}
	c.places[p.ID] = p
}

// Place tells what a channel or thread is: as it was told, else Discord is asked.
func (c *Connection) Place(ctx context.Context, id string) (Place, error) {
	c.mu.Lock()
	p, known := c.places[id]
	c.mu.Unlock()
	if known {
		return p, nil
	}
	if !IsID(id) {
		return Place{}, fmt.Errorf("looking at a channel: %w", ErrGone)
	}
	var ch discordgo.Channel
	if err := c.call(ctx, "looking at a channel", http.MethodGet, discordgo.EndpointChannel(id), nil, &ch); err != nil {
		return Place{}, err
	}
	p = placeOf(&ch)
	c.remember(p)
	return p, nil
}
