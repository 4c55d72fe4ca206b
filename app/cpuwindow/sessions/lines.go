package sessions

import (
	"cmp"
	"strconv"
	"time"

	"mac-stats/app/i18n"
	"mac-stats/sessionmem/sessionstate"
	"mac-stats/sessionmem/transcript"
)

// Line is one line of the session list: a heading or a session.
type Line struct {
	Heading string // of a group; a heading sets only folds besides this
	folds   bool   // the heading opens and closes its group

	key         string // unique in the list: a session may have several files
	Info        transcript.Info
	Title, Meta string
	pinned      bool
	Unread      int // number of messages that arrived since it was last read
	Failed      bool
	asks        bool // a question waits for the user's answer
}

// Notes holds what is known about sessions besides their files.
type Notes struct {
	Marks sessionstate.Marks
	Shown string // the session the user looks at; it has no unread messages
	// Asking holds the sessions in which a question waits for the user's answer.
	Asking map[string]bool
}

// listDays caches the words for times and sources of a list, because translating them is slow
// and sessions share them.
type listDays struct {
	now, yesterday time.Time
	known          map[listDay]dayText
	sources        map[string]string
}

// source caches SourceWords.
func (d *listDays) source(name string) string {
	words, ok := d.sources[name]
	if !ok {
		words = SourceWords(name)
		d.sources[name] = words
	}
	return words
}

type listDay struct {
	year, day int
	recent    bool // shown with its time of day
}

type dayText struct{ group, active string }

// of returns the group of a time and its text.
func (d *listDays) of(t time.Time) dayText {
	if t.IsZero() {
		return dayText{group: dayWords(t, d.now)}
	}
	t = t.In(d.now.Location())
	key := listDay{t.Year(), t.YearDay(), !t.Before(d.yesterday)}
	text, ok := d.known[key]
	if !ok {
		text = dayText{dayWords(t, d.now), activeWords(t, d.now)}
		d.known[key] = text
	}
	if key.recent {
		text.active = activeWords(t, d.now)
	}
	return text
}

// Lines returns the lines of the list: pinned sessions first, then the others by day and month,
// newest first. Archived sessions come last and are included only if archive is set.
func Lines(infos []transcript.Info, notes Notes, archive bool, now time.Time) []Line {
	out := make([]Line, 0, len(infos)+16)
	days := &listDays{now: now, yesterday: midnightOf(now).AddDate(0, 0, -1), known: map[listDay]dayText{}, sources: map[string]string{}}
	group := ""
	add := func(in transcript.Info, heading string, pinned bool) {
		if heading != group {
			out = append(out, Line{Heading: heading, key: "group " + heading})
			group = heading
		}
		out = append(out, lineOf(in, notes, pinned, days))
	}
	for _, name := range notes.Marks.Pins() {
		for _, in := range infos {
			if in.Name == name {
				add(in, i18n.T("Pinned"), true)
			}
		}
	}
	archived := 0
	for _, in := range infos {
		switch {
		case notes.Marks.Pinned(in.Name):
		case in.Archived:
			archived++
		default:
			add(in, days.of(in.Active).group, false)
		}
	}
	if archived == 0 {
		return out
	}
	out = append(out, Line{Heading: i18n.With("Archived · {{.Archived}}", i18n.Places{"Archived": archived}), key: "group archive", folds: true})
	for _, in := range infos {
		if archive && in.Archived && !notes.Marks.Pinned(in.Name) {
			out = append(out, lineOf(in, notes, false, days))
		}
	}
	return out
}

func lineOf(in transcript.Info, notes Notes, pinned bool, days *listDays) Line {
	l := Line{key: cmp.Or(in.Path, in.Name), Info: in, Title: cmp.Or(in.Title, in.Name), pinned: pinned}
	if in.Err != nil {
		l.Meta, l.Failed = i18n.With("can't be read: {{.Error}}", i18n.Places{"Error": in.Err.Error()}), true
		return l
	}
	if in.Name != notes.Shown && !in.ReadOnly {
		l.Unread = notes.Marks.Unread(in)
	}
	if notes.Asking[in.Name] {
		l.Meta, l.asks = i18n.T("a question waits for you"), true
		return l
	}
	l.Meta = days.source(in.Source)
	switch {
	case in.Path == "":
		l.Meta += i18n.T(" · private")
	case in.Copy:
		l.Meta += i18n.T(" · copy, read-only")
	case in.ReadOnly:
		l.Meta += i18n.T(" · read-only")
	}
	if t := days.of(in.Active).active; t != "" {
		l.Meta += " · " + t
	}
	if l.Unread > 0 {
		l.Meta += i18n.With(" · {{.Unread}} new", i18n.Places{"Unread": l.Unread})
	} else if in.Agent != "" {
		l.Meta += " · " + in.Agent
	}
	return l
}

// SourceWords returns where a session took place: "window", "command line".
func SourceWords(source string) string {
	switch source {
	case "cpu":
		return i18n.T("window")
	case "cli":
		return i18n.T("command line")
	case "discord":
		return i18n.T("Discord")
	case "schedule":
		return i18n.T("schedule")
	case "heartbeat":
		return i18n.T("heartbeat")
	case "":
		return i18n.T("file")
	}
	return source
}

// dayWords returns the group of a time: "Today", "Yesterday", "Previous 7 days",
// "November", "November 2025".
func dayWords(t, now time.Time) string {
	if t.IsZero() {
		return i18n.T("Undated")
	}
	t = t.In(now.Location())
	midnight := midnightOf(now)
	switch {
	case !t.Before(midnight):
		return i18n.T("Today")
	case !t.Before(midnight.AddDate(0, 0, -1)):
		return i18n.T("Yesterday")
	case !t.Before(midnight.AddDate(0, 0, -7)):
		return i18n.T("Previous 7 days")
	case t.Year() == now.Year():
		return i18n.MonthName(t)
	}
	return i18n.MonthName(t) + " " + strconv.Itoa(t.Year())
}

func midnightOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// activeWords returns the part of a time that its group leaves out: the time of day for today
// and yesterday, otherwise the day.
func activeWords(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(now.Location())
	midnight := midnightOf(now)
	switch {
	case !t.Before(midnight.AddDate(0, 0, -1)):
		return t.Format("15:04")
	case !t.Before(midnight.AddDate(0, 0, -7)):
		return i18n.WeekdayName(t)
	}
	return i18n.ShortDate(t, now)
}

// Continues reports whether the window can continue a session. Sessions of channels can only be
// read and forked, so that private text never gets into a channel.
func Continues(in transcript.Info) bool {
	return in.Err == nil && !in.ReadOnly && in.Source != "discord" && in.Source != ""
}
