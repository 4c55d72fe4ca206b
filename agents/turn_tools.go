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

// mayDelegate reports whether the turn's agent may hand tasks to others.
func (t *turn) mayDelegate() bool {
	return slices.ContainsFunc(t.talk.tools, func(tool tools.Tool) bool {
		return tool.Name() == registry.ToolAgent || tool.Name() == registry.ToolSkill
	})
}

// tools are what the turn's agent may use: what its agent.json lists, else all
// for an entry agent and all but delegation for another one; none in the plain tier. Below
// the large tier MEMORY_REPLACE and MEMORY_REMOVE have to be listed: few agents need them.
func (t *turn) tools(ctx context.Context) []tools.Tool {
	if t.req.NoTools {
		return nil
	}
	tier := t.toolsTier(t.agent, t.model)
	if tier == prompt.TierPlain {
		t.engine.tellSmall(t)
		return nil
	}
	var list []tools.Tool
	for _, tool := range t.allTools(ctx) {
		delegates := tool.Name() == registry.ToolAgent || tool.Name() == registry.ToolSkill
		listed := lists(t.agent, tool) || t.agent.Tools == nil && (tier == prompt.TierLarge || !changesMemory(tool.Name()))
		if listed && (!delegates || t.agent.Entry) {
			list = append(list, tool)
		}
	}
	return t.fitting(list)
}

// lists reports whether an agent's file lists a tool; MCP is all those of other programs.
func lists(a registry.Agent, tool tools.Tool) bool {
	return registry.HasTool(a.Tools, tool.Name()) || tools.IsForeign(tool.Name()) && registry.HasTool(a.Tools, tools.MCP)
}

// foreignShare is what the tools of other programs may take of the context, in percent.
const foreignShare = 10

// fitting leaves out tools of other programs where there are more than fit: those stay
// that are nearest to the message. All of them in the same order make the same prompt.
func (t *turn) fitting(list []tools.Tool) []tools.Tool {
	room := cmp.Or(t.numCtx, defaultMaxTokens) * foreignShare / 100
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
	for _, n := range append(prompt.Relevant(cmp.Or(t.req.Text, t.user.Text), foreign), foreign...) {
		if need := size(by[n.Name]); need <= room && !kept[n.Name] {
			kept[n.Name], room = true, room-need
		}
	}
	return slices.DeleteFunc(list, func(tool tools.Tool) bool { return tools.IsForeign(tool.Name()) && !kept[tool.Name()] })
}

// allTools are the tools of this version, always in this order.
func (t *turn) allTools(ctx context.Context) []tools.Tool {
	list := []tools.Tool{agentTool{t}, skillTool{t}, memoryTool{t}, replaceTool{t}, removeTool{t}}
	if t.engine.p.Stats != nil {
		list = append(list, statsTool{t.engine.p.Stats})
	}
	if t.mayRecall() {
		list = append(list, searchTool{t})
	}
	list = append(list, t.fetchTool())
	if t.engine.p.Outside != nil && t.req.Place == nil { // there nobody can be asked
		for _, tool := range t.engine.p.Outside(ctx) {
			list = append(list, tool)
		}
	}
	return t.permitted(list)
}

// specialistTools are what a sub-call may use: what its agent.json lists, never
// delegation or MEMORY_APPEND. Changes of the memory are only proposed, so a
// specialist may propose them.
func (t *turn) specialistTools(ctx context.Context, a registry.Agent, model ollama.ModelInfo) []tools.Tool {
	var list []tools.Tool
	if t.toolsTier(a, model) == prompt.TierPlain {
		return nil
	}
	for _, tool := range t.allTools(ctx) {
		switch tool.Name() {
		case registry.ToolAgent, registry.ToolSkill, tools.MemoryAppend:
			continue
		}
		if lists(a, tool) {
			list = append(list, tool)
		}
	}
	return t.fitting(list)
}
