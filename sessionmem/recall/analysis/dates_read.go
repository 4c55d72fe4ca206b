package analysis

import (
	"iter"
	"slices"
	"time"
)

// dateReader finds dates in the words of a text.
type dateReader struct {
	tokens     []dateToken
	now        time.Time
	today      time.Time // midnight of the day on which the text was written
	monthFirst bool      // 3/5 is in March
	depth      int
	question   bool // of the person who asks: what is as often no date counts too, "week 3", "on 1/2"
}

// readDates yields the dates in a text written at a time.
func readDates(tokens []dateToken, at time.Time, monthFirst, question bool) iter.Seq[mention] {
	r := dateReader{tokens: tokens, now: at, today: midnight(at), monthFirst: monthFirst, question: question}
	return func(yield func(mention) bool) {
		for i := 0; i < len(tokens); {
			m, n := r.read(i)
			if n == 0 {
				i++
				continue
			}
			m.vague = m.vague || !r.isWhole(&m, i, n)
			m.tokens = tokens[i : i+n]
			if m.named == nil {
				m.named = []Span{m.span}
			}
			if !yield(m) {
				return
			}
			i += n
		}
	}
}

// isWhole reports whether the n words from i on, which are a date, are all of their phrase. Beside what
// isn't read they mean another date, or none: "Friday after the next", "Palm Sunday", "port 2020".
func (r *dateReader) isWhole(m *mention, i, n int) bool {
	begin, end := i, i+n
	for begin > 0 && r.at(begin-1).content {
		begin--
	}
	if n == 1 && isYear(r.at(i).number) {
		g, unit := r.is(end, dateUnit)
		_, ago := r.is(end+1, dateAgo, dateLater)
		_, object := r.is(i-1, dateObject)
		return !object && (r.question || begin == i) && (r.at(end).number < 0 || isYear(r.at(end).number)) && (!unit || !r.monthFirst && grain(g) == grainYear && !ago && r.at(end+1).number < 0)
	}
	if _, unit := r.is(i-1, dateUnit); unit && m.yearly && r.at(i-1).sign { // the year in another era: "平成26年12月29日"
		return false
	}
	if _, bound := r.is(end, dateBefore, dateAfter, dateUntil); bound { // "tomorrow before 11"
		_, part := r.is(end+1, datePart)
		if part || r.at(end+1).number >= 0 || r.at(end+2).number >= 0 {
			return false
		}
	}
	next := r.skip(end, 2, dateOf, dateThe)
	if next > end && m.nth != 0 && r.at(next).content { // "the last day of school"
		return false
	}
	if m.span.grain == grainDay { // "the 18th for ten days"
		d, used := r.distance(r.skip(end, 1, dateFor))
		if used > 0 && d.vague {
			return false
		}
	}
	if !m.weekday {
		return true
	}
	next = r.skip(end, 3, dateOf, dateThe, dateAt, dateIn, dateAfter, dateBefore)
	_, nth := r.is(i-1, dateOrdinal)
	nth = nth || r.at(i-1).number > 1 && n == 1 // "2 Mondays"
	_, more := r.is(next, dateUnit, dateLast, dateBehind, dateInweek, dateOrdinal, dateMonth)
	// After a verb it is a date: "I met Anna Monday".
	// A word without a capital, or a preposition, is no part of a day's name: "lunch Monday", "standup on Monday".
	_, named := r.is(begin-1, dateAt, dateIn, dateThe, dateOf, dateSince, dateUntil, dateBefore, dateAfter, dateFrom, dateTo)
	numbered := r.at(next).number >= 1 && r.at(next).number <= 31 && next-end < 2
	inside := begin < i && r.at(i).named && r.at(i-1).capital && (begin == 0 || named)
	return !nth && !more && !numbered && !inside
}

func midnight(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}

// at returns the token at i, or an empty one.
func (r *dateReader) at(i int) *dateToken {
	if i < 0 || i >= len(r.tokens) {
		return &dateToken{number: -1}
	}
	return &r.tokens[i]
}

// is reports whether the token at i can have one of the roles, and returns its number.
func (r *dateReader) is(i int, kinds ...dateKind) (n int, ok bool) { return r.at(i).is(kinds...) }

// skip returns the first index from i on without one of the roles, at most most further.
func (r *dateReader) skip(i, most int, kinds ...dateKind) int {
	for ; most > 0; most-- {
		if _, ok := r.is(i, kinds...); !ok {
			break
		}
		i++
	}
	return i
}

