package sessioncmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/wordsearch"
)

// hitLine is a line of `sessions search --json`.
type hitLine struct {
	Type    string `json:"type"` // hit
	Name    string `json:"name"`
	Source  string `json:"source"`
	Title   string `json:"title"`
	Path    string `json:"path"`
	Block   string `json:"block"`   // ID of the block with most of the words; "" if the title has them all
	Kind    string `json:"kind"`    // of that block
	Time    string `json:"time"`    // of that block, RFC 3339
	Snippet string `json:"snippet"` // of its text, on one line
	Blocks  int    `json:"blocks"`  // number of blocks with one of the words
}

func searchCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "search QUERY", Short: "Find conversations by words in titles and texts",
		Long: "search looks through all transcripts, including archived ones, the most recently used\nfirst. A conversation must contain every word; case and accents make no difference.\nWords in quotation marks are found as a phrase.",
		Args: cmdline.AtLeast(1, "a QUERY"),
	}
	c.WithJSON(cmd)
	limit := cmd.Flags().Int("limit", 20, "maximum number of conversations; 0 shows all")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		query := strings.Join(args, " ")
		switch {
		case strings.TrimSpace(query) == "":
			return cmdline.WrongUsage(cmd, "the query is empty")
		case *limit < 0:
			return cmdline.WrongUsage(cmd, "--limit must be 0 or more")
		}
		return c.WithBackend(cmd.Context(), func(b *backend.Backend) error {
			hits, err := wordsearch.New(b.Store, b.Logger).Search(cmd.Context(), query, *limit)
			if err != nil {
				return err
			}
			for _, h := range hits {
				line := hitLine{
					Type: "hit", Name: h.Info.Name, Source: h.Info.Source, Title: h.Info.Title, Path: h.Info.Path,
					Block: h.Block, Kind: string(h.Kind), Time: words.Stamp(h.Time), Snippet: h.Snippet, Blocks: h.Blocks,
				}
				if err := printHit(c, line, words.When(h.Time)); err != nil {
					return err
				}
			}
			if len(hits) == 0 && !c.Out.AsJSON {
				return c.Out.Text("Nothing found. A conversation has to hold every word.\n")
			}
			return nil
		})
	}
	return cmd
}

func printHit(c *cmdline.Line, h hitLine, when string) error {
	if c.Out.AsJSON {
		return c.Out.JSON(h)
	}
	text := fmt.Sprintf("%s · %s · %s\n", h.Name, when, words.OneLine(h.Title, 60))
	if h.Snippet != "" {
		text += "  " + h.Snippet + "\n"
	}
	return c.Out.Text(text)
}
