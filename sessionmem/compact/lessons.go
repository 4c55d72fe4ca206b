package compact

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// Learnt holds the lessons of one compaction and where they come from.
type Learnt struct {
	Session  string
	Agent    string             // the slug of the agent that was chosen or answered last; "" for none
	Sources  transcript.Sources // of everything in the conversation
	Periodic bool               // from a periodic pass, not on request
	From, To string             // IDs of the first and the last message they come from
	Lessons  []memory.Lesson
}

// LessonSink receives the lessons of a compaction before any context is cut. An error keeps
// the context as it is.
type LessonSink interface {
	Keep(ctx context.Context, l Learnt) (Kept, error)
}

// Kept reports what became of lessons. It doesn't include those that the memory or the inbox
// already holds.
type Kept struct {
	Written  []memory.Written  // entries with the same UndoID are one lesson in several files
	Proposed []memory.Proposal // waiting in the inbox for the user
	Refused  int               // may never be remembered; the log says why
	Left     int               // left unhandled because of Why
	Why      string
}

// Place holds what is known of a session beyond its name, such as its Discord channel. All
// fields are optional.
type Place struct {
	Agent  string                   // the agent the channel is mapped to: slug, name or ID
	Server string                   // the guild's ID
	Silent bool                     // nothing is learned there
	Person func(name string) string // returns the ID of a person who wrote there; "" if unknown
}

// MemoryLessons is the LessonSink that writes to the memory files. Memory, Store
// and Write are required.
//
// Where a lesson goes:
//   - From a conversation on this machine: to the memory of all agents, and on request to
//     the chosen agent's own. Facts about people known only by name go there too, as
//     "Anna: …": nobody would read a file of their own.
//   - From a session that is mapped to an agent: to that agent's own memory.
//   - From any other Discord session: to its channel; facts about its people and its server,
//     which have IDs, to theirs. Never to the memory of all agents.
//
// It is written if memory.write is auto and the conversation contains nothing from strangers.
// Otherwise it waits in the inbox with its target and the reason, and so does a lesson that a
// full list has no room for, or for which the model gives no confidence.
type MemoryLessons struct {
	Memory *memory.Memory
	Store  *sessionmem.Store
	Write  func() string                               // memory.write: auto | ask | off
	Own    func(selector string) (memory.Target, bool) // returns an agent's own memory, unless it is the default agent or has none; optional
	Place  func(session string) Place                  // optional
	Logger *slog.Logger                                // optional
}

// Keep writes or proposes the lessons.
func (m MemoryLessons) Keep(ctx context.Context, l Learnt) (Kept, error) {
	switch {
	case m.Store.IsPrivate(l.Session):
		return Kept{Left: len(l.Lessons), Why: "the chat is private"}, nil
	case m.Write() == "off":
		return Kept{Left: len(l.Lessons), Why: "memory.write = off"}, nil
	}
	if m.Place != nil && m.Place(l.Session).Silent {
		return Kept{}, nil
	}
	var kept Kept
	for _, one := range l.Lessons {
		one.Session = l.Session
		if err := m.keep(ctx, l, one, &kept); err != nil {
			return kept, err
		}
	}
	return kept, nil
}

// keep writes one lesson into each of its files, or proposes it for them.
func (m MemoryLessons) keep(ctx context.Context, l Learnt, one memory.Lesson, kept *Kept) error {
	targets := m.targets(l, one)
	why := m.why(l, one)
	if why == "" {
		written, full, err := m.Memory.AppendTo(ctx, one, targets)
		if errors.Is(err, lesson.ErrRejected) {
			m.refused(l.Session, err, kept)
			return nil
		}
		kept.Written = append(kept.Written, written...)
		if err != nil {
			return err
		}
		targets, why = full, memory.WhyFull
	}
	for _, target := range targets {
		if err := m.propose(ctx, l, one, target, why, kept); err != nil {
			return err
		}
	}
	return nil
}

// why returns the reason for which a lesson must wait; "" for none.
func (m MemoryLessons) why(l Learnt, one memory.Lesson) string {
	switch {
	case m.Write() != "auto":
		return memory.WhyAsk
	case !l.Sources.Typed() || transcript.IsDiscord(l.Session):
		return memory.WhyStrangers
	case one.Confidence == 0:
		return memory.WhyUnsure
	}
	return ""
}

