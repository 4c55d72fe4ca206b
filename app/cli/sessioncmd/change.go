package sessioncmd

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem"
)

// renameLine is the line of `sessions rename --json`.
type renameLine struct {
	Type  string `json:"type"` // rename
	Name  string `json:"name"`
	Title string `json:"title"`
}

// deleteLine is the line of `sessions delete --json`.
type deleteLine struct {
	Type string `json:"type"` // delete or undelete
	Name string `json:"name"`
}

// mostTitle is the longest title, in characters: it has to fit one line of a list.
const mostTitle = 200

func renameCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "rename NAME TITLE", Short: "Give a session a title; its name doesn't change",
		Args: cmdline.AtLeast(2, "a NAME and a TITLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			title := strings.Join(strings.Fields(strings.Join(args[1:], " ")), " ")
			if title == "" {
				return cmdline.WrongUsage(cmd, "the title is empty")
			}
			if n := utf8.RuneCountInString(title); n > mostTitle {
				return cmdline.WrongUsage(cmd, fmt.Sprintf("the title has %s characters; the limit is %d", words.Thousands(n), mostTitle))
			}
			return withSession(cmd.Context(), c, args[:1], func(b *backend.Backend, name string) error {
				if err := b.Store.SetTitle(cmd.Context(), name, title); err != nil {
					return err
				}
				c.Changed(b, name)
				return c.Out.Print(renameLine{Type: "rename", Name: name, Title: title}, fmt.Sprintf("%s is now titled “%s”.\n", name, title))
			})
		},
	})
}

func deleteCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete NAME", Short: "Move a session to the trash; --undo restores it",
		Long: "delete moves a session's transcript to session/.trash, where it stays until you\nempty that folder. Copies of it stay where they are. --undo restores the session deleted last, or NAME.",
		Args: cmdline.AtMost(1, "one NAME"),
	}
	c.WithJSON(cmd)
	undo := cmd.Flags().Bool("undo", false, "restore the session deleted last, or NAME")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && !*undo {
			return cmdline.WrongUsage(cmd, "say which session to delete")
		}
		return c.WithBackend(cmd.Context(), func(b *backend.Backend) error {
			if *undo {
				return undelete(c, cmd, b, args)
			}
			name, err := resolve(cmd.Context(), b, args)
			if err != nil {
				return err
			}
			if err := b.Store.Delete(cmd.Context(), name); err != nil {
				return err
			}
			c.Changed(b, name)
			return c.Out.Print(deleteLine{Type: "delete", Name: name}, fmt.Sprintf("%s is in the trash. `mac-stats sessions delete --undo` brings it back.\n", name))
		})
	}
	return cmd
}

// undelete restores the named session, or the last deleted one.
func undelete(c *cmdline.Line, cmd *cobra.Command, b *backend.Backend, args []string) error {
	tries := []string{""}
	if len(args) == 1 {
		tries = []string{args[0], cmdline.Source + "-" + args[0]}
	}
	var name, try string
	var err error
	for _, try = range tries {
		if name, err = b.Store.Undelete(cmd.Context(), try); !errors.Is(err, sessionmem.ErrNothingDeleted) {
			break
		}
	}
	if errors.Is(err, sessionmem.ErrNothingDeleted) {
		if len(args) == 1 {
			return cmdline.Problem(fmt.Sprintf("There is no deleted session %q to bring back.", args[0]), "Without a NAME the last one is brought back.")
		}
		return cmdline.Problem("There is no deleted session to bring back.", "")
	}
	if err != nil {
		return err
	}
	c.Changed(b, name)
	if c.Out.AsJSON {
		return c.Out.JSON(deleteLine{Type: "undelete", Name: name})
	}
	if try != "" && name != try {
		return c.Out.Text(fmt.Sprintf("A new session is called %s by now: the deleted one is back as %s.\n", try, name))
	}
	return c.Out.Text(name + " is back.\n")
}