// read reads the date, the range or the interval open on one side that begins at i, and returns
// its number of words; 0 if there is none.
func (r *dateReader) read(i int) (mention, int) {
	lead, from := dateNone, i
	first, n := r.point(i, false)
	for _, k := range [...]dateKind{dateSince, dateUntil, dateBefore, dateAfter, dateFrom, dateBetween} {
		if _, ok := r.is(i, k); ok && n == 0 {
			from = i + 1
			if first, n = r.point(from, true); n == 0 || first.vague {
				if l, used := r.length(from); used > 0 && k == dateSince {
					first, n = r.shifted(r.now, l, -1, false), used
				}
			}
			if lead = k; n > 0 {
				break
			}
		}
	}
	if first.vague {
		return first, n + from - i
	}
	day := r.skip(from, 1, dateThe)
	if k := r.dayAt(day); n == 0 && k > 0 && r.joins(day+1, lead) { // "3 to 7 May"
		if second, used := r.point(r.skip(day+2, 1, dateTo), true); used > 0 && second.span.grain == grainDay && k < second.span.From.Day() {
			first, n = r.day(second.span.From.Year(), int(second.span.From.Month()), k), day+1-from
			first.yearly = second.yearly
		}
	}
	if n == 0 {
		return mention{}, 0
	}
	end := from + n
	if r.joins(end, lead) {
		begin := r.skip(end+1, 1, dateTo)
		second, used := r.point(begin, true)
		used += begin - end - 1
		day := r.skip(begin, 1, dateThe)
		if k := r.dayAt(day); (used == begin-end-1 || second.vague) && first.span.grain == grainDay && k > first.span.From.Day() && isDay(first.span.From.Year(), int(first.span.From.Month()), k) { // "3 May to 7"
			second, used = r.day(first.span.From.Year(), int(first.span.From.Month()), k), day-end
			second.yearly = first.yearly
			if year := r.at(end + 1 + used).number; isYear(year) && first.yearly {
				first, second = r.inYear(first, year), r.inYear(second, year)
				used++
			}
		}
		if used > begin-end-1 && !second.vague {
			if whole, ok := r.between(first, second); ok {
				end = r.skip(end+1+used, 1, dateUntilb)
				return whole, end - i
			}
		}
	}
	if _, ok := r.is(end, dateSinceb); ok {
		lead, end = dateSince, end+1
	} else if _, ok := r.is(end, dateUntilb); ok {
		lead, end = dateUntil, end+1
	} else if _, ok := r.is(end, dateAgo); ok && r.at(end).sign {
		lead, end = dateBefore, end+1
	} else if _, ok := r.is(end, dateLater); ok && r.at(end).sign {
		lead, end = dateAfter, end+1
	}
	bound, ever := r.recent(first), Ever()
	switch lead {
	case dateSince:
		ever.From = bound.span.From
	case dateAfter:
		ever.From = bound.span.To
		if _, clock := r.is(end, datePart); clock || r.at(end).number >= 0 || r.at(end+1).number >= 0 { // "after tomorrow 14:00"
			ever.From = bound.span.From
		}
	case dateUntil:
		ever.To = bound.span.To
	case dateBefore:
		ever.To = bound.span.From
	default:
		return first, end - i
	}
	return mention{span: ever, named: []Span{bound.span}}, end - i
}

// dayAt returns the day of a month that a word is; 0 if it is none.
func (r *dateReader) dayAt(i int) int {
	n, ok := r.is(i, dateOrdinal)
	if !ok {
		n = r.at(i).number
	}
	if n < 1 || n > 31 {
		return 0
	}
	return n
}

// joins reports whether the token at i stands between the ends of a range.
func (r *dateReader) joins(i int, lead dateKind) bool {
	if _, ok := r.is(i, dateTo, dateUntil, dateSinceb); ok {
		return true
	}
	_, and := r.is(i, dateAnd)
	return and && lead == dateBetween
}

// between returns the range from the first date to the second; false if it has none.
func (r *dateReader) between(first, second mention) (mention, bool) {
	a, b := first.span, second.span
	yearly := first.yearly && second.yearly
	switch {
	case first.yearly && !second.yearly:
		a = r.inYear(first, b.From.Year()).span
		if a.From.After(b.From) {
			a.From = a.From.AddDate(-1, 0, 0)
		}
	case second.yearly && !yearly:
		if b = r.inYear(second, a.From.Year()).span; b.To.Before(a.To) {
			b.To = b.To.AddDate(1, 0, 0)
		}
	case yearly && b.To.Before(a.To):
		b.To = b.To.AddDate(1, 0, 0)
		if a.From.After(r.today) {
			a.From, b.To = a.From.AddDate(-1, 0, 0), b.To.AddDate(-1, 0, 0)
		}
	case second.weekday && b.To.Before(a.To):
		b.To = b.To.AddDate(0, 0, 7)
	}
	whole := Span{From: a.From, To: b.To}
	named := []Span{a, b}
	if b.To.Sub(a.From) < 8*24*time.Hour { // a week or less: each day
		named = nil
		for day := a.From; day.Before(b.To); day = day.AddDate(0, 0, 1) {
			named = append(named, r.unitAt(day, grainDay).span)
		}
	}
	return mention{span: whole, named: named, yearly: yearly}, a.From.Before(b.To)
}

// recent returns a date without a year as the last one that has begun.
func (r *dateReader) recent(m mention) mention {
	if m.yearly && m.span.From.After(r.today) {
		m.span.From, m.span.To = m.span.From.AddDate(-1, 0, 0), m.span.To.AddDate(-1, 0, 0)
	}
	m.yearly = false
	return m
}

