package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.toml")
	if text == "" {
		text = "# nothing is set\n"
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestDefaults(t *testing.T) {
	want := Config{
		Session:    Session{MaxMessages: 20, MaxTokens: 8192, AutoTitle: true, NotifyAfter: 10 * time.Second, ArchiveAfter: 30 * 24 * time.Hour},
		Compaction: Compaction{Threshold: 8, MinPeriodic: 4, Interval: 30 * time.Minute, InactiveAfter: 30 * time.Minute, KeepRecent: 4},
		Memory:     Memory{Write: "auto", GlobalBudget: 8000, AgentBudget: 4000, ChannelBudget: 12000, MaxUser: 5, MaxServer: 100, SaveInterval: 30 * time.Second},
		Recall:     Recall{TopK: 8, Strategy: "hybrid", ColdAfterDays: 90, NotesBudget: 1500, Rerank: "off", Backend: "local"},
		MCP:        MCP{Conversations: true, Memory: true, Vitals: true, Propose: true},
		Agents:     Agents{TaskContext: "off", PromptTier: "auto", ToolsTier: "auto", Default: "orchestrator"},
		Tools:      Tools{QuestionTime: 10 * time.Minute, CommandTime: 2 * time.Minute},
		Ollama:     Ollama{Host: "127.0.0.1:11434", EmbedQuestion: "auto", EmbedPassage: "auto", MaxConcurrent: 1, KeepAlive: 10 * time.Minute, Prepare: "auto", IdleTimeout: 120 * time.Second, AnswerTime: 15 * time.Minute},
		Discord: Discord{
			Name: "luna", HistoryTurns: 6, MessageMaxChars: 4000, TailCount: 5, MaxMsgs: 40, MaxChars: 8000,
			MaxAge: 240 * time.Minute, FetchTimeout: 5 * time.Second, MessageContent: "auto", Workers: 4,
		},
		Monitor: Monitor{IntervalOpen: time.Second, IntervalClosed: 5 * time.Second, Sensors: true},
		Alerts:  Alerts{Every: 30 * time.Minute},
		MenuBar: MenuBar{Graph: true, Numbers: true, Metrics: "cpu"},
		API:     API{Listen: "unix"},
		Window:  Window{Theme: "system", Accent: "green", Zoom: 100, TextSize: 13, Density: "comfortable"},
		Shortcuts: Shortcuts{
			NewChat: "Mod+N", NewPrivateChat: "Mod+Shift+N", Search: "Mod+K", Find: "Mod+F", Write: "Mod+L", AnswerAgain: "Mod+R", Stop: "Mod+.",
			NextSession: "Ctrl+Tab Mod+]", PreviousSession: "Ctrl+Shift+Tab Mod+[",
			Chat: "Mod+1", Memory: "Mod+2", Agents: "Mod+3", Models: "Mod+5", Schedules: "Mod+6", Tools: "Mod+7", Transcript: "Mod+4", Settings: "Mod+,",
			ZoomIn: "Mod++ Mod+=", ZoomOut: "Mod+-", ZoomReset: "Mod+0", PinOnTop: "Mod+Shift+P", Shortcuts: "Mod+/ F1", Close: "Mod+W", Quit: "Mod+Q",
		},
	}
	if diff := cmp.Diff(want, Default()); diff != "" {
		t.Error(diff)
	}
}

func TestEveryFieldHasASetting(t *testing.T) {
	keys := map[string]bool{}
	for _, s := range Settings() {
		if keys[s.Key] {
			t.Errorf("%s is in the table twice", s.Key)
		}
		keys[s.Key] = true
		if s.Help == "" || s.Allowed == "" {
			t.Errorf("%s has no help or no range", s.Key)
		}
		if err := s.Check(s.Value(Default())); err != nil {
			t.Errorf("the shown default is refused: %v", err)
		}
		var c Config
		if err := s.codec.read(&c, s.Default); err != nil {
			t.Errorf("%s: the default is refused: %v", s.Key, err)
		}
	}
	fields := 0
	for _, section := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		fields += section.Type.NumField()
	}
	if fields != len(keys) {
		t.Errorf("Config has %d fields, the table %d keys", fields, len(keys))
	}
}

