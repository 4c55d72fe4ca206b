package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/transcript"
)

// Input is everything a system prompt is built from. Equal inputs produce equal prompts,
// byte for byte, so that the server can reuse what it has already read.
type Input struct {
	Agent         registry.Agent
	Agents        []registry.Agent // for the roster; may hold Agent itself and unusable ones
	Skills        []registry.Skill
	Global        memory.File
	Own           memory.File // the agent's own memory
	GlobalBudget  int         // characters of Global; 0 injects nothing
	AgentBudget   int         // characters of Own
	ContextTokens int         // the model's real context; 0: unknown, so nothing is cut to fit
	Tier          Tier        // "" is TierLarge
	Native        bool        // tools are called natively, so the prompt has no forms
	Tools         []tools.Doc
	First         string         // instructions of the place, before all others
	Shared        []SharedMemory // memory of the place: a channel's, a server's, a person's
	Session       string         // instructions for this conversation only
	Delegate      bool           // may hand tasks to agents and skills: roster and delegation rules
	Guides        Guides         // only Directives and NativeTools are used
	Factor        float64        // the model's calibration (Window.Factor); 0: raw tokens
}

// MemoryUse describes how much of a memory file is in a prompt.
type MemoryUse struct {
	Target  memory.Target
	Path    string
	Percent int // of Budget
	Used    int // characters
	Budget  int // characters: the configured budget, or less if the model's context is small
	Lines   int // pieces in the prompt: bullets, paragraphs, tables …
	Cut     int // characters left out
}

// System is a system prompt and what didn't fit it.
type System struct {
	System string
	Stable string      // what comes before the memory
	Memory []MemoryUse // the files that aren't empty, global first
	Cut    ContextCut  // Memory and Roster are set here
	// Others are the agents and skills for which there was no room. Those that suit a
	// message are named with it, in at most Room tokens.
	Others []Named
	Room   int
}

// BuildSystem builds a system prompt: soul, rules for tools, mood, skill (in TierMiddle
// with its examples), tools and roster, the instructions for the conversation, memory. The
// parts that change least come first, because a server reads a prompt again from the first
// difference on: a sub-call shares soul and rules with the agent that makes it.
//
// In TierPlain, the prompt has only the place's instructions, those for the conversation
// and the memory; it may be "".
func BuildSystem(in Input) System {
	b := &promptBuilder{in: in, budget: NewBudget(in.ContextTokens)}
	b.add(in.First)
	if in.Tier != TierPlain {
		b.add(in.Agent.Soul)
		rules, toolsText := b.toolsText()
		b.add(rules)
		b.add(in.Agent.Mood)
		b.add(in.Agent.Skill)
		if in.Tier == TierMiddle {
			b.add(in.Agent.Examples)
		}
		b.add(toolsText)
		b.addRoster(b.cost(rules) + b.cost(toolsText))
	}
	if text := strings.TrimSpace(in.Session); text != "" {
		b.add("# For this conversation (from the user)\n" + text)
	}
	b.out.Stable = strings.Join(b.parts, "\n\n")
	b.addMemory()
	b.out.System = strings.Join(b.parts, "\n\n")
	return b.out
}

// promptBuilder collects the parts of one system prompt.
type promptBuilder struct {
	in     Input
	budget Budget
	parts  []string
	out    System
}

func (b *promptBuilder) cost(text string) int {
	return int(float64(transcript.EstimateTokens(text))*cmp.Or(b.in.Factor, 1) + 0.5)
}

func (b *promptBuilder) add(part string) {
	if part = strings.TrimSpace(part); part != "" {
		b.parts = append(b.parts, part)
	}
}

// SharedMemory is a memory file beside the agent's own in a prompt.
type SharedMemory struct {
	Heading string // "Lessons for this channel"
	File    memory.File
	Budget  int // characters
}

// Memories returns the memory files of a prompt that aren't missing, in order.
func (in Input) Memories() []SharedMemory {
	parts := append([]SharedMemory{
		{File: in.Global, Budget: in.GlobalBudget},
		{Heading: "Lessons for " + in.Agent.Slug, File: in.Own, Budget: in.AgentBudget},
	}, in.Shared...)
	return slices.DeleteFunc(parts, func(m SharedMemory) bool { return m.File.Missing })
}

// SetMemories replaces the texts of the files that Memories returned.
func (in *Input) SetMemories(list []SharedMemory) {
	shared := slices.Clone(in.Shared)
	for _, m := range list {
		switch m.File.Path {
		case in.Global.Path:
			in.Global = m.File
		case in.Own.Path:
			in.Own = m.File
		}
		for i := range shared {
			if shared[i].File.Path == m.File.Path {
				shared[i].File = m.File
			}
		}
	}
	in.Shared = shared
}

// addMemory adds the memory files, each within its budget of characters and all together
// within the context's share. If the share is smaller, all budgets shrink in proportion.
func (b *promptBuilder) addMemory() {
	parts := b.in.Memories()
	for {
		injected := make([]memorytext.Injected, len(parts))
		for i, p := range parts {
			injected[i] = memorytext.Inject(p.File.Text, p.Budget)
			if injected[i].Pieces == 0 { // a title alone says nothing
				injected[i].Text, injected[i].Used = "", 0
			}
		}
		text := memoryText(parts, injected, b.in.Tier)
		cost := b.cost(text)
		if !b.budget.Known() || cost <= b.budget.Memory || text == "" {
			b.add(text)
			for i, in := range injected {
				if in.Text == "" && in.Left == 0 {
					continue
				}
				b.out.Memory = append(b.out.Memory, MemoryUse{
					Target: parts[i].File.Target, Path: parts[i].File.Path, Percent: Percent(in.Used, in.Budget),
					Used: in.Used, Budget: in.Budget, Lines: in.Pieces, Cut: in.Left,
				})
				b.out.Cut.Memory += in.Left
			}
			return
		}
		for i := range parts {
			parts[i].Budget = max(min(parts[i].Budget-1, injected[i].Used*b.budget.Memory/cost), 0)
		}
	}
}

// memoryText returns the memory as models and people see it: how full each file is, and its
// lines.
func memoryText(parts []SharedMemory, injected []memorytext.Injected, tier Tier) string {
	var s strings.Builder
	for i, in := range injected {
		if in.Text == "" {
			continue
		}
		if heading := parts[i].Heading; heading != "" {
			fmt.Fprintf(&s, "\n\n## %s\n", heading)
		}
		if tier != TierPlain {
			fmt.Fprintf(&s, "%d %% · %s / %s characters", Percent(in.Used, in.Budget), humanize.Comma(int64(in.Used)), humanize.Comma(int64(in.Budget)))
			if in.Left > 0 {
				s.WriteString(" · " + humanize.Comma(int64(in.Left)) + " characters left out")
			}
			s.WriteString("\n")
		}
		s.WriteString(strings.TrimSpace(in.Text))
	}
	switch {
	case s.Len() == 0:
		return ""
	case tier == TierPlain:
		return "What you know about the user:\n" + strings.TrimLeft(s.String(), "\n")
	}
	return "# Memory (lessons learned, follow these)\n" + strings.TrimLeft(s.String(), "\n")
}

// Percent returns how full a memory with that budget is, or 0 if the budget is 0.
func Percent(used, budget int) int {
	if budget <= 0 {
		return 0
	}
	return used * 100 / budget
}
