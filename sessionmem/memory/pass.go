package memory

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// placeAgent names a file of an agent or a skill that isn't a memory.
const placeAgent = "agent's file"

// pass removes matching text from one text file.
type pass struct {
	s    *sieve
	t    *forgotten.Traces
	path string
	dry  bool

	returned bool // the file is cleaned again after an earlier forgetting: nothing is proposed

	found   []forgotten.Touched
	propose []Proposal
	changed bool
}

func (f *pass) refuse(err error) {
	f.found = append(f.found, forgotten.Touched{Place: f.place(), Action: forgotten.Refused, Path: f.path, Why: wholefile.WhyNot(err)})
}

// place returns the kind of the file, for people.
func (f *pass) place() string {
	switch base := filepath.Base(f.path); {
	case f.path == f.s.root.inbox():
		return "proposal"
	case strings.Contains(base, "memory"), strings.HasPrefix(f.path, filepath.Join(string(f.s.root), "memory")):
		return "memory"
	default:
		return placeAgent
	}
}

// clean returns the file without the lines that hold matching text.
func (f *pass) clean(raw []byte) []byte {
	text := memorytext.ParseBytes(raw)
	proposals := map[int]Proposal{}
	if f.path == f.s.root.inbox() {
		for _, p := range parseProposals(text) {
			proposals[p.Line] = p
		}
	}
	pieces := map[int]string{}
	if f.t.MarksLines() {
		for _, p := range text.Pieces() {
			pieces[p.Item] = p.Text
		}
	}
	var out []byte
	at := 0
	for i, it := range text.Items {
		begin, end := it.Bytes(raw)
		chosen := f.t.IsChosen(pieces[i])
		if it.Kind == memorytext.Prose && !chosen {
			if left, ok := f.cleanProse(it, raw[begin:end]); ok {
				out = append(append(out, raw[at:begin]...), left...)
				at = end
			}
			continue
		}
		if !f.removes(it, chosen, proposals) {
			continue
		}
		out = append(out, raw[at:begin]...)
		at = max(at, end)
		f.changed = true
	}
	out = append(out, raw[at:]...)
	if f.counts("") && f.t.HoldsRaw(out) { // across items: a heading and the text below it
		out = f.cleanLines(out)
	}
	return out
}

// counts reports whether matching words count in a line from a session; "" is a line that was
// written by hand. Somebody on Discord can remove what was learned on Discord, but must not
// be able to remove the owner's lines, in any file, by having typed the same words.
func (f *pass) counts(session string) bool { return f.t.Own().Counts(session) }

// cleanLines removes every line that a matching range touches.
func (f *pass) cleanLines(raw []byte) []byte {
	var out []byte
	marks := f.t.FindRaw(raw)
	at := 0
	for line := range bytes.Lines(raw) {
		touched := slices.ContainsFunc(marks, func(m textfold.Mark) bool { return m.From < at+len(line) && at < m.To })
		if touched && !f.s.ships(string(line)) && !f.t.IsAllowed(memorytext.BulletOf(string(line)).Text) {
			f.changed = true
			f.found = append(f.found, forgotten.Touched{Place: f.place(), Action: forgotten.Removed, Path: f.path, Text: f.preview(string(line))})
		} else {
			out = append(out, line...)
		}
		at += len(line)
	}
	return out
}

// cleanProse returns a paragraph that a person wrote without the sentences that hold what
// matches. ok is false if the paragraph stays, or is cleaned line by line.
func (f *pass) cleanProse(it memorytext.Item, raw []byte) (left []byte, ok bool) {
	line := func(is func(string) bool) bool { return slices.ContainsFunc(it.Lines, is) }
	if !f.counts("") || line(f.s.ships) || line(func(l string) bool { return transcript.OpeningFence(l) != "" }) || line(func(l string) bool { return f.t.IsAllowed(l) }) {
		return nil, false
	}
	marks := f.t.FindRaw(raw)
	if len(marks) == 0 {
		return nil, false
	}
	matches := func(m textfold.Mark) bool {
		return slices.ContainsFunc(marks, func(o textfold.Mark) bool { return o.From < m.To && m.From < o.To })
	}
	at, number := 0, it.First
	for row := range bytes.Lines(raw) {
		kept := []byte(nil)
		gone := false
		for _, m := range proseSentences(raw, at, at+len(row)) {
			if matches(m) {
				gone = true
			} else {
				kept = append(kept, raw[m.From:min(m.To, at+len(row))][max(0, at-m.From):]...)
			}
		}
		number++
		switch {
		case !gone:
			left = append(left, row...)
		case len(bytes.TrimSpace(kept)) == 0: // nothing of the line is left
		default:
			left = append(append(left, bytes.TrimRight(kept, " \t\r\n")...), wholefile.LineEnd(row)...)
		}
		if gone {
			f.found = append(f.found, forgotten.Touched{Place: f.place(), Action: forgotten.Removed, Path: f.path, Line: number, Text: f.preview(string(row))})
		}
		at += len(row)
	}
	f.changed = true
	return left, true
}

