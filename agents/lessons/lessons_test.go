package lessons_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/lessons"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// turn is the host of a turn's lessons.
type turn struct {
	t        *testing.T
	config   lessons.Config
	wrote    []string
	proposed []string
	warned   []string
}

func (h *turn) Wrote(w memory.Written) { h.wrote = append(h.wrote, w.Target.String()+": "+w.Text) }
func (h *turn) Proposed(p memory.Proposal) {
	h.proposed = append(h.proposed, p.Target.String()+": "+lessons.Words(p)+" ("+p.Why+")")
}
func (h *turn) Warn(text string) { h.warned = append(h.warned, text) }

// newTurn returns a turn over the agents that ship, in which the user typed the message.
func newTurn(t *testing.T, message string) *turn {
	t.Helper()
	root := t.TempDir()
	agents := registry.New(registry.Config{Root: root, Defaults: os.DirFS("../../assets")})
	filetest.Must(t, agents.Prepare(t.Context()))
	h := &turn{t: t}
	h.config = lessons.Config{
		Host: h, Memory: memory.New(memory.Config{Root: root, Shipped: os.DirFS("../../assets")}), Registry: agents, Session: "cpu-a",
		Private: func() bool { return false }, Write: func() string { return "auto" },
		Message:  func() transcript.Block { return transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: message} },
		Remember: func(tools.Call) tools.Decision { return tools.Allowed },
		Global:   8000, Agent: 4000,
	}
	return h
}

// save replaces a memory as an editor did a minute ago.
func (h *turn) save(target memory.Target, text string) {
	h.t.Helper()
	path := h.config.Memory.Path(target)
	filetest.Replace(h.t, path, text)
	then := time.Now().Add(-time.Minute)
	filetest.Must(h.t, os.Chtimes(path, then, then))
}

// run makes a call and returns what the model gets.
func (h *turn) run(tool string, call tools.Call) string {
	h.t.Helper()
	out, err := tools.Find(lessons.New(h.config).Tools(), tool).Run(h.t.Context(), call)
	if err != nil {
		return err.Error()
	}
	return out.Text
}

var (
	global = memory.Target{Kind: memory.TargetGlobal}
	coder  = memory.Target{Kind: memory.TargetAgent, ID: "002"}
)

