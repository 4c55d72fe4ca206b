// Package sessioncmd implements `mac-stats sessions`: it lists, shows, searches, summarises,
// exports, imports and cleans up sessions, whoever started them.
//
// A NAME means cli-NAME or, if there is no such session, the session of exactly that name;
// without a NAME a command uses the command line's last session (Last). A command that
// changes a session notifies the running app. status never shows text; delete moves files
// to the trash; export never overwrites a file. Every command about a session also reports
// what a save removed from it (ReportRemoved).
//
// The files belong to sessionmem. Packages askcmd and memorycmd use the exported functions;
// app/cli calls Command.
package sessioncmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// sessionLine is a line of `sessions list --json`.
type sessionLine struct {
	Type     string   `json:"type"` // session
	Name     string   `json:"name"`
	Source   string   `json:"source"`
	Title    string   `json:"title"`
	Path     string   `json:"path"`            // the last part, if there are several
	Parts    []string `json:"parts,omitempty"` // all parts, first to last
	Messages int      `json:"messages"`
	Started  string   `json:"started"` // RFC 3339
	Active   string   `json:"active"`
	Copy     bool     `json:"copy,omitempty"` // a read-only copy of a session's transcript
}

// blockLine is a line of `sessions show --json`.
type blockLine struct {
	Type  string `json:"type"` // block
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Time  string `json:"time"` // RFC 3339
	Agent string `json:"agent"`
	Model string `json:"model"`
	Text  string `json:"text"`
	// Parent is the message that a block belongs to, or that a note is about.
	Parent string `json:"parent,omitempty"`
}

// resetLine is the line of `sessions reset --json`.
type resetLine struct {
	Type string `json:"type"` // reset
	Name string `json:"name"`
}

// Command returns sessions.
func Command(c *cmdline.Line) *cobra.Command {
	group := cmdline.Group("sessions", "List, read, export and tidy conversations",
		listCommand(c), showCommand(c), searchCommand(c), statusCommand(c), resetCommand(c), compactCommand(c),
		renameCommand(c), restoreCommand(c), deleteCommand(c), exportCommand(c), importCommand(c))
	group.Long = `Every conversation is a session with one transcript, a markdown file under
~/.mac-stats/session. A bare NAME means cli-NAME, or else the session with exactly that
name. Without a NAME, show, reset, compact and restore use the last session of the
command line.`
	return group
}

func listCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "list", Short: "List sessions, the most recently used first", Args: cmdline.NoArgs,
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, _ []string) error {
			list, err := listed(ctx, c, b)
			if err != nil {
				return err
			}
			if in, err := b.Store.Incomplete(); err == nil { // doctor reports the error
				for _, l := range cmdline.IncompleteWords(in, filepath.Join(b.Paths.Home, transcript.SessionDir)) {
					c.Note("mac-stats: " + l.Found + " " + l.Fix)
				}
			}
			slices.SortStableFunc(list, func(x, y transcript.Info) int { return y.Active.Compare(x.Active) })
			return printSessions(c, list)
		}),
	})
}

// listed returns the sessions; with session.in_memory_only those that were written before
// it was set.
func listed(ctx context.Context, c *cmdline.Line, b *backend.Backend) ([]transcript.Info, error) {
	if !b.Config().Session.InMemoryOnly {
		return b.Store.List(ctx)
	}
	why := "session.in_memory_only is on: nothing new is written."
	if c.UnreadableConfig(b) {
		why = "config.toml can't be read: nothing new is written until it is fixed."
	}
	c.Note("mac-stats: " + why + " Listed are the transcripts that are there.")
	if info, err := os.Stat(filepath.Join(b.Paths.Home, "session")); err != nil || !info.IsDir() {
		return nil, nil //nolint:nilerr // there is no folder, and a list creates none
	}
	files, err := sessionmem.Open(sessionmem.Config{Root: b.Paths.Home, Logger: b.Logger})
	if err != nil {
		return nil, err
	}
	list, err := files.List(ctx)
	return list, errors.Join(err, files.Close())
}

