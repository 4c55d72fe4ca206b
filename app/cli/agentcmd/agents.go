// Package agentcmd implements `mac-stats agents`: it lists agents, shows the prompt of each,
// runs their tests, and customises and resets the shipped ones.
//
// A broken agent is listed with its error and can be shown, because people want to look at
// it (Find). test sends the prompts of an agent's testing.md in sessions that are never
// saved, and fails if an expectation does. What came with mac-stats isn't in the folder:
// customise copies an agent there, reset moves the copy to the trash.
//
// The files belong to agents/registry. Package memorycmd uses Find; app/cli calls Command.
package agentcmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mac-stats/agents/registry"
	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
)

// agentLine is a line of `agents list --json`.
type agentLine struct {
	Type    string `json:"type"` // agent
	ID      string `json:"id"`
	Slug    string `json:"slug"`
	Name    string `json:"name"`
	Model   string `json:"model"` // "" means by role
	Role    string `json:"role"`
	Enabled bool   `json:"enabled"`
	Error   string `json:"error"` // why it can't be used; "" if it can
}

// agentDetail is the line of `agents show --json`.
type agentDetail struct {
	agentLine

	Description string   `json:"description"`
	Entry       bool     `json:"orchestrator"`
	Tools       []string `json:"tools"` // null means the default tools
	Temperature *float64 `json:"temperature"`
	MaxRounds   int      `json:"max_tool_iterations"`
	Path        string   `json:"path"`
	Warnings    []string `json:"warnings"`
	Soul        string   `json:"soul"`
	Mood        string   `json:"mood"`
	Skill       string   `json:"skill"`
}

// keptLine is a line of `agents reset --json` and `agents customise --json`.
type keptLine struct {
	Type string `json:"type"` // kept | customised
	Path string `json:"path"`
}

// Command returns agents.
func Command(c *cmdline.Line) *cobra.Command {
	group := cmdline.Group("agents", "List, show, test, customise and reset agents", listCommand(c), showCommand(c), testCommand(c), customiseCommand(c), resetCommand(c))
	group.Long = `An agent is a folder agents/agent-<id> with agent.json and skill.md, or a file
agents/<name>.md with front matter. Those that came with mac-stats are in the program
until you customise them: a file in their folder takes the place of theirs. SEL is an
agent's slug, name or id.`
	return group
}

func listCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "list", Short: "List agents, broken ones with their error", Args: cmdline.NoArgs,
		RunE: c.OnBackend(func(_ context.Context, b *backend.Backend, _ []string) error {
			return printAgents(c, b.Registry.Agents(), b.Registry.NotAgents())
		}),
	})
}

func lineOf(a registry.Agent) agentLine {
	line := agentLine{Type: "agent", ID: a.ID, Slug: a.Slug, Name: a.Name, Model: a.Model, Role: a.Role, Enabled: a.Enabled}
	if a.Err != nil {
		line.Error = a.Err.Error()
	}
	return line
}

// printAgents prints the agents; others are files that look like an agent but aren't.
func printAgents(c *cmdline.Line, list []registry.Agent, others []string) error {
	lines := c.Out.NewList("ID", "SLUG", "NAME", "MODEL", "STATE")
	for _, a := range list {
		lines.Add(lineOf(a), a.ID, a.Slug, a.Name, modelWords(a), stateWords(a))
	}
	if err := lines.End(""); err != nil || c.Out.AsJSON {
		return err
	}
	for _, a := range list {
		for _, w := range a.Warnings {
			c.Note(filepath.Base(a.Path) + ": " + w)
		}
	}
	for _, n := range others {
		c.Note("note: " + n)
	}
	return nil
}

func modelWords(a registry.Agent) string {
	if a.Model != "" {
		return a.Model
	}
	return "by role: " + a.Role
}

func stateWords(a registry.Agent) string {
	switch {
	case a.Err != nil:
		return "broken: " + words.OneLine(a.Err.Error(), 120)
	case !a.Enabled:
		return "off"
	case a.Entry:
		return "orchestrator"
	}
	return "on"
}

// Find finds an agent, even a broken or disabled one, because people look at those.
func Find(b *backend.Backend, selector string) (registry.Agent, error) {
	a, err := b.Registry.Find(selector)
	if err == nil {
		return a, nil
	}
	for _, a := range b.Registry.Agents() {
		for _, name := range []string{a.Slug, a.Name, a.ID, "agent-" + a.ID} {
			if strings.EqualFold(name, strings.TrimSpace(selector)) {
				return a, nil
			}
		}
	}
	return registry.Agent{}, err
}

func showCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "show SEL", Short: "Show an agent's settings and its prompt", Args: cmdline.Exactly(1, "one agent"),
		ValidArgsFunction: c.CompleteFirst(cmdline.AgentNames),
		RunE: c.OnBackend(func(_ context.Context, b *backend.Backend, args []string) error {
			a, err := Find(b, args[0])
			if err != nil {
				return err
			}
			if c.Out.AsJSON {
				return c.Out.JSON(agentDetail{
					agentLine: lineOf(a), Description: a.Description, Entry: a.Entry, Tools: a.Tools, Temperature: a.Temperature,
					MaxRounds: a.MaxRounds, Path: a.Path, Warnings: append([]string{}, a.Warnings...), Soul: a.Soul, Mood: a.Mood, Skill: a.Skill,
				})
			}
			return c.Out.Text(agentText(a))
		}),
	})
}

func agentText(a registry.Agent) string {
	var b strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-12s %s\n", name, value)
		}
	}
	row("agent", a.ID+" · "+a.Slug+" · "+a.Name)
	row("what for", a.Description)
	row("state", stateWords(a))
	row("model", modelWords(a))
	row("rounds", fmt.Sprint(a.MaxRounds))
	switch {
	case a.Tools == nil:
		row("tools", "the default ones")
	case len(a.Tools) == 0:
		row("tools", "none")
	default:
		row("tools", strings.Join(a.Tools, ", "))
	}
	if a.Temperature != nil {
		row("temperature", fmt.Sprint(*a.Temperature))
	}
	if a.Think != nil {
		row("thinks", map[bool]string{true: "yes", false: "no"}[*a.Think])
	}
	path := a.Path
	if a.AsShipped {
		path += " (as it came; `mac-stats agents customise " + a.Slug + "` copies it there)"
	}
	row("path", path)
	for _, w := range a.Warnings {
		row("warning", w)
	}
	for _, part := range []struct{ name, text string }{{"soul", a.Soul}, {"mood", a.Mood}, {"skill", a.Skill}, {"examples", a.Examples}} {
		if part.text != "" {
			b.WriteString("\n--- " + part.name + " ---\n" + strings.TrimSpace(part.text) + "\n")
		}
	}
	return b.String()
}

func customiseCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "customise SEL", Aliases: []string{"customize"}, Short: "Copy a shipped agent into your folder, to edit it",
		Long:              "customise copies the files of an agent that came with mac-stats into your folder. From then\non they are yours: new versions of mac-stats don't change them. reset takes them away again.",
		Args:              cmdline.Exactly(1, "one agent"),
		ValidArgsFunction: c.CompleteFirst(cmdline.AgentNames),
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, args []string) error {
			a, err := Find(b, args[0])
			if err != nil {
				return err
			}
			if !b.Registry.Ships(a.ID) || !a.HasFolder() {
				return cmdline.Problem(a.Slug+" is yours already: "+a.Path, "Edit it there.")
			}
			if err := b.Registry.Customise(ctx, a.Path); err != nil {
				return err
			}
			return c.Out.Print(keptLine{Type: "customised", Path: a.Path}, "customised: "+a.Path+"\n")
		}),
	})
}

func resetCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "reset [SEL]", Short: "Put shipped agents back; your versions move to the trash",
		Long:              "reset puts a shipped agent back as it came, or all of them and soul.md without SEL. Your\nfiles move to agents/.trash, and what the agent has learnt stays.",
		Args:              cmdline.AtMost(1, "one agent"),
		ValidArgsFunction: c.CompleteFirst(cmdline.AgentNames),
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, args []string) error {
			selector := strings.Join(args, "")
			kept, err := b.Registry.Reset(ctx, selector)
			for _, path := range kept {
				_ = c.Out.Print(keptLine{Type: "kept", Path: path}, "kept: "+path+"\n") // the output keeps an error, which ends the command
			}
			if err != nil || c.Out.AsJSON {
				return err
			}
			if selector == "" {
				return c.Out.Text("All shipped agents are back to their defaults.\n")
			}
			return c.Out.Text(selector + ": as shipped.\n")
		}),
	})
}
