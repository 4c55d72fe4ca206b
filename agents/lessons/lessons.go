// Package lessons has the tools with which a model changes the memory, MEMORY_APPEND,
// MEMORY_REPLACE and MEMORY_REMOVE, and decides which lessons may be saved at once.
//
// A lesson is saved if the settings allow it and the turn holds only text that the user
// typed. Otherwise it becomes a proposal, which waits in the inbox until a person decides:
// where text came from decides, never its wording. Changes are always proposals. Nothing
// is written in a private session or if memory.write is off.
//
// A Lessons belongs to one turn, which is its Host.
package lessons

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// Host is notified of what a turn does to the memory.
type Host interface {
	// Wrote reports a lesson that was saved.
	Wrote(w memory.Written)
	// Proposed reports a change that waits in the inbox; see Words.
	Proposed(p memory.Proposal)
	// Warn shows people a warning.
	Warn(text string)
}

// Config configures a Lessons.
type Config struct {
	Host     Host
	Memory   *memory.Memory
	Registry *registry.Registry
	Session  string
	Private  func() bool                     // whether the session is private
	Write    func() string                   // returns the current memory.write: auto | ask | off
	Message  func() transcript.Block         // returns the user's message of this turn
	Remember func(tools.Call) tools.Decision // decides by the sources of the turn's text
	// Place is the memory for a place's lessons, which are always proposals; nil for the
	// owner's turns.
	Place *memory.Target
	// Global and Agent are the budgets of the memories in a prompt, in characters.
	Global, Agent int
}

// Lessons handles what one turn remembers. Only the turn's goroutine uses it.
type Lessons struct {
	c Config
}

// New returns the Lessons of a turn.
func New(c Config) *Lessons { return &Lessons{c: c} }

// Tools returns the tools that change the memory.
func (l *Lessons) Tools() []tools.Tool {
	return []tools.Tool{appendTool{l}, replaceTool{l}, removeTool{l}}
}

// Unsaved is the outcome of a line that a memory tool didn't write.
type Unsaved string

// The outcomes of such a line.
const (
	Proposed     Unsaved = "Not saved: proposed to the user"
	Waiting      Unsaved = "Not saved yet: another program is saving the file."
	Known        Unsaved = "Nothing to save: the memory already says so."
	knownAlready Unsaved = "Nothing to propose"
)

// UnsavedOf returns the outcome of a line from the result of a memory tool, or "" if the
// line was written or the result is another tool's.
func UnsavedOf(result string) Unsaved {
	for _, u := range []Unsaved{Proposed, Waiting, Known} {
		if strings.HasPrefix(result, string(u)) {
			return u
		}
	}
	if strings.HasPrefix(result, string(knownAlready)) {
		return Known
	}
	return ""
}

// allowed returns an error if this turn may not remember anything.
func (l *Lessons) allowed() error {
	switch {
	case l.c.Private():
		return errors.New("this chat is private, nothing is remembered; tell the user")
	case l.c.Write() == "off":
		return errors.New("memory is switched off (memory.write = off), nothing was saved; tell the user")
	}
	return nil
}

// propose adds a change to the inbox and reports that to the user and the model.
func (l *Lessons) propose(ctx context.Context, p memory.Proposal) (tools.Result, error) {
	p.Session, p.From, p.To = l.c.Session, l.c.Message().ID, l.c.Message().ID
	p, err := l.c.Memory.Propose(ctx, p)
	if errors.Is(err, memory.ErrDuplicate) {
		return tools.Result{Text: string(knownAlready) + ": " + err.Error() + "."}, nil
	}
	if err != nil {
		return tools.Result{}, fmt.Errorf("nothing was saved or proposed: %w", err)
	}
	l.c.Host.Proposed(p)
	return tools.Result{Text: fmt.Sprintf("%s, who decides (%s): %s %q in %s. Don't say that it is saved.",
		Proposed, p.Reason(), p.Kind, Words(p), filepath.Base(l.c.Memory.Path(p.Target)))}, nil
}

// Words returns a proposal as text: the lesson, "old => new", or the line to remove.
func Words(p memory.Proposal) string {
	switch p.Kind {
	case memory.ProposeReplace:
		return p.Old + " => " + p.Text
	case memory.ProposeRemove:
		return p.Old
	}
	return p.Text
}

// target returns the memory for a lesson.
func (l *Lessons) target(selector string) (memory.Target, error) {
	if l.c.Place != nil {
		return *l.c.Place, nil // whatever memory a stranger's text makes the model choose
	}
	if selector == "" {
		return memory.Target{Kind: memory.TargetGlobal}, nil
	}
	a, err := l.c.Registry.Find(selector)
	if err != nil {
		return memory.Target{}, err
	}
	target, ok := registry.OwnMemory(a)
	if !ok {
		return memory.Target{}, fmt.Errorf("%s is a single file and has no memory of its own; leave out agent:<id>", a.Slug)
	}
	return target, nil
}

// splitTarget splits "agent:<id>" off the beginning of a lesson.
func splitTarget(arg string) (selector, lesson string) {
	arg = strings.TrimSpace(arg)
	rest, ok := strings.CutPrefix(arg, "agent:")
	if !ok {
		return "", arg
	}
	selector, lesson, _ = strings.Cut(strings.TrimSpace(rest), " ")
	return selector, strings.TrimSpace(lesson)
}