func printSessions(c *cmdline.Line, list []transcript.Info) error {
	lines := c.Out.NewList("NAME", "MESSAGES", "ACTIVE", "TITLE")
	for _, info := range list {
		if info.Err != nil {
			c.Note(fmt.Sprintf("mac-stats: %s can't be read: %v", info.Name, info.Err))
		}
		title := words.OneLine(info.Title, 60)
		if info.Copy {
			title = "copy: " + words.Clean(filepath.Base(info.Path))
		}
		line := sessionLine{
			Type: "session", Name: info.Name, Source: info.Source, Title: info.Title, Path: info.Path, Parts: info.Parts,
			Messages: info.Messages, Started: words.Stamp(info.Started), Active: words.Stamp(info.Active), Copy: info.Copy,
		}
		lines.Add(line, info.Name, fmt.Sprint(info.Messages), words.When(info.Active), title)
	}
	return lines.End("No sessions yet. Begin one with `mac-stats ask TEXT`.\n")
}

func showCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "show [NAME]", Short: "Print a transcript", Args: cmdline.AtMost(1, "one NAME"),
		ValidArgsFunction: c.CompleteFirst(cmdline.SessionNames),
		RunE: onSession(c, func(ctx context.Context, b *backend.Backend, name string) error {
			head := func(info transcript.Info, _ string) error {
				if c.Out.AsJSON {
					return nil
				}
				return c.Out.Text(fmt.Sprintf("%s · %s\n%s\n", info.Name, info.Title, strings.Join(info.Files(), "\n")))
			}
			return b.Store.Each(ctx, name, head, func(block transcript.Block) error {
				return printBlock(c, block)
			})
		}),
	})
}

func printBlock(c *cmdline.Line, b transcript.Block) error {
	if c.Out.AsJSON {
		text := b.Text
		if b.Kind == transcript.KindNote {
			text = noteText(b)
		}
		return c.Out.JSON(blockLine{
			Type: "block", ID: b.ID, Kind: string(b.Kind), Time: words.Stamp(b.Time), Agent: b.Agent, Model: b.Model, Text: text, Parent: b.Parent,
		})
	}
	var head []string
	for _, part := range []string{heading(b), words.When(b.Time), b.Agent, b.Model} {
		if part != "" {
			head = append(head, part)
		}
	}
	text := "\n" + strings.Join(head, " · ") + "\n"
	if b.Task != "" {
		text += "  task: " + words.OneLine(b.Task, 200) + "\n"
	}
	if b.Kind != transcript.KindNote && b.Text != "" {
		for line := range strings.SplitSeq(b.Text, "\n") {
			text += strings.TrimRight("  "+line, " ") + "\n"
		}
	}
	return c.Out.Text(text)
}

func heading(b transcript.Block) string {
	if b.Kind == transcript.KindNote {
		return "(" + words.OneLine(noteText(b), 200) + ")"
	}
	return strings.ToUpper(string(b.Kind[:1])) + string(b.Kind[1:])
}

// noteText returns a note's keyword with its text.
func noteText(b transcript.Block) string {
	return strings.TrimSpace(b.Note + " " + b.Text)
}

func resetCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "reset [NAME]", Short: "Start a session over; its transcript stays",
		Long:              "reset draws a line in the transcript: what is above it is kept but no longer sent to a\nmodel.",
		Args:              cmdline.AtMost(1, "one NAME"),
		ValidArgsFunction: c.CompleteFirst(cmdline.SessionNames),
		RunE: onSession(c, func(ctx context.Context, b *backend.Backend, name string) error {
			if err := b.Store.Reset(ctx, name); err != nil {
				return err
			}
			c.Changed(b, name)
			return c.Out.Print(resetLine{Type: "reset", Name: name}, name+" starts anew; its transcript is kept.\n")
		}),
	})
}
