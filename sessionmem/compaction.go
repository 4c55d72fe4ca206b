package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// plainBy is the By of a Summary that no model wrote.
const plainBy = "mac-stats"

// ErrNoDigest: the model gave nothing that can be used (empty, garbled, refused,
// too slow), also when asked again. A Summary without a model takes its place.
var ErrNoDigest = errors.New("the model gave no usable summary")

// Digest is what a model makes of a conversation.
type Digest struct {
	Context string   // the task, facts, decisions, open asks
	Lessons []Lesson // to remember beyond the session, people among them
	By      string   // the model
}

// Summarizer makes a Digest of a session's last messages; previous is the Summary
// before them, or nil. ErrNoDigest says that the model answered uselessly; any
// other error (no server, no model, ctx ended) leaves the session as it is.
type Summarizer interface {
	Summarize(ctx context.Context, previous *Block, messages []Block) (Digest, error)
}

// Kept says what became of lessons.
type Kept struct {
	Written []Written
	Left    int    // lessons that were not written
	Why     string // why not, in words
}

// LessonSink takes the lessons of a compaction, before any context is cut. tainted
// says that the conversation holds text of strangers. An error keeps the context
// as it is.
type LessonSink interface {
	Keep(ctx context.Context, session string, tainted bool, lessons []Lesson) (Kept, error)
}

// Compacted is what a compaction did.
type Compacted struct {
	Session  string
	Summary  Block // as it was appended
	Messages int   // covered by it, not counting those of earlier Summaries
	Recent   int   // that stay word for word
	Plain    bool  // made without a model
	Lessons  Kept
}

// CompactionConfig is what a Compaction needs: Store, Summarizer, Lessons, Policy.
type CompactionConfig struct {
	Store      *Store
	Summarizer Summarizer
	Lessons    LessonSink
	Policy     func() CompactPolicy
	Untrusted  []string                       // tools whose results are text of strangers
	MayRun     func(ctx context.Context) bool // whether a periodic pass may call the model now; optional
	Done       func(Compacted)                // called after each one of a periodic pass; optional
	Logger     *slog.Logger                   // optional
}

// Compaction summarises sessions, on request and periodically. Safe for concurrent
// use.
type Compaction struct{ c CompactionConfig }