func TestPrecedence(t *testing.T) {
	const file = "[session]\nmax_messages = 30\n"
	tests := []struct {
		name    string
		file    string
		environ []string
		want    int
	}{
		{"nothing set gives the default", "", nil, 20},
		{"the file wins over the default", file, nil, 30},
		{"an older name wins over the file", file, []string{"MAX_CONTEXT_MESSAGES=40"}, 40},
		{"our own name wins over the older one", file, []string{"MAX_CONTEXT_MESSAGES=40", "MAC_STATS_SESSION_MAX_MESSAGES=50"}, 50},
		{"an empty variable sets nothing", file, []string{"MAC_STATS_SESSION_MAX_MESSAGES= "}, 30},
		{"of two the last one counts", file, []string{"MAX_CONTEXT_MESSAGES=40", "MAX_CONTEXT_MESSAGES=44"}, 44},
		{"window turns count twice", "[chat.memory.short_term]\nwindow_turns = 12\n", nil, 24},
		{"window turns in the environment", file, []string{"CHAT_MEMORY_SHORT_TERM_WINDOW_TURNS=7"}, 14},
		{"window turns in the environment, dotted", file, []string{"chat.memory.short_term.window_turns=7"}, 14},
		{"the own key wins over an older one in the same file", file + "[chat.memory.short_term]\nwindow_turns = 12\n", nil, 30},
		{"a dotted key", "session.max_messages = 31\n", nil, 31},
		{"an inline table", "session = { max_messages = 32 }\n", nil, 32},
		{"a quoted number", "[session]\nmax_messages = \"33\"\n", nil, 33},
		{"a number with underscores", "[session]\nmax_messages = 3_4\n", nil, 34},
		{"windows line ends and a byte order mark", "\uFEFF[session]\r\nmax_messages = 35\r\n", nil, 35},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, findings := Load(write(t, tt.file), tt.environ)
			for _, f := range findings {
				if !f.Note {
					t.Errorf("finding: %v", f)
				}
			}
			if got.Session.MaxMessages != tt.want {
				t.Errorf("max_messages = %d, want %d", got.Session.MaxMessages, tt.want)
			}
		})
	}
}

