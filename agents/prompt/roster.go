package prompt

import (
	"fmt"
	"slices"
	"strings"

	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/excerpt"
)

// descriptionRunes is how long an agent's or a skill's line in the roster may
// be, in characters.
const descriptionRunes = 120

// addToolsAndRoster adds the tools in whole and the roster: agents first, then skills.
// Where the share has no room for all of it the pinned ones are listed, and the rest is
// counted and left to the messages. So what stands here doesn't change with them.
func (b *promptBuilder) addToolsAndRoster() {
	tools := b.toolsText()
	b.add(tools)
	all := b.in.Roster()
	if !b.in.Delegate || len(all) == 0 {
		return
	}
	room := b.budget.Roster - b.cost(tools)
	if b.in.Native {
		room -= b.cost(toolForms(b.in.Tools)) // sent as schemas, beside the system prompt
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

// leftOut tells the model of agents and skills that are not listed.
func leftOut(others []Named) string {
	return fmt.Sprintf("(%d more are not listed. Those that fit a message are named below it; %s and %s find others.)", len(others), registry.ToolFindAgent, registry.ToolFindSkill)
}

func (b *promptBuilder) toolsText() string {
	if len(b.in.Tools) == 0 && !b.in.Delegate {
		return ""
	}
	guide := b.in.Guides.Directives
	if b.in.Native {
		guide = b.in.Guides.NativeTools
	}
	guide, examples := cutSection(guide, "Examples")
	guide, delegation := cutSection(guide, "Delegation")
	text := "# Tools\n" + guide
	if b.in.Tier == TierMiddle {
		text += "\n\n" + b.offered(examples)
	}
	if forms := toolForms(b.in.Tools); forms != "" && !b.in.Native {
		text += "\n\nYour tools:\n" + forms
	}
	if b.in.Delegate && delegation != "" {
		text += "\n\n" + delegation
	}
	return text
}

// offered leaves out the lines of a text that name a tool which isn't offered.
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

// toolForms lists the exact forms, one a line. How to hand over a task is told
// by the guide's section on delegation, with an example.
func toolForms(tools []tools.Doc) string {
	var s strings.Builder
	for _, t := range tools {
		if isDelegation(t.Name) {
			continue
		}
		fmt.Fprintf(&s, "- `%s` %s\n", t.Usage, strings.TrimSpace(t.Description))
	}
	return strings.TrimSpace(s.String())
}

// Roster is what can be delegated to, agents before skills.
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

// mostNamed is how many agents and skills are named with a message: of 333 public ones the
// right one was among the first 8 for 48 of 50 tasks, among the first 10 for 49, and no
// further one among the first 30.
const mostNamed = 10

// NameFitting gives what stands below a message where agents and skills are left out: the
// lines of those that fit it, in at most so many tokens, and how many they are. "" for none.
func NameFitting(message string, s System, cost func(text string) int) (text string, named int) {
	list := Relevant(message, s.Others)
	for n := min(len(list), mostNamed); n > 0; n-- {
		text := Context("agents and skills that may fit this message") + "\n" + rosterText(list[:n])
		if cost(text) <= s.Room {
			return text, n
		}
	}
	return "", 0
}

// rosterLine is "name: description" on one line, the description cut to
// descriptionRunes at a word where one is near.
func rosterLine(name, description string) string {
	description = strings.Join(strings.Fields(description), " ")
	if description == "" {
		return name
	}
	return name + ": " + excerpt.Shorten(description, descriptionRunes)
}
