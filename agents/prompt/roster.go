package prompt

import (
	"fmt"
	"slices"
	"strings"

	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
)

// addRoster adds the roster beside tools of that size, agents before skills. If the share has
// no room for the whole roster, it lists the pinned entries and counts the rest, which
// are named with the messages they suit, so that the prompt doesn't change with them.
func (b *promptBuilder) addRoster(tools int) {
	all := b.in.Roster()
	if !b.in.Delegate || len(all) == 0 {
		return
	}
	room := b.budget.Roster - tools
	if b.in.Native {
		room -= b.cost(toolForms(b.in.Tools)) // sent as schemas, outside the system prompt
	}
	text := rosterText(all)
	if !b.budget.Known() || b.cost(text) <= room {
		b.add(text)
		return
	}
	var listed []Named
	for _, n := range all {
		more := append(slices.Clone(listed), n)
		if n.Pinned && b.cost(rosterText(more)+leftOut(all)) <= room {
			listed = more
			continue
		}
		b.out.Others = append(b.out.Others, n)
	}
	text = strings.TrimSpace(rosterText(listed) + "\n\n" + leftOut(b.out.Others))
	b.add(text)
	b.out.Room = max(room-b.cost(text), 0)
	b.out.Cut.Roster = len(b.out.Others)
}

// leftOut returns the sentence about agents and skills that aren't listed.
func leftOut(others []Named) string {
	return fmt.Sprintf("(%d more are not listed. Those that fit a message are named below it; %s and %s find others.)", len(others), registry.ToolFindAgent, registry.ToolFindSkill)
}

// toolsText returns the rules for tools, and what is special to the agent's own.
func (b *promptBuilder) toolsText() (rules, own string) {
	if len(b.in.Tools) == 0 && !b.in.Delegate {
		return "", ""
	}
	guide := b.in.Guides.Directives
	if b.in.Native {
		guide = b.in.Guides.NativeTools
	}
	var parts []string
	if forms := toolForms(b.in.Tools); forms != "" && !b.in.Native {
		parts = append(parts, "# Your tools\n"+forms)
	}
	if b.in.Tier == TierMiddle && guide.Examples != "" {
		parts = append(parts, "# Examples\n"+b.offered(guide.Examples))
	}
	if b.in.Delegate && guide.Delegation != "" {
		parts = append(parts, "# Delegation\n"+guide.Delegation)
	}
	return "# Tools\n" + guide.Rules, strings.Join(parts, "\n\n")
}

// offered removes the lines of a text that name a tool which isn't offered.
func (b *promptBuilder) offered(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if !slices.ContainsFunc(registry.KnownTools, func(name string) bool {
			return strings.Contains(line, name) && !slices.ContainsFunc(b.in.Tools, func(t tools.Doc) bool { return t.Name == name })
		}) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// toolForms lists the exact forms, one per line. The guide's section on delegation
// explains how to hand over a task, with an example.
func toolForms(tools []tools.Doc) string {
	var s strings.Builder
	for _, t := range tools {
		if registry.Delegates(t.Name) {
			continue
		}
		fmt.Fprintf(&s, "- `%s` %s\n", t.Usage, strings.TrimSpace(t.Description))
	}
	return strings.TrimSpace(s.String())
}

// Roster returns what can be delegated to, agents before skills.
func (in Input) Roster() []Named {
	var all []Named
	for _, a := range in.Agents {
		if a.Usable() && a.Path != in.Agent.Path {
			all = append(all, Named{Name: a.Slug, Description: a.Description, Pinned: a.Pinned})
		}
	}
	for _, s := range in.Skills {
		if s.Err == nil {
			all = append(all, Named{Name: s.Name, Description: s.Description, Pinned: s.Pinned, Skill: true})
		}
	}
	return all
}

// rosterText lists agents and skills, each kind under its heading.
func rosterText(list []Named) string {
	var parts []string
	for _, kind := range []struct {
		heading string
		skills  bool
	}{{"# Agents", false}, {"# Skills", true}} {
		var lines []string
		for _, n := range list {
			if n.Skill == kind.skills {
				lines = append(lines, n.Line())
			}
		}
		if len(lines) > 0 {
			parts = append(parts, kind.heading+"\n"+strings.Join(lines, "\n"))
		}
	}
	return strings.Join(parts, "\n\n")
}

// maxNamed is the number of agents and skills named with a message. Of 333 public ones,
// the right one was among the first 8 for 48 of 50 tasks, among the first 10 for 49, and
// among the first 30 for no more.
const maxNamed = 10

// NameRelevant returns the lines of the agents and skills that were left out of the system
// prompt but suit the message, in at most s.Room tokens, and their number. The text is ""
// if there are none.
func NameRelevant(message string, s System, cost func(text string) int) (text string, named int) {
	list := Relevant(message, s.Others)
	for n := min(len(list), maxNamed); n > 0; n-- {
		text := Context("agents and skills that may fit this message") + "\n" + rosterText(list[:n])
		if cost(text) <= s.Room {
			return text, n
		}
	}
	return "", 0
}
