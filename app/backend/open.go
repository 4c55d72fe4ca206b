package backend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents"
	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/app/config"
	"mac-stats/app/monitor"
	"mac-stats/assets"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/loopback"
	"mac-stats/sessionmem/memory"
)

// Options configures a Backend.
type Options struct {
	Demo    bool     // use the built-in scripted server and a temporary data folder
	Watch   bool     // watch the folders and sample the machine: the app does, commands don't
	Environ []string // os.Environ() if nil
	Logger  *slog.Logger
	Version string
	// Patience is how long a turn waits for recalled passages and a search for vectors
	// before they go on without. The defaults are 150 and 800 ms; tests on a busy machine
	// wait longer.
	Patience time.Duration
	// OnWork is called when the first of several answers begins and when the last one ends,
	// on their goroutines. May be nil.
	OnWork func(working bool)
}

// Open opens everything. It fails only if nothing can work (no data folder at all). With a
// read-only folder, a broken config or a server that is down or whose address can't be
// parsed it succeeds and reports the trouble as Notices.
func Open(ctx context.Context, o Options) (_ *Backend, err error) {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	st := &start{Demo: o.Demo, Version: o.Version, watching: o.Watch, environ: o.Environ, patience: o.Patience}
	st.ctx, st.cancel = context.WithCancel(context.WithoutCancel(ctx))
	board := &noticeBoard{start: st}
	b := &Backend{base: &base{start: st, noticeBoard: board, configuration: &configuration{start: st, notices: board}}}
	b.close = sync.OnceValue(func() error {
		defer b.notify.close()
		return b.end()
	})
	b.changed = b.configChanged
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	if err := b.openFolders(ctx); err != nil {
		return nil, err
	}
	b.openLog(o.Logger)
	if b.Demo {
		sweepDemos(os.TempDir(), time.Now().Add(-demoKept), b.Logger)
	}
	b.Crashes = &Crashes{b.base}
	b.Crashes.watch()
	b.load()
	b.openMonitor(o.Watch)
	b.openModels()
	if err := b.openFiles(ctx); err != nil {
		return nil, err
	}
	b.openEngine(o.OnWork)
	b.openSchedules()
	if err := b.openDiscord(); err != nil {
		return nil, err
	}
	if !o.Watch {
		b.Keeper.settle()
	} else {
		b.Forgetting.forgotAt = b.Store.Forgotten().Last() // before anything runs that compares with it
		b.watch()
		b.Keeper.keep()
		b.runDiscord()
		b.work.Go(func() { b.Schedules.Run(b.ctx) })
		b.house.tidy()
		b.house.retrySaves()
		b.Forgetting.keepFinishing()
	}
	return b, nil
}

// openFolders finds the data folder, or creates the demo's temporary one and starts the
// demo's server.
func (b *Backend) openFolders(ctx context.Context) error {
	if b.Demo {
		return b.openDemo(ctx)
	}
	paths, err := config.FindPaths(lookup(b.environ))
	if err != nil {
		return fmt.Errorf("find the data folder: %w", err)
	}
	b.Paths = paths
	_, err = os.Stat(paths.ConfigFile())
	b.FirstRun = errors.Is(err, os.ErrNotExist)
	if err := os.MkdirAll(paths.Home, 0o700); err != nil {
		if info, statErr := os.Stat(paths.Home); statErr != nil || !info.IsDir() {
			return &FolderError{Folder: paths.Home, Err: err}
		}
	}
	return readable(paths.Home)
}

// FolderError means that the data folder can't be created.
type FolderError struct {
	Folder string
	Err    error
}

func (e *FolderError) Error() string {
	return "the data folder " + e.Folder + " can't be made: " + e.Err.Error()
}
func (e *FolderError) Unwrap() error { return e.Err }

// readable returns an error if the files in a folder can't be reached: nothing would work
// there, and each file would fail on its own.
func readable(dir string) error {
	folder, err := os.Open(dir)
	if err == nil {
		err = folder.Close()
		if _, inside := os.Stat(filepath.Join(dir, "config.toml")); errors.Is(inside, fs.ErrPermission) {
			err = &fs.PathError{Op: "open", Path: dir, Err: fs.ErrPermission}
		}
	}
	if err != nil {
		return fmt.Errorf("read the data folder: %w", err)
	}
	return nil
}

