package connection

import (
	"context"
	"fmt"
	"net/http"
)

// maxPlaces is how many channels and threads to remember; beyond it Discord is asked again.
const maxPlaces = 20_000

// rememberPlaces records what an event reports about channels and threads.
func (c *Connection) rememberPlaces(p payload) {
	switch p.Type {
	case "GUILD_CREATE":
		guild := readFields(p.Data)
		for _, list := range []string{"channels", "threads"} {
			for _, ch := range guild.objects(list) {
				place := placeOf(ch)
				place.Guild = guild.id("id")
				c.remember(place)
			}
		}
		for _, role := range guild.objects("roles") {
			c.rememberRole(guild.id("id"), role)
		}
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE":
		f := readFields(p.Data)
		c.rememberRole(f.id("guild_id"), f.object("role"))
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		c.remember(placeOf(readFields(p.Data)))
	case "CHANNEL_DELETE", "THREAD_DELETE":
		if id := readFields(p.Data).id("id"); id != "" {
			c.leave(func(p Place) bool { return p.ID == id || p.Parent == id })
		}
	case "GUILD_DELETE":
		guild := readFields(p.Data)
		if id := guild.id("id"); id != "" && !guild.isTrue("unavailable") { // otherwise Discord has an outage
			c.leave(func(p Place) bool { return p.Guild == id })
		}
	}
}

// rememberRole records the role that Discord made for the bot in a server.
func (c *Connection) rememberRole(guild string, role fields) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if bot := role.object("tags").id("bot_id"); bot != "" && bot == c.bot.ID && guild != "" {
		c.roles[guild] = role.id("id")
	}
}

// leave drops places that are gone for the bot, and reports each.
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

// Place returns what a channel or thread is, from earlier events or by asking Discord.
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
	answer, err := c.call(ctx, "looking at a channel", http.MethodGet, "/channels/"+id, nil)
	if err != nil {
		return Place{}, err
	}
	p = placeOf(readFields(answer))
	if p.ID == "" {
		p.ID = id
	}
	c.remember(p)
	return p, nil
}
