package forgotten

import (
	"maps"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
)

// Clean removes matching text from a block. A text that holds some is emptied; of what accompanies
// it, only what holds some goes, unless the block itself matches. Text written after a forgetting
// doesn't match.
func (t *Traces) Clean(session string, b transcript.Block) (out transcript.Block, whole, changed bool) {
	if t.Empty() {
		return b, false, false
	}
	before := func(g *Forgetting) bool { return t.marks.matchesTime(g, b) && g.Counts(session) }
	if g := t.selecting(session, b); g != nil {
		out, whole = emptied(b, func(author string) bool { return t.marks.has(g, traceAuthor, author) }), true
	} else {
		typed := (b.Kind == transcript.KindUser || b.Kind == transcript.KindText) && !t.SelectsPart(session, b.ID)
		out = b
		out.Text = cleaning{t, func(g *Forgetting) bool { return before(g) && (g.Typed || !typed) }}.text(b.Text)
	}
	out, _ = out.DropRecalled(func(chunk string) bool { return t.matchesChunk(chunk, b) })
	out = cleaning{t, before}.rest(out)
	if b.IsBranching() {
		out.Text = b.Text // an ID
	}
	return out, whole, out.Text != b.Text || out.Task != b.Task || out.Context != b.Context || !maps.Equal(out.Attrs, b.Attrs)
}

// CleanSince removes from a block that is about to be written what was forgotten while it
// was being made, that is, since then. Text that a person types again is theirs.
func (t *Traces) CleanSince(session string, b transcript.Block, since time.Time) transcript.Block {
	while := cleaning{t, func(g *Forgetting) bool { return g.during(since) && g.Counts(session) }}
	if b.Kind != transcript.KindUser && !b.IsBranching() {
		b.Text = while.text(b.Text)
	}
	return while.rest(b)
}

// matchesTime reports whether a block is old enough to match by its words: a person's text
// must have been typed before the forgetting was planned, a model's text before it was
// over. Blocks have times in whole seconds. Of those in the very second of the forgetting,
// only the ones it found match.
func (m marks) matchesTime(g *Forgetting, b transcript.Block) bool {
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

// matchesChunk reports whether a chunk that a block quotes comes from a matching block.
func (t *Traces) matchesChunk(chunk string, in transcript.Block) bool {
	session, rest, _ := strings.Cut(chunk, "/")
	id, _, _ := strings.Cut(rest, "/")
	return t.selecting(session, transcript.Block{ID: id, Time: in.Time}) != nil || t.SelectsPart(session, id)
}

// cleaning removes from texts what matches the forgettings that count.
type cleaning struct {
	t      *Traces
	counts func(*Forgetting) bool
}

// rest cleans what accompanies a block's text. Programs put it there.
func (c cleaning) rest(b transcript.Block) transcript.Block {
	holds := func(text string) bool { return c.t.holdsBy(text, c.counts) }
	if holds(b.Task) {
		b.Task = Text
	}
	b.Context = cleanLines(b.Context, holds)
	b.Attrs = cleanAttrs(b.Attrs, holds)
	return b
}

// emptied returns a block that is forgotten as a whole. What controls the session stays.
func emptied(b transcript.Block, isAuthor func(id string) bool) transcript.Block {
	switch {
	case b.Kind == transcript.KindNote && isControl(b):
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

// isControl reports whether the text of a Note controls how the session goes on: it is an
// ID or a choice, and nothing that was said.
func isControl(b transcript.Block) bool {
	switch b.Note {
	case transcript.NoteRewind, transcript.NoteVersion, transcript.NoteSettings, transcript.NoteEnded, transcript.NoteInterrupted, transcript.NoteRestored:
		return true
	}
	return false
}

// text empties a text that holds matching text: what stands around the words says them too. A
// link to a file that goes is none of its words: only the link goes.
func (c cleaning) text(text string) string {
	if !c.t.holdsBy(text, c.counts) {
		return text
	}
	words := transcript.AttachmentLink.ReplaceAllStringFunc(text, func(link string) string {
		if c.t.holdsBy(link, c.counts) {
			return Text
		}
		return link
	})
	if c.t.holdsBy(words, c.counts) {
		return Text
	}
	return words
}

// cleanLines replaces the lines that hold matching text.
func cleanLines(text string, holds func(string) bool) string {
	if !holds(text) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if holds(line) {
			lines[i] = Text
		}
	}
	if cleaned := strings.Join(lines, "\n"); !holds(cleaned) {
		return cleaned
	}
	return Text // the match spans several lines
}

func cleanAttrs(attrs map[string]string, holds func(string) bool) map[string]string {
	var out map[string]string
	for k, v := range attrs {
		if k == "block" || k == "msg" || !holds(v) {
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
