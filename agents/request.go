package agents

import (
	"fmt"
	"time"

	"mac-stats/agents/background"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

// Settings are the live settings of turns (config.toml); read anew each turn.
type Settings struct {
	DefaultAgent string            // selector, "orchestrator"
	Model        string            // for the roles general and code; "" = by role
	RoleModels   map[string]string // role → model, overrides ("small", …)
	PromptTier   string            // large | middle | plain: of agents that say nothing; else as fits the model
	ToolsTier    string            // the same of the tools
	TaskContext  string            // off | last-user-message
	InMemoryOnly bool              // new sessions are private, those on disk are not continued
	MaxMessages  int               // 20
	MaxTokens    int               // 8192
	GlobalBudget int               // characters of global memory in a prompt, 8000
	AgentBudget  int               // 4000
	MemoryWrite  string            // auto | ask | off
	AnswerTime   time.Duration     // the longest that one answer may take to write; 0 is no limit
	NotesBudget  int               // characters of earlier conversations that go with a message; 0 sends none
	CrossSession bool              // they may be of any of the owner's sessions, not only of the one that asks
	AutoTitle    bool              // the small model names new sessions, where it is loaded
	QuestionTime time.Duration     // how long a question waits for a person; 0 is no limit
}

// Small is what the settings say of small work.
func (s Settings) Small() background.Settings {
	return background.Settings{Model: s.RoleModels[string(ollama.RoleSmall)], PromptTier: s.PromptTier}
}

// Request is one user message.
type Request struct {
	Session string // the session's name, "cpu-k3x9qa"
	Text    string
	Agent   string // selector, for this turn; "" = the session's, else the default agent
	Skill   string // name of a skill by whose rules this turn is answered; "" = none
	Model   string // for this turn; "" = the session's, else the agent's
	Think   *bool  // whether the model thinks, for this turn; nil = the session's, else the agent's
	// Files are attached: kept beside the transcript and linked below Text, which may
	// hold links to attachments of before.
	Files []attach.File
	// Settings are written with the message and hold from this turn on; nil leaves
	// those the session has.
	Settings *transcript.Settings
	// From is where Text came from, where the user didn't type it: piped in.
	From transcript.Sources
	// CanAsk: somebody sees the turn's questions and answers them with Run.Answer.
	// Without it what needs a question doesn't run.
	CanAsk bool
	// Schedule names the schedule whose turn it is: what was allowed beforehand for that
	// schedule runs, and no other permission counts. "" of a person's turn.
	Schedule string
	Given    string // what the schedule says under permissions: those given to it carry the same
	// Place is where the message comes from, where that is not the owner: a channel of
	// Discord; nil for the owner's own.
	Place   *Place
	NoTools bool
	Retry   string // id of a User block: run the turn again from it; Text is ignored and nothing is written twice
	Edit    string // id of a User block: Text takes its place, on a branch of its own; the old message stays in the file
	// AppCompacts: the app runs and summarises the session after the turn, so the user
	// need not wait for it.
	AppCompacts bool
	Holder      string // who asks, for people: "window", "command line"
}

// address are the attributes of the message that say whom it is for; nil for nobody.
func (r Request) address() map[string]string {
	var attrs map[string]string
	for key, value := range map[string]string{attrTo: r.Agent, attrSkill: r.Skill} {
		if value != "" && attrs == nil {
			attrs = map[string]string{}
		}
		if value != "" {
			attrs[key] = value
		}
	}
	return attrs
}

// linked is a message's text with links to what is going to be attached.
func (r Request) linked(text string) (string, error) {
	if n := len(r.Files) + len(transcript.Attachments(text)); n > attach.Max {
		return "", fmt.Errorf("%w: %d files are attached, and %d is the most for one message", fault.ErrRequest, n, attach.Max)
	}
	return transcript.WithLinks(text, r.uploads()...), nil
}

// uploads are what is going to be attached.
func (r Request) uploads() []transcript.Attachment {
	var list []transcript.Attachment
	for _, u := range r.Files {
		list = append(list, u.Attachment())
	}
	return list
}

const (
	// filesShare is what attached text may take of the history's cap, in percent: the
	// next questions about it need room beside it.
	filesShare = 60
	// leastFile is how much of a file has to fit, in raw tokens, to be worth sending.
	leastFile = 64
	// defaultMaxMessages and defaultMaxTokens cap the history where nothing is set.
	defaultMaxMessages = 20
	defaultMaxTokens   = 8192
)

func (s Settings) maxTokens() int {
	if s.MaxTokens <= 0 {
		return defaultMaxTokens
	}
	return s.MaxTokens
}
