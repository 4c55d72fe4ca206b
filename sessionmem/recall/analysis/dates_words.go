package analysis

import "strings"

// dateKind is the role of a word in a date.
type dateKind uint8

const (
	dateNone     dateKind = iota
	dateMonth             // n: 1–12
	dateMonthish          // a month's name that is also another word: counts only beside a number or a preposition
	dateWeekday           // n: 0 is Sunday
	dateDay               // n: days from today
	dateUnit              // n: a grain
	dateMod               // n: -1 last, 0 this, 1 next
	datePart              // a part of the day: "last night", "this morning"
	dateAgo               // after a length: "two weeks ago"
	dateBefore            // before a length: "vor zwei Wochen"
	dateIn                // before a month, a year or a future length
	dateNumber            // n
	dateSeason            // n: its first month
	dateFiller            // "of" (n 0), "the" (n 1): skipped inside a date
	dateAfter             // n: as for dateMod, but also after its noun: "la semaine dernière"
	dateThere             // "il y a deux semaines": before "a" and a length
	dateVague             // a time expression that no calendar resolves: "recently"
)

// dateWord is the role of a word in a date.
type dateWord struct {
	kind dateKind
	n    int8
}

// grain is the precision of a date.
type grain int8

const (
	grainDay grain = iota + 1
	grainWeekend
	grainWeek
	grainMonth
	grainSeason
	grainYear
)

// dateWords lists the words of dates: kind, number, words. English and German are complete;
// for other languages it has the months and the most common words. cjkDate covers scripts
// without spaces.
//
//nolint:misspell // other languages than English
const dateWords = `
month 1 يناير january jan januar janner janvier enero gennaio janeiro januari января январь январе
month 2 فبراير february feb februar febr fevrier febrero febbraio fevereiro februari февраля февраль феврале
month 3 مارس marz marzo maart марта март марте
monthish 3 march mar
monthish 4 april avril
month 4 أبريل إبريل apr abril aprile апреля апрель апреле
monthish 5 مايو may mai mayo maggio maio mei maj мая май мае
monthish 6 june
month 6 يونيو jun juni juin junio giugno junho июня июнь июне
month 7 يوليو july jul juli juillet julio luglio julho июля июль июле
monthish 8 august
month 8 أغسطس aug aout agosto augustus augusti августа август августе
month 9 سبتمبر september sep sept septembre septiembre settembre setembro сентября сентябрь сентябре
month 10 أكتوبر october oct oktober okt octobre octubre ottobre outubro октября октябрь октябре
month 11 نوفمبر november nov novembre noviembre novembro ноября ноябрь ноябре
month 12 ديسمبر december dec dezember dez decembre diciembre dicembre dezembro декабря декабрь декабре
weekday 0 sunday sonntag dimanche domingo domenica zondag воскресенье
weekday 1 monday montag lundi lunes lunedi maandag понедельник
weekday 2 tuesday dienstag mardi martes martedi dinsdag вторник
weekday 3 wednesday mittwoch mercredi miercoles mercoledi woensdag среду
weekday 4 thursday donnerstag jeudi jueves giovedi donderdag четверг
weekday 5 friday freitag vendredi viernes venerdi vrijdag пятницу
weekday 6 saturday samstag sonnabend samedi sabato zaterdag субботу
day -1 yesterday gestern ayer ieri ontem gisteren вчера أمس البارحة
day -2 vorgestern anteayer eergisteren позавчера
day 0 today tonight heute aujourd'hui hoy oggi hoje vandaag сегодня اليوم
day 1 tomorrow demain domani amanha завтра غدا
day 2 ubermorgen overmorgen послезавтра
unit 1 day days tag tage tagen jour jours dia dias giorno giorni dag dagen день дня дней أيام
unit 2 weekend weekends wochenende
unit 3 week weeks woche wochen semaine semaines semana semanas settimana settimane weken неделя неделе неделю недели недель الأسبوع أسبوع أسابيع
unit 4 month months monat monate monaten monats mois mes meses mese mesi maand maanden месяц месяце месяца месяцев الشهر شهر أشهر
unit 6 year years jahr jahre jahren jahres ans annee annees ano anos anno anni jaar год году года лет السنة العام سنوات
mod -1 last past previous letzte letzten letzter letztes letztem vergangene vergangenen vergangener vergangenes vorige vorigen voriger voriges vorige afgelopen прошлой прошлую прошлом прошлый прошлого
mod 0 this diese diesen dieser dieses diesem cette esta questa questo этой эту этом
mod 1 next upcoming nachste nachsten nachster nachstes nachstem kommende kommenden kommender kommendes volgende следующей следующем следующую
behind -1 dernier derniere passe passee pasado pasada passado passada scorso scorsa الماضي الماضية
behind 1 prochain prochaine proximo proxima prossimo prossima القادم القادمة
there 0 y
part 0 night morning afternoon evening nacht morgen vormittag nachmittag abend
ago 0 ago earlier fa geleden назад atras
before 0 vor hace ha قبل منذ
in 0 in on since during until till by early late mid from around im am ab seit bis anfang mitte ende en em le el в во في
number 1 a an one ein eine einen einem einer un une una uno um uma één один одну
number 2 two couple zwei paar deux dos due dois duas twee два две
number 3 three few several drei einige einigen trois tres tre drie три ثلاثة
number 4 four vier quatre cuatro quattro quatro четыре
number 5 five funf cinq cinco cinque vijf пять
number 6 six sechs
number 7 seven sieben
number 8 eight acht
number 9 nine neun
number 10 ten zehn
number 11 eleven elf
number 12 twelve zwolf
season 3 spring fruhling fruhjahr
season 6 summer sommer
season 9 autumn herbst
season 12 winter
filler 0 of de del des
filler 1 the
vague 0 recently lately nowadays soon kurzlich neulich bald
`

