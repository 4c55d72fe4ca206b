package realollama

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// vocabulary holds a model's tokens and the order in which they follow each other.
//
// It starts with the 256 byte tokens, so that the model can read any prompt, one token
// per byte. Each answer is a chain from its control token to the end token. Every
// position in every chain has its own token, so that the next token depends only on the
// current one.
type vocabulary struct {
	tokens  []string // in the byte-level encoding; control tokens plain
	control []bool
	next    []int // the token that always follows
	known   map[string]bool
	end     int
}

// endToken ends every answer.
const endToken = "<|end|>"

// controlToken returns the token that starts the answer of that name.
func controlToken(answer string) string { return "<|" + answer + "|>" }

// errAnswer reports an answer that these models can't give.
var errAnswer = errors.New("an answer that can't be given")

// answerName matches the names that a control token can hold.
var answerName = regexp.MustCompile(`^[a-z0-9_-]+$`)

// newVocabulary builds the chains of the answers. Those in endless start over at their
// end.
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

// add appends a token without a successor.
func (v *vocabulary) add(token string, control bool) int {
	v.tokens = append(v.tokens, token)
	v.control = append(v.control, control)
	v.next = append(v.next, -1)
	v.known[token] = true
	return len(v.tokens) - 1
}

// word matches a word with the white space before it; the last word also takes the white
// space after it.
var word = regexp.MustCompile(`\s*\S+(\s+$)?`)

// split splits text into pieces that are new to the vocabulary and differ from each
// other. It joins words until a piece is new.
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

// encode returns text in the byte-level encoding of GPT-2's tokeniser: printable bytes
// stand for themselves, the others for code points from U+0100 on.
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

// printable reports whether b is in ! to ~, ¡ to ¬ or ® to ÿ, as GPT-2's
// bytes_to_unicode defines it.
func printable(b byte) bool {
	return b >= 0x21 && b <= 0x7e || b >= 0xa1 && b <= 0xac || b >= 0xae
}
