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

// Learnt are the lessons of one compaction and where they come from.
type Learnt struct {
	Session  string
	Agent    string             // the slug of the agent that was chosen or answered last; "" for none
	Sources  transcript.Sources // of all that the conversation holds
	Periodic bool               // of the periodic pass, not on request
	From, To string             // ids of the first and the last message it was made of
	Lessons  []memory.Lesson
}

// LessonSink takes the lessons of a compaction, before any context is cut. An
// error keeps the context as it is.
type LessonSink interface {
	Keep(ctx context.Context, l Learnt) (Kept, error)
}

// Kept says what became of lessons. What the memory or the inbox says already is in
// none of them.
type Kept struct {
	Written  []memory.Written  // those with the same UndoID are one lesson, in several files
	Proposed []memory.Proposal // wait in the inbox for the user
	Refused  int               // what may not be remembered at all; the log says why
	Left     int               // with which nothing was done, because of Why
	Why      string
}

// Place is what is known of a session beyond its name: for Discord, whose channel
// it is. All fields are optional.
type Place struct {
	Agent  string                   // the agent the channel is mapped to: slug, name or id
	Server string                   // the guild's id
	Silent bool                     // nothing is learnt there
	Person func(name string) string // the id of a person who wrote there; "" unknown
}

// MemoryLessons is the LessonSink that writes to the memory files. Memory, Store
// and Write are required.
//
// Where a lesson goes:
//   - of a conversation on this machine: to the memory of all agents, and to the
//     chosen agent's own on request; facts about people who are no more than a name
//     stand there too, as "Anna: …": a file of their own would be read by nobody.
//   - of a session that is mapped to an agent: to that agent's own.
//   - of another Discord session: to its channel; of its people and its server, who
//     have ids, to theirs. Never to the memory of all agents.
//
// It is written where memory.write is auto and nothing of strangers is in the
// conversation. Else it waits in the inbox with its target and the reason; so does
// what a full list has no room for, and what the model doesn't say how sure it is of.
type MemoryLessons struct {
	Memory *memory.Memory
	Store  *sessionmem.Store
	Write  func() string                               // memory.write: auto | ask | off
	Own    func(selector string) (memory.Target, bool) // an agent's own memory, unless it is the default agent or has none; optional
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

// why is the reason for which a lesson has to wait; "" for none.
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

// refused notes what may not be remembered; the text itself is for debugging alone.
func (m MemoryLessons) refused(session string, err error, kept *Kept) {
	kept.Refused++
	if m.Logger != nil {
		m.Logger.Warn("a lesson was dropped: it may not be remembered", "session", session, "why", err)
	}
}

// targets are the files that a lesson goes to, the first of them for sure.
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

// serverWords are how a model calls the server whose people speak.
var serverWords = []string{"server", "this server", "the server", "guild", "this guild", "the guild"}

// target is where a Discord session's lesson goes: to the person or the server it
// is about, where their id is known, else to the channel.
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

// Words says what was done, for people.
func (c Result) Words() string {
	if c.Again {
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

// Remembered is how many lessons were written; one in several files is one.
func (k Kept) Remembered() int {
	undos := map[string]bool{}
	for _, w := range k.Written {
		undos[w.UndoID] = true
	}
	return len(undos)
}

// Words says what became of the lessons, for people; "" where there was none.
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
