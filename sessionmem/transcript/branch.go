package transcript

import (
	"slices"
	"strings"
)

// Branch returns the blocks of the conversation's current branch: without the blocks that a
// rewind removed or their author deleted, with the new text of edited blocks, and without the
// notes about all that. Unlike a Context it holds all kinds of blocks and reaches back
// beyond resets.
func (t *Transcript) Branch() []Block {
	at := t.paths().on
	out := make([]Block, len(at))
	for i, n := range at {
		out[i] = t.Blocks[n]
	}
	return corrected(out, t.Blocks) // a rewind doesn't undo corrections
}

// Versions returns, for each message of the branch that replaced others (an edited message of
// the user, or a repeated answer), the IDs of all its versions in the order they were
// written. A version is named by its first message that wasn't deleted.
func (t *Transcript) Versions() map[string][]string {
	p := t.paths()
	if len(p.left) == 0 {
		return nil
	}
	type place struct {
		behind int // the message before it
		kind   Kind
	}
	last := corrections(t.Blocks)
	first := func(path []int) int { // the first message; the work done for an answer comes before it
		i := slices.IndexFunc(path, func(n int) bool { return t.Blocks[n].IsMessage() && last[t.Blocks[n].ID].Note != NoteDeleted })
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

// paths holds the current branch of a conversation and those it left, as indexes of Blocks.
type paths struct {
	on   []int
	left []leftPath
}

// leftPath is the end of an abandoned branch. It follows a block, and a message; -1 for none.
type leftPath struct {
	path         []int
	behind, said int
}

// paths follows the Notes that start branches and return to them.
func (t *Transcript) paths() paths {
	var p paths
	barrier := 0 // a rewind doesn't cross a reset
	for n, b := range t.Blocks {
		switch {
		case !b.IsBranching():
			p.on = append(p.on, n)
			if b.Kind == KindNote && b.Note == NoteEnded {
				barrier, p.left = len(p.on), nil
			}
		case b.Note == NoteVersion:
			p.returnTo(t.Blocks, strings.TrimSpace(b.Text))
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

// cut leaves the branch at its i-th block.
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

// returnTo returns to the branch that holds a block.
func (p *paths) returnTo(blocks []Block, id string) {
	for _, l := range p.left {
		if i := slices.IndexFunc(l.path, func(n int) bool { return blocks[n].ID == id && blocks[n].Kind != KindNote }); i >= 0 {
			p.restore(blocks, l.path[i])
			return
		}
	}
}

// restore is returnTo for an index of Blocks, which may be a Note's.
func (p *paths) restore(blocks []Block, block int) {
	at := slices.IndexFunc(p.left, func(l leftPath) bool { return slices.Contains(l.path, block) })
	if at < 0 {
		return
	}
	l := p.left[at]
	p.left = slices.Delete(p.left, at, at+1)
	from := 0
	if l.behind >= 0 {
		if !slices.Contains(p.on, l.behind) {
			p.restore(blocks, l.behind) // it branches off another abandoned branch
		}
		from = 1 + slices.Index(p.on, l.behind)
	}
	p.cut(blocks, from)
	p.on = append(p.on, l.path...)
}

// withoutWork returns where the thoughts, sub-calls and tools at the end of a path begin: they
// leave together with the answer they were for.
func withoutWork(blocks []Block, path []int) int {
	work := func(b Block) bool {
		return b.Kind == KindAgent || b.Kind == KindTool || b.Kind == KindNote && b.Note == NoteThinking
	}
	for len(path) > 0 && work(blocks[path[len(path)-1]]) {
		path = path[:len(path)-1]
	}
	return len(path)
}

// RewindTarget returns the block ID that a Note rewind names.
func RewindTarget(b Block) string {
	if id := strings.TrimSpace(b.Text); id != "" {
		return id
	}
	return b.Parent
}
