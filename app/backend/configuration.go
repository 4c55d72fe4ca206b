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

// configuration holds config.toml and reads it again when it is edited.
type configuration struct {
	start   *start
	notices *noticeBoard
	changed func(before, after config.Config)
	started config.Config // as read at the start
	loaded  bool          // whether it has been read before; guarded by reload, like opening
	opening *opening      // nil if config.toml gives up no privacy
	reload  sync.Mutex    // config.toml is read by one goroutine at a time
	mu      sync.Mutex    // guards cfg
	cfg     config.Config
}

// Config returns the current configuration, which follows edits of config.toml.
func (c *configuration) Config() config.Config {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cfg
}

// Started returns the configuration at startup. Settings that differ from it wait for the
// next start.
func (c *configuration) Started() config.Config { return c.started }

// Environ returns the environment that overrides settings.
func (c *configuration) Environ() []string { return slices.Clone(c.start.environ) }

// Reread reads config.toml again, for a process that watches nothing.
func (c *configuration) Reread() { c.reloadConfig(false) }

// Set changes one key of config.toml in place and applies it at once. Its error is worded
// for people.
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

// load writes the default file on a first start and reads the settings.
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

// BeginAgain makes the next start a first start, if this was one and no setting has changed
// since. It is called when somebody leaves the welcome page early.
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

// read resolves the settings and replaces the notices about them. While the app runs, a
// file that can't be read at all (half an edit) changes nothing. One that gives up privacy
// takes effect only after it has said so for openAfter, because a half-saved file may look
// complete. certain means that nobody is saving it now.
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
	if c.loaded && !certain && !c.accept(cfg) {
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

// openAfter is how long config.toml must give up privacy before that takes effect.
const openAfter = time.Second

// accept reports whether to apply newly read settings now. If not, they are read again
// later.
func (c *configuration) accept(cfg config.Config) bool {
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

// opening holds the settings by which config.toml gives up privacy, and since when.
type opening struct {
	config config.Config
	since  time.Time
}

// reloadConfig applies an edited config.toml, and notifies that settings fixed at startup
// wait for the next one. certain means that nobody is saving the file now.
func (c *configuration) reloadConfig(certain bool) {
	c.reload.Lock()
	defer c.reload.Unlock()
	before, held := c.Config(), len(c.notices.Notices())
	after := c.read(certain)
	if before == after && len(c.notices.Notices()) >= held { // a repaired file is reported even if its values are the same as before
		return
	}
	n := Notice{Time: time.Now(), Kind: NoticeReload, Text: "config.toml reloaded"}
	if keys := config.Waiting(before, after); len(keys) > 0 && len(config.Waiting(c.started, after)) > 0 {
		n.Next = "What changed in " + strings.Join(keys, ", ") + " applies after a restart."
	}
	c.notices.notify.publish(n)
	c.changed(before, after)
}

// logNote logs a setting that is known but unused, once per start.
func (c *configuration) logNote(f config.Finding) {
	c.start.Logger.Info("setting not used here", "place", f.Place, "key", f.Key, "reason", f.Reason)
}

// MemoryBudget returns how many characters of a memory go into a prompt; 0 means no limit.
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

// commandFolder returns the folder that commands run in: the configured one, or one in the
// data folder.
func (c *configuration) commandFolder(named string) string {
	return cmp.Or(config.Expand(named, lookup(c.start.environ)), filepath.Join(c.start.Paths.Home, "work"))
}

// engineSettings returns the engine's settings from the current configuration.
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
