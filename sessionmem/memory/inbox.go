package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/transcript"
)

// ErrNoProposal means that the inbox holds no proposal with that ID.
var ErrNoProposal = errors.New("no such proposal in the inbox")

// ErrInboxFull means that so many proposals wait that no more are accepted. It wraps
// lesson.ErrRejected.
var ErrInboxFull = fmt.Errorf("%w: the inbox is full", lesson.ErrRejected)

// The reasons why a change waits instead of being made at once.
const (
	WhyAsk       = "ask"       // memory.write = ask
	WhyStrangers = "strangers" // the conversation holds text from strangers
	WhyFull      = "full"      // there is no room: a line would have to be replaced
	WhyUnsure    = "unsure"    // the model didn't say how sure it is
	WhyChange    = "change"    // replacements and removals always wait
	WhyAssistant = "assistant" // another assistant proposed it
	WhySaving    = "saving"    // the file couldn't be written; the lesson is written later, without asking the user
)

// maxProposals is the number of proposals that may wait. A page that makes a model propose
// without end must not bury the user's own proposals.
const maxProposals = 200

// maxOfAssistants is the number of proposals that other assistants may have in the inbox,
// so that there is room for those from the user's own conversations.
const maxOfAssistants = 20

// maxOld is the maximum length, in characters, of an existing line that a proposal can
// replace or remove.
const maxOld = 2000

// ProposalKind is what a proposal would do.
type ProposalKind string

// The kinds of proposals.
const (
	ProposeAdd     ProposalKind = "add"
	ProposeReplace ProposalKind = "replace"
	ProposeRemove  ProposalKind = "remove"
)

// Proposal is a change of a memory that waits for the user's decision in
// agents/memory-inbox.md, a file that people can read and edit.
type Proposal struct {
	ID         string
	Kind       ProposalKind
	Target     Target
	Text       string  // the new line; "" for a removal
	Old        string  // the line as it is now, for a replacement or a removal
	Confidence float64 // 0 … 1; 0 if unknown
	Session    string
	Why        string    // one of the Why constants; "" if unknown
	From, To   string    // the IDs of the first and last block it was learned from; "" if unknown
	Time       time.Time // zero for one written by hand without a time
	Line       int       // 1-based line in the inbox

	Accepting bool // its change was begun and perhaps completed; Accept finishes it
}

// Reason returns Why in words, for people.
func (p Proposal) Reason() string {
	switch p.Why {
	case WhyAsk:
		return "memory.write = ask"
	case WhyStrangers:
		return "the conversation holds text of strangers"
	case WhyFull:
		return "there is no room for one more line"
	case WhyUnsure:
		return "the model didn't say how sure it is"
	case WhyForgotten:
		return "it was learnt from something that you had forgotten"
	case WhyAssistant:
		return "another assistant proposed it"
	case WhyChange:
		return "changes of the memory always wait for you"
	case WhySaving:
		return "the file couldn't be written; it is remembered when it can be"
	}
	return ""
}

// inbox holds the changes of the memory that wait for the user's decision. It proposes,
// edits, accepts and discards them.
type inbox struct{ s *store }

// InboxPath returns the path of the inbox, whether or not the file exists.
func (b *inbox) InboxPath() string { return b.s.waiting.path }

// Inbox returns the proposals in the order of the file, oldest first; none if there is no
// inbox.
func (b *inbox) Inbox() ([]Proposal, error) { return b.s.waiting.list() }

// Propose puts a change into the inbox and returns it with its ID. The text passes the same
// checks as in Append. Old may differ from the line in case and spaces, but must match
// exactly one line. A lesson for a full list becomes a replacement of its oldest line.
// Errors: ErrDuplicate if the memory or the inbox already says so, lesson.ErrRejected,
// ErrNoLine, or errors of the disk.
func (b *inbox) Propose(ctx context.Context, p Proposal) (Proposal, error) {
	if p.Kind == "" {
		p.Kind = ProposeAdd
	}
	if p.Target.Kind == "" {
		p.Target.Kind = TargetGlobal
	}
	if err := p.check(b.s.root, b.s.forgotten); err != nil {
		return Proposal{}, err
	}
	if p.Kind != ProposeRemove {
		if err := b.s.files.Journal().CheckRemoved(p.Text); err != nil {
			return Proposal{}, err
		}
	}
	f, err := b.s.LoadStable(ctx, p.Target)
	if err != nil {
		return Proposal{}, err
	}
	unlock, err := b.s.files.LockStill(ctx, b.s.waiting.path)
	if err != nil {
		return Proposal{}, err
	}
	defer unlock()
	waiting, err := b.s.waiting.list()
	if err != nil {
		return Proposal{}, err
	}
	if err := hasRoom(p.Why, waiting); err != nil {
		return Proposal{}, err
	}
	if err := b.fitProposal(&p, f, waiting); err != nil {
		return Proposal{}, err
	}
	for _, w := range waiting {
		if w.Kind == p.Kind && w.Target == p.Target && strings.EqualFold(w.Text, p.Text) && w.Old == p.Old {
			return Proposal{}, fmt.Errorf("%w: it waits in the inbox as %s", ErrDuplicate, w.ID)
		}
	}
	p.ID, p.Time = transcript.RandomID(6), time.Now()
	return p, b.s.waiting.add(&p)
}