// openModels creates the client and the catalogue; it sends no request yet.
func (b *Backend) openModels() {
	cfg := b.Config().Ollama
	b.ServerToken = openToken(b.base)
	client, err := ollama.New(ollama.Params{
		Host:          cfg.Host,
		Token:         b.ServerToken.get,
		MaxConcurrent: cfg.MaxConcurrent,
		IdleTimeout:   cfg.IdleTimeout,
		KeepAlive:     cfg.KeepAlive,
		Descriptions:  filepath.Join(b.Paths.Cache, "models.json"),
		Logger:        b.Logger,
	})
	if err != nil {
		b.Logger.Warn("ollama.host can't be used", "error", err) // each call of the client says so, too
	}
	b.Client = client
	b.Models = ollama.NewCatalog(client, cfg.NumCtx)
	b.Models.ChatModel(func() string { return b.Config().Ollama.Model })
	if m := b.Monitor.Sample(b.ctx, monitor.Memory).Memory; m.NA == "" {
		b.Models.LimitSize(int64(float64(m.Total) * ollama.MemoryShare))
		b.Models.SetMemory(m.Total)
	}
}

// openFiles opens sessions, memory and agents. A folder that can't be written only causes a
// notice: its files can still be read.
func (b *Backend) openFiles(ctx context.Context) error {
	cfg := sessionmem.Config{
		Root: b.Paths.Home, Logger: b.Logger,
		CacheDir:     b.Paths.Cache,
		MaxFileBytes: func() int64 { return b.Config().Session.MaxFileBytes },
	}
	refused := newRefusals()
	if b.watching { // a command ends with its turn and reports failed writes itself
		cfg.OnRefused, cfg.Rescue = refused.add, b.rescueFolder()
	}
	store, err := sessionmem.Open(cfg)
	if err != nil {
		return fmt.Errorf("open the sessions: %w", err)
	}
	b.Store = store
	b.opened.Store(store)
	b.Keeper = &memoryKeeper{app: b.base, again: make(chan struct{}, 1)}
	b.Shared = &SharedMemory{app: b.base, store: store}
	b.Index = &Index{app: b.base, store: store, client: b.Client, models: b.Models, monitor: b.Monitor, shared: b.Shared}
	b.closers = append(b.closers, store.Close, b.Shared.close, b.Index.close)
	if err := store.Sessions().RecoverAll(ctx); err != nil {
		b.Logger.Warn("answers cut off by a crash wait for their session's next message", "error", err)
	}
	b.Memory = memory.New(memory.Config{
		Root: b.Paths.Home, Logger: b.Logger,
		MaxPerson: orNone(b.Config().Memory.MaxUser), MaxServer: orNone(b.Config().Memory.MaxServer),
		Budget:  b.MemoryBudget,
		Changed: b.memoryChanged,
		Shipped: assets.FS,
	})
	b.Keeper.memory, b.Index.memory = b.Memory, b.Memory
	b.Forgetting = &Forgetting{
		app: b.base, store: store, memory: b.Memory, index: b.Index, shared: b.Shared,
		compactSoon: func(session string) { b.Engine.CompactSoon(session) },
		changed:     b.memoryChanged,
	}
	b.Index.beforeCopy, b.Index.forgotten = b.Forgetting.beforeCopy, b.Forgetting.forgottenElsewhere
	b.house = &housekeeper{app: b.base, store: store, memory: b.Memory, refused: refused, sessionsChanged: b.SessionsChanged}
	b.Registry = registry.New(registry.Config{Root: b.Paths.Home, Defaults: assets.FS, Logger: b.Logger, Clean: b.Memory.Clean})
	if err := b.Registry.Prepare(ctx); err != nil {
		b.addInstallNotice(err)
	}
	return nil
}

// orNone maps a setting of 0 lines to the value that means none.
func orNone(lines int) int {
	if lines == 0 {
		return -1
	}
	return lines
}

func (b *Backend) openMonitor(start bool) {
	cfg := b.Config().Monitor
	mc := monitor.Config{
		IntervalOpen:   cfg.IntervalOpen,
		IntervalClosed: cfg.IntervalClosed,
		Sensors:        cfg.Sensors,
		MarkerDir:      b.Paths.Cache,
		Version:        b.Version,
		Logger:         b.Logger,
	}
	if start {
		mc.HistoryFile = filepath.Join(b.Paths.Cache, historyFile)
	}
	b.Monitor = monitor.New(mc)
	b.closers = append(b.closers, func() error { b.Monitor.End(); return nil })
	if start {
		b.Monitor.Start(b.ctx)
		b.Monitor.Keep(monitor.CPU, monitor.Memory, monitor.Disk, monitor.Network, monitor.Temperature, monitor.Battery)
		b.closers = append(b.closers, b.saveHistory)
	}
}

