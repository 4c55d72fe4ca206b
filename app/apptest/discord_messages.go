package apptest

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// kept is a message as the fake stores it.
type kept struct {
	Message
	edited  bool
	deleted bool
}

// Say lets somebody write a message, and returns its ID.
func (s *Discord) Say(m Message) string {
	id, event := s.keep(m)
	s.sendMessage("MESSAGE_CREATE", event)
	return id
}

// Put stores a message without informing the bot, as one from before it joined.
func (s *store) Put(m Message) string {
	id, _ := s.keep(m)
	return id
}

// Texts returns the texts of all messages, including the bot's.
func (s *store) Texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, messages := range s.messages {
		for _, k := range messages {
			list = append(list, k.Text)
		}
	}
	return list
}

func (s *store) keep(m Message) (id string, event *kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.ID == "" {
		m.ID = s.newID()
	}
	if m.Time.IsZero() {
		m.Time = time.Now()
	}
	for i := range m.Attachments {
		s.files[m.ID+"/"+m.Attachments[i].Name] = m.Attachments[i]
	}
	k := &kept{Message: m}
	s.messages[m.Channel] = append(s.messages[m.Channel], k)
	slices.SortStableFunc(s.messages[m.Channel], func(a, b *kept) int { return strings.Compare(a.ID, b.ID) })
	return m.ID, k
}

// Resend sends the event of a message a second time.
func (s *Discord) Resend(channel, id string) {
	s.store.mu.Lock()
	k := s.find(channel, id)
	s.store.mu.Unlock()
	s.sendMessage("MESSAGE_CREATE", k)
}

// EditMessage changes a message's text.
func (s *Discord) EditMessage(channel, id, text string) {
	s.store.mu.Lock()
	k := s.find(channel, id)
	k.Text, k.edited = text, true
	s.store.mu.Unlock()
	s.sendMessage("MESSAGE_UPDATE", k)
}

// Mention adds people to a message's mentions; its next edit reports them.
func (s *store) Mention(channel, id string, who ...User) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.find(channel, id)
	k.Mentions = append(k.Mentions, who...)
}

// DeleteMessage deletes a message.
func (s *Discord) DeleteMessage(channel, id string) {
	s.store.mu.Lock()
	if k := s.find(channel, id); k != nil {
		k.deleted = true
	}
	s.store.mu.Unlock()
	s.Dispatch("MESSAGE_DELETE", map[string]any{"id": id, "channel_id": channel})
}

// Slash lets somebody use a slash command.
func (s *Discord) Slash(channel, name string, by User) {
	s.store.mu.Lock()
	guild := ""
	if c := s.channels[channel]; c != nil {
		guild = c.Guild
	}
	id := s.newID()
	s.store.mu.Unlock()
	event := map[string]any{
		"id": id, "application_id": BotID, "type": 2, "token": "interaction-" + id, "channel_id": channel, "version": 1,
		"data": map[string]any{"id": "1", "name": name, "type": 1},
	}
	if guild != "" {
		event["guild_id"] = guild
		event["member"] = map[string]any{"user": by.json(), "roles": by.roles()}
	} else {
		event["user"] = by.json()
	}
	s.Dispatch("INTERACTION_CREATE", event)
}

// find returns a message. The caller holds the lock.
func (s *store) find(channel, id string) *kept {
	for _, k := range s.messages[channel] {
		if k.ID == id && !k.deleted {
			return k
		}
	}
	return nil
}

func (u User) json() map[string]any {
	return map[string]any{"id": u.ID, "username": u.Name, "global_name": u.Name, "bot": u.Bot}
}

func (u User) roles() []string {
	if u.Roles == nil {
		return []string{}
	}
	return u.Roles
}

