package sessionmem

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/transcript"
)

// A Summary takes the place of what was said, so it has to earn it: a small model's may
// be about anything. The shares are set by hand between what the test's good and bad
// Summaries reach; they were not measured on models.
const (
	leastCovered = 0.5  // of the user's messages that say something
	leastSaid    = 0.5  // of its content words that somebody said
	coveredWords = 3    // content words of a message in it, or a third of them, cover it
	leastWords   = 4    // content words of a message that says something
	earlierWords = 0.15 // of the content words of the Summary before
	mostMissing  = 6    // of what is missing that is told
)

// MissingFrom compares a Summary with what it is to stand for: the Summary before and the
// messages. It gives the user's sentences that are missing where too many are; madeUp
// says that most of its words were said by nobody. Both empty: it may take their place.
// Where the user said next to nothing there is nothing to lose.
func MissingFrom(summary string, previous *transcript.Block, messages []transcript.Block) (missing []string, madeUp bool) {
	said, own := tellingWords(transcript.WithoutAttachments(joinTexts(previous, messages))), tellingWords(summary)
	if known := hits(own, said); float64(known) < leastSaid*float64(len(own)) || len(own) == 0 {
		madeUp = true
	}
	asked, covered := 0, 0
	for _, b := range messages {
		words := tellingWords(transcript.WithoutAttachments(b.Text))
		if b.Kind != transcript.KindUser || len(words) < leastWords {
			continue
		}
		asked++
		if n := hits(words, own); n >= coveredWords || 3*n >= len(words) {
			covered++
			continue
		}
		missing = append(missing, mostTelling(b.Text, maxQuoted/2))
	}
	if asked == 0 {
		return nil, false
	}
	if float64(covered) >= leastCovered*float64(asked) {
		missing = nil
	}
	if previous != nil {
		before, _, _ := strings.Cut(previous.Text, exactly) // those are added to every Summary
		if words := tellingWords(before); float64(hits(words, own)) < earlierWords*float64(len(words)) {
			missing = append(missing, "what the summary of before says")
		}
	}
	return missing[:min(len(missing), mostMissing)], madeUp
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

// tellingWords are the distinct words of a text by which it can be known again.
func tellingWords(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range spokenWords(text) {
		runes := utf8.RuneCountInString(w)
		if runes > 3 || strings.ContainsFunc(w, unspaced) && runes > 1 || strings.ContainsFunc(w, unicode.IsDigit) {
			words[w] = true
		}
	}
	return words
}

// hits counts the words of one text that stand in another.
func hits(words, in map[string]bool) int {
	n := 0
	for w := range words {
		if in[w] {
			n++
		}
	}
	return n
}

// mostTelling is what of a message says most, in its own words and order: the sentences with
// identifiers and with most words that carry meaning, within so many characters.
func mostTelling(text string, limit int) string {
	list := sentencesOf(withoutSecrets(transcript.WithoutAttachments(text)))
	order := make([]int, len(list))
	weight := make([]int, len(list))
	for i, s := range list {
		order[i] = i
		weight[i] = len(tellingWords(s)) + 3*len(findIdentifiers(s))
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

// sentencesOf parts a text into sentences and lines, each on one line.
func sentencesOf(text string) []string {
	var list []string
	for line := range strings.SplitSeq(text, "\n") {
		line = transcript.OneLine(line)
		for line != "" {
			end := len(line)
			for i, r := range line {
				after := line[i+utf8.RuneLen(r):]
				if strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?", r) && strings.HasPrefix(after, " ") {
					end = i + utf8.RuneLen(r)
					break
				}
			}
			list = append(list, strings.TrimSpace(line[:end]))
			line = strings.TrimSpace(line[end:])
		}
	}
	return list
}
