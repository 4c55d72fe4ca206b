package sieve

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/summary"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Cleaner removes matching text from the files of one session, block by block and in order.
// It is used for one pass.
type Cleaner struct {
	t       *forgotten.Traces
	session string

	title bool   // the first message goes, from which titles and names of files are made
	first string // its text if it goes now; "" if it was removed before
	lost  []string

	out     *bytes.Buffer // receives the resulting bytes; nil to only look
	changed bool          // something was removed from this file
	found   []forgotten.Touched

	dirty    bool // something was removed that later Summaries and titles are made from
	users    int
	previous *transcript.Block // the last Summary
	said     transcript.Fingerprints
	kept     []transcript.Block
	ids      map[string]string // from IDs derived from removed text to their replacements
	seen     *transcript.IDs
}

// NewCleaner returns a Cleaner for the files of a session.
func NewCleaner(t *forgotten.Traces, session string) *Cleaner {
	return &Cleaner{t: t, session: session, ids: map[string]string{}, seen: transcript.NewIDs()}
}

// Again returns a Cleaner for another pass, which knows from the beginning whether the
// first message goes.
func (c *Cleaner) Again() *Cleaner {
	again := NewCleaner(c.t, c.session)
	again.title, again.first = c.title, c.first
	return again
}

// FirstGoes reports whether the first message goes, and returns its text.
func (c *Cleaner) FirstGoes() (first string, matches bool) { return c.first, c.title }

// Lost returns the attached files that removed text links to.
func (c *Cleaner) Lost() []string { return c.lost }

// File cleans the next file. It writes the result to out, which may be nil, and returns
// what was removed and whether anything changed.
func (c *Cleaner) File(data []byte, out *bytes.Buffer) (found []forgotten.Touched, changed bool, err error) {
	c.out, c.changed, c.found = out, false, nil
	err = c.file(data)
	return c.found, c.changed, err
}

func (c *Cleaner) file(data []byte) error {
	skip := 0
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		skip = 3
	}
	front, size := transcript.CutFrontMatter(data[skip:])
	at := skip + size
	c.front(data[:at], front)
	r := transcript.NewReader(bytes.NewReader(data))
	for {
		raw, err := r.Read()
		if errors.Is(err, io.EOF) {
			c.write(data[at:])
			return nil
		}
		if err != nil {
			return err
		}
		begin, end := int(raw.Offset), int(raw.Offset+raw.Size)
		out := c.block(raw)
		if out == nil {
			out = data[begin:end]
		} else {
			c.changed = true
		}
		c.write(data[at:begin])
		c.write(out)
		at = end
	}
}

func (c *Cleaner) write(data []byte) {
	if c.out != nil {
		c.out.Write(data)
	}
}

// front cleans the front matter. Its title may be made from the first message.
func (c *Cleaner) front(raw []byte, front string) {
	title := transcript.FrontValue(front, "title")
	matches := c.t.HoldsIn(c.session, title) || c.title && c.t.MayBeMadeFrom(c.session, c.first, title)
	if title == "" || title == forgotten.Text || !matches {
		c.write(raw)
		return
	}
	c.changed = true
	c.find(forgotten.Touched{Place: "title", Action: forgotten.Emptied, Text: title})
	for line := range bytes.Lines(raw) {
		if bytes.HasPrefix(line, []byte("title:")) {
			line = []byte("title: " + transcript.YAMLValue(forgotten.Text) + wholefile.LineEnd(line))
		}
		c.write(line)
	}
}

func (c *Cleaner) find(t forgotten.Touched) {
	t.Session = c.session
	t.Text = forgotten.Preview(t.Text)
	c.found = append(c.found, t)
}

// block returns the replacement of a block, or nil if the block stays.
func (c *Cleaner) block(raw transcript.RawBlock) []byte {
	b := raw.Decode()
	derived := c.seen.Identify(&b, raw.Derived)
	old := b
	cleaned, whole, changed := c.t.Clean(c.session, b)
	if c.remap(&cleaned) {
		changed = true
	}
	switch place := string(b.Kind); {
	case b.Kind == transcript.KindSummary && c.dirty && b.Text != forgotten.Text && !whole:
		cleaned = summary.Rebuilt(cleaned, c.summary()).WithFingerprint(c.said.First(len(c.said)))
		changed = true
		c.find(forgotten.Touched{Place: place, Action: summaryAction(cleaned.Text), Block: b.ID, Time: b.Time, Text: b.Text})
	case b.Kind == transcript.KindNote && b.Note == transcript.NoteTitle && b.By != "" && c.dirty && b.Text != forgotten.Text:
		cleaned.Text, changed = forgotten.Text, true
		c.find(forgotten.Touched{Place: "title", Action: forgotten.Emptied, Block: b.ID, Time: b.Time, Text: b.Text})
	case changed && old.Text == cleaned.Text && old.Task == cleaned.Task && b.Kind != transcript.KindNote:
		c.find(unquoted(old))
	case changed:
		if b.Kind == transcript.KindNote && b.Note == transcript.NoteTitle {
			place = "title"
		}
		c.find(forgotten.Touched{Place: place, Action: forgotten.Emptied, Block: b.ID, Time: b.Time, Text: taken(old, cleaned)})
	case b.Kind == transcript.KindUser && b.Text != forgotten.Text && c.t.HoldsIn(c.session, b.Text) && (b.Time.IsZero() || b.Time.Before(c.t.Own().At)):
		c.find(forgotten.Touched{Place: place, Action: forgotten.Kept, Block: b.ID, Time: b.Time, Text: b.Text, Why: "you typed the same here; with copies it goes too"})
	}
	if b.Kind == transcript.KindSummary && c.dirty && cleaned.Text == forgotten.Text && b.Attrs[transcript.AttrFingerprint] != "" {
		// The hash of what the Summary covers must not let anyone test a guess at the removed text.
		if now := c.said.First(len(c.said)); b.Attrs[transcript.AttrFingerprint] != now.String() {
			cleaned, changed = cleaned.WithFingerprint(now), true
		}
	}
	if changed && derived {
		cleaned.ID = transcript.RandomID(8)
		c.ids[old.ID] = cleaned.ID
	}
	c.follow(old, cleaned, changed)
	if !changed {
		return nil
	}
	return c.rewritten(raw, cleaned)
}

