package sessioncmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/transcript"
)

// statusLine is a line of `sessions status --json`. It contains no text, so neither a title
// nor a path.
type statusLine struct {
	Type     string         `json:"type"` // status
	Name     string         `json:"name"`
	Source   string         `json:"source"`
	Messages int            `json:"messages"`
	Blocks   map[string]int `json:"blocks"` // by kind
	Chars    map[string]int `json:"chars"`  // by kind
	Bytes    int64          `json:"bytes"`  // size of its files
	Context  int            `json:"context_messages"`
	Summary  bool           `json:"summary"`
	Started  string         `json:"started"`
	Active   string         `json:"active"`
}

func statusCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "status [NAME]", Short: "Show counts, roles, times and sizes, but never text",
		Long:              "status shows counts, roles, times and sizes of a session, or of all of them without\na NAME. It never shows what was said, so you can share its output.",
		Args:              cmdline.AtMost(1, "one NAME"),
		ValidArgsFunction: c.CompleteFirst(cmdline.SessionNames),
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, args []string) error {
			names, err := statusNames(ctx, b, args)
			if err != nil {
				return err
			}
			for _, name := range names {
				s, err := status(ctx, b, name)
				if err != nil {
					return err
				}
				if err := printStatus(c, s); err != nil {
					return err
				}
			}
			return nil
		}),
	})
}

// statusNames returns the named session, or all of them.
func statusNames(ctx context.Context, b *backend.Backend, args []string) ([]string, error) {
	if len(args) == 1 {
		name, err := b.Store.Resolve(ctx, cmdline.Source, args[0])
		return []string{name}, err
	}
	list, err := b.Store.List(ctx)
	var names []string
	for _, info := range list {
		if info.Err == nil && !info.Copy && !slices.Contains(names, info.Name) {
			names = append(names, info.Name)
		}
	}
	return names, err
}

func status(ctx context.Context, b *backend.Backend, name string) (statusLine, error) {
	s := statusLine{Type: "status", Blocks: map[string]int{}, Chars: map[string]int{}}
	begin := func(info transcript.Info, _ string) error {
		s.Name, s.Source, s.Messages = info.Name, info.Source, info.Messages
		s.Started, s.Active = words.Stamp(info.Started), words.Stamp(info.Active)
		for _, path := range info.Files() {
			if file, err := os.Stat(path); err == nil {
				s.Bytes += file.Size()
			}
		}
		return nil
	}
	err := b.Store.Each(ctx, name, begin, func(block transcript.Block) error {
		s.Blocks[string(block.Kind)]++
		s.Chars[string(block.Kind)] += utf8.RuneCountInString(block.Text)
		return nil
	})
	if err != nil {
		return statusLine{}, err
	}
	window, err := b.Store.Context(ctx, name)
	if err != nil {
		return statusLine{}, err
	}
	s.Context, s.Summary = len(window.Messages)+window.Omitted, window.Summary != nil
	return s, nil
}

func printStatus(c *cmdline.Line, s statusLine) error {
	if c.Out.AsJSON {
		return c.Out.JSON(s)
	}
	var roles []string
	for _, kind := range []transcript.Kind{
		transcript.KindUser, transcript.KindAssistant, transcript.KindAgent, transcript.KindTool,
		transcript.KindSummary, transcript.KindNote, transcript.KindText,
	} {
		if n := s.Blocks[string(kind)]; n > 0 {
			roles = append(roles, fmt.Sprintf("%s (%s)", countBlocks(n, kind), words.Count(s.Chars[string(kind)], "character")))
		}
	}
	return c.Out.Text(fmt.Sprintf("%s: %s, %d in the context, %s\n  %s\n  started %s, last active %s\n",
		s.Name, words.Count(s.Messages, "message"), s.Context, words.Size(s.Bytes), strings.Join(roles, ", "), cmp.Or(s.Started, "–"), cmp.Or(s.Active, "–")))
}

// countBlocks words n blocks of a transcript.
func countBlocks(n int, kind transcript.Kind) string {
	switch kind {
	case transcript.KindUser:
		return words.Count(n, "user message")
	case transcript.KindAssistant:
		return words.Count(n, "answer")
	case transcript.KindAgent:
		return words.Count(n, "agent's answer", "agents' answers")
	case transcript.KindTool:
		return words.Count(n, "tool result")
	case transcript.KindSummary:
		return words.Count(n, "summary", "summaries")
	case transcript.KindNote:
		return words.Count(n, "note")
	case transcript.KindText:
		return words.Count(n, "piece of other text", "pieces of other text")
	}
	return fmt.Sprintf("%d × %s", n, kind)
}
