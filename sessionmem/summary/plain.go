package summary

import (
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
)

const (
	maxIdentifiers  = 40   // in a Summary
	maxIdentifier   = 200  // bytes of one
	maxSearched     = 8    // messages searched for them
	maxSearchedText = 4000 // bytes of each
	maxQuoted       = 240  // characters of a message in a Summary without a model
	maxEarlier      = 1600
	shortestLine    = 80 // characters of a line of an earlier one
)

// identifier matches what must survive letter by letter: links, paths, quoted names, error
// codes and numbers.
var identifier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("https?://[^\\s<>\"'`)\\]]+" + // links
		"|(?:[A-Za-z]:\\\\|~?/|\\.{1,2}/)[\\w.@+~-]+(?:[/\\\\][\\w.@+~-]+)*/?" + // paths
		"|[\\w.-]+/[\\w./-]+\\.\\w+" + // relative paths of files
		"|`[^`\\n]+`|\"[^\"\\n]{2,80}\"|“[^”\\n]{2,80}”|„[^“”\\n]{2,80}[“”]|«[^»\\n]{2,80}»" + // quoted
		"|\\b[A-Z][A-Z0-9]*[-_][A-Z0-9_-]*\\d[A-Z0-9]*\\b|\\bE[A-Z]{4,}\\b|\\b0x[0-9A-Fa-f]+\\b" + // codes
		"|\\blocalhost:\\d+\\b" + // ports
		"|\\b[\\w-]+\\.(?:go|md|toml|json|yaml|yml|txt|py|rs|js|ts|sh|log|conf|swift|c|h)\\b" + // files
		"|\\b[A-Za-z]*\\d[\\w.:-]*\\d\\b")
}) // versions, numbers, addresses

// secretWords mark lines that may hold a secret: nothing of such a line is kept.
var secretWords = []string{"password", "passwort", "passphrase", "secret", "token", "api key", "api-key", "api_key", "apikey", "private key", "credential", "bearer "}

func mayHoldSecret(line string) bool {
	line = strings.ToLower(line)
	return slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(line, w) })
}

// usersFirst returns the messages newest first, the user's before all answers: models also
// make up identifiers.
func usersFirst(messages []transcript.Block) []transcript.Block {
	var users, others []transcript.Block
	for _, b := range slices.Backward(messages) {
		if b.Kind == transcript.KindUser {
			users = append(users, b)
			continue
		}
		others = append(others, b)
	}
	return append(users, others...)
}

// identifiers returns the exact identifiers in the last 8 messages, the user's before the
// answers', the newest message first, each once, at most 40. It leaves out lines that may hold
// a secret, and text beyond 4,000 bytes of a message.
func identifiers(messages []transcript.Block) []string {
	var found []string
	known := map[string][]string{}
	for _, b := range usersFirst(messages[max(len(messages)-maxSearched, 0):]) {
		text := transcript.WithoutAttachments(b.Text)
		if len(text) > maxSearchedText {
			text = strings.ToValidUTF8(text[:maxSearchedText], "")
		}
		for line := range strings.SplitSeq(text, "\n") {
			if mayHoldSecret(line) {
				continue
			}
			for id := range identifiersOf(line, known) {
				id = strings.TrimRight(strings.Trim(id, "`\"“”„«»"), ".,;:")
				if len(id) < 2 || len(id) > maxIdentifier || isPlainNumber(id) || slices.Contains(found, id) {
					continue
				}
				if found = append(found, id); len(found) == maxIdentifiers {
					return found
				}
			}
		}
	}
	return found
}

// identifiersOf returns the identifiers of a line. Only quoted ones contain a space: a line
// without quotes is searched word by word, and only those words that can match and aren't
// known, with their identifiers, from an earlier call.
func identifiersOf(line string, known map[string][]string) iter.Seq[string] {
	return func(yield func(string) bool) {
		words := []string{line}
		quoted := strings.ContainsAny(line, "`\"“„«")
		if !quoted {
			words = strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\f' || r == '\r' })
		}
		for _, w := range words {
			if !quoted && !mayIdentify(w) {
				continue
			}
			found, ok := known[w]
			if !ok {
				found = findIdentifiers(w)
				known[w] = found
			}
			for _, id := range found {
				if !yield(id) {
					return
				}
			}
		}
	}
}

