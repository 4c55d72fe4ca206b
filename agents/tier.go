package agents

import (
	"fmt"
	"regexp"
	"strings"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
)

// promptTier is how much an agent's model is told: what the agent says, else the
// settings, else what fits the model.
func (t *turn) promptTier(a registry.Agent, model ollama.ModelInfo) prompt.Tier {
	return prompt.ChooseTier(prompt.TierFor(model.KnownSize(), model.MaxContext), a.PromptTier, t.settings.PromptTier)
}

// toolsTier is which tools it gets.
func (t *turn) toolsTier(a registry.Agent, model ollama.ModelInfo) prompt.Tier {
	return prompt.ChooseTier(prompt.TierFor(model.KnownSize(), model.MaxContext), a.ToolsTier, t.settings.ToolsTier)
}

// tellSmall says that a model is too small for tools: once, to people who may have
// wondered.
func (e *Engine) tellSmall(t *turn) {
	e.mu.Lock()
	told := e.small[t.model.Name]
	e.small[t.model.Name] = true
	e.mu.Unlock()
	if told || t.toolsTier(registry.Agent{}, t.model) != prompt.TierPlain || t.settings.ToolsTier == string(prompt.TierPlain) {
		return // it was chosen so
	}
	t.warn(StateReading, fmt.Sprintf("The model %s is too small for tools and other agents: it answers by itself", t.model.Name))
}

// Words by which a message speaks of the time, or of this machine. A miss costs little:
// the model can read the vitals by a tool, and says that it doesn't know the time.
var (
	timeWords = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:today|tonight|tomorrow|yesterday|now|date|what day|weekday|weekend|what time|the time|o'clock|hours? ago|days? ago|next (?:week|month|year|\p{L}+day)|last (?:week|month|year|night|\p{L}+day)|this (?:week|month|year|morning|evening|afternoon)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|deadline|schedule|calendar|remind|how old|until|since|` +
		`heute|morgen|gestern|jetzt|datum|uhrzeit|wie spät|uhr|woche|wochentag|diesen monat|dieses jahr|termin|kalender|` +
		`aujourd'hui|demain|hier|maintenant|quelle heure|semaine|calendrier|hoy|mañana|ayer|ahora|qué hora|fecha|semana|calendario|` +
		`oggi|domani|ieri|adesso|che ora|settimana|hoje|amanhã|ontem|agora|que horas|сегодня|завтра|вчера|сейчас|который час)(?:[^\p{L}]|$)|今天|今日|明天|明日|昨天|昨日|现在|現在|几点|何時|日期|星期|오늘|내일|어제|지금|몇 시`)
	vitalsWords = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:cpu|gpu|processor|ram|memory (?:use|usage|full|is)|swap|disk|disks|drive|storage|battery|temperature|overheat\p{L}*|hot|fans?|loud|slow|laggy|lagging|freez\p{L}*|load|process(?:es)?|this (?:machine|computer|laptop|mac|pc)|my (?:machine|computer|laptop|mac|pc|system)|vitals|system stats|` +
		`prozessor|arbeitsspeicher|festplatte|akku|temperatur|heiß|lüfter|laut|langsam|auslastung|prozesse?|rechner|computer|` +
		`processeur|disque|batterie|ventilateur|lent|ordinateur|procesador|disco|batería|ventilador|lento|ordenador|ventola|computador|процессор|диск|компьютер|медленн\p{L}*)(?:[^\p{L}]|$)|内存|磁盘|电脑|风扇|温度|メモリ|ディスク|遅い|컴퓨터|느려`)
)

// mostAsking is of how many bytes at its beginning and at its end a message is looked at:
// between them stands what was pasted.
const mostAsking = 1000

func asking(text string) string {
	if len(text) > 2*mostAsking {
		text = text[:mostAsking] + " " + text[len(text)-mostAsking:]
	}
	return strings.ReplaceAll(text, "’", "'")
}

func asksForTime(text string) bool   { return timeWords.MatchString(asking(text)) }
func asksForVitals(text string) bool { return vitalsWords.MatchString(asking(text)) }
