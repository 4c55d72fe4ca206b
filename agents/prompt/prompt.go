package prompt

import (
	"fmt"
	"strings"

	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/transcript"
)

// Input is all that a system prompt is made of. Equal inputs give equal
// prompts, byte for byte: the server re-uses what it has already read.
type Input struct {
	Agent         registry.Agent
	Agents        []registry.Agent // for the roster; may hold Agent itself and unusable ones
	Skills        []registry.Skill
	Global        memory.File
	Own           memory.File // the agent's own memory
	GlobalBudget  int         // characters of Global; 0 injects nothing
	AgentBudget   int         // characters of Own
	ContextTokens int         // the model's real context; 0: unknown, nothing is cut to fit
	Tier          Tier        // "" is TierLarge
	Native        bool        // tools are called natively: no forms in the prompt
	Tools         []tools.Doc
	First         string            // instructions of the place, before all others
	Shared        []SharedMemory    // memory of the place: a channel's, a server's, a person's
	Session       string            // instructions for this conversation alone, at the end
	Delegate      bool              // may hand tasks to agents and skills: roster and delegation rules
	Guides        Guides            // only Directives and NativeTools are used
	Estimate      func(raw int) int // the model's calibration (ModelResolver.Estimate); nil: raw
}

// MemoryUse is how much of one memory file went into a prompt.
type MemoryUse struct {
	Target  memory.Target
	Path    string
	Percent int // of Budget
	Used    int // characters
	Budget  int // characters: the configured one, or less where the model's context is small
	Lines   int // bullets that are in it
	Cut     int // bullets left out
}

// System is a system prompt and what did not fit it.
type System struct {
	System string
	Tokens int         // estimated, calibrated
	Memory []MemoryUse // the files that hold anything, global first
	Cut    ContextCut  // Memory and Roster are set here
	// Others are the agents and skills for which there was no room: those that fit a
	// message are named with it, in at most Room tokens.
	Others []Named
	Room   int
}

// BuildSystem builds the system prompt of an entry agent: soul, mood, memory,
// skill (in TierMiddle its examples), tools, roster, in this order, what changes least first.
//
// In TierPlain it is the place's instructions, the memory and the session's: "" where
// there is none of them.
func BuildSystem(in Input) System {
	b := newPromptBuilder(in)
	if in.Tier == TierPlain {
		b.add(in.First)
		b.addMemory()
		b.addSession()
		return b.prompt()
	}
	b.add(in.First)
	b.add(in.Agent.Soul)
	b.add(in.Agent.Mood)
	b.addMemory()
	b.add(in.Agent.Skill)
	if in.Tier == TierMiddle {
		b.add(in.Agent.Examples)
	}
	b.addToolsAndRoster()
	b.addSession()
	return b.prompt()
}

// addSession adds what the user wants in this conversation alone: last, so that all
// conversations share what stands before it.
func (b *promptBuilder) addSession() {
	if text := strings.TrimSpace(b.in.Session); text != "" {
		b.add("# For this conversation (from the user)\n" + text)
	}
}

// SpecialistSystem builds the system prompt of a sub-call: soul, mood, memory and
// skill, and the tools the agent lists. A sub-call has no roster and never
// delegates, whatever in says.
func SpecialistSystem(in Input) System {
	in.Delegate = false
	kept := make([]tools.Doc, 0, len(in.Tools))
	for _, t := range in.Tools {
		if !isDelegation(t.Name) {
			kept = append(kept, t)
		}
	}
	in.Tools = kept
	return BuildSystem(in)
}

// isDelegation reports whether the tool hands a task to an agent or a skill.
func isDelegation(tool string) bool { return tool == registry.ToolAgent || tool == registry.ToolSkill }

// promptBuilder collects the parts of one system prompt.
type promptBuilder struct {
	in     Input
	budget Budget
	factor float64 // calibrated tokens to a raw one
	parts  []string
	out    System
}

func newPromptBuilder(in Input) *promptBuilder {
	if in.Estimate == nil {
		in.Estimate = func(raw int) int { return raw }
	}
	return &promptBuilder{in: in, budget: NewBudget(in.ContextTokens), factor: coarseFactor(in.Estimate)}
}

// coarseFactor is the model's calibration in steps of an eighth, rounded up. It
// moves a little with every answer; the steps keep the cut, and so the prompt's
// bytes, from moving along.
func coarseFactor(estimate func(int) int) float64 {
	const sample = 1000
	eighths := (estimate(sample)*8 + sample - 1) / sample
	return float64(max(eighths, 1)) / 8
}

