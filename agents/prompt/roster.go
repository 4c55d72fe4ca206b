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

// addToolsAndRoster adds the tools in whole and as much of the roster as the
// share leaves room for: agents first, then skills.
func (b *promptBuilder) addToolsAndRoster() {
	tools := b.toolsText()
	b.add(tools)
	if !b.in.Delegate {
		return
	}
	room := b.budget.Roster - b.cost(tools)
	if b.in.Native {
		room -= b.cost(toolForms(b.in.Tools)) // sent as schemas, beside the system prompt
	}
	b.addRoster("# Agents", b.agentLines(), &room)
	b.addRoster("# Skills", b.skillLines(), &room)
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

func (b *promptBuilder) agentLines() []string {
	var lines []string
	for _, a := range b.in.Agents {
		if a.Usable() && a.Path != b.in.Agent.Path {
			lines = append(lines, rosterLine(a.Slug, a.Description))
		}
	}
	return lines
}

func (b *promptBuilder) skillLines() []string {
	var lines []string
	for _, s := range b.in.Skills {
		if s.Err == nil {
			lines = append(lines, rosterLine(s.Name, s.Description))
		}
	}
	return lines
}

// addRoster adds a list under a heading and takes what it costs off room. Lines
// that do not fit are counted, to the model and in Cut.
func (b *promptBuilder) addRoster(heading string, lines []string, room *int) {
	if len(lines) == 0 {
		return
	}
	shown := len(lines)
	text := rosterText(heading, lines, shown)
	for b.budget.Known() && shown > 0 && b.cost(text) > *room {
		shown--
		text = rosterText(heading, lines, shown)
	}
	b.out.Cut.Roster += len(lines) - shown
	if shown == 0 {
		return
	}
	*room -= b.cost(text)
	b.add(text)
}

func rosterText(heading string, lines []string, shown int) string {
	text := heading + "\n" + strings.Join(lines[:shown], "\n")
	if left := len(lines) - shown; left > 0 {
		text += fmt.Sprintf("\n(%d more left out)", left)
	}
	return text
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
