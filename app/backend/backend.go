// Package backend is everything of the app that has no screen: configuration,
// sessions, memory, agents, the model server and the monitor, opened once and
// used alike by the tray app, the commands and --headless.
package backend

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/command"
	"mac-stats/agents/mcpclient"
	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/app/config"
	"mac-stats/app/discord/service"
	"mac-stats/app/monitor"
	"mac-stats/app/schedule"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall"
)

// Backend is the opened parts. The fields are set once and may be used directly.
type Backend struct {
	Paths    config.Paths
	Store    *sessionmem.Store
	Memory   *memory.Memory
	Registry *registry.Registry
	Client   *ollama.Client
	Models   *ollama.Catalog
	Engine   *agents.Engine
	Monitor  *monitor.Monitor
	Answers  *tools.Answers    // what was allowed for longer than a call
	MCP      *mcpclient.Client // tools of other programs
	command  *command.Tool

	Compaction *compact.Compaction
	Discord    *service.Service
	Schedules  *schedule.Runner

	Logger   *slog.Logger
	Demo     bool
	FirstRun bool // there was no config.toml before this start
	Version  string

	started  config.Config // as read at the start
	loaded   bool          // the configuration was read once; guarded by reload, as opening
	opening  *opening      // nil where config.toml gives up no privacy
	watching bool          // the app: watchers and the monitor run
	environ  []string
	demoHost string
	ctx      context.Context // ends at Close: watchers, samplers
	cancel   context.CancelFunc
	closers  []func() error                   // run last to first
	opened   atomic.Pointer[sessionmem.Store] // Store, for the log, which writes before it is open
	close    sync.Once
	closeErr error
	work     sync.WaitGroup
	refused  *refusals
	patience time.Duration // of Options

	recallOnce sync.Once
	pace       embedPace // of the vectors of the search index
	recall     *recall.Index
	recallErr  error
	recallOpen atomic.Pointer[recall.Index] // the same, for who doesn't wait for it
	server     memoryServer

	reload  sync.Mutex // config.toml is read by one at a time
	mu      sync.Mutex // guards cfg, notices, indexing
	cfg     config.Config
	notices []Notice

	memoryChanged chan struct{} // 1 place

	forgotAt time.Time // when what was told of last was forgotten
	notify   publisher

	indexing     map[int]func(recall.Progress)
	nextIndexing int
}

// Config is the configuration now; it is read again when config.toml is edited.
func (b *Backend) Config() config.Config {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cfg
}

// Started is the configuration this start began with: what waits for the next one
// differs from it.
func (b *Backend) Started() config.Config { return b.started }

// Environ is the environment the settings are read with.
func (b *Backend) Environ() []string { return slices.Clone(b.environ) }

// Reread takes over config.toml as it is now, for a process that watches nothing.
func (b *Backend) Reread() { b.reloadConfig(false) }

// Set changes one key of config.toml in place and takes it over at once. Its error is
// in words for people.
func (b *Backend) Set(key, value string) error {
	if key == "tools.command_folder" {
		if err := command.CheckFolder(b.commandFolder(value), b.Paths.Home); err != nil {
			return err
		}
	}
	if err := config.Set(b.Paths.ConfigFile(), key, value); err != nil {
		return err
	}
	b.reloadConfig(true)
	return nil
}

// Close stops runs and watchers and removes a demo's temporary folder. It may be
// called more than once.
func (b *Backend) Close() error {
	b.close.Do(func() {
		b.cancel()
		b.work.Wait()
		var errs []error
		for _, c := range slices.Backward(b.closers) {
			errs = append(errs, c())
		}
		b.notify.close()
		b.closeErr = errors.Join(errs...)
	})
	return b.closeErr
}

// lookup makes a getenv of an environment list.
func lookup(environ []string) func(string) string {
	return func(key string) string {
		for _, kv := range slices.Backward(environ) {
			if k, v, ok := strings.Cut(kv, "="); ok && k == key {
				return v
			}
		}
		return ""
	}
}
