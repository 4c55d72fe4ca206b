package agents

import (
	"time"

	"mac-stats/agents/prompt"
)

// EventType is the JSON "type" of an Event.
type EventType string

// The events of a turn. State and terminal events (done, error) always arrive; token
// events may be merged but are never dropped. A replaced event takes back the tokens of its
// round: they turned out to be the model's thinking, or a call that isn't the answer.
const (
	EventState          EventType = "state"
	EventToken          EventType = "token"
	EventThinking       EventType = "thinking"
	EventReplaced       EventType = "replaced"
	EventSubcallStart   EventType = "subcall_start"
	EventSubcallToken   EventType = "subcall_token"
	EventSubcallEnd     EventType = "subcall_end"
	EventTool           EventType = "tool"
	EventContextCut     EventType = "context_cut"
	EventQuestion       EventType = "question"
	EventMemoryWritten  EventType = "memory_written"
	EventMemoryProposed EventType = "memory_proposed"
	EventMemoryReloaded EventType = "memory_reloaded"
	EventRecalled       EventType = "recalled"
	EventCompaction     EventType = "compaction"
	EventUsage          EventType = "usage"
	EventDone           EventType = "done"
	EventError          EventType = "error"
)

// State is what a turn is doing.
type State string

// The states of a turn.
const (
	StateQueued     State = "queued"
	StateLoading    State = "loading"
	StateReading    State = "reading"
	StateThinking   State = "thinking"
	StateTool       State = "tool"
	StateAsking     State = "asking" // waiting for a person's answer; see Question
	StateWriting    State = "writing"
	StateCompacting State = "compacting"
)

// Event is one thing that happened in a turn. The comment of each field lists the types
// that set it.
type Event struct {
	Type    EventType `json:"type"`
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"`
	Block   string    `json:"block,omitempty"` // ID of the transcript block the event is about: the user's on the first state, the answer's on token and done
	Round   int       `json:"round,omitempty"` // 1-based model call of this turn: token, thinking, state
	Agent   string    `json:"agent,omitempty"` // slug
	Model   string    `json:"model,omitempty"`

	State  State  `json:"state,omitempty"`  // state
	Detail string `json:"detail,omitempty"` // state: text for people ("loading qwen3:8b", "held by the command line"); error: what to do next
	// Warning marks a state whose Detail must stay visible after the state ends: what is
	// missing from the answer, and why.
	Warning bool `json:"warning,omitempty"`
	// GoOn marks a state about an answer that was cut short: a message that asks for the
	// rest would continue it.
	GoOn     bool      `json:"go_on,omitempty"`
	CutShort *CutShort `json:"cut_short,omitempty"` // state with GoOn: why; Detail is the same in English

	Text string `json:"text,omitempty"` // token, thinking, subcall_token: the added text; replaced: the round's text so far; done: the whole answer; error: the sentence; memory_*: the lesson ("old => new" for a proposed change, the line for a removal)

	Call     *Call              `json:"call,omitempty"`     // subcall_*, tool
	Question *Question          `json:"question,omitempty"` // question
	Memory   *MemoryChange      `json:"memory,omitempty"`   // memory_*
	Made                        // done, recalled
	Cut      *prompt.ContextCut `json:"cut,omitempty"`   // context_cut
	Usage    *Usage             `json:"usage,omitempty"` // usage; state reading: NewTokens of PromptTokens will be read, if that is known
	Kind     string             `json:"kind,omitempty"`  // error: down, model_missing, context_overflow, timeout, cancelled, stream_cut, busy, server, too_long, no_vision, no_model, agent, disk, locked, internal
	Err      error              `json:"-"`               // error
}

// Made lists what an answer is based on, and a promise that it didn't keep.
type Made struct {
	Read     []MemoryRead   `json:"read,omitempty"`     // done: the memory files in the prompt
	Recalled []RecalledNote `json:"recalled,omitempty"` // recalled: the passages sent with the message; done: the passages the answer is based on
}

// Call is a sub-call or a run of a tool.
type Call struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`              // the agent's slug, skill:<name>, or the tool's name (SYSTEM_STATS)
	Task    string        `json:"task,omitempty"`    // task or argument
	Written string        `json:"written,omitempty"` // as WrittenOf
	Model   string        `json:"model,omitempty"`
	Done    bool          `json:"done,omitempty"`
	Failed  string        `json:"failed,omitempty"` // the reason, for people
	Result  string        `json:"result,omitempty"` // tool, subcall_end
	Took    time.Duration `json:"took_ns,omitempty"`
}

// MemoryChange is a change of a memory file.
type MemoryChange struct {
	Path    string `json:"path"`
	Line    int    `json:"line,omitempty"`
	Text    string `json:"text,omitempty"`
	Target  string `json:"target,omitempty"`
	UndoID  string `json:"undo,omitempty"`
	Added   int    `json:"added,omitempty"`
	Removed int    `json:"removed,omitempty"`

	Inbox  string `json:"inbox,omitempty"`  // proposed: its ID in the inbox
	Change string `json:"change,omitempty"` // proposed: add, replace or remove
	Old    string `json:"old,omitempty"`    // proposed: the line to remove; Text is the new line, "" for a removal
	Why    string `json:"why,omitempty"`    // proposed: why it wasn't saved at once
}

// MemoryRead is a memory file that the prompt contained, in full or in part. It doesn't
// mean that the model used it.
type MemoryRead struct {
	Name  string `json:"name"`          // path in the agents folder, with slashes: memory.md, agent-001/memory.md
	Lines int    `json:"lines"`         // pieces in the prompt: bullets, paragraphs, tables …
	Cut   int    `json:"cut,omitempty"` // characters that didn't fit
}

// Usage is the cost of a model call. ContextPercent is the share of the model's context
// that prompt and answer take.
type Usage struct {
	PromptTokens    int     `json:"prompt_tokens"`
	AnswerTokens    int     `json:"answer_tokens"`
	TokensPerSecond float64 `json:"tokens_per_second"`
	ContextSize     int     `json:"context_size"`
	ContextPercent  float64 `json:"context_percent"`
	// NewTokens is how much of the prompt the server had to read, an estimate, and ReadTime
	// how long that took. Lost says that it had lost the beginning that it had read before.
	NewTokens int           `json:"new_tokens,omitempty"`
	ReadTime  time.Duration `json:"read_ns,omitempty"`
	Lost      bool          `json:"lost,omitempty"`
}

// RecalledNote is a passage that was sent with a message, or that an answer names.
type RecalledNote struct {
	Chunk   string    `json:"chunk"` // its ID
	Session string    `json:"session"`
	Block   string    `json:"block"`
	Time    time.Time `json:"time,omitzero"` // zero if only the ID is known
	Text    string    `json:"text,omitempty"`
}
