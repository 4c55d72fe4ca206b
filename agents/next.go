package agents

import (
	"context"
	"errors"
	"fmt"

	"mac-stats/agents/background"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/transcript"
)

// errUnknownNext means that the next request of a session can't be told in advance.
var errUnknownNext = errors.New("the next request of this conversation isn't known")

// next returns what the session's next turn will send, up to its message. It tells nobody
// anything, and starts no program.
func (e *Engine) next(ctx context.Context, session string) (background.Conversation, error) {
	req := Request{Session: session, Place: e.lastTurn(session, nil).place}
	if transcript.IsDiscord(session) && req.Place == nil {
		return background.Conversation{}, errUnknownNext
	}
	t := newTurn(e, newRun(req, func() {}), req)
	t.silent = true
	t.settings = e.p.Settings()
	if _, err := t.choose(ctx); err != nil {
		return background.Conversation{}, err
	}
	if t.unknown {
		return background.Conversation{}, errUnknownNext
	}
	window, err := e.p.Store.Context(ctx, session)
	if err != nil {
		return background.Conversation{}, fmt.Errorf("reading the conversation: %w", err)
	}
	if n := len(window.Messages); n > 0 && window.Messages[n-1].Kind == transcript.KindUser {
		window.Messages = window.Messages[:n-1] // it has no answer yet
	}
	t.dialogue.fill(window)
	w := t.dialogue.window
	w.Messages = w.Messages[:w.Fixed+w.History]
	out := background.Conversation{Request: t.dialogue.request(), Holds: map[string]bool{}}
	for _, b := range window.Messages[len(window.Messages)-w.History:] {
		out.Holds[b.ID] = true
	}
	for _, m := range t.dialogue.input.Memories() {
		for _, p := range memorytext.Pieces(m.File.Text) {
			out.Memory = append(out.Memory, p.Text)
		}
	}
	return out, nil
}
