package transcript

import (
	"strings"
	"time"
)

// maxTitle is the limit of a title taken from a message, in characters.
const maxTitle = 80

// AttrAgain holds, on a Summary, the ID of the Summary it replaces.
const AttrAgain = "again"

// Overview collects what the session list shows of a transcript.
type Overview struct {
	messages int
	Noted    string // title given by a Note
	by       string // the model that made it
	First    string // first line of the first user message that wasn't deleted
	begin    []titled
	changed  bool // the first message was edited or deleted
	started  time.Time
	active   time.Time
	ended    bool
	Talk     bool   // there are other blocks than titles
	agent    string // of the last answer
}

// titled is a user message with the title made from it, now and as it was written.
type titled struct{ id, title, written string }

// maxBegin is the number of user messages that the title may come from, if those before are
// deleted.
const maxBegin = 3

// WantsUser reports whether the text of another user message is needed.
func (s *Overview) WantsUser() bool { return len(s.begin) < maxBegin }

// begins takes a user message, or the correction of one, for the title.
func (s *Overview) begins(b Block) {
	if b.Kind == KindUser {
		if title := TitleOf(TitleText(b.Text)); s.WantsUser() {
			s.begin = append(s.begin, titled{b.ID, title, title})
		}
	}
	s.First = ""
	for i, m := range s.begin {
		if b.IsCorrection() && b.Parent != "" && m.id == b.Parent {
			s.begin[i].title = TitleOf(TitleText(b.Text))
			if s.changed = s.changed || i == 0; i == 0 && s.by != "" { // a model made the title from it
				s.Noted, s.by = "", ""
			}
		}
		if s.First == "" {
			s.First = s.begin[i].title
		}
	}
}

// Add adds a block.
func (s *Overview) Add(b Block) {
	if b.IsMessage() {
		s.messages++
	}
	if b.Kind == KindAssistant && b.Agent != "" {
		s.agent = b.Agent
	}
	switch {
	case b.Kind == KindNote && b.Note == NoteTitle:
		s.Noted, s.by = OneLine(b.Text), b.By
	case b.Kind == KindUser && s.WantsUser(), b.IsCorrection():
		s.begins(b)
	}
	renamed := b.Kind == KindNote && b.Note == NoteTitle
	if renamed && !s.active.IsZero() {
		return // renaming a session is no activity in it
	}
	s.Talk = s.Talk || !renamed
	s.ended = b.Kind == KindNote && b.Note == NoteEnded
	s.seen(b.Time)
}

func (s *Overview) seen(t time.Time) {
	if t.IsZero() {
		return
	}
	if s.started.IsZero() {
		s.started = t
	}
	s.active = t
}

// Info returns what a transcript's text alone says: no path and no file time.
func (s *Overview) Info(front string) Info {
	info := Info{
		Name: FrontValue(front, "session"), Messages: s.messages, Agent: strings.ToValidUTF8(strings.Clone(s.agent), "\uFFFD"), // a clone: it may be part of the whole file
		Started: s.started, Active: s.active, Ended: s.ended, ReadOnly: ReadOnlyFormat(front),
	}
	written := FrontValue(front, "title")
	if s.changed && written == s.begin[0].written {
		written = "" // the words of a message that its author changed
	}
	for _, title := range []string{s.Noted, written, s.First} {
		if info.Title = title; title != "" {
			break
		}
	}
	if info.Title == "" && s.changed {
		info.Title = info.Name
	}
	if t, err := time.Parse(time.RFC3339, FrontValue(front, "started")); err == nil {
		info.Started = normalizeTime(t)
	}
	if info.Active.IsZero() {
		info.Active = info.Started
	}
	info.Source, info.ID = SplitName(info.Name)
	return info
}

// ReadOnlyFormat reports whether front matter names a format that this version can read but
// must not write.
func ReadOnlyFormat(front string) bool {
	format := FrontValue(front, "format")
	return format != "" && format != FormatName
}

// TitleOf returns a message's title: the words of its first line, at most 80 characters.
func TitleOf(text string) string {
	line := OneLine(firstLine(text))
	for l := range strings.Lines(text) {
		if l = OneLine(withoutMarkup(l)); l != "" {
			line = l
			break
		}
	}
	runes := 0
	for i := range line {
		if runes == maxTitle-1 && len([]rune(line[i:])) > 1 {
			return strings.TrimSpace(line[:i]) + "…"
		}
		runes++
	}
	return line
}

// withoutMarkup returns a line of a message without the characters of a heading, a quote or a
// code fence at its beginning.
func withoutMarkup(line string) string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
		return ""
	}
	if words := strings.TrimLeft(line, "#>"); words != line && (words == "" || words[0] == ' ') {
		return strings.TrimSpace(words)
	}
	return line
}
