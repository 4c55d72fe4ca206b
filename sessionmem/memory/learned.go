package memory

import (
	"strings"
	"time"

	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/wholefile"
)

// Learned is a line of a memory, or a proposal, with what is known about its origin.
type Learned struct {
	Path     string
	Line     int
	Text     string
	Session  string
	Day      time.Time // local midnight; zero if unknown
	From, To string    // IDs of blocks; "" if unknown
	Proposal bool
}

// Learned returns the lessons, with the origins that their comments name, and the
// proposals. It leaves out files that can't be read; Forget reports those.
func (m *Memory) Learned() []Learned {
	var out []Learned
	files, _ := m.root.forgettable()
	for _, path := range files {
		raw, _, err := wholefile.ReadText(path)
		if err != nil || path == m.root.inbox() {
			continue
		}
		for _, b := range memorytext.ParseBytes(raw).Bullets() {
			day, session, _ := strings.Cut(b.From, " ")
			at, _ := time.ParseInLocation(time.DateOnly, day, time.Local)
			out = append(out, Learned{Path: path, Line: b.Line, Text: b.Text, Session: strings.TrimSpace(session), Day: at})
		}
	}
	waiting, err := m.waiting.list()
	if err != nil {
		return out
	}
	for _, p := range waiting {
		l := Learned{Path: m.root.inbox(), Line: p.Line, Text: p.Text, Session: p.Session, From: p.From, To: p.To, Proposal: true}
		if !p.Time.IsZero() {
			l.Day = p.Time.Local().Truncate(time.Hour)
		}
		out = append(out, l)
	}
	return out
}
