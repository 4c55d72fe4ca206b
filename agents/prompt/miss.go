package prompt

import (
	"regexp"
	"strings"
	"sync"
)

// NearMiss matches a line that looks like a directive, whatever is around its name.
var NearMiss = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?i)^[\\s>*_`#+•–—\\-]*(?:(?:\\d+|[一二三四五六七八九十]+)[.)、．）]\\s*|[①-⑳]\\s*)?[\\s*_`\\[(\"'«“„【「（]*" +
		"(AGENT|SKILL|MEMORY[_ -](?:APPEND|REPLACE|REMOVE|SEARCH)|SYSTEM[_ -]STATS|FETCH[_ -]URL|RUN[_ -]CMD)" +
		"[\\s*_`\\])\"'】」）]*[:：]")
})

// Miss is a line that was meant as a call but couldn't be read safely.
type Miss struct {
	Line string
	Name string // of the tool as the model wrote it

	code bool // it is in a code block
}

// otherTool matches a JSON call of a tool that doesn't exist.
var otherTool = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\s\x60\[{<a-z_>]*\{?\s*"(?:name|tool|tool_name|function|action)"\s*:\s*"([\w .:-]{2,60})"\s*,\s*"(?:arguments|parameters|args|input|tool_input|action_input)"\s*:`)
})

// FindMiss finds the first such line in a reply without calls. A reply that only writes
// about tools has none: one that names three of them, quotes a line beside other text, or
// shows it as code.
func FindMiss(reply string) (Miss, bool) {
	if m := otherTool().FindStringSubmatch(strings.TrimSpace(reply)); m != nil {
		return Miss{Line: firstOf(strings.TrimSpace(reply)), Name: m[1]}, true
	}
	var f fence
	var found []Miss
	names := map[string]bool{}
	alone := true
	for line := range strings.Lines(reply) {
		wasOpen := f.open()
		f.line(line)
		m := NearMiss().FindStringSubmatch(line)
		switch {
		case strings.TrimSpace(line) == "", f.open() != wasOpen:
		case m != nil && (!wasOpen || alone):
			names[strings.ToUpper(m[1])] = true
			found = append(found, Miss{Line: strings.TrimSpace(line), Name: m[1], code: wasOpen})
		case wasOpen && len(found) > 0: // the rest of a fenced call
		default:
			alone = false
		}
	}
	for _, miss := range found {
		d, ok := readAdorned(miss.Line)
		meant := ok && !miss.code && d.Arg != "" && !strings.Contains(reply, "    "+miss.Line) && miss.Name == strings.ToUpper(miss.Name)
		if len(names) < 3 && (alone || meant) {
			return miss, true
		}
	}
	return Miss{}, false
}

// firstOf returns the beginning of a text as one line, for people and models.
func firstOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if runes := []rune(line); len(runes) > 200 {
		line = string(runes[:200]) + "…"
	}
	return line
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
