package agents

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mac-stats/agents/prompt"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/transcript"
)

// beginning is how the request of an answer began. A server reads a prompt again from the
// first difference to the one before, so a conversation keeps its beginning: the memory
// stands in the system prompt as it was, and what was added to it since is sent beside the
// message that came next, until the beginning changes anyway (a Summary, a cut, another
// model). What was removed or changed changes the beginning at once. The answer's block
// keeps marks of all this and no text, so that another process goes on with the same bytes,
// and nothing that was removed stays behind. Whoever gets the transcript alone can't test
// guesses by them, because their key stays in the memory's journal.
type beginning struct {
	hash  string                     // of what comes before the conversation's messages, without the memory
	marks map[string]memorytext.Mark // by the file's name: what is in the system prompt
	later map[string][]uint64        // by the file's name: the lines beside the answered message

	// Each process learns a calibration of its own, so a conversation goes on with the one by
	// which its parts were cut.
	factor  float64 // that one; 0 if unknown
	learned float64 // by the answer, for the next beginning
}

// The least and the greatest calibration that a conversation goes on with, beyond any model's.
const (
	minFactor = 1. / 8
	maxFactor = 8
)

// attrs adds the beginning to an answer's attributes.
func (b beginning) attrs(attrs map[string]string) {
	began := []string{fmt.Sprintf("%s/%g/%g", b.hash, b.factor, b.learned)}
	var since []string
	for _, name := range slices.Sorted(maps.Keys(b.marks)) {
		began = append(began, url.PathEscape(name)+"="+b.marks[name].String())
	}
	for _, name := range slices.Sorted(maps.Keys(b.later)) {
		for _, id := range b.later[name] {
			since = append(since, fmt.Sprintf("%s=%016x", url.PathEscape(name), id))
		}
	}
	attrs[attrBegan] = strings.Join(began, " ")
	if since != nil {
		attrs[attrSince] = strings.Join(since, " ")
	}
}

// beginningOf reads the beginning of an answer's request from its block. It is the zero
// beginning if the block has none. The calibration is that of the block's model.
func beginningOf(b transcript.Block) beginning {
	fields := strings.Fields(b.Attrs[attrBegan])
	if len(fields) == 0 {
		return beginning{}
	}
	out := beginning{marks: map[string]memorytext.Mark{}, later: map[string][]uint64{}}
	hash, factors, _ := strings.Cut(fields[0], "/")
	out.hash = hash
	_, err := fmt.Sscanf(factors, "%g/%g", &out.factor, &out.learned)
	if err != nil || !(min(out.factor, out.learned) >= minFactor && max(out.factor, out.learned) <= maxFactor) { // somebody edited it
		out.factor, out.learned = 0, 0
	}
	for _, field := range fields[1:] {
		name, value, _ := strings.Cut(field, "=")
		name, err := url.PathUnescape(name)
		mark, ok := memorytext.ParseMark(value)
		if err != nil || !ok {
			return beginning{} // somebody edited it
		}
		out.marks[name] = mark
	}
	for _, field := range strings.Fields(b.Attrs[attrSince]) {
		name, value, _ := strings.Cut(field, "=")
		name, err := url.PathUnescape(name)
		id, err2 := strconv.ParseUint(value, 16, 64)
		if err != nil || err2 != nil {
			return beginning{}
		}
		out.later[name] = append(out.later[name], id)
	}
	return out
}

// hashOf returns the hash of texts.
func hashOf(texts ...string) string {
	h := fnv.New64a()
	for _, text := range texts {
		_, _ = h.Write([]byte(text + "\x00"))
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// remember prepares the memory of a request that is to begin as an earlier one did: before
// is that one's beginning, messages are the history. It returns the files as they stand in
// the system prompt, and the lines that were added since, by the ID of the message that
// they are sent with. ok is false if the memory has to be read anew, because something in
// it was removed or changed, or because there is no room beside it.
func (d *dialogue) remember(before beginning, messages []transcript.Block) (files []prompt.SharedMemory, beside map[string]string, now beginning, ok bool) {
	now = beginning{hash: before.hash, marks: map[string]memorytext.Mark{}, later: map[string][]uint64{}}
	if before.hash == "" {
		return nil, nil, now, false
	}
	key := d.turn.engine.p.Memory.Key(context.Background())
	beside, d.lines = map[string]string{}, map[string]int{}
	for name, mark := range before.marks {
		gone := !slices.ContainsFunc(d.input.Memories(), func(m prompt.SharedMemory) bool { return memoryName(m.File) == name })
		if gone && mark.Pieces > 0 {
			return nil, nil, beginning{}, false
		}
	}
	for _, m := range d.input.Memories() {
		name, known, by := memoryName(m.File), []uint64{}, map[uint64]string{}
		for _, b := range messages {
			if b.Kind != transcript.KindAssistant {
				continue
			}
			if then := beginningOf(b); len(then.later[name]) > 0 && then.hash == before.hash && then.marks[name] == before.marks[name] {
				if !slices.ContainsFunc(messages, func(m transcript.Block) bool { return m.ID == b.Parent }) {
					continue // the message left the conversation, and they are sent again
				}
				for _, id := range then.later[name] {
					known, by[id] = append(known, id), b.Parent
				}
			}
		}
		text, added, ok := memorytext.Since(key, m.File.Text, before.marks[name], known)
		if !ok {
			return nil, nil, beginning{}, false
		}
		now.marks[name], d.lines[name] = before.marks[name], len(added)
		said := map[string]bool{}
		for _, line := range added {
			message, heard := by[line.ID]
			if !heard {
				message = d.turn.message.ID
				now.later[name] = append(now.later[name], line.ID)
			}
			if m.Heading != "" && !said[message] {
				said[message] = true
				beside[message] += "\n## " + m.Heading
			}
			beside[message] += "\n" + line.Text
		}
		m.File.Text = text
		files = append(files, m)
	}
	if len(beside) > 0 && d.whole.Cut.Memory > 0 {
		return nil, nil, beginning{}, false
	}
	for id, text := range beside {
		beside[id] = prompt.Context("remembered since this conversation began; follow this too") + text
	}
	return files, beside, now, true
}

// memoryName returns the name of a memory file in the agents folder, with slashes.
func memoryName(f memory.File) string {
	name := filepath.Base(f.Path)
	if f.Target.Kind == memory.TargetAgent {
		name = path.Join(filepath.Base(filepath.Dir(f.Path)), name)
	}
	return name
}

// memoryRead returns the memory files that the request contains.
func (d *dialogue) memoryRead() []MemoryRead {
	var out []MemoryRead
	for _, m := range d.input.Memories() {
		name := memoryName(m.File)
		read := MemoryRead{Name: name, Lines: d.lines[name]}
		for _, u := range d.system.Memory {
			if u.Path == m.File.Path {
				read.Lines, read.Cut = read.Lines+u.Lines, u.Cut
			}
		}
		if read.Lines > 0 || read.Cut > 0 {
			out = append(out, read)
		}
	}
	return out
}
