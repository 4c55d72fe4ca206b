package testkit

import (
	"fmt"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// Script defines a server's models and replies.
type Script struct {
	Models []Model
	Rules  []Rule // the first that matches answers

	// EnforceContext refuses a chat whose estimate exceeds its num_ctx (400), as
	// servers that support truncate:false do.
	EnforceContext bool
	// OldServer plays a server without truncate and shift (before 0.9): it silently
	// truncates a prompt that exceeds num_ctx, and /api/ps omits the context.
	OldServer bool
	// DefaultContext is the num_ctx of a request without one; default 4096.
	DefaultContext int
	// MaxLoaded limits the context of a loaded model, which /api/ps reports; 0 is no
	// limit.
	MaxLoaded int
	// Version is the version in /api/version; default 0.34.0, for an OldServer 0.6.5.
	Version string
	// Pulls are the models that /api/pull can fetch, by name. Others end in the error
	// line of a model that doesn't exist.
	Pulls map[string]Pull
	// Fault applies to the endpoints other than chat; nil is none.
	Fault *Fault
	// Concepts are lists of words that mean the same to the embedding models, besides
	// CommonConcepts. The first list with a word applies.
	Concepts [][]string
	// EmbedFault applies only to embeddings; SetEmbedFault replaces it.
	EmbedFault *Fault
}

// Model is an installed model.
type Model struct {
	Name          string // "qwen3:8b"
	Size          int64  // bytes; default 6 per 10 parameters
	ParameterSize string // "8.2B"
	Family        string // "qwen3"
	Capabilities  []string
	Template      string        // default "{{ .System }}{{ .Prompt }}"
	ContextLength int           // tokens, default 32768
	Loaded        bool          // in memory from the start
	LoadDelay     time.Duration // how long its first chat waits
	Dimensions    int           // of its embeddings, default 64
	RemoteHost    string        // set for a cloud model
}

// Pull describes a download.
type Pull struct {
	Model Model         // installed at the end
	Steps int           // progress lines of the layer, default 4
	Delay time.Duration // before each line
	Error string        // if set, the download ends in this error line
}

// Rule answers the chats that match all its conditions. A zero condition matches
// everything.
type Rule struct {
	Name string // shown in failures

	Model          string // the requested model, exactly
	UserContains   string // in the last user message
	SystemContains string // in a system message
	Task           string // in a system message, or in the last one of a chat that it continues
	AnyContains    string // in any message
	HasTools       *bool  // whether the chat offers tools; see Yes and No
	AfterTool      *bool  // whether the last message is a tool's result
	Messages       int    // number of messages in the chat; 0 is any
	When           func(api.ChatRequest) bool
	Times          int // how often it answers; 0 is always
	Skip           int // how many matching chats it first leaves to later rules

	Reply Reply
	Func  func(api.ChatRequest) Reply // if set, used instead of Reply
}

// Yes returns a pointer to true, for Rule.HasTools and Rule.AfterTool.
func Yes() *bool { b := true; return &b }

// No returns a pointer to false.
func No() *bool { b := false; return &b }

// Reply is one answer.
type Reply struct {
	Text       string   // the answer, streamed word by word
	Chunks     []string // the answer, streamed as given; used instead of Text
	Thinking   []string // streamed before the answer
	ToolCalls  []api.ToolCall
	Delay      time.Duration // before each chunk
	FirstDelay time.Duration // before the first byte, after the model is loaded
	LoadDelay  time.Duration // if set, used instead of the model's
	// Until holds back the last chunk until it is closed; nil doesn't.
	Until <-chan struct{}

	DoneReason   string        // default stop
	PromptTokens int           // prompt_eval_count: 0 is an estimate, below 0 omits it
	AnswerTokens int           // eval_count; 0 is the number of chunks
	ReadTime     time.Duration // prompt_eval_duration; 0 is 100 µs for each token that isn't kept from the last prompt

	Fault *Fault
}

// FaultKind is a kind of failure.
type FaultKind string

// The faults.
const (
	FaultDown      FaultKind = "down"       // after After chunks, the listener and this connection close
	FaultHangFirst FaultKind = "hang-first" // no byte ever arrives
	FaultHangMid   FaultKind = "hang-mid"   // after After chunks, nothing more arrives
	FaultCut       FaultKind = "cut"        // after After chunks, the body ends normally, without done
	FaultReset     FaultKind = "reset"      // after After chunks, the connection breaks
	FaultErrorLine FaultKind = "error-line" // after After chunks, an error line with status 200
	FaultStatus    FaultKind = "status"     // an error response with Status
	FaultGarbage   FaultKind = "garbage"    // a web page with status 200
	FaultNotJSON   FaultKind = "not-json"   // after After chunks, a line that isn't JSON
	FaultDrip      FaultKind = "drip"       // the answer arrives byte by byte, Delay of the reply apart

	FaultSlow      FaultKind = "slow"       // embeddings arrive after Delay
	FaultOtherDims FaultKind = "other-dims" // embeddings have one more number than the model's dimensions
	FaultFewer     FaultKind = "fewer"      // the last text gets no embedding
	FaultZero      FaultKind = "zero"       // embeddings are all zeros
)

// Fault is one failure.
type Fault struct {
	Kind       FaultKind
	After      int           // chunks before it
	Status     int           // for FaultStatus: 404, 500, 503 …; 400 is an overflow if Message is ""
	Message    string        // the server's message; "" is a suitable default
	Times      int           // how often it happens before replies are normal; 0 is always
	RetryAfter time.Duration // the header, in whole seconds; 0 omits it
	Delay      time.Duration // for FaultSlow
}

// ToolCall builds a native tool call; args are names and values in turn.
func ToolCall(name string, args ...any) api.ToolCall {
	call := api.ToolCall{Function: api.ToolCallFunction{Name: name, Arguments: api.NewToolCallFunctionArguments()}}
	for i := 0; i+1 < len(args); i += 2 {
		if key, ok := args[i].(string); ok {
			call.Function.Arguments.Set(key, args[i+1])
		}
	}
	return call
}

// Lines returns n lines of the text, each with its number: a long answer that doesn't
// repeat itself.
func Lines(text string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", text, i+1)
	}
	return b.String()
}