// point reads a date with what completes it: "Friday of last week", "the first week of May".
func (r *dateReader) point(i int, led bool) (mention, int) {
	m, n := r.single(i, led)
	for n > 0 && !m.vague {
		for {
			if _, ok := r.is(i+n, datePart); !ok {
				break
			}
			n++
		}
		if _, edge := r.is(i+n, dateBegin, dateMid, dateEnd); edge && r.at(i+n).sign && m.span.grain >= grainWeek {
			m, n = r.third(m, i+n), n+1
			continue
		}
		next := r.skip(i+n, 3, dateOf, dateThe, dateAt, dateIn, dateFrom)
		o, used := r.single(next, next > i+n)
		if g, ok := r.is(next, dateUnit); ok && used == 0 && m.nth != 0 && r.question { // "the first Monday of the month"
			o, used = r.unitAt(r.today, grain(g)), 1
		}
		whole, ok := r.merge(m, o)
		if !ok {
			break
		}
		m, n = whole, next+used-i
	}
	if m.part {
		return mention{}, 0
	}
	return m, n
}

// merge returns the date that two dates beside each other name.
func (r *dateReader) merge(a, b mention) (mention, bool) {
	span := a.span
	switch wide, narrow := b.span.grain, a.span.grain; {
	case a.nth != 0 && !b.part && wide > grainWeekend && wide > a.unit:
		return r.nthOf(a, b)
	case a.day > 0 && wide == grainMonth && !b.part:
		m := r.day(b.span.From.Year(), int(b.span.From.Month()), a.day)
		m.yearly = b.yearly
		return m, m.span.From.Month() == b.span.From.Month()
	case b.nth != 0 && !a.part && narrow > grainWeekend && narrow > b.unit:
		return r.nthOf(b, a)
	case a.weekday && wide == grainDay && !b.weekday && !b.part:
		return r.onWeekday(b, span.From.Weekday()), true
	case b.weekday && narrow == grainDay && !a.part && !a.weekday:
		return r.onWeekday(a, b.span.From.Weekday()), true
	case a.weekday && wide == grainWeek && !b.part:
		return r.weekdayIn(b, span.From.Weekday()), true
	case b.weekday && narrow == grainWeek && !a.part:
		return r.weekdayIn(a, b.span.From.Weekday()), true
	case a.yearly && wide == grainYear && !b.part:
		return r.inYear(a, b.span.From.Year()), true
	case b.yearly && narrow == grainYear && !a.part:
		return r.inYear(b, span.From.Year()), true
	}
	return a, !a.part && !b.part && span == b.span
}

// onWeekday returns a day without a year in the nearest year in which it is that weekday.
func (r *dateReader) onWeekday(m mention, day time.Weekday) mention {
	if !m.yearly {
		return m
	}
	best, found := m, false
	for by := -2; by <= 2; by++ {
		in := r.inYear(m, m.span.From.Year()+by)
		if in.span.From.Weekday() == day && (!found || in.span.From.Sub(r.today).Abs() < best.span.From.Sub(r.today).Abs()) {
			best, found = in, true
		}
	}
	return best
}

// weekdayIn returns a day of a week.
func (r *dateReader) weekdayIn(week mention, day time.Weekday) mention {
	monday := week.span.From.AddDate(0, 0, -(int(week.span.From.Weekday())+6)%7)
	return r.unitAt(monday.AddDate(0, 0, (int(day)+6)%7), grainDay)
}

// nthOf returns the nth unit or weekday of a longer time, the last for -1. A week must be whole.
func (r *dateReader) nthOf(a, b mention) (mention, bool) {
	from, to := b.span.From, b.span.To
	var at mention
	switch {
	case a.unit == 0 && a.nth > 0:
		at = r.unitAt(from.AddDate(0, 0, (int(a.span.From.Weekday())-int(from.Weekday())+7)%7+7*(a.nth-1)), grainDay)
	case a.unit == 0:
		last := to.AddDate(0, 0, -1+7*(a.nth+1))
		at = r.unitAt(last.AddDate(0, 0, -(int(last.Weekday())-int(a.span.From.Weekday())+7)%7), grainDay)
	case a.nth > 0:
		if a.unit == grainWeek {
			from = from.AddDate(0, 0, (8-int(from.Weekday()))%7)
		}
		at = r.unitAt(step(from, a.unit, a.nth-1), a.unit)
	default:
		at = r.unitAt(step(to, a.unit, a.nth), a.unit)
	}
	if at.yearly = b.yearly; b.yearly {
		at.again = func(year int) mention {
			if m, ok := r.nthOf(a, r.inYear(b, year)); ok {
				return m
			}
			return mention{}
		}
	}
	return at, !at.span.From.Before(b.span.From) && at.span.From.Before(to)
}

// inYear returns a date without a year in a year.
func (r *dateReader) inYear(m mention, year int) mention {
	if m.again != nil {
		if in := m.again(year); in.span != (Span{}) {
			return in
		}
	}
	by := year - m.span.From.Year()
	m.span.From, m.span.To, m.yearly, m.part = m.span.From.AddDate(by, 0, 0), m.span.To.AddDate(by, 0, 0), false, false
	if m.span.grain == grainDay { // 29 February isn't in every year
		m.span.To = m.span.From.AddDate(0, 0, 1)
	}
	return m
}

// maxNested limits how many dates may be counted from one another, "the week after the end of May",
// and how many units a length may have: reading takes time for each.
const maxNested = 4

