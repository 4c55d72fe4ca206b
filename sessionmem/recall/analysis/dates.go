package analysis

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/textfold"
)

// Dates in texts and questions are read in two steps: a table for each language gives the
// words their roles, and one grammar for all languages (dateReader) reads the roles.

// Span is a half-open interval of time. A side that is open ends at Ever.
type Span struct {
	From, To time.Time
	grain    grain
}

// Contains reports whether a time is in the span.
func (s Span) Contains(t time.Time) bool { return !t.Before(s.From) && t.Before(s.To) }

// IsOpen reports whether a side of the span is open.
func (s Span) IsOpen() bool { return s.From.Equal(Ever().From) || s.To.Equal(Ever().To) }

// Ever is the interval of all times: "since May" ends with it, and "before May" begins with it.
func Ever() Span { return Span{From: time.Unix(0, 0), To: time.Unix(1<<32, 0)} }

// grain is the precision of a date.
type grain int8

const (
	grainMinute grain = iota + 1 // read, but a date is at least a day
	grainHour
	grainDay
	grainWeekend
	grainWeek
	grainMonth
	grainQuarter
	grainYear
	grainSeason
)

// dateKind is the role of a word in a date. The tables name the roles in lower case.
type dateKind uint8

const (
	dateNone       dateKind = iota // no date, although a part of the phrase is one: "Good Friday"
	dateMonth                      // n: 1–12
	dateMonthish                   // a month's name that is also another word: counts only beside a number or a preposition
	dateWeekday                    // n: 0 is Sunday
	dateWeekdayish                 // the same, but counts only beside a date or a preposition
	dateDay                        // n: days from today
	dateYear                       // n: years from this one
	dateQuarter                    // n: 1–4
	dateSeason                     // n: its first month
	dateUnit                       // n: a grain
	dateVague                      // a time expression that no calendar resolves: "recently"
	dateLast                       // before its noun; n: -1 last, 0 this, 1 next, 2 the one after
	dateBehind                     // the same, also behind its noun: "la semaine dernière"
	dateInweek                     // the same, but before a weekday it means the week
	datePart                       // a part of the day: "night", "morning"
	dateAgo                        // behind a length: "two weeks ago"; behind a date: before it
	dateLater                      // behind a length: "two weeks hence"; behind a date: after it
	dateSince                      // before a date or a length: from then on
	dateSinceb                     // the same, behind it
	dateUntil                      // before a date: up to its end
	dateUntilb                     // the same, behind it
	dateBefore                     // before a date: up to its beginning; before a length: that long ago
	dateAfter                      // before a date: from its end on; between a length and a date: that much later
	dateFrom                       // before the first of two dates
	dateBetween                    // before two dates with "and"
	dateTo                         // between two dates
	dateAnd                        // after "between", and within a length
	dateAt                         // a preposition before a date
	dateIn                         // the same; before a length: that much later
	dateBegin                      // before a date: the first third of it
	dateMid                        // the second
	dateEnd                        // the last
	dateHalf
	dateNumber   // n
	dateOrdinal  // n
	dateOf       // skipped inside a date
	dateThe      // skipped inside a date
	dateParticle // what may follow a date within a Korean word
	dateSuffix   // what follows the digits of an ordinal
	dateWithin   // before or behind a length: from now until that much later
	dateFor      // before a length that isn't counted to its end: "for 10 days from 5 May"
	dateOrder    // the table's language writes the month before the day: "3/5", "May 3"
	dateObject   // things that have numbers, which are no years: "room 2020"
)

const dateKinds = `none month monthish weekday weekdayish day year quarter season unit vague last behind inweek part ago later since sinceb until untilb before after from between to and at in begin mid end half number ordinal of the particle suffix within for order object`

// dateUnits names the grains in the tables.
const dateUnits = `minute hour day weekend week month quarter year`

// dateWord is the role of a word in a date.
type dateWord struct {
	kind dateKind
	n    int8
	in   languageMask // its table, as a bit
	weak bool         // counts only in a text of its language
}

// names reports whether a text is a word that names a day, a weekday or a month.
func (l *dateLexicon) names(text string) bool {
	return slices.ContainsFunc(l.words[textfold.Bare(strings.ToLower(text))], func(w dateWord) bool { return w.kind >= dateMonth && w.kind <= dateDay })
}

