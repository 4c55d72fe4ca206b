package cpuwindow

import "time"

// Dates in the user's language; times are of 24 hours everywhere.

func monthName(t time.Time) string {
	return [...]string{
		tr("January"), tr("February"), tr("March"), tr("April"), tr("May"), tr("June"),
		tr("July"), tr("August"), tr("September"), tr("October"), tr("November"), tr("December"),
	}[t.Month()-1]
}

func weekdayName(t time.Time) string {
	return [...]string{
		tr("Sunday"), tr("Monday"), tr("Tuesday"), tr("Wednesday"), tr("Thursday"), tr("Friday"), tr("Saturday"),
	}[t.Weekday()]
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
