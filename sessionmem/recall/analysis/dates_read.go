package analysis

import (
	"iter"
	"time"
)

// dateReader finds dates in the words of a text.
type dateReader struct {
	tokens []dateToken
	today  time.Time // midnight of the day on which the text was written
}

// readDates yields the dates in a text written at a time.
func readDates(tokens []dateToken, at time.Time) iter.Seq[mention] {
	r := dateReader{tokens: tokens, today: midnight(at)}
	return func(yield func(mention) bool) {
		for i := 0; i < len(tokens); {
			m, n := r.read(i)
			if n == 0 {
				i++
				continue
			}
			m.tokens = tokens[i : i+n]
			if !yield(m) {
				return
			}
			i += n
		}
	}
}

func midnight(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}

// at returns the token at i, or an empty one.
func (r dateReader) at(i int) dateToken {
	if i < 0 || i >= len(r.tokens) {
		return dateToken{number: -1}
	}
	return r.tokens[i]
}

// read reads the date that begins at i and returns its number of words; 0 if there is none.
func (r dateReader) read(i int) (mention, int) {
	t := r.at(i)
	if t.date.year != 0 {
		return r.day(t.date.year, t.date.month, t.date.day), 1
	}
	for _, try := range [...]func(int) (mention, int){r.relativeDay, r.modified, r.modifiedAfter, r.length, r.calendar, r.season, r.loose} {
		if m, n := try(i); n > 0 {
			return m, n
		}
	}
	return mention{}, 0
}

// relativeDay reads "yesterday" and "the day before yesterday".
func (r dateReader) relativeDay(i int) (mention, int) {
	if t := r.at(i); t.kind == dateDay {
		return r.dayFrom(int(t.n)), 1
	}
	t, next := r.at(i), r.at(i+2)
	if t.kind == dateUnit && grain(t.n) == grainDay && r.at(i+1).kind == dateNone && next.kind == dateDay && (next.n == -1 || next.n == 1) {
		return r.dayFrom(2 * int(next.n)), 3
	}
	return mention{}, 0
}

// modified reads "last week", "this morning", "next Friday", "last May", "the past few days".
func (r dateReader) modified(i int) (mention, int) {
	mod := r.at(i)
	if mod.kind != dateMod && mod.kind != dateAfter {
		return mention{}, 0
	}
	n := int(mod.n)
	if m, ok := r.nearest(r.at(i+1), n); ok {
		return m, 2
	}
	if count, used := r.count(i + 1); used > 0 && r.at(i+1+used).kind == dateUnit && n != 0 {
		return r.stretch(grain(r.at(i+1+used).n), n*count), 2 + used
	}
	return mention{}, 0
}

// modifiedAfter reads "la semaine dernière", "el lunes pasado".
func (r dateReader) modifiedAfter(i int) (mention, int) {
	if mod := r.at(i + 1); mod.kind == dateAfter {
		if m, ok := r.nearest(r.at(i), int(mod.n)); ok {
			return m, 2
		}
	}
	return mention{}, 0
}

// nearest returns the last (n < 0), this (0) or the next of what a word names.
func (r dateReader) nearest(what dateToken, n int) (mention, bool) {
	switch what.kind {
	case dateUnit:
		return r.unit(grain(what.n), n), true
	case datePart:
		return r.dayFrom(n), true
	case dateWeekday:
		return r.weekday(int(what.n), n), true
	case dateMonth, dateMonthish:
		return r.month(int(what.n), r.yearOf(int(what.n), n), false), true
	case dateSeason:
		return r.seasonOf(int(what.n), r.yearOf(int(what.n), n)), true
	}
	return mention{}, false
}

// length reads "two weeks ago", "vor einem Monat", "in three days"; a length alone is a vague
// time expression.
func (r dateReader) length(i int) (mention, int) {
	lead := r.at(i).kind
	from := i
	switch {
	case lead == dateBefore, lead == dateIn:
		from++
	case lead == dateThere && r.at(i+1).kind == dateNumber && r.at(i+1).n == 1: // "il y a"
		lead, from = dateBefore, i+2
	}
	count, used := r.count(from)
	if used == 0 || r.at(from+used).kind != dateUnit {
		return mention{}, 0
	}
	unit := grain(r.at(from + used).n)
	end := from + used + 1
	switch {
	case lead == dateBefore:
		return r.unit(unit, -count), end - i
	case r.at(end).kind == dateAgo:
		return r.unit(unit, -count), end + 1 - i
	case lead == dateIn:
		return r.unit(unit, count), end - i
	case count == 1 && r.at(from).number < 0: // "a day"
		return mention{}, 0
	}
	return mention{vague: true}, end - i
}