func (m MemoryLessons) propose(ctx context.Context, l Learnt, one memory.Lesson, target memory.Target, why string, kept *Kept) error {
	p, err := m.Memory.Propose(ctx, memory.Proposal{
		Kind: memory.ProposeAdd, Target: target, Text: one.Text, Confidence: one.Confidence,
		Session: l.Session, From: l.From, To: l.To, Why: why,
	})
	switch {
	case errors.Is(err, memory.ErrDuplicate):
	case errors.Is(err, memory.ErrInboxFull), errors.Is(err, memory.ErrFull):
		kept.Left, kept.Why = kept.Left+1, err.Error()
	case errors.Is(err, lesson.ErrRejected):
		m.refused(l.Session, err, kept)
	case err != nil:
		return err
	default:
		kept.Proposed = append(kept.Proposed, p)
	}
	return nil
}

// refused records what may not be remembered; its text goes only to the debug log.
func (m MemoryLessons) refused(session string, err error, kept *Kept) {
	kept.Refused++
	if m.Logger != nil {
		m.Logger.Warn("a lesson was dropped: it may not be remembered", "session", session, "why", err)
	}
}

// targets returns the files that a lesson goes to, the certain one first.
func (m MemoryLessons) targets(l Learnt, one memory.Lesson) []memory.Target {
	var place Place
	if m.Place != nil {
		place = m.Place(l.Session)
	}
	if own, ok := m.own(place.Agent); ok && one.About == "" {
		return []memory.Target{own}
	}
	if channel, ok := strings.CutPrefix(l.Session, transcript.DiscordPrefix); ok {
		return []memory.Target{place.target(one, memory.Target{Kind: memory.TargetChannel, ID: channel})}
	}
	list := []memory.Target{{Kind: memory.TargetGlobal}}
	if own, ok := m.own(l.Agent); ok && !l.Periodic && one.About == "" {
		list = append(list, own)
	}
	return list
}

func (m MemoryLessons) own(selector string) (memory.Target, bool) {
	if m.Own == nil || selector == "" {
		return memory.Target{}, false
	}
	return m.Own(selector)
}

// serverWords are what models call the server whose people speak.
var serverWords = []string{"server", "this server", "the server", "guild", "this guild", "the guild"}

// target returns where a Discord session's lesson goes: to the person or the server it
// is about if their ID is known, otherwise to the channel.
func (p Place) target(l memory.Lesson, channel memory.Target) memory.Target {
	if l.About == "" {
		return channel
	}
	if p.Server != "" && slices.Contains(serverWords, strings.ToLower(l.About)) {
		return memory.Target{Kind: memory.TargetServer, ID: p.Server}
	}
	if p.Person != nil {
		if id := p.Person(l.About); id != "" {
			return memory.Target{Kind: memory.TargetPerson, ID: id}
		}
	}
	return channel
}

// Words describes the result for people.
func (c Result) Words() string {
	if c.Renewed {
		return fmt.Sprintf("the summary of %d messages made anew of what is left of them", c.Messages)
	}
	text := fmt.Sprintf("%d messages summarised, the last %d stay word for word", c.Messages, c.Recent)
	if c.Messages == 0 {
		text = fmt.Sprintf("the conversation summarised, all %d messages stay word for word", c.Recent)
	}
	if c.Plain {
		text += "; made without a model, which gave no usable summary"
	}
	if words := c.Lessons.Words(); words != "" {
		text += "; " + words
	}
	return text
}

// Remembered returns how many lessons were written; one in several files counts once.
func (k Kept) Remembered() int {
	undos := map[string]bool{}
	for _, w := range k.Written {
		undos[w.UndoID] = true
	}
	return len(undos)
}

// Words describes what became of the lessons for people; "" if there were none.
func (k Kept) Words() string {
	var parts []string
	if n := k.Remembered(); n > 0 {
		parts = append(parts, fmt.Sprintf("remembered: %d", n))
	}
	if n := len(k.Proposed); n > 0 {
		parts = append(parts, fmt.Sprintf("waiting for you in the inbox: %d (%s)", n, k.Proposed[0].Reason()))
	}
	if k.Refused > 0 {
		parts = append(parts, fmt.Sprintf("dropped: %d that may not be remembered (instructions, secrets, hidden characters or no lesson)", k.Refused))
	}
	if k.Left > 0 {
		parts = append(parts, fmt.Sprintf("%d not remembered: %s", k.Left, k.Why))
	}
	return strings.Join(parts, "; ")
}