// findIdentifiers returns the matches, except the end of "n/a", "kB/s" or "and/or", which is
// no path.
func findIdentifiers(text string) []string {
	var found []string
	for _, m := range identifier().FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		if text[m[0]] != '/' || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			found = append(found, text[m[0]:m[1]])
		}
	}
	return found
}

// mayIdentify reports whether a word can match identifier: anything unquoted that matches has a
// digit, a slash or an inner dot, or is a code such as ENOENT.
func mayIdentify(word string) bool {
	if strings.ContainsAny(word, "0123456789/\\") || strings.Contains(strings.TrimRight(word, ".,;:!?)"), ".") {
		return true
	}
	for i := 1; i < len(word); i++ {
		if word[i-1] == 'E' && word[i] >= 'A' && word[i] <= 'Z' {
			return true
		}
	}
	return false
}

// longNumber is the number of digits from which nobody remembers a number.
const longNumber = 5

// isPlainNumber reports whether a match is a short number, a decimal or a time of day: a
// reading, not the name of anything. Three groups of digits are a version, an address or a
// date.
func isPlainNumber(id string) bool {
	if strings.Trim(id, "0123456789.:-_") != "" {
		return false
	}
	groups := strings.FieldsFunc(id, func(r rune) bool { return r < '0' || r > '9' })
	switch len(groups) {
	case 0, 1:
		return len(strings.Join(groups, "")) < longNumber
	case 2:
		decimal := strings.Contains(id, ".")
		return decimal || len(groups[0])+len(groups[1]) < longNumber
	}
	return false
}

// exactly introduces the identifiers at the end of a Summary.
const exactly = "\n\nExact identifiers: "