// visible returns the text and files of a message that the bot may read. Without the
// Message Content intent Discord withholds them unless the message mentions the bot, is its
// own, or is direct.
func (s *store) visible(k *kept, guild string, content bool) (text string, files []map[string]any) {
	files = []map[string]any{}
	mine := k.Author.ID == BotID || guild == "" || slices.ContainsFunc(k.Mentions, func(u User) bool { return u.ID == BotID })
	if !content && !mine {
		return "", files
	}
	for _, a := range k.Attachments {
		files = append(files, map[string]any{"id": "1", "filename": a.Name, "content_type": a.Type, "size": len(a.Data), "url": s.url() + "/cdn/" + k.ID + "/" + a.Name})
	}
	return k.Text, files
}

// json returns a message as the bot receives it, in the shape that the test wants. The
// caller holds the lock.
func (s *store) json(k *kept, content bool, gateway bool) map[string]any {
	m := s.plainJSON(k, content, gateway)
	s.troubles.reshape(m)
	return m
}

func (s *store) plainJSON(k *kept, content bool, gateway bool) map[string]any {
	guild := ""
	if c := s.channels[k.Channel]; c != nil {
		guild = c.Guild
	}
	text, files := s.visible(k, guild, content)
	mentioned := []map[string]any{}
	for _, u := range k.Mentions {
		mentioned = append(mentioned, u.json())
	}
	m := map[string]any{
		"id": k.ID, "channel_id": k.Channel, "author": k.Author.json(), "content": text, "timestamp": k.Time.UTC().Format(time.RFC3339Nano),
		"edited_timestamp": nil, "mentions": mentioned, "attachments": files, "type": k.Kind, "tts": false, "mention_everyone": false,
	}
	if k.edited {
		m["edited_timestamp"] = time.Now().UTC().Format(time.RFC3339Nano)
	}
	if k.Roles != nil {
		m["mention_roles"] = k.Roles
	}
	if k.Forward != "" {
		m["message_reference"] = map[string]any{"type": 1, "message_id": "1", "channel_id": "2"}
		m["message_snapshots"] = []any{map[string]any{"message": map[string]any{
			"content": k.Forward, "timestamp": k.Time.UTC().Format(time.RFC3339Nano), "edited_timestamp": nil, "mentions": []any{},
			"attachments": []any{}, "embeds": []any{}, "type": 0, "flags": 0, "components": []any{},
		}}}
	}
	if k.Webhook != "" {
		m["webhook_id"] = k.Webhook
	}
	if content {
		maps.Copy(m, k.Extra)
	}
	if gateway && guild != "" {
		m["guild_id"] = guild
		m["member"] = map[string]any{"roles": k.Author.roles()}
	}
	if k.Reply != "" {
		if k.Kind == 0 {
			m["type"] = 19
		}
		m["message_reference"] = map[string]any{"message_id": k.Reply, "channel_id": k.Channel}
		if answered := s.find(k.Channel, k.Reply); answered != nil && gateway {
			short := *answered
			short.Reply = ""
			m["referenced_message"] = s.json(&short, content, false)
		}
	}
	return m
}

// sendMessage sends an event about a message to every connected bot, each with what it may
// see.
func (s *Discord) sendMessage(event string, k *kept) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.send(event, func(intents int) any { return s.json(k, intents&IntentMessageContent != 0, true) })
}

// Dispatch sends an event to the bot.
func (s *Discord) Dispatch(event string, data any) {
	s.send(event, func(int) any { return data })
}

func (s *Discord) sendGuild(id string) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.send("GUILD_CREATE", func(int) any { return s.guildJSON(id) })
}

func (s *store) guildJSON(id string) map[string]any {
	channels, threads := []map[string]any{}, []map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(s.channels)) {
		c := s.channels[key]
		if c.Guild != id {
			continue
		}
		if c.Type == Thread {
			threads = append(threads, c.json())
		} else {
			channels = append(channels, c.json())
		}
	}
	return map[string]any{"id": id, "name": s.guilds[id], "channels": channels, "threads": threads, "roles": []map[string]any{
		{"id": id, "name": "@everyone", "managed": false}, {"id": BotRole, "name": BotName, "managed": true, "tags": map[string]any{"bot_id": BotID}},
	}}
}
