package forgotten

import (
	"maps"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"
)

// Clean takes out of a block what is meant: all of it, where it is meant itself, else
// the paragraphs that hold what is. What was said after a forgetting isn't.
func (t *Traces) Clean(session string, b transcript.Block) (out transcript.Block, whole, changed bool) {
	if t.Empty() {
		return b, false, false
	}
	before := func(g *Forgetting) bool { return t.marks.meansTime(g, b) && g.Counts(session) }
	if g := t.selecting(session, b); g != nil {
		out, whole = emptied(b, func(author string) bool { return t.marks.has(g, traceAuthor, author) }), true
	} else {
		typed := (b.Kind == transcript.KindUser || b.Kind == transcript.KindText) && !t.SelectsPart(session, b.ID)
		out = b
		out.Text = cleaning{t, func(g *Forgetting) bool { return before(g) && (g.Typed || !typed) }}.text(b.Text)
	}
	out, _ = out.DropRecalled(func(chunk string) bool { return t.meansChunk(chunk, b) })
	out = cleaning{t, before}.rest(out)
	if b.IsBranching() {
		out.Text = b.Text // an id
	}
	return out, whole, out.Text != b.Text || out.Task != b.Task || out.Context != b.Context || !maps.Equal(out.Attrs, b.Attrs)
}

// CleanSince takes out of a block that is about to be written what was forgotten while it
// was being made: since then. What a person types anew is theirs.
func (t *Traces) CleanSince(session string, b transcript.Block, since time.Time) transcript.Block {
	while := cleaning{t, func(g *Forgetting) bool { return g.during(since) && g.Counts(session) }}
	if b.Kind != transcript.KindUser && !b.IsBranching() {
		b.Text = while.text(b.Text)
	}
	return while.rest(b)
}

// meansTime says whether a block is old enough to be meant by its words: what a person
// typed before it was planned, what a model said before it was over.
// Blocks keep whole seconds: of those of that very second only the ones that were found.
func (m marks) meansTime(g *Forgetting, b transcript.Block) bool {
	end := g.ended
	if b.Kind == transcript.KindUser || b.Kind == transcript.KindText {
		end = g.At
	}
	switch said := b.Time.Truncate(time.Second); {
	case b.Time.IsZero() || end.IsZero():
		return true
	case !said.Equal(end.Truncate(time.Second)):
		return said.Before(end)
	case g.Seconds && !g.Begun.IsZero():
		return m.has(g, traceSecond, b.ID)
	}
	return b.Time.Before(end)
}

// meansChunk says whether a chunk that a block quotes is of a block that is meant.
func (t *Traces) meansChunk(chunk string, in transcript.Block) bool {
	session, rest, _ := strings.Cut(chunk, "/")
	id, _, _ := strings.Cut(rest, "/")
	return t.selecting(session, transcript.Block{ID: id, Time: in.Time}) != nil || t.SelectsPart(session, id)
}

// cleaning takes out of texts what is meant by the forgettings that count.
type cleaning struct {
	t      *Traces
	counts func(*Forgetting) bool
}

// rest cleans what stands beside a block's text: it was put there by programs.
func (c cleaning) rest(b transcript.Block) transcript.Block {
	says := func(text string) bool { return c.t.holdsBy(text, c.counts) }
	if says(b.Task) {
		b.Task = Text
	}
	b.Context = cleanLines(b.Context, says)
	b.Attrs = cleanAttrs(b.Attrs, says)
	return b
}

// emptied is a block that is forgotten as a whole. What steers the session stays.
func emptied(b transcript.Block, isAuthor func(id string) bool) transcript.Block {
	switch {
	case b.Kind == transcript.KindNote && saysHow(b):
		return b
	case b.Text != "":
		b.Text = Text
	}
	if b.Task != "" {
		b.Task = Text
	}
	b.Context = ""
	if b.Attrs["name"] != "" || b.Attrs["files"] != "" {
		b.Attrs = maps.Clone(b.Attrs)
		delete(b.Attrs, "name")
		delete(b.Attrs, "files")
	}
	for _, attr := range []string{"author", "authors"} {
		if slices.ContainsFunc(strings.Fields(b.Attrs[attr]), isAuthor) {
			b.Attrs = maps.Clone(b.Attrs)
			b.Attrs[attr] = Text
		}
	}
	return b
}

// saysHow says whether the text of a Note says how the session goes on: it is an id or a
// choice, not anything that was said.
func saysHow(b transcript.Block) bool {
	switch b.Note {
	case transcript.NoteRewind, transcript.NoteVersion, transcript.NoteSettings, transcript.NoteEnded, transcript.NoteInterrupted, transcript.NoteRestored:
		return true
	}
	return false
}

// text replaces the paragraphs that hold what is meant.
func (c cleaning) text(text string) string {
	if text == "" || text == Text {
		return text
	}
	marks := c.t.findBy([]byte(text), c.counts)
	if len(marks) == 0 {
		return text
	}
	var out strings.Builder
	at := 0
	for _, p := range paragraphs(text) {
		if !slices.ContainsFunc(marks, func(m textfold.Mark) bool { return m.From < p.To && p.From < m.To }) {
			continue
		}
		out.WriteString(text[at:p.From])
		out.WriteString(Text)
		at = p.To
	}
	out.WriteString(text[at:])
	return joinForgotten(out.String())
}

// joinForgotten makes one of several forgotten paragraphs behind each other.
func joinForgotten(text string) string {
	twice := Text + "\n\n" + Text
	for strings.Contains(text, twice) {
		text = strings.ReplaceAll(text, twice, Text)
	}
	return text
}

// paragraphs gives the pieces of a text that blank lines part, without these. A
// fenced block is one piece, and with it what stands above it without a blank line.
func paragraphs(text string) []textfold.Mark {
	var out []textfold.Mark
	fence, open := "", false
	at := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		end := at + len(strings.TrimRight(line, "\r\n"))
		bare := line[:end-at]
		switch blank := strings.TrimSpace(bare) == ""; {
		case blank && fence == "":
			open = false
		case blank:
		case open:
			out[len(out)-1].To = end
		default:
			out, open = append(out, textfold.Mark{From: at, To: end}), true
		}
		switch {
		case fence != "" && transcript.ClosesFence(bare, fence):
			fence = ""
		case fence == "":
			fence = transcript.OpeningFence(bare)
		}
		at += len(line)
	}
	return out
}

// cleanLines replaces the lines that hold what is meant.
func cleanLines(text string, says func(string) bool) string {
	if !says(text) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if says(line) {
			lines[i] = Text
		}
	}
	if cleaned := strings.Join(lines, "\n"); !says(cleaned) {
		return cleaned
	}
	return Text // it stands across lines
}

func cleanAttrs(attrs map[string]string, says func(string) bool) map[string]string {
	var out map[string]string
	for k, v := range attrs {
		if k == "block" || k == "msg" || !says(v) {
			continue
		}
		if out == nil {
			out = maps.Clone(attrs)
		}
		out[k] = Text
	}
	if out == nil {
		return attrs
	}
	return out
}
