// Package memorycmd implements `mac-stats memory`: memory files, proposals, search,
// forgetting, the search index and the memory server.
//
// A line that a person types is remembered at once; the inbox shows a model's proposals and decides
// about them. A command that concerns memory files reports, at its end, the lines that
// another program's save removed. search never reads the files; it reports how many changed files
// the index lacks. forget first shows what would go, and changes nothing without --yes.
//
// sessionmem owns the files, the index and forgetting; commands reach it through the
// backend. Package doctorcmd uses the functions about the memory server; app/cli calls Command.
package memorycmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/agentcmd"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/sharedfile"
)

// memoryLine is a line of `memory list --json`.
type memoryLine struct {
	Type      string `json:"type"` // memory
	File      string `json:"file"`
	Line      int    `json:"line"` // from 1
	Text      string `json:"text"`
	From      string `json:"from"`
	UsedChars int    `json:"used_chars"` // characters of the file that go into a prompt
	Budget    int    `json:"budget"`     // 0 means no limit
}

// Command returns memory.
func Command(c *cmdline.Line) *cobra.Command {
	group := cmdline.Group("memory", "Show what is remembered, add to it, and find what was said", listCommand(c), addCommand(c), beginCommand(c), inboxCommand(c), undoCommand(c), restoreCommand(c),
		searchCommand(c), statusCommand(c), reindexCommand(c), summarizeCommand(c), forgetCommand(c), backendCommand(c))
	group.Long = `Memory is markdown files that you can edit: agents/memory.md for all agents,
agents/agent-<id>/memory.md for one. Any text in them counts, from the next message on.
Conversations are in the transcripts; search finds them there.`
	return group
}

func listCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List what is remembered, by file", Args: cmdline.NoArgs}
	c.WithJSON(cmd)
	agent := cmd.Flags().String("agent", "", "only this agent's own memory: slug, name or id")
	c.CompleteFlag(cmd, "agent", cmdline.AgentNames)
	cmd.RunE = c.OnMemory(func(_ context.Context, b *backend.Backend, _ []string) error {
		files, err := memoryFiles(b, *agent)
		if err != nil {
			return err
		}
		unread := false
		for _, f := range files {
			if f.Err != nil {
				unread = true
				c.Note(fmt.Sprintf("mac-stats: %s can't be read: %v", f.Path, f.Err))
				continue
			}
			if err := printMemory(c, b, f); err != nil {
				return err
			}
			if words := f.Odd(); words != "" {
				c.Note(fmt.Sprintf("mac-stats: %s %s", f.Path, words))
			}
		}
		if copies := b.Memory.Copies(); *agent == "" && len(copies) > 0 {
			c.Note(copyWords(copies))
		}
		if unread {
			return cmdline.ErrFindings
		}
		return nil
	})
	return cmd
}

// copyWords says which files lie beside the memory files and aren't read.
func copyWords(copies []string) string {
	verb := "is a copy and isn't"
	if len(copies) > 1 {
		verb = "are copies and aren't"
	}
	return "mac-stats: " + strings.Join(copies, ", ") + " " + verb + " read as memory; compare with the original before you remove anything"
}

func memoryFiles(b *backend.Backend, agent string) ([]memory.File, error) {
	if agent == "" {
		return b.Memory.List()
	}
	target, err := memoryTarget(b, agent)
	if err != nil {
		return nil, err
	}
	f, err := b.Memory.Load(target)
	return []memory.File{f}, err
}

// memoryTarget returns the agent's own memory, or the common one.
func memoryTarget(b *backend.Backend, agent string) (memory.Target, error) {
	if agent == "" {
		return memory.Target{Kind: memory.TargetGlobal}, nil
	}
	a, err := agentcmd.Find(b, agent)
	if err != nil {
		return memory.Target{}, err
	}
	if !a.HasFolder() {
		return memory.Target{}, cmdline.Problem(a.Slug+" is a single file and has no memory of its own.",
			"Leave --agent out to use the memory of all agents.")
	}
	return memory.Target{Kind: memory.TargetAgent, ID: a.ID}, nil
}

