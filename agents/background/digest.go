package background

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/summary"
)

// digestAnswer is an answer in the form of the schema.
type digestAnswer struct {
	Context string       `json:"context"`
	Lessons []digestItem `json:"lessons"`
	People  []digestItem `json:"people"`
}

// digestItem is a lesson (Text) or a fact about a person (Who, Fact).
type digestItem struct {
	Text string   `json:"text"`
	Who  string   `json:"who"`
	Fact string   `json:"fact"`
	Sure sureness `json:"confidence"`
}

// UnmarshalJSON also accepts a bare sentence and other keys than "text", as models write
// them without the schema.
func (d *digestItem) UnmarshalJSON(data []byte) error {
	type plain digestItem
	var other struct {
		Lesson, Content, Sentence string
	}
	if err := json.Unmarshal(data, (*plain)(d)); err == nil {
		if d.Text == "" && json.Unmarshal(data, &other) == nil {
			d.Text = cmp.Or(other.Lesson, other.Content, other.Sentence)
		}
		return nil
	}
	*d = digestItem{}
	return json.Unmarshal(data, &d.Text)
}

// sureness is the confidence that a model states.
type sureness struct {
	said  bool
	value float64 // 0 … 1, if it was stated unambiguously
}

// UnmarshalJSON accepts a number, even as text or in percent. Anything else ("high", 8,
// null) counts as not stated.
func (s *sureness) UnmarshalJSON(data []byte) error {
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	switch v := value.(type) {
	case float64:
		*s = sure(v)
	case string:
		*s = parseSureness(v)
	}
	return nil
}

// parseSureness reads "0.9" and "90 %".
func parseSureness(text string) sureness {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch {
	case err != nil:
		return sureness{}
	case percent:
		v /= 100
	}
	return sure(v)
}

func sure(v float64) sureness {
	if math.IsNaN(v) || v > 1 {
		return sureness{} // 8 of 10, or 90 of 100? It is ambiguous.
	}
	return sureness{said: true, value: max(v, 0)}
}

// lessons returns the lessons of an answer with sufficient confidence, and those without a
// stated one, which get the confidence 0.
func (a digestAnswer) lessons() []memory.Lesson {
	var list []memory.Lesson
	add := func(text, about string, s sureness) {
		if text = excerpt.OneLine(strings.ToValidUTF8(text, "")); text == "" || s.said && s.value < lesson.MinConfidence {
			return
		}
		list = append(list, memory.Lesson{Text: text, About: about, Confidence: s.value, Target: memory.Target{Kind: memory.TargetGlobal}})
	}
	for _, l := range a.Lessons {
		add(l.Text, "", l.Sure)
	}
	for _, p := range a.People {
		who, fact := excerpt.OneLine(p.Who), excerpt.OneLine(p.Fact)
		switch {
		case who == "" || fact == "":
		case isOwner(who):
			add(ownerSentence(fact), "", p.Sure)
		default:
			add(who+": "+fact, who, p.Sure)
		}
	}
	return list
}

// isOwner reports whether a person that a model names is the owner of the app.
func isOwner(who string) bool {
	_, owner := summary.StartsWithOwner(who)
	return owner || slices.Contains([]string{"i", "me", "you"}, strings.ToLower(who))
}

// ownerSentence turns a fact about the user into a sentence.
func ownerSentence(fact string) string {
	if named, _ := summary.StartsWithOwner(fact); named {
		return fact
	}
	first, size := utf8.DecodeRuneInString(fact)
	if second, _ := utf8.DecodeRuneInString(fact[size:]); !unicode.IsUpper(second) {
		fact = string(unicode.ToLower(first)) + fact[size:]
	}
	return "The user " + fact
}

// headedPart matches a heading of the text form, listNumber the beginning of a line in it,
// and confidence the end of one.
var (
	headedPart = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^[#* ]*(CONTEXT|LESSONS|PEOPLE)[* ]*:[* ]*`)
	})
	listNumber = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9]{1,2}[.)]\s+`)
	})
	confidence = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\s*\((?:confidence:?\s*)?([0-9.]+\s*%?)\)\s*\.?$`)
	})
)

// parseHeaded reads the text form.
func parseHeaded(text string) (digestAnswer, bool) {
	var answer digestAnswer
	found := headedPart().FindAllStringSubmatchIndex(text, -1)
	seen := false
	for i, m := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		name, body := text[m[2]:m[3]], strings.TrimSpace(text[m[1]:end])
		if name == "CONTEXT" {
			answer.Context, seen = body, true
			continue
		}
		for line := range strings.SplitSeq(body, "\n") {
			answer.addLine(name, line)
		}
	}
	return answer, seen
}

// addLine reads one bullet, or a line with a confidence. It ignores other lines, which are
// talk around the list.
func (a *digestAnswer) addLine(part, line string) {
	line = strings.TrimSpace(line)
	text := strings.TrimLeft(line, "-*• \t")
	if text == line {
		text = line[len(listNumber().FindString(line)):]
	}
	if text == line && !confidence().MatchString(line) {
		return
	}
	var item digestItem
	if at := confidence().FindStringSubmatchIndex(text); at != nil {
		item.Sure, text = parseSureness(text[at[2]:at[3]]), text[:at[0]]
	}
	if part == "LESSONS" {
		item.Text = text
		a.Lessons = append(a.Lessons, item)
		return
	}
	item.Who, item.Fact, _ = strings.Cut(text, ":")
	a.People = append(a.People, item)
}
