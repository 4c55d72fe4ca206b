package transcript

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"
)

// A Summary tells the messages that stood before it, in words of a model. Once a person
// deletes one of these from the file, or changes its words, nobody knows which of its
// sentences are of that message: the Summary leaves the context, and the messages that are
// left stand for themselves until they are summarised again. So a Summary notes what it
// was told.

// AttrTold is on a Summary what it was told: a telling.
const AttrTold = "told"

// Telling is the first messages since a reset, on whatever branch: how many, and sums
// of their ids and of what they say.
type Telling struct {
	Messages   int
	ids, texts uint32
}

func (t Telling) String() string { return fmt.Sprintf("%d-%08x-%08x", t.Messages, t.ids, t.texts) }

// idsAlone is how an older program noted it.
func (t Telling) idsAlone() string { return fmt.Sprintf("%d-%08x", t.Messages, t.ids) }

// Add gives what it is with one more message, of which these are the id and the Words.
func (t Telling) Add(id string, words uint32) Telling {
	sum := sumWords(id)
	t.Messages, t.ids = t.Messages+1, t.ids+sum
	t.texts += (sum ^ words) * fnvPrime
	return t
}

// Words is a sum of what a block says, white space aside.
func (b Block) Words() uint32 {
	text := strings.TrimSpace(b.Text)
	return sumWords(text[:min(len(text), maxSummed)])
}

// Words is that of the block, without decoding it where its text stands there as it is.
func (b RawBlock) Words() uint32 {
	body := b.Raw[b.BodyStart:]
	if bytes.IndexByte(body, '\\') >= 0 || !utf8.Valid(body) {
		return Block{Text: b.text()}.Words()
	}
	body = bytes.TrimSpace(body)
	return sumWords(body[:min(len(body), maxSummed)])
}

// maxSummed is how much of a text is summed, in bytes: what a Reader gives of a very long
// message is enough.
const maxSummed = 1 << 20

// FNV-1a, 32 bits.
const (
	fnvBasis = 2166136261
	fnvPrime = 16777619
)

// sumWords is a sum of the words of a text. White space makes no difference: an editor
// may end lines in another way, take blanks away from their ends, or fill paragraphs
// anew. It reads bytes: each message is summed whenever its session is read.
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

// Sayings are the messages since a reset in the order of the file: for each what there is
// up to it.
type Sayings []Telling

// Add follows one more message.
func (s *Sayings) Add(id string, words uint32) { *s = append(*s, s.First(len(*s)).Add(id, words)) }

// First is the first messages, at most so many.
func (s Sayings) First(messages int) Telling {
	if n := min(messages, len(s)); n > 0 {
		return s[n-1]
	}
	return Telling{}
}

// Hold reports whether all that a Summary was told, as it notes it, is still in the
// file, and says what it said. One that notes nothing, or ids alone, is an older program's.
func (s Sayings) Hold(summary Block) bool {
	var messages int
	noted := summary.Attrs[AttrTold]
	if _, err := fmt.Sscanf(noted, "%d-", &messages); err != nil {
		return true
	}
	now := s.First(messages)
	return noted == now.String() || noted == now.idsAlone()
}

// Follow follows a block of any kind as it stands in the file. It reports false for a
// Summary that doesn't hold.
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

// WithTold is the Summary with what it was told.
func (b Block) WithTold(t Telling) Block {
	b.Attrs = maps.Clone(b.Attrs)
	if b.Attrs == nil {
		b.Attrs = map[string]string{}
	}
	b.Attrs[AttrTold] = t.String()
	return b
}