// single reads a date of one piece.
func (r *dateReader) single(i int, led bool) (mention, int) {
	if r.depth >= maxNested {
		return mention{}, 0
	}
	r.depth++
	defer func() { r.depth-- }()
	if m, n := r.distance(i); n > 0 {
		return m, n
	}
	start, near := i, led
	for range 3 {
		if _, ok := r.is(i, dateAt, dateIn); ok {
			led, near = true, true
		} else if _, ok := r.is(i, dateThe); ok {
			near = false
		} else {
			break
		}
		if m, n := r.here(i, led, near); n > 0 { // the word may be more than a preposition: Spanish "en", a number "a"
			return m, n + i - start
		}
		i++
	}
	m, n := r.here(i, led, near)
	if n > 0 {
		n += i - start
	}
	return m, n
}

// here reads a date that begins with the word at i. led says whether a preposition comes before
// it, and near, whether right before.
func (r *dateReader) here(i int, led, near bool) (mention, int) {
	t := r.at(i)
	if t.date.numbers > 0 {
		if _, fraction := r.is(r.skip(i+1, 1, dateThe), dateUnit); fraction {
			return mention{}, 0
		}
		if next := r.skip(i+1, 2, dateOf, dateThe); next > i+1 && t.date.numbers == 2 {
			if _, date := r.is(next, dateLast, dateInweek, dateMonth, dateMonthish, dateYear, dateUnit); !date && !isYear(r.at(next).number) {
				return mention{}, 0 // "3/4 of the pages"
			}
		}
		if next := r.at(i + 1); t.date.numbers == 2 && next.content && !next.capital {
			return mention{}, 0 // "3/4 h"
		}
		_, in := r.is(i-1, dateIn)
		return r.numeric(t.date, near && !in || r.joins(i+1, dateNone))
	}
	if len(t.roles) == 0 && t.number < 0 {
		return mention{}, 0
	}
	if _, ok := t.is(dateBegin, dateMid, dateEnd); ok {
		j := r.skip(i+1, 3, dateOf, dateThe, dateAt, dateFrom)
		if m, n := r.point(j, true); n > 0 && m.span.grain >= grainWeek {
			return r.third(m, i), j + n - i
		}
		if g, ok := r.is(j, dateUnit); ok && r.question && grain(g) >= grainWeek { // "the end of the month"
			return r.third(r.unitAt(r.today, grain(g)), i), j + 1 - i
		}
	}
	if m, n := r.modified(i); n > 0 {
		return m, n
	}
	if n, ok := t.is(dateDay); ok {
		return r.unitAt(r.today.AddDate(0, 0, n), grainDay), 1
	}
	if n, ok := t.is(dateYear); ok {
		return r.unitAt(step(r.today, grainYear, n), grainYear), 1
	}
	if m, n := r.ordinal(i); n > 0 {
		return m, n
	}
	if m, n := r.calendar(i, near); n > 0 {
		return m, n
	}
	if m, n := r.season(i, led); n > 0 {
		return m, n
	}
	if n, ok := t.is(dateQuarter); ok {
		return r.quarter(n), 1
	}
	if g, ok := t.is(dateUnit); ok && (grain(g) == grainWeek || grain(g) == grainWeekend) { // "week 19"
		if of := r.skip(i+1, 2, dateOf, dateThe); of > i+1 { // "the week of 5 May"
			if m, n := r.single(of, true); n > 0 && m.span.grain == grainDay && !m.part && !m.weekday {
				week := r.unitAt(m.span.From, grain(g))
				if week.yearly = m.yearly; m.yearly {
					week.again = func(year int) mention { return r.unitAt(r.inYear(m, year).span.From, grain(g)) }
				}
				return week, of + n - i
			}
		}
		_, length := r.is(i+2, dateUnit)
		if n := r.at(i + 1).number; n >= 1 && n <= 53 && !length && grain(g) == grainWeek {
			if year := r.at(i + 2).number; isYear(year) {
				return r.week(n, year), 3
			}
			if !r.question {
				return mention{}, 0
			}
			m := r.week(n, r.today.Year())
			if m.span.From.After(r.today) {
				m = r.week(n, r.today.Year()-1)
			}
			return m, 2
		}
	}
	if _, ok := t.is(dateVague); ok {
		return mention{vague: true}, 1
	}
	if day, ok := t.is(dateWeekday); ok {
		m := r.weekday(day, -1, false)
		if int(r.today.Weekday()) == day {
			m = r.unitAt(r.today, grainDay)
		}
		m.loose, m.weekday = !near, true
		return m, 1
	}
	if day, ok := t.is(dateWeekdayish); ok {
		m := r.weekday(day, -1, false)
		m.loose, m.part, m.weekday = true, true, true
		return m, 1
	}
	if n := t.number; n >= 1 && n <= 31 {
		return mention{day: n, part: true}, 1
	}
	return mention{}, 0
}

