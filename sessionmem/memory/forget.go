package memory

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
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

// WhyForgotten says that a proposal would remove what was learnt from something
// forgotten.
const WhyForgotten = "forgotten"

// placeAgent is a file of an agent or a skill that is no memory.
const placeAgent = "agent's file"

// Forgotten gives what was forgotten in the data folder.
func (m *Memory) Forgotten() *forgotten.Record { return m.forgotten }

// forgettable gives the text files that hold memory, or may: those of agents, of
// memory and skills, what lies in agents/.trash, and copies; and the folders that can't
// be read.
func (m *Memory) forgettable() (files []string, refused []forgotten.Touched) {
	for _, dir := range []string{"agents", "memory", "skills"} {
		_ = filepath.WalkDir(filepath.Join(m.root, dir), func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && !errors.Is(err, fs.ErrNotExist):
				refused = append(refused, forgotten.Touched{Place: "folder", Action: forgotten.Refused, Path: p, Why: wholefile.WhyNot(err)})
			case err == nil && !d.IsDir() && IsMemoryText(d.Name()):
				files = append(files, p)
			}
			return nil
		})
	}
	return files, refused
}

// IsMemoryText says whether a file in the folders of agents, memory and skills is a text
// of lines, or an editor's or a sync's copy of one: Memory.Forget looks at it.
func IsMemoryText(name string) bool {
	for _, end := range []string{transcript.FileSuffix, ".md~", ".md.bak", ".md.old", ".md.orig", ".txt"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// Forget takes what the traces mean out of memory files of all kinds (the lines that
// hold it go), the inbox, the list of changes that can be undone and edits that are
// not saved. What can't be done is told by ForgetRefused.
func (m *Memory) Forget(ctx context.Context, t *forgotten.Traces, dry bool) ([]forgotten.Touched, error) {
	if t.Empty() {
		return nil, nil
	}
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	found := m.forgetJournal(t, dry) // first: what goes from a file goes from there too
	var propose []Proposal
	files, refused := m.forgettable()
	found = append(found, refused...)
	for _, path := range files {
		f := &forgetLines{m: m, t: t, path: path, dry: dry}
		found = append(found, f.run(ctx)...)
		propose = append(propose, f.propose...)
	}
	found = append(found, m.forgetUndo(t, dry)...)
	found = append(found, m.forgetEdits(t, dry)...)
	if !dry {
		m.dropReplaced()
	}
	unlock()
	for _, p := range propose {
		touched := forgotten.Touched{Place: "lesson", Action: forgotten.Proposed, Path: m.Path(p.Target), Line: p.Line, Session: p.Session, Text: p.Old}
		if !dry {
			touched.Text = ""
			if _, err := m.Propose(ctx, p); err != nil && !errors.Is(err, ErrDuplicate) {
				touched.Action, touched.Why = forgotten.Refused, wholefile.WhyNot(err)
			}
		}
		found = append(found, touched)
	}
	return found, ctx.Err()
}

// forgetLines forgets in one text file.
type forgetLines struct {
	m    *Memory
	t    *forgotten.Traces
	path string
	dry  bool

	returned bool // it is read again after it was forgotten: nothing is proposed

	found   []forgotten.Touched
	propose []Proposal
	changed bool
}

func (f *forgetLines) run(ctx context.Context) []forgotten.Touched {
	raw, fi, err := wholefile.ReadText(f.path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			f.refuse(err)
		}
		return f.found
	}
	shipped := f.shippedHeld(raw)
	if !f.t.MeansTyped() && f.place() == placeAgent {
		if f.t.HoldsRaw(f.m.Unshipped(raw)) {
			f.found = append(f.found, forgotten.Touched{Place: placeAgent, Action: forgotten.Kept, Path: f.path, Why: "you wrote the same here; with copies it goes too"})
		}
		return append(f.found, shipped...)
	}
	out := f.clean(raw)
	f.found = append(f.found, shipped...)
	if f.changed {
		f.found = append(f.found, forgotten.OtherNames(f.path, "", fi)...)
	}
	if !f.changed || f.dry {
		return f.found
	}
	done := f.found
	f.found = nil
	if fi.Mode().Perm()&0o200 == 0 {
		f.refuse(errors.New("it is read-only; give yourself the right to write it, then run it again"))
		return f.found
	}
	err = f.m.edit(ctx, f.path, func(now []byte) ([]byte, error) {
		if !bytes.Equal(now, raw) {
			f.found, f.propose = nil, nil
			out = f.clean(now)
			done, f.found = append(f.found, f.shippedHeld(now)...), nil
		}
		return out, nil
	})
	if err != nil {
		f.refuse(err)
		return f.found
	}
	return done
}

func (f *forgetLines) refuse(err error) {
	f.found = append(f.found, forgotten.Touched{Place: f.place(), Action: forgotten.Refused, Path: f.path, Why: wholefile.WhyNot(err)})
}

// place names the file for people.
func (f *forgetLines) place() string {
	switch base := filepath.Base(f.path); {
	case f.path == f.m.InboxPath():
		return "proposal"
	case strings.Contains(base, "memory"), strings.HasPrefix(f.path, filepath.Join(f.m.root, "memory")):
		return "memory"
	default:
		return placeAgent
	}
}

// clean gives the file without the lines that hold what is meant.
func (f *forgetLines) clean(raw []byte) []byte {
	text := memorytext.ParseBytes(raw)
	proposals := map[int]Proposal{}
	if f.path == f.m.InboxPath() {
		for _, p := range parseProposals(text) {
			proposals[p.Line] = p
		}
	}
	var out []byte
	at := 0
	for _, it := range text.Items {
		begin, end := it.Bytes(raw)
		if it.Kind == memorytext.Prose {
			if left, ok := f.cleanProse(it, raw[begin:end]); ok {
				out = append(append(out, raw[at:begin]...), left...)
				at = end
			}
			continue
		}
		if !f.goes(it, proposals) {
			continue
		}
		out = append(out, raw[at:begin]...)
		at = max(at, end)
		f.changed = true
	}
	out = append(out, raw[at:]...)
	if f.counts("") && f.t.HoldsRaw(out) { // across items: a heading and what stands below it
		out = f.cleanLines(out)
	}
	return out
}

// counts says whether words that are meant count in a line that comes from a session, ""
// for one that was written by hand: somebody on Discord takes away what was learnt there,
// and by having typed the same nothing that the owner wrote, in any file.
func (f *forgetLines) counts(session string) bool { return f.t.Counts(session) }

// isShared says whether a file is about a channel, a server or a person on Discord.
func (m *Memory) isShared(path string) bool {
	return filepath.Dir(path) == filepath.Join(m.root, "memory") || strings.HasPrefix(filepath.Base(path), "memory-discord-")
}

// cleanLines removes every line that a meant stretch touches.
func (f *forgetLines) cleanLines(raw []byte) []byte {
	var out []byte
	marks := f.t.FindRaw(raw)
	at := 0
	for line := range bytes.Lines(raw) {
		touched := slices.ContainsFunc(marks, func(m textfold.Mark) bool { return m.From < at+len(line) && at < m.To })
		if touched && !f.m.ships(string(line)) && !f.t.IsAllowed(memorytext.BulletOf(string(line)).Text) {
			f.changed = true
			f.found = append(f.found, forgotten.Touched{Place: f.place(), Action: forgotten.Removed, Path: f.path, Text: f.preview(string(line))})
		} else {
			out = append(out, line...)
		}
		at += len(line)
	}
	return out
}

// cleanProse gives what is left of a paragraph that a person wrote, without the sentences
// that hold what is meant; false where it stays, or is cleaned line by line.
func (f *forgetLines) cleanProse(it memorytext.Item, raw []byte) (left []byte, ok bool) {
	line := func(is func(string) bool) bool { return slices.ContainsFunc(it.Lines, is) }
	if !f.counts("") || line(f.m.ships) || line(func(l string) bool { return transcript.OpeningFence(l) != "" }) || line(func(l string) bool { return f.t.IsAllowed(l) }) {
		return nil, false
	}
	marks := f.t.FindRaw(raw)
	if len(marks) == 0 {
		return nil, false
	}
	goes := func(m textfold.Mark) bool {
		return slices.ContainsFunc(marks, func(o textfold.Mark) bool { return o.From < m.To && m.From < o.To })
	}
	at, number := 0, it.First
	for row := range bytes.Lines(raw) {
		kept := []byte(nil)
		gone := false
		for _, m := range proseSentences(raw, at, at+len(row)) {
			if goes(m) {
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

// proseSentences gives the sentences of a paragraph that stand in a line of it, with the
// blanks behind them. A line ends a sentence unless the next one goes on in lower case.
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

// continuesBelow says whether a line goes on with the sentence above it.
func continuesBelow(below []byte) bool {
	r, _ := utf8.DecodeRune(bytes.TrimLeft(below, " \t>"))
	return unicode.IsLower(r)
}

// goes says whether an item is removed, and notes it.
func (f *forgetLines) goes(it memorytext.Item, proposals map[int]Proposal) bool {
	if it.Kind == memorytext.Blank || slices.ContainsFunc(it.Lines, f.m.ships) { // of those, line by line: cleanLines
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
	case bullet && f.t.IsChosen(b.Text):
	case proposed && p.Why != WhyForgotten && (f.t.IsLesson(p.Text) || f.t.IsLesson(p.Old)):
		t.Session = p.Session
	case bullet && !proposed && f.t.IsLesson(b.Text) && f.counts(session):
		t.Place = "lesson"
		if f.t.WithLessons() {
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

// proposeRemoval puts the removal of a lesson into the inbox, where its file is one
// that the inbox can name; else it is only told of.
func (f *forgetLines) proposeRemoval(b memorytext.Bullet) {
	if f.t.IsOver() || f.returned {
		return // it was proposed the first time, and is decided
	}
	target, ok := f.m.targetAt(f.path)
	session := b.Session()
	if !ok {
		f.found = append(f.found, forgotten.Touched{Place: "lesson", Action: forgotten.Kept, Path: f.path, Line: b.Line, Text: f.preview(b.Text), Why: "it was learnt from what is forgotten; remove it by hand, or with lessons"})
		return
	}
	f.propose = append(f.propose, Proposal{Kind: ProposeRemove, Target: target, Old: b.Text, Session: session, Why: WhyForgotten, Line: b.Line})
}

func (f *forgetLines) preview(text string) string {
	if !f.dry {
		return ""
	}
	return forgotten.Preview(text)
}