// dateToken is a word of a text as the date reader sees it.
type dateToken struct {
	word     *word
	roles    []dateWord
	likely   languageMask // if not 0, only the roles in these languages count,
	sure     bool         // and without them those of other languages unless they are weak
	number   int          // value of a number in digits; -1: none
	ordinal  bool         // it is written as one: "3rd"
	capital  bool
	sign     bool        // of a script without spaces
	content  bool        // a word of no date that isn't a function word either
	named    bool        // a weekday in a language whose names of days are two words, the first with a capital: "Palm Sunday"
	date     numericDate // a date in digits
	from, to int         // its words, in Analyzer.places
}

// is reports whether a word can have one of the roles, and returns its number.
func (t *dateToken) is(kinds ...dateKind) (n int, ok bool) {
	for _, w := range t.roles {
		if slices.Contains(kinds, w.kind) && t.counts(w) {
			return int(w.n), true
		}
	}
	return 0, false
}

// counts reports whether a word has a role in the language of its text.
func (t *dateToken) counts(w dateWord) bool {
	return w.in&t.likely != 0 || t.likely == 0 && (!w.weak || !t.sure && !w.isShort())
}

// isShort reports whether a word is an abbreviation that is another word elsewhere.
func (w dateWord) isShort() bool { return w.kind == dateMonthish || w.kind == dateWeekdayish }

// tokenPlace is the place of a token in the current text.
type tokenPlace struct{ field, token int }

// mention is a date in a text: absolute, or relative to when the text was written.
type mention struct {
	span    Span
	named   []Span                 // what a text is found by: the span, or what bounds it if it is open or long
	or      []Span                 // what it may mean as well: "next Friday" is the coming one or that of next week
	again   func(year int) mention // the same of another year, if it isn't the same day: "the first Monday of May"
	yearly  bool                   // no year was given
	vague   bool                   // a time expression that no calendar resolves
	weekday bool                   // a weekday, the last one if it stands alone
	loose   bool                   // without a preposition: it may be any
	part    bool                   // no date unless the words beside it complete it
	nth     int                    // "the third", of what follows: of its units, or its weekdays
	unit    grain
	day     int // "the 3rd"
	tokens  []dateToken
}

// yearsBack is how many years a date without a year in a question may refer to.
const yearsBack = 12

//go:embed dates/*.txt
var dateTables embed.FS

// dateLexicon holds the words of dates. It is read-only.
type dateLexicon struct {
	words   map[string][]dateWord        // by bare words, joined by blanks
	suffix  map[string]bool              // of ordinals in digits
	month1  languageMask                 // tables whose languages write the month before the day
	tables  [latinLanguages]languageMask // of each language
	longest map[string]int               // by first word: how many words a phrase may have
	signs   map[string]dateWord          // of scripts without spaces
}

// longestSign is the length of the longest word in a script without spaces, in characters.
const longestSign = 6

func newDateLexicon() dateLexicon {
	l := dateLexicon{words: make(map[string][]dateWord, 2048), suffix: make(map[string]bool), longest: make(map[string]int, 256), signs: make(map[string]dateWord, 512)}
	kinds, units := strings.Fields(dateKinds), strings.Fields(dateUnits)
	files, err := fs.Glob(dateTables, "dates/*.txt")
	for i, name := range files {
		table, _ := dateTables.ReadFile(name)
		code := strings.TrimSuffix(strings.TrimPrefix(name, "dates/"), ".txt")
		if language, latin := languageCodes[code]; latin && language < latinLanguages {
			l.tables[language] = 1 << i
		}
		for line := range strings.Lines(string(table)) {
			fields := strings.Fields(line)
			if len(fields) < 3 || fields[0] == "#" {
				continue
			}
			w := dateWord{kind: dateKind(slices.Index(kinds, fields[0])), n: int8(slices.Index(units, fields[1]) + 1)}
			if w.n == 0 {
				n, _ := strconv.ParseInt(fields[1], 10, 8)
				w.n = int8(n)
			}
			w.in = 1 << i
			for _, text := range fields[2:] {
				switch w.kind {
				case dateSuffix:
					l.suffix[text] = true
					continue
				case dateOrder:
					l.month1 |= w.in
					continue
				}
				if first, _ := utf8.DecodeRuneInString(text); isUnspaced(first) {
					text = textfold.Spelling(text)
					if _, taken := l.signs[text]; !taken || w.kind != dateParticle {
						l.signs[text] = w
					}
					continue
				}
				text, weak := strings.CutSuffix(text, "?")
				w.weak = weak || w.isShort() && code != "en"
				words := strings.Split(textfold.Bare(textfold.Spelling(text)), "_")
				l.words[strings.Join(words, " ")] = append(l.words[strings.Join(words, " ")], w)
				l.longest[words[0]] = max(l.longest[words[0]], len(words))
			}
		}
	}
	if err != nil {
		panic(err)
	}
	return l
}

