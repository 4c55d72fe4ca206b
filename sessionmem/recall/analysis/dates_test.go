package analysis

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // so that the test knows Berlin everywhere
)

func TestDatesInTextsAreRelativeToTheTimeOfWriting(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"I saw her yesterday", "@2026-11-20 @2026-11"},
		{"the day before yesterday we left", "@2026-11-19 @2026-11"},
		{"last night", "@2026-11-20 @2026-11"},
		{"last week was hard", "@2026-w46"},
		{"last month and last year", "@2026-10 @2025"},
		{"two weeks ago", "@2026-w45"},
		{"a couple of days ago", "@2026-11-19 @2026-11"},
		{"three years ago", "@2023"},
		{"last Friday", "@2026-11-20 @2026-11"},
		{"on Monday", "@2026-11-16 @2026-11"},
		{"next Saturday", "@2026-11-28 @2026-11"},
		{"last weekend", "@2026-11-13 @2026-11-14 @2026-11-15"},
		{"in May 2023", "@2023-05"},
		{"3 May 2023", "@2023-05-03 @2023-05"},
		{"May 3rd, 2023", "@2023-05-03 @2023-05"},
		{"the 3rd of May 2023", "@2023-05-03 @2023-05"},
		{"in June", "@2026-06"},
		{"2023-05-07 or 7.5.2023 or 5/7/2023", "@2023-05-07 @2023-05"},
		{"since 2016", "@2016"},
		{"summer of 2022", "@2022-06 @2022-07 @2022-08"},
		{"gestern und vorgestern", "@2026-11-20 @2026-11 @2026-11-19"},
		{"letzte Woche", "@2026-w46"},
		{"vor zwei Monaten", "@2026-09"},
		{"vor einem Jahr", "@2025"},
		{"am 3. Mai 2023", "@2023-05-03 @2023-05"},
		{"im Sommer 2022", "@2022-06 @2022-07 @2022-08"},
		{"вчера", "@2026-11-20 @2026-11"},
		{"on the march, in one of the years, hier und da, April said so to June on Mars", ""},
		{"in April, in June and on the 3rd of May 2023", "@2026-04 @2026-06 @2023-05-03 @2023-05"},
		{"you may march on, the sun sat down", ""},
		{"Friday we talked for two years recently", ""},
		{"a day, one week, 12345, 99.99.2023", ""},
	} {
		if got := strings.Join(termsOf(c.text, ClassMoment), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestTimesThatAQuestionNames(t *testing.T) {
	const day = "2006-01-02"
	for _, c := range []struct {
		question string
		first    string // the latest span
		spans    int
	}{
		{"what did I say yesterday?", "2026-11-20 2026-11-21", 1},
		{"what happened last week", "2026-11-09 2026-11-16", 1},
		{"this week", "2026-11-16 2026-11-23", 1},
		{"diese Woche", "2026-11-16 2026-11-23", 1},
		{"last Friday", "2026-11-20 2026-11-21", 1},
		{"11 days ago", "2026-11-10 2026-11-11", 1},
		{"what did we do in the last three days", "2026-11-18 2026-11-22", 1},
		{"what did we plan in May 2023?", "2023-05-01 2023-06-01", 1},
		{"what did we plan in May?", "2026-05-01 2026-06-01", yearsBack},
		{"what was on 16 June, 2023", "2023-06-16 2023-06-17", 1},
		{"what happened in 2022", "2022-01-01 2023-01-01", 1},
		{"was war letzten Monat", "2026-10-01 2026-11-01", 1},
		{"was war letzten Freitag", "2026-11-20 2026-11-21", 1},
		{"in December", "2026-12-01 2027-01-01", yearsBack},
		{"in February", "2026-02-01 2026-03-01", yearsBack},
		{"may I ask something", "", 0},
		{"what did we do on 30 February 2024", "2024-02-01 2024-03-01", 1},
		{"31.02.2024", "", 0},
		{"on the 31st of April", "2026-04-01 2026-05-01", yearsBack},
		{"on 29 February", "2024-02-29 2024-03-01", 3},
		{"que s'est-il passé la semaine dernière ?", "2026-11-09 2026-11-16", 1},
		{"le mois dernier", "2026-10-01 2026-11-01", 1},
		{"il y a deux semaines", "2026-11-02 2026-11-09", 1},
		{"en mai 2023", "2023-05-01 2023-06-01", 1},
		{"la semana pasada", "2026-11-09 2026-11-16", 1},
		{"hace tres días", "2026-11-18 2026-11-19", 1},
		{"el lunes pasado", "2026-11-16 2026-11-17", 1},
		{"el 3 de mayo de 2023", "2023-05-03 2023-05-04", 1},
		{"la settimana scorsa", "2026-11-09 2026-11-16", 1},
		{"due settimane fa", "2026-11-02 2026-11-09", 1},
		{"na semana passada", "2026-11-09 2026-11-16", 1},
		{"vorige week", "2026-11-09 2026-11-16", 1},
		{"twee dagen geleden", "2026-11-19 2026-11-20", 1},
		{"на прошлой неделе", "2026-11-09 2026-11-16", 1},
		{"два дня назад", "2026-11-19 2026-11-20", 1},
		{"что было в мае", "2026-05-01 2026-06-01", yearsBack},
		{"в прошлом году", "2025-01-01 2026-01-01", 1},
		{"ماذا حدث أمس", "2026-11-20 2026-11-21", 1},
		{"الأسبوع الماضي", "2026-11-09 2026-11-16", 1},
		{"في مايو 2023", "2023-05-01 2023-06-01", 1},
		{"昨天说了什么", "2026-11-20 2026-11-21", 1},
		{"上周我们讨论了什么？", "2026-11-09 2026-11-16", 1},
		{"上个月的计划", "2026-10-01 2026-11-01", 1},
		{"去年", "2025-01-01 2026-01-01", 1},
		{"2023年5月7日", "2023-05-07 2023-05-08", 1},
		{"五月", "2026-05-01 2026-06-01", yearsBack},
		{"三天前", "2026-11-18 2026-11-19", 1},
		{"先週の会議", "2026-11-09 2026-11-16", 1},
		{"一昨日", "2026-11-19 2026-11-20", 1},
		{"２週間前", "2026-11-02 2026-11-09", 1},
		{"2023年5月", "2023-05-01 2023-06-01", 1},
		{"어제 무슨 말을 했지", "2026-11-20 2026-11-21", 1},
		{"지난주", "2026-11-09 2026-11-16", 1},
		{"2023년 5월 7일", "2023-05-07 2023-05-08", 1},
		{"前任的计划", "", 0},
		{"Mes derniers amis et moi, y a un chat", "", 0},
		{"what is the capital of France", "", 0},
	} {
		spans := timesOf(c.question, saturday)
		first := ""
		if len(spans) > 0 {
			first = spans[0].From.Format(day) + " " + spans[0].To.Format(day)
		}
		if first != c.first || len(spans) != c.spans {
			t.Errorf("%q: %d spans, first %q; want %d, %q", c.question, len(spans), first, c.spans, c.first)
		}
	}
}

// The kinds of phrases in which dates are hidden: intervals open on one side, ranges, what is counted
// from another date, parts of a longer time. The day is Saturday 21 November 2026.
func TestIntervalsThatAQuestionNames(t *testing.T) {
	ever := func(t time.Time) string {
		switch {
		case t.Equal(Ever().From), t.Equal(Ever().To):
			return ""
		}
		return t.Format(time.DateOnly)
	}
	for _, c := range []struct{ question, want string }{ // first day, and the day after the last
		{"what did we say last Saturday?", "2026-11-14 2026-11-15"},
		{"what came up since March", "2026-03-01 "},
		{"everything since last Monday", "2026-11-16 "},
		{"what did I write before 2020", " 2020-01-01"},
		{"notes before 3 May 2024", " 2024-05-03"},
		{"plans until Friday", " 2026-11-21"},
		{"everything after 3 May 2024", "2024-05-04 "},
		{"was war seit März", "2026-03-01 "},
		{"seit zwei Wochen", "2026-11-02 "},
		{"Notizen vor Freitag", " 2026-11-20"},
		{"depuis mardi", "2026-11-17 "},
		{"avant 2020", " 2020-01-01"},
		{"desde el lunes", "2026-11-16 "},
		{"desde marzo", "2026-03-01 "},
		{"с марта", "2026-03-01 "},
		{"do piątku", " 2026-11-21"},
		{"5月以来", "2026-05-01 "},
		{"2024年5月3日から", "2024-05-03 "},
		{"5월부터", "2026-05-01 "},
		{"from 3 to 7 May 2024", "2024-05-03 2024-05-08"},
		{"3–7 May 2024", "2024-05-03 2024-05-08"},
		{"4-9 June 2024", "2024-06-04 2024-06-10"},
		{"between 1 March and 31 March 2025", "2025-03-01 2025-04-01"},
		{"between Monday and Wednesday", "2026-11-16 2026-11-19"},
		{"June 4 to 9, 2024", "2024-06-04 2024-06-10"},
		{"vom 3. bis 7. Mai 2024", "2024-05-03 2024-05-08"},
		{"zwischen dem 3. und dem 7. Mai 2024", "2024-05-03 2024-05-08"},
		{"du 3 au 7 mai 2024", "2024-05-03 2024-05-08"},
		{"del 3 al 7 de mayo de 2024", "2024-05-03 2024-05-08"},
		{"dal 3 al 7 maggio 2024", "2024-05-03 2024-05-08"},
		{"de 3 a 7 de maio de 2024", "2024-05-03 2024-05-08"},
		{"van 3 tot 7 mei 2024", "2024-05-03 2024-05-08"},
		{"2024年5月3日から5月7日まで", "2024-05-03 2024-05-08"},
		{"the end of May 2024", "2024-05-21 2024-06-01"},
		{"at the beginning of this year", "2026-01-01 2026-05-03"},
		{"early last week", "2026-11-09 2026-11-12"},
		{"Ende Mai 2024", "2024-05-21 2024-06-01"},
		{"fin mai 2024", "2024-05-21 2024-06-01"},
		{"a principios de mayo de 2024", "2024-05-01 2024-05-12"},
		{"Q3 2025", "2025-07-01 2025-10-01"},
		{"the third quarter of 2025", "2025-07-01 2025-10-01"},
		{"last quarter", "2026-07-01 2026-10-01"},
		{"im 2. Quartal 2025", "2025-04-01 2025-07-01"},
		{"KW 19 2025", "2025-05-05 2025-05-12"},
		{"week 19", "2026-05-04 2026-05-11"},
		{"2026-05", "2026-05-01 2026-06-01"},
		{"half a year ago", "2026-05-01 2026-06-01"},
		{"a year and three months ago", "2025-08-01 2025-09-01"},
		{"the week before last", "2026-11-02 2026-11-09"},
		{"the day after tomorrow", "2026-11-23 2026-11-24"},
		{"two days after 5 May 2024", "2024-05-07 2024-05-08"},
		{"a week before 12 May 2024", "2024-05-05 2024-05-06"},
		{"vor zwei Montagen", ""},
		{"Friday of last week", "2026-11-13 2026-11-14"},
		{"last week's Tuesday", "2026-11-10 2026-11-11"},
		{"the first Monday of May 2024", "2024-05-06 2024-05-07"},
		{"last Friday in May 2024", "2024-05-31 2024-06-01"},
		{"the last day of February 2024", "2024-02-29 2024-03-01"},
		{"the second week of May 2024", "2024-05-13 2024-05-20"},
		{"May last year", "2025-05-01 2025-06-01"},
		{"the 20th of last month", "2026-10-20 2026-10-21"},
		{"Friday, May 3, 2024", "2024-05-03 2024-05-04"},
		{"the weekend before last", "2026-11-06 2026-11-09"},
		{"hier", "2026-11-20 2026-11-21"},
		{"hier soir", "2026-11-20 2026-11-21"},
		{"aujourd'hui", "2026-11-21 2026-11-22"},
		{"avant-hier", "2026-11-19 2026-11-20"},
		{"après-demain", "2026-11-23 2026-11-24"},
		{"antes de ayer", "2026-11-19 2026-11-20"},
		{"l'altro ieri", "2026-11-19 2026-11-20"},
		{"deze week", "2026-11-16 2026-11-23"},
		{"em março de 2024", "2024-03-01 2024-04-01"},
		{"неделю назад", "2026-11-09 2026-11-16"},
		{"w zeszłym tygodniu", "2026-11-09 2026-11-16"},
		{"przed dwoma dniami", ""},
		{"3일 전", "2026-11-18 2026-11-19"},
		{"지지난주", "2026-11-02 2026-11-09"},
		{"十二天前", "2026-11-09 2026-11-10"},
		{"大前天", "2026-11-18 2026-11-19"},
		{"上周五", "2026-11-13 2026-11-14"},
		{"先週の金曜日", "2026-11-13 2026-11-14"},
		{"半年前", "2026-05-01 2026-06-01"},
		{"明日香さん", ""},
		{"前天津", ""},
		{"오늘의집", ""},
		{"in Spring Boot", ""},
		{"what Jan said", ""},
		{"three quarters of the users", ""},
		{"May I ask you", ""},
		{"Good Friday is a film", ""},
		{"24/7", ""},
		{"29 February last year", "2025-03-01 2025-03-02"},
		{"within two weeks", "2026-11-21 2026-12-07"},
		{"三天内", "2026-11-21 2026-11-25"},
		{"this summer", "2026-06-01 2026-09-24"},
		{"two years, three months, one week, two days, four hours and five minutes ago", "2024-08-12 2024-08-13"},
		{"last weekend", "2026-11-13 2026-11-16"},
		{"5-го мая 2024", "2024-05-05 2024-05-06"},
		{"5月1日后", "2026-05-02 "},
		{"上周五之后", "2026-11-14 "},
		{"2023年5月后", "2023-06-01 "},
		{"5月以後", "2026-06-01 "},
		{"2021/03/25より後", "2021-03-26 "},
		{"지난주 금요일 후", "2026-11-14 "},
		{"last year's first week", "2025-01-06 2025-01-13"},
		{"last year's last day", "2025-12-31 2026-01-01"},
		{"last summer in July", "2026-06-01 2026-09-24"},
		{"letzten Mai dieses Jahres", "2026-05-01 2026-06-01"},
		{"last night this week", "2026-11-20 2026-11-21"},
		{"since this past week", "2026-11-09 "},
		{"Friday of this past week", "2026-11-13 2026-11-14"},
		{"am Montag dieser vergangenen Woche", "2026-11-09 2026-11-10"},
		{"antes de este último mes", " 2026-10-01"},
		{"iki pazar önce", "2026-11-08 2026-11-09"},
		{"két péntek múlva", "2026-12-04 2026-12-05"},
		{"due lunedì fa", "2026-11-09 2026-11-10"},
		{"dos lunes atrás", "2026-11-09 2026-11-10"},
		{"две пятницы назад", "2026-11-13 2026-11-14"},
	} {
		got := ""
		if spans := timesOf(c.question, saturday); len(spans) > 0 {
			got = ever(spans[0].From) + " " + ever(spans[0].To)
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.question, got, c.want)
		}
	}
}

// What stands unread in the same phrase as a date makes it another one, or none.
func TestAPartOfAPhraseIsNoDate(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"port 2020", ""},
		{"is room 1984 free?", ""},
		{"the key of room 2001", ""},
		{"connect to gate 2015 of the server", ""},
		{"Raum 2010", ""},
		{"puerto 2020 abierto", ""},
		{"la salle 2020", ""},
		{"порт 2020", ""},
		{"2000 days of rain", ""},
		{"2000 years ago", ""},
		{"Zimmer 2020", ""},
		{"error 2013", ""},
		{"la habitación 2019", ""},
		{"kamer 2012", ""},
		{"Rome 2019", "2019-01-01"},
		{"budget 2024", "2024-01-01"},
		{"what did we eat at Christmas 2023?", "2023-01-01"},
		{"Urlaub 2021", "2021-01-01"},
		{"отпуск 2022", "2022-01-01"},
		{"the 2019 trip", "2019-01-01"},
		{"in 2019", "2019-01-01"},
		{"2019", "2019-01-01"},
		{"what did we plan for 2025?", "2025-01-01"},
		{"the summer of 2022", "2022-06-01"},
		{"on 3/4 of the pages", ""},
		{"auf 3/4 der Seiten", ""},
		{"on 3/4", "2026-03-04"},
		{"on 3/4 of last year", "2025-03-04"},
		{"what did I buy on Black Friday", ""},
		{"Palm Sunday", ""},
		{"the Whit Monday walk", ""},
		{"I met Anna Monday", "2026-11-16"},
		{"what did we discuss Friday?", "2026-11-20"},
		{"standup on Monday", "2026-11-16"},
		{"Anna's standup on Monday", "2026-11-16"},
		{"meeting Friday", "2026-11-20"},
		{"lunch Monday", "2026-11-16"},
		{"the team lunch Monday", "2026-11-16"},
		{"Treffen Montag", "2026-11-16"},
		{"die Sitzung Freitag", "2026-11-20"},
		{"réunion vendredi", "2026-11-20"},
		{"reunión lunes", "2026-11-16"},
		{"vergadering maandag", "2026-11-16"},
		{"on Palm Sunday", ""},
		{"Friday the 13th part 2", ""},
		{"two Fridays", ""},
		{"the last day of school", ""},
		{"the last day of May 2024", "2024-05-31"},
		{"Anna's birthday is on 18 December for ten days", ""},
		{"10 August 88 AD", ""},
		{"14 April 15", ""},
		{"14-tego kwietnia 15", ""},
		{"3/4 cup of flour", ""},
		{"add 1/2 inch", ""},
		{"昭和64年1月7日", ""},
		{"tomorrow before 11", ""},
		{"2001 год назад", ""},
		{"I stayed for ten days from 5 May 2024", ""},
	} {
		got := ""
		if spans := timesOf(c.question, saturday); len(spans) > 0 {
			got = spans[0].From.Format(time.DateOnly)
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.question, got, c.want)
		}
	}
}