// summaryAction returns the action to report for a Summary.
func summaryAction(text string) string {
	if text == forgotten.Text {
		return forgotten.Emptied
	}
	return forgotten.Rebuilt
}

// taken returns the text that was removed.
func taken(old, cleaned transcript.Block) string {
	if old.Text != cleaned.Text {
		return old.Text
	}
	return old.Task
}

// unquoted reports a block that only quotes removed text, or was made with it at hand.
func unquoted(b transcript.Block) forgotten.Touched {
	t := forgotten.Touched{Place: "quote", Action: forgotten.Removed, Block: b.ID, Time: b.Time, Text: b.Context}
	if b.Kind == transcript.KindAssistant {
		t.Place, t.Action, t.Text = string(b.Kind), forgotten.Kept, b.Text
		t.Why = "it was answered with what is forgotten at hand; read it, and forget it too if it tells"
	}
	return t
}

// remap replaces references to a block whose ID was derived from its text: such an ID is a
// hash of the text without a key.
func (c *Cleaner) remap(b *transcript.Block) (changed bool) {
	for _, ref := range []*string{&b.Parent, &b.Through} {
		if id, ok := c.ids[*ref]; ok {
			*ref, changed = id, true
		}
	}
	if id, ok := c.ids[b.Text]; ok && b.IsBranching() {
		b.Text, changed = id, true
	}
	return changed
}

// follow records what later Summaries are made from.
func (c *Cleaner) follow(old, b transcript.Block, changed bool) {
	switch b.Kind {
	case transcript.KindNote:
		switch b.Note {
		case transcript.NoteEnded:
			c.dirty, c.previous, c.kept, c.said = false, nil, nil, nil
		case transcript.NoteRewind:
			if i := slices.IndexFunc(c.kept, func(k transcript.Block) bool { return k.ID == b.Text }); i >= 0 {
				c.kept = c.kept[:i]
			}
		case transcript.NoteVersion:
			c.previous, c.kept = nil, nil // what later Summaries are made from is unknown here
		}
		return
	case transcript.KindSummary:
		if !c.said.Match(b) {
			return // it contains what a person has removed since
		}
		c.previous = &b
		if i := slices.IndexFunc(c.kept, func(k transcript.Block) bool { return k.ID == b.Through }); i >= 0 {
			c.kept = slices.Clone(c.kept[i+1:])
		}
		return
	case transcript.KindUser:
		c.users++
		if c.users == 1 && (old.Text != b.Text || old.Text == forgotten.Text) {
			c.title = true
			if old.Text != forgotten.Text {
				c.first = old.Text
			}
		}
	}
	if changed {
		c.dirty = true
		for _, a := range transcript.Attachments(old.Text) {
			if !strings.Contains(b.Text, a.File) {
				c.lost = append(c.lost, a.File)
			}
		}
	}
	if b.IsMessage() {
		c.said.Add(b.ID, b.Checksum())
	}
	if b.IsMessage() && b.Text != forgotten.Text {
		c.kept = append(c.kept, b)
		if len(c.kept) > 4*summary.MaxMessages {
			c.kept = slices.Clone(c.kept[len(c.kept)-2*summary.MaxMessages:])
		}
	}
}

// summary makes a Summary of the blocks that are left before it.
func (c *Cleaner) summary() string {
	previous := c.previous
	if previous != nil && previous.Text == forgotten.Text {
		previous = nil
	}
	if previous == nil && len(c.kept) == 0 {
		return forgotten.Text
	}
	text := summary.Plain(previous, c.kept[max(0, len(c.kept)-summary.MaxMessages):])
	if c.t.HoldsIn(c.session, text) {
		return forgotten.Text
	}
	return text
}

// rewritten returns the block in its new form: the old heading, a new comment line, and its
// text.
func (c *Cleaner) rewritten(raw transcript.RawBlock, b transcript.Block) []byte {
	if !raw.Headed || !raw.Heading.Known {
		return []byte(forgotten.Text + "\n\n")
	}
	head := raw.Raw[:bytes.IndexByte(append(slices.Clip(raw.Raw), '\n'), '\n')]
	out := append(bytes.TrimRight(slices.Clone(head), "\r"), '\n')
	h := raw.Heading
	if attrs := transcript.BlockAttrs(b, h.Agent != "", h.Model != ""); len(attrs) > 0 {
		out = append(transcript.AppendComment(out, attrs), '\n')
	}
	if b.Text != "" {
		out = append(transcript.AppendEscaped(append(out, '\n'), b.Text), '\n')
	}
	if bytes.HasSuffix(raw.Raw, []byte("\n\n")) {
		out = append(out, '\n')
	}
	return out
}