// dateTokens returns the words of the current text as the date reader sees them; false means
// that they contain no date.
func (a *Analyzer) dateTokens() ([]dateToken, bool) {
	all := a.dates[:0]
	a.places = a.places[:0]
	add := func(t dateToken, field, token int) {
		t.from, t.to = len(a.places), len(a.places)+1
		a.places = append(a.places, tokenPlace{field, token})
		all = append(all, t)
	}
	dash := dateToken{number: -1, roles: []dateWord{{kind: dateTo}}}
	for at, f := range a.found {
		switch {
		case f.dash:
			add(dash, at, -1)
		case f.clock:
			add(dateToken{number: -1, roles: []dateWord{{kind: datePart}}}, at, -1)
		case f.date.numbers > 0:
			add(dateToken{number: -1, date: f.date}, at, -1)
		case f.signs != nil:
			for _, t := range f.signs {
				add(t, at, -1)
			}
		default:
			first := true
			for i, t := range f.tokens {
				if t.word == nil || t.kind != tokenWord {
					continue
				}
				if f.ranges && !first {
					add(dash, at, i)
				}
				if last := len(all) - 1; !first && all[last].number >= 0 && a.lex.dates.suffix[t.word.bare] { // "5-го"
					all[last].ordinal = true
					continue
				}
				first = false
				d := dateToken{word: t.word, number: -1, capital: f.capital}
				digits := strings.TrimRightFunc(t.word.lower, func(c rune) bool { return c < '0' || c > '9' })
				suffix := t.word.lower[len(digits):]
				if len(digits) <= 4 && allDigits(digits) && (suffix == "" || a.lex.dates.suffix[textfold.Bare(suffix)]) {
					d.number, _ = strconv.Atoi(digits)
					d.ordinal = suffix != ""
				}
				add(d, at, i)
			}
		}
	}
	likely := a.dateTable()
	any, kept := false, all[:0]
	for i := 0; i < len(all); {
		t, n := all[i], 1
		if t.word != nil {
			n = a.phrase(all[i:], &t)
			t.to = all[i+n-1].to
			t.sure = likely != 0
			for _, w := range t.roles {
				t.likely |= w.in & likely
				t.named = t.named || w.kind == dateWeekday && w.in&a.lex.dates.month1 != 0
			}
			function := t.word.stops != 0
			if likely != 0 {
				function = a.lex.dates.tablesOf(t.word.stops)&likely != 0
			}
			if t.likely == 0 && function && likely != 0 && n == 1 {
				t.roles = nil
			}
			t.content = !function && t.number < 0 && !slices.ContainsFunc(t.roles, func(w dateWord) bool { return w.kind != dateObject && t.counts(w) })
		}
		for _, w := range t.roles {
			any = any || w.kind >= dateMonth && w.kind <= dateVague || w.kind == dateLast && w.n <= 0
		}
		any = any || t.date.numbers > 0 || isYear(t.number)
		kept = append(kept, t)
		i += n
	}
	a.dates = kept
	return kept, any
}

// dateTable returns the tables that the words of the current text speak for most, English alone if
// it is one of them; 0 if there is none.
func (a *Analyzer) dateTable() languageMask {
	var score [32]int
	for _, w := range a.seq {
		of := languageMask(0)
		for _, d := range w.dates {
			if !d.isShort() {
				of |= d.in
			}
		}
		vote(score[:], of, 6)
		vote(score[:], a.lex.dates.tablesOf(w.stops), 12)
		vote(score[:], a.lex.dates.tablesOf(w.hints), 6)
	}
	tables := best(score[:])
	if english := a.lex.dates.tables[langEnglish]; tables&english != 0 {
		return english
	}
	return tables
}

