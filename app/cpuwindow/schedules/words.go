package schedules

import (
	"slices"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/cpuwindow/faultwords"
	"mac-stats/app/i18n"
	"mac-stats/app/schedule"
	"mac-stats/app/ui/kit"
)

// whenWords describes when a schedule runs.
func whenWords(w schedule.When) string {
	p, ok := w.Plain()
	if !ok {
		return i18n.With("Cron line {{.Line}}", i18n.Places{"Line": w.String()})
	}
	at := i18n.Places{"Time": time.Date(2000, 1, 1, p.Hour, p.Minute, 0, 0, time.UTC).Format("15:04")}
	switch p.Every {
	case "hour":
		return i18n.T("Every hour")
	case "day":
		return i18n.With("Every day at {{.Time}}", at)
	case "weekday":
		return i18n.With("Every weekday at {{.Time}}", at)
	}
	at["Day"] = dayName(p.Every)
	return i18n.With("Every {{.Day}} at {{.Time}}", at)
}

// weekdays returns schedule.Days' names for the days of the week.
func weekdays() []string { return schedule.Days()[2:] }

// dayName returns the name of a weekday in the user's language.
func dayName(day string) string {
	monday := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	return i18n.WeekdayName(monday.AddDate(0, 0, slices.Index(weekdays(), day)))
}

// timeWords formats a time near now: "today, 08:00", "Monday, 08:00".
func timeWords(t, now time.Time) string {
	t = t.In(now.Location())
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	at := i18n.Places{"Time": t.Format("15:04")}
	switch day := func(n int) time.Time { return midnight.AddDate(0, 0, n) }; {
	case t.Before(day(-1)) || !t.Before(day(7)):
		at["Day"] = i18n.ShortDate(t, now)
	case t.Before(day(0)):
		return i18n.With("yesterday, {{.Time}}", at)
	case t.Before(day(1)):
		return i18n.With("today, {{.Time}}", at)
	case t.Before(day(2)):
		return i18n.With("tomorrow, {{.Time}}", at)
	default:
		at["Day"] = i18n.WeekdayName(t)
	}
	return i18n.With("{{.Day}}, {{.Time}}", at)
}

// line is a line of text on a card.
type line struct {
	text string
	role fyne.ThemeColorName
}

// statusLines describes when a schedule runs next, and how it ran.
func statusLines(s schedule.Status, busy bool, answer string) []line {
	now := time.Now()
	var lines []line
	switch {
	case s.Running:
		lines = append(lines, line{i18n.With("Running since {{.Time}}", i18n.Places{"Time": s.Last.Began.Format("15:04")}), kit.RoleAccent})
	case !s.Enabled:
	case s.Waits == schedule.LateQuiet:
		lines = append(lines, line{i18n.T("Due; waiting for quiet hours to end"), kit.RoleWarn})
	case s.Waits == schedule.LateBattery:
		lines = append(lines, line{i18n.T("Due; waiting for mains power"), kit.RoleWarn})
	case s.Quieted:
		lines = append(lines, line{i18n.With("Next: {{.When}}, after quiet hours", i18n.Places{"When": timeWords(s.Next, now)}), kit.RoleText})
	default:
		lines = append(lines, line{i18n.With("Next: {{.When}}", i18n.Places{"When": timeWords(s.Next, now)}), kit.RoleText})
	}
	last := s.Last
	if last.Began.IsZero() || s.Running {
		return lines
	}
	when := i18n.Places{"When": timeWords(last.Began, now), "Error": faultwords.Of(Translate(last.Error)), "Said": answer}
	switch {
	case last.Error != "":
		lines = append(lines, line{i18n.With("Last: {{.When}} · {{.Error}}", when), kit.RoleHot})
	case last.Ended.IsZero() && !busy:
		lines = append(lines, line{i18n.With("Last: {{.When}} · interrupted, or still running in another program", when), kit.RoleWarn})
	case answer == "":
		lines = append(lines, line{i18n.With("Last: {{.When}}", when), kit.RoleMuted})
	default:
		lines = append(lines, line{i18n.With("Last: {{.When}} · {{.Said}}", when), kit.RoleMuted})
	}
	if words := lateWords(last); words != "" {
		lines = append(lines, line{words, kit.RoleMuted})
	}
	return lines
}