// historyFile holds the history of the vitals. It is in the cache folder and may be
// deleted.
const historyFile = "vitals.history"

// saveHistory saves the history a last time. A failure is only logged: the next start
// begins a new one.
func (b *Backend) saveHistory() error {
	if err := b.Monitor.SaveHistory(); err != nil {
		b.Logger.Info("the history of the vitals was not kept", "error", err)
	}
	return nil
}

func (b *Backend) openEngine(onWork func(bool)) {
	small := background.NewSmallModel(b.Client, b.Models, assets.FS, func() background.Settings { return b.engineSettings().Small() })
	b.openCompaction(small)
	b.openOutside()
	b.Index.small, b.Index.busy = small, func() bool { return b.Engine != nil && b.Engine.Busy() }
	var chat background.ChatModel = b.Client
	if onWork != nil {
		chat = &attended{ChatModel: b.Client, onWork: onWork}
	}
	b.Engine = agents.NewEngine(agents.Params{
		Store:    b.Store,
		Memory:   b.Memory,
		Registry: b.Registry,
		Chat:     chat,
		Models:   b.Models,
		Prompts:  assets.FS,
		Settings: b.engineSettings,
		Vitals:   b.vitals,
		Stats:    b.Stats,
		Logger:   b.Logger,

		Answers: b.Outside.Answers, Outside: b.Outside.all,

		Recall: b.Index.searcher, RecallTime: b.Index.recallTime,

		Cache: b.Client, MayPrepare: func(ctx context.Context) bool { return b.NotAhead(ctx) == "" }, Prepares: b.preparing,
		Small: small, Compactor: b.Compaction.Compaction, Background: b.watching, Compacted: b.Compaction.notify,
		Loaded: b.Compaction.loadedModel, Named: b.SessionsChanged, Ended: func(string) { b.Index.changed() },
	})
	b.closers = append(b.closers, b.Engine.Close)
}

// vitals returns the line of vitals that goes with a message. The app's monitor has it
// ready, except for the GPU, which is read while a window shows it and when it is asked for;
// a command takes one quick sample.
func (b *Backend) vitals() string {
	ctx, cancel := context.WithTimeout(b.ctx, time.Second)
	defer cancel()
	if b.watching {
		if !b.Monitor.Snapshot().Paused {
			b.Monitor.Sample(ctx, monitor.GPU)
		}
		return b.Monitor.Snapshot().Line()
	}
	return b.Monitor.QuickLine(ctx)
}

// Stats returns the report for SYSTEM_STATS: the metric of this name, or all of them.
func (b *Backend) Stats(ctx context.Context, topic string) (string, error) {
	var metrics []monitor.Metric // nil means all
	if m := monitor.Metric(topic); slices.Contains(monitor.Metrics(), m) {
		metrics = append(metrics, m)
	}
	report := b.Monitor.Sample(ctx, metrics...).Report(topic)
	if slices.Contains([]monitor.Metric{"", monitor.Memory, monitor.GPU, monitor.Processes}, monitor.Metric(topic)) {
		var held []string
		for _, m := range b.LoadedModels(ctx) {
			words := m.Name + " " + monitor.GiB(uint64(max(0, m.Size)))
			if m.SizeVRAM > 0 && m.SizeVRAM < m.Size {
				words += " (" + monitor.GiB(uint64(m.SizeVRAM)) + " of it on the GPU)"
			} else if m.SizeVRAM > 0 {
				words += " (on the GPU)"
			}
			if ahead := b.ahead.Load(); ahead != nil && ollama.SameModel(*ahead, m.Name) {
				words += ", which reads the beginning of the next message in advance"
			}
			held = append(held, words)
		}
		if len(held) > 0 {
			report += "\nModels that the model server holds in memory: " + strings.Join(held, ", ")
		}
	}
	return report, ctx.Err()
}

// LoadedModels returns the models that the server holds in this machine's memory: none if it is
// on another one, or doesn't answer within a second.
func (b *Backend) LoadedModels(ctx context.Context) []api.ProcessModelResponse {
	if !loopback.Is(b.Client.Host().Hostname()) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	models, err := b.Client.Running(ctx)
	if err != nil {
		b.Logger.Debug("which models are loaded isn't known", "error", err)
	}
	return models
}