// tablesOf returns the tables of languages.
func (l *dateLexicon) tablesOf(languages languageMask) (out languageMask) {
	for language, table := range l.tables {
		if languages&(1<<language) != 0 {
			out |= table
		}
	}
	return out
}

// phrase gives the first of the words the roles of the longest phrase that they begin with, and
// returns its number of words.
func (a *Analyzer) phrase(from []dateToken, t *dateToken) int {
	t.roles = t.word.dates
	for n := min(t.word.phrase, len(from)); n > 1; n-- {
		if slices.ContainsFunc(from[:n], func(t dateToken) bool { return t.word == nil }) {
			continue
		}
		a.buf = a.buf[:0]
		for _, next := range from[:n] {
			a.buf = append(append(a.buf, next.word.bare...), ' ')
		}
		if roles := a.lex.dates.words[string(a.buf[:len(a.buf)-1])]; roles != nil {
			t.roles = roles
			return n
		}
	}
	return 1
}

// signTokens returns the words of dates in a text of a script without spaces; nil if there are
// none. In Korean, only particles may follow them.
func (l *dateLexicon) signTokens(text string) []dateToken {
	korean := strings.ContainsFunc(text, func(c rune) bool { return unicode.Is(unicode.Hangul, c) })
	var out []dateToken
	found := false
	for text != "" {
		first, size := utf8.DecodeRuneInString(text)
		t := dateToken{number: -1, sign: true}
		length := 0
		whole := text[:len(text)-len(strings.TrimLeft(text, "0123456789/.-"))]
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		if date, ok := parseNumericDate(whole, strings.TrimRight(whole, "/.-")); ok && date.numbers == 3 {
			t.date, length, found = date, len(strings.TrimRight(whole, "/.-")), true
		} else if digits > 0 {
			length = digits
			if digits <= 4 {
				t.number, _ = strconv.Atoi(text[:digits])
			}
		} else if len(out) > 0 && strings.ContainsRune("-~ー−", first) {
			length, t.roles = size, []dateWord{{kind: dateTo}}
		} else {
			for n, end := 0, 0; n < longestSign && end < len(text); n++ {
				_, size := utf8.DecodeRuneInString(text[end:])
				end += size
				if w, ok := l.signs[text[:end]]; ok {
					length, t.roles = end, []dateWord{w}
				}
			}
		}
		if value, digits := cjkNumber(text); digits > size || length <= size && digits > 0 {
			if length <= size || digits > length {
				length, t.number, t.roles = digits, value, nil
			}
		}
		rest := text[max(length, size):]
		after, _ := utf8.DecodeRuneInString(rest)
		var before *dateToken
		if len(out) > 0 {
			before = &out[len(out)-1]
		}
		switch n := t.number; {
		case n >= 1 && n <= 12 && (after == '月' || after == '월'):
			t.number, t.roles = -1, []dateWord{{kind: dateMonth, n: int8(n)}}
			rest = rest[len("月"):]
		case isYear(n) && (after == '年' || after == '년'):
			rest, found = rest[len("年"):], true
		case n >= 1 && n <= 31 && before != nil && strings.ContainsRune("日号일", after):
			if _, month := before.is(dateMonth); month {
				_, cut := utf8.DecodeRuneInString(rest)
				rest, t.ordinal = rest[cut:], true
			}
		}
		if _, particle := t.is(dateParticle); particle {
			t.roles = nil
		} else if length == 0 {
			if korean && unicode.IsLetter(first) {
				return nil
			}
			t.number = -1
		}
		found = found || len(t.roles) > 0
		if length > 0 || before == nil || before.number >= 0 || len(before.roles) > 0 {
			out = append(out, t)
		}
		text = rest
	}
	if !found {
		return nil
	}
	return out
}

// cjkNumber reads the ideographs of a number at the beginning of a text, and returns how many
// bytes they have.
func cjkNumber(text string) (n, size int) {
	tens := false
	for _, c := range text {
		digit := strings.IndexRune("〇一二三四五六七八九", c) / len("一")
		switch {
		case c == '十':
			n, tens = max(n, 1)*10, true
		case c == '零' || c == '〇' && !tens:
			n *= 10
		case strings.ContainsRune("一二三四五六七八九", c) && tens:
			n += digit
		case strings.ContainsRune("一二三四五六七八九", c):
			n = n*10 + digit
		default:
			return n, size
		}
		size += utf8.RuneLen(c)
	}
	return n, size
}

