package agents

import (
	"time"

	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

// Settings are the current settings of turns (config.toml), read again for each turn.
type Settings struct {
	DefaultAgent string            // selector, default "orchestrator"
	Model        string            // for the roles general and code; "": by role
	RoleModels   map[string]string // role → model, overrides Model ("small", …)
	PromptTier   string            // large | middle | plain, for agents without their own; else to suit the model
	ToolsTier    string            // likewise for tools
	TaskContext  string            // off | last-user-message
	InMemoryOnly bool              // new sessions are private, those on disk aren't continued
	MaxMessages  int               // default 20
	MaxTokens    int               // default 8192
	GlobalBudget int               // characters of global memory in a prompt, default 8000
	AgentBudget  int               // characters of an agent's memory in a prompt, default 4000
	MemoryWrite  string            // auto | ask | off
	AnswerTime   time.Duration     // limit for one answer; 0 is no limit
	NotesBudget  int               // characters of earlier conversations sent with a message; 0 sends none
	CrossSession bool              // these may be from any of the owner's sessions, not only from this one
	AutoTitle    bool              // the small model names new sessions if it is loaded
	QuestionTime time.Duration     // how long a question waits for a person; 0 is no limit
}

// Small returns the settings of background work by small models.
func (s Settings) Small() background.Settings {
	return background.Settings{Model: s.RoleModels[string(ollama.RoleSmall)], Chat: s.Model, PromptTier: s.PromptTier}
}

// Request is one user message.
type Request struct {
	Session string // the session's name, "cpu-k3x9qa"
	Text    string
	Agent   string // selector, for this turn; "": the session's, else the default agent
	Skill   string // name of a skill whose rules apply to this turn; "": none
	Model   string // for this turn; "": the session's, else the agent's
	Think   *bool  // whether the model thinks, for this turn; nil: the session's, else the agent's
	// Files are attached: they are kept beside the transcript and linked below Text, which
	// may already link to earlier attachments.
	Files []attach.File
	// Settings are written with the message and apply from this turn on; nil keeps the
	// session's settings.
	Settings *transcript.Settings
	// From is the source of Text if the user didn't type it, as when it was piped in.
	From transcript.Sources
	// CanAsk reports that somebody sees the turn's questions and answers them with
	// Run.Answer. Otherwise, calls that need a question don't run.
	CanAsk bool
	// Schedule names the schedule that started the turn; "" for a person's turn. Only
	// permissions given to that schedule apply.
	Schedule string
	Given    string // the schedule's permissions setting; the permissions given to it carry the same text
	// Place is the origin of a message that isn't the owner's, a Discord channel; nil for
	// the owner's messages.
	Place   *Place
	NoTools bool
	Retry   string // ID of a User block to answer again; Text is ignored and nothing is written twice
	Edit    string // ID of a User block that Text replaces, on a new branch; the old message stays in the file
	// AppCompacts reports that the app is running and summarises the session after the
	// turn, so that the user needn't wait for it.
	AppCompacts bool
	Holder      string // where the request comes from, for people: "window", "command line"
}

// uploads returns the files that will be attached.
func (r Request) uploads() []transcript.Attachment {
	var list []transcript.Attachment
	for _, u := range r.Files {
		list = append(list, u.Attachment())
	}
	return list
}

const (
	// filesShare limits attached text to a share of the history's cap, in percent: later
	// questions about it need room too.
	filesShare = 60
	// minFileTokens is the smallest part of a file worth sending, in raw tokens.
	minFileTokens = 64
	// defaultMaxMessages and defaultMaxTokens cap the history if nothing is set.
	defaultMaxMessages = 20
	defaultMaxTokens   = 8192
)

func (s Settings) maxTokens() int {
	if s.MaxTokens <= 0 {
		return defaultMaxTokens
	}
	return s.MaxTokens
}

// FilesTokens returns how much of a message's files is sent at most, in estimated tokens. A model's
// context may leave less.
func (s Settings) FilesTokens() int { return s.maxTokens() * filesShare / 100 }
