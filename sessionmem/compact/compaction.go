package compact

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/summary"
	"mac-stats/sessionmem/transcript"
)

// ErrNoDigest means that the model's answer was unusable (empty, garbled, refused, too slow),
// also after asking again. A Summary without a model replaces it.
var ErrNoDigest = errors.New("the model gave no usable summary")

// Digest is what a model makes of a conversation.
type Digest struct {
	Context string          // the task, facts, decisions, open requests
	Lessons []memory.Lesson // to remember beyond the session, facts about people included
	By      string          // the model
}

// Summarizer makes a Digest of a session's last messages; previous is the Summary before
// them, or nil. session is "" if they aren't what the session's next turn would send. ErrNoDigest means that the model's answer was unusable; any other error (no
// server, no model, ctx ended) leaves the session unchanged.
type Summarizer interface {
	Summarize(ctx context.Context, session string, previous *transcript.Block, messages []transcript.Block) (Digest, error)
}

// Result is what a compaction did.
type Result struct {
	Session  string
	Summary  transcript.Block // as appended
	Messages int              // covered by it, without those of earlier Summaries
	Recent   int              // kept word for word
	Plain    bool             // made without a model
	Renewed  bool             // replaces one that forgetting made without a model
	Lessons  Kept
}

// Config configures a Compaction. Store, Summarizer, Lessons and Policy are required.
type Config struct {
	Store      *sessionmem.Store
	Summarizer Summarizer
	Lessons    LessonSink
	Policy     func() Policy
	Own        []string                       // tools whose results are this program's own words; those of all others are text of strangers
	MayRun     func(ctx context.Context) bool // reports whether a periodic pass may call the model now; optional
	Done       func(Result)                   // called after each compaction of a periodic pass; optional
	Logger     *slog.Logger                   // optional
}

// Compaction summarises sessions, on request and periodically. Safe for concurrent
// use.
type Compaction struct {
	c Config

	mu             sync.Mutex // guards the fields below
	busy           map[string]bool
	failedRenewals map[string]bool // Summaries that a model failed to make again
}

