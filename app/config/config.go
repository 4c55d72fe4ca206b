// Package config reads config.toml, the settings that people may edit by hand.
//
// Precedence: MAC_STATS_<SECTION>_<KEY>, then the older names of that variable, then
// config.toml, then the default. An invalid value is reported with its place, key and
// allowed range, and the default is used.
//
// The table of Settings defines each key once: its default, other names, allowed values and
// help. Reading, writing, the default file and the Settings page all follow from it.
// Shortcuts has more fields than other sections: one for each action that has a key.
package config

import "time"

// Config holds all settings.
type Config struct {
	Session    Session
	Compaction Compaction
	Memory     Memory
	Recall     Recall
	MCP        MCP
	Agents     Agents
	Tools      Tools
	Ollama     Ollama
	Discord    Discord
	Monitor    Monitor
	Alerts     Alerts
	Heartbeat  Heartbeat
	MenuBar    MenuBar
	API        API
	Window     Window
	Shortcuts  Shortcuts
	App        App
}

// Session is [session].
type Session struct {
	MaxMessages  int
	MaxTokens    int
	InMemoryOnly bool
	AutoTitle    bool          // the small model names new sessions
	NotifyAfter  time.Duration // 0 = never
	MaxFileBytes int64         // 0 = no limit; beyond it the session continues in a part 2
	ArchiveAfter time.Duration // 0 = never
	DeleteAfter  time.Duration // 0 = never
}

// Compaction is [compaction].
type Compaction struct {
	Threshold     int
	MinPeriodic   int
	Interval      time.Duration
	InactiveAfter time.Duration
	KeepRecent    int
}

// Memory is [memory].
type Memory struct {
	Write         string // auto | ask | off
	GlobalBudget  int
	AgentBudget   int
	ChannelBudget int
	MaxUser       int
	MaxServer     int
	SaveInterval  time.Duration
}

// Recall is [recall].
type Recall struct {
	TopK          int
	Strategy      string // lexical | semantic | hybrid
	ColdAfterDays int
	CrossSession  bool
	NotesBudget   int    // characters; 0 = none
	Rerank        string // off | model | a URL
	Backend       string // local | postgres
	PostgresURL   string // "" = only the environment, as libpq reads it
}

// MCP is [mcp]: what other assistants may request from `mac-stats mcp`.
type MCP struct {
	Conversations bool
	Memory        bool
	Vitals        bool
	Propose       bool
	Discord       bool // includes messages from Discord and lessons from them
}

// Agents is [agents].
type Agents struct {
	TaskContext string // off | last-user-message
	PromptTier  string // auto | large | middle | plain
	ToolsTier   string
	Default     string
}

// Tools is [tools].
type Tools struct {
	QuestionTime   time.Duration // 0 = no limit
	Commands       bool          // RUN_CMD
	CommandFolder  string        // "" = work in the data folder
	CommandTime    time.Duration
	CommandNetwork bool
}

// Ollama is the section "ollama".
type Ollama struct {
	Host          string // never empty: OLLAMA_HOST or 127.0.0.1:11434 if nothing is set
	Model         string // "" = by role, like the two below
	SmallModel    string
	EmbedModel    string
	EmbedQuestion string // prefix of a question; auto = as the model was trained
	EmbedPassage  string // prefix of a passage
	NumCtx        int    // 0 = auto
	MaxConcurrent int
	KeepAlive     time.Duration // below 0 = forever
	Prepare       string        // auto | on | off
	IdleTimeout   time.Duration
	AnswerTime    time.Duration // 0 = no limit
}

// Discord is [discord].
type Discord struct {
	Enabled         bool
	Name            string
	PromptFile      string
	HistoryTurns    int
	MessageMaxChars int
	TailCount       int
	MaxMsgs         int
	MaxChars        int
	MaxAge          time.Duration
	FetchTimeout    time.Duration
	MessageContent  string // auto | on | off
	Workers         int
}

// Monitor is [monitor].
type Monitor struct {
	IntervalOpen   time.Duration
	IntervalClosed time.Duration
	Sensors        bool
}

// Alerts is [alerts]; 0 means off.
type Alerts struct {
	Hot      int // °C
	DiskFree int // percent
	Battery  int // percent
	Every    time.Duration
}

// Heartbeat is [heartbeat].
type Heartbeat struct {
	Minutes    int    // 0 = off
	QuietHours string // as schedule.ParseQuiet reads it
	OnBattery  bool
}

// MenuBar is [menubar].
type MenuBar struct {
	Graph   bool
	Numbers bool
	Metrics string // names from MenuBarMetrics, separated by commas
}

// API is [api].
type API struct {
	Enabled bool
	Listen  string // unix, or a loopback address with a port
}

// Window is [window].
type Window struct {
	Theme        string // system | light | dark
	Accent       string // green | blue | purple | pink | orange | graphite
	Zoom         int    // percent
	TextSize     int    // of an answer; other sizes follow
	Density      string // comfortable | compact
	OnTop        bool
	HighContrast bool
	Hotkey       string // as hotkey.Parse reads it; "" for none
}

// Shortcuts is [shortcuts]: each action's keys as ParseShortcuts reads them, "" for none.
type Shortcuts struct {
	NewChat, NewPrivateChat, Search, Find, Write string
	AnswerAgain, Stop                            string
	NextSession, PreviousSession                 string
	Chat, Memory, Agents, Models                 string
	Schedules, Tools, Transcript, Settings       string
	ZoomIn, ZoomOut, ZoomReset, PinOnTop         string
	Shortcuts, Close, Quit                       string
}

// Default returns the configuration without a file or an environment.
func Default() Config {
	var c Config
	for _, s := range Settings() {
		if err := s.codec.read(&c, s.Default); err != nil {
			panic("config: the default of " + s.Key + ": " + err.Error())
		}
	}
	return c
}
