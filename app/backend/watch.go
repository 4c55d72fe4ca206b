package backend

import (
	"path/filepath"
	"strings"
	"time"

	"mac-stats/app/config"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/watch"
)

// watch follows the files people edit: agents, skills and memory as folders, and
// config.toml in the data folder itself (its sub-folders are left alone: a
// notifier opens a file per entry on some systems).
func (b *Backend) watch() {
	b.work.Go(func() { b.Compaction.Run(b.ctx) })
	b.work.Go(b.keepIndex)
	home := b.Paths.Home
	b.watchDirs(watch.Config{
		Dirs:   []string{filepath.Join(home, "agents"), filepath.Join(home, "skills"), filepath.Join(home, "memory")},
		Logger: b.Logger,
	}, func(changes []watch.Change) {
		b.LookAtMemory()
		for _, c := range changes {
			b.indexChanged(c.Path)
			if c.Path == b.Memory.InboxPath() {
				b.notify.publish(b.memoryNotice("", compact.Kept{}))
				continue
			}
			b.notify.publish(reloadNotice(home, c))
		}
	})
	b.watchDirs(watch.Config{Dirs: []string{home}, Flat: true, Logger: b.Logger}, func(changes []watch.Change) {
		for _, c := range changes {
			switch c.Path {
			case b.Paths.ConfigFile():
				b.reloadConfig(false)
			case b.Schedules.File():
				b.Schedules.Look()
				b.notify.publish(reloadNotice(home, c))
			}
		}
	})
}

func (b *Backend) watchDirs(cfg watch.Config, onChange func([]watch.Change)) {
	if _, err := watch.Start(b.ctx, cfg, onChange); err != nil {
		b.Logger.Warn("edits are seen at the next message only", "dirs", cfg.Dirs, "error", err)
	}
}

// reloadConfig takes over an edited config.toml. What is fixed at the start says
// that it waits for the next one. With certain nobody is saving it just now.
func (b *Backend) reloadConfig(certain bool) {
	b.reload.Lock()
	defer b.reload.Unlock()
	before, held := b.Config(), len(b.Notices())
	after := b.readConfig(certain)
	if before == after && len(b.Notices()) >= held { // a mended file is told of, even with the values of before
		return
	}
	n := Notice{Time: time.Now(), Kind: NoticeReload, Text: "config.toml reloaded"}
	if keys := config.Waiting(before, after); len(keys) > 0 && len(config.Waiting(b.started, after)) > 0 {
		n.Next = "What changed in " + strings.Join(keys, ", ") + " applies after a restart."
	}
	b.notify.publish(n)
	if b.Discord != nil {
		b.Discord.Look()
	}
	if before.Heartbeat != after.Heartbeat {
		b.Schedules.Look()
	}
}
