package schedule

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// When defines the times at which a schedule is due. The zero value is never due.
type When struct {
	text   string
	line   string // of cron
	times  cron.Schedule
	hourly bool // any hour: a repeated one counts twice
}

var errWhen = errors.New(`write it like "every day at 8", "every weekday at 17:30", "every monday at 9" or "every hour", or as a cron line like "0 8 * * 1-5"`)

// Days returns the words that may follow "every" in a plain form, except hour.
func Days() []string {
	return []string{"day", "weekday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
}

// cronDays returns the same days for a cron line.
func cronDays() []string { return []string{"*", "1-5", "1", "2", "3", "4", "5", "6", "0"} }

var (
	plainForm = regexp.MustCompile(`^every ([a-z]+)(?: at (\d{1,2})(?::(\d\d))?)?$`)
	plainLine = regexp.MustCompile(`^(\d{1,2}) (\d{1,2}) \* \* (\S+)$`)
)

// cronFields are the fields of a cron line. Each is a list of items between commas: any value, a
// value, or a range, perhaps with a step. The library accepts more than that, with other
// meanings.
var (
	cronFields = [5]string{"minute", "hour", "day of the month", "month", "day of the week"}
	cronValues = [5]string{"0 to 59", "0 to 23", "1 to 31", "1 to 12 or jan to dec", "0 to 7 or sun to sat"}
	cronItem   = `(?:\*|\?|(?:\d{1,2}|[a-z]{3})(?:-(?:\d{1,2}|[a-z]{3}))?)(?:/\d{1,2})?`
	cronField  = regexp.MustCompile(`^` + cronItem + `(?:,` + cronItem + `)*$`)
)

// Plain is a time in a plain form.
type Plain struct {
	Every        string // "hour", or one of Days
	Hour, Minute int    // of a day
}

func (p Plain) String() string {
	if p.Every == "hour" {
		return "every hour"
	}
	return fmt.Sprintf("every %s at %d:%02d", p.Every, p.Hour, p.Minute)
}

// line returns the cron line of a plain form.
func (p Plain) line() (string, error) {
	if p.Every == "hour" {
		return "0 * * * *", nil
	}
	i := slices.Index(Days(), p.Every)
	if i < 0 || p.Hour > 23 || p.Minute > 59 {
		return "", errWhen
	}
	return fmt.Sprintf("%d %d * * %s", p.Minute, p.Hour, cronDays()[i]), nil
}

// ParseWhen reads a plain form or a cron line. Its error is worded for people.
func ParseWhen(text string) (When, error) {
	w := When{text: strings.Join(strings.Fields(text), " ")}
	w.line = w.text
	if m := plainForm.FindStringSubmatch(strings.ToLower(w.text)); m != nil {
		if (m[1] == "hour") != (m[2] == "") {
			return When{}, errWhen
		}
		hour, _ := strconv.Atoi(m[2]) // digits, or "" for every hour
		minute, _ := strconv.Atoi(m[3])
		var err error
		if w.line, err = (Plain{m[1], hour, minute}).line(); err != nil {
			return When{}, err
		}
	}
	fields := strings.Fields(w.line)
	switch {
	case strings.HasPrefix(w.line, "TZ="), strings.HasPrefix(w.line, "CRON_TZ="):
		return When{}, errors.New("a time zone can't be set here: times are those of this machine")
	case len(fields) > 1 && len(fields) != 5 && cronField.MatchString(fields[0]) && cronField.MatchString(fields[1]):
		return When{}, fmt.Errorf("a cron line has five fields (%s), this one has %d", strings.Join(cronFields[:], ", "), len(fields))
	case len(fields) != 5, strings.EqualFold(fields[0], "every"):
		return When{}, errWhen
	}
	for i, field := range fields {
		if !cronField.MatchString(strings.ToLower(field)) {
			return When{}, fmt.Errorf("%q can't be the %s of a cron line: write *, a number, a range like 1-5, a step like */15, or several of them with commas between", field, cronFields[i])
		}
	}
	parser, err := cron.TryNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom)
	if err != nil {
		return When{}, errWhen
	}
	for i, field := range fields { // each alone, as the library's error doesn't say which it is
		alone := [5]string{"*", "*", "*", "*", "*"}
		if alone[i] = field; err == nil {
			if _, err = parser.Parse(strings.Join(alone[:], " ")); err != nil {
				return When{}, fmt.Errorf("%q can't be the %s of a cron line, which is from %s", field, cronFields[i], cronValues[i])
			}
		}
	}
	if w.times, err = parser.Parse(w.line); err != nil {
		return When{}, errWhen
	}
	if w.times.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return When{}, errors.New("that day never comes")
	}
	w.hourly = strings.HasPrefix(fields[1], "*")
	return w, nil
}