// numeric returns the date of digits. Without a year they need a preposition before them.
func (r *dateReader) numeric(d numericDate, led bool) (mention, int) {
	switch {
	case d.numbers == 2 && d.n[0] > 31:
		return r.month(d.n[1], d.n[0], false), 1
	case d.numbers == 2 && d.n[1] > 31:
		return r.month(d.n[0], d.n[1], false), 1
	case d.numbers == 2 && (!led || !r.question):
		return mention{}, 0 // a fraction
	}
	year, month, day, ok := d.day(r.today.Year(), r.monthFirst)
	if d.numbers == 2 {
		year = r.yearOf(month, 0)
	}
	if !ok || !isDay(year, month, day) {
		return mention{}, 0
	}
	m := r.day(year, month, day)
	m.yearly = d.numbers == 2
	return m, 1
}

// modified reads "last week", "this morning", "next Friday", "last May", "the past few days",
// "la semaine dernière", "two upcoming weeks".
func (r *dateReader) modified(i int) (mention, int) {
	if n, ok := r.is(i+1, dateBehind); ok {
		if m, ok := r.nearest(i, n, false); ok {
			return m, 2
		}
	}
	if _, ok := r.is(i+1, dateAfter, dateBefore); ok { // "the week before last", "Friday after the next"
		j := r.skip(i+2, 1, dateThe)
		if n, ok := r.is(j, dateLast); ok && n != 0 {
			if _, noun := r.is(j+1, dateUnit, dateWeekday, dateMonth, dateMonthish, dateSeason); !noun {
				if m, ok := r.nearest(i, 2*n, false); ok {
					return m, j + 1 - i
				}
			}
		}
	}
	if count, _, used := r.count(i); used > 0 {
		if n, ok := r.is(i+used, dateLast, dateBehind, dateInweek); ok && n != 0 {
			if g, ok := r.is(i+used+1, dateUnit); ok && grain(g) >= grainDay {
				return r.stretch(grain(g), n*count), used + 2
			}
		}
	}
	n, ok := r.is(i, dateLast, dateBehind)
	_, inweek := r.is(i, dateInweek)
	if inweek && !ok {
		n, ok = r.is(i, dateInweek)
	}
	if !ok {
		return mention{}, 0
	}
	j := r.skip(i+1, 1, dateThe)
	if more, ok := r.is(j, dateLast); ok { // "this past week"
		n, j = more, j+1
	}
	if count, _, used := r.count(j); used > 0 && n != 0 {
		if g, ok := r.is(j+used, dateUnit); ok && grain(g) >= grainDay {
			return r.stretch(grain(g), n*count), j + used + 1 - i
		}
	}
	m, ok := r.nearest(j, n, inweek)
	if !ok {
		return mention{}, 0
	}
	if n == -1 {
		m.nth = -1
		if g, ok := r.is(j, dateUnit); ok {
			m.unit = grain(g)
		} else if _, ok := r.is(j, dateWeekday, dateWeekdayish); !ok {
			m.nth = 0 // "last summer"
		}
	}
	return m, j + 1 - i
}

// nearest returns the last (n < 0), this (0) or the next of what the word at i names.
func (r *dateReader) nearest(i, n int, inweek bool) (mention, bool) {
	if g, ok := r.is(i, dateUnit); ok {
		if grain(g) < grainDay {
			return r.unitAt(r.today, grainDay), n == 0
		}
		m := r.unitAt(step(r.today, grain(g), n), grain(g))
		if grain(g) == grainWeekend && n == 1 {
			m.or = []Span{r.unitAt(r.today, grainWeekend).span}
		}
		return m, true
	}
	if _, ok := r.is(i, datePart); ok {
		return r.unitAt(r.today.AddDate(0, 0, n), grainDay), true
	}
	if day, ok := r.is(i, dateWeekday, dateWeekdayish); ok {
		m := r.weekday(day, n, inweek)
		if n > 0 {
			m.or = []Span{r.weekday(day, n, !inweek).span}
		}
		return m, true
	}
	if month, ok := r.is(i, dateMonth, dateMonthish); ok {
		return r.month(month, r.yearOf(month, n), false), true
	}
	if month, ok := r.is(i, dateSeason); ok {
		year := r.yearOf(month, n)
		if n == 0 {
			if year = r.today.Year(); month == 12 && r.today.Month() < 6 {
				year--
			}
		}
		return r.seasonOf(month, year), true
	}
	return mention{}, false
}

// ordinal reads "third quarter", and "first Monday" and "second week", which need what follows.
func (r *dateReader) ordinal(i int) (mention, int) {
	t := r.at(i)
	n, ok := t.is(dateOrdinal)
	switch {
	case ok:
	case t.number >= 1 && t.number <= 53:
		n = t.number
	default:
		return mention{}, 0
	}
	if last, ok := r.is(i+1, dateLast); ok && last == -1 && (t.ordinal || t.number < 0) { // "the third last day"
		if g, ok := r.is(i+2, dateUnit); ok {
			return mention{nth: -n, unit: grain(g), part: true}, 3
		}
	}
	g, isUnit := r.is(i+1, dateUnit)
	if isUnit && grain(g) == grainQuarter && n <= 4 {
		return r.quarter(n), 2
	}
	if t.number >= 0 && !t.ordinal {
		return mention{}, 0
	}
	if isUnit {
		return mention{nth: n, unit: grain(g), part: true}, 2
	}
	if day, ok := r.is(i+1, dateWeekday, dateWeekdayish); ok {
		m := r.weekday(day, -1, false)
		m.nth, m.part = n, true
		return m, 2
	}
	return mention{}, 0
}

