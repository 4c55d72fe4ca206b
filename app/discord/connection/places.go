package connection

import (
	"context"
	"fmt"

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
			c.mu.Lock()
			delete(c.places, ch.ID)
			c.mu.Unlock()
		}
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
	ch, err := c.rest.Channel(id, discordgo.WithContext(ctx))
	if err != nil {
		return Place{}, restError("looking at a channel", err)
	}
	p = placeOf(ch)
	c.remember(p)
	return p, nil
}

// Places are the channels and threads that are known by now.
func (c *Connection) Places() []Place {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]Place, 0, len(c.places))
	for _, p := range c.places {
		list = append(list, p)
	}
	return list
}
