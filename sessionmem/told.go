package sessionmem

import (
	"fmt"
	"hash/fnv"
	"maps"
)

// A Summary tells the messages that stood before it, in words of a model. Once a person
// deletes one of these from the file, nobody knows which of its sentences are of that
// message: the Summary leaves the context, and the messages that are left stand for
// themselves until they are summarised again. So a Summary notes what it was told.

// attrTold is on a Summary what it was told: a telling.
const attrTold = "told"

// telling is the first messages since a reset, on whatever branch: how many, and a sum
// of their ids.
type telling struct {
	messages int
	sum      uint32
}

func (t telling) String() string { return fmt.Sprintf("%d-%08x", t.messages, t.sum) }

// add gives what it is with one more message.
func (t telling) add(id string) telling {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return telling{t.messages + 1, t.sum + h.Sum32()}
}

// sayings are the messages since a reset in the order of the file: for each the sum of
// the ids up to it.
type sayings []uint32

// add follows one more message.
func (s *sayings) add(id string) {
	*s = append(*s, s.first(len(*s)).add(id).sum)
}

// first is the first messages, at most so many.
func (s sayings) first(messages int) telling {
	n := min(messages, len(s))
	if n == 0 {
		return telling{}
	}
	return telling{n, s[n-1]}
}

// hold reports whether all that a Summary was told, as it notes it, is still in the
// file. One that notes nothing is an older program's.
func (s sayings) hold(summary Block) bool {
	var messages int
	noted := summary.Attrs[attrTold]
	if _, err := fmt.Sscanf(noted, "%d-", &messages); err != nil {
		return true
	}
	return s.first(messages).String() == noted
}

// told is the messages in front of a block of the branch, given by its place in it.
func (f *fold) told(x *index, end int) telling {
	after := 0 // messages of the branch: behind its end no branch was left
	if end < len(f.active) {
		after = f.between(x, end, len(f.active))
	}
	return f.said.first(len(f.said) - after)
}

// withTold is the Summary with what it was told.
func (b Block) withTold(t telling) Block {
	b.Attrs = maps.Clone(b.Attrs)
	if b.Attrs == nil {
		b.Attrs = map[string]string{}
	}
	b.Attrs[attrTold] = t.String()
	return b
}
