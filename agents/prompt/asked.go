package prompt

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"mac-stats/sessionmem/excerpt"
)

// Words with which a message mentions the time or this machine. A miss costs little: the
// model can read the vitals with a tool, and says that it doesn't know the time.
var (
	timeWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:today|tonight|tomorrow|yesterday|now|date|what day|weekday|weekend|what time|the time|o'clock|hours? ago|days? ago|next (?:week|month|year|\p{L}+day)|last (?:week|month|year|night|\p{L}+day)|this (?:week|month|year|morning|evening|afternoon)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|deadline|schedule|calendar|remind|how old|until|since|` +
			`heute|morgen|gestern|jetzt|datum|uhrzeit|wie spät|uhr|woche|wochentag|diesen monat|dieses jahr|termin|kalender|` +
			`aujourd'hui|demain|hier|maintenant|quelle heure|semaine|calendrier|hoy|mañana|ayer|ahora|qué hora|fecha|semana|calendario|` +
			`oggi|domani|ieri|adesso|che ora|settimana|hoje|amanhã|ontem|agora|que horas|сегодня|завтра|вчера|сейчас|который час)(?:[^\p{L}]|$)|今天|今日|明天|明日|昨天|昨日|现在|現在|几点|何時|日期|星期|오늘|내일|어제|지금|몇 시`)
	})
	vitalsWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:cpu|gpu|processor|ram|memory (?:use|usage|full|is)|swap|disk|disks|drive|storage|battery|temperature|overheat\p{L}*|hot|fans?|loud|slow|laggy|lagging|freez\p{L}*|load|process(?:es)?|this (?:machine|computer|laptop|mac|pc)|my (?:machine|computer|laptop|mac|pc|system)|vitals|system stats|` +
			`prozessor|arbeitsspeicher|festplatte|akku|temperatur|heiß|lüfter|laut|langsam|auslastung|prozesse?|rechner|computer|` +
			`processeur|disque|batterie|ventilateur|lent|ordinateur|procesador|disco|batería|ventilador|lento|ordenador|ventola|computador|процессор|диск|компьютер|медленн\p{L}*)(?:[^\p{L}]|$)|内存|磁盘|电脑|风扇|温度|メモリ|ディスク|遅い|컴퓨터|느려`)
	})
)

// searchedBytes is the number of bytes at the beginning and at the end of a message that are
// searched for these words. What is between them was probably pasted.
const searchedBytes = 1000

// ContextFor returns the context that changes each turn and is therefore sent with the
// user's message, at the end of the request: one line with the time and the machine's
// vitals. It has each only if the message mentions it, because small models repeat it and
// mistake it for the user's words; it is "" if the message mentions neither. vitals is
// nil if the asker mustn't learn about the machine.
func ContextFor(text string, now time.Time, vitals func() string) string {
	var parts []string
	if len(text) > 2*searchedBytes {
		text = text[:searchedBytes] + " " + text[len(text)-searchedBytes:]
	}
	text = strings.ReplaceAll(text, "’", "'")
	if timeWords().MatchString(text) {
		parts = append(parts, "it is "+now.Format("Mon 2006-01-02 15:04 -07:00"))
	}
	if vitals != nil && vitalsWords().MatchString(text) {
		if line := excerpt.OneLine(vitals()); line != "" {
			parts = append(parts, line)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return Context(strings.Join(parts, " · "))
}

// announces matches an answer that announces the model's next step.
var announces = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^[\s*_]*(?:(?:sure|okay|ok|of course|certainly|great|alright|klar|gerne|natürlich|bien sûr|claro|certo|d'accord)[,.! ]+)*(?:` +
		`(?:let me|i'll|i will|i'm going to|i am going to|i need to|first,? (?:i|let me)(?:'ll| will)?|i should|now i(?:'ll| will)) (?:\w+ly )?(?:now |first |quickly |just )?(?:check|look|search|fetch|read|retrieve|call|use|run|query|gather|ask|hand|delegate|consult|get|find|see what|take a look|start by|begin by)\b` +
		`|(?:checking|fetching|looking|searching|reading|calling|retrieving|gathering)\b` +
		`|(?:ich (?:werde|schaue|sehe|prüfe|suche|frage|lese|rufe|hole)|lass(?:en sie)? mich|einen moment)\b` +
		`|(?:je vais|laisse[zr]?-moi|voy a|déjame|permíteme|vou|deixe-me|fammi|lasciami|vado a|controllo)\b)`)
})

// maxAnnounced limits the length of an answer that only announces, in characters.
const maxAnnounced = 300

// OnlyAnnounces reports whether a reply only announces the model's next step.
func OnlyAnnounces(reply string) bool {
	reply = strings.TrimSpace(reply)
	return len([]rune(reply)) <= maxAnnounced && announces().MatchString(strings.ReplaceAll(reply, "’", "'")) &&
		!strings.HasSuffix(reply, "?") && !strings.Contains(reply, "\n\n")
}
