package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/reply"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// reading receives one reply. It shows and checkpoints what is certain as it arrives, and
// takes the reply apart when it has ended.
type reading struct {
	d      *dialogue
	draft  *session.Checkpoint
	echo   *prompt.Echo
	marks  reply.Marks
	known  []reply.Tool
	quoted []reply.Quoted // the text in the request that isn't the model's: what the turn read, and the person's messages
	shower *reply.Shower
	raw    strings.Builder // the reply, without an echo of the context
	shown  strings.Builder // its text on the screen
	next   int             // length of raw from which it is looked at again for a turn that was made up
	state  State

	expected ollama.Reading // what the server will have to read

	stop          context.CancelFunc // cancels the call
	ended         string             // why reading cancelled it
	began         time.Time          // when the first piece arrived
	maxThinking   int                // tokens
	thought       int                // tokens of thinking so far
	loop          *repetition        // in the answer
	thinkingLoop  *repetition        // in the thinking
	thinkingSince time.Time
	thinking      time.Duration
}

// Reasons why reading cancels a call.
const (
	endLoop    = "loop"     // the answer repeated itself
	endTime    = "time"     // ollama.answer_time has passed
	endThought = "thinking" // the model thought too long, or in a loop
	endTurn    = "turn"     // the answer went on to make up a turn of the user
)

const (
	// maxThinkingTokens limits a model's thinking, in tokens. The limit is lower if the
	// context is small.
	maxThinkingTokens = 8192
	// madeUpBytes is how much of a turn or a result that the model makes up is read before the
	// reply is stopped.
	madeUpBytes = 64
	// maxReason limits a server's reason to end an answer, in characters.
	maxReason = 100
)

func newReading(d *dialogue, stop context.CancelFunc) *reading {
	r := &reading{d: d, stop: stop}
	block := transcript.Block{Kind: transcript.KindAssistant, Agent: d.agent.Slug, Model: d.model.Name, Parent: d.turn.message.ID}
	if d.call != nil {
		block.Kind, block.Task = transcript.KindAgent, d.call.Task
	}
	r.draft = d.turn.engine.p.Store.Session(d.turn.req.Session).Checkpoint(context.Background(), d.withSources(block))
	return r
}

// begin makes what the reply is read with. It isn't needed before the first piece, while
// somebody waits for the request.
func (r *reading) begin() {
	if r.shower != nil {
		return
	}
	d := r.d
	r.echo, r.marks, r.quoted = prompt.NewEcho(d.window.Messages), reply.MarksOf(d.model.Template), d.turn.quoted
	r.loop, r.thinkingLoop = newRepetition(d.turn.message.Text), newRepetition("")
	if d.call != nil {
		r.quoted = append(slices.Clone(r.quoted), reply.Quoted{Text: d.call.Task, Own: true})
	}
	r.maxThinking = maxThinkingTokens
	if room := d.window.AnswerTokens(); room > 0 {
		r.maxThinking = min(r.maxThinking, room/2)
	}
	if len(d.window.Tools) > 0 && !d.window.Final {
		r.known = d.known()
	}
	r.shower = reply.NewShower(r.marks, r.known, r.quoted)
}

func (r *reading) onPhase(p ollama.Phase) {
	switch p {
	case ollama.PhaseQueued:
		r.enter(StateQueued, "waiting for the model server")
	case ollama.PhaseLoading:
		r.enter(StateLoading, "loading "+r.d.model.Name)
	case ollama.PhaseReading:
		r.enter(StateReading, "")
	}
}

// enter emits a state when it changes.
func (r *reading) enter(state State, detail string) {
	if r.state == state {
		return
	}
	r.state = state
	e := Event{Type: EventState, State: state, Detail: detail, Block: r.d.turn.message.ID}
	if state == StateReading && r.expected.Prompt > 0 {
		e.Usage = &Usage{NewTokens: r.expected.New, PromptTokens: r.expected.Prompt}
	}
	r.d.emit(e)
}

func (r *reading) onChunk(c ollama.Chunk) {
	if r.ended != "" {
		return // a chunk that was already on its way
	}
	r.begin()
	if r.began.IsZero() {
		r.began = time.Now()
	}
	r.think(c.Thinking)
	r.write(r.echo.Write(c.Content))
	most := r.d.turn.settings.AnswerTime
	switch {
	case r.ended != "":
	case r.loop.write(c.Content):
		r.ended = endLoop
	case most > 0 && time.Since(r.began) > most:
		r.ended = endTime
	case r.shower.Stopped() && r.raw.Len() >= r.next:
		r.next = r.raw.Len() + max(madeUpBytes, r.raw.Len()/2) // seldom, since it reads all
		if parts := r.parse("stop"); len(parts) > 1 {
			last := parts[len(parts)-1]
			if last.Over && last.To-last.From > madeUpBytes {
				r.ended = endTurn
			}
		}
	}
	if r.ended != "" {
		r.stop()
	}
}

