package i18n

import (
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
)

// Dates are in the user's language; times are always on the 24-hour clock.

// MonthName returns the month in the user's language.
func MonthName(t time.Time) string {
	switch t.Month() {
	case time.January:
		return T("January")
	case time.February:
		return T("February")
	case time.March:
		return T("March")
	case time.April:
		return T("April")
	case time.May:
		return T("May")
	case time.June:
		return T("June")
	case time.July:
		return T("July")
	case time.August:
		return T("August")
	case time.September:
		return T("September")
	case time.October:
		return T("October")
	case time.November:
		return T("November")
	default:
		return T("December")
	}
}

// WeekdayName returns the day of the week in the user's language.
func WeekdayName(t time.Time) string {
	switch t.Weekday() {
	case time.Sunday:
		return T("Sunday")
	case time.Monday:
		return T("Monday")
	case time.Tuesday:
		return T("Tuesday")
	case time.Wednesday:
		return T("Wednesday")
	case time.Thursday:
		return T("Thursday")
	case time.Friday:
		return T("Friday")
	default:
		return T("Saturday")
	}
}

// ShortDate returns "2 Jan", or "2 Jan 2006" for another year.
func ShortDate(t, now time.Time) string {
	month := []rune(MonthName(t))
	p := Places{"Day": t.Day(), "Month": string(month[:min(len(month), 3)]), "Year": t.Year()}
	if t.Year() == now.Year() {
		return With("{{.Day}} {{.Month}}", p)
	}
	return With("{{.Day}} {{.Month}} {{.Year}}", p)
}

// Thousands returns a count with separators: 5,360.
func Thousands(n int) string { return Number(humanize.Comma(int64(n))) }

// Number formats a number for the user's language; s has commas between thousands and a
// decimal point.
func Number(s string) string { return numberLike(T("1,234.5"), s) }

// numberLike is Number for a language that writes 1,234.5 like example.
func numberLike(example, s string) string {
	signs := strings.FieldsFunc(example, unicode.IsDigit)
	if len(signs) != 2 {
		return s
	}
	return strings.NewReplacer(",", signs[0], ".", signs[1]).Replace(s)
}

// Moment returns a date and time: "2 Jan 15:04", or "2 Jan 2006 15:04" for another year.
func Moment(t, now time.Time) string { return ShortDate(t, now) + " " + t.Format("15:04") }

// When returns a time of day, with the date unless it is today.
func When(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(now.Location())
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	if t.Year() == now.Year() {
		return Moment(t, now)
	}
	return ShortDate(t, now)
}

// LongDate returns "2 January 2006".
func LongDate(t time.Time) string {
	return With("{{.Day}} {{.Month}} {{.Year}}", Places{"Day": t.Day(), "Month": MonthName(t), "Year": t.Year()})
}

// Day returns "Monday, 2 January 2006".
func Day(t time.Time) string { return WeekdayName(t) + ", " + LongDate(t) }