// proseSentences returns the sentences of a paragraph that overlap one line of it, with the
// blanks that follow them. A line ends a sentence unless the next line begins in lower
// case.
func proseSentences(raw []byte, from, to int) []textfold.Mark {
	var all []textfold.Mark
	begin := 0
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		i += n
		switch {
		case strings.ContainsRune("。！？", r):
		case strings.ContainsRune(".!?…", r) && (i == len(raw) || strings.IndexByte(" \t\r\n", raw[i]) >= 0):
		case r == '\n' && !continuesBelow(raw[i:]):
		default:
			continue
		}
		for i < len(raw) && strings.IndexByte(" \t\r\n", raw[i]) >= 0 && raw[i-1] != '\n' {
			i++
		}
		all = append(all, textfold.Mark{From: begin, To: i})
		begin = i
	}
	all = append(all, textfold.Mark{From: begin, To: len(raw)})
	return slices.DeleteFunc(all, func(m textfold.Mark) bool { return m.To <= from || m.From >= to })
}

// continuesBelow reports whether a line continues the sentence of the line above.
func continuesBelow(below []byte) bool {
	r, _ := utf8.DecodeRune(bytes.TrimLeft(below, " \t>"))
	return unicode.IsLower(r)
}

// removes reports whether an item must go, and records it. chosen reports whether it was
// forgotten as one piece.
func (f *pass) removes(it memorytext.Item, chosen bool, proposals map[int]Proposal) bool {
	if it.Kind == memorytext.Blank || slices.ContainsFunc(it.Lines, f.s.ships) { // lines that ship with the product are handled by cleanLines
		return false
	}
	text := strings.Join(it.Lines, "\n")
	t := forgotten.Touched{Place: f.place(), Action: forgotten.Removed, Path: f.path, Line: it.First + 1, Text: f.preview(text)}
	b, bullet := it.Bullet()
	p, proposed := proposals[it.First+1]
	session := p.Session
	if bullet && !proposed {
		session = b.Session()
	}
	switch {
	case f.counts(session) && f.t.Holds(text) && (!bullet || !f.t.IsAllowed(b.Text)):
	case chosen:
	case proposed && p.Why != WhyForgotten && (f.t.IsLesson(p.Text) || f.t.IsLesson(p.Old)):
		t.Session = p.Session
	case bullet && !proposed && f.t.IsLesson(b.Text) && f.counts(session):
		t.Place = "lesson"
		if f.t.Own().Learn {
			break
		}
		f.proposeRemoval(b)
		return false
	default:
		return false
	}
	f.found = append(f.found, t)
	return true
}

// proposeRemoval proposes to remove a lesson if the inbox can name its file; otherwise it
// only reports the lesson.
func (f *pass) proposeRemoval(b memorytext.Bullet) {
	if f.t.Own().IsOver() || f.returned {
		return // the removal was proposed the first time, and the user has decided
	}
	target, ok := f.s.root.targetAt(f.path)
	session := b.Session()
	if !ok {
		f.found = append(f.found, forgotten.Touched{Place: "lesson", Action: forgotten.Kept, Path: f.path, Line: b.Line, Text: f.preview(b.Text), Why: "it was learnt from what is forgotten; remove it by hand, or with lessons"})
		return
	}
	f.propose = append(f.propose, Proposal{Kind: ProposeRemove, Target: target, Old: b.Text, Session: session, Why: WhyForgotten, Line: b.Line})
}

func (f *pass) preview(text string) string {
	if !f.dry {
		return ""
	}
	return forgotten.Preview(text)
}

// shippedHeld reports the lines of the file that come with the product and hold
// matching text; nil if there are none.
func (f *pass) shippedHeld(raw []byte) []forgotten.Touched {
	n, first := 0, 0
	preview := ""
	number := 0
	for line := range bytes.Lines(raw) {
		number++
		if f.s.ships(string(line)) && f.t.HoldsRaw(line) {
			if n++; n == 1 {
				first, preview = number, f.preview(string(line))
			}
		}
	}
	if n == 0 {
		return nil
	}
	t := ShippedTouched(f.place(), f.path, n)
	t.Line, t.Text = first, preview
	return []forgotten.Touched{t}
}