func printMemory(c *cmdline.Line, b *backend.Backend, f memory.File) error {
	budget := b.MemoryBudget(f.Target)
	injected := memorytext.Inject(f.Text, cmp.Or(budget, math.MaxInt))
	if !c.Out.AsJSON {
		if err := c.Out.Text(memoryHeading(f, injected, budget)); err != nil {
			return err
		}
	}
	for _, piece := range memorytext.Pieces(f.Text) {
		line := memoryLine{
			Type: "memory", File: f.Path, Line: piece.Line, Text: piece.Text, From: piece.From,
			UsedChars: injected.Used, Budget: budget,
		}
		text := fmt.Sprintf("%5d  %s", piece.Line, words.OneLine(piece.Text, 500))
		if piece.From != "" {
			text += "  (" + words.OneLine(piece.From, 60) + ")"
		}
		if err := c.Out.Print(line, text+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// memoryHeading describes how full a file is and how much of it prompts leave out.
func memoryHeading(f memory.File, in memorytext.Injected, budget int) string {
	text := f.Path
	switch {
	case f.Missing:
		return text + ": nothing yet\n"
	case budget > 0:
		text += fmt.Sprintf(": %d %% · %s of %s characters", 100*in.Size/budget, words.Thousands(in.Size), words.Thousands(budget))
	}
	if len(memorytext.Pieces(f.Text)) == 0 {
		text += " · nothing remembered yet"
	}
	if in.Left > 0 {
		text += " · " + words.Count(in.Left, "character does", "characters do") + " not fit a prompt"
	}
	return text + "\n"
}

func addCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "add TEXT | -", Short: "Remember a sentence",
		Example: `  mac-stats memory add "The backup disk is called Backup"
  mac-stats memory add --agent coder "Use tabs in Go"`,
	}
	c.WithJSON(cmd)
	agent := cmd.Flags().String("agent", "", "add it to this agent's own memory: slug, name or id")
	c.CompleteFlag(cmd, "agent", cmdline.AgentNames)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, err := c.ReadMessage(cmd, args, false)
		if err != nil {
			return err
		}
		text := m.Text // remembering piped text is the purpose of the command
		for _, u := range m.Piped {
			text += " " + string(u.Data)
		}
		return c.WithMemory(cmd.Context(), func(b *backend.Backend) error {
			target, err := memoryTarget(b, *agent)
			if err != nil {
				return err
			}
			text = strings.Join(strings.Fields(text), " ")
			w, err := b.Memory.Append(cmd.Context(), memory.Lesson{Text: text, Target: target, Confidence: 1, Hand: true})
			if errors.Is(err, sharedfile.ErrLater) {
				c.Note("mac-stats: " + err.Error())
				return printWaiting(c, b, text)
			}
			if err != nil {
				return err
			}
			return printAdded(c, b, w)
		})
	}
	return cmd
}

func beginCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "begin", Short: "Begin a memory file anew that is missing", Args: cmdline.NoArgs,
		Long: `A memory file that was there before and is missing is not taken for an empty one: its disk may not
be mounted. Lessons wait in the inbox until it is back. This command begins an empty file instead.`,
	}
	agent := cmd.Flags().String("agent", "", "this agent's own memory: slug, name or id")
	c.CompleteFlag(cmd, "agent", cmdline.AgentNames)
	cmd.RunE = c.OnMemory(func(ctx context.Context, b *backend.Backend, _ []string) error {
		target, err := memoryTarget(b, *agent)
		if err != nil {
			return err
		}
		if err := b.Memory.Begin(ctx, target); err != nil {
			return err
		}
		return c.Out.Text("begun: " + b.Memory.Path(target) + "\n")
	})
	return cmd
}

// printAdded shows the line as it is now in the file.
func printAdded(c *cmdline.Line, b *backend.Backend, w memory.Written) error {
	if !c.Out.AsJSON {
		return c.Out.Text(fmt.Sprintf("remembered: %s\n  %s:%d\n", w.Text, w.Path, w.Line) + fullness(b, w.Target))
	}
	line := memoryLine{Type: "memory", File: w.Path, Line: w.Line, Text: w.Text, Budget: b.MemoryBudget(w.Target)}
	f, err := b.Memory.Load(w.Target)
	if err != nil {
		return err
	}
	line.UsedChars = memorytext.Inject(f.Text, cmp.Or(line.Budget, math.MaxInt)).Used
	for _, bullet := range f.Bullets {
		if bullet.Line == w.Line {
			line.From = bullet.From
		}
	}
	return c.Out.JSON(line)
}

// fullness warns of a memory that no longer fits a prompt, or soon won't.
func fullness(b *backend.Backend, t memory.Target) string {
	budget := b.MemoryBudget(t)
	f, err := b.Memory.Load(t)
	in := memorytext.Inject(f.Text, budget)
	if err != nil || budget <= 0 || in.Size*10 < budget*8 {
		return ""
	}
	return "  " + memoryHeading(f, in, budget)
}
