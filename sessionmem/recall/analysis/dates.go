package analysis

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Span is a half-open interval of time.
type Span struct {
	From, To time.Time
	grain    grain
}

// Contains reports whether a time is in the span.
func (s Span) Contains(t time.Time) bool { return !t.Before(s.From) && t.Before(s.To) }

// numericDate is a day written in digits; year 0 means none.
type numericDate struct{ year, month, day int }

// dateToken is a word of a text as the date reader sees it.
type dateToken struct {
	dateWord
	number int // value of a number; -1: not a number
	place  tokenPlace
	date   numericDate // a complete date in digits
}

// tokenPlace is the place of a token in the current text.
type tokenPlace struct{ field, token int }

// mention is a date in a text: absolute, or relative to when the text was written.
type mention struct {
	span   Span
	yearly bool // no year was given
	vague  bool // a time expression that no calendar resolves
	tokens []dateToken
}

// yearsBack is how many years a date without a year in a question may refer to.
const yearsBack = 12

// dateTokens returns the words of the current text as the date reader sees them; false means
// that they contain no date.
func (a *Analyzer) dateTokens() ([]dateToken, bool) {
	any := false
	for at, f := range a.found {
		if f.date.year != 0 {
			a.dates, any = append(a.dates, dateToken{number: -1, date: f.date, place: tokenPlace{at, -1}}), true
			continue
		}
		for _, t := range f.cjkDates {
			t.place = tokenPlace{at, -1}
			a.dates, any = append(a.dates, t), true
		}
		if len(f.cjkDates) > 0 {
			continue
		}
		for i := range f.tokens {
			w := f.tokens[i].word
			if w == nil || f.tokens[i].kind != tokenWord {
				continue
			}
			t := dateToken{dateWord: w.date, number: -1, place: tokenPlace{at, i}}
			if len(w.bare) <= 4 && isDigit(w.bare[0]) && allDigits(w.bare) {
				t.number, _ = strconv.Atoi(w.bare)
			}
			switch t.kind {
			case dateNone, dateIn, dateNumber, dateFiller, datePart, dateMod:
				any = any || isYear(t.number)
			default:
				any = true
			}
			any = any || t.kind == dateMod && t.n <= 0
			a.dates = append(a.dates, t)
		}
	}
	return a.dates, any
}

// mentions counts the dates in the current text as terms, and reports whether it contains
// any time expression.
func (a *Analyzer) mentions(at time.Time) bool {
	tokens, any := a.dateTokens()
	if !any {
		return false
	}
	found := false
	for m := range readDates(tokens, at) {
		found = true
		if m.vague || at.IsZero() && m.yearly {
			continue
		}
		for _, t := range m.span.terms() {
			a.count(a.intern([]byte(t)))
		}
	}
	return found
}

// terms returns the terms under which a mention of the span is indexed.
func (s Span) terms() []string {
	switch s.grain {
	case grainDay:
		return []string{dayTerm(s.From), monthTerm(s.From)}
	case grainWeekend:
		return []string{dayTerm(s.From), dayTerm(s.From.AddDate(0, 0, 1))}
	case grainWeek:
		return []string{weekTerm(s.From)}
	case grainMonth:
		return []string{monthTerm(s.From)}
	case grainSeason:
		return []string{monthTerm(s.From), monthTerm(s.From.AddDate(0, 1, 0)), monthTerm(s.From.AddDate(0, 2, 0))}
	case grainYear:
		return []string{yearTerm(s.From)}
	}
	return nil
}

// queryTerms returns the terms that a question about the span searches for, including the week of
// a day and the days of a week.
func (s Span) queryTerms() []string {
	out := s.terms()
	switch s.grain {
	case grainDay:
		out = []string{dayTerm(s.From), weekTerm(s.From)}
	case grainWeekend:
		out = append(out, weekTerm(s.From))
	case grainWeek:
		for d := range 7 {
			out = append(out, dayTerm(s.From.AddDate(0, 0, d)))
		}
	}
	return out
}

