package summary

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/transcript"
)

// A Summary replaces what was said, so it is checked: a small model's may be about anything.
// The figures are tuned on 36 good Summaries written by hand, all of which pass, and 196 bad
// ones: about another part of the same chat, about another chat, or about one or two of four
// messages.
const (
	leastCovered = 2.0 / 3 // of what the user said
	coveredShare = 0.25    // share of a message's words that must be in the Summary to cover the message,
	coveredLeast = 3       // but at least this many
	coveredMost  = 8       // and at most
	leastWords   = 4       // words of a message with content
	fewWords     = 8       // a message with this many stands alone; shorter ones are taken together
	ownWords     = 0.5     // share of the messages that may hold a word that distinguishes one of them
	leastSaid    = 0.6     // share of the Summary's words that somebody said
	earlierWords = 0.15    // share of the words of the previous Summary
	mostMissing  = 6       // missing passages that are reported
)

// MissingFrom compares a Summary with what it replaces: the previous Summary and the messages.
// missing holds what the user said that the Summary lacks, if that is too much; madeUp reports
// that nobody said most of its words. If both are empty, the Summary may replace them. If
// the user said next to nothing, there is nothing to lose.
func MissingFrom(summary string, previous *transcript.Block, messages []transcript.Block) (missing []string, madeUp bool) {
	said, own := distinctWords(transcript.WithoutAttachments(joinTexts(previous, messages))), distinctWords(summary)
	asked := requestsOf(messages)
	if len(asked) == 0 {
		return nil, false
	}
	madeUp = len(own) == 0 || float64(countMatches(own, said)) < leastSaid*float64(len(own))
	covered := 0
	for _, a := range asked {
		if a.coveredBy(own) {
			covered++
			continue
		}
		missing = append(missing, a.quote(maxQuoted/2))
	}
	if float64(covered) >= leastCovered*float64(len(asked)) {
		missing = nil
	}
	if previous != nil {
		before, _, _ := strings.Cut(previous.Text, exactly) // those are appended to every Summary
		if words := distinctWords(before); float64(countMatches(words, own)) < earlierWords*float64(len(words)) {
			missing = append(missing, "what the summary of before says")
		}
	}
	return missing[:min(len(missing), mostMissing)], madeUp
}

// request is what the user said in one message, or in several short ones.
type request struct {
	text     string
	words    map[string]bool
	accepted map[string]bool // words of the previous answer that the next answer continues with: "yes, let's do that"
	from     string          // the previous answer
}

// requestsOf returns what the user said. Words that most messages contain are left out if others
// remain: they belong to the whole chat and distinguish none of its parts.
func requestsOf(messages []transcript.Block) []request {
	var list []request
	little := request{words: map[string]bool{}}
	for i, b := range messages {
		if b.Kind != transcript.KindUser {
			continue
		}
		a := newRequest(messages, i)
		if len(a.words) < leastWords && len(a.accepted) < leastWords {
			little.text = strings.TrimSpace(little.text + " " + a.text)
			maps.Copy(little.words, a.words)
			if a = little; len(a.words) < fewWords {
				continue
			}
			little = request{words: map[string]bool{}}
		}
		if !slices.ContainsFunc(list, func(other request) bool { return other.text == a.text && len(a.accepted) == 0 }) { // sent again
			list = append(list, a)
		}
	}
	hold := map[string]int{}
	for _, a := range list {
		for w := range a.words {
			hold[w]++
		}
	}
	for _, a := range list {
		own := maps.Clone(a.words)
		maps.DeleteFunc(own, func(w string, _ bool) bool { return hold[w] > max(1, int(ownWords*float64(len(list)))) })
		if len(own) >= leastWords {
			maps.DeleteFunc(a.words, func(w string, _ bool) bool { return !own[w] })
		}
	}
	return list
}

