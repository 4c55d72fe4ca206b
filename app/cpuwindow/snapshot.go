package cpuwindow

import (
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/markdown"
)

// entryView is an entry as it is to be drawn. Its leaves are never changed again,
// so the UI goroutine reads them without a lock.
type entryView struct {
	entry
	markdown.View
}

// conversationView is a conversation as it is to be drawn.
type conversationView struct {
	name, title, path string
	agent, model      string
	entries           []entryView
	older             int
	state             string // "loading qwen3:8b… 4 s", "" while text arrives
	busy              bool
	working           string
	usage             *agents.Usage
	loadErr           error
	loading           bool
	summarised        int
	clock             bool // something shows how long it takes
	queue             []queued
	held              bool
}

// view prepares what is to be drawn: what arrived is parsed here, off the UI
// goroutine. Finished blocks are shared, not copied.
func (c *conversation) view(now time.Time) conversationView {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := conversationView{
		name: c.name, title: c.title, path: c.path, agent: c.agent, model: c.model,
		older: c.older, queue: c.queue, held: c.held, summarised: c.summarised, state: c.stateLine(now), busy: c.run != nil,
		working: c.working, usage: c.usage, loadErr: c.loadErr, loading: c.loading,
		entries: make([]entryView, 0, len(c.entries)),
	}
	for _, e := range c.entries {
		ev := entryView{entry: *e}
		if e.doc != nil {
			e.doc.Settle(!e.live)
			ev.View = e.doc.View()
		}
		v.entries = append(v.entries, ev)
		if e.live && (e.kind == entryThinking || e.kind == entryCall) {
			v.clock = true
			v.state = "" // it has a row of its own that says so
		}
	}
	v.clock = v.clock || v.state != ""
	c.offerRetry(&v)
	return v
}

// offerRetry gives a last message without an answer, and without a card that says
// why, a way to ask again. The lock must be held.
func (c *conversation) offerRetry(v *conversationView) {
	at := c.turnStart() - 1
	if at < 0 || c.run != nil || c.state != "" || c.loading || c.entries[at].block == "" {
		return
	}
	note := -1
	for i := at + 1; i < len(v.entries); i++ {
		switch v.entries[i].kind {
		case entryError, entryAnswer:
			return
		case entryNote:
			if v.entries[i].undoID == "" {
				note = i
			}
		}
	}
	if note < 0 {
		e := entry{key: "unanswered", kind: entryNote, rev: 1, text: i18n.T("not answered yet")}
		v.entries = append(v.entries, entryView{entry: e})
		note = len(v.entries) - 1
	}
	v.entries[note].retryID = c.entries[at].block
	v.entries[note].rev = -v.entries[note].rev // looks different from the one without
}

// answerLeaves is the leaves of the turn's answers.
func (c *conversation) answerLeaves(key string) [][]markdown.Leaf {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out [][]markdown.Leaf
	c.eachAnswer(key, func(e *entry) { out = append(out, e.doc.View().Leaves) })
	return out
}

// answerText is what Copy takes of the turn the entry belongs to.
func (c *conversation) answerText(key string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var parts []string
	c.eachAnswer(key, func(e *entry) { parts = append(parts, e.doc.Text()) })
	return strings.Join(parts, "\n\n")
}

// eachAnswer gives the answers below a head. The lock must be held.
func (c *conversation) eachAnswer(key string, f func(*entry)) {
	in := false
	for _, e := range c.entries {
		switch {
		case e.key == key:
			in = true
		case in && (e.kind == entryUser || e.kind == entryHead):
			return
		}
		if in && e.kind == entryAnswer {
			f(e)
		}
	}
}
