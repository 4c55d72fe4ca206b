package memorycmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/memory"
)

// proposalLine is a line of `memory inbox list --json` and of the commands that decide.
type proposalLine struct {
	Type       string  `json:"type"`   // proposal
	ID         string  `json:"id"`     // for accept, edit and discard
	Change     string  `json:"change"` // add, replace or remove
	Target     string  `json:"target"` // "global", "agent 002"
	Text       string  `json:"text"`   // the line to add
	Old        string  `json:"old"`    // the line to remove
	Confidence float64 `json:"confidence"`
	Session    string  `json:"session"`
	Why        string  `json:"why"`  // ask, strangers, full, unsure, change or assistant; "" if unknown
	From       string  `json:"from"` // the blocks it comes from
	To         string  `json:"to"`
	Time       string  `json:"time"`
	File       string  `json:"file"`  // the inbox; once accepted, the memory file
	Line       int     `json:"line"`  // in that file
	State      string  `json:"state"` // waiting, accepted or discarded
	Undo       string  `json:"undo"`  // once accepted
}

func newProposalLine(b *backend.Backend, p memory.Proposal, state string) proposalLine {
	return proposalLine{
		Type: "proposal", ID: p.ID, Change: string(p.Kind), Target: p.Target.String(), Text: p.Text, Old: p.Old, Confidence: p.Confidence,
		Session: p.Session, Why: p.Why, From: p.From, To: p.To, Time: words.Stamp(p.Time), File: b.Memory.InboxPath(), Line: p.Line, State: state,
	}
}

func inboxCommand(c *cmdline.Line) *cobra.Command {
	group := c.ListGroup("inbox", "Review what models propose to remember", "List the proposals, the oldest first", listInbox(c),
		acceptCommand(c), editCommand(c), discardCommand(c))
	group.Long = `What a model may not save by itself waits in agents/memory-inbox.md, which you can edit:
every lesson if memory.write = ask, if the conversation contains text from strangers or
if the memory is full, and every change to a line. Without a command, inbox lists it.`
	return group
}

func listInbox(c *cmdline.Line) func(*cobra.Command, []string) error {
	return c.OnMemory(func(_ context.Context, b *backend.Backend, _ []string) error {
		waiting, err := b.Memory.Inbox()
		if err != nil {
			return err
		}
		if len(waiting) == 0 && !c.Out.AsJSON {
			return c.Out.Text("Nothing is proposed.\n")
		}
		for _, p := range waiting {
			if err := printProposal(c, b, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// printProposal shows a waiting proposal.
func printProposal(c *cmdline.Line, b *backend.Backend, p memory.Proposal) error {
	text := fmt.Sprintf("%s  %s, %s", p.ID, p.Kind, p.Target)
	for _, word := range []string{p.Session, stampWords(p), p.Reason()} {
		if word != "" {
			text += " · " + word
		}
	}
	if p.Old != "" {
		text += "\n  - " + words.OneLine(p.Old, 500)
	}
	if p.Text != "" {
		text += "\n  + " + words.OneLine(p.Text, 500)
	}
	return c.Out.Print(newProposalLine(b, p, "waiting"), text+"\n")
}

// stampWords describes when a proposal was made and how sure the model was.
func stampWords(p memory.Proposal) string {
	var list []string
	if !p.Time.IsZero() {
		list = append(list, words.When(p.Time))
	}
	if p.Confidence > 0 && p.Confidence < 1 {
		list = append(list, fmt.Sprintf("%.0f %% sure", 100*p.Confidence))
	}
	return strings.Join(list, " · ")
}

func acceptCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{Use: "accept ID", Short: "Accept a proposal", Args: cmdline.Exactly(1, "one id")}
	c.WithJSON(cmd)
	cmd.RunE = c.OnMemory(func(ctx context.Context, b *backend.Backend, args []string) error {
		p, err := findProposal(b, args[0])
		if err != nil {
			return err
		}
		w, err := b.Memory.Accept(ctx, args[0])
		if err != nil {
			return err
		}
		line := newProposalLine(b, p, "accepted")
		line.Text, line.Old, line.File, line.Line, line.Undo = w.Text, w.Old, w.Path, w.Line, w.UndoID
		said := "remembered: " + w.Text
		if w.Text == "" {
			said = "forgotten: " + w.Old
		}
		return c.Out.Print(line, fmt.Sprintf("%s\n  %s:%d; `mac-stats memory undo` takes it back\n", said, w.Path, w.Line)+fullness(b, w.Target))
	})
	return cmd
}

// findProposal returns a waiting proposal. For any other, Accept reports the error.
func findProposal(b *backend.Backend, id string) (memory.Proposal, error) {
	waiting, err := b.Memory.Inbox()
	for _, p := range waiting {
		if p.ID == strings.ToLower(id) {
			return p, nil
		}
	}
	return memory.Proposal{}, err
}

func editCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "edit ID TEXT", Short: "Change the words of a proposal; it keeps waiting", Args: cmdline.AtLeast(2, "an id and the new words"),
		Example: `  mac-stats memory inbox edit k3x9qa "Likes green tea"`,
		RunE: c.OnMemory(func(ctx context.Context, b *backend.Backend, args []string) error {
			p, err := b.Memory.Edit(ctx, args[0], strings.Join(args[1:], " "))
			if err != nil {
				return err
			}
			return printProposal(c, b, p)
		}),
	})
}

func discardCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "discard ID", Short: "Discard a proposal; nothing is remembered", Args: cmdline.Exactly(1, "one id"),
		RunE: c.OnMemory(func(ctx context.Context, b *backend.Backend, args []string) error {
			p, err := b.Memory.Discard(ctx, args[0])
			if err != nil {
				return err
			}
			return c.Out.Print(newProposalLine(b, p, "discarded"), "discarded: "+words.OneLine(p.Old+" "+p.Text, 500)+"\n")
		}),
	})
}

func undoCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "undo [ID]", Short: "Undo the last change to memory, or the one with an undo ID", Args: cmdline.AtMost(1, "one undo id at most"),
		Long: `undo takes back the newest change made by a model, in the window or here. Repeat it to undo
the one before, up to 20. What you changed in your editor stays as it is.`,
		RunE: c.OnMemory(func(ctx context.Context, b *backend.Backend, args []string) error {
			done, err := b.Memory.Undo(ctx, strings.Join(args, ""))
			for _, s := range done {
				if err := printUndone(c, b, s); err != nil {
					return err
				}
			}
			return err
		}),
	})
}

// undoneLine is a line of `memory undo --json`.
type undoneLine struct {
	Type    string `json:"type"` // undone
	File    string `json:"file"`
	Removed string `json:"removed"`  // the line that the change had added
	Back    string `json:"put_back"` // the line that it had removed
}

func printUndone(c *cmdline.Line, b *backend.Backend, s memory.UndoStep) error {
	file := b.Memory.Path(s.Target)
	text := "undone in " + file + "\n"
	if s.Added != "" {
		text += "- " + words.OneLine(s.Added, 500) + "\n"
	}
	if s.Removed != "" {
		text += "+ " + words.OneLine(s.Removed, 500) + "\n"
	}
	return c.Out.Print(undoneLine{Type: "undone", File: file, Removed: s.Added, Back: s.Removed}, text)
}