// length is a number of units, in halves.
type length [grainYear + 1]int

// length reads "two weeks", "a year and three months", "half a year".
func (r *dateReader) length(i int) (l length, used int) {
	for range len(l) {
		at := i + used
		if used > 0 {
			if _, and := r.is(at, dateAnd); and {
				at++
			}
		}
		half := 0
		if _, ok := r.is(at, dateHalf); ok {
			half = 1
			at++
		}
		count, _, n := r.count(at)
		if n == 0 && half == 0 {
			return l, used
		}
		at += n
		if half > 0 {
			count = 0
		}
		count *= 2
		if _, ok := r.is(at, dateHalf); ok && n > 0 { // "a half year"
			half, at, count = 1, at+1, count-2
		} else if and := r.skip(at, 1, dateAnd); and > at && half == 0 { // "one and a half years"
			h := r.skip(and, 1, dateNumber)
			if _, ok := r.is(h, dateHalf); ok {
				half, at = 1, h+1
			}
		}
		g, ok := r.is(at, dateUnit)
		if !ok {
			return l, used
		}
		at++
		if _, ok := r.is(at, dateHalf); ok && half == 0 {
			half, at = 1, at+1
		} else if _, and := r.is(at, dateAnd); and && half == 0 {
			next := r.skip(at+1, 1, dateNumber)
			if _, ok := r.is(next, dateHalf); ok {
				half, at = 1, next+1
			}
		}
		l[g] += count + half
		used = at - i
	}
	return l, used
}

// count reads a number with the words before it: "a couple of"; digits says how it is written.
func (r *dateReader) count(i int) (n int, digits bool, used int) {
	for ; used < 3; used++ {
		t := r.at(i + used)
		word, ok := t.is(dateNumber)
		_, of := t.is(dateOf)
		switch {
		case t.number > 0 && t.number < 1000 && !t.ordinal && used == 0:
			return t.number, true, 1
		case ok && n >= 20 && word < 10:
			n += word
		case ok:
			n = word
		case of && n > 1:
		default:
			return n, false, used
		}
	}
	return n, false, used
}

// distance reads "two weeks ago", "vor einem Monat", "in three days", "a week after 5 May"; a
// length alone is a vague time expression.
func (r *dateReader) distance(i int) (mention, int) {
	_, back := r.is(i, dateBefore)
	_, on := r.is(i, dateIn)
	_, in := r.is(i, dateWithin)
	from := i
	if back || on || in {
		from++
	}
	from = r.skip(from, 1, dateAt)
	l, used := r.length(from)
	bare := false
	if at := r.skip(i, 1, dateThe); used == 0 && r.at(i-1).number < 0 { // "the day before yesterday", "неделю назад"
		if g, ok := r.is(at, dateUnit); ok {
			_, linked := r.is(at+1, dateBefore, dateAfter)
			if _, ago := r.is(at+1, dateAgo); linked || ago && !r.monthFirst && !r.at(i-1).content {
				from, used, bare, l[g] = at, 1, true, 2
			}
		}
	}
	if used == 0 {
		return r.weekdays(i)
	}
	end := from + used
	_, within := r.is(i, dateWithin)
	if _, behind := r.is(end, dateWithin); within || behind { // "within two weeks"
		if behind {
			end++
		}
		for g := grainYear; g >= grainDay; g-- {
			if l[g] > 0 {
				return r.stretch(g, (l[g]+1)/2), end - i
			}
		}
		return mention{}, 0
	}
	if _, ago := r.is(end, dateAgo); back || ago {
		if ago && !back {
			end++
		}
		return r.shifted(r.now, l, -1, false), end - i
	}
	if _, later := r.is(end, dateLater); later {
		return r.shifted(r.now, l, 1, false), end + 1 - i
	}
	if on {
		return r.shifted(r.now, l, 1, false), end - i
	}
	sign := 1
	_, linked := r.is(end, dateAfter, dateFrom)
	if _, before := r.is(end, dateBefore); before {
		sign, linked = -1, true
	}
	if linked {
		if base, n := r.point(end+1, true); n > 0 && base.span.grain == grainDay {
			m := r.shifted(base.span.From, l, sign, true)
			m.yearly = base.yearly
			_, m.vague = r.is(i-1, dateFor) // "for two days from 5 May" ends then
			return m, end + 1 + n - i
		}
	}
	next := r.skip(end, 2, dateOf, dateThe, dateAt)
	if l[grainQuarter] > 0 && (isYear(r.at(next).number) || r.at(from).sign) { // "2. Quartal 2025"
		return mention{}, 0
	}
	if bare || l[grainMinute]+l[grainHour] > 0 || slices.Max(l[:]) >= 200 {
		return mention{}, 0
	}
	if n, digits, _ := r.count(from); n == 1 && !digits { // "a day"
		return mention{}, 0
	}
	return mention{vague: true}, end - i
}