// What may be one of two times is both.
func TestADateOfTwoReadingsIsBoth(t *testing.T) {
	for question, want := range map[string]string{
		"next Tuesday":              "2026-11-24",
		"next Sunday":               "2026-11-22 2026-11-29",
		"am nächsten Sonntag":       "2026-11-22 2026-11-29",
		"下周日":                       "2026-11-29 2026-11-22",
		"3/5/2026":                  "2026-03-05 2026-05-03",
		"on 3/5/2026":               "2026-03-05",
		"25/5/2026":                 "2026-05-25",
		"the first Monday of March": "2026-03-02 2025-03-03 2024-03-04",
		"the week of 5 March":       "2026-03-02 2025-03-03 2024-03-04",
	} {
		var got []string
		for _, s := range timesOf(question, saturday)[:min(3, len(timesOf(question, saturday)))] {
			got = append(got, s.From.Format(time.DateOnly))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %s, want %s", question, got, want)
		}
	}
	if spans := timesOf("in March", saturday); len(spans) != yearsBack || spans[yearsBack-1].From.Format(time.DateOnly) != "2027-03-01" {
		t.Errorf("%v: a month without a year may be the next one too", spans)
	}
}

func TestTheLanguageDecidesTheOrderOfDayAndMonth(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"what happened on 3/5/2026", "2026-03-05"},
		{"qu'est-ce qu'on a dit le 3/5/2026", "2026-05-03"},
		{"was haben wir am 3/5/2026 gesagt", "2026-05-03"},
		{"qué dijimos el 3/5/2026", "2026-05-03"},
		{"was war am 3.5.2026", "2026-05-03"},
		{"what was said on 25/5/2026", "2026-05-25"},
		{"on 3/5/26", "2026-03-05"},
	} {
		got := ""
		if spans := timesOf(c.question, saturday); len(spans) > 0 {
			got = spans[0].From.Format(time.DateOnly)
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.question, got, c.want)
		}
	}
}

