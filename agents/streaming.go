package agents

import (
	"cmp"
	"context"
	"strings"
	"time"
	"unicode"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/loop"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// streaming receives one reply. It sorts the stream into thinking, prose and directives,
// emits events and checkpoints the reply.
type streaming struct {
	d       *dialogue
	draft   *session.Checkpoint
	scanner *prompt.Scanner // nil if no tools are offered: then all text is prose
	echo    *prompt.Echo
	turn    *prompt.TurnEnd
	raw     strings.Builder
	prose   strings.Builder
	state   State

	stop          context.CancelFunc // cancels the call
	ended         string             // why streaming cancelled it
	began         time.Time          // when the first piece arrived
	maxThinking   int                // tokens
	thought       int                // tokens of thinking so far
	loop          loop.Watch         // of the answer
	thinkingLoop  loop.Watch         // of the thinking
	thinkingSince time.Time
	thinking      time.Duration
}

// Reasons why streaming cancels a call.
const (
	endLoop    = "loop"     // the answer repeated itself
	endTime    = "time"     // ollama.answer_time has passed
	endThought = "thinking" // the model thought too long, or in a loop
	endTurn    = "turn"     // the answer went on to make up a turn of the user
)

// maxThinkingTokens limits a model's thinking, in tokens. The limit is lower if the context
// is small.
const maxThinkingTokens = 8192

func newStreaming(d *dialogue, stop context.CancelFunc) *streaming {
	s := &streaming{d: d, stop: stop, maxThinking: maxThinkingTokens, echo: prompt.NewEcho(d.window.Messages), turn: prompt.NewTurnEnd(d.window.Messages)}
	if room := d.window.AnswerTokens(); room > 0 {
		s.maxThinking = min(s.maxThinking, room/2)
	}
	block := transcript.Block{Kind: transcript.KindAssistant, Agent: d.agent.Slug, Model: d.model.Name, Parent: d.report.message.ID}
	if d.call != nil {
		block.Kind, block.Task = transcript.KindAgent, d.call.Task
	}
	s.draft = d.cast.base.p.Store.Session(d.report.session).Checkpoint(context.Background(), d.withSources(block))
	if len(d.window.Tools) > 0 && !d.window.Final {
		s.scanner = &prompt.Scanner{Grammar: &prompt.Grammar{Fits: d.fits, Agent: d.isAgent}}
	}
	return s
}

func (s *streaming) onPhase(p ollama.Phase) {
	switch p {
	case ollama.PhaseQueued:
		s.enter(StateQueued, "waiting for the model server")
	case ollama.PhaseLoading:
		s.enter(StateLoading, "loading "+s.d.model.Name)
	case ollama.PhaseReading:
		s.enter(StateReading, "")
	}
}

// enter emits a state when it changes.
func (s *streaming) enter(state State, detail string) {
	if s.state == state {
		return
	}
	s.state = state
	s.d.emit(Event{Type: EventState, State: state, Detail: detail, Block: s.d.report.message.ID})
}

func (s *streaming) onChunk(c ollama.Chunk) {
	if s.ended != "" {
		return // a chunk that was already on its way
	}
	s.watch(c)
	if c.Thinking != "" {
		s.enter(StateThinking, "")
		if s.thinkingSince.IsZero() {
			s.thinkingSince = time.Now()
		}
		if s.d.call == nil {
			s.d.emit(Event{Type: EventThinking, Text: c.Thinking, Block: s.draft.ID()})
		}
	}
	if c.Content == "" {
		return
	}
	s.endThinking()
	text, over := s.turn.Write(s.echo.Write(c.Content))
	s.write(text)
	if over {
		s.ended = endTurn
		s.stop()
	}
}

// write processes a piece of the model's text.
func (s *streaming) write(text string) {
	s.raw.WriteString(text)
	if s.scanner != nil {
		text = s.scanner.Write(text)
	}
	s.show(text)
}

// watch cancels the call if the answer wouldn't end by itself.
func (s *streaming) watch(c ollama.Chunk) {
	if s.began.IsZero() {
		s.began = time.Now()
	}
	s.thought += transcript.EstimateTokens(c.Thinking)
	most := s.d.cast.settings.AnswerTime
	switch {
	case s.loop.Write(c.Content):
		s.ended = endLoop
	case c.Thinking != "" && (s.thinkingLoop.Write(c.Thinking) || s.thought > s.maxThinking):
		s.ended = endThought
	case most > 0 && time.Since(s.began) > most:
		s.ended = endTime
	default:
		return
	}
	s.stop()
}

// show emits a piece of the answer.
func (s *streaming) show(text string) {
	if text == "" {
		return
	}
	s.enter(StateWriting, "")
	s.prose.WriteString(text)
	s.draft.SetText(s.prose.String())
	kind := EventToken
	if s.d.call != nil {
		kind = EventSubcallToken
	}
	s.d.emit(Event{Type: kind, Text: text, Block: s.draft.ID()})
}

// endThinking records how long the model thought, until its first text or its end.
func (s *streaming) endThinking() {
	if s.thinking == 0 && !s.thinkingSince.IsZero() {
		s.thinking = time.Since(s.thinkingSince)
	}
}

// finish ends the stream and returns the reply. If there are native calls, anything that
// looks like a directive is prose.
func (s *streaming) finish(res ollama.ChatResult) reply {
	r := reply{draft: s.draft, ended: cmp.Or(s.ended, res.DoneReason)}
	if s.ended != endTurn {
		text, _ := s.turn.Write(s.echo.Finish())
		s.write(text + s.turn.Finish())
	}
	if s.scanner != nil {
		s.show(s.scanner.Finish())
		if s.ended == "" || s.ended == endLoop || s.ended == endTurn { // otherwise the last call may be incomplete
			r.calls, r.tools = s.calls(res)
		}
		if s.ended == endLoop {
			r.calls = distinct(r.calls)
		}
		if len(r.tools) > 0 {
			s.show(s.scanner.Held.String() + s.scanner.Behind.String())
		}
	}
	s.endThinking()
	r.thought, r.thinking = res.Thinking, s.thinking
	r.raw, r.prose = s.raw.String(), s.prose.String()
	if len(r.calls) > 0 && len(r.tools) == 0 {
		r.raw = r.prose + s.scanner.Held.String() // without what it made up after its calls
	}
	if s.ended == endLoop {
		r.prose, _ = loop.Trim(r.prose)
	}
	if !strings.ContainsFunc(r.prose, visible) {
		r.prose = ""
	}
	return r
}

// visible reports whether a rune can be seen. Backquotes don't count: they may be an
// empty code block.
func visible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != '`' }