// weekdays reads "two Mondays ago".
func (r *dateReader) weekdays(i int) (mention, int) {
	count, _, used := r.count(i)
	if used == 0 {
		return mention{}, 0
	}
	if day, ok := r.is(i+used, dateWeekday); ok {
		if _, ok := r.is(i+used+1, dateAgo); ok {
			return r.weekday(day, -count, false), used + 2
		}
		if _, ok := r.is(i+used+1, dateLater); ok {
			return r.weekday(day, count, false), used + 2
		}
	}
	return mention{}, 0
}

// shifted returns the time a length before or after another: exactly that day, or as precise as the
// length.
func (r *dateReader) shifted(from time.Time, l length, sign int, exactly bool) mention {
	t := from.Add(time.Duration(sign) * (time.Duration(l[grainHour])*30*time.Minute + time.Duration(l[grainMinute])*30*time.Second))
	days := l[grainDay]/2 + (l[grainWeek]+l[grainWeekend])*7/2 + l[grainMonth]%2*15
	months := l[grainMonth]/2 + l[grainQuarter]*3/2 + l[grainYear]*6
	unit := grainDay
	for g := grainYear; g > 0; g-- {
		if l[g] > 0 {
			unit = max(g, grainDay)
			if l[g]%2 == 1 && g > grainDay { // half of one is as precise as the next smaller unit
				unit = max(unit-1, grainDay)
			}
		}
	}
	if exactly {
		unit = grainDay
	}
	if unit >= grainMonth {
		t = midnight(t).AddDate(0, 0, 1-t.Day())
	}
	if unit == grainWeekend || unit == grainQuarter && l[grainYear] > 0 {
		unit--
	}
	return r.unitAt(t.AddDate(0, sign*months, sign*days), unit)
}

// calendar reads "3 May 2023", "May 3rd", "in May", "May 2023", "2023 May 3", "in 2023".
func (r *dateReader) calendar(i int, near bool) (mention, int) {
	year, day, from := 0, 0, i
	if n := r.at(from).number; isYear(n) {
		year, from = n, r.skip(from+1, 1, dateThe)
	}
	tens, _ := r.is(from, dateNumber)
	if ones, ok := r.is(from+1, dateOrdinal); ok && tens >= 20 && ones < 10 { // "twenty-fourth"
		day, from = tens+ones, from+2
	} else if n := r.dayAt(from); n > 0 {
		day, from = n, from+1
	}
	if day > 0 {
		from = r.skip(from, 2, dateOf, dateThe)
	}
	month, sure := r.is(from, dateMonth)
	if !sure {
		var ok bool
		if month, ok = r.is(from, dateMonthish); !ok {
			if year > 0 {
				return r.unitAt(time.Date(year, 1, 1, 0, 0, 0, 0, r.today.Location()), grainYear), 1
			}
			return mention{}, 0
		}
	}
	end := from + 1
	if day == 0 {
		at := r.skip(end, 1, dateThe)
		n := r.dayAt(at)
		g, unit := r.is(at+1, dateUnit)
		_, word := r.is(at, dateOrdinal)
		// "fjortende april 15" is of 2015.
		unread := !r.monthFirst && !word && at == end && !r.at(at).ordinal && !r.at(at).sign && (r.at(i-1).content || r.at(i-1).word != nil && r.at(i-2).number >= 0)
		unit = unit && grain(g) == grainDay
		if sign := r.at(from).sign; n > 0 && !unread && (unit == sign || sign && r.at(at).ordinal) {
			day, end = n, at+1
			if unit {
				end++
			}
		}
	}
	if at := r.skip(end, 2, dateOf, dateAt, dateThe); isYear(r.at(at).number) && year == 0 {
		year, end = r.at(at).number, at+1
	} else if n := r.at(end).number; n >= 10 && n < 100 && year == 0 && !r.at(from).sign && !r.at(end).ordinal {
		_, clock := r.is(end+1, datePart, dateUnit, dateTo)
		switch {
		case day > 0 && n > 31 && !r.at(end+1).content && !r.at(end+1).capital: // not "10 August 88 AD"
			year, end = 1900+n, end+1
		case day > 0 && (!clock || n > 31) || day == 0: // "14 April 15": a year or an hour
			return mention{vague: true}, end + 1 - i
		}
	}
	part := !sure && day == 0 && year == 0 && !near
	named := year > 0
	if !named {
		year = r.yearOf(month, 0)
		if day == 29 && month == 2 {
			year -= year % 4 // the last leap year
		}
	}
	m := r.month(month, year, !named)
	if day > 0 && isDay(year, month, day) { // if the day doesn't exist, only the month counts
		m = r.day(year, month, day)
		m.yearly = !named
	}
	m.part = part
	return m, end - i
}

// season reads "summer 2022", "in the summer of 2022", "in summer".
func (r *dateReader) season(i int, led bool) (mention, int) {
	month, ok := r.is(i, dateSeason)
	if !ok {
		return mention{}, 0
	}
	if r.at(i).capital && r.at(i+1).capital && r.monthFirst { // "in Spring Boot", where seasons have no capitals
		return mention{}, 0
	}
	m := r.seasonOf(month, r.yearOf(month, 0))
	m.yearly, m.part = true, !led
	return m, 1
}

