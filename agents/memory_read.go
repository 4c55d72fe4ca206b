package agents

import (
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// memoryAttr is the attribute of an answer's block that says what its prompt held
// of the memory: memory="memory.md:12 agent-001/memory.md:3".
const memoryAttr = "memory"

// memoryRead is what the turn's prompt holds of the memory.
func (t *turn) memoryRead() []MemoryRead {
	var out []MemoryRead
	for _, m := range t.system.Memory {
		if m.Lines == 0 && m.Used == 0 {
			continue
		}
		name := filepath.Base(m.Path)
		if m.Target.Kind == memory.TargetAgent {
			name = path.Join(filepath.Base(filepath.Dir(m.Path)), name)
		}
		out = append(out, MemoryRead{Name: name, Lines: m.Lines, Cut: m.Cut})
	}
	return out
}

func memoryAttrs(read []MemoryRead) map[string]string {
	if len(read) == 0 {
		return nil
	}
	var parts []string
	for _, r := range read {
		parts = append(parts, fmt.Sprintf("%s:%d", r.Name, r.Lines))
	}
	return map[string]string{memoryAttr: strings.Join(parts, " ")}
}

// ReadOf gives what an answer's block says its prompt held of the memory. The names
// come from a file people edit: a name that leads out of its folder is left out.
func ReadOf(b transcript.Block) []MemoryRead {
	var out []MemoryRead
	for _, part := range strings.Fields(b.Attrs[memoryAttr]) {
		at := strings.LastIndexByte(part, ':')
		if at < 0 {
			continue
		}
		n, err := strconv.Atoi(part[at+1:])
		if err == nil && n >= 0 && filepath.IsLocal(filepath.FromSlash(part[:at])) {
			out = append(out, MemoryRead{Name: part[:at], Lines: n})
		}
	}
	return out
}
