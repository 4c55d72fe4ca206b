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

// AttrFingerprint holds, on a Summary, the Fingerprint it was made from.
const AttrFingerprint = "told"

// Fingerprint identifies the first messages since a reset, on any branch: their number, and check
// sums of their IDs and of their texts.
type Fingerprint struct {
	Messages       int
	idSum, textSum uint32
}

func (t Fingerprint) String() string {
	return fmt.Sprintf("%d-%08x-%08x", t.Messages, t.idSum, t.textSum)
}

// idsOnly returns the form that an older program wrote.
func (t Fingerprint) idsOnly() string { return fmt.Sprintf("%d-%08x", t.Messages, t.idSum) }

// Add returns the Fingerprint with one more message, given its ID and its Checksum.
func (t Fingerprint) Add(id string, words uint32) Fingerprint {
	sum := checksum(id)
	t.Messages, t.idSum = t.Messages+1, t.idSum+sum
	t.textSum += (sum ^ words) * fnvPrime
	return t
}

// Checksum returns a checksum of a block's text that ignores white space.
func (b Block) Checksum() uint32 {
	text := strings.TrimSpace(b.Text)
	return checksum(text[:min(len(text), maxChecked)])
}

// Checksum returns the checksum of the decoded block (Block.Checksum). It decodes the block
// only if its text is stored in another form.
func (b RawBlock) Checksum() uint32 {
	body := b.Raw[b.BodyStart:]
	if bytes.IndexByte(body, '\\') >= 0 || !utf8.Valid(body) {
		return Block{Text: b.text()}.Checksum()
	}
	body = bytes.TrimSpace(body)
	return checksum(body[:min(len(body), maxChecked)])
}

// maxChecked is how many bytes of a text count: what a Reader returns of a very long message
// is enough.
const maxChecked = 1 << 20

// FNV-1a, 32 bits.
const (
	fnvBasis = 2166136261
	fnvPrime = 16777619
)

// checksum returns a checksum of the words of a text. It ignores white space: an editor may
// use other line ends, trim lines or refill paragraphs. It reads bytes, and words in a short
// loop, because every message is summed whenever its session is read.
func checksum[T string | []byte](text T) uint32 {
	sum := uint32(fnvBasis)
	for i := 0; i < len(text); i++ {
		if c := text[i]; c > ' ' || !isBlank(c) {
			sum = (sum ^ uint32(c)) * fnvPrime
			continue
		}
		for i+1 < len(text) && isBlank(text[i+1]) {
			i++
		}
		if i+1 < len(text) {
			sum *= fnvPrime
		}
	}
	return sum
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// Fingerprints are the messages since a reset in the order of the file; each element holds the
// sums of all messages up to it.
type Fingerprints []sums

// sums are a Fingerprint's; there is one for each message of a session.
type sums struct{ ids, texts uint32 }

// Add adds one more message.
func (s *Fingerprints) Add(id string, words uint32) {
	f := s.First(len(*s)).Add(id, words)
	*s = append(*s, sums{f.idSum, f.textSum})
}

// First returns the Fingerprint of the first messages, at most so many.
func (s Fingerprints) First(messages int) Fingerprint {
	if n := min(messages, len(s)); n > 0 {
		return Fingerprint{n, s[n-1].ids, s[n-1].texts}
	}
	return Fingerprint{}
}

// Match reports whether everything a Summary was made from is still in the file, unchanged. A
// Summary that records nothing, or only IDs, was written by an older program.
func (s Fingerprints) Match(summary Block) bool {
	var messages int
	noted := summary.Attrs[AttrFingerprint]
	if _, err := fmt.Sscanf(noted, "%d-", &messages); err != nil {
		return true
	}
	now := s.First(messages)
	return noted == now.String() || noted == now.idsOnly()
}

// Follow adds a block of any kind as it is in the file. It reports false for a Summary that no
// longer holds.
func (s *Fingerprints) Follow(b Block) bool {
	switch {
	case b.Kind == KindNote && b.Note == NoteEnded:
		*s = nil
	case b.IsMessage():
		s.Add(b.ID, b.Checksum())
	case b.Kind == KindSummary:
		return s.Match(b)
	}
	return true
}

// WithFingerprint returns the Summary with what it was made from.
func (b Block) WithFingerprint(t Fingerprint) Block {
	b.Attrs = maps.Clone(b.Attrs)
	if b.Attrs == nil {
		b.Attrs = map[string]string{}
	}
	b.Attrs[AttrFingerprint] = t.String()
	return b
}