// lateWords states that a run was late, and why; it returns "" if it was on time.
func lateWords(r schedule.Record) string {
	due := r.Due.In(r.Began.Location())
	at := i18n.Places{"Due": due.Format("15:04"), "At": r.Began.Format("15:04")}
	if due.YearDay() != r.Began.YearDay() || due.Year() != r.Began.Year() {
		at["Due"] = i18n.With("{{.Day}}, {{.Time}}", i18n.Places{"Day": i18n.ShortDate(due, r.Began), "Time": due.Format("15:04")})
	}
	switch r.Late {
	case schedule.LateAsleep:
		return i18n.With("Missed {{.Due}}, while the machine slept; run at {{.At}}", at)
	case schedule.LateClosed:
		return i18n.With("Missed {{.Due}}, while mac-stats was closed; run at {{.At}}", at)
	case schedule.LateQuiet:
		return i18n.With("Missed {{.Due}}, in quiet hours; run at {{.At}}", at)
	case schedule.LateBattery:
		return i18n.With("Missed {{.Due}}, while on battery; run at {{.At}}", at)
	case schedule.LateBusy:
		return i18n.With("Missed {{.Due}}, while the previous run was still going; run at {{.At}}", at)
	}
	return ""
}

// errorTexts are the texts of errors about schedules.toml and its entries, in the words of
// packages schedule and backend.
var errorTexts = []string{
	"schedules.toml, line {{.Line}} ({{.Name}}): {{.Why}}",
	"schedules.toml, line {{.Line}}: {{.Why}}",
	"schedules.toml ({{.Name}}): {{.Why}}",
	"schedules.toml: {{.Why}}",
	"it isn't TOML here: {{.Why}}. Fix that line; no schedule runs until then.",
	"{{.Key}} is missing. Add a line {{.Add}}; this schedule doesn't run until then.",
	"{{.Key}} isn't known. Begin each schedule with a line [[schedule]].",
	"another schedule has this name, or one much like it. Give it a name of its own; it doesn't run until then.",
	"another schedule has this name, or one much like it: choose another name",
	"{{.Key}}: {{.Why}}. This schedule doesn't run until that is fixed.",
	"{{.Why}}. No schedule runs until then.",
	"it must be a text in quotation marks",
	"it must be true or false",
	"there is no such key; the keys are {{.Keys}}",
	"it is empty; give it at least one word",
	"it must be one line without spaces around it",
	"it has more than {{.Number}} characters",
	"it is empty; write the question to ask",
	`write it like "every day at 8", "every weekday at 17:30", "every monday at 9" or "every hour", or as a cron line like "0 8 * * 1-5"`,
	"a time zone can't be set here: times are those of this machine",
	"a cron line has five fields (minute, hour, day of the month, month, day of the week), this one has {{.Number}}",
	`"{{.Field}}" can't be the {{.Name}} of a cron line, which is from {{.Values}}`,
	`"{{.Field}}" can't be the {{.Name}} of a cron line: write *, a number, a range like 1-5, a step like */15, or several of them with commas between`,
	"minute", "hour", "day of the month", "month", "day of the week",
	"0 to 59", "0 to 23", "1 to 31", "1 to 12 or jan to dec", "0 to 7 or sun to sat",
	"that day never comes",
	`it must be two times of the day like "22:00-7:00"`,
	"there is no schedule of that name",
	"schedules.toml is written in a way that can't be changed automatically; edit it by hand",
	"it is already running; wait until it ends",
	"no tool called {{.Tool}} asks before it acts; there are RUN_CMD with a program, and the tools of your MCP servers",
	"name: {{.Why}}",
	"prompt: {{.Why}}",
	"Edit schedules.toml. It is reloaded when you save it.",
	"There is one more error. {{.Next}}",
	"There are {{.Number}} more errors. {{.Next}}",
}

// Translate translates an English text about schedules.
func Translate(text string) string { return i18n.Translated(text, errorTexts) }

// sentence returns an error as a sentence in the user's language.
func sentence(err error) string { return i18n.Sentence(i18n.Capital(Translate(err.Error()))) }

// Texts returns the texts that the page translates and other packages word.
func Texts() []string { return errorTexts }
