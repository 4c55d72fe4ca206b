package agents

import (
	"cmp"
	"context"
	"slices"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
)

// toolbox is which tools the agents of a turn are offered.
type toolbox struct {
	who     *cast
	place   *Place
	message string       // by which tools of other programs are chosen where not all fit
	own     []tools.Tool // of this version, always in the same order
}

// all are the tools that may be used here, the same ones in the same order.
func (b *toolbox) all(ctx context.Context) []tools.Tool {
	list := slices.Clone(b.own)
	if b.place != nil { // there nobody can be asked, so no tool acts outside
		return slices.DeleteFunc(list, func(tool tools.Tool) bool { return !registry.HasTool(b.place.Tools, tool.Name()) })
	}
	if outside := b.who.base.p.Outside; outside != nil {
		for _, tool := range outside(ctx) {
			list = append(list, tool)
		}
	}
	return list
}

// forAgent is what the turn's agent may use: what its agent.json lists, else all for an
// entry agent and all but delegation for another one; none in the plain tier. Below the
// large tier MEMORY_REPLACE and MEMORY_REMOVE have to be listed: few agents need them.
func (b *toolbox) forAgent(ctx context.Context) []tools.Tool {
	tier := b.who.toolsTier(b.who.agent, b.who.model)
	if tier == prompt.TierPlain {
		return nil
	}
	agent := b.who.agent
	return b.fitting(b.all(ctx), func(name string) bool {
		change := name == tools.MemoryReplace || name == tools.MemoryRemove
		listed := lists(agent, name) || agent.Tools == nil && (tier == prompt.TierLarge || !change)
		return listed && (!delegates(name) || agent.Entry)
	})
}

// forSpecialist is what a sub-call may use: what its agent.json lists, never delegation
// or MEMORY_APPEND. Changes of the memory are only proposed, so a specialist may propose
// them.
func (b *toolbox) forSpecialist(ctx context.Context, a registry.Agent, model ollama.ModelInfo) []tools.Tool {
	if b.who.toolsTier(a, model) == prompt.TierPlain {
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

// lists reports whether an agent's file lists a tool; MCP is all those of other programs.
func lists(a registry.Agent, tool string) bool {
	return registry.HasTool(a.Tools, tool) || tools.IsForeign(tool) && registry.HasTool(a.Tools, tools.MCP)
}

// foreignShare is what the tools of other programs may take of the context, in percent.
const foreignShare = 10

// fitting leaves out the tools that may not be used, and some of other programs where
// there are more than fit: those stay that are nearest to the message. All of them in the
// same order make the same prompt.
func (b *toolbox) fitting(list []tools.Tool, may func(name string) bool) []tools.Tool {
	list = slices.DeleteFunc(list, func(tool tools.Tool) bool { return !may(tool.Name()) })
	room := cmp.Or(b.who.numCtx, defaultMaxTokens) * foreignShare / 100
	size := func(tool tools.Tool) int {
		return transcript.EstimateTokens(tools.Schemas([]tools.Tool{tool}).String())
	}
	var foreign []prompt.Named
	by, total := map[string]tools.Tool{}, 0
	for _, tool := range list {
		if tools.IsForeign(tool.Name()) {
			foreign = append(foreign, prompt.Named{Name: tool.Name(), Description: tool.Doc().Description})
			by[tool.Name()] = tool
			total += size(tool)
		}
	}
	if total <= room {
		return list
	}
	kept := map[string]bool{}
	for _, n := range append(prompt.Relevant(b.message, foreign), foreign...) {
		if need := size(by[n.Name]); need <= room && !kept[n.Name] {
			kept[n.Name], room = true, room-need
		}
	}
	return slices.DeleteFunc(list, func(tool tools.Tool) bool { return tools.IsForeign(tool.Name()) && !kept[tool.Name()] })
}
