package agents

import (
	"context"
	"path"
	"path/filepath"

	"mac-stats/agents/delegate"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/memory"
)

// prompts builds the system prompts of a turn from the current files.
type prompts struct {
	parts
	place *Place
}

// system returns the prompt of the turn's agent. If it has no room for all agents and
// skills, system adds the tools that find one to the dialogue.
func (p *prompts) system(d *dialogue, to delegate.Config) prompt.System {
	build := func() prompt.System {
		in := p.input(d)
		in.Session = p.cast.chosen.Prompt + p.cast.rules
		if in.Delegate = tools.Find(d.window.Tools, registry.ToolAgent) != nil || tools.Find(d.window.Tools, registry.ToolSkill) != nil; in.Delegate {
			roster := to.Input()
			in.Agents, in.Skills = roster.Agents, roster.Skills
		}
		return prompt.BuildSystem(in)
	}
	system := build()
	if len(system.Others) == 0 || tools.Find(d.window.Tools, registry.ToolFindAgent) != nil {
		return system
	}
	d.window.Tools = append(d.window.Tools, to.Finders()...)
	return build()
}

// input returns what every system prompt contains: the agent, its memory, its tools.
func (p *prompts) input(d *dialogue) prompt.Input {
	settings := p.cast.settings
	in := prompt.Input{
		Agent: d.agent, GlobalBudget: settings.GlobalBudget, AgentBudget: settings.AgentBudget,
		Global: p.load(memory.Target{Kind: memory.TargetGlobal}),
		Own:    memory.File{Missing: true},
		Tier:   p.cast.promptTier(d.agent, d.model), ContextTokens: d.numCtx, Native: d.window.Native, Tools: tools.Docs(d.window.Tools), Guides: p.cast.base.guides,
		Estimate: d.estimate,
	}
	if target, ok := registry.OwnMemory(d.agent); ok {
		in.Own = p.load(target)
	}
	if p.place != nil {
		p.addPlace(&in)
	}
	return in
}

// addPlace adds the memory of a place to a prompt and removes what doesn't belong there.
func (p *prompts) addPlace(in *prompt.Input) {
	in.First = p.place.Prompt
	if !p.place.Global {
		in.Global = memory.File{Missing: true}
	}
	if !p.place.OwnMemory {
		in.Own = memory.File{Missing: true}
	}
	for _, m := range p.place.Memory {
		in.Shared = append(in.Shared, prompt.SharedMemory{Heading: m.Heading, File: p.load(m.Target), Budget: m.Budget})
	}
}

// load reads a memory file now, so that an edit saved before Enter is in this prompt. A
// file that can't be read is left out with a warning.
func (p *prompts) load(target memory.Target) memory.File {
	base := p.cast.base
	f, err := base.p.Memory.LoadStable(context.Background(), target)
	if f.Saving && f.Text == "" {
		p.report.warn(StateReading, filepath.Base(f.Path)+" is being saved by another program; this message goes without it")
	}
	if err != nil {
		base.log.Warn("a memory file could not be read", "path", f.Path, "err", err)
		p.report.warn(StateReading, "the memory could not be read and is left out: "+err.Error())
		return memory.File{Target: target, Missing: true}
	}
	if added, removed, changed := base.memoryChanged(f); changed {
		p.report.emit(Event{Type: EventMemoryReloaded, Memory: &MemoryChange{
			Path: f.Path, Target: targetName(target), Added: added, Removed: removed,
		}})
	}
	return f
}

// memoryRead returns the memory files that a prompt contains.
func memoryRead(s prompt.System) []MemoryRead {
	var out []MemoryRead
	for _, m := range s.Memory {
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
