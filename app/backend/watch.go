package backend

import (
	"path/filepath"

	"mac-stats/app/config"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/watch"
)

// watch follows the files that people edit: the folders of agents, skills and memory, and
// config.toml in the data folder itself. Its other subfolders are left alone, because on
// some systems a notifier opens one file per entry.
func (b *Backend) watch() {
	b.work.Go(func() { b.Compaction.Run(b.ctx) })
	b.work.Go(b.Index.keep)
	home := b.Paths.Home
	b.watchDirs(watch.Config{
		Dirs:   []string{filepath.Join(home, "agents"), filepath.Join(home, "skills"), filepath.Join(home, "memory")},
		Logger: b.Logger,
	}, func(changes []watch.Change) {
		b.memoryChanged()
		for _, c := range changes {
			b.Index.changed()
			if c.Path == b.Memory.InboxPath() {
				b.notify.publish(b.Keeper.notice("", compact.Kept{}))
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

// configChanged notifies the parts that would not notice a changed setting.
func (b *Backend) configChanged(before, after config.Config) {
	if b.Discord != nil {
		b.Discord.Look()
	}
	if before.Heartbeat != after.Heartbeat {
		b.Schedules.Look()
	}
}
