package memorycmd

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/memory"
)

// missingLine is a line of `memory restore --list --json` and of the commands that decide.
type missingLine struct {
	Type  string `json:"type"` // missing
	ID    string `json:"id"`
	File  string `json:"file"`
	Line  int    `json:"line"` // line number of a restored line, from 1; otherwise 0
	Text  string `json:"text"`
	From  string `json:"from"`
	State string `json:"state"` // missing, restored or removed
}

func restoreCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "restore [ID...]", Short: "Restore remembered lines that another program's save removed",
		Long: `When an editor saves a memory file that it read before something was remembered, that
line is lost. restore puts it back: all such lines, or those with the IDs that --list
shows. --keep-removed says that you removed them yourself: they aren't mentioned any
more, and no model remembers them again.`,
		Example: `  mac-stats memory restore --list
  mac-stats memory restore
  mac-stats memory restore --keep-removed k3x9qa`,
		Args: cobra.ArbitraryArgs,
	}
	c.WithJSON(cmd)
	list := cmd.Flags().Bool("list", false, "only show them")
	keep := cmd.Flags().Bool("keep-removed", false, "leave them out for good")
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		if *list && (*keep || len(ids) > 0) {
			return cmdline.WrongUsage(cmd, "--list shows all of them and changes nothing: give it alone")
		}
		return c.WithMemory(cmd.Context(), func(b *backend.Backend) error {
			missing := b.Memory.Dropped()
			switch {
			case len(missing) == 0 && len(ids) == 0 && c.Out.AsJSON:
				return nil
			case len(missing) == 0 && len(ids) == 0:
				return c.Out.Text("No remembered line is missing.\n")
			case *list:
				return printMissing(c, missing, "missing", nil)
			case *keep:
				if err := explainMissing(b.Memory.KeepRemoved(cmd.Context(), ids...)); err != nil {
					return err
				}
				c.Changed(b, "")
				return printMissing(c, chosenOf(missing, ids), "removed", nil)
			}
			written, err := b.Memory.Restore(cmd.Context(), ids...)
			back := slices.DeleteFunc(missing, func(d memory.Dropped) bool {
				return !slices.ContainsFunc(written, func(w memory.Written) bool { return w.Path == d.Path && w.Text == d.Text })
			})
			return errors.Join(explainMissing(err), printMissing(c, back, "restored", written))
		})
	}
	return cmd
}

func explainMissing(err error) error {
	if errors.Is(err, memory.ErrNothingDropped) || errors.Is(err, memory.ErrUnknownDropped) {
		return cmdline.ProblemOf(err, "`mac-stats memory restore --list` shows what is missing.")
	}
	return err
}

// chosenOf returns the lines with these IDs, or all lines if there are no IDs.
func chosenOf(missing []memory.Dropped, ids []string) []memory.Dropped {
	if len(ids) == 0 {
		return missing
	}
	var list []memory.Dropped
	for _, d := range missing {
		for _, id := range ids {
			if d.ID == id {
				list = append(list, d)
			}
		}
	}
	return list
}

// printMissing lists lines and what happened to them.
func printMissing(c *cmdline.Line, list []memory.Dropped, state string, written []memory.Written) error {
	for _, d := range list {
		line := missingLine{Type: "missing", ID: d.ID, File: d.Path, Text: d.Text, From: d.From, State: state}
		for _, w := range written {
			if w.Path == d.Path && w.Text == d.Text {
				line.Line = w.Line
			}
		}
		where := d.Path
		if line.Line > 0 {
			where = fmt.Sprintf("%s:%d", d.Path, line.Line)
		}
		if err := c.Out.Print(line, fmt.Sprintf("%s: %s\n  %s · %s\n", state, words.OneLine(d.Text, 500), d.ID, where)); err != nil {
			return err
		}
	}
	return nil
}

// printWaiting shows a lesson that waits for another program's save of its file.
func printWaiting(c *cmdline.Line, b *backend.Backend, text string) error {
	waiting, err := b.Memory.Inbox()
	if err != nil {
		return err
	}
	for _, p := range waiting {
		if p.Why == memory.WhySaving && p.Text == text {
			return c.Out.Print(newProposalLine(b, p, "waiting"), fmt.Sprintf("waiting: %s\n  the next mac-stats command, or the app, adds it when %s can be written (%s in the inbox)\n",
				p.Text, b.Memory.Path(p.Target), p.ID))
		}
	}
	return nil
}