// calls returns the reply's calls, and the native ones in their original form.
func (s *streaming) calls(res ollama.ChatResult) (calls []tools.Call, native []api.ToolCall) {
	for _, c := range res.ToolCalls {
		calls = append(calls, tools.FromNative(c, s.d.window.Tools, s.d.isAgent))
	}
	if len(calls) > 0 {
		return calls, res.ToolCalls
	}
	for _, found := range s.scanner.Found {
		calls = append(calls, s.d.written(found))
	}
	return calls, nil
}

// distinct returns the calls of a reply that was stopped because it repeats itself, each
// once and without repetitions in its argument. It drops the last of several calls,
// which may be incomplete.
func distinct(calls []tools.Call) (kept []tools.Call) {
	seen := map[string]bool{}
	if len(calls) > 1 {
		calls = calls[:len(calls)-1]
	}
	for _, call := range calls {
		call.Arg, _ = loop.Trim(call.Arg)
		if !seen[call.Key()] {
			seen[call.Key()] = true
			kept = append(kept, call)
		}
	}
	return kept
}

// written returns the call for a directive.
func (d *dialogue) written(found prompt.Directive) tools.Call {
	if found.Args == nil {
		if found.Name == tools.MCP {
			name, args, _ := strings.Cut(strings.TrimSpace(found.Arg), " ")
			return tools.Call{Name: name, Arg: strings.TrimSpace(args)}
		}
		return tools.Call{Name: found.Name, Arg: found.Arg}
	}
	call := tools.WithArgs(found.Name, found.Args, d.window.Tools)
	call.Written = true
	return call
}

// fits reports whether text that looks like a call can be meant as one.
func (d *dialogue) fits(found prompt.Directive) bool {
	call := d.written(found)
	tool := tools.Find(d.window.Tools, call.Name)
	if tool == nil {
		return false
	}
	if f, ok := tool.(tools.Fitter); ok {
		return f.Fits(call)
	}
	return strings.TrimSpace(call.Arg) != ""
}

// isAgent reports whether name is that of an agent that may be called.
func (d *dialogue) isAgent(name string) bool {
	if tools.Find(d.window.Tools, registry.ToolAgent) == nil {
		return false
	}
	_, ok := registry.Select(d.cast.roster, name, registry.Agent.Usable)
	return ok
}
