package sessionmem

import (
	"strings"
	"time"
)

// maxTitle is the length of a title taken from a message, in characters.
const maxTitle = 80

// summary collects what the session list shows of a transcript.
type summary struct {
	messages int
	noted    string // title given by a Note
	first    string // first line of the first user message
	started  time.Time
	active   time.Time
	ended    bool
	talk     bool   // there is another block than titles
	agent    string // of the last answer
}

func (s *summary) add(b Block) {
	if b.IsMessage() {
		s.messages++
	}
	if b.Kind == KindAssistant && b.Agent != "" {
		s.agent = b.Agent
	}
	switch {
	case b.Kind == KindNote && b.Note == NoteTitle:
		s.noted = oneLine(b.Text)
	case b.Kind == KindUser && s.first == "":
		s.first = titleOf(titleText(b.Text))
	}
	renamed := b.Kind == KindNote && b.Note == NoteTitle
	if renamed && !s.active.IsZero() {
		return // who renames a session isn't talking in it
	}
	s.talk = s.talk || !renamed
	s.ended = b.Kind == KindNote && b.Note == NoteEnded
	s.seen(b.Time)
}

func (s *summary) seen(t time.Time) {
	if t.IsZero() {
		return
	}
	if s.started.IsZero() {
		s.started = t
	}
	s.active = t
}

// info gives the Info a transcript's own text tells: no path, no file time.
func (s *summary) info(front string) Info {
	info := Info{
		Name: frontValue(front, "session"), Messages: s.messages, Agent: strings.ToValidUTF8(strings.Clone(s.agent), "\uFFFD"), // a clone: it may be a part of the whole file
		Started: s.started, Active: s.active, Ended: s.ended, ReadOnly: readOnlyFormat(front),
	}
	for _, title := range []string{s.noted, frontValue(front, "title"), s.first} {
		if info.Title = title; title != "" {
			break
		}
	}
	if t, err := time.Parse(time.RFC3339, frontValue(front, "started")); err == nil {
		info.Started = normalizeTime(t)
	}
	if info.Active.IsZero() {
		info.Active = info.Started
	}
	info.Source, info.ID = splitName(info.Name)
	return info
}

// readOnlyFormat says whether front matter names a format this version can read
// but must not write to.
func readOnlyFormat(front string) bool {
	format := frontValue(front, "format")
	return format != "" && format != formatName
}

// titleOf makes a title of a message: its first line, at most 80 characters.
func titleOf(text string) string {
	line := oneLine(firstLine(text))
	runes := 0
	for i := range line {
		if runes == maxTitle-1 && len([]rune(line[i:])) > 1 {
			return strings.TrimSpace(line[:i]) + "…"
		}
		runes++
	}
	return line
}
