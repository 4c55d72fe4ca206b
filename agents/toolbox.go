package agents

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
)

// toolbox chooses the tools that the agents of a turn are offered.
type toolbox struct {
	parts
	message string       // decides which tools of other programs are offered if not all fit
	own     []tools.Tool // the app's own, always in the same order
	chosen  []string     // the other programs' tools that are offered if not all fit

	told    map[string]bool // what was reported as missing
	unknown bool            // a turn would first wait for some
}

// all returns the tools that may be used here, always in the same order. It reports which
// programs' tools are missing, once a turn.
func (b *toolbox) all(ctx context.Context) []tools.Tool {
	list := slices.Clone(b.own)
	if b.place != nil { // nobody can be asked there, so no tool acts outside
		return slices.DeleteFunc(list, func(tool tools.Tool) bool { return !registry.HasTool(b.place.Tools, tool.Doc().Name) })
	}
	if outside := b.cast.base.p.Outside; outside != nil {
		var waiting func(string)
		if !b.report.silent {
			waiting = func(program string) { b.report.state(StateLoading, "starting the MCP server "+program) }
		}
		guarded, missing := outside(ctx, waiting)
		b.unknown = b.report.silent && len(missing) > 0 && len(guarded) == 0
		for _, tool := range guarded {
			list = append(list, tool)
		}
		for _, words := range missing {
			b.tell(words, func() { b.report.warn(StateReading, words) })
		}
	}
	return list
}

// tell reports what is missing, unless it was reported before.
func (b *toolbox) tell(what string, report func()) {
	if b.told == nil {
		b.told = map[string]bool{}
	}
	if !b.told[what] {
		b.told[what] = true
		report()
	}
}

// forAgent returns the tools of the turn's agent: those in its agent.json, else all for
// an entry agent and all but delegation for another; none in the plain tier. Below the
// large tier, MEMORY_REPLACE and MEMORY_REMOVE must be listed, because few agents need
// them.
func (b *toolbox) forAgent(ctx context.Context) []tools.Tool {
	tier := b.cast.toolsTier(b.cast.agent, b.cast.model)
	if tier == prompt.TierPlain {
		return nil
	}
	agent := b.cast.agent
	return b.fitting(b.all(ctx), func(name string) bool {
		change := name == tools.MemoryReplace || name == tools.MemoryRemove
		listed := lists(agent, name) || agent.Tools == nil && (tier == prompt.TierLarge || !change)
		return listed && (!delegates(name) || agent.Entry)
	})
}

// forSpecialist returns the tools of a sub-call: those in its agent.json, but never
// delegation or MEMORY_APPEND. It may have the tools that change the memory, because
// they only make proposals.
func (b *toolbox) forSpecialist(ctx context.Context, a registry.Agent, model ollama.ModelInfo) []tools.Tool {
	if b.cast.toolsTier(a, model) == prompt.TierPlain {
		return nil
	}
	return b.fitting(b.all(ctx), func(name string) bool {
		return lists(a, name) && !delegates(name) && name != tools.MemoryAppend
	})
}

// delegates reports whether a tool hands a task to another agent.
func delegates(tool string) bool {
	return tool == registry.ToolAgent || tool == registry.ToolSkill
}

// lists reports whether an agent's file lists a tool; MCP stands for all tools of other
// programs.
func lists(a registry.Agent, tool string) bool {
	return registry.HasTool(a.Tools, tool) || tools.IsForeign(tool) && registry.HasTool(a.Tools, tools.MCP)
}

// foreignShare limits the tools of other programs to a share of the context, in percent.
const foreignShare = 10

// mostNamed is the number of tools that are named when they don't fit.
const mostNamed = 10

// fitting leaves out the tools that may not be used. If more tools of other programs
// remain than fit, it keeps those that the message names, those that the conversation's
// last answer was offered, those that were used before, and those closest to the message,
// and reports the others. The order stays the same, so that prompts do too.
func (b *toolbox) fitting(list []tools.Tool, may func(name string) bool) []tools.Tool {
	list = slices.DeleteFunc(list, func(tool tools.Tool) bool { return !may(tool.Doc().Name) })
	room := cmp.Or(b.cast.numCtx, defaultMaxTokens) * foreignShare / 100
	size := func(tool tools.Tool) int {
		return transcript.EstimateTokens(tools.Schemas([]tools.Tool{tool}).String())
	}
	var named, before, used, foreign []prompt.Named
	last := strings.Fields(b.cast.last.Attrs[attrTools])
	by, total := map[string]tools.Tool{}, 0
	for _, tool := range list {
		if tools.IsForeign(tool.Doc().Name) {
			n := prompt.Named{Name: tool.Doc().Name, Description: tool.Doc().Description}
			foreign = append(foreign, n)
			if _, bare, _ := strings.Cut(n.Name, "."); strings.Contains(strings.ToLower(b.message), strings.ToLower(bare)) {
				named = append(named, n)
			}
			if slices.Contains(last, n.Name) {
				before = append(before, n)
			}
			if tool.Doc().Used {
				used = append(used, n)
			}
			by[n.Name] = tool
			total += size(tool)
		}
	}
	if total <= room {
		return list
	}
	kept := map[string]bool{}
	for _, n := range slices.Concat(named, before, used, prompt.Relevant(b.message, foreign), foreign) {
		if need := size(by[n.Name]); need <= room && !kept[n.Name] {
			kept[n.Name], room = true, room-need
		}
	}
	var out []string
	b.chosen = nil
	for _, n := range foreign {
		if !kept[n.Name] {
			out = append(out, n.Name)
		} else {
			b.chosen = append(b.chosen, n.Name)
		}
	}
	if more := len(out) - mostNamed; more > 0 {
		out = append(out[:mostNamed], fmt.Sprintf("%d more", more))
	}
	b.tell(strings.Join(out, ", "), func() { b.report.cut(prompt.ContextCut{Tools: strings.Join(out, ", ")}) })
	return slices.DeleteFunc(list, func(tool tools.Tool) bool { return tools.IsForeign(tool.Doc().Name) && !kept[tool.Doc().Name] })
}
