package backend

import (
	"path/filepath"
	"time"

	"mac-stats/app/config"
	"mac-stats/sessionmem"
)

// watch follows the files people edit: agents, skills and memory as folders, and
// config.toml in the data folder itself (its sub-folders are left alone: a
// notifier opens a file per entry on some systems).
func (b *Backend) watch() {
	b.work.Go(func() { b.Compaction.Run(b.ctx) })
	home := b.Paths.Home
	b.watchDirs(sessionmem.WatchConfig{
		Dirs:   []string{filepath.Join(home, "agents"), filepath.Join(home, "skills"), filepath.Join(home, "memory")},
		Logger: b.Logger,
	}, func(changes []sessionmem.Change) {
		for _, c := range changes {
			if c.Path == b.Memory.InboxPath() {
				b.notify.publish(b.memoryNotice("", sessionmem.Kept{}))
				continue
			}
			b.notify.publish(reloadNotice(home, c))
		}
	})
	b.watchDirs(sessionmem.WatchConfig{Dirs: []string{home}, Flat: true, Logger: b.Logger}, func(changes []sessionmem.Change) {
		for _, c := range changes {
			if c.Path == b.Paths.ConfigFile() {
				b.reloadConfig()
			}
		}
	})
}

func (b *Backend) watchDirs(cfg sessionmem.WatchConfig, onChange func([]sessionmem.Change)) {
	if _, err := sessionmem.Watch(b.ctx, cfg, onChange); err != nil {
		b.Logger.Warn("edits are seen at the next message only", "dirs", cfg.Dirs, "error", err)
	}
}

// reloadConfig takes over an edited config.toml. What is fixed at the start says
// that it waits for the next one.
func (b *Backend) reloadConfig() {
	before, held := b.Config(), len(b.Notices())
	after := b.readConfig()
	if before == after && len(b.Notices()) >= held { // a mended file is told of, even with the values of before
		return
	}
	n := Notice{Time: time.Now(), Kind: NoticeReload, Text: "config.toml reloaded"}
	if needsRestart(before, after) {
		n.Next = "The server's address, its limits and the monitor's pace apply after a restart."
	}
	b.notify.publish(n)
}

func needsRestart(before, after config.Config) bool {
	return before.Ollama.Host != after.Ollama.Host ||
		before.Ollama.MaxConcurrent != after.Ollama.MaxConcurrent ||
		before.Ollama.KeepAlive != after.Ollama.KeepAlive ||
		before.Ollama.IdleTimeout != after.Ollama.IdleTimeout ||
		before.Ollama.NumCtx != after.Ollama.NumCtx ||
		before.Monitor != after.Monitor
}