// mentions counts the dates in the current text as terms, and reports whether it contains
// any time expression.
func (a *Analyzer) mentions(at time.Time) bool {
	tokens, any := a.dateTokens()
	if !any {
		return false
	}
	found := false
	first, _ := a.monthFirst()
	for m := range readDates(tokens, at, first, false) {
		found = true
		if m.vague || m.loose || at.IsZero() && m.yearly {
			continue
		}
		for _, s := range m.named {
			for _, t := range s.terms() {
				a.count(a.intern([]byte(t)))
			}
		}
	}
	return found
}

// monthFirst reports whether 3/5/2026 is in March in the language of the current text, and whether it
// speaks for a language.
func (a *Analyzer) monthFirst() (first, sure bool) {
	table := a.dateTable()
	return table == 0 || table&a.lex.dates.month1 != 0, table != 0
}

// terms returns the terms under which a mention of the span is indexed.
func (s Span) terms() []string {
	switch s.grain {
	case grainDay:
		return []string{dayTerm(s.From), monthTerm(s.From)}
	case grainWeek:
		return []string{weekTerm(s.From)}
	case grainMonth:
		return []string{monthTerm(s.From)}
	case grainYear:
		return []string{yearTerm(s.From)}
	case grainSeason:
		s.To = s.From.AddDate(0, 3, 0)
	}
	var out []string
	next := func(term func(time.Time) string, from time.Time, days, months int) {
		for t := from; t.Before(s.To); t = t.AddDate(0, months, days) {
			out = append(out, term(t))
		}
	}
	switch days := s.To.Sub(s.From) / (24 * time.Hour); {
	case days <= 7:
		next(dayTerm, s.From, 1, 0)
	case days <= 366:
		next(monthTerm, s.From.AddDate(0, 0, 1-s.From.Day()), 0, 1)
	}
	return out
}

