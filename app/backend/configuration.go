package backend

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/command"
	"mac-stats/agents/ollama"
	"mac-stats/app/config"
	"mac-stats/assets"
	"mac-stats/sessionmem/memory"
)

// configuration is config.toml, read again when it is edited.
type configuration struct {
	start   *start
	notices *noticeBoard
	changed func(before, after config.Config)
	started config.Config // as read at the start
	loaded  bool          // it was read once; guarded by reload, as opening
	opening *opening      // nil where config.toml gives up no privacy
	reload  sync.Mutex    // config.toml is read by one at a time
	mu      sync.Mutex    // guards cfg
	cfg     config.Config
}

// Config is the configuration now; it is read again when config.toml is edited.
func (c *configuration) Config() config.Config {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cfg
}

// Started is the configuration this start began with: what waits for the next one
// differs from it.
func (c *configuration) Started() config.Config { return c.started }

// Environ is the environment the settings are read with.
func (c *configuration) Environ() []string { return slices.Clone(c.start.environ) }

// Reread takes over config.toml as it is now, for a process that watches nothing.
func (c *configuration) Reread() { c.reloadConfig(false) }

// Set changes one key of config.toml in place and takes it over at once. Its error is
// in words for people.
func (c *configuration) Set(key, value string) error {
	if key == "tools.command_folder" {
		if err := command.CheckFolder(c.commandFolder(value), c.start.Paths.Home); err != nil {
			return err
		}
	}
	if err := config.Set(c.start.Paths.ConfigFile(), key, value); err != nil {
		return err
	}
	c.reloadConfig(true)
	return nil
}

// loadConfig writes the default file on a first start and reads the settings.
func (c *configuration) load() {
	file := c.start.Paths.ConfigFile()
	config.Settle(file)
	if defaults, err := assets.FS.ReadFile("config.toml"); err != nil {
		c.notices.addNotice(Notice{Kind: NoticeConfig, Text: "the default configuration is missing from this build: " + err.Error()})
	} else if err := config.WriteDefault(file, defaults); err != nil {
		c.notices.addStorageNotice(err)
	}
	c.started = c.read(true)
}

// BeginAgain makes the next start a first one, where this one was and nothing was set
// since: it is called when a person is not welcomed to the end.
func (c *configuration) BeginAgain() error {
	if !c.start.FirstRun || c.start.Demo {
		return nil
	}
	defaults, err := assets.FS.ReadFile("config.toml")
	if err != nil {
		return fmt.Errorf("read the default settings: %w", err)
	}
	return config.RemoveDefault(c.start.Paths.ConfigFile(), defaults)
}

// readConfig resolves the settings and replaces the notices about them. While the
// app runs, a file that can't be read at all (half an edit) changes nothing, and one that
// gives up privacy is believed once it has said so for a while: the beginning of a file
// that is being saved may be a whole one. With certain nobody is saving it.
func (c *configuration) read(certain bool) config.Config {
	cfg, findings := config.Load(c.start.Paths.ConfigFile(), c.start.environ)
	if c.start.Demo {
		cfg.Ollama.Host = c.start.demoHost
		cfg.Ollama.Model, cfg.Ollama.SmallModel, cfg.Ollama.EmbedModel = "", "", ""
	}
	for i := range findings {
		if findings[i].Unreadable && c.loaded {
			cfg, findings[i].Used = c.Config(), "what was read before stays in use until it is fixed"
		}
	}
	if c.loaded && !certain && !c.believe(cfg) {
		return c.Config()
	}
	c.loaded = true
	c.mu.Lock()
	c.cfg = cfg
	c.mu.Unlock()
	c.notices.dropNotices(NoticeConfig)
	for _, f := range findings {
		if f.Note {
			c.logNote(f)
			continue
		}
		c.notices.addNotice(Notice{Kind: NoticeConfig, Text: f.String(), Next: "Edit config.toml; it is read again as soon as it is saved."})
	}
	return cfg
}

