package cpuwindow

import "time"

// Dates in the user's language; times are of 24 hours everywhere.

func monthName(t time.Time) string {
	switch t.Month() {
	case time.January:
		return tr("January")
	case time.February:
		return tr("February")
	case time.March:
		return tr("March")
	case time.April:
		return tr("April")
	case time.May:
		return tr("May")
	case time.June:
		return tr("June")
	case time.July:
		return tr("July")
	case time.August:
		return tr("August")
	case time.September:
		return tr("September")
	case time.October:
		return tr("October")
	case time.November:
		return tr("November")
	default:
		return tr("December")
	}
}

func weekdayName(t time.Time) string {
	switch t.Weekday() {
	case time.Sunday:
		return tr("Sunday")
	case time.Monday:
		return tr("Monday")
	case time.Tuesday:
		return tr("Tuesday")
	case time.Wednesday:
		return tr("Wednesday")
	case time.Thursday:
		return tr("Thursday")
	case time.Friday:
		return tr("Friday")
	default:
		return tr("Saturday")
	}
}

// shortDate is "2 Jan", of another year "2 Jan 2006".
func shortDate(t, now time.Time) string {
	month := []rune(monthName(t))
	p := places{"Day": t.Day(), "Month": string(month[:min(len(month), 3)]), "Year": t.Year()}
	if t.Year() == now.Year() {
		return trWith("{{.Day}} {{.Month}}", p)
	}
	return trWith("{{.Day}} {{.Month}} {{.Year}}", p)
}