// queryTerms returns the terms that a question about the span searches for, including the week of
// a day and the days of a week.
func (s Span) queryTerms() []string {
	switch out := s.terms(); s.grain {
	case grainDay:
		return []string{out[0], weekTerm(s.From)}
	case grainWeekend:
		return append(out, weekTerm(s.From))
	case grainWeek:
		return append(out, Span{From: s.From, To: s.To}.terms()...)
	default:
		return out
	}
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

// weight returns the weight of a word of a date as a word. Texts are found by the moment they
// mention, so a date's numbers, which may count anything, weigh nothing. A year does weigh if
// no day is given: texts that mention a day of that year aren't indexed under the year.
func (m mention) weight(t dateToken) float64 {
	if t.date.numbers == 0 && (t.number < 0 || isYear(t.number) && m.span.grain > grainDay) {
		return weightHalf
	}
	return 0
}

// spans returns the times that a text names, the terms under which texts mention them, and the
// places of the words that name them.
func (a *Analyzer) spans(now time.Time) (out []Span, terms []string, places datePlaces) {
	tokens, any := a.dateTokens()
	if !any {
		return nil, nil, nil
	}
	places = make(datePlaces)
	first, sure := a.monthFirst()
	for m := range readDates(tokens, now, first, true) {
		if m.vague || m.loose && m.tokens[0].from+1 < len(a.places) && m.tokens[len(m.tokens)-1].to < len(a.places) {
			continue // a weekday counts alone or at the end: "what did we say Friday"
		}
		for _, t := range m.tokens {
			for _, place := range a.places[t.from:t.to] {
				places[place] = dateShare{named: true, weight: max(places[place].weight, m.weight(t))}
			}
		}
		if d := m.tokens[0].date; len(m.tokens) == 1 && d.numbers == 3 && !sure { // 3/5/2026 in no known language
			if year, month, day, ok := d.day(0, !first); ok {
				from := time.Date(year, time.Month(month), day, 0, 0, 0, 0, now.Location())
				m.or = append(m.or, Span{from, from.AddDate(0, 0, 1), grainDay})
			}
		}
		for _, one := range m.readings(now) {
			out = append(out, one.span)
			for _, s := range one.named {
				terms = append(terms, s.queryTerms()...)
			}
		}
	}
	return out, terms, places
}

// readings returns what a date of a question may mean: without a year it may be of the last years, or
// of the next one.
func (m mention) readings(now time.Time) (out []mention) {
	if !m.yearly {
		out = append(out, m)
		for _, s := range m.or {
			if s != m.span {
				out = append(out, mention{span: s, named: []Span{s}})
			}
		}
		return out
	}
	for y := range yearsBack {
		by := -y
		if y == yearsBack-1 && !m.span.From.After(now) {
			by = 1
		}
		one := m.moved(by)
		if m.again != nil {
			if one = m.again(m.span.From.Year() + by); one.span == (Span{}) {
				continue
			}
			one.named = []Span{one.span}
		} else if m.span.grain == grainDay && one.span.From.Day() != m.span.From.Day() {
			continue // 29 February doesn't exist every year
		}
		out = append(out, one)
	}
	return out
}

// moved returns a date some years later.
func (m mention) moved(years int) mention {
	m.span.From, m.span.To = m.span.From.AddDate(years, 0, 0), m.span.To.AddDate(years, 0, 0)
	named := make([]Span, len(m.named))
	for i, s := range m.named {
		s.From, s.To = s.From.AddDate(years, 0, 0), s.To.AddDate(years, 0, 0)
		named[i] = s
	}
	m.named = named
	return m
}

// numericDate is a date in digits: its numbers in order, and what separates them.
type numericDate struct {
	n       [3]int
	numbers int
	sep     byte
}

// parseNumericDate reads 2023-05-07, 2023/05, 5/2023, 7.5.2023, 5/7/23, 7/5 and 2023-05-07T10:00.
// raw is the field with the characters around it: 7.5 is a date only before another point.
func parseNumericDate(raw, s string) (numericDate, bool) {
	if s == "" || !isDigit(s[0]) || len(s) < 3 {
		return numericDate{}, false
	}
	if len(s) > 10 && (s[10] == 'T' || s[10] == 't') {
		s = s[:10]
	}
	at := strings.IndexAny(s, "-/.")
	if at < 0 || len(s) > 10 {
		return numericDate{}, false
	}
	d := numericDate{sep: s[at]}
	parts := strings.Split(s, s[at:at+1])
	if len(parts) > 3 {
		return numericDate{}, false
	}
	for i, p := range parts {
		if !allDigits(p) || len(p) == 3 {
			return numericDate{}, false
		}
		d.n[i], _ = strconv.Atoi(p)
		d.numbers++
	}
	yearFirst, last := len(parts[0]) == 4, len(parts[len(parts)-1])
	switch {
	case d.numbers == 3 && !yearFirst && last == 2 && d.sep != '-' && (len(parts[0]) == 2 || d.sep == '/'): // 05.07.23
		if d.n[2] += 2000; d.n[2] > 2050 {
			d.n[2] -= 100
		}
	case d.numbers == 3 && !yearFirst && last != 4:
		return numericDate{}, false
	case d.numbers == 2 && yearFirst:
		if last != 2 || d.sep == '.' || !isYear(d.n[0]) || d.n[1] < 1 || d.n[1] > 12 {
			return numericDate{}, false
		}
		return d, true
	case d.numbers == 2 && last == 4:
		return d, d.sep == '/' && isYear(d.n[1]) && d.n[0] >= 1 && d.n[0] <= 12
	case d.numbers == 2 && d.sep != '/' && (d.sep != '.' || !strings.HasSuffix(raw, ".")):
		return numericDate{}, false
	}
	_, _, _, ok := d.day(2000, false)
	return d, ok
}

// day returns the day that the numbers name; year is the one of a date without.
func (d numericDate) day(year int, monthFirst bool) (y, m, day int, ok bool) {
	a, b := d.n[0], d.n[1]
	switch {
	case d.numbers == 3 && a > 31:
		return a, b, d.n[2], isYear(a) && isDay(a, b, d.n[2])
	case d.numbers == 3:
		year = d.n[2]
	}
	if monthFirst && d.sep != '.' {
		a, b = b, a
	}
	if !isDay(year, b, a) {
		a, b = b, a
	}
	return year, b, a, isYear(year) && isDay(year, b, a)
}

// isDay reports whether a day exists, unlike 30 February.
func isDay(year, month, day int) bool {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return month >= 1 && month <= 12 && day >= 1 && t.Day() == day
}

func isYear(n int) bool { return n >= 1900 && n <= 2099 }