// WithIdentifiers appends the identifiers that a Summary leaves out.
func WithIdentifiers(text string, messages []transcript.Block) string {
	var missing []string
	for _, id := range identifiers(messages) {
		if !strings.Contains(text, id) {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return text
	}
	return text + exactly + strings.Join(missing, " · ")
}

// maxDigest is the limit of the user's words in a Summary without a model, in characters.
const maxDigest = 3000

// What a Summary without a model contains, other than the user's words.
const (
	withoutModel = "This summary was made without a model: it quotes the conversation and leaves out what does not fit."
	beforeThat   = "Before that:"
	askedBy      = "Asked by the user:"
	stillOpen    = "Still open:"
	notAnswered  = "- not answered: "
	askedOfUser  = "- asked of the user: "
	lastAnswer   = "The last answer: "
)

// MaxMessages is how many of the last messages a Summary is made from.
const MaxMessages = 20

// Plain makes a Summary without a model from the messages' own words: the most informative
// part of each message of the user, open questions, the exact identifiers. The Summary says
// that no model made it. The same input produces the same text.
func Plain(previous *transcript.Block, messages []transcript.Block) string {
	var asked []request
	for i, b := range messages {
		if b.Kind == transcript.KindUser && strings.TrimSpace(b.Text) != "" {
			asked = append(asked, newRequest(messages, i))
		}
	}
	var lines []string
	share := max(maxQuoted/2, min(maxQuoted, maxDigest/max(len(asked), 1)))
	for _, a := range asked {
		if line := "- " + a.quote(share); !slices.Contains(lines, line) { // sent again
			lines = append(lines, line)
		}
	}
	var out strings.Builder
	out.WriteString(withoutModel)
	if before := earlier(previous, lines); before != "" {
		out.WriteString("\n\n" + beforeThat + "\n" + before)
	}
	if len(lines) > 0 {
		out.WriteString("\n\n" + askedBy + "\n" + strings.Join(lines, "\n"))
	}
	if open := openRequests(messages); len(open) > 0 {
		out.WriteString("\n\n" + stillOpen)
		for _, ask := range open {
			out.WriteString("\n" + ask)
		}
	}
	for _, b := range slices.Backward(messages) {
		if b.Kind == transcript.KindAssistant {
			out.WriteString("\n\n" + lastAnswer + shortText(transcript.OneLine(withoutSecrets(b.Text)), 2*maxQuoted))
			break
		}
	}
	return out.String()
}

// earlier returns what the previous Summary says beyond these lines. From one made without a
// model it leaves out open questions and the last answer, which are outdated.
func earlier(previous *transcript.Block, lines []string) string {
	if previous == nil {
		return ""
	}
	if !strings.HasPrefix(previous.Text, withoutModel) {
		return shortText(previous.Text, maxEarlier)
	}
	var kept []string
	for line := range strings.SplitSeq(previous.Text, "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(line, beforeThat))
		over := slices.ContainsFunc([]string{withoutModel, askedBy, stillOpen, notAnswered, askedOfUser, lastAnswer}, func(s string) bool { return strings.HasPrefix(line, s) })
		if line != "" && !over && !slices.Contains(lines, line) {
			kept = append(kept, line)
		}
	}
	return fitLines(kept, maxEarlier)
}

// fitLines fits lines into so many characters: the more there are, the less of each remains;
// finally the oldest go, except the first, which says what everything is about.
func fitLines(lines []string, limit int) string {
	length := func() (n int) {
		for _, line := range lines {
			n += utf8.RuneCountInString(line) + 1
		}
		return n
	}
	share := max(limit/max(len(lines), 1), shortestLine)
	for i, line := range lines {
		if runes := []rune(line); len(runes) >= share && length() > limit {
			lines[i] = strings.TrimSpace(string(runes[:share-2])) + "…"
		}
	}
	for len(lines) > 2 && length() > limit {
		lines = slices.Delete(lines, 1, 2)
	}
	return strings.Join(lines, "\n")
}

// openRequests returns the user's last requests without an answer, and what the last answer
// asks or promises.
func openRequests(messages []transcript.Block) []string {
	var open []string
	for i, b := range messages {
		answered := b.Kind != transcript.KindUser || i+1 < len(messages) && messages[i+1].Kind == transcript.KindAssistant
		if !answered {
			open = append(open, notAnswered+shortText(transcript.OneLine(withoutSecrets(b.Text)), maxQuoted))
		}
	}
	if n := len(messages); n > 0 && messages[n-1].Kind == transcript.KindAssistant {
		for line := range strings.SplitSeq(withoutSecrets(messages[n-1].Text), "\n") {
			if line = transcript.OneLine(line); strings.HasSuffix(line, "?") {
				open = append(open, askedOfUser+shortText(line, maxQuoted))
			}
		}
	}
	return open[max(len(open)-6, 0):]
}

func withoutSecrets(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if mayHoldSecret(line) {
			line = "[a line that may hold a secret is left out]"
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// shortText cuts text to so many characters.
func shortText(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)
	return fmt.Sprintf("%s… (%d more characters)", strings.TrimSpace(string(runes[:limit])), len(runes)-limit)
}

// attrRebuilt marks a Summary that forgetting made from what was left, without a model. A
// model makes it again when one is available: the new one is appended in its place, and no
// lessons are learned again.
const attrRebuilt = "rebuilt" // "yes"

// IsRebuilt reports whether forgetting made the Summary.
func IsRebuilt(b transcript.Block) bool { return b.Attrs[attrRebuilt] != "" }

// Rebuilt returns a Summary as forgetting makes it: from text that is left, without a model.
func Rebuilt(b transcript.Block, text string) transcript.Block {
	b.Text, b.By = text, PlainBy
	b.Attrs = maps.Clone(b.Attrs)
	delete(b.Attrs, transcript.AttrAgain)
	delete(b.Attrs, attrRebuilt)
	if text != forgotten.Text {
		if b.Attrs == nil {
			b.Attrs = map[string]string{}
		}
		b.Attrs[attrRebuilt] = "yes"
	}
	return b
}

// PlainBy is the By of a Summary that no model wrote.
const PlainBy = "mac-stats"