// third returns the beginning, the middle or the end of a time, as the word at i says.
func (r *dateReader) third(m mention, i int) mention {
	days := int(m.span.To.Sub(m.span.From)+12*time.Hour) / int(24*time.Hour)
	part := (days + 2) / 3
	from, to := m.span.From, m.span.To
	if _, ok := r.is(i, dateBegin); ok {
		to = from.AddDate(0, 0, part)
	} else if _, ok := r.is(i, dateEnd); ok {
		from = to.AddDate(0, 0, -part)
	} else {
		from, to = from.AddDate(0, 0, part-1), to.AddDate(0, 0, 1-part)
	}
	return mention{span: Span{From: from, To: to}, named: []Span{m.span}, yearly: m.yearly}
}

func (r *dateReader) day(year, month, day int) mention {
	return r.unitAt(time.Date(year, time.Month(month), day, 0, 0, 0, 0, r.today.Location()), grainDay)
}

func (r *dateReader) month(month, year int, yearly bool) mention {
	m := r.unitAt(time.Date(year, time.Month(month), 1, 0, 0, 0, 0, r.today.Location()), grainMonth)
	m.yearly = yearly
	return m
}

// seasonOf returns a season. It begins with its first month for some, and ends with the equinox or the
// solstice for others.
func (r *dateReader) seasonOf(month, year int) mention {
	from := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, r.today.Location())
	return mention{span: Span{From: from, To: from.AddDate(0, 3, 23), grain: grainSeason}}
}

// quarter returns a quarter of the nearest year.
func (r *dateReader) quarter(n int) mention {
	m := r.unitAt(time.Date(r.yearOf(3*n-2, 0), time.Month(3*n-2), 1, 0, 0, 0, 0, r.today.Location()), grainQuarter)
	m.yearly = true
	return m
}

// week returns a week by its number.
func (r *dateReader) week(n, year int) mention {
	return r.unitAt(time.Date(year, 1, 4+7*(n-1), 0, 0, 0, 0, r.today.Location()), grainWeek)
}

// step returns a time n units later.
func step(t time.Time, g grain, n int) time.Time {
	first := t.AddDate(0, 0, 1-t.Day())
	switch g {
	case grainWeekend, grainWeek:
		return t.AddDate(0, 0, 7*n)
	case grainMonth:
		return first.AddDate(0, n, 0)
	case grainQuarter:
		return first.AddDate(0, 3*n, 0)
	case grainYear:
		return first.AddDate(n, 0, 0)
	default:
		return t.AddDate(0, 0, n)
	}
}

// unitAt returns the day, week … that contains a time. Weeks begin on Monday.
func (r *dateReader) unitAt(t time.Time, g grain) mention {
	t = midnight(t)
	from, to := t, t.AddDate(0, 0, 1)
	monday := t.AddDate(0, 0, -(int(t.Weekday())+6)%7)
	switch g {
	case grainWeekend:
		from, to = monday.AddDate(0, 0, 4), monday.AddDate(0, 0, 7) // from Friday evening on
	case grainWeek:
		from, to = monday, monday.AddDate(0, 0, 7)
	case grainMonth:
		from = t.AddDate(0, 0, 1-t.Day())
		to = from.AddDate(0, 1, 0)
	case grainQuarter:
		from = t.AddDate(0, 0, 1-t.Day())
		from = from.AddDate(0, -(int(from.Month())-1)%3, 0)
		to = from.AddDate(0, 3, 0)
	case grainYear:
		from = time.Date(t.Year(), 1, 1, 0, 0, 0, 0, t.Location())
		to = from.AddDate(1, 0, 0)
	default:
		g = grainDay
	}
	return mention{span: Span{From: from, To: to, grain: g}}
}

// stretch returns the last or the next n days, weeks …, with the one that isn't over.
func (r *dateReader) stretch(g grain, n int) mention {
	far := r.unitAt(step(r.today, g, n), g).span
	if n < 0 {
		return mention{span: Span{From: far.From, To: r.today.AddDate(0, 0, 1)}, named: []Span{}}
	}
	return mention{span: Span{From: r.today, To: far.To}, named: []Span{}}
}

// weekday returns the last such day (n < 0), this week's (0), or the next; inweek: the one of
// last or next week.
func (r *dateReader) weekday(day, n int, inweek bool) mention {
	ahead := (day - int(r.today.Weekday()) + 7) % 7
	switch {
	case inweek || n == 0:
		return r.weekdayIn(r.unitAt(r.today.AddDate(0, 0, 7*n), grainWeek), time.Weekday(day))
	case n > 0 && ahead > 0:
		ahead -= 7
	}
	return r.unitAt(r.today.AddDate(0, 0, ahead+7*n), grainDay)
}

// yearOf returns the year of a month without one: of the last such month (n < 0), the next
// (n > 0), or the nearest, with a preference for the past.
func (r *dateReader) yearOf(month, n int) int {
	year, now := r.today.Year(), int(r.today.Month())
	switch {
	case n < 0 && month >= now:
		return year + n
	case n < 0:
		return year + n + 1
	case n > 0 && month <= now:
		return year + n
	case n > 0:
		return year + n - 1
	case n == 0 && month > now+2:
		return year - 1
	}
	return year
}
