package pages

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/registry"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/answer"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
)

// trial is a prompt tried with an agent: one turn in a session that is never written.
type trial struct {
	field      *kit.LineField
	words      *kit.Label  // its state or result
	stopButton *kit.Button // Stop
	status     kit.Row     // row with words and stopButton, above the answer
	leaves     answer.Rows
	shown      int // number of the answer's rows on the page

	mu       sync.Mutex // guards the fields below
	run      conversation.Run
	session  string
	answer   *markdown.Document // of the last run
	replaced bool               // the answer was replaced, so none of its rows can stay
	state    string
	failed   string
	model    string
	speed    float64
	began    time.Time
	took     time.Duration
	dirty    bool // something must be drawn, and a draw is scheduled
}

// trialFrame is the minimum time between two draws of an answer that arrives.
const trialFrame = 60 * time.Millisecond

// trialOf returns the trial of an agent.
func (p *Agents) trialOf(a registry.Agent) *trial {
	t := p.trials[a.Path]
	if t == nil {
		t = &trial{field: kit.NewLineField(i18n.T("Try a prompt… nothing is saved"), i18n.T("Try")), answer: markdown.New()}
		t.words, t.stopButton = kit.Small("").Squeezable(), kit.NewButton(kit.ButtonDanger, i18n.T("Stop"), t.stop)
		t.status = column.NewBoxRow(kit.Line(kit.Gap12, 0, t.words, t.stopButton))
		p.trials[a.Path] = t
	}
	t.field.OnSubmit = func(text string) { p.try(a, t, text) }
	return t
}

// trialRows returns the prompt field and the answer.
func (p *Agents) trialRows(a registry.Agent) []*column.Placed {
	if !a.Usable() {
		return nil
	}
	t := p.trialOf(a)
	rows := []*column.Placed{{Row: t.field, Gap: kit.Gap8, Max: kit.ProseMax}}
	if !t.show() {
		return rows
	}
	rows = append(rows, &column.Placed{Row: t.status, Gap: kit.Gap8, Max: kit.ProseMax})
	return append(rows, p.answerRows(t)...)
}

// answerRows returns the paragraphs, lists and code of the answer, as in the chat.
func (p *Agents) answerRows(t *trial) []*column.Placed {
	t.mu.Lock()
	t.answer.Settle(t.run == nil)
	if t.replaced {
		t.leaves, t.replaced = answer.Rows{}, false
	}
	v := t.answer.View()
	t.mu.Unlock()
	t.leaves.Update(v, p.host.Copy, answer.Style{})
	t.shown = len(t.leaves.Rows)
	return t.leaves.Rows
}

// drawAnswer draws what has arrived below the status; the rest of the page stays.
func (p *Agents) drawAnswer(t *trial) {
	rows := p.view.Rows
	at := slices.IndexFunc(rows, func(r *column.Placed) bool { return r.Row == t.status })
	if at < 0 {
		return // another agent is shown
	}
	after := rows[at+1+t.shown:]
	p.view.SetRows(slices.Concat(rows[:at+1], p.answerRows(t), after))
}

// show updates the status on the screen; it reports false if nothing was tried yet.
func (t *trial) show() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != "" {
		t.words.Set(t.failed, kit.RoleHot)
	} else {
		t.words.Set(t.stateWords(), kit.RoleMuted)
	}
	t.stopButton.Hidden = t.run == nil
	return !t.began.IsZero()
}

// stateWords returns the trial's state or result. The lock must be held.
func (t *trial) stateWords() string {
	if t.run != nil {
		return fmt.Sprintf("%s · %s", cmp.Or(t.state, i18n.T("starting")), conversation.Clock(int(time.Since(t.began).Seconds())))
	}
	words := []string{i18n.T("tested"), t.model, conversation.TookWords(t.took), conversation.SpeedWords(t.speed)}
	return joinWords(words)
}

// joinWords joins the words that aren't empty.
func joinWords(words []string) string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, " · ")
}

// stop ends the trial; the text that has arrived stays.
func (t *trial) stop() {
	t.mu.Lock()
	run := t.run
	t.mu.Unlock()
	if run != nil {
		run.Stop()
	}
}

// try asks the agent in a private session: neither a transcript nor the memory is written.
func (p *Agents) try(a registry.Agent, t *trial, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run != nil {
		return // Stop ends it
	}
	t.session = p.parts.Sessions.NewName("test")
	p.parts.Sessions.SetPrivate(t.session)
	t.answer, t.replaced = markdown.New(), true
	t.state, t.failed, t.model, t.speed, t.took, t.began = "", "", "", 0, 0, time.Now()
	t.run = p.parts.Start(p.host.Context(), agents.Request{Session: t.session, Text: text, Agent: a.Slug, Holder: "window"})
	run := t.run
	go p.follow(t, run)
	go p.tickClock(t, run)
	p.host.Do(p.draw)
}

// tickClock redraws the clock while no events arrive.
func (p *Agents) tickClock(t *trial, run conversation.Run) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for range ticker.C {
		t.mu.Lock()
		over := t.run != run
		t.mu.Unlock()
		if over {
			return
		}
		p.drawSoon(t)
	}
}

// follow applies the trial's events until they end.
func (p *Agents) follow(t *trial, run conversation.Run) {
	for ev := range run.Events(context.WithoutCancel(p.host.Context())) {
		t.apply(ev)
		p.drawSoon(t)
	}
	t.mu.Lock()
	t.run, t.took = nil, time.Since(t.began)
	session := t.session
	t.mu.Unlock()
	if err := p.parts.Sessions.Delete(context.WithoutCancel(p.host.Context()), session); err != nil {
		p.parts.Logger.Debug("a tried prompt stays in memory until the app ends", "err", err)
	}
	p.drawSoon(t)
}

// replace replaces the answer. The lock must be held.
func (t *trial) replace(text string) {
	t.replaced = t.replaced || t.answer.Text() != text
	t.answer.Replace(text)
}

// apply applies one event.
func (t *trial) apply(ev agents.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch ev.Type {
	case agents.EventState:
		t.state = cmp.Or(ev.Detail, conversation.StateWords(ev.State))
		if ev.Model != "" {
			t.model = ev.Model
		}
	case agents.EventToken:
		t.answer.Append(ev.Text)
		t.state = i18n.T("writing")
	case agents.EventReplaced:
		t.replace(ev.Text)
	case agents.EventTool, agents.EventSubcallStart:
		if ev.Call != nil {
			t.state = ev.Call.Name
		}
		t.replace("") // text before a tool call isn't the answer
	case agents.EventDone:
		if ev.Text != "" {
			t.replace(ev.Text)
		}
	case agents.EventUsage:
		if ev.Usage != nil {
			t.speed = ev.Usage.TokensPerSecond
		}
	case agents.EventError:
		t.failed = joinWords([]string{i18n.Sentence(ev.Text), ev.Detail})
	}
}

// drawSoon draws the page at the next frame, if it is shown.
func (p *Agents) drawSoon(t *trial) {
	t.mu.Lock()
	waits := t.dirty
	t.dirty = true
	t.mu.Unlock()
	if waits {
		return
	}
	time.AfterFunc(trialFrame, func() {
		t.mu.Lock()
		t.answer.Settle(t.run == nil) // parsed here, off the UI goroutine
		t.mu.Unlock()
		p.host.Do(func() {
			t.mu.Lock()
			t.dirty = false
			t.mu.Unlock()
			if p.host.Visible() && p.Object.Visible() && !p.editing {
				t.show()
				p.drawAnswer(t)
			}
		})
	})
}
