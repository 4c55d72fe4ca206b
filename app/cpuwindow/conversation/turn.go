package conversation

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/agents/registry"
	"mac-stats/app/cpuwindow/faultwords"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/markdown"
)

// turn is the turn under way, or the previous one, and turns its events into entries of the
// log. It is guarded by the log's lock.
type turn struct {
	log      *log
	running  *running
	turns    int    // begun in this conversation
	userID   string // the block the run answers
	sent     string // its text
	state    agents.State
	detail   string
	expected *agents.Usage // with the state reading: what the server will have to read; nil if unknown
	since    time.Time
	again    bool   // the run answers a message again
	editing  string // the block that the run's message replaces; "" for none
	// answered: the message that is answered again had an answer. branchFailed: a branch's
	// run failed, so the screen may differ from the disk.
	answered, branchFailed bool
	succeeded              bool // the previous turn
	usage                  *agents.Usage
}

// apply applies one event of the run.
func (t *turn) apply(ev agents.Event) {
	switch ev.Type {
	case agents.EventState:
		t.applyState(ev)
	case agents.EventToken:
		e := t.answerFor(ev)
		e.Doc.Append(ev.Text)
		e.Rev++
	case agents.EventReplaced:
		e := t.answerFor(ev)
		e.Doc.Replace(ev.Text)
		e.Rev++
	case agents.EventThinking:
		e := t.thinkingFor(ev)
		e.Doc.Append(ev.Text)
		e.Rev++
	case agents.EventSubcallStart, agents.EventSubcallToken, agents.EventSubcallEnd, agents.EventTool:
		t.applyCall(ev)
	case agents.EventMemoryWritten, agents.EventMemoryProposed, agents.EventMemoryReloaded:
		t.applyMemory(ev)
	case agents.EventQuestion:
		t.applyQuestion(ev)
	case agents.EventContextCut:
		if s := cutLine(ev.Cut); s != "" {
			t.log.add(&entry{Kind: Note, Text: s, At: ev.Time})
		}
	case agents.EventCompaction:
		t.log.add(&entry{Kind: Note, Text: cmp.Or(ev.Text, i18n.T("older messages were summarised")), At: ev.Time})
	case agents.EventUsage:
		t.applyUsage(ev)
	case agents.EventDone:
		t.applyDone(ev)
	case agents.EventError:
		t.applyError(ev)
	}
}

func (t *turn) startClock(text, userID string, now time.Time) {
	t.sent, t.userID, t.again, t.editing, t.answered, t.branchFailed = text, userID, userID != "", "", false, false
	t.succeeded = false
	t.turns++
	t.state, t.detail, t.since = agents.StateQueued, "", now
}

func (t *turn) applyState(ev agents.Event) {
	if ev.State != t.state || ev.Detail != t.detail {
		t.since = ev.Time
	}
	t.state, t.detail, t.expected = ev.State, ev.Detail, ev.Usage
	if ev.Block != "" && t.userID == "" {
		t.setUserID(ev.Block)
	}
	if ev.Agent != "" && ev.Model != "" {
		t.head(ev)
	}
	if ev.Warning {
		t.warn(ev)
	}
}

// warn shows a state's warning to the user, once a turn.
func (t *turn) warn(ev agents.Event) {
	text := cutShortWords(ev.CutShort, faultwords.Of(ev.Detail))
	shown := func(e *entry) bool { return e.Kind == Note && e.Text == text }
	if text != "" && t.log.inTurn(shown) == nil {
		t.log.add(&entry{Kind: Note, Text: text, At: ev.Time, note: note{GoOn: ev.GoOn}})
	}
}

func (t *turn) setUserID(id string) {
	for _, e := range slices.Backward(t.log.entries) {
		if e.Kind == User {
			if e.Block == "" && !t.log.shownID[id] {
				e.Block = id
				t.log.shownID[id] = true
				t.userID = id
				e.Rev++
			}
			return
		}
	}
}

// head returns the badge of the turn's answer, and adds it if needed.
func (t *turn) head(ev agents.Event) *entry {
	e := t.log.inTurn(func(e *entry) bool { return e.Kind == Head })
	if e == nil {
		e = t.log.add(&entry{Kind: Head, At: ev.Time, Agent: ev.Agent, Model: ev.Model, badge: badge{Again: t.answered}})
	}
	if ev.Agent != "" && e.Agent == "" {
		e.Agent = ev.Agent
		e.Rev++
	}
	if ev.Model != "" && e.Model != ev.Model && (ev.Agent == "" || ev.Agent == e.Agent) {
		e.Model = ev.Model
		e.Rev++
	}
	return e
}

func (t *turn) answerFor(ev agents.Event) *entry {
	t.head(ev)
	e := t.log.inTurn(func(e *entry) bool { return e.Kind == Answer && e.Live && e.round == ev.Round })
	if e == nil {
		t.settleRounds(ev.Round, ev.Time)
		e = t.log.add(&entry{Kind: Answer, round: ev.Round, Doc: markdown.New(), At: ev.Time, Live: true})
	}
	return e
}

// settleThoughts ends thinking, because something else has begun.
func (t *turn) settleThoughts(at time.Time) {
	for _, e := range t.log.entries[t.log.turnStart():] {
		if e.Live && e.Kind == Thinking {
			e.settleThought(at)
		}
	}
}