// NewCompaction panics where a required field is missing.
func NewCompaction(c CompactionConfig) *Compaction {
	if c.Store == nil || c.Summarizer == nil || c.Lessons == nil || c.Policy == nil {
		panic("sessionmem: NewCompaction needs Store, Summarizer, Lessons and Policy")
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Compaction{c}
}

// Snapshot gives what there is to summarise, and the policy now; see
// Store.Snapshot.
func (c *Compaction) Snapshot(ctx context.Context, session, before string) (Snapshot, CompactPolicy, error) {
	snap, err := c.c.Store.Snapshot(ctx, session, before)
	return snap, c.c.Policy().complete(), err
}

// Compact summarises the snapshot, keeping so many of its last messages word for
// word: lessons first, then the Summary is appended. Nothing is rewritten. While
// the model works no lock is held; ErrStale where the conversation went another
// way meanwhile. Ending ctx stops the model; what it has already answered is kept.
func (c *Compaction) Compact(ctx context.Context, snap Snapshot, keep int) (Compacted, error) {
	out := Compacted{Session: snap.Session, Messages: snap.Covered(keep), Recent: snap.omitted + len(snap.Messages) - snap.Covered(keep)}
	if len(snap.Messages) == 0 {
		return out, fmt.Errorf("summarising %s: %w", snap.Session, ErrNothing)
	}
	recent := snap.recent()
	digest, err := c.c.Summarizer.Summarize(ctx, snap.Previous, recent)
	switch {
	case errors.Is(err, ErrNoDigest):
		c.c.Logger.Warn("a session is summarised without a model", "session", snap.Session, "err", err)
		out.Plain = true
		digest = Digest{Context: PlainSummary(snap.Previous, recent), By: plainBy}
	case err != nil:
		return out, fmt.Errorf("summarising %s: %w", snap.Session, err)
	}
	ctx = context.WithoutCancel(ctx) // the rest takes milliseconds
	if lessons := grounded(digest.Lessons, snap); len(lessons) > 0 {
		if out.Lessons, err = c.c.Lessons.Keep(ctx, snap.Session, c.tainted(snap), lessons); err != nil {
			return out, fmt.Errorf("keeping the lessons of %s: %w", snap.Session, err)
		}
	}
	text := withIdentifiers(digest.Context, recent)
	if n := snap.omitted + len(snap.Messages) - len(recent); n > 0 {
		text += fmt.Sprintf("\n\n(%d older messages stand in the transcript alone.)", n)
	}
	summary := Block{Kind: KindSummary, Through: snap.through(keep), By: digest.By, Text: text}
	if c.tainted(snap) {
		summary.Attrs = map[string]string{attrUntrusted: "yes"}
	}
	out.Summary, err = c.c.Store.appendSummary(ctx, snap, summary)
	return out, err
}

// ErrNothing: there is no message that a Summary could be made of.
var ErrNothing = errors.New("there is nothing to summarise")

// attrUntrusted marks a Summary that was made of strangers' text among others.
const attrUntrusted = "untrusted"

// tainted reports whether the session holds text of strangers since its last
// Summary, or that Summary was made of such text.
func (c *Compaction) tainted(snap Snapshot) bool {
	if snap.Previous != nil && snap.Previous.Attrs[attrUntrusted] != "" {
		return true
	}
	return strings.HasPrefix(snap.Session, "discord-") || slices.ContainsFunc(snap.Messages, Block.Untrusted) || slices.ContainsFunc(snap.Tools, func(tool string) bool {
		return slices.Contains(c.c.Untrusted, tool)
	})
}

// minConfidence is from where on a lesson is kept.
const minConfidence = 0.6

// failureWords begin what is no lesson but a failure's account.
var failureWords = []string{"failed", "timed out", "could not", "couldn't", "unable to", "did not work", "didn't work", "error:"}

// grounded keeps the lessons that are sure enough, speak of something the user
// spoke of, and are no account of a failure.
func grounded(lessons []Lesson, snap Snapshot) []Lesson {
	said := map[string]bool{}
	for _, b := range snap.recent() {
		if b.Kind == KindUser {
			for _, w := range contentWords(b.Text) {
				said[w] = true
			}
		}
	}
	var kept []Lesson
	for _, l := range lessons {
		low := strings.ToLower(l.Text)
		failed := slices.ContainsFunc(failureWords, func(w string) bool { return strings.Contains(low, w) })
		spoken := slices.ContainsFunc(contentWords(l.Text), func(w string) bool { return len(w) > 2 && w != "user" && said[w] })
		if l.Confidence >= minConfidence && spoken && !failed {
			l.Session = snap.Session
			kept = append(kept, l)
		}
	}
	return kept
}

// MemoryLessons is the LessonSink that writes to the memory files.
type MemoryLessons struct {
	Memory *Memory
	Store  *Store
	Write  func() string // memory.write: auto | ask | off
}

// Keep writes the lessons where memory.write is auto and nothing of strangers is in
// the conversation. What the memory says already, or refuses, is passed over.
func (m MemoryLessons) Keep(ctx context.Context, session string, tainted bool, lessons []Lesson) (Kept, error) {
	why := ""
	switch write := m.Write(); {
	case m.Store.IsPrivate(session):
		why = "the chat is private"
	case write != "auto":
		why = "memory.write = " + write
	case tainted:
		why = "the conversation holds text of strangers"
	}
	if why != "" {
		return Kept{Left: len(lessons), Why: why}, nil
	}
	var kept Kept
	for _, l := range lessons {
		w, err := m.Memory.Append(ctx, l)
		switch {
		case errors.Is(err, ErrDuplicate):
		case errors.Is(err, ErrRejected):
			kept.Left, kept.Why = kept.Left+1, "the memory refuses such text"
		case err != nil:
			return kept, err
		default:
			kept.Written = append(kept.Written, w)
		}
	}
	return kept, nil
}

// Words says what was done, for people.
func (c Compacted) Words() string {
	text := fmt.Sprintf("%d messages summarised, the last %d stay word for word", c.Messages, c.Recent)
	if c.Plain {
		text += "; made without a model, which gave no usable summary"
	}
	if n := len(c.Lessons.Written); n > 0 {
		text += fmt.Sprintf("; remembered: %d", n)
	}
	if c.Lessons.Left > 0 {
		text += fmt.Sprintf("; %d not remembered: %s", c.Lessons.Left, c.Lessons.Why)
	}
	return text
}

const (
	passDays = 7 * 24 * time.Hour // older sessions are left alone
	passMost = 10                 // sessions on disk alone that a pass summarises
)

// Run summarises periodically until ctx ends. Passes never overlap, and a sleep of
// the machine makes one pass, not many. A pass that takes too long (a model that
// hangs) is stopped before the next is due.
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

// Pass looks once through the sessions of the last 7 days, newest first: those
// with enough messages since their last Summary are summarised; one without a
// message for a while is summarised whole and leaves this process's memory. Of
// those that are on disk alone it takes at most 10.
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
		held, turn := c.c.Store.Held(info.Name)
		if turn || !held && taken == passMost {
			continue // a turn compacts for itself
		}
		done, err := c.passOne(ctx, info.Name)
		if done && !held {
			taken++
		}
		if !held {
			c.c.Store.Release(info.Name)
		}
		if errors.Is(err, ErrStale) {
			continue
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// passOne summarises a session if it is time.
func (c *Compaction) passOne(ctx context.Context, name string) (bool, error) {
	snap, p, err := c.Snapshot(ctx, name, "")
	if err != nil {
		c.c.Logger.Warn("a session is left out of the periodic compaction", "session", name, "err", err)
		return false, ctx.Err()
	}
	keep, inactive := p.KeepRecent, time.Since(snap.Last) > p.InactiveAfter
	if inactive {
		keep = 0
	}
	if snap.Since < p.MinPeriodic {
		return false, nil
	}
	done, err := c.Compact(ctx, snap, keep)
	if err != nil {
		return false, err
	}
	if inactive {
		c.c.Store.Release(name)
	}
	if c.c.Done != nil {
		c.c.Done(done)
	}
	return true, nil
}
