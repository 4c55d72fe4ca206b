// Package config reads config.toml: the settings people may edit by hand.
//
// Precedence: MAC_STATS_<SECTION>_<KEY>, then the older names of the source
// documents, then config.toml, then the default. A bad value is named with its
// place, key and allowed range, and the default is used.
//
// Everything about a key stands once, in the table of Settings: its default, its
// other names, what is allowed, the help. Reading, writing, the shipped file and
// the Settings tab all follow from it.
package config

import "time"

// Config is every setting, resolved.
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
	MaxFileBytes int64         // 0 = no limit; beyond it a part 2 begins
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
	PostgresURL   string // "": the environment alone, as libpq reads it
}

// MCP is [mcp]: what other assistants may ask of `mac-stats mcp`.
type MCP struct {
	Conversations bool
	Memory        bool
	Vitals        bool
	Propose       bool
	Discord       bool // what was said and learnt on Discord, too
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

// Ollama is [ollama].
type Ollama struct {
	Host          string // never empty: OLLAMA_HOST, else 127.0.0.1:11434, where nothing is set
	Model         string // "" = by role, as the two below
	SmallModel    string
	EmbedModel    string
	EmbedQuestion string // what stands before a question; auto = what the model was trained with
	EmbedPassage  string // and before a passage
	NumCtx        int    // 0 = auto
	MaxConcurrent int
	KeepAlive     time.Duration // below 0 = for ever
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

// Alerts is [alerts]; 0 is off.
type Alerts struct {
	Hot      int // °C
	DiskFree int // percent
	Battery  int // percent
	Every    time.Duration
}

// Heartbeat is [heartbeat].
type Heartbeat struct {
	Minutes    int    // 0 = off
	QuietHours string // what schedule.ParseQuiet reads
	OnBattery  bool
}

// MenuBar is [menubar].
type MenuBar struct {
	Graph   bool
	Numbers bool
	Metrics string // of MenuBarMetrics, separated by commas
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
	TextSize     int    // of an answer; the other sizes follow
	Density      string // comfortable | compact
	OnTop        bool
	HighContrast bool
	Hotkey       string // what hotkey.Parse reads; "" for none
}

// Shortcuts is [shortcuts]: for each action what ParseShortcuts reads, "" for none.
type Shortcuts struct {
	NewChat, NewPrivateChat, Search, Find, Write string
	AnswerAgain, Stop                            string
	NextSession, PreviousSession                 string
	Chat, Memory, Agents, Models                 string
	Schedules, Tools, Transcript, Settings       string
	ZoomIn, ZoomOut, ZoomReset, PinOnTop         string
	Shortcuts, Close, Quit                       string
}

// Default is the configuration with no file and no environment.
func Default() Config {
	var c Config
	for _, s := range Settings() {
		if err := s.codec.read(&c, s.Default); err != nil {
			panic("config: the default of " + s.Key + ": " + err.Error())
		}
	}
	return c
}
