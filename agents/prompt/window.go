package prompt

import (
	"slices"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
)

// ImageTokens is what an image counts for, as in the time its reading is given: models
// differ between 250 and 3,000.
const ImageTokens = 1000

// Window is a model's context as a dialogue fills it: the messages so far, and what they
// take. Its figures are calibrated tokens unless they say raw.
type Window struct {
	Messages []api.Message
	Fixed    int // so many messages at the beginning are never left out
	History  int // so many after them may be

	Budget Budget
	Tools  []tools.Tool
	Native bool // the tools are offered as schemas
	Final  bool // no tool is offered any more
	factor float64
}

// NewWindow is the window of a model with so large a context, 0 where that isn't known,
// and such a calibration.
func NewWindow(numCtx int, estimate func(raw int) int, offered []tools.Tool, native bool) *Window {
	return &Window{Budget: NewBudget(numCtx), Tools: offered, Native: native, factor: coarseFactor(estimate)}
}

// Cost is what a message of this text takes.
func (w *Window) Cost(text string) int {
	if text == "" {
		return 0
	}
	return int(float64(transcript.EstimateTokens(text)+MessageTokens)*w.factor + 0.5)
}

// Raw turns calibrated tokens into raw ones.
func (w *Window) Raw(n int) int { return int(float64(n) / w.factor) }

// Schemas are the tools as the request offers them.
func (w *Window) Schemas() api.Tools {
	if !w.Native || w.Final {
		return nil
	}
	return tools.Schemas(w.Tools)
}

// Total is what the request takes as it stands.
func (w *Window) Total() int {
	n := w.ToolCost()
	for _, m := range w.Messages {
		n += w.Cost(m.Content) + w.Cost(m.Thinking) + len(m.Images)*ImageTokens
	}
	return n
}

// ToolCost is what the schemas of the tools take.
func (w *Window) ToolCost() int {
	if !w.Native || w.Final {
		return 0
	}
	return w.Cost(w.Schemas().String())
}

// RawTotal is what the messages and tools take in raw tokens, and how many images are
// beside them.
func (w *Window) RawTotal() (raw, images int) {
	for _, m := range w.Messages {
		images += len(m.Images)
		raw += transcript.EstimateTokens(m.Content) + transcript.EstimateTokens(m.Thinking) + MessageTokens
	}
	if w.Native && !w.Final {
		raw += transcript.EstimateTokens(w.Schemas().String())
	}
	return raw, images
}

// Room is what messages may take beside a system prompt, the tools and other parts.
func (w *Window) Room(system string, other int) int {
	return w.Budget.Rest(w.Cost(system), w.ToolCost(), other)
}

// ResultTokens is what one result of a tool may take, in raw tokens.
func (w *Window) ResultTokens() int {
	const unknown, frame = 4096, 100
	if !w.Budget.Known() {
		return unknown
	}
	return max(w.Raw(w.Budget.Result)-frame, frame)
}

// AnswerTokens is what an answer may take, thinking included: what is left of the
// context. 0 where that is not known.
func (w *Window) AnswerTokens() int {
	const least = 64
	if !w.Budget.Known() {
		return 0
	}
	return max(w.Budget.Context-w.Total(), least)
}

// Fit makes room where the dialogue has outgrown the context: older history goes first,
// then the longest results are shortened. The answer's share stays free.
func (w *Window) Fit() (cut ContextCut) {
	if !w.Budget.Known() {
		return cut
	}
	room := w.Budget.Context - w.Budget.Answer
	for w.Total() > room && w.History > 0 {
		cut.Messages += w.Drop(max(w.History/4, 1))
	}
	for w.Total() > room {
		n := w.shorten()
		if n == 0 {
			break // the server decides
		}
		cut.Result += n
	}
	return cut
}

// Results are the messages after the user's: what the model asked for in this turn, and
// what came of it.
func (w *Window) Results() []api.Message {
	if len(w.Messages) == 0 {
		return nil
	}
	return slices.Clone(w.Messages[w.Fixed+w.History+1:])
}

// Drop leaves out so many of the oldest messages of the history, and tells how many.
func (w *Window) Drop(n int) int {
	n = min(n, w.History)
	w.Messages = append(w.Messages[:w.Fixed:w.Fixed], w.Messages[w.Fixed+n:]...)
	w.History -= n
	return n
}

// shorten halves the longest message that came after the user's, and tells how
// many characters went; 0 where there is nothing worth it.
func (w *Window) shorten() int {
	const least = 200 // raw tokens
	longest, size := -1, least
	for i := w.Fixed + w.History + 1; i < len(w.Messages); i++ {
		if n := transcript.EstimateTokens(w.Messages[i].Content); n > size {
			longest, size = i, n
		}
	}
	if longest < 0 {
		return 0
	}
	text, left := CutResult(w.Messages[longest].Content, size/2)
	w.Messages[longest].Content = text
	return left
}

// Add appends messages.
func (w *Window) Add(messages ...api.Message) { w.Messages = append(w.Messages, messages...) }

// Say appends a message that this app writes, not the user.
func (w *Window) Say(text string) { w.Add(api.Message{Role: "user", Content: text}) }
