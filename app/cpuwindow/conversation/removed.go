package conversation

import (
	"slices"
	"time"

	"mac-stats/app/i18n"
	"mac-stats/sessionmem/session"
)

// ShowRemoved adds a note at the end about what a save from outside removed from the
// transcript, or removes the note if nothing is missing.
func (l *log) ShowRemoved(r session.Removed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := removedWords(r)
	if i := slices.IndexFunc(l.entries, func(e *entry) bool { return e.Removed }); i >= 0 {
		if l.entries[i].Text == text {
			return
		}
		l.entries = slices.Delete(l.entries, i, i+1)
	}
	if text != "" {
		l.add(&entry{Kind: Note, Text: text, At: time.Now(), note: note{Removed: true}})
	}
}

func removedWords(r session.Removed) string {
	switch {
	case r.Messages > 0:
		return i18n.Count("{{.N}} messages are no longer in the file", r.Messages)
	case r.Others > 0:
		return i18n.Count("{{.N}} entries are no longer in the file", r.Others)
	}
	return ""
}
