package agents

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mac-stats/agents/fetch"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
)

// ownTool is a tool of the app that runs in its turn.
type ownTool struct {
	t    *turn
	doc  tools.Doc
	run  func(t *turn, ctx context.Context, call *tools.Call) (tools.Result, error)
	fits func(t *turn, call *tools.Call) error // nil: a call needs its required parameters
}

// Doc implements tools.Tool.
func (o ownTool) Doc() tools.Doc { return o.doc }

// Run implements tools.Tool.
func (o ownTool) Run(ctx context.Context, call *tools.Call) (tools.Result, error) {
	call.Name = o.doc.Name
	return o.run(o.t, ctx, call)
}

// Fits implements tools.Fitter.
func (o ownTool) Fits(call *tools.Call) error {
	call.Name = o.doc.Name
	if o.fits == nil {
		return o.doc.Fits(call)
	}
	return o.fits(o.t, call)
}

// ownTools returns the app's own tools, always in this order.
func (t *turn) ownTools() []tools.Tool {
	owner := tools.Param{Name: "agent", Description: "whose lesson it is, where several have it"}
	list := []tools.Tool{
		ownTool{t, tools.Doc{
			Name: registry.ToolAgent, Usage: "AGENT: <slug> <task>", Reports: true,
			Description: "Hands a task to another agent, who sees the task alone.",
			Effects:     tools.Effects{Sends: "the task, to that agent's model"},
			Params:      []tools.Param{{Name: "agent", Description: "the agent's slug, from the list", Required: true}, {Name: "task", Description: "the task, with all the agent needs to know; left out: the user's message"}},
		}, (*turn).delegate, (*turn).fitsSpecialist},
		ownTool{t, tools.Doc{
			Name: registry.ToolSkill, Usage: "SKILL: <name> <task>", Reports: true,
			Description: "Has a task done by the rules of a skill, which sees the task alone.",
			Effects:     tools.Effects{Sends: "the task, to the model"},
			Params:      []tools.Param{{Name: "skill", Description: "the skill's name, from the list", Required: true}, {Name: "task", Description: "the task, with all that is needed; left out: the user's message"}},
		}, (*turn).delegate, (*turn).fitsSpecialist},
		ownTool{t, tools.Doc{
			Name: tools.MemoryAppend, Usage: "MEMORY_APPEND: [agent:<id>] <lesson>",
			Description: "Saves one short sentence for later conversations; with agent:<id>, for that agent alone.",
			Effects:     tools.Effects{Writes: "one line of your memory, or a proposal"},
			Params: []tools.Param{
				{Name: "lesson", Description: "one short sentence", Required: true},
				{Name: "agent", Description: "the id or slug of the agent it is for; left out: all"},
			},
		}, (*turn).remember, (*turn).fitsLesson},
		ownTool{t, tools.Doc{
			Name: tools.MemoryReplace, Usage: "MEMORY_REPLACE: [agent:<id>] <old> => <new>",
			Description: "Proposes another text for a lesson; old is copied exactly. The user decides.",
			Effects:     tools.Effects{Writes: "a proposal"},
			Params: []tools.Param{
				{Name: "old", Description: "the lesson, copied exactly", Required: true},
				{Name: "new", Description: "one short sentence", Required: true},
				owner,
			},
		}, (*turn).replaceLesson, nil},
		ownTool{t, tools.Doc{
			Name: tools.MemoryRemove, Usage: "MEMORY_REMOVE: [agent:<id>] <text>",
			Description: "Proposes to forget a lesson; its text is copied exactly. The user decides.",
			Effects:     tools.Effects{Writes: "a proposal"},
			Params:      []tools.Param{{Name: "text", Description: "the lesson, copied exactly", Required: true}, owner},
		}, (*turn).removeLesson, nil},
	}
	if t.engine.p.Stats != nil {
		list = append(list, tools.Stats{Read: t.engine.p.Stats})
	}
	if t.searchable() {
		where := "earlier conversations and the memory"
		if t.searchScope().Session != "" {
			where = "the earlier parts of this conversation"
		}
		list = append(list, ownTool{t, tools.Doc{
			Name: tools.MemorySearch, Usage: "MEMORY_SEARCH: <query>",
			Description: "Finds what was said in " + where + ": names, dates, decisions.",
			Effects:     tools.Effects{Reads: "your earlier conversations and your memory"},
			Params:      []tools.Param{{Name: "query", Description: "what to look for, in a few words", Required: true}},
		}, (*turn).searchMemory, nil})
	}
	return append(list, fetch.Tool{Fetcher: t.engine.fetch})
}

// finders returns the tools that find an agent or a skill, if the prompt doesn't list all.
func (t *turn) finders() (list []tools.Tool) {
	for _, name := range []string{registry.ToolFindAgent, registry.ToolFindSkill} {
		list = append(list, ownTool{t, tools.Doc{
			Name: name, Usage: name + ": <what for>",
			Description: "Finds " + strings.ToLower(strings.TrimPrefix(name, "FIND_")) + "s that are not listed, by what they are for.",
			Effects:     tools.Effects{Reads: "the list of your agents and skills"},
			Params:      []tools.Param{{Name: "query", Description: "what it is to do, in a few words of English", Required: true}},
		}, (*turn).findSpecialists, nil})
	}
	return list
}