// write processes a piece of the reply.
func (r *reading) write(text string) {
	r.raw.WriteString(text)
	text, thought := r.shower.Write(text)
	r.think(thought)
	r.show(text)
}

// think shows a piece of the model's thinking, and ends thinking that wouldn't end by
// itself.
func (r *reading) think(text string) {
	if text == "" {
		return
	}
	r.enter(StateThinking, "")
	if r.thinkingSince.IsZero() {
		r.thinkingSince = time.Now()
	}
	if r.d.call == nil {
		r.d.emit(Event{Type: EventThinking, Text: text, Block: r.draft.ID()})
	}
	if r.thought += transcript.EstimateTokens(text); r.thinkingLoop.write(text) || r.thought > r.maxThinking {
		r.ended = endThought
	}
}

// show emits a piece of the answer.
func (r *reading) show(text string) {
	if text == "" {
		return
	}
	r.endThinking()
	r.enter(StateWriting, "")
	r.shown.WriteString(text)
	r.draft.SetText(r.shown.String())
	kind := EventToken
	if r.d.call != nil {
		kind = EventSubcallToken
	}
	r.d.emit(Event{Type: kind, Text: text, Block: r.draft.ID()})
}

// endThinking records how long the model thought, until its first text or its end.
func (r *reading) endThinking() {
	if r.thinking == 0 && !r.thinkingSince.IsZero() {
		r.thinking = time.Since(r.thinkingSince)
	}
}

func (r *reading) parse(reason string) []reply.Part {
	return reply.Parse(r.raw.String(), reason, r.marks, r.known, r.quoted)
}

// finish ends the stream and returns the reply. Beside native calls, written ones don't run.
func (r *reading) finish(res ollama.ChatResult, failed bool) response {
	r.begin()
	if r.ended == "" {
		r.write(r.echo.Finish())
	}
	r.endThinking()
	out := response{draft: r.draft, ended: r.ended, thinking: r.thinking}
	switch {
	case r.ended == endTurn, r.ended == "" && res.Whole():
		out.ended = "stop"
	case r.ended == "":
		out.ended = excerpt.Shorten(excerpt.OneLine(res.DoneReason), maxReason)
	}
	cut := failed || out.ended != "stop"
	for _, c := range res.ToolCalls {
		call := tools.NewCall(reply.Call{Name: c.Function.Name, Args: c.Function.Arguments.ToMap()}, r.known, r.d.window.Tools)
		raw, err := json.Marshal(c.Function)
		if err != nil {
			raw = []byte(fmt.Sprint(c.Function)) // impossible: it was JSON
		}
		call.NativeID, call.Raw = c.ID, string(raw)
		if cut {
			call.Why = "the reply was cut off, and its last call may be incomplete"
		} else if r.unread(c) {
			call.Why = "its arguments aren't an object of JSON: call it again"
		}
		out.calls, out.native = append(out.calls, call), append(out.native, c)
	}
	reason := out.ended
	if failed && r.ended == "" {
		reason = "error"
	}
	r.read(&out, r.parse(reason), !cut || r.ended == "" && !failed)
	if out.thought != "" && res.Thinking != "" {
		out.thought = "\n\n" + out.thought
	}
	out.thought = strings.TrimSpace(res.Thinking + out.thought)
	if !strings.ContainsFunc(out.text, visible) {
		out.text = ""
	}
	text, shown := strings.TrimLeftFunc(out.text, unicode.IsSpace), strings.TrimLeftFunc(r.shown.String(), unicode.IsSpace)
	if rest, ok := strings.CutPrefix(text, shown); ok {
		r.show(rest)
	} else if r.d.call == nil {
		r.d.emit(Event{Type: EventReplaced, Text: text, Block: r.draft.ID()})
	}
	return out
}

// unread reports whether the arguments of a native call are what is left of an object that
// isn't JSON. The server gave them as a text, and one that is cut off must not act.
func (r *reading) unread(c api.ToolCall) bool {
	value, _ := c.Function.Arguments.Get("arguments")
	left, ok := value.(string)
	left = strings.TrimSpace(left)
	if !ok || c.Function.Arguments.Len() > 1 || !strings.HasPrefix(left, "{") && !strings.HasPrefix(left, "[") {
		return false
	}
	tool := tools.Find(r.d.window.Tools, c.Function.Name)
	return tool == nil || !slices.ContainsFunc(tool.Doc().Params, func(p tools.Param) bool { return p.Name == "arguments" })
}

