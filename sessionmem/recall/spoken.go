package recall

import (
	"strings"

	"mac-stats/sessionmem/transcript"
)

// Where several people speak, their names stand before their words, and questions name
// them: "what does Anna plan". In the vector of a text of several sentences a name is
// hardly there. So that is made of its sentences' too, each with the name of who says it.

const (
	// bySentence is how long a text may be for that, in bytes: what people say to each
	// other is short, and all of it is embedded twice.
	bySentence = 400
	// sentenceLeast is how long a sentence must be to stand alone, in bytes.
	sentenceLeast = 30
	// sentencesShare is how much the sentences count beside the whole; measured.
	sentencesShare = .7
	// nameMost is how long a name may be, in bytes.
	nameMost = 32
)

// embedded gives what is embedded of a text: all of it, and its sentences where it has
// several and begins with the name of who says it.
func embedded(text string) []string {
	whole := []string{text}
	name := speaker(text)
	if name == "" || len(text) > bySentence {
		return whole
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if next := speaker(line); next != "" {
			name, line = next, line[len(next):]
		}
		for i, s := range transcript.Sentences(line) {
			if last := len(out) - 1; i > 0 && len(out[last]) < sentenceLeast+len(name) {
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

// speaker is what stands before what somebody says, as "Anna: "; "" where nothing does.
func speaker(text string) string {
	name, _, ok := strings.Cut(text, ": ")
	if !ok || name == "" || len(name) > nameMost || strings.ContainsAny(name, ".,;:!?*#`-(\"\n") {
		return ""
	}
	return name + ": "
}

// together makes one vector of those of a text and its sentences.
func together(all [][]float32) []float32 {
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