// toolsFor returns the tools of an agent, always in the same order: those in its agent.json,
// else all for an entry agent and all but delegation for another; none in the plain tier.
// Below the large tier, MEMORY_REPLACE and MEMORY_REMOVE must be listed, because few agents
// need them. In a sub-call, only listed ones are offered, and never delegation or
// MEMORY_APPEND: those that change the memory only make proposals. It reports which tools are
// missing, once a turn.
func (t *turn) toolsFor(ctx context.Context, a registry.Agent, model ollama.ModelInfo, sub bool) []tools.Tool {
	_, tier := t.tiers(a, model)
	if tier == prompt.TierPlain {
		_, suits := t.tiers(registry.Agent{}, model)
		if !sub && !t.silent && suits == prompt.TierPlain && t.settings.ToolsTier != string(prompt.TierPlain) { // nobody chose that
			if _, told := t.engine.small.LoadOrStore(model.Name, true); !told {
				t.warn(StateReading, fmt.Sprintf("The model %s is too small for tools and other agents: it answers by itself", model.Name))
			}
		}
		return nil
	}
	list := slices.Clone(t.own)
	if outside := t.engine.p.Outside; outside != nil && t.req.Place == nil { // nobody can be asked in a place
		var waiting func(string)
		if !t.silent {
			waiting = func(program string) { t.state(StateLoading, "starting the MCP server "+program) }
		}
		guarded, missing := outside(ctx, waiting)
		t.unknown = t.silent && len(missing) > 0 && len(guarded) == 0
		for _, tool := range guarded {
			list = append(list, tool)
		}
		for _, words := range missing {
			if t.once(words) {
				t.warn(StateReading, words)
			}
		}
	}
	list = slices.DeleteFunc(list, func(tool tools.Tool) bool {
		name := tool.Doc().Name
		listed := registry.HasTool(a.Tools, name) || tools.IsForeign(name) && registry.HasTool(a.Tools, tools.MCP) // MCP stands for all tools of other programs
		change := name == tools.MemoryReplace || name == tools.MemoryRemove
		switch {
		case t.req.Place != nil && !registry.HasTool(t.req.Place.Tools, name):
			return true
		case sub:
			return !listed || registry.Delegates(name) || name == tools.MemoryAppend
		case registry.Delegates(name) && !a.Entry:
			return true
		}
		return !listed && (a.Tools != nil || change && tier != prompt.TierLarge)
	})
	return t.fitting(list)
}

// once reports whether this is the first time that something is told.
func (t *turn) once(what string) bool {
	before := t.told[what]
	t.told[what] = true
	return !before
}

// foreignShare limits the tools of other programs to a share of the context, in percent.
const foreignShare = 10

// mostNamed is the number of tools that are named when they don't fit.
const mostNamed = 10

// fitting leaves out tools of other programs if more are offered than fit. It keeps those that the message names, those that the conversation's
// last answer was offered, those that were used before, and those closest to the message,
// and reports the others. The order stays the same, so that prompts do too.
func (t *turn) fitting(list []tools.Tool) []tools.Tool {
	message := cmp.Or(t.req.Text, t.message.Text)
	room := cmp.Or(t.numCtx, defaultMaxTokens) * foreignShare / 100
	size := func(tool tools.Tool) int {
		return transcript.EstimateTokens(tools.Schemas([]tools.Tool{tool}).String())
	}
	var named, before, used, foreign []prompt.Named
	last := strings.Fields(t.lastAnswer.Attrs[attrTools])
	by, total := map[string]tools.Tool{}, 0
	for _, tool := range list {
		if tools.IsForeign(tool.Doc().Name) {
			n := prompt.Named{Name: tool.Doc().Name, Description: tool.Doc().Description}
			foreign = append(foreign, n)
			if _, bare, _ := strings.Cut(n.Name, "."); strings.Contains(strings.ToLower(message), strings.ToLower(bare)) {
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
	for _, n := range slices.Concat(named, before, used, prompt.Relevant(message, foreign), foreign) {
		if need := size(by[n.Name]); need <= room && !kept[n.Name] {
			kept[n.Name], room = true, room-need
		}
	}
	var out []string
	t.offered = nil
	for _, n := range foreign {
		if !kept[n.Name] {
			out = append(out, n.Name)
		} else {
			t.offered = append(t.offered, n.Name)
		}
	}
	if more := len(out) - mostNamed; more > 0 {
		out = append(out[:mostNamed], fmt.Sprintf("%d more", more))
	}
	if names := strings.Join(out, ", "); t.once(names) {
		t.cut(prompt.ContextCut{Tools: names})
	}
	return slices.DeleteFunc(list, func(tool tools.Tool) bool { return tools.IsForeign(tool.Doc().Name) && !kept[tool.Doc().Name] })
}

// OwnTools returns the tools whose results hold no text of strangers. The results of all
// other tools count as strangers' text, including those that another program wrote to
// the transcript. A search that found strangers' words records that on its block.
func OwnTools() []string {
	return []string{registry.ToolAgent, registry.ToolSkill, registry.ToolFindAgent, registry.ToolFindSkill, tools.SystemStats, tools.MemorySearch, tools.MemoryAppend, tools.MemoryReplace, tools.MemoryRemove}
}