// New returns a Compaction. It panics if a required field is missing.
func New(c Config) *Compaction {
	if c.Store == nil || c.Summarizer == nil || c.Lessons == nil || c.Policy == nil {
		panic("compact: New needs Store, Summarizer, Lessons and Policy")
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Compaction{c: c, busy: map[string]bool{}, failedRenewals: map[string]bool{}}
}

// Snapshot returns what can be summarised, with the current policy; see
// session.Summaries.Snapshot.
func (c *Compaction) Snapshot(ctx context.Context, session, before string) (session.Snapshot, Policy, error) {
	snap, err := c.c.Store.Session(session).Summaries().Snapshot(ctx, before)
	policy := c.c.Policy().complete()
	if transcript.IsDiscord(session) && policy.DiscordWindow > 0 {
		policy.Threshold = max(policy.Threshold, policy.DiscordWindow+2)
	}
	return snap, policy, err
}

// Compact summarises the snapshot and keeps the last keep messages word for word: lessons
// first, then the Summary is appended. Nothing is rewritten. The conversation may go on while the
// model works. Compact returns ErrStale if the conversation changed course before or meanwhile,
// and ErrBusy if it is already being summarised. Ending ctx stops the model; what it has
// already answered is kept.
func (c *Compaction) Compact(ctx context.Context, snap session.Snapshot, keep int) (Result, error) {
	return c.compact(ctx, snap, keep, false)
}

func (c *Compaction) compact(ctx context.Context, snap session.Snapshot, keep int, periodic bool) (Result, error) {
	out := Result{Session: snap.Session, Messages: snap.Covered(keep), Recent: snap.Omitted + len(snap.Messages) - snap.Covered(keep)}
	if len(snap.Messages) == 0 {
		return out, fmt.Errorf("summarising %s: %w", snap.Session, session.ErrNothing)
	}
	if snap.Unsaved {
		return out, fmt.Errorf("summarising %s: %w", snap.Session, waitsError{})
	}
	unlock, err := c.lock(ctx, snap.Session)
	if err != nil {
		return out, fmt.Errorf("summarising %s: %w", snap.Session, err)
	}
	defer unlock()
	if err := c.c.Store.Session(snap.Session).Summaries().CheckCurrent(ctx, snap, snap.Through(keep)); err != nil {
		return out, err // before a model works for nothing and lessons are learned twice
	}
	if err := c.c.Store.Session(snap.Session).Summaries().CheckForgotten(snap); err != nil {
		return out, err
	}
	digest, err := c.digest(ctx, snap)
	if err != nil {
		return out, err
	}
	out.Plain = digest.By == summary.PlainBy
	ctx = context.WithoutCancel(ctx) // the rest takes milliseconds
	if err := c.c.Store.Session(snap.Session).Summaries().CheckForgotten(snap); err != nil {
		return out, err
	}
	if out.Lessons, err = c.learn(ctx, snap, digest, periodic); err != nil {
		return out, fmt.Errorf("keeping the lessons of %s: %w", snap.Session, err)
	}
	out.Summary, err = c.c.Store.Session(snap.Session).Summaries().Append(ctx, snap, c.summary(snap, digest, keep))
	return out, err
}

// digest asks the model; if its answer is unusable, the digest is made without one.
func (c *Compaction) digest(ctx context.Context, snap session.Snapshot) (Digest, error) {
	digest, err := c.c.Summarizer.Summarize(ctx, snap.Session, snap.Previous, snap.Recent())
	switch {
	case errors.Is(err, ErrNoDigest):
		c.c.Logger.Warn("a session is summarised without a model", "session", snap.Session, "err", err)
		return Digest{Context: summary.Plain(snap.Previous, snap.Recent()), By: summary.PlainBy}, nil
	case err != nil:
		return Digest{}, fmt.Errorf("summarising %s: %w", snap.Session, err)
	}
	return digest, nil
}

// learn passes on the lessons that are grounded.
func (c *Compaction) learn(ctx context.Context, snap session.Snapshot, digest Digest, periodic bool) (Kept, error) {
	recent := snap.Recent()
	lessons := summary.Grounded(digest.Lessons, recent)
	if len(lessons) == 0 {
		return Kept{}, nil
	}
	for i := range lessons {
		lessons[i].Session = snap.Session
	}
	return c.c.Lessons.Keep(ctx, Learnt{
		Session: snap.Session, Agent: snap.Agent, Sources: snap.Sources(c.c.Own), Periodic: periodic,
		From: recent[0].ID, To: recent[len(recent)-1].ID, Lessons: lessons,
	})
}

// summary returns the block to append.
func (c *Compaction) summary(snap session.Snapshot, digest Digest, keep int) transcript.Block {
	recent := snap.Recent()
	text := summary.WithIdentifiers(digest.Context, recent)
	if n := snap.Omitted + len(snap.Messages) - len(recent); n > 0 {
		text += fmt.Sprintf("\n\n(%d older messages stand in the transcript alone.)", n)
	}
	b := transcript.Block{Kind: transcript.KindSummary, Through: snap.Through(keep), By: digest.By, Text: text}
	return b.WithSources(snap.Sources(c.c.Own))
}

// waitsError means that the Summary would have to wait for the disk too; it is made once the disk works.
type waitsError struct{}

func (waitsError) Error() string        { return "its last blocks are not on disk yet" }
func (waitsError) Is(target error) bool { return target == session.ErrStale }

const (
	passDays = 7 * 24 * time.Hour // older sessions are left alone
	passMost = 10                 // sessions a pass summarises that are only on disk
)

// Run summarises periodically until ctx ends. Passes never overlap, and after the machine
// has slept there is one pass, not many. A pass that takes too long (because a model hangs) is
// stopped before the next is due.
func (c *Compaction) Run(ctx context.Context) {
	for {
		interval := c.c.Policy().complete().Interval
		timer := time.NewTimer(interval)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		pass, stop := context.WithTimeout(ctx, interval*9/10)
		if err := c.Pass(pass); err != nil && ctx.Err() == nil {
			c.c.Logger.Warn("a periodic compaction stopped early", "err", err)
		}
		stop()
	}
}

// Pass goes once through the sessions of the last 7 days, newest first. It summarises those
// with enough messages since their last Summary; one without a message for a while is
// summarised whole and leaves this process's memory. Of those that are only on disk it takes
// at most 10.
func (c *Compaction) Pass(ctx context.Context) error {
	if c.c.MayRun != nil && !c.c.MayRun(ctx) {
		return nil
	}
	list, err := c.c.Store.List(ctx)
	if err != nil {
		return err
	}
	taken := 0
	for _, info := range list {
		if info.Err != nil || info.ReadOnly || time.Since(info.Active) > passDays {
			continue
		}
		held, turn := c.c.Store.Sessions().Held(info.Name)
		if turn || !held && taken == passMost {
			continue // a turn summarises its own session
		}
		done, err := c.passOne(ctx, info.Name)
		if done && !held {
			taken++
		}
		if !held {
			c.c.Store.Session(info.Name).Release()
		}
		if errors.Is(err, session.ErrStale) || errors.Is(err, ErrBusy) {
			continue
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// passOne summarises a session if it is due. It reports whether a model was asked.
func (c *Compaction) passOne(ctx context.Context, name string) (bool, error) {
	renewed := c.renewQuietly(ctx, name)
	snap, p, err := c.Snapshot(ctx, name, "")
	if err != nil {
		c.c.Logger.Warn("a session is left out of the periodic compaction", "session", name, "err", err)
		return renewed, ctx.Err()
	}
	keep, inactive := p.Keep(snap), snap.Inactive(p.InactiveAfter)
	if inactive {
		keep = 0
	}
	if snap.Since < p.MinPeriodic {
		return renewed, nil
	}
	done, err := c.compact(ctx, snap, keep, true)
	if err != nil {
		return renewed, err
	}
	if inactive {
		c.c.Store.Session(name).Release()
	}
	if c.c.Done != nil {
		c.c.Done(done)
	}
	return true, nil
}
