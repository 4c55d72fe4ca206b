package realollama

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// vocabulary is the tokens of a model and which follows which.
//
// It starts with the 256 byte tokens, so that any prompt can be read (a byte is a
// token: prompts count as many tokens as bytes). Each answer is a chain that starts
// at its control token and ends at the end token; every place in every chain has a
// token of its own, so that what comes next depends on the token alone.
type vocabulary struct {
	tokens  []string // text in the byte-level encoding, control tokens plain
	control []bool
	next    []int // the token that always follows
	known   map[string]bool
	end     int
}

// endToken ends every answer.
const endToken = "<|end|>"

// controlToken starts the answer of that name.
func controlToken(answer string) string { return "<|" + answer + "|>" }

// errAnswer: an answer that these models can't give.
var errAnswer = errors.New("an answer that can't be given")

// answerName is what a control token may hold.
var answerName = regexp.MustCompile(`^[a-z0-9_-]+$`)

// newVocabulary builds the chains of the answers; those in endless begin again
// where they would end.
func newVocabulary(answers map[string]string, endless []string) (*vocabulary, error) {
	v := &vocabulary{known: map[string]bool{}}
	for b := range 256 {
		v.add(encodeByte(byte(b)), false)
	}
	v.end = v.add(endToken, true)
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		if err := v.addAnswer(name, answers[name], slices.Contains(endless, name)); err != nil {
			return nil, err
		}
	}
	for i, n := range v.next {
		if n < 0 {
			v.next[i] = v.end
		}
	}
	return v, nil
}

func (v *vocabulary) addAnswer(name, text string, endless bool) error {
	if !answerName.MatchString(name) || v.known[controlToken(name)] {
		return fmt.Errorf("%w: the name %q (wanted: lower-case letters, digits, - and _, and not %q)", errAnswer, name, "end")
	}
	pieces, err := v.split(text)
	if err != nil {
		return fmt.Errorf("answer %q: %w", name, err)
	}
	last := v.add(controlToken(name), true)
	first := len(v.tokens)
	for _, piece := range pieces {
		token := v.add(encode(piece), false)
		v.next[last] = token
		last = token
	}
	if endless {
		v.next[last] = first
	}
	return nil
}

// add appends a token that nothing follows yet.
func (v *vocabulary) add(token string, control bool) int {
	v.tokens = append(v.tokens, token)
	v.control = append(v.control, control)
	v.next = append(v.next, -1)
	v.known[token] = true
	return len(v.tokens) - 1
}

// word is one word with the white space before it; the last takes what follows.
var word = regexp.MustCompile(`\s*\S+(\s+$)?`)

// split cuts text into pieces that are new to the vocabulary and differ from each
// other: words, joined until the piece is new.
func (v *vocabulary) split(text string) ([]string, error) {
	var pieces []string
	isNew := func(piece string) bool {
		return !v.known[encode(piece)] && !slices.Contains(pieces, piece)
	}
	current := ""
	for _, w := range word.FindAllString(text, -1) {
		current += w
		if isNew(current) {
			pieces, current = append(pieces, current), ""
		}
	}
	for current != "" && len(pieces) > 0 {
		last := len(pieces) - 1
		current = pieces[last] + current
		pieces = pieces[:last]
		if isNew(current) {
			pieces, current = append(pieces, current), ""
		}
	}
	if strings.Join(pieces, "") != text || text == "" {
		return nil, fmt.Errorf("%w: %q has no piece of its own (another answer is the same, or it is too short)", errAnswer, text)
	}
	return pieces, nil
}

// encode writes text in the byte-level encoding of GPT-2's tokenizer: printable
// bytes stand for themselves, the others for code points from U+0100 on.
func encode(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteString(encodeByte(text[i]))
	}
	return b.String()
}

func encodeByte(b byte) string {
	if printable(b) {
		return string(rune(b))
	}
	above := 0
	for other := range int(b) {
		if !printable(byte(other)) {
			above++
		}
	}
	return string(rune(0x100 + above))
}

// printable: ! to ~, ¡ to ¬, ® to ÿ, as GPT-2's bytes_to_unicode has it.
func printable(b byte) bool {
	return b >= 0x21 && b <= 0x7e || b >= 0xa1 && b <= 0xac || b >= 0xae
}