// LastUser returns the text of the last user message.
func LastUser(req api.ChatRequest) string {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		if req.Messages[i].Role == "user" {
			return req.Messages[i].Content
		}
	}
	return ""
}

// System returns the text of the system messages.
func System(req api.ChatRequest) string {
	var parts []string
	for _, m := range req.Messages {
		if m.Role == "system" {
			parts = append(parts, m.Content)
		}
	}
	return strings.Join(parts, "\n")
}

// matches reports whether all conditions except Skip and Times hold.
func (r *Rule) matches(req api.ChatRequest) bool {
	switch {
	case r.Model != "" && !sameModel(r.Model, req.Model),
		!strings.Contains(LastUser(req), r.UserContains),
		!strings.Contains(System(req), r.SystemContains),
		!strings.Contains(System(req), r.Task) && !strings.Contains(LastUser(req), r.Task),
		r.AnyContains != "" && !anyContains(req, r.AnyContains),
		r.HasTools != nil && *r.HasTools != (len(req.Tools) > 0),
		r.AfterTool != nil && *r.AfterTool != afterTool(req),
		r.Messages > 0 && r.Messages != len(req.Messages),
		r.When != nil && !r.When(req):
		return false
	}
	return true
}

func anyContains(req api.ChatRequest, text string) bool {
	for _, m := range req.Messages {
		if strings.Contains(m.Content, text) {
			return true
		}
	}
	return false
}

func afterTool(req api.ChatRequest) bool {
	return len(req.Messages) > 0 && req.Messages[len(req.Messages)-1].Role == "tool"
}

// words splits a text into the pieces a model would stream: each word with the space
// before it.
func words(text string) []string {
	var pieces []string
	start := 0
	for i := 1; i < len(text); i++ {
		if isSpace(text[i]) && !isSpace(text[i-1]) {
			pieces = append(pieces, text[start:i])
			start = i
		}
	}
	if start < len(text) {
		pieces = append(pieces, text[start:])
	}
	return pieces
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' }

// Estimate returns the tokens that the server counts for a chat: one per four bytes, and
// four per message.
func Estimate(req api.ChatRequest) int {
	n := 0
	for _, m := range req.Messages {
		n += estimateMessage(m)
	}
	if len(req.Tools) > 0 {
		n += len(api.Tools.String(req.Tools)) / 4
	}
	return n
}

func estimateMessage(m api.Message) int {
	n := len(m.Content) + len(m.Thinking)
	for _, call := range m.ToolCalls {
		n += len(call.Function.Name) + len(call.Function.Arguments.String())
	}
	return (n+3)/4 + 4
}