// openAfter is how long config.toml says that privacy ends before it does.
const openAfter = time.Second

// believe says whether settings that were read are taken over now. Else they are read
// again after a while.
func (c *configuration) believe(cfg config.Config) bool {
	if !config.OpensUp(c.Config(), cfg) {
		c.opening = nil
		return true
	}
	now := time.Now()
	if c.opening == nil || c.opening.config != cfg {
		c.opening = &opening{cfg, now}
	}
	if now.Sub(c.opening.since) >= openAfter {
		c.opening = nil
		return true
	}
	c.start.work.Go(func() {
		select {
		case <-c.start.ctx.Done():
		case <-time.After(openAfter):
			c.reloadConfig(false)
		}
	})
	return false
}

// opening is what config.toml says that gives up privacy, and since when.
type opening struct {
	config config.Config
	since  time.Time
}

// reloadConfig takes over an edited config.toml. What is fixed at the start says
// that it waits for the next one. With certain nobody is saving it just now.
func (c *configuration) reloadConfig(certain bool) {
	c.reload.Lock()
	defer c.reload.Unlock()
	before, held := c.Config(), len(c.notices.Notices())
	after := c.read(certain)
	if before == after && len(c.notices.Notices()) >= held { // a mended file is told of, even with the values of before
		return
	}
	n := Notice{Time: time.Now(), Kind: NoticeReload, Text: "config.toml reloaded"}
	if keys := config.Waiting(before, after); len(keys) > 0 && len(config.Waiting(c.started, after)) > 0 {
		n.Next = "What changed in " + strings.Join(keys, ", ") + " applies after a restart."
	}
	c.notices.notify.publish(n)
	c.changed(before, after)
}

// logNote logs a setting that is known and unused, once a start.
func (c *configuration) logNote(f config.Finding) {
	c.start.Logger.Info("setting not used here", "place", f.Place, "key", f.Key, "reason", f.Reason)
}

// MemoryBudget is how many characters of a memory go into a prompt; 0 is any number.
func (c *configuration) MemoryBudget(t memory.Target) int {
	cfg := c.Config().Memory
	switch t.Kind {
	case memory.TargetGlobal:
		return cfg.GlobalBudget
	case memory.TargetAgent:
		return cfg.AgentBudget
	case memory.TargetChannel:
		return cfg.ChannelBudget
	}
	return 0
}

// commandFolder is the folder that programs run in: the one that a person named, or else
// one in the data folder.
func (c *configuration) commandFolder(named string) string {
	return cmp.Or(config.Expand(named, lookup(c.start.environ)), filepath.Join(c.start.Paths.Home, "work"))
}

// engineSettings are the engine's, from the configuration as it is now.
func (c *configuration) engineSettings() agents.Settings {
	cfg := c.Config()
	return agents.Settings{
		DefaultAgent: cfg.Agents.Default,
		Model:        cfg.Ollama.Model,
		RoleModels:   map[string]string{string(ollama.RoleSmall): cfg.Ollama.SmallModel, string(ollama.RoleEmbed): cfg.Ollama.EmbedModel},
		TaskContext:  cfg.Agents.TaskContext,
		PromptTier:   cfg.Agents.PromptTier,
		ToolsTier:    cfg.Agents.ToolsTier,
		InMemoryOnly: cfg.Session.InMemoryOnly,
		MaxMessages:  cfg.Session.MaxMessages,
		MaxTokens:    cfg.Session.MaxTokens,
		GlobalBudget: cfg.Memory.GlobalBudget,
		AgentBudget:  cfg.Memory.AgentBudget,
		MemoryWrite:  cfg.Memory.Write,
		AnswerTime:   cfg.Ollama.AnswerTime,
		NotesBudget:  cfg.Recall.NotesBudget,
		CrossSession: cfg.Recall.CrossSession,
		AutoTitle:    cfg.Session.AutoTitle,
		QuestionTime: cfg.Tools.QuestionTime,
	}
}