// newRequest reads one message of the user. If the message has little text of its own, what it
// agrees to or chooses is what the answers before and after it share.
func newRequest(messages []transcript.Block, at int) request {
	a := request{text: transcript.WithoutAttachments(messages[at].Text)}
	a.words = distinctWords(a.text)
	if len(a.words) >= fewWords || at == 0 || at+1 >= len(messages) ||
		messages[at-1].Kind != transcript.KindAssistant || messages[at+1].Kind != transcript.KindAssistant {
		return a
	}
	behind := distinctWords(messages[at+1].Text)
	a.from, a.accepted = messages[at-1].Text, distinctWords(messages[at-1].Text)
	maps.DeleteFunc(a.accepted, func(w string, _ bool) bool { return !behind[w] || a.words[w] })
	return a
}

// coveredBy reports whether a text with these words covers the message.
func (a *request) coveredBy(words map[string]bool) bool {
	if len(a.accepted) >= leastWords && countMatches(a.accepted, words) >= coveredLeast {
		return true
	}
	need := min(max(coveredShare*float64(len(a.words)), coveredLeast), coveredMost)
	return len(a.words) >= leastWords && float64(countMatches(a.words, words)) >= need
}

// quote returns the most informative part of the message, and the sentence of the answer that it refers to.
func (a *request) quote(limit int) string {
	text := bestSentences(a.text, limit)
	if len(a.accepted) < leastWords {
		return text
	}
	most, best := 0, ""
	for _, s := range transcript.Sentences(withoutSecrets(a.from)) {
		if n := countMatches(a.accepted, distinctWords(s)); n > most {
			most, best = n, s
		}
	}
	return text + " (of the answer: " + shortText(best, limit) + ")"
}

func joinTexts(previous *transcript.Block, messages []transcript.Block) string {
	var all strings.Builder
	if previous != nil {
		all.WriteString(previous.Text + "\n")
	}
	for _, b := range messages {
		all.WriteString(b.Text + "\n")
	}
	return all.String()
}

// distinctWords returns the words of a text by which it can be recognised, each once.
func distinctWords(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range spokenWords(text) {
		runes := utf8.RuneCountInString(w)
		if runes > 2 || strings.ContainsFunc(w, isUnspaced) && runes > 1 || strings.ContainsFunc(w, unicode.IsDigit) {
			words[w] = true
		}
	}
	return words
}

// countMatches counts the words of one text that another contains in some form.
func countMatches(words, in map[string]bool) int {
	n := 0
	var alike map[string][]string // words by their first letters
	for w := range words {
		if in[w] {
			n++
			continue
		}
		if alike == nil {
			alike = make(map[string][]string, len(in))
			for other := range in {
				alike[beginning(other)] = append(alike[beginning(other)], other)
			}
		}
		if slices.ContainsFunc(alike[beginning(w)], func(other string) bool { return sameStem(w, other) }) {
			n++
		}
	}
	return n
}

// beginning returns what the forms of a word share at least.
func beginning(word string) string {
	n := 0
	for i := range word {
		if n == leastStem {
			return word[:i]
		}
		n++
	}
	return word
}

// bestSentences returns the most informative part of a message in its own words and order:
// the sentences with identifiers and with most content words, within the limit in characters.
func bestSentences(text string, limit int) string {
	list := transcript.Sentences(withoutSecrets(transcript.WithoutAttachments(text)))
	order := make([]int, len(list))
	weight := make([]int, len(list))
	known := map[string][]string{}
	for i, s := range list {
		order[i] = i
		weight[i] = len(distinctWords(s))
		for range identifiersOf(s, known) {
			weight[i] += 3
		}
		if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || i == 0 {
			weight[i] += 2
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return weight[b] - weight[a] })
	left := limit
	var kept []int
	for _, i := range order {
		n := utf8.RuneCountInString(list[i]) + 1
		if n > left && len(kept) > 0 {
			continue
		}
		kept = append(kept, i)
		left -= n
	}
	slices.Sort(kept)
	parts := make([]string, 0, len(kept))
	for k, i := range kept {
		if k > 0 && kept[k-1] != i-1 {
			parts = append(parts, "…")
		}
		parts = append(parts, list[i])
	}
	return shortText(strings.Join(parts, " "), limit)
}