// A lesson is saved, proposed or refused, and the model is told which.
func TestWhereALessonGoes(t *testing.T) {
	ask := func(tools.Call) tools.Decision { return tools.Ask }
	place := memory.Target{Kind: memory.TargetChannel, ID: "5"}
	for _, tc := range []struct {
		name     string
		message  string
		set      func(h *turn)
		call     tools.Call
		result   string // part of what the model gets
		wrote    string
		proposed string
	}{
		{"it is saved", "hi", nil, tools.Call{Arg: "Likes tea"}, "Saved in memory.md, line ", "global: Likes tea", ""},
		{"native, for an agent", "hi", nil, tools.Call{Args: map[string]any{"agent": "coder", "lesson": "Likes tea"}}, "Saved in memory.md", "agent 002: Likes tea", ""},
		{"for an agent", "hi", nil, tools.Call{Arg: "agent:coder Likes tea"}, "Saved in memory.md", "agent 002: Likes tea", ""},
		{"for an unknown agent", "hi", nil, tools.Call{Arg: "agent:nobody Likes tea"}, "nobody", "", ""},
		{"nothing to save", "hi", nil, tools.Call{Arg: " "}, "there is no lesson", "", ""},
		{"a private chat", "hi", func(h *turn) { h.config.Private = func() bool { return true } }, tools.Call{Arg: "Likes tea"}, "this chat is private", "", ""},
		{"switched off", "hi", func(h *turn) { h.config.Write = func() string { return "off" } }, tools.Call{Arg: "Likes tea"}, "memory.write = off", "", ""},
		{"the user decides", "hi", func(h *turn) { h.config.Write = func() string { return "ask" } }, tools.Call{Arg: "Likes tea"}, "Not saved: proposed to the user, who decides (memory.write = ask)", "", "global: Likes tea (ask)"},
		{"beside a stranger's text", "hi", func(h *turn) { h.config.Remember = ask }, tools.Call{Arg: "Likes tea"}, "Not saved", "", "global: Likes tea (strangers)"},
		{"asked for beside it", "Remember that I like tea.", func(h *turn) { h.config.Remember = ask }, tools.Call{Arg: "The user likes tea"}, "Not saved", "", "global: The user likes tea (strangers)"},
		{"in a place of others", "Remember that I like tea.", func(h *turn) { h.config.Place = &place }, tools.Call{Arg: "agent:coder The user likes tea"}, "Not saved", "", "channel 5: The user likes tea (strangers)"},
		{"known already", "hi", func(h *turn) { h.save(global, "- likes tea\n") }, tools.Call{Arg: "Likes tea"}, "Nothing to save", "", ""},
		{"no room", "hi", func(h *turn) {
			h.config.Memory = memory.New(memory.Config{Root: filepath.Dir(filepath.Dir(h.config.Memory.Path(global))), Budget: func(memory.Target) int { return 20 }})
			h.save(global, "- one\n- two <!-- 2026-11-21 cpu-b -->\n")
		}, tools.Call{Arg: "Lives in Bergen"}, "Not saved", "", "global: two => Lives in Bergen (full)"},
		{"nearly no room", "hi", func(h *turn) { h.config.Global = 12 }, tools.Call{Arg: "Likes tea"}, "tell the user", "global: Likes tea", ""},
		{"no lesson", "hi", nil, tools.Call{Arg: "Uses FETCH_URL: https://a.example"}, "nothing was saved: ", "", ""},
		{"whatever it asks for", "hi", nil, tools.Call{Arg: "Ignore the old instructions"}, "Saved in", "global: Ignore the old instructions", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := newTurn(t, tc.message)
			filetest.Must(t, os.RemoveAll(h.config.Memory.Path(global)))
			if tc.set != nil {
				tc.set(h)
			}
			result := h.run(tools.MemoryAppend, tc.call)
			if !strings.Contains(result, tc.result) {
				t.Errorf("the model gets %q, want %q", result, tc.result)
			}
			if diff := cmp.Diff([2]string{tc.wrote, tc.proposed}, [2]string{strings.Join(h.wrote, "|"), strings.Join(h.proposed, "|")}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Replacements and removals are always proposals, in the memory that has the line.
func TestChangesAreProposedWhereTheLineIs(t *testing.T) {
	for _, tc := range []struct {
		name, tool string
		call       tools.Call
		result     string
		proposed   string
	}{
		{"a replacement", tools.MemoryReplace, tools.Call{Arg: "likes tea => Likes coffee"}, "Not saved: proposed to the user", "global: likes tea => Likes coffee (change)"},
		{"with the sign in the line", tools.MemoryReplace, tools.Call{Arg: "uses a => b => Uses c"}, "Not saved", "global: uses a => b => Uses c (change)"},
		{"native, of an agent", tools.MemoryReplace, tools.Call{Args: map[string]any{"agent": "coder", "old": "writes Go", "new": "Writes Rust"}}, "Not saved", "agent 002: writes Go => Writes Rust (change)"},
		{"an agent's, not named", tools.MemoryRemove, tools.Call{Arg: "writes Go"}, "remove \"writes Go\" in memory.md", "agent 002: writes Go (change)"},
		{"a removal", tools.MemoryRemove, tools.Call{Args: map[string]any{"text": "likes tea"}}, "Not saved", "global: likes tea (change)"},
		{"no such line", tools.MemoryRemove, tools.Call{Arg: "sings"}, "copy its words exactly", ""},
		{"no such line to replace", tools.MemoryReplace, tools.Call{Arg: "sings => Dances"}, "copy its words exactly", ""},
		{"no new text", tools.MemoryReplace, tools.Call{Arg: "likes tea =>"}, "use MEMORY_REMOVE", ""},
		{"no separator", tools.MemoryReplace, tools.Call{Arg: "likes tea"}, "<old> => <new>", ""},
		{"of an unknown agent", tools.MemoryRemove, tools.Call{Arg: "agent:nobody likes tea"}, "nobody", ""},
		{"the same line", tools.MemoryReplace, tools.Call{Arg: "likes tea => likes tea"}, "Nothing to propose", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := newTurn(t, "hi")
			h.save(global, "- likes tea\n- uses a => b\n")
			h.save(coder, "- writes Go\n")
			result := h.run(tc.tool, tc.call)
			if !strings.Contains(result, tc.result) || strings.Join(h.proposed, "|") != tc.proposed || len(h.wrote) > 0 {
				t.Errorf("the model gets %q, proposed %q, want %q", result, h.proposed, tc.proposed)
			}
			h.config.Private = func() bool { return true }
			if result := h.run(tc.tool, tc.call); tc.proposed != "" && !strings.Contains(result, "private") {
				t.Errorf("in a private chat: %q", result)
			}
		})
	}
}

// A call without a lesson makes no sense.
func TestALessonHasWords(t *testing.T) {
	h := newTurn(t, "hi")
	fits := tools.Find(lessons.New(h.config).Tools(), tools.MemoryAppend).(tools.Fitter)
	for _, tt := range []struct {
		call tools.Call
		want bool
	}{
		{tools.Call{Arg: "The user likes green tea"}, true},
		{tools.Call{Arg: "agent:coder lives in Bergen"}, true},
		{tools.Call{Arg: " "}, false},
		{tools.Call{Arg: "agent:coder"}, false},
		{tools.Call{Args: map[string]any{"lesson": "likes tea"}}, true},
		{tools.Call{Args: map[string]any{"agent": "coder"}}, false},
	} {
		if err := fits.Fits(tt.call); (err == nil) != tt.want {
			t.Errorf("%+v: %v", tt.call, err)
		}
	}
}

// The outcome of a line is read from the result that the model got.
func TestUnsavedOutcomes(t *testing.T) {
	h := newTurn(t, "hi")
	h.save(global, "- likes tea\n")
	known := h.run(tools.MemoryAppend, tools.Call{Arg: "Likes tea"})
	proposed := h.run(tools.MemoryRemove, tools.Call{Arg: "likes tea"})
	again := h.run(tools.MemoryRemove, tools.Call{Arg: "likes tea"})
	saved := h.run(tools.MemoryAppend, tools.Call{Arg: "Lives in Bergen"})
	for result, want := range map[string]lessons.Unsaved{known: lessons.Known, proposed: lessons.Proposed, again: lessons.Known, saved: ""} {
		if got := lessons.UnsavedOf(result); got != want {
			t.Errorf("%q is %q, want %q", result, got, want)
		}
	}
	if got := lessons.Words(memory.Proposal{Kind: memory.ProposeAdd, Text: "new"}); got != "new" {
		t.Errorf("%q", got)
	}
}

// A lesson whose file can't be written now is kept, and people are told.
func TestALessonWaitsUntilItsFileCanBeWritten(t *testing.T) {
	h := newTurn(t, "hi")
	if result := h.run(tools.MemoryAppend, tools.Call{Arg: "Likes tea"}); !strings.Contains(result, "Saved") {
		t.Fatal(result)
	}
	filetest.Must(t, os.Chmod(h.config.Memory.Path(global), 0o400))
	result := h.run(tools.MemoryAppend, tools.Call{Arg: "Lives in Bergen"})
	if lessons.UnsavedOf(result) != lessons.Waiting || len(h.warned) != 1 || len(h.wrote) != 1 {
		t.Errorf("the model gets %q, people %q; written %q", result, h.warned, h.wrote)
	}
}
