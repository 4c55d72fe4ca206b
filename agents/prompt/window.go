package prompt

import (
	"slices"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
)

// ImageTokens is what an image counts for, including the time allowed for reading it.
// Models differ between 250 and 3,000.
const ImageTokens = 1000

// Window is a model's context as a dialogue fills it: the messages so far and their size.
// Figures are calibrated tokens unless they are called raw.
type Window struct {
	Messages []api.Message
	Fixed    int // number of messages at the beginning that are never left out
	History  int // number of messages after them that may be

	Budget Budget
	Tools  []tools.Tool
	Native bool // the tools are offered as schemas
	Final  bool // no more tools are offered
	// Factor is the model's calibration, calibrated tokens per raw token, in steps of an eighth,
	// rounded up. The calibration changes a little with every answer; the steps keep the cut, and
	// so the prompt's bytes, from changing too.
	Factor float64
}

// NewWindow returns the window of a model with that context in tokens, 0 if unknown, and
// that calibration.
func NewWindow(numCtx int, factor float64, offered []tools.Tool, native bool) *Window {
	return &Window{Budget: NewBudget(numCtx), Tools: offered, Native: native, Factor: factor}
}

// Factor returns the calibration of a model that estimates tokens so.
func Factor(estimate func(raw int) int) float64 {
	const sample = 1000
	eighths := (estimate(sample)*8 + sample - 1) / sample
	return float64(max(eighths, 1)) / 8
}

// Cost returns the size of a message with this text.
func (w *Window) Cost(text string) int {
	if text == "" {
		return 0
	}
	return int(float64(transcript.EstimateTokens(text)+MessageTokens)*w.Factor + 0.5)
}

// Raw converts calibrated tokens to raw ones.
func (w *Window) Raw(n int) int { return int(float64(n) / w.Factor) }

// Schemas returns the tools as the request offers them.
func (w *Window) Schemas() api.Tools {
	if !w.Native || w.Final {
		return nil
	}
	return tools.Schemas(w.Tools)
}

// Total returns the size of the request so far.
func (w *Window) Total() int {
	n := w.ToolCost()
	for _, m := range w.Messages {
		n += w.Cost(m.Content) + w.Cost(m.Thinking) + len(m.Images)*ImageTokens
	}
	return n
}

// ToolCost returns the size of the tools' schemas.
func (w *Window) ToolCost() int {
	if !w.Native || w.Final {
		return 0
	}
	return w.Cost(w.Schemas().String())
}

// RawTotal returns the size of the messages and tools in raw tokens, and the number of
// images, which it doesn't include.
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

// Room returns the size that messages may have beside a system prompt, the tools and other
// parts.
func (w *Window) Room(system string, other int) int {
	return w.Budget.Rest(w.Cost(system), w.ToolCost(), other)
}

// ResultTokens returns the maximum size of one result of a tool, in raw tokens.
func (w *Window) ResultTokens() int {
	const unknown, frame = 4096, 100
	if !w.Budget.Known() {
		return unknown
	}
	return max(w.Raw(w.Budget.Result)-frame, frame)
}

// AnswerTokens returns the maximum size of an answer, including thinking, which is the
// rest of the context. It is 0 if the context is unknown.
func (w *Window) AnswerTokens() int {
	const least = 64
	if !w.Budget.Known() {
		return 0
	}
	return max(w.Budget.Context-w.Total(), least)
}

// Fit makes room if the dialogue has outgrown the context. It first drops older history,
// then shortens the longest results. The answer's share stays free.
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

// Results returns the messages after the user's: the model's calls in this turn, and
// their results.
func (w *Window) Results() []api.Message {
	if len(w.Messages) == 0 {
		return nil
	}
	return slices.Clone(w.Messages[w.Fixed+w.History+1:])
}

// Drop leaves out up to n of the oldest messages of the history, and returns their
// number.
func (w *Window) Drop(n int) int {
	n = min(n, w.History)
	w.Messages = append(w.Messages[:w.Fixed:w.Fixed], w.Messages[w.Fixed+n:]...)
	w.History -= n
	return n
}

// shorten halves the longest message after the user's and returns the number of removed
// characters, or 0 if none is worth shortening.
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

// Say appends a message in the user's role that the app wrote.
func (w *Window) Say(text string) { w.Add(api.Message{Role: "user", Content: text}) }