func dayTerm(t time.Time) string   { return t.Format("@2006-01-02") }
func monthTerm(t time.Time) string { return t.Format("@2006-01") }
func yearTerm(t time.Time) string  { return t.Format("@2006") }
func weekTerm(t time.Time) string {
	year, week := t.ISOWeek()
	return fmt.Sprintf("@%d-w%02d", year, week)
}

// dateShare describes a word of a question: whether it belongs to a date, and its weight then.
type dateShare struct {
	named  bool
	weight float64
}

// datePlaces holds the words of a question that name a time.
type datePlaces map[tokenPlace]dateShare

// of returns the share of a token, or of the field that contains it.
func (p datePlaces) of(field, token int) dateShare {
	if in := p[tokenPlace{field, token}]; in.named {
		return in
	}
	return p[tokenPlace{field, -1}]
}

// add adds the words of a mention.
func (p datePlaces) add(m mention) {
	for _, t := range m.tokens {
		p[t.place] = dateShare{named: true, weight: max(p[t.place].weight, m.weight(t))}
	}
}

// weight returns the weight of a word of a date as a word. Texts are found by the moment they
// mention, so a date's numbers, which may count anything, weigh little. A year does weigh if
// no day is given: texts that mention a day of that year aren't indexed under the year.
func (m mention) weight(t dateToken) float64 {
	switch {
	case t.date.year != 0:
		return 0
	case t.number < 0, isYear(t.number) && m.span.grain > grainDay:
		return weightInDate
	case m.yearly:
		return weightInYearly
	}
	return 0
}

// spans returns the times that a text names, and the places of the words that name them.
func (a *Analyzer) spans(now time.Time) ([]Span, datePlaces) {
	tokens, any := a.dateTokens()
	if !any {
		return nil, nil
	}
	var out []Span
	places := make(datePlaces)
	for m := range readDates(tokens, now) {
		if m.vague {
			continue
		}
		places.add(m)
		switch {
		case m.yearly:
			for y := range yearsBack {
				span := m.span
				span.From, span.To = span.From.AddDate(-y, 0, 0), span.To.AddDate(-y, 0, 0)
				if span.grain != grainDay || span.From.Day() == m.span.From.Day() { // 29 February doesn't exist every year
					out = append(out, span)
				}
			}
		default:
			out = append(out, m.span)
		}
	}
	return out, places
}

// parseNumericDate reads 2023-05-07, 2023/05/07, 7.5.2023 and 5/7/2023 (month first, as is
// usual with slashes, unless that isn't a date).
func parseNumericDate(s string) (numericDate, bool) {
	if len(s) < 8 || len(s) > 10 || !isDigit(s[0]) {
		return numericDate{}, false
	}
	sep := strings.IndexFunc(s, func(r rune) bool { return r == '-' || r == '/' || r == '.' })
	if sep < 0 {
		return numericDate{}, false
	}
	parts := strings.Split(s, s[sep:sep+1])
	if len(parts) != 3 {
		return numericDate{}, false
	}
	var n [3]int
	for i, p := range parts {
		if !allDigits(p) {
			return numericDate{}, false
		}
		n[i], _ = strconv.Atoi(p)
	}
	d := numericDate{year: n[0], month: n[1], day: n[2]}
	switch {
	case len(parts[0]) == 4:
	case s[sep] == '/' && n[0] <= 12:
		d = numericDate{year: n[2], month: n[0], day: n[1]}
	default:
		d = numericDate{year: n[2], month: n[1], day: n[0]}
	}
	return d, isYear(d.year) && isDay(d.year, d.month, d.day)
}

// isDay reports whether a day exists, unlike 30 February.
func isDay(year, month, day int) bool {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return month >= 1 && month <= 12 && day >= 1 && t.Day() == day
}

func isYear(n int) bool { return n >= 1900 && n <= 2099 }