func TestOtherNames(t *testing.T) {
	tests := []struct {
		environ, file string
		get           func(Config) any
		want          any
	}{
		{environ: "IN_MEMORY_CONTEXT_ONLY=TRUE", get: func(c Config) any { return c.Session.InMemoryOnly }, want: true},
		{environ: "MAX_CONVERSATION_LOG_SIZE=10000", get: func(c Config) any { return c.Session.MaxFileBytes }, want: int64(10000)},
		{environ: "MAX_USER_MEMORY=9", get: func(c Config) any { return c.Memory.MaxUser }, want: 9},
		{environ: "MAX_SERVER_MEMORY=200", get: func(c Config) any { return c.Memory.MaxServer }, want: 200},
		{environ: "MEMORY_SAVE_INTERVAL=45", get: func(c Config) any { return c.Memory.SaveInterval }, want: 45 * time.Second},
		{environ: "LUNA_RUNTIME_PROMPT_PATH=/p/luna.md", get: func(c Config) any { return c.Discord.PromptFile }, want: "/p/luna.md"},
		{environ: "LUNA_HISTORY_MAX_TURNS=8", get: func(c Config) any { return c.Discord.HistoryTurns }, want: 8},
		{environ: "LUNA_SESSION_MESSAGE_MAX_CHARS=2000", get: func(c Config) any { return c.Discord.MessageMaxChars }, want: 2000},
		{environ: "THREAD_CONTEXT_TAIL_COUNT=7", get: func(c Config) any { return c.Discord.TailCount }, want: 7},
		{environ: "MEM_MAX_MSGS=41", get: func(c Config) any { return c.Discord.MaxMsgs }, want: 41},
		{environ: "MEM_MAX_CHARS=8001", get: func(c Config) any { return c.Discord.MaxChars }, want: 8001},
		{environ: "MEM_MAX_AGE_MIN=60", get: func(c Config) any { return c.Discord.MaxAge }, want: time.Hour},
		{environ: "MEM_FETCH_TIMEOUT_S=3", get: func(c Config) any { return c.Discord.FetchTimeout }, want: 3 * time.Second},
		{file: "[chat.memory.long_term]\ntop_k = 6", get: func(c Config) any { return c.Recall.TopK }, want: 6},
		{file: "[chat.memory.long_term]\nretrieval_strategy = \"semantic\"", get: func(c Config) any { return c.Recall.Strategy }, want: "semantic"},
		{file: "[chat.memory.long_term]\ncold_tier_after_days = 30", get: func(c Config) any { return c.Recall.ColdAfterDays }, want: 30},
		{file: "[chat.memory.cross_session]\nenabled = true", get: func(c Config) any { return c.Recall.CrossSession }, want: true},
		{file: "[engine.embedding]\nmodel = \"nomic-embed-text\"", get: func(c Config) any { return c.Ollama.EmbedModel }, want: "nomic-embed-text"},
		{environ: "OLLAMA_HOST=https://box:444/x", get: func(c Config) any { return c.Ollama.Host }, want: "https://box:444/x"},
		{environ: "OLLAMA_HOST=box", file: "[ollama]\nhost = \"other\"", get: func(c Config) any { return c.Ollama.Host }, want: "other"},
		{environ: "MAC_STATS_OLLAMA_NUM_CTX=auto", file: "[ollama]\nnum_ctx = 4096", get: func(c Config) any { return c.Ollama.NumCtx }, want: 0},
		{file: "[ollama]\nkeep_alive = \"forever\"", get: func(c Config) any { return c.Ollama.KeepAlive < 0 }, want: true},
		{file: "[session]\narchive_after = \"never\"", get: func(c Config) any { return c.Session.ArchiveAfter }, want: time.Duration(0)},
		{file: "[session]\ndelete_after = \"52w\"", get: func(c Config) any { return c.Session.DeleteAfter }, want: 364 * 24 * time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.environ+tt.file, func(t *testing.T) {
			got, findings := Load(write(t, tt.file), []string{tt.environ})
			if len(findings) > 0 {
				t.Errorf("findings: %v", findings)
			}
			if diff := cmp.Diff(tt.want, tt.get(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFindings(t *testing.T) {
	tests := []struct {
		name    string
		file    string
		environ []string
		want    string // the only finding, as shown to people
		note    bool
	}{
		{
			"a word for a number", "[session]\n\nmax_messages = \"abc\"\n", nil,
			"config.toml:3: session.max_messages = abc: it must be a whole number from 2 to 500; the default 20 is used", false,
		},
		{
			"out of range", "[ollama]\nmax_concurrent = 0\n", nil,
			"config.toml:2: ollama.max_concurrent = 0: it must be a whole number from 1 to 64; the default 1 is used", false,
		},
		{
			"a number that no integer holds", "[recall]\ntop_k = 8.5\n", nil,
			"config.toml:2: recall.top_k = 8.5: it must be a whole number from 1 to 100; the default 8 is used", false,
		},
		{
			"a list", "[recall]\ntop_k = [1,\n 2]\n", nil,
			"config.toml:2: recall.top_k = \"[1,\\n 2]\": it must be a whole number from 1 to 100; the default 8 is used", false,
		},
		{
			"a time without a unit", "[compaction]\ninterval = 30\n", nil,
			"config.toml:2: compaction.interval = 30: it must be a time from 1m to 1d, written like 30s, 30m, 12h or 30d; the default 30m is used", false,
		},
		{
			"a bad variable over a good file gives the default", "[session]\nmax_messages = 30\n",
			[]string{"MAC_STATS_SESSION_MAX_MESSAGES=many"},
			"MAC_STATS_SESSION_MAX_MESSAGES: session.max_messages = many: it must be a whole number from 2 to 500; the default 20 is used", false,
		},
		{
			"a bad file under a good variable", "[session]\nmax_messages = 1\n",
			[]string{"MAX_CONTEXT_MESSAGES=30"},
			"config.toml:2: session.max_messages = 1: it must be a whole number from 2 to 500; MAX_CONTEXT_MESSAGES is used instead", false,
		},
		{
			"a bad choice", "[memory]\nwrite = \"maybe\"\n", nil,
			"config.toml:2: memory.write = maybe: it must be auto, ask or off; until that is fixed it is off", false,
		},
		{
			"a misspelled key", "[session]\nmax_mesages = 30\n", nil,
			"config.toml:2: session.max_mesages = 30: there is no such key; did you mean session.max_messages?", false,
		},
		{
			"a key in the wrong section", "[session]\nkeep_alive = \"5m\"\n", nil,
			"config.toml:2: session.keep_alive = 5m: there is no such key; did you mean ollama.keep_alive?", false,
		},
		{
			"a key like no other", "colour = \"blue\"\n", nil,
			"config.toml:1: colour = blue: there is no such key", false,
		},
		{"a misspelled section", "\n[olama]\n", nil, "config.toml:2: olama: there is no such section; did you mean ollama?", false},
		{"a list of tables", "[[session]]\nmax_messages = 30\n", nil, "config.toml:1: session: this is a list of tables; write [session]. Until that is done session.in_memory_only is true", false},
		{"no TOML at all", "[session]\nmax_messages = \n", nil, "", false},
		{"a bad OLLAMA_HOST", "", []string{"OLLAMA_HOST=ftp://x"}, "", false},
		{
			"an OLLAMA_HOST with a bad password", "",
			[]string{"OLLAMA_HOST=ann:sec/ret@x"},
			`OLLAMA_HOST: ollama.host = …@x: bad Ollama address "…@x": write the characters /, ?, # and % of a password as %2F, %3F, %23 and %25; write it like 127.0.0.1:11434 or http://host:11434 (it must be an address like 127.0.0.1:11434 or http://host:11434); no other server is asked until that is fixed`, false,
		},
		{
			"a reranker that is no address", "[recall]\nrerank = \"http//localhost\"\n", nil,
			"config.toml:2: recall.rerank = http//localhost: it must be off, model, or the URL of a server, such as http://127.0.0.1:8080/rerank; the default off is used", false,
		},
		{
			"an API for other machines", "[api]\nlisten = \"0.0.0.0:80\"\n", nil,
			"config.toml:2: api.listen = 0.0.0.0:80: it must be unix, or a loopback address with a port such as 127.0.0.1:7878; the default unix is used", false,
		},
		{"a name that is known and unused", "", []string{"TTS_PREFS_FILE=var/x"}, "TTS_PREFS_FILE: var/x: known, and not used here", true},
		{
			"a misspelled variable", "",
			[]string{"MAC_STATS_OLLAMA_MODELS=x"},
			"MAC_STATS_OLLAMA_MODELS: x: there is no such setting; did you mean MAC_STATS_OLLAMA_MODEL?", true,
		},
		{
			"a misspelled variable with a secret in it", "",
			[]string{"MAC_STATS_DISCORD_TOKN=abc.def.ghi"},
			"MAC_STATS_DISCORD_TOKN: there is no such setting; did you mean MAC_STATS_DISCORD_TOKEN?", true,
		},
		{
			"a token in the file", "[discord]\ntoken = \"abc.def.ghi\"\n", nil,
			"config.toml:2: discord.token: a token doesn't stand in this file: save it with `mac-stats discord token`, and take it out here", false,
		},
		{
			"a token in the file, outside of any section", "token = \"abc.def.ghi\"\n", nil,
			"config.toml:1: token: there is no such key", false,
		},
		{
			"a secret under another name", "[api_token]\nvalue = \"abc.def.ghi\"\n", nil,
			"config.toml:2: api_token.value: there is no such key", false,
		},
		{
			"an older name beside the own key", "[session]\nmax_messages = 20\n[chat.memory.short_term]\nwindow_turns = 12\n", nil,
			"config.toml:4: chat.memory.short_term.window_turns = 12: session.max_messages in the same file is used instead", true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, findings := Load(write(t, tt.file), tt.environ)
			if len(findings) != 1 {
				t.Fatalf("findings = %v, want one", findings)
			}
			if s := findings[0].String(); tt.want != "" && s != tt.want {
				t.Errorf("got  %s\nwant %s", s, tt.want)
			}
			if findings[0].Note != tt.note {
				t.Errorf("note = %v", findings[0].Note)
			}
			if !tt.note && !strings.Contains(tt.name, "under a good") {
				if strings.Contains(tt.want, "ntil that is") || tt.name == "no TOML at all" { // TestPrivacyFailsClosed covers these
					got.Session.InMemoryOnly, got.Memory.Write, got.MCP = false, "auto", Default().MCP
				}
				if strings.Contains(tt.name, "OLLAMA_HOST") || strings.Contains(tt.name, "as it is shown") { // no other server takes its place
					got.Ollama.Host = Default().Ollama.Host
				}
				if diff := cmp.Diff(Default(), got); diff != "" {
					t.Errorf("the default is not used: %s", diff)
				}
			}
		})
	}
}

// The bot's token is read elsewhere, and a finding would reveal it.
func TestOurOtherVariablesAreNoFindings(t *testing.T) {
	for _, env := range []string{"MAC_STATS_DISCORD_TOKEN=abc.def.ghi", "MAC_STATS_DISCORD_BASE=http://127.0.0.1:1", "MAC_STATS_HOME=/x"} {
		if _, findings := Load(write(t, ""), []string{env}); len(findings) != 0 {
			t.Errorf("%s gave %v", env, findings)
		}
	}
}

func TestNotTOMLSaysLineAndColumn(t *testing.T) {
	for name, tt := range map[string]struct{ file, place string }{
		"a value is missing": {"[session]\nmax_messages = \n", "config.toml:2:"},
		"a binary file":      {"\x00\x01\x02", "config.toml:1:"},
		"a key twice":        {"[session]\nmax_messages = 3\nmax_messages = 4\n", "config.toml:3:"},
		"a section twice":    {"[session]\n[session]\n", "config.toml:2:"},
		"bytes, not text":    {"a = \"\xff\"\n", "config.toml:1:"},
	} {
		t.Run(name, func(t *testing.T) {
			got, findings := Load(write(t, tt.file), nil)
			if len(findings) != 1 || !strings.HasPrefix(findings[0].Place, tt.place) || !strings.Contains(findings[0].Reason, "not TOML") {
				t.Fatalf("findings = %v", findings)
			}
			if diff := cmp.Diff(strictest(), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// strictest returns the defaults with full privacy.
func strictest() Config {
	c := Default()
	c.Session.InMemoryOnly, c.Memory.Write, c.MCP = true, "off", MCP{}
	return c
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	if _, findings := Load(filepath.Join(dir, "none.toml"), nil); len(findings) != 0 {
		t.Errorf("a missing file: %v", findings)
	}
	if _, findings := Load(dir, nil); len(findings) != 1 {
		t.Errorf("a folder: %v", findings)
	}
	if _, findings := Load(write(t, strings.Repeat("#", maxFile+1)), nil); len(findings) != 1 {
		t.Errorf("a file too large: %v", findings)
	}
}

func TestDebug(t *testing.T) {
	for environ, want := range map[string]bool{"": false, "DEBUG=": false, "DEBUG=0": false, "DEBUG=false": false, "DEBUG=1": true, "DEBUG=true": true, "DEBUG=mem.ctx": true} {
		if got := Debug([]string{environ}); got != want {
			t.Errorf("%q: %v", environ, got)
		}
	}
}

func TestOverridden(t *testing.T) {
	s, _ := Lookup("session.max_messages")
	for environ, want := range map[string]string{
		"MAC_STATS_SESSION_MAX_MESSAGES=3": "MAC_STATS_SESSION_MAX_MESSAGES", "MAX_CONTEXT_MESSAGES=3": "MAX_CONTEXT_MESSAGES", "OTHER=3": "",
	} {
		if got := s.Overridden([]string{environ}); got != want {
			t.Errorf("%s: %q, want %q", environ, got, want)
		}
	}
	host, _ := Lookup("ollama.host")
	if got := host.Overridden([]string{"OLLAMA_HOST=x"}); got != "" {
		t.Errorf("OLLAMA_HOST is weaker than the file, got %q", got)
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		exampleFile(), "[session]\nmax_messages = \"x\"\n", "session = { max_messages = 3, b = [1, {c = 2}] }", "a.b.\"c d\" = '''x\ny'''\n[[t]]\nk = 1979-05-27T07:32:00Z\n",
		"#max_messages = 3\n\uFEFF", "\uFEFF[session]\r\n", "[a]\n[a.b]\n[[a.c]]\n[a.c.d]\n", "x = [\n# c\n1, # d\n]\n", "\"\" = 1\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := write(t, text)
		got, findings := Load(file, nil)
		for _, s := range Settings() {
			if err := s.Check(s.Value(got)); err != nil {
				t.Errorf("a value out of range came through: %v", err)
			}
		}
		for _, finding := range findings {
			if line := finding.String(); strings.ContainsAny(line, "\n\r") {
				t.Errorf("a finding of several lines: %q", line)
			}
		}
	})
}

// Privacy fails closed: a setting that can't be read has its strictest value, whatever the
// file seems to say.
func TestPrivacyFailsClosed(t *testing.T) {
	const private, open = "[session]\nin_memory_only = true\n", "[session]\nin_memory_only = false\n"
	tests := []struct {
		name, text string
		env        []string
		memoryOnly bool
		write      string
	}{
		{name: "private, and an error elsewhere", text: private + "oops = =\n", memoryOnly: true, write: "off"},
		{name: "open, and an error elsewhere", text: open + "oops = =\n", memoryOnly: true, write: "off"},
		{name: "the environment is stronger, as ever", text: private + "oops = =\n", env: []string{"MAC_STATS_SESSION_IN_MEMORY_ONLY=false", "MAC_STATS_MEMORY_WRITE=ask"}, memoryOnly: false, write: "ask"},
		{name: "a variable that is weaker than the file", text: "oops = =\n", env: []string{"IN_MEMORY_CONTEXT_ONLY="}, memoryOnly: true, write: "off"},
		{name: "a value that is none", text: "[memory]\nwrite = \"of\"\n[session]\nin_memory_only = \"y e s\"\n", memoryOnly: true, write: "off"},
		{name: "a variable that is none", env: []string{"MAC_STATS_MEMORY_WRITE=of"}, write: "off"},
		{name: "another type", text: "[memory]\nwrite = 3\n[session]\nin_memory_only = [true]\n", memoryOnly: true, write: "off"},
		{name: "misspelled", text: "[session]\nin_memry_only = true\n[memory]\nwirte = \"off\"\n", memoryOnly: true, write: "off"},
		{name: "misspelled beside the right one", text: "[memory]\nwrite = \"ask\"\nwirte = \"off\"\n", write: "ask"},
		{name: "a misspelled section", text: "[sesion]\nin_memory_only = true\n", memoryOnly: true, write: "auto"},
		{name: "the wrong section", text: "[memory]\nin_memory_only = true\n", memoryOnly: true, write: "auto"},
		{name: "in no section", text: "in_memory_only = true\n", memoryOnly: true, write: "auto"},
		{name: "a section for a value", text: "[memory.write]\nvalue = \"off\"\n", write: "off"},
		{name: "a value for a section", text: "memory = \"off\"\n", write: "off"},
		{name: "a list of sections", text: "[[memory]]\nwrite = \"off\"\n", write: "off"},
		{name: "capitals", text: "[Session]\nIn_Memory_Only = true\n[memory]\nWRITE = \"off\"\n", memoryOnly: true, write: "off"},
		{name: "a byte order mark", text: "\uFEFF" + private, memoryOnly: true, write: "auto"},
		{name: "dotted", text: "session.in_memory_only = true\nmemory.write = 'off'\n", memoryOnly: true, write: "off"},
		{name: "inline, quoted", text: "\"session\" = { 'in_memory_only' = true }\n", memoryOnly: true, write: "auto"},
		{name: "something else misspelled", text: "[window]\nthemee = \"dark\"\n", write: "auto"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, findings := Load(write(t, tt.text), tt.env)
			if c.Session.InMemoryOnly != tt.memoryOnly || c.Memory.Write != tt.write {
				t.Errorf("in_memory_only = %v, memory.write = %s, want %v, %s; %v", c.Session.InMemoryOnly, c.Memory.Write, tt.memoryOnly, tt.write, findings)
			}
		})
	}
}

func TestMenuBarMetrics(t *testing.T) {
	for value, shows := range map[string]string{
		"cpu":                   "cpu",
		"network,cpu":           "cpu network",
		" temperature , memory": "memory temperature",
		"":                      "refused",
		"cpu,":                  "refused",
		"cpu,fan":               "refused",
	} {
		s, _ := Lookup("menubar.metrics")
		got := "refused"
		if s.Check(value) == nil {
			got = ""
			for _, m := range MenuBarMetrics() {
				if (MenuBar{Metrics: value}).Shows(m) {
					got = strings.TrimSpace(got + " " + m)
				}
			}
		}
		if got != shows {
			t.Errorf("%q: %s, want %s", value, got, shows)
		}
	}
}
