package backend

import (
	"context"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/app/monitor"
	"mac-stats/assets"
	"mac-stats/sessionmem"
)

// openCompaction makes what summarises sessions: after turns, periodically (where
// the folders are watched) and by hand.
func (b *Backend) openCompaction() {
	write := func() string { return b.Config().Memory.Write }
	b.Compaction = sessionmem.NewCompaction(sessionmem.CompactionConfig{
		Store:      b.Store,
		Summarizer: agents.NewSmallModel(b.Client, b.Models, assets.FS, b.settings),
		Lessons:    sessionmem.MemoryLessons{Memory: b.Memory, Store: b.Store, Write: write},
		Policy:     b.compactPolicy,
		Untrusted:  agents.UntrustedTools(),
		MayRun:     b.mayCompact,
		Done:       b.tellCompacted,
		Logger:     b.Logger,
	})
}

// compactPolicy is the policy, from the configuration as it is now.
func (b *Backend) compactPolicy() sessionmem.CompactPolicy {
	cfg := b.Config()
	p := sessionmem.CompactPolicy{
		Threshold: cfg.Compaction.Threshold, MinPeriodic: cfg.Compaction.MinPeriodic, KeepRecent: cfg.Compaction.KeepRecent,
		Window: cfg.Session.MaxMessages, Interval: cfg.Compaction.Interval, InactiveAfter: cfg.Compaction.InactiveAfter,
	}
	if p.KeepRecent == 0 {
		p.KeepRecent = -1 // none, not the default
	}
	return p
}

// mayCompact reports whether a periodic pass may call the small model: on battery
// only where the model is loaded already.
func (b *Backend) mayCompact(ctx context.Context) bool {
	if battery := b.Monitor.Sample(ctx, monitor.Battery).Battery; battery.NA != "" || !battery.OnBattery {
		return true
	}
	model, err := b.Models.Resolve(ctx, b.Config().Ollama.SmallModel, ollama.RoleSmall)
	if err != nil {
		return false
	}
	return b.loadedModel(ctx, model.Name)
}

// loadedModel reports whether a model is in the server's memory.
func (b *Backend) loadedModel(ctx context.Context, model string) bool {
	running, err := b.Client.Running(ctx)
	if err != nil {
		return false
	}
	for _, r := range running {
		if r.Name == model {
			return true
		}
	}
	return false
}

// tellCompacted tells the window what was done behind its back.
func (b *Backend) tellCompacted(c sessionmem.Compacted) {
	b.Logger.Info("a session was summarised", "session", c.Session, "messages", c.Messages, "lessons", len(c.Lessons.Written))
	b.notify.publish(Notice{Time: time.Now(), Kind: NoticeSessions, Session: c.Session, Text: c.Words()})
}