// count reads a number of units with the words before it: "a couple of".
func (r dateReader) count(i int) (n, used int) {
	for ; used < 3; used++ {
		switch t := r.at(i + used); {
		case t.number > 0 && t.number < 100:
			n = t.number
		case t.kind == dateNumber:
			n = int(t.n)
		case t.kind == dateFiller && t.n == 0 && n > 0:
		default:
			return n, sign(n) * used
		}
	}
	return n, sign(n) * used
}

func sign(n int) int {
	if n > 0 {
		return 1
	}
	return 0
}

// calendar reads "3 May 2023", "May 3rd", "in May", "May 2023", "in 2023".
func (r dateReader) calendar(i int) (mention, int) {
	t := r.at(i)
	if t.kind == dateIn {
		if m, n := r.named(i+1, true); n > 0 {
			return m, n + 1
		}
		return mention{}, 0
	}
	return r.named(i, false)
}

func (r dateReader) named(i int, led bool) (mention, int) {
	if year := r.at(i).number; isYear(year) && r.at(i+1).kind == dateMonth {
		return r.inYear(i, year)
	}
	day, from := 0, i
	if r.at(from).kind == dateFiller && led && r.at(from+1).number > 0 { // "on the 3rd of May"
		from++
	}
	if n := r.at(from).number; n >= 1 && n <= 31 {
		day, from = n, from+1
		if r.at(from).kind == dateFiller {
			from++
		}
	}
	name := r.at(from)
	if name.kind != dateMonth && name.kind != dateMonthish {
		if isYear(r.at(i).number) {
			return r.year(r.at(i).number), 1
		}
		return mention{}, 0
	}
	end := from + 1
	if day == 0 {
		if n := r.at(end).number; n >= 1 && n <= 31 {
			day, end = n, end+1
		}
	}
	if r.at(end).kind == dateFiller && isYear(r.at(end+1).number) {
		end++
	}
	year, named := r.yearOf(int(name.n), 0), false
	if n := r.at(end).number; isYear(n) {
		year, named, end = n, true, end+1
	}
	if name.kind == dateMonthish && day == 0 && !named && !led {
		return mention{}, 0
	}
	if day > 0 && !named && day == 29 && int(name.n) == 2 {
		year -= year % 4 // the last leap year
	}
	if day > 0 && isDay(year, int(name.n), day) { // if the day doesn't exist, only the month counts
		m := r.day(year, int(name.n), day)
		m.yearly = !named
		return m, end - i
	}
	return r.month(int(name.n), year, !named), end - i
}

// inYear reads "2023 May 3", where the year comes first.
func (r dateReader) inYear(i, year int) (mention, int) {
	m, n := r.named(i+1, true)
	if n == 0 {
		return r.year(year), 1
	}
	from := m.span.From
	if m.span.grain == grainDay && isDay(year, int(from.Month()), from.Day()) {
		return r.day(year, int(from.Month()), from.Day()), n + 1
	}
	return r.month(int(from.Month()), year, false), n + 1
}

// season reads "summer 2022", "in the summer of 2022", "in summer".
func (r dateReader) season(i int) (mention, int) {
	t, from := r.at(i), i
	led := t.kind == dateIn
	if led {
		from++
	}
	if r.at(from).kind == dateFiller {
		from++
	}
	name := r.at(from)
	if name.kind != dateSeason {
		return mention{}, 0
	}
	end := from + 1
	if r.at(end).kind == dateFiller {
		end++
	}
	if n := r.at(end).number; isYear(n) {
		return r.seasonOf(int(name.n), n), end + 1 - i
	}
	if !led {
		return mention{}, 0
	}
	m := r.seasonOf(int(name.n), r.yearOf(int(name.n), 0))
	m.yearly = true
	return m, from + 1 - i
}

