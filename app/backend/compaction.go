package backend

import (
	"context"
	"errors"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
	"mac-stats/app/monitor"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
)

// Compaction summarises sessions: after turns, periodically (in the app) and on request.
type Compaction struct {
	*compact.Compaction
	app     *base
	client  *ollama.Client
	models  *ollama.Catalog
	monitor *monitor.Monitor
	index   *Index
	keeper  *memoryKeeper
}

func (b *Backend) openCompaction(small *background.SmallModel) {
	cp := &Compaction{app: b.base, client: b.Client, models: b.Models, monitor: b.Monitor, index: b.Index, keeper: b.Keeper}
	b.Compaction = cp
	cp.Compaction = compact.New(compact.Config{
		Store:      b.Store,
		Summarizer: small,
		Lessons: compact.MemoryLessons{
			Memory: b.Memory, Store: b.Store, Logger: b.Logger,
			Write: func() string { return b.Config().Memory.Write },
			Own:   b.ownMemory,
			Place: b.placeOf,
		},
		Policy: cp.policy,
		Own:    agents.OwnTools(),
		MayRun: cp.mayCompact,
		Done:   cp.notify,
		Logger: b.Logger,
	})
}

// policy returns the policy of the current configuration.
func (cp *Compaction) policy() compact.Policy {
	cfg := cp.app.Config()
	p := compact.Policy{
		Threshold: cfg.Compaction.Threshold, MinPeriodic: cfg.Compaction.MinPeriodic, KeepRecent: cfg.Compaction.KeepRecent,
		KeepTokens: cfg.Session.MaxTokens / 2,
		Window:     cfg.Session.MaxMessages, DiscordWindow: 2 * cfg.Discord.HistoryTurns, Interval: cfg.Compaction.Interval, InactiveAfter: cfg.Compaction.InactiveAfter,
	}
	if p.KeepRecent == 0 {
		p.KeepRecent = -1 // none, not the default
	}
	return p
}

// mayCompact reports whether a periodic pass may call the small model. On battery it may
// only if the model is already loaded.
func (cp *Compaction) mayCompact(ctx context.Context) bool {
	if battery := cp.monitor.Sample(ctx, monitor.Battery).Battery; battery.NA != "" || !battery.OnBattery {
		return true
	}
	model, err := cp.models.Resolve(ctx, cp.app.Config().Ollama.SmallModel, ollama.RoleSmall)
	if err != nil {
		return false
	}
	return cp.loadedModel(ctx, model.Name)
}

// loadedModel reports whether the server holds a model in memory.
func (cp *Compaction) loadedModel(ctx context.Context, model string) bool {
	running, err := cp.client.Running(ctx)
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

// ownMemory returns the memory file that gets a chosen agent's lessons in addition to the
// common memory.
func (b *Backend) ownMemory(selector string) (memory.Target, bool) {
	return b.Registry.OwnMemory(selector, b.Config().Agents.Default)
}

// notify tells the window about a summary made in the background, and about the lessons in
// it.
func (cp *Compaction) notify(c compact.Result) {
	kept := c.Lessons
	cp.app.Logger.Info("a session was summarised", "session", c.Session, "messages", c.Messages,
		"lessons", len(kept.Written), "proposed", len(kept.Proposed), "refused", kept.Refused)
	if c.Summary.ID != "" {
		cp.index.changed()
		cp.app.notify.publish(Notice{Time: time.Now(), Kind: NoticeSessions, Session: c.Session, Text: c.Words()})
	}
	if len(kept.Written)+len(kept.Proposed) > 0 {
		cp.app.notify.publish(cp.keeper.notice(c.Session, kept))
	}
}

// Summarize summarises a session now, even if it isn't due, and indexes the Summary. With
// nothing to summarise it returns a Result without a Summary. begun, which may be nil, is
// called with the number of messages covered.
func (cp *Compaction) Summarize(ctx context.Context, name string, begun func(messages int)) (compact.Result, error) {
	again, err := cp.Renew(ctx, name)
	if err != nil && !errors.Is(err, session.ErrNothing) {
		return again, err
	}
	snap, policy, err := cp.Snapshot(ctx, name, "")
	nothing := compact.Result{Session: name, Recent: len(snap.Messages)}
	if again.Summary.ID != "" {
		cp.index.changed()
		again.Recent, nothing = len(snap.Messages), again
	}
	if err != nil || snap.Covered(policy.KeepRecent) == 0 {
		return nothing, err
	}
	if begun != nil {
		begun(snap.Covered(policy.KeepRecent))
	}
	done, err := cp.Compact(ctx, snap, policy.KeepRecent)
	if err != nil {
		return nothing, err
	}
	cp.index.changed()
	return done, nil
}
