package transcript

import (
	"slices"
	"strings"
)

// Branch gives the blocks of the branch that the conversation is on: without
// those that a rewind took out of it or their author deleted, with the text of those
// that were edited, and without the notes of all that. Unlike
// a Context it holds all kinds of blocks and goes back beyond resets.
func (t *Transcript) Branch() []Block {
	at := t.paths().on
	out := make([]Block, len(at))
	for i, n := range at {
		out[i] = t.Blocks[n]
	}
	return corrected(out, t.Blocks) // a rewind takes no correction back
}

// Versions gives, for each message of the branch that stands where others stood before
// (of the user's, edited, or an answer, repeated), the ids of all of these, in the order
// they were written. A version is named by its first message.
func (t *Transcript) Versions() map[string][]string {
	p := t.paths()
	if len(p.left) == 0 {
		return nil
	}
	type place struct {
		behind int // the message it stands behind
		kind   Kind
	}
	first := func(path []int) int { // the first message; what was done for an answer stands before it
		i := slices.IndexFunc(path, func(n int) bool { return t.Blocks[n].IsMessage() })
		if i < 0 {
			return -1
		}
		return path[i]
	}
	all := map[place][]int{}
	for _, l := range p.left {
		if n := first(l.path); n >= 0 {
			at := place{l.said, t.Blocks[n].Kind}
			all[at] = append(all[at], n)
		}
	}
	out := map[string][]string{}
	behind := -1
	for _, n := range p.on {
		if !t.Blocks[n].IsMessage() {
			continue
		}
		if left := all[place{behind, t.Blocks[n].Kind}]; left != nil {
			versions := append(slices.Clone(left), n)
			slices.Sort(versions)
			for _, v := range versions {
				out[t.Blocks[n].ID] = append(out[t.Blocks[n].ID], t.Blocks[v].ID)
			}
		}
		behind = n
	}
	return out
}

// paths is the branch that a conversation is on, and those it left, as places in its
// Blocks.
type paths struct {
	on   []int
	left []leftPath
}

// leftPath is the end of a branch that was left. It stands behind a block, and behind a
// message; -1 for none.
type leftPath struct {
	path         []int
	behind, said int
}

// paths follows the Notes that begin branches and go back to them.
func (t *Transcript) paths() paths {
	var p paths
	barrier := 0 // a rewind does not cross a reset
	for n, b := range t.Blocks {
		switch {
		case !b.IsBranching():
			p.on = append(p.on, n)
			if b.Kind == KindNote && b.Note == NoteEnded {
				barrier, p.left = len(p.on), nil
			}
		case b.Note == NoteVersion:
			p.goBack(t.Blocks, strings.TrimSpace(b.Text))
		default:
			for i := len(p.on) - 1; i >= barrier; i-- {
				if x := t.Blocks[p.on[i]]; x.ID == RewindTarget(b) && x.Kind != KindNote {
					p.cut(t.Blocks, withoutWork(t.Blocks, p.on[:i]))
					break
				}
			}
		}
	}
	return p
}

// cut leaves the branch from its i-th block on.
func (p *paths) cut(blocks []Block, i int) {
	if i == len(p.on) {
		return
	}
	l := leftPath{slices.Clone(p.on[i:]), -1, -1}
	for _, n := range slices.Backward(p.on[:i]) {
		l.behind = max(l.behind, n)
		if blocks[n].IsMessage() {
			l.said = n
			break
		}
	}
	p.left, p.on = append(p.left, l), p.on[:i]
}

// goBack takes up the branch again that a block is on.
func (p *paths) goBack(blocks []Block, id string) {
	for _, l := range p.left {
		if i := slices.IndexFunc(l.path, func(n int) bool { return blocks[n].ID == id && blocks[n].Kind != KindNote }); i >= 0 {
			p.takeUp(blocks, l.path[i])
			return
		}
	}
}

// takeUp is goBack for a place in the Blocks, which may be a Note's.
func (p *paths) takeUp(blocks []Block, block int) {
	at := slices.IndexFunc(p.left, func(l leftPath) bool { return slices.Contains(l.path, block) })
	if at < 0 {
		return
	}
	l := p.left[at]
	p.left = slices.Delete(p.left, at, at+1)
	from := 0
	if l.behind >= 0 {
		if !slices.Contains(p.on, l.behind) {
			p.takeUp(blocks, l.behind) // it branches off another one that was left
		}
		from = 1 + slices.Index(p.on, l.behind)
	}
	p.cut(blocks, from)
	p.on = append(p.on, l.path...)
}

// withoutWork is where the thoughts, sub-calls and tools at the end of a path begin: they go
// along with the answer they were for.
func withoutWork(blocks []Block, path []int) int {
	work := func(b Block) bool {
		return b.Kind == KindAgent || b.Kind == KindTool || b.Kind == KindNote && b.Note == NoteThinking
	}
	for len(path) > 0 && work(blocks[path[len(path)-1]]) {
		path = path[:len(path)-1]
	}
	return len(path)
}

// RewindTarget is the block id that a Note rewind names.
func RewindTarget(b Block) string {
	if id := strings.TrimSpace(b.Text); id != "" {
		return id
	}
	return b.Parent
}
