package agents

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/memory"
)

// A change of the memory from the model's call to the file and back, by a directive and
// by a native call, for a line that stayed, moved, or was edited meanwhile.
func TestMemoryChangeFromEndToEnd(t *testing.T) {
	const given = "# Memory\n\n- Likes tea\n- Uses Go 1.25 <!-- 2026-01-01 cpu-a -->\n\n## Notes\n\n- last\n"
	moved := strings.Replace(given, "# Memory\n", "# Memory\n\n- a new line\n- another one\n", 1)
	for _, tt := range []struct {
		name, directive string
		native          api.ToolCall
		want            string // the new line; "" for a removal
	}{
		{"replace", "MEMORY_REPLACE: Uses Go 1.25 => Uses Go 1.26", toolCall(tools.MemoryReplace, map[string]any{"old": "Uses Go 1.25", "new": "Uses Go 1.26"}), "Uses Go 1.26"},
		{"remove", "MEMORY_REMOVE: Uses Go 1.25", toolCall(tools.MemoryRemove, map[string]any{"text": "Uses Go 1.25"}), ""},
	} {
		for _, native := range []bool{false, true} {
			for _, meanwhile := range []struct {
				name, file string
				refused    bool
			}{{"it stayed", given, false}, {"it moved", moved, false}, {"it was edited", strings.Replace(given, "1.25", "1.25.1", 1), true}} {
				t.Run(fmt.Sprintf("%s/native %v/%s", tt.name, native, meanwhile.name), func(t *testing.T) {
					script := ollamaScript(tt.directive, "Proposed.")
					if native {
						script = testkit.Script{Rules: replies("", "Proposed."), Models: []testkit.Model{nativeModel(testModel, 16384)}}
						script.Rules[0].Reply.ToolCalls = []api.ToolCall{tt.native}
					}
					r := newRig(t, script)
					r.write("agents/memory.md", given)
					_, events, err := r.turn(Request{Text: "Tidy up", Agent: "memory-keeper"})
					if err != nil {
						t.Fatal(err)
					}
					proposed := of(events, EventMemoryProposed)
					if len(proposed) != 1 || proposed[0].Memory.Old != "Uses Go 1.25" || proposed[0].Memory.Text != tt.want || len(of(events, EventMemoryWritten)) != 0 {
						t.Fatalf("proposed %+v", proposed)
					}
					r.write("agents/memory.md", meanwhile.file)
					r.acceptAndUndo(proposed[0].Memory.Inbox, meanwhile.file, tt.want, meanwhile.refused)
				})
			}
		}
	}
}

// acceptAndUndo accepts a proposal about "Uses Go 1.25" and undoes it.
func (r *rig) acceptAndUndo(id, given, want string, refused bool) {
	r.t.Helper()
	read := func() string {
		data, err := os.ReadFile(filepath.Join(r.root, "agents/memory.md"))
		if err != nil {
			r.t.Fatal(err)
		}
		return string(data)
	}
	w, err := r.params.Memory.Accept(r.t.Context(), id)
	if refused {
		waiting, inboxErr := r.params.Memory.Inbox()
		if !errors.Is(err, memory.ErrNoLine) || !strings.Contains(err.Error(), "changed since it was proposed") || read() != given || inboxErr != nil || len(waiting) != 1 || waiting[0].Accepting {
			r.t.Errorf("%v, waiting %+v, file:\n%s", err, waiting, read())
		}
		return
	}
	if err != nil {
		r.t.Fatal(err)
	}
	before, after := strings.Split(given, "\n"), strings.Split(read(), "\n")
	if want == "" {
		after = append(after[:w.Line-1], append([]string{before[w.Line-1]}, after[w.Line-1:]...)...)
	} else if !strings.HasPrefix(after[w.Line-1], "- "+want+" <!-- ") {
		r.t.Errorf("line %d is %q", w.Line, after[w.Line-1])
	} else {
		after[w.Line-1] = before[w.Line-1]
	}
	if got := strings.Join(after, "\n"); got != given || !strings.HasPrefix(before[w.Line-1], "- Uses Go 1.25") {
		r.t.Errorf("more than that line was changed:\n%s", read())
	}
	if _, err := r.params.Memory.Undo(r.t.Context(), w.UndoID); err != nil || read() != given {
		r.t.Errorf("after undo %v:\n%s", err, read())
	}
}
