package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/sharedfile"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// inboxFile is the file of the proposals. Its writing methods need the lock of the files.
type inboxFile struct {
	path  string
	files *sharedfile.Files
	sieve *sieve
}

// list returns the proposals in the order of the file.
func (b inboxFile) list() ([]Proposal, error) {
	raw, _, err := wholefile.ReadText(b.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, wholefile.Explain("reading "+filepath.Base(b.path), err)
	}
	raw, _ = b.files.Purge(b.path, raw)
	return parseProposals(memorytext.ParseBytes(raw)), nil
}

// find returns the proposal with this ID.
func (b inboxFile) find(id string) (Proposal, error) {
	raw, _, err := wholefile.ReadText(b.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Proposal{}, wholefile.Explain("reading "+filepath.Base(b.path), err)
	}
	p, _, err := findProposal(b.sieve.Without(b.path, raw), id)
	return p, err
}

// add appends a proposal to the inbox.
func (b inboxFile) add(p *Proposal) error {
	return b.files.Edit(b.path, func(raw []byte) ([]byte, error) {
		if len(raw) == 0 {
			raw = []byte(inboxHead)
		}
		out, change := memorytext.ParseBytes(raw).AppendListed(raw, p.bullet())
		p.Line = change.At + 1
		if got, _, err := findProposal(out, p.ID); err != nil || got.Line != p.Line || got.Target != p.Target || got.Text != p.Text || got.Old != p.Old {
			return nil, errors.New("memory-inbox.md has no place for the proposal, perhaps a comment in it never ends; look at the file, then try again")
		}
		return out, nil
	})
}

// findProposal returns the proposal with this ID from the text of an inbox, with its lines.
func findProposal(raw []byte, id string) (Proposal, memorytext.Item, error) {
	text := memorytext.ParseBytes(raw)
	for _, p := range parseProposals(text) {
		if p.ID != strings.ToLower(id) {
			continue
		}
		i := slices.IndexFunc(text.Items, func(it memorytext.Item) bool { return it.First+1 == p.Line })
		return p, text.Items[i], nil
	}
	return Proposal{}, memorytext.Item{}, fmt.Errorf("%w: %q; `mac-stats memory inbox` lists them", ErrNoProposal, id)
}

// change replaces a proposal's lines with the result of bullet, or removes them if that is
// "".
func (b inboxFile) change(id string, bullet func(p *Proposal) (string, error)) (Proposal, error) {
	var p Proposal
	err := b.files.Edit(b.path, func(raw []byte) ([]byte, error) {
		var it memorytext.Item
		var err error
		if p, it, err = findProposal(raw, id); err != nil {
			return nil, err
		}
		line, err := bullet(&p)
		if err != nil {
			return nil, err
		}
		out, _, _ := it.Replace(raw, line)
		return out, nil
	})
	return p, err
}

// keep puts a lesson into the inbox while another program saves its file, and returns the
// proposal's ID.
func (b inboxFile) keep(l Lesson, text string) (id string, err error) {
	waiting, err := b.list()
	if err != nil {
		return "", err
	}
	for _, p := range waiting {
		if p.Kind == ProposeAdd && p.Target == l.Target && p.Text == text {
			return p.ID, nil
		}
	}
	p := Proposal{ID: transcript.RandomID(6), Kind: ProposeAdd, Target: l.Target, Text: text, Confidence: l.Confidence, Session: l.Session, Why: WhySaving, Time: time.Now()}
	return p.ID, b.add(&p)
}

// unsettle turns a lesson that waited for a save into an ordinary proposal, because it
// can't be written now.
func (b inboxFile) unsettle(id, why string) error {
	_, err := b.change(id, func(p *Proposal) (string, error) {
		p.Why = why
		return p.bullet(), nil
	})
	return err
}

// mark notes in the inbox that the change of a proposal begins. It returns the proposal's
// lines as they were.
func (b inboxFile) mark(id string) (before []byte, err error) {
	err = b.files.Edit(b.path, func(raw []byte) ([]byte, error) {
		p, it, err := findProposal(raw, id)
		if err != nil {
			return nil, err
		}
		p.Accepting = true
		out, _, gone := it.Replace(raw, p.bullet())
		before = gone
		return out, nil
	})
	return before, err
}

// unmark restores the lines of a proposal that mark changed.
func (b inboxFile) unmark(id string, before []byte) error {
	return b.files.Edit(b.path, func(raw []byte) ([]byte, error) {
		_, it, err := findProposal(raw, id)
		if errors.Is(err, ErrNoProposal) { // an editor saved the inbox without it
			return raw, nil
		}
		if err != nil {
			return nil, err
		}
		begin, end := it.Bytes(raw)
		return slices.Concat(raw[:begin], before, raw[end:]), nil
	})
}

// takeOut removes a proposal from the inbox. If it is gone already because an editor saved
// the inbox without it, that is no error.
func (b inboxFile) takeOut(id string) error {
	_, err := b.change(id, func(*Proposal) (string, error) { return "", nil })
	if errors.Is(err, ErrNoProposal) {
		return nil
	}
	return err
}
