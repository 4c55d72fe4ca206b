package agents

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// repetition notices that a text goes round in circles: its end is one passage again and
// again, more often than the request explains. Local models get into such loops and never
// leave them. It compares bytes, so it takes time linear in the length of the text.
type repetition struct {
	asked   []string // the parts of the request that may be meant to be repeated
	most    int      // number of copies that it explains
	tail    []byte   // the end of the text
	unread  int      // bytes since the last look
	through bool     // one of them is the passage
}

const (
	repeatedBytes = 4096      // bytes of copies that nobody stops
	longestTail   = 256 << 10 // bytes of the text that are kept
	lookEvery     = 2048      // bytes
	sampleBytes   = 64        // of the end, which is looked for before it
	leastCopies   = 3
	leastPart     = 8 // bytes of such a part
)

var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d{1,4}`) })

// newRepetition returns a repetition for the answer to a request. A request for 60 equal
// lines explains 60 copies.
func newRepetition(asked string) *repetition {
	r := &repetition{most: leastCopies}
	for part := range strings.FieldsFuncSeq(strings.ToLower(asked), func(c rune) bool { return strings.ContainsRune("\n\"“”„«»'‘’:", c) }) {
		r.asked = append(r.asked, strings.TrimSpace(part))
	}
	for _, n := range numbers().FindAllString(asked[:min(len(asked), repeatedBytes)], -1) {
		count, _ := strconv.Atoi(n) // at most four digits
		r.most = max(r.most, count)
	}
	return r
}

// write reads the next piece and reports whether the text goes round in circles.
func (r *repetition) write(piece string) bool {
	r.tail = append(r.tail, piece...)
	if over := len(r.tail) - 2*longestTail; over > 0 {
		r.tail = append(r.tail[:0], r.tail[len(r.tail)-longestTail:]...)
	}
	if r.unread += len(piece); r.unread < lookEvery || r.through || len(r.tail) < repeatedBytes {
		return false
	}
	r.unread = 0
	end := len(r.tail) - sampleBytes
	from := max(end-repeatedBytes/leastCopies, 0)
	at := strings.LastIndex(string(r.tail[from:len(r.tail)-1]), string(r.tail[end:]))
	if at < 0 {
		return false
	}
	period := end - from - at
	enough, same := max(repeatedBytes, 2*r.most*period), period
	for same < enough && same < len(r.tail) && r.tail[len(r.tail)-1-same] == r.tail[len(r.tail)-1-same+period] {
		same++
	}
	if same < enough {
		return false
	}
	twice := strings.ToLower(string(r.tail[len(r.tail)-2*period:]))
	r.through = slices.ContainsFunc(r.asked, func(part string) bool {
		return len(part) >= max(leastPart, period/2) && strings.Contains(twice, part)
	})
	return !r.through
}