// whenWords ask for a time if they are among the first words of a question.
const whenWords = `when wann quand cuando quando wanneer когда متى 언제`

// Words that ask for a quantity, among the first words of a question: alone, or as a pair of
// a first and a second.
const (
	quantityWords  = `wieviel wieviele combien cuanto cuantos cuanta cuantas quanto quanti quanta quante quantos quantas hoeveel сколько كم`
	quantityFirst  = `how wie hoe hur hvor`
	quantitySecond = `many much long old often far viel viele vielen lange alt oft weit lang oud vaak ver manga ofta mange ofte`
)

// dateLexicon parses dateWords.
func dateLexicon() map[string]dateWord {
	kinds := map[string]dateKind{
		"month": dateMonth, "monthish": dateMonthish, "weekday": dateWeekday, "day": dateDay, "unit": dateUnit, "mod": dateMod, "part": datePart,
		"behind": dateAfter, "there": dateThere, "ago": dateAgo, "before": dateBefore, "in": dateIn, "number": dateNumber, "season": dateSeason, "filler": dateFiller, "vague": dateVague,
	}
	out := make(map[string]dateWord, 512)
	for line := range strings.Lines(dateWords) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		word := dateWord{kind: kinds[fields[0]], n: smallNumber(fields[1])}
		for _, w := range fields[2:] {
			out[bareOf(w)] = word
		}
	}
	return out
}

// smallNumber parses a number of the table: at most two digits, possibly negative.
func smallNumber(s string) int8 {
	n, sign := int8(0), int8(1)
	for i := range len(s) {
		if s[i] == '-' {
			sign = -1
			continue
		}
		n = n*10 + int8(s[i]-'0')
	}
	return sign * n
}

// answerFirst followed by answerSecond, or youFirst followed by youSecond, asks what the
// assistant said or did ("did you", "you suggested"); so does each of answerVerbs alone.
const (
	answerFirst  = `did have had hast habt haben sagten as avez`
	answerSecond = `you du ihr sie tu vous`
	youFirst     = `you du`
	youSecond    = `said told suggested recommended gave mentioned explained advised proposed gesagt empfohlen vorgeschlagen erwahnt`
	answerVerbs  = `sagtest empfahlst dijiste recomendaste sugeriste mencionaste explicaste`
)
