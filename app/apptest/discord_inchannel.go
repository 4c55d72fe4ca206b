package apptest

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// need is the permission that a call needs in a channel.
type need int

const (
	toSee    need = iota // the channel exists
	toRead               // read older messages
	toSend               // send a message, which also unarchives a thread
	toChange             // change its own message
)

// answer is the answer to a call; a nil body means no body.
type answer struct {
	status int
	body   any
}

func refused(status, code int, message string) *answer {
	return &answer{status, map[string]any{"message": message, "code": code}}
}

// inChannel finds the channel of a call, and refuses what the bot may not do there. It
// calls do with the lock held.
func (s *store) inChannel(n need, do func(c *Channel, r *http.Request) answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		c := s.channels[r.PathValue("channel")]
		no := c.refuses(n)
		if no == nil {
			out := do(c, r)
			no = &out
		}
		writeJSON(w, no.status, no.body)
	}
}

// refuses returns the answer to a call that the bot may not make in the channel; nil if it
// may.
func (c *Channel) refuses(n need) *answer {
	sends := n == toSend || n == toChange
	switch {
	case c == nil:
		return refused(http.StatusNotFound, 10003, "Unknown Channel")
	case c.NoRead:
		return refused(http.StatusForbidden, 50001, "Missing Access")
	case n == toRead && c.NoHistory:
		return refused(http.StatusForbidden, 50001, "Missing Access")
	case sends && c.NoSend:
		return refused(http.StatusForbidden, 50013, "Missing Permissions")
	case c.Archived && (sends && c.Locked || n == toChange):
		return refused(http.StatusBadRequest, 50083, "Thread is archived")
	}
	return nil
}

func (s *store) getChannel(c *Channel, _ *http.Request) answer {
	return answer{http.StatusOK, c.json()}
}

func (s *store) getMessages(c *Channel, r *http.Request) answer {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || limit < 1 {
		limit = 50
	}
	before, out := r.URL.Query().Get("before"), []map[string]any{}
	for _, k := range slices.Backward(s.messages[c.ID]) {
		if k.deleted || before != "" && k.ID >= before {
			continue
		}
		if len(out) == min(limit, 100) {
			break
		}
		out = append(out, s.json(k, s.journal.content(), false))
	}
	return answer{http.StatusOK, out}
}

func (s *store) getMessage(c *Channel, r *http.Request) answer {
	k := s.find(c.ID, r.PathValue("message"))
	if k == nil {
		return *refused(http.StatusNotFound, 10008, "Unknown Message")
	}
	return answer{http.StatusOK, s.json(k, s.journal.content(), false)}
}

func (s *store) postMessage(c *Channel, r *http.Request) answer {
	in := callOf(r)
	text, nonce := in.text("content"), in.text("nonce")
	enforce, _ := in.body["enforce_nonce"].(bool)
	switch {
	case len([]rune(text)) > 2000 || text == "" && len(in.files) == 0:
		return *refused(http.StatusBadRequest, 50035, "Invalid Form Body")
	case len(in.files) > 0 && c.NoAttach:
		return *refused(http.StatusForbidden, 50013, "Missing Permissions")
	}
	if k := s.nonces[c.ID+nonce]; enforce && nonce != "" && k != nil { // deleted or not
		return answer{http.StatusOK, s.json(k, true, false)}
	}
	reply, no := s.replyOf(c, in)
	if no != nil {
		return *no
	}
	c.Archived = false
	m := Message{ID: s.newID(), Channel: c.ID, Author: User{ID: BotID, Name: BotName, Bot: true}, Text: text, Time: time.Now(), Reply: reply, Extra: map[string]any{"nonce": nonce}}
	k := &kept{Message: m}
	s.messages[c.ID] = append(s.messages[c.ID], k)
	s.sent = append(s.sent, &Sent{ID: m.ID, Channel: c.ID, Text: text, Reply: m.Reply, Times: []time.Time{time.Now()}, Files: in.files})
	s.nonces[c.ID+nonce] = k
	s.bots.send("MESSAGE_CREATE", func(int) any { return s.json(k, true, true) }) // the echo
	return answer{http.StatusOK, s.json(k, true, false)}
}

// replyOf returns the message that a new one replies to; "" for none.
func (s *store) replyOf(c *Channel, in call) (id string, no *answer) {
	reference, _ := in.body["message_reference"].(map[string]any)
	id, _ = reference["message_id"].(string)
	fail, set := reference["fail_if_not_exists"].(bool)
	switch {
	case id == "":
	case c.NoHistory:
		return "", refused(http.StatusForbidden, 160002, "Cannot reply without permission to read message history")
	case s.find(c.ID, id) != nil:
		return id, nil
	case fail || !set:
		return "", refused(http.StatusBadRequest, 50035, "Unknown message")
	}
	return "", nil
}

func (s *store) patchMessage(c *Channel, r *http.Request) answer {
	text := callOf(r).text("content")
	k := s.find(c.ID, r.PathValue("message"))
	if k == nil {
		return *refused(http.StatusNotFound, 10008, "Unknown Message")
	}
	k.Text, k.edited = text, true
	for _, m := range s.sent {
		if m.ID == k.ID {
			m.Edits, m.Text = append(m.Edits, m.Text), text
			m.Times = append(m.Times, time.Now())
		}
	}
	return answer{http.StatusOK, s.json(k, true, false)}
}

func (s *store) postTyping(c *Channel, _ *http.Request) answer {
	s.typing[c.ID]++
	return answer{status: http.StatusNoContent}
}