// settleRounds ends the answers and thoughts of earlier rounds.
func (t *turn) settleRounds(round int, at time.Time) {
	for _, e := range t.log.entries[t.log.turnStart():] {
		switch {
		case !e.Live:
		case e.Kind == Thinking:
			e.settleThought(at)
		case e.Kind == Answer && e.round != round:
			e.Live = false
			e.Rev++
		}
	}
}

func (t *turn) thinkingFor(ev agents.Event) *entry {
	t.head(ev)
	e := t.log.inTurn(func(e *entry) bool { return e.Kind == Thinking && e.round == ev.Round })
	if e == nil {
		began := ev.Time
		if t.state == agents.StateThinking {
			began = t.since
		}
		e = t.log.add(&entry{Kind: Thinking, round: ev.Round, At: ev.Time, Began: began, Doc: markdown.New(), Live: true})
	}
	return e
}

func (t *turn) applyUsage(ev agents.Event) {
	if ev.Usage == nil {
		return
	}
	h := t.log.inTurn(func(e *entry) bool { return e.Kind == Head })
	if h != nil && ev.Agent != "" && h.Agent != "" && ev.Agent != h.Agent {
		return // a specialist's call doesn't fill this conversation's context
	}
	u := *ev.Usage
	t.usage = &agents.Usage{PromptTokens: u.PromptTokens, AnswerTokens: u.AnswerTokens, TokensPerSecond: u.TokensPerSecond, ContextSize: u.ContextSize, ContextPercent: u.ContextPercent}
	if h != nil && u.TokensPerSecond > 0 {
		h.Speed = u.TokensPerSecond
		h.Rev++
	}
	if h != nil && h.Reading == "" && u.PromptTokens > 0 {
		h.Reading = readingWords(u)
		h.Rev++
	}
}

func (t *turn) applyDone(ev agents.Event) {
	e := t.log.inTurn(func(e *entry) bool { return e.Kind == Answer && e.Live })
	if e == nil && ev.Text != "" {
		e = t.answerFor(ev)
	}
	if e != nil {
		if ev.Text != "" {
			e.Doc.Replace(ev.Text)
		}
		e.Block, e.Live = ev.Block, false
		if ev.Block != "" {
			t.log.shownID[ev.Block] = true
		}
		e.Rev++
	}
	if h := t.log.inTurn(func(e *entry) bool { return e.Kind == Head }); h != nil && len(ev.Read)+len(ev.Recalled) > 0 {
		h.Read, h.Recalled = ev.Read, ev.Recalled
		h.Rev++
	}
	t.endRun()
	t.succeeded = true
}

func (t *turn) applyError(ev agents.Event) {
	partial := t.log.inTurn(func(e *entry) bool { return e.Kind == Answer && e.Live })
	if partial != nil {
		partial.Live = false
		partial.Block = cmp.Or(partial.Block, ev.Block)
		if partial.Block != "" && partial.Block != t.userID {
			t.log.shownID[partial.Block] = true
		}
		partial.Rev++
	}
	if ev.Kind == fault.KindCancelled {
		kept := t.log.hasAnswer()
		t.log.add(&entry{Kind: Note, Text: keptLine(kept), At: ev.Time, note: note{GoOn: kept}})
	} else {
		f := &Fault{Kind: ev.Kind, Sentence: cmp.Or(ev.Text, i18n.T("The turn failed.")), Next: ev.Detail, Model: modelOf(ev), UserID: t.userID, Text: t.sent, Offer: fault.VisionModel(ev.Err)}
		if t.userID == "" {
			f.Replaces = t.editing
		}
		t.branchFailed = t.editing != "" || t.again
		if t.again {
			f.RetriedAt = i18n.With("tried again at {{.Time}}", i18n.Places{"Time": ev.Time.Format("15:04:05")})
		}
		if off := (*registry.TurnedOffError)(nil); errors.As(ev.Err, &off) {
			f.Off = &off.Agent
		}
		t.log.add(&entry{Kind: Error, At: ev.Time, Fault: f, note: note{GoOn: t.log.hasAnswer()}})
	}
	t.endRun()
}

func (t *turn) endRun() {
	t.running.SetRun(nil)
	t.state, t.detail = "", ""
	for _, e := range t.log.entries[t.log.turnStart():] {
		if e.Live {
			e.Live = false
			if e.Kind == Call && e.Failed == "" && e.Took == 0 {
				e.Failed = Stopped()
			}
			e.Rev++
		}
	}
}

// stateLine returns the status to show while no text arrives: "loading qwen3:8b… 4 s".
func (t *turn) stateLine(now time.Time) string {
	if !t.running.Busy() || t.state == "" {
		return ""
	}
	words := t.detail
	if name, arg, _ := strings.Cut(words, " "); t.state == agents.StateTool {
		words = strings.TrimSpace(ToolWords(name, false) + " " + arg)
	}
	if words == "" && t.state == agents.StateReading && t.expected != nil {
		words = i18n.With("reading about {{.New}} new of {{.All}} tokens", i18n.Places{"New": i18n.Thousands(t.expected.NewTokens), "All": i18n.Thousands(t.expected.PromptTokens)})
	}
	if words == "" {
		words = StateWords(t.state)
	}
	if t.state == agents.StateWriting {
		return ""
	}
	return words + "…" + Elapsed(t.since, now)
}