func (b *promptBuilder) cost(text string) int {
	return int(float64(transcript.EstimateTokens(text))*b.factor + 0.5)
}

func (b *promptBuilder) add(part string) {
	if part = strings.TrimSpace(part); part != "" {
		b.parts = append(b.parts, part)
	}
}

func (b *promptBuilder) prompt() System {
	b.out.System = strings.Join(b.parts, "\n\n")
	b.out.Tokens = b.in.Estimate(transcript.EstimateTokens(b.out.System))
	return b.out
}

// SharedMemory is a memory file that stands beside the agent's own in a prompt.
type SharedMemory struct {
	Heading string // "Lessons for this channel"
	File    memory.File
	Budget  int // characters
}

// memoryParts are the memory files of a prompt, in order.
func (in Input) memoryParts() []SharedMemory {
	parts := []SharedMemory{
		{File: in.Global, Budget: in.GlobalBudget},
		{Heading: "Lessons for " + in.Agent.Slug, File: in.Own, Budget: in.AgentBudget},
	}
	return append(parts, in.Shared...)
}

// addMemory injects the memory files, each within its budget of characters and all
// together within the context's share. Where the share is the smaller one, all give
// way in proportion.
func (b *promptBuilder) addMemory() {
	parts := b.in.memoryParts()
	for {
		injected := make([]memorytext.Injected, len(parts))
		for i, p := range parts {
			injected[i] = inject(p.File, p.Budget)
		}
		text := memoryText(parts, injected, b.in.Tier)
		cost := b.cost(text)
		if !b.budget.Known() || cost <= b.budget.Memory || text == "" {
			b.add(text)
			for i, p := range parts {
				b.noteMemory(p.File, injected[i])
			}
			return
		}
		for i := range parts {
			parts[i].Budget = smaller(parts[i].Budget, injected[i].Used, b.budget.Memory, cost)
		}
	}
}

// smaller is the next budget to try for a part that used so many characters.
func smaller(budget, used, share, cost int) int {
	return max(min(budget-1, used*share/cost), 0)
}

// inject cuts a memory file to a budget; nothing of a file that is missing.
func inject(f memory.File, budget int) memorytext.Injected {
	if f.Missing || len(f.Bullets) == 0 && strings.TrimSpace(f.Text) == "" {
		return memorytext.Injected{}
	}
	if budget <= 0 {
		return memorytext.Injected{Cut: len(f.Bullets)}
	}
	i := memorytext.Inject(f.Text, budget)
	if onlyHeadings(i.Text) {
		i.Text, i.Used = "", 0
	}
	return i
}

func onlyHeadings(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

func (b *promptBuilder) noteMemory(f memory.File, i memorytext.Injected) {
	if i.Text == "" && i.Cut == 0 {
		return
	}
	b.out.Memory = append(b.out.Memory, MemoryUse{
		Target: f.Target, Path: f.Path, Percent: Percent(i.Used, i.Budget),
		Used: i.Used, Budget: i.Budget, Lines: max(0, len(f.Bullets)-i.Cut), Cut: i.Cut,
	})
	b.out.Cut.Memory += i.Cut
}

func memoryText(parts []SharedMemory, injected []memorytext.Injected, tier Tier) string {
	var s strings.Builder
	for i, p := range parts {
		if injected[i].Text == "" {
			continue
		}
		if p.Heading != "" {
			fmt.Fprintf(&s, "\n\n## %s\n", p.Heading)
		}
		writeMemory(&s, injected[i], tier)
	}
	switch {
	case s.Len() == 0:
		return ""
	case tier == TierPlain:
		return "What you know about the user:\n" + strings.TrimLeft(s.String(), "\n")
	}
	return "# Memory (lessons learned, follow these)\n" + strings.TrimLeft(s.String(), "\n")
}

func writeMemory(s *strings.Builder, i memorytext.Injected, tier Tier) {
	if tier != TierPlain {
		s.WriteString(memoryLine(i))
		s.WriteString("\n")
	}
	s.WriteString(strings.TrimSpace(i.Text))
}

// memoryLine says how full a memory is, to the model as to people.
func memoryLine(i memorytext.Injected) string {
	line := fmt.Sprintf("%d %% · %s / %s characters", Percent(i.Used, i.Budget), Thousands(i.Used), Thousands(i.Budget))
	if i.Cut > 0 {
		line += fmt.Sprintf(" · %s older lines left out", Thousands(i.Cut))
	}
	return line
}

// Percent is how full a memory of that budget is; 0 where it has none.
func Percent(used, budget int) int {
	if budget <= 0 {
		return 0
	}
	return used * 100 / budget
}
