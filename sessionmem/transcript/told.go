package transcript

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"
)

// A Summary retells the messages before it in a model's words. Once a person deletes one of
// those messages from the file, or changes its words, nobody knows which sentences of the
// Summary come from it. So the Summary then leaves the context, and the remaining messages
// stand for themselves until they are summarised again. For this, a Summary records which
// messages it was made from.

// AttrTold holds, on a Summary, the Telling it was made from.
const AttrTold = "told"

// Telling identifies the first messages since a reset, on any branch: their number, and check
// sums of their ids and of their texts.
type Telling struct {
	Messages   int
	ids, texts uint32
}

func (t Telling) String() string { return fmt.Sprintf("%d-%08x-%08x", t.Messages, t.ids, t.texts) }

// idsAlone returns the form that an older program wrote.
func (t Telling) idsAlone() string { return fmt.Sprintf("%d-%08x", t.Messages, t.ids) }

// Add returns the Telling with one more message, given its id and its Words.
func (t Telling) Add(id string, words uint32) Telling {
	sum := sumWords(id)
	t.Messages, t.ids = t.Messages+1, t.ids+sum
	t.texts += (sum ^ words) * fnvPrime
	return t
}

// Words returns a check sum of a block's text that ignores white space.
func (b Block) Words() uint32 {
	text := strings.TrimSpace(b.Text)
	return sumWords(text[:min(len(text), maxSummed)])
}

// Words returns the same check sum, without decoding the block if its text is stored as it is.
func (b RawBlock) Words() uint32 {
	body := b.Raw[b.BodyStart:]
	if bytes.IndexByte(body, '\\') >= 0 || !utf8.Valid(body) {
		return Block{Text: b.text()}.Words()
	}
	body = bytes.TrimSpace(body)
	return sumWords(body[:min(len(body), maxSummed)])
}

// maxSummed is how many bytes of a text count: what a Reader returns of a very long message
// is enough.
const maxSummed = 1 << 20

// FNV-1a, 32 bits.
const (
	fnvBasis = 2166136261
	fnvPrime = 16777619
)

// sumWords returns a check sum of the words of a text. It ignores white space: an editor may
// use other line ends, trim lines or refill paragraphs. It reads bytes because every message
// is summed whenever its session is read.
func sumWords[T string | []byte](text T) uint32 {
	sum, between := uint32(fnvBasis), false
	for i := range len(text) {
		switch c := text[i]; c {
		case ' ', '\n', '\t', '\r', '\v', '\f':
			between = true
		default:
			if between {
				sum, between = sum*fnvPrime, false
			}
			sum = (sum ^ uint32(c)) * fnvPrime
		}
	}
	return sum
}

// Sayings are the messages since a reset in the order of the file; each element identifies
// all messages up to it.
type Sayings []Telling

// Add adds one more message.
func (s *Sayings) Add(id string, words uint32) { *s = append(*s, s.First(len(*s)).Add(id, words)) }

// First returns the Telling of the first messages, at most so many.
func (s Sayings) First(messages int) Telling {
	if n := min(messages, len(s)); n > 0 {
		return s[n-1]
	}
	return Telling{}
}

// Hold reports whether everything a Summary was made from is still in the file, unchanged. A
// Summary that records nothing, or only ids, was written by an older program.
func (s Sayings) Hold(summary Block) bool {
	var messages int
	noted := summary.Attrs[AttrTold]
	if _, err := fmt.Sscanf(noted, "%d-", &messages); err != nil {
		return true
	}
	now := s.First(messages)
	return noted == now.String() || noted == now.idsAlone()
}

// Follow adds a block of any kind as it is in the file. It reports false for a Summary that no
// longer holds.
func (s *Sayings) Follow(b Block) bool {
	switch {
	case b.Kind == KindNote && b.Note == NoteEnded:
		*s = nil
	case b.IsMessage():
		s.Add(b.ID, b.Words())
	case b.Kind == KindSummary:
		return s.Hold(b)
	}
	return true
}

// WithTold returns the Summary with what it was made from.
func (b Block) WithTold(t Telling) Block {
	b.Attrs = maps.Clone(b.Attrs)
	if b.Attrs == nil {
		b.Attrs = map[string]string{}
	}
	b.Attrs[AttrTold] = t.String()
	return b
}
