package transcript

import (
	"fmt"
	"hash/fnv"
	"maps"
)

// A Summary tells the messages that stood before it, in words of a model. Once a person
// deletes one of these from the file, nobody knows which of its sentences are of that
// message: the Summary leaves the context, and the messages that are left stand for
// themselves until they are summarised again. So a Summary notes what it was told.

// AttrTold is on a Summary what it was told: a telling.
const AttrTold = "told"

// Telling is the first messages since a reset, on whatever branch: how many, and a sum
// of their ids.
type Telling struct {
	Messages int
	sum      uint32
}

func (t Telling) String() string { return fmt.Sprintf("%d-%08x", t.Messages, t.sum) }

// Add gives what it is with one more message.
func (t Telling) Add(id string) Telling {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return Telling{t.Messages + 1, t.sum + h.Sum32()}
}

// Sayings are the messages since a reset in the order of the file: for each the sum of
// the ids up to it.
type Sayings []uint32

// Add follows one more message.
func (s *Sayings) Add(id string) {
	*s = append(*s, s.First(len(*s)).Add(id).sum)
}

// First is the first messages, at most so many.
func (s Sayings) First(messages int) Telling {
	n := min(messages, len(s))
	if n == 0 {
		return Telling{}
	}
	return Telling{n, s[n-1]}
}

// Hold reports whether all that a Summary was told, as it notes it, is still in the
// file. One that notes nothing is an older program's.
func (s Sayings) Hold(summary Block) bool {
	var messages int
	noted := summary.Attrs[AttrTold]
	if _, err := fmt.Sscanf(noted, "%d-", &messages); err != nil {
		return true
	}
	return s.First(messages).String() == noted
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