// loose reads a weekday, which may be the last or the next one, and "recently".
func (r dateReader) loose(i int) (mention, int) {
	switch t := r.at(i); t.kind {
	case dateVague:
		return mention{vague: true}, 1
	case dateWeekday:
		return mention{vague: true}, 1
	case dateIn:
		if day := r.at(i + 1); day.kind == dateWeekday {
			return r.weekday(int(day.n), -1), 2
		}
	}
	return mention{}, 0
}

func (r dateReader) dayFrom(n int) mention {
	from := r.today.AddDate(0, 0, n)
	return mention{span: Span{From: from, To: from.AddDate(0, 0, 1), grain: grainDay}}
}

func (r dateReader) day(year, month, day int) mention {
	from := time.Date(year, time.Month(month), day, 0, 0, 0, 0, r.today.Location())
	return mention{span: Span{From: from, To: from.AddDate(0, 0, 1), grain: grainDay}}
}

func (r dateReader) month(month, year int, yearly bool) mention {
	from := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, r.today.Location())
	return mention{span: Span{From: from, To: from.AddDate(0, 1, 0), grain: grainMonth}, yearly: yearly}
}

func (r dateReader) year(year int) mention {
	from := time.Date(year, 1, 1, 0, 0, 0, 0, r.today.Location())
	return mention{span: Span{From: from, To: from.AddDate(1, 0, 0), grain: grainYear}}
}

func (r dateReader) seasonOf(month, year int) mention {
	from := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, r.today.Location())
	return mention{span: Span{From: from, To: from.AddDate(0, 3, 0), grain: grainSeason}}
}

// unit returns the day, week … that is n units from today. Weeks begin on Monday.
func (r dateReader) unit(g grain, n int) mention {
	switch g {
	case grainDay:
		return r.dayFrom(n)
	case grainWeek:
		from := r.monday().AddDate(0, 0, 7*n)
		return mention{span: Span{From: from, To: from.AddDate(0, 0, 7), grain: grainWeek}}
	case grainWeekend:
		from := r.monday().AddDate(0, 0, 7*n+5)
		return mention{span: Span{From: from, To: from.AddDate(0, 0, 2), grain: grainWeekend}}
	case grainMonth:
		return r.month(int(r.today.Month())+n, r.today.Year(), false)
	}
	return r.year(r.today.Year() + n)
}

// stretch returns the last or the next n days, weeks …, including today.
func (r dateReader) stretch(g grain, n int) mention {
	edge := r.today
	switch g {
	case grainDay:
		edge = edge.AddDate(0, 0, n)
	case grainWeek, grainWeekend:
		edge = edge.AddDate(0, 0, 7*n)
	case grainMonth:
		edge = edge.AddDate(0, n, 0)
	default:
		edge = edge.AddDate(n, 0, 0)
	}
	if n < 0 {
		return mention{span: Span{From: edge, To: r.today.AddDate(0, 0, 1)}}
	}
	return mention{span: Span{From: r.today, To: edge.AddDate(0, 0, 1)}}
}

func (r dateReader) monday() time.Time {
	return r.today.AddDate(0, 0, -(int(r.today.Weekday())+6)%7)
}

// weekday returns the last (n < 0), this week's (0) or the next such day.
func (r dateReader) weekday(day, n int) mention {
	ahead := (day - int(r.today.Weekday()) + 7) % 7
	switch {
	case n < 0:
		return r.dayFrom((ahead+6)%7 - 6 - 0)
	case n == 0:
		return mention{span: Span{From: r.monday().AddDate(0, 0, (day+6)%7), To: r.monday().AddDate(0, 0, (day+6)%7+1), grain: grainDay}}
	case ahead == 0:
		return r.dayFrom(7)
	}
	return r.dayFrom(ahead)
}

// yearOf returns the year of a month without one: of the last such month (n < 0), the next
// (n > 0), or the nearest, with a preference for the past.
func (r dateReader) yearOf(month, n int) int {
	year, now := r.today.Year(), int(r.today.Month())
	switch {
	case n < 0 && month >= now:
		return year - 1
	case n > 0 && month <= now:
		return year + 1
	case n == 0 && month > now+2:
		return year - 1
	}
	return year
}
