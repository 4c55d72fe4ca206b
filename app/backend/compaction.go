package backend

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
	"mac-stats/app/monitor"
	"mac-stats/assets"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/memory"
)

// openCompaction makes what summarises sessions: after turns, periodically (where
// the folders are watched) and by hand.
// small is the model for small work.
func (b *Backend) small() *background.SmallModel {
	return background.NewSmallModel(b.Client, b.Models, assets.FS, func() background.Settings { return b.settings().Small() })
}

func (b *Backend) openCompaction() {
	b.Compaction = compact.New(compact.Config{
		Store:      b.Store,
		Summarizer: b.small(),
		Lessons: compact.MemoryLessons{
			Memory: b.Memory, Store: b.Store, Logger: b.Logger,
			Write: func() string { return b.Config().Memory.Write },
			Own:   b.ownMemory,
			Place: b.placeOf,
		},
		Policy: b.compactPolicy,
		Own:    agents.OwnTools(),
		MayRun: b.mayCompact,
		Done:   b.tellCompacted,
		Logger: b.Logger,
	})
}

// compactPolicy is the policy, from the configuration as it is now.
func (b *Backend) compactPolicy() compact.Policy {
	cfg := b.Config()
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

// ownMemory is where a chosen agent's lessons go beside the memory of all.
func (b *Backend) ownMemory(selector string) (memory.Target, bool) {
	return b.Registry.OwnMemory(selector, b.Config().Agents.Default)
}

// MemoryBudget is how many characters of a memory go into a prompt; 0 is any number.
func (b *Backend) MemoryBudget(t memory.Target) int {
	cfg := b.Config().Memory
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

// tellCompacted tells the window what was done behind its back, and what was learnt.
func (b *Backend) tellCompacted(c compact.Result) {
	kept := c.Lessons
	b.Logger.Info("a session was summarised", "session", c.Session, "messages", c.Messages,
		"lessons", len(kept.Written), "proposed", len(kept.Proposed), "refused", kept.Refused)
	if c.Summary.ID != "" {
		b.indexChanged()
		b.notify.publish(Notice{Time: time.Now(), Kind: NoticeSessions, Session: c.Session, Text: c.Words()})
	}
	if len(kept.Written)+len(kept.Proposed) > 0 {
		b.notify.publish(b.memoryNotice(c.Session, kept))
	}
}

// memoryNotice words what was learnt, and how much there is to review.
func (b *Backend) memoryNotice(session string, kept compact.Kept) Notice {
	n := Notice{Time: time.Now(), Kind: NoticeMemory, Session: session, Written: kept.Written, Proposed: kept.Proposed}
	waiting, err := b.Memory.Inbox()
	if err != nil {
		b.Logger.Warn("the inbox could not be read", "error", err)
	}
	for _, p := range waiting {
		if p.Why != memory.WhySaving { // that one waits for a program, not for the user
			n.Waiting++
		}
	}
	var words, seen []string
	for _, w := range kept.Written {
		if !slices.Contains(seen, w.Text) {
			seen = append(seen, w.Text)
		}
	}
	if len(seen) > 0 {
		words = append(words, "remembered: "+strings.Join(seen, " · "))
	}
	switch n.Waiting {
	case 0:
		if len(words) == 0 {
			words = append(words, "no memories to review any more")
		}
	case 1:
		words = append(words, "1 memory to review")
	default:
		words = append(words, fmt.Sprintf("%d memories to review", n.Waiting))
	}
	n.Text = strings.Join(words, "; ")
	return n
}
