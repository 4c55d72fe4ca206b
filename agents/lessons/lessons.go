// Package lessons has the tools by which a model changes what is remembered, and decides
// which of its words may be saved at once: MEMORY_APPEND, MEMORY_REPLACE, MEMORY_REMOVE.
//
// A lesson is saved where the settings say so and the turn holds nothing but what the user
// typed, or where the user asked for it in these very words. All else is proposed: it
// waits in the inbox until a person decides. Changes are only ever proposed. Nothing is
// written of a private session or where memory.write is off.
//
// The package also tells whether an answer claims to remember something. It compares
// words, without a model; a Lessons belongs to one turn, which is its Host.
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

// Host is told what a turn did to the memory.
type Host interface {
	// Wrote tells of a lesson that was saved.
	Wrote(w memory.Written)
	// Proposed tells of a change that waits in the inbox; see Words.
	Proposed(p memory.Proposal)
	// Warn tells people something that they have to know.
	Warn(text string)
}

// Config is what a Lessons needs.
type Config struct {
	Host     Host
	Memory   *memory.Memory
	Registry *registry.Registry
	Session  string
	Private  func() bool                     // whether the session is
	Write    func() string                   // memory.write as it is now: auto | ask | off
	Message  func() transcript.Block         // the user's message of this turn
	Remember func(tools.Call) tools.Decision // whether what the turn held lets a lesson be saved
	// Place is where lessons of a place of others go, all as proposals; nil for the owner's.
	Place *memory.Target
	// Global and Agent are the budgets of the memories in a prompt, in characters.
	Global, Agent int
}

// Lessons are what one turn remembers. It is used by the turn's goroutine alone.
type Lessons struct {
	c    Config
	kept bool
}

// New makes the Lessons of a turn.
func New(c Config) *Lessons { return &Lessons{c: c} }

// Tools are the tools that change what is remembered.
func (l *Lessons) Tools() []tools.Tool {
	return []tools.Tool{appendTool{l}, replaceTool{l}, removeTool{l}}
}

// Kept reports whether a lesson was saved or proposed, or stood in the memory already.
func (l *Lessons) Kept() bool { return l.kept }

// Unsaved is what became of a line that a memory tool was given and has not written.
type Unsaved string

// What becomes of such a line.
const (
	Proposed     Unsaved = "Not saved: proposed to the user"
	Waiting      Unsaved = "Not saved yet: another program is saving the file."
	Known        Unsaved = "Nothing to save: the memory already says so."
	knownAlready Unsaved = "Nothing to propose"
)

// UnsavedOf tells from the result of a memory tool what became of its line; "" where it
// was written, or where it is no such result.
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

// allowed gives the error that forbids to remember anything in this turn.
func (l *Lessons) allowed() error {
	switch {
	case l.c.Private():
		return errors.New("this chat is private, nothing is remembered; tell the user")
	case l.c.Write() == "off":
		return errors.New("memory is switched off (memory.write = off), nothing was saved; tell the user")
	}
	return nil
}

// propose puts a change into the inbox and says so to the user and the model.
func (l *Lessons) propose(ctx context.Context, p memory.Proposal) (tools.Result, error) {
	p.Session, p.From, p.To = l.c.Session, l.c.Message().ID, l.c.Message().ID
	p, err := l.c.Memory.Propose(ctx, p)
	if errors.Is(err, memory.ErrDuplicate) {
		return l.done(string(knownAlready) + ": " + err.Error() + ".")
	}
	if err != nil {
		return tools.Result{}, fmt.Errorf("nothing was saved or proposed: %w", err)
	}
	l.c.Host.Proposed(p)
	return l.done(fmt.Sprintf("%s, who decides (%s): %s %q in %s. Don't say that it is saved.",
		Proposed, p.Reason(), p.Kind, Words(p), filepath.Base(l.c.Memory.Path(p.Target))))
}

// done is the result of a call that kept something, or had no need to.
func (l *Lessons) done(text string) (tools.Result, error) {
	l.kept = true
	return tools.Result{Text: text}, nil
}

// Words are a proposal in words: the lesson, "old => new", or the line that would go.
func Words(p memory.Proposal) string {
	switch p.Kind {
	case memory.ProposeReplace:
		return p.Old + " => " + p.Text
	case memory.ProposeRemove:
		return p.Old
	}
	return p.Text
}

// target is whose memory a lesson goes to.
func (l *Lessons) target(selector string) (memory.Target, error) {
	if l.c.Place != nil {
		return *l.c.Place, nil // whatever a stranger's text makes the model choose
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

// splitTarget takes "agent:<id>" off the beginning of a lesson.
func splitTarget(arg string) (selector, lesson string) {
	arg = strings.TrimSpace(arg)
	rest, ok := strings.CutPrefix(arg, "agent:")
	if !ok {
		return "", arg
	}
	selector, lesson, _ = strings.Cut(strings.TrimSpace(rest), " ")
	return selector, strings.TrimSpace(lesson)
}