// visible reports whether a rune can be seen. Backquotes don't count: they may be an
// empty code block.
func visible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != '`' }

// read sorts the parts of a reply. A call that doesn't run is a call too if the model can
// be told, once a dialogue; otherwise it is text.
func (r *reading) read(out *response, parts []reply.Part, told bool) {
	var text, thought, sent strings.Builder
	gap := "" // blanks behind a call
	runs := slices.ContainsFunc(parts, func(p reply.Part) bool {
		return slices.ContainsFunc(p.Calls, func(c reply.Call) bool { return c.Why == "" })
	})
	again := r.known != nil && told && (runs || out.native != nil || !r.d.corrected)
	for _, p := range parts {
		as := r.raw.String()[p.From:p.To]
		switch {
		case p.Kind == reply.KindThought:
			thought.WriteString(as)
		case p.Kind == reply.KindMark:
		case p.Behind && len(out.calls) > 0:
			out.calls[len(out.calls)-1].Behind += as
			if strings.TrimSpace(as) == "" {
				gap = as
			}
		case again && (len(p.Calls) > 0 || p.Why != ""):
			if len(p.Calls) == 0 {
				p.Calls = []reply.Call{{Name: p.Tool, Why: p.Why}}
				if before := text.String() + as; strings.HasPrefix(r.shown.String(), before) {
					text.WriteString(as) // a quotation or the like, which is on the screen
				}
			}
			for i, c := range p.Calls {
				if out.native != nil {
					c.Why = "it stands beside a native call: make it natively, too"
				}
				call := tools.NewCall(c, r.known, r.d.window.Tools)
				if i == 0 {
					call.Raw = as
				}
				out.calls = append(out.calls, call)
			}
			sent.WriteString(gap + as) // the lines of two calls stay two
			gap = ""
		default:
			text.WriteString(as)
			sent.WriteString(as)
		}
	}
	out.text, out.thought, out.sent = text.String(), thought.String(), sent.String()
}

// known returns what the model may call: its tools, those of the app that it wasn't
// offered, so that it is told so, and agents, which models take for tools.
func (d *dialogue) known() []reply.Tool {
	var list []reply.Tool
	for _, t := range d.window.Tools {
		doc := t.Doc()
		_, asks := t.(tools.Guarded)
		one := reply.Tool{Name: doc.Name, Reads: doc.Writes == "", Asks: asks, Long: registry.Delegates(doc.Name)}
		for _, p := range doc.Params {
			one.Params = append(one.Params, p.Name)
		}
		list = append(list, one)
	}
	for i := range list {
		list[i].Fits = d.fits(list)
	}
	for _, name := range append(slices.Clone(registry.KnownTools), tools.MCP) {
		if tools.Find(d.window.Tools, name) == nil {
			list = append(list, reply.Tool{Name: name, Fits: d.fits(list)})
		}
	}
	if tools.Find(d.window.Tools, registry.ToolAgent) == nil {
		return list
	}
	for _, a := range d.turn.roster {
		if a.Usable() && a.Path != d.agent.Path {
			list = append(list, reply.Tool{Name: a.Slug, For: registry.ToolAgent})
		}
	}
	return list
}

// fits returns the function that says why a written call makes no sense.
func (d *dialogue) fits(known []reply.Tool) func(reply.Call) error {
	return func(c reply.Call) error {
		call := tools.NewCall(c, known, d.window.Tools)
		tool := tools.Find(d.window.Tools, call.Name)
		if tool == nil {
			return tools.Unavailable(call.Name, d.window.Tools)
		}
		if _, asks := tool.(tools.Guarded); !asks && tool.Doc().Writes != "" && describes(call.Arg, tool.Doc().Description) {
			return errors.New("these are words of its description")
		}
		if err := tool.Doc().Undeclared(call); err != nil {
			return err
		}
		if f, ok := tool.(tools.Fitter); ok {
			return f.Fits(call)
		}
		return tool.Doc().Fits(call)
	}
}

// describes reports whether a text has mostly the words of a description.
func describes(text, description string) bool {
	words, same := 0, 0
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(word) > 3 {
			words++
			if strings.Contains(strings.ToLower(description), word) {
				same++
			}
		}
	}
	return same > 1 && 2*same >= words
}