// String returns the text it was parsed from.
func (w When) String() string { return w.text }

// Plain returns the plain form, if it has one.
func (w When) Plain() (Plain, bool) {
	if w.line == "0 * * * *" {
		return Plain{Every: "hour"}, true
	}
	m := plainLine.FindStringSubmatch(w.line)
	if m == nil || !slices.Contains(cronDays(), m[3]) {
		return Plain{}, false
	}
	minute, _ := strconv.Atoi(m[1]) // digits
	hour, _ := strconv.Atoi(m[2])
	return Plain{Days()[slices.Index(cronDays(), m[3])], hour, minute}, true
}

// maxShift is more than any daylight saving time moves the clocks.
const maxShift = 3 * time.Hour

// Next returns the first due time after t, in t's location; zero for never.
//
// The library ignores daylight saving time. No library we tried handles half-hour shifts
// (Lord Howe) or a daily time that occurs twice.
func (w When) Next(t time.Time) time.Time {
	if w.times == nil {
		return time.Time{}
	}
	var first, end time.Time
	wall := wallOf(t).Add(-maxShift) // what is skipped is due later than its time says
	for {
		wall = w.times.Next(wall)
		if wall.IsZero() || !end.IsZero() && wall.After(end) {
			return first
		}
		for _, due := range w.instants(wall, t.Location()) {
			if due.After(t) && (first.IsZero() || due.Before(first)) {
				first, end = due, wallOf(due).Add(maxShift)
			}
		}
	}
}

// wallOf returns the wall clock's reading as a UTC time.
func wallOf(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// instants returns the moments at which the wall clock shows a time, usually one. A skipped
// time is later by the amount the clocks moved.
func (w When) instants(wall time.Time, loc *time.Location) []time.Time {
	_, before := wall.Add(-24 * time.Hour).In(loc).Zone()
	_, after := wall.Add(24 * time.Hour).In(loc).Zone()
	early := wall.Add(-time.Duration(before) * time.Second).In(loc)
	late := wall.Add(-time.Duration(after) * time.Second).In(loc)
	switch {
	case !wallOf(early).Equal(wall) && wallOf(late).Equal(wall):
		return []time.Time{late}
	case w.hourly && wallOf(early).Equal(wall) && wallOf(late).Equal(wall) && !late.Equal(early):
		return []time.Time{early, late}
	}
	return []time.Time{early}
}

// Quiet is a time of day in which nothing runs. The zero value is empty.
type Quiet struct{ from, to int } // minutes of the day

var quietForm = regexp.MustCompile(`^(\d{1,2})(?::(\d\d))?\s*[-–]\s*(\d{1,2})(?::(\d\d))?$`)

// ParseQuiet reads "22:00-7:00"; "" means none.
func ParseQuiet(text string) (Quiet, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Quiet{}, nil
	}
	bad := errors.New(`it must be two times of the day like "22:00-7:00"`)
	m := quietForm.FindStringSubmatch(text)
	if m == nil {
		return Quiet{}, bad
	}
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1]) // digits, or "" for none
	}
	q := Quiet{60*n[0] + n[1], 60*n[2] + n[3]}
	if n[0] > 23 || n[2] > 23 || n[1] > 59 || n[3] > 59 || q.from == q.to {
		return Quiet{}, bad
	}
	return q, nil
}

func (q Quiet) String() string {
	if q == (Quiet{}) {
		return ""
	}
	return fmt.Sprintf("%d:%02d-%d:%02d", q.from/60, q.from%60, q.to/60, q.to%60)
}

// Covers reports whether t is within quiet hours.
func (q Quiet) Covers(t time.Time) bool {
	m := 60*t.Hour() + t.Minute()
	if q.from <= q.to {
		return m >= q.from && m < q.to
	}
	return m >= q.from || m < q.to
}

// end returns the end of the quiet hours that cover t.
func (q Quiet) end(t time.Time) time.Time {
	end := time.Date(t.Year(), t.Month(), t.Day(), q.to/60, q.to%60, 0, 0, t.Location())
	if !end.After(t) {
		end = time.Date(t.Year(), t.Month(), t.Day()+1, q.to/60, q.to%60, 0, 0, t.Location())
	}
	return end
}
