package ollamatest

import (
	"fmt"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// Script is what a Server knows and says.
type Script struct {
	Models []Model
	Rules  []Rule // the first that matches answers

	// EnforceContext refuses a chat whose estimate exceeds its num_ctx (400), as
	// servers do that know truncate:false.
	EnforceContext bool
	// OldServer plays a server that knows no truncate and shift (before 0.9): it
	// cuts a prompt that exceeds num_ctx in silence, and /api/ps tells no context.
	OldServer bool
	// DefaultContext is the num_ctx of a request that names none; default 4096.
	DefaultContext int
	// MaxLoaded is the context the server gives at most, whatever is asked for; 0
	// is no limit. /api/ps tells it.
	MaxLoaded int
	// Version is what /api/version says; default 0.34.0, for an OldServer 0.6.5.
	Version string
	// Pulls are what /api/pull can fetch, by model name; others end in the error
	// line of a model that doesn't exist.
	Pulls map[string]Pull
	// Fault is for the endpoints other than chat; nil is none.
	Fault *Fault
	// Concepts are words that mean the same to the embedding models, beside those of
	// CommonConcepts: the first list with a word counts.
	Concepts [][]string
	// EmbedFault is for the embeddings alone; SetEmbedFault changes it.
	EmbedFault *Fault
}

// Model is an installed model.
type Model struct {
	Name          string // "qwen3:8b"
	Size          int64  // bytes; default 6 for each 10 parameters
	ParameterSize string // "8.2B"
	Family        string // "qwen3"
	Capabilities  []string
	Template      string        // default "{{ .System }}{{ .Prompt }}"
	ContextLength int           // tokens, default 32768
	Loaded        bool          // in memory from the start
	LoadDelay     time.Duration // how long its first chat waits
	Dimensions    int           // of its embeddings, default 64
	RemoteHost    string        // set: a cloud model
}

// Pull is how a download goes.
type Pull struct {
	Model Model         // installed at the end
	Steps int           // progress lines of the layer, default 4
	Delay time.Duration // between two
	Error string        // set: the line the download ends in
}

// Rule answers the chats that match all of its conditions. The zero conditions
// match everything.
type Rule struct {
	Name string // for people: shown in failures

	Model          string // the model asked, exactly
	UserContains   string // in the last user message
	SystemContains string // in a system message
	AnyContains    string // in any message
	HasTools       *bool  // whether tools are offered; see Yes, No
	AfterTool      *bool  // whether the last message is a tool's result
	Messages       int    // how many messages the chat has; 0 is any
	When           func(api.ChatRequest) bool
	Times          int // how often it answers; 0 is always
	Skip           int // how many matching chats it lets pass to later rules first

	Reply Reply
	Func  func(api.ChatRequest) Reply // takes the place of Reply
}

// Yes and No are for Rule.HasTools and Rule.AfterTool.
func Yes() *bool { b := true; return &b }

// No is the opposite of Yes.
func No() *bool { b := false; return &b }

// Reply is one answer.
type Reply struct {
	Text       string   // the answer, streamed word by word
	Chunks     []string // the answer, streamed as given; takes the place of Text
	Thinking   []string // streamed before the answer
	ToolCalls  []api.ToolCall
	Delay      time.Duration // before each chunk
	FirstDelay time.Duration // before the first byte, the model being loaded already
	LoadDelay  time.Duration // takes the place of the model's, where it is not loaded
	// Until holds the last chunk back until it is closed; nil holds nothing.
	Until <-chan struct{}

	DoneReason   string // default stop
	PromptTokens int    // prompt_eval_count: 0 is an estimate, below 0 leaves it out
	AnswerTokens int    // eval_count; 0 is the number of chunks

	Fault *Fault
}

// FaultKind is what goes wrong.
type FaultKind string

// The faults.
const (
	FaultDown      FaultKind = "down"       // After chunks the listener closes, and this connection
	FaultHangFirst FaultKind = "hang-first" // no byte ever comes
	FaultHangMid   FaultKind = "hang-mid"   // silence After chunks
	FaultCut       FaultKind = "cut"        // the body ends properly After chunks, without done
	FaultReset     FaultKind = "reset"      // the connection breaks After chunks
	FaultErrorLine FaultKind = "error-line" // an error line After chunks, with status 200
	FaultStatus    FaultKind = "status"     // an error answer with Status
	FaultGarbage   FaultKind = "garbage"    // a web page with status 200
	FaultNotJSON   FaultKind = "not-json"   // a line that is no JSON After chunks
	FaultDrip      FaultKind = "drip"       // the answer comes byte by byte, Delay of the reply between

	FaultSlow      FaultKind = "slow"       // of embeddings: they come after Delay
	FaultOtherDims FaultKind = "other-dims" // of embeddings: the vectors have one number more than the model says
	FaultFewer     FaultKind = "fewer"      // of embeddings: the last text gets no vector
	FaultZero      FaultKind = "zero"       // of embeddings: all numbers are 0
)

// Fault is something that goes wrong.
type Fault struct {
	Kind       FaultKind
	After      int           // chunks that come before it
	Status     int           // for FaultStatus: 404, 500, 503 …; 400 is an overflow where Message is ""
	Message    string        // the server's words; "" has a fitting default
	Times      int           // it happens so often, then the reply is as without it; 0 is always
	RetryAfter time.Duration // the header, in whole seconds; 0 leaves it out
	Delay      time.Duration // for FaultSlow
}

// ToolCall builds a native tool call; args are name, value, name, value …
func ToolCall(name string, args ...any) api.ToolCall {
	call := api.ToolCall{Function: api.ToolCallFunction{Name: name, Arguments: api.NewToolCallFunctionArguments()}}
	for i := 0; i+1 < len(args); i += 2 {
		if key, ok := args[i].(string); ok {
			call.Function.Arguments.Set(key, args[i+1])
		}
	}
	return call
}

// Lines is a text on so many lines, each with its number: a long answer that doesn't
// repeat itself.
func Lines(text string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", text, i+1)
	}
	return b.String()
}

// LastUser is the text of the last user message.
func LastUser(req api.ChatRequest) string {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		if req.Messages[i].Role == "user" {
			return req.Messages[i].Content
		}
	}
	return ""
}

// System is the text of the system messages.
func System(req api.ChatRequest) string {
	var parts []string
	for _, m := range req.Messages {
		if m.Role == "system" {
			parts = append(parts, m.Content)
		}
	}
	return strings.Join(parts, "\n")
}

// matches tells whether all conditions but Skip and Times hold.
func (r *Rule) matches(req api.ChatRequest) bool {
	switch {
	case r.Model != "" && !sameModel(r.Model, req.Model),
		!strings.Contains(LastUser(req), r.UserContains),
		!strings.Contains(System(req), r.SystemContains),
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

// words cuts a text into the pieces a model would stream: a word with the space
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

// Estimate is how many tokens the server counts for a chat: four bytes each, and
// four for every message.
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
