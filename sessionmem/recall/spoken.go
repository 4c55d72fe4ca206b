package recall

import (
	"strings"

	"mac-stats/sessionmem/transcript"
)

// Where several people speak, a message begins with the speaker's name, and questions use
// it: "what does Anna plan". The vector of a text of several sentences hardly reflects the
// name. So each sentence, with the speaker's name before it, goes into the vector too.

const (
	// maxSpoken is the longest text for that, in bytes: chat messages are short, and
	// everything is embedded twice.
	maxSpoken = 400
	// minSentence is the shortest sentence that stands alone, in bytes.
	minSentence = 30
	// sentencesShare is the weight of the sentences beside the whole text; measured.
	sentencesShare = .7
	// maxName is the longest name, in bytes.
	maxName = 32
)

// embedTexts returns the texts to embed for a passage: the passage, and its sentences if it
// has several and begins with the name of its speaker.
func embedTexts(text string) []string {
	whole := []string{text}
	name := speaker(text)
	if name == "" || len(text) > maxSpoken {
		return whole
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if next := speaker(line); next != "" {
			name, line = next, line[len(next):]
		}
		for i, s := range transcript.Sentences(line) {
			if last := len(out) - 1; i > 0 && len(out[last]) < minSentence+len(name) {
				out[last] += " " + s
			} else {
				out = append(out, name+s)
			}
		}
	}
	if len(out) == 1 {
		return whole
	}
	return append(whole, out...)
}

// speaker returns the prefix that names the speaker, such as "Anna: "; "" if there is none.
func speaker(text string) string {
	name, _, ok := strings.Cut(text, ": ")
	if !ok || name == "" || len(name) > maxName || strings.ContainsAny(name, ".,;:!?*#`-(\"\n") {
		return ""
	}
	return name + ": "
}

// blend makes one vector of those of a text and its sentences.
func blend(all [][]float32) []float32 {
	whole := all[0]
	if len(all) == 1 {
		return whole
	}
	out := make([]float32, len(whole))
	for i := range out {
		out[i] = (1 - sentencesShare) * whole[i]
	}
	for _, v := range all[1:] {
		if len(v) != len(whole) {
			return v // of another model: it is refused
		}
		for i := range out {
			out[i] += sentencesShare / float32(len(all)-1) * v[i]
		}
	}
	return out
}