func TestARangeInATextIsFoundByEachOfItsDays(t *testing.T) {
	for text, want := range map[string]string{
		"we are in Rome from 3 to 5 May 2024": "@2024-05-03 @2024-05 @2024-05-04 @2024-05-05",
		"closed since 3 May 2024":             "@2024-05-03 @2024-05",
		"open from May 2023 to June 2024":     "@2023-05 @2024-06",
	} {
		if got := strings.Join(termsOf(text, ClassMoment), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestQuestionsForATime(t *testing.T) {
	for question, want := range map[string]bool{
		"When did she leave?": true, "So when was it": true, "Wann war das?": true, "Когда это было?": true,
		"What did he say when she left?": false, "": false,
	} {
		if got := NewAnalyzer().Query(question, saturday).When; got != want {
			t.Errorf("%q: %v", question, got)
		}
	}
}

func TestCalendarDaysFollowTheTimeZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, question string
		now            time.Time
		from, to       time.Time
	}{
		{
			"on a Sunday the week is not over", "last week", time.Date(2026, 11, 22, 23, 30, 0, 0, berlin),
			time.Date(2026, 11, 9, 0, 0, 0, 0, berlin), time.Date(2026, 11, 16, 0, 0, 0, 0, berlin),
		},
		{
			"on a Monday it has just begun", "last week", time.Date(2026, 11, 23, 0, 5, 0, 0, berlin),
			time.Date(2026, 11, 16, 0, 0, 0, 0, berlin), time.Date(2026, 11, 23, 0, 0, 0, 0, berlin),
		},
		{
			"the day when clocks go back has 25 hours", "yesterday", time.Date(2026, 10, 26, 0, 30, 0, 0, berlin),
			time.Date(2026, 10, 24, 22, 0, 0, 0, time.UTC), time.Date(2026, 10, 25, 23, 0, 0, 0, time.UTC),
		},
		{
			"the day when they go forward has 23", "yesterday", time.Date(2026, 3, 30, 3, 0, 0, 0, berlin),
			time.Date(2026, 3, 28, 23, 0, 0, 0, time.UTC), time.Date(2026, 3, 29, 22, 0, 0, 0, time.UTC),
		},
		{
			"the year turns", "last month", time.Date(2027, 1, 1, 0, 0, 1, 0, berlin),
			time.Date(2026, 12, 1, 0, 0, 0, 0, berlin), time.Date(2027, 1, 1, 0, 0, 0, 0, berlin),
		},
		{
			"a month before one with more days", "last month", time.Date(2026, 3, 31, 12, 0, 0, 0, berlin),
			time.Date(2026, 2, 1, 0, 0, 0, 0, berlin), time.Date(2026, 3, 1, 0, 0, 0, 0, berlin),
		},
	} {
		spans := timesOf(c.question, c.now)
		if len(spans) != 1 || !spans[0].From.Equal(c.from) || !spans[0].To.Equal(c.to) {
			t.Errorf("%s: %v, want %v to %v", c.what, spans, c.from, c.to)
		}
	}
}

// timesOf returns the times that a question names, relative to now: "last week", "in May
// 2023", "am 3. Mai". A month or day without a year may refer to any of the last years; the
// latest comes first.
func timesOf(question string, now time.Time) []Span {
	a := NewAnalyzer()
	a.read(question)
	spans, _, _ := a.spans(now)
	return spans
}