// hasRoom returns an error if no more proposals may wait. Proposals made by forgetting are
// always allowed.
func hasRoom(why string, waiting []Proposal) error {
	assistants := 0
	for _, w := range waiting {
		if w.Why == WhyAssistant {
			assistants++
		}
	}
	switch {
	case why == WhyForgotten:
	case why == WhyAssistant && assistants >= maxOfAssistants:
		return fmt.Errorf("%w: %d proposals of assistants wait there already; the user decides about those first", ErrInboxFull, assistants)
	case len(waiting) >= maxProposals:
		return fmt.Errorf("%w: %d proposals wait there already; accept or discard some first", ErrInboxFull, len(waiting))
	}
	return nil
}

// check does the checks that need no file.
func (p *Proposal) check(root folder, record *forgotten.Record) error {
	if root.path(p.Target) == "" {
		return badTarget(p.Target)
	}
	if err := lesson.CheckConfidence(p.Confidence); err != nil {
		return err
	}
	if p.Kind != ProposeRemove {
		text, err := lesson.Check(p.Text)
		if err != nil {
			return err
		}
		if record.HasIn(p.Session, text) {
			return fmt.Errorf("%w: you had it forgotten; add it yourself if you want it back", lesson.ErrRejected)
		}
		p.Text = text
	} else {
		p.Text = ""
	}
	p.Old = transcript.OneLine(p.Old)
	switch n := utf8.RuneCountInString(p.Old); {
	case p.Kind == ProposeAdd:
		p.Old = ""
	case n == 0:
		return fmt.Errorf("%w: say which line; copy its words", ErrNoLine)
	case n > maxOld || strings.Contains(p.Old, "<!--"):
		return fmt.Errorf("%w: the line is too long or holds a comment; change it by hand", lesson.ErrRejected)
	}
	return nil
}

// fitProposal compares a proposal with the memory that it would change.
func (b *inbox) fitProposal(p *Proposal, f File, waiting []Proposal) error {
	text := memorytext.Parse(f.Text)
	if p.Kind != ProposeAdd {
		it, err := findLine(text, p.Old, filepath.Base(f.Path))
		if err != nil {
			return err
		}
		b, _ := it.Bullet()
		p.Old = b.Text
	}
	if dup, found := findDuplicate(text, p.Text); found && p.Kind != ProposeRemove && dup.Text != p.Old {
		return fmt.Errorf("%w: line %d of %s: %q", ErrDuplicate, dup.Line, filepath.Base(f.Path), dup.Text)
	}
	if p.Kind == ProposeReplace && p.Old == p.Text {
		return fmt.Errorf("%w: old and new line are the same", ErrDuplicate)
	}
	if p.Kind == ProposeAdd && b.s.room.full(p.Target, text, p.Text, false) != "" {
		p.Why = cmp.Or(p.Why, WhyFull)
		return replaceOldest(p, f.Bullets, waiting)
	}
	return nil
}

// replaceOldest turns a proposal for a full list into a replacement of its oldest line that
// no other proposal would change. Learned lines are replaced before lines that the user
// wrote.
func replaceOldest(p *Proposal, bullets []memorytext.Bullet, waiting []Proposal) error {
	for _, learnt := range []bool{true, false} {
		for _, b := range bullets {
			changed := func(w Proposal) bool { return w.Target == p.Target && w.Old == b.Text }
			alike := func(other memorytext.Bullet) bool { return other.Text == b.Text && other.Line != b.Line }
			if (b.From != "") != learnt || utf8.RuneCountInString(b.Text) > maxOld ||
				slices.ContainsFunc(waiting, changed) || slices.ContainsFunc(bullets, alike) {
				continue
			}
			p.Kind, p.Old = ProposeReplace, b.Text
			return nil
		}
	}
	return fmt.Errorf("%w: it holds %d lines, and changes of all of them wait in the inbox", ErrFull, len(bullets))
}

// Discard removes a proposal from the inbox without making the change.
func (b *inbox) Discard(ctx context.Context, id string) (Proposal, error) {
	unlock, err := b.s.files.LockStill(ctx, b.s.waiting.path)
	if err != nil {
		return Proposal{}, err
	}
	defer unlock()
	return b.s.waiting.change(id, func(*Proposal) (string, error) { return "", nil })
}

// Edit replaces a proposal's new text. The proposal stays in the inbox.
func (b *inbox) Edit(ctx context.Context, id, text string) (Proposal, error) {
	text, err := lesson.Check(text)
	if err != nil {
		return Proposal{}, err
	}
	unlock, err := b.s.files.LockStill(ctx, b.s.waiting.path)
	if err != nil {
		return Proposal{}, err
	}
	defer unlock()
	return b.s.waiting.change(id, func(p *Proposal) (string, error) {
		if p.Kind == ProposeRemove {
			return "", fmt.Errorf("%w: %s would remove a line and has no text to edit; accept or discard it", lesson.ErrRejected, p.ID)
		}
		if p.Time.IsZero() {
			p.Time = time.Now()
		}
		p.Text, p.Accepting = text, false
		return p.bullet(), nil
	})
}
