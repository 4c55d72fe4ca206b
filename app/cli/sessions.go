package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// sessionLine is a line of `sessions list --json`.
type sessionLine struct {
	Type     string   `json:"type"` // session
	Name     string   `json:"name"`
	Source   string   `json:"source"`
	Title    string   `json:"title"`
	Path     string   `json:"path"`            // of several parts the last
	Parts    []string `json:"parts,omitempty"` // all of them, the first in front
	Messages int      `json:"messages"`
	Started  string   `json:"started"` // RFC 3339
	Active   string   `json:"active"`
	Copy     bool     `json:"copy,omitempty"` // a copy of the session's transcript: read-only
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
}

// statusLine is a line of `sessions status --json`: never text, so no title and no
// path either.
type statusLine struct {
	Type     string         `json:"type"` // status
	Name     string         `json:"name"`
	Source   string         `json:"source"`
	Messages int            `json:"messages"`
	Blocks   map[string]int `json:"blocks"` // by kind
	Chars    map[string]int `json:"chars"`  // by kind
	Bytes    int64          `json:"bytes"`  // of its files
	Context  int            `json:"context_messages"`
	Summary  bool           `json:"summary"`
	Started  string         `json:"started"`
	Active   string         `json:"active"`
}

// resetLine is the line of `sessions reset --json`.
type resetLine struct {
	Type string `json:"type"` // reset
	Name string `json:"name"`
}

func (c *commands) sessionsCommand() *cobra.Command {
	group := c.group("sessions", "List, read, export and tidy conversations",
		c.sessionsList(), c.sessionsShow(), c.sessionsSearch(), c.sessionsStatus(), c.sessionsReset(), c.sessionsCompact(),
		c.sessionsRename(), c.sessionsRestore(), c.sessionsDelete(), c.sessionsExport(), c.sessionsImport())
	group.Long = `Every conversation is a session with one transcript, a markdown file under
~/.mac-stats/session. A bare NAME means cli-NAME, else the session of exactly that
name. Without a NAME show, reset, compact and restore take the last session of the
command line.`
	return group
}

func jsonFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("json", false, "print one JSON object a line")
}

func (c *commands) sessionsList() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List sessions, the last used first", Args: exact(0, "no arguments")}
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			list, err := c.listed(cmd.Context(), b)
			if err != nil {
				return err
			}
			slices.SortStableFunc(list, func(x, y transcript.Info) int { return y.Active.Compare(x.Active) })
			return c.printSessions(list, *asJSON)
		})
	})
	return cmd
}

// listed are the sessions there are; with session.in_memory_only those that were
// written before it was set.
func (c *commands) listed(ctx context.Context, b *backend.Backend) ([]transcript.Info, error) {
	if !b.Config().Session.InMemoryOnly {
		return b.Store.List(ctx)
	}
	why := "session.in_memory_only is on: nothing new is written."
	if c.unreadableConfig(b) {
		why = "config.toml can't be read: nothing new is written until it is fixed."
	}
	c.note("mac-stats: " + why + " Listed are the transcripts that are there.")
	if info, err := os.Stat(filepath.Join(b.Paths.Home, "session")); err != nil || !info.IsDir() {
		return nil, nil //nolint:nilerr // there is none, and none is made here
	}
	files, err := sessionmem.Open(sessionmem.Config{Root: b.Paths.Home, Logger: b.Logger})
	if err != nil {
		return nil, err
	}
	list, err := files.List(ctx)
	return list, errors.Join(err, files.Close())
}

func (c *commands) printSessions(list []transcript.Info, asJSON bool) error {
	rows := [][]string{{"NAME", "MESSAGES", "ACTIVE", "TITLE"}}
	for _, info := range list {
		if info.Err != nil {
			c.note(fmt.Sprintf("mac-stats: %s can't be read: %v", info.Name, info.Err))
		}
		if asJSON {
			if err := c.out.json(sessionLine{
				Type: "session", Name: info.Name, Source: info.Source, Title: info.Title, Path: info.Path, Parts: info.Parts,
				Messages: info.Messages, Started: stamp(info.Started), Active: stamp(info.Active), Copy: info.Copy,
			}); err != nil {
				return err
			}
			continue
		}
		title := oneLine(info.Title, 60)
		if info.Copy {
			title = "copy: " + clean(filepath.Base(info.Path))
		}
		rows = append(rows, []string{info.Name, fmt.Sprint(info.Messages), when(info.Active), title})
	}
	switch {
	case asJSON:
		return nil
	case len(rows) == 1:
		return c.out.text("No sessions yet. Begin one with `mac-stats ask TEXT`.\n")
	}
	return c.out.table(rows)
}

// resolve is the session a person names, or the last one.
func (c *commands) resolve(ctx context.Context, b *backend.Backend, args []string) (string, error) {
	if len(args) == 0 {
		return c.lastSession(ctx, b)
	}
	name, err := b.Store.Resolve(ctx, source, args[0])
	if errors.Is(err, sessionmem.ErrNotFound) {
		if gone, removed := goneSession(ctx, b, args[0]); gone != "" {
			err = fmt.Errorf("%w: the transcript of %s is gone, but what was said isn't; `mac-stats sessions restore %s` brings it back (%s missing)",
				sessionmem.ErrNotFound, gone, args[0], is(removed))
		}
	}
	return name, err
}

// withSession is withBackend for a command about one session, which args name as
// resolve reads them.
func (c *commands) withSession(ctx context.Context, args []string, do func(b *backend.Backend, session string) error) error {
	return c.withBackend(ctx, func(b *backend.Backend) error {
		name, err := c.resolve(ctx, b, args)
		if err != nil {
			return err
		}
		c.tellRemoved(ctx, b, name)
		return do(b, name)
	})
}

func (c *commands) sessionsShow() *cobra.Command {
	cmd := &cobra.Command{Use: "show [NAME]", Short: "Print a transcript", Args: atMost(1, "one NAME")}
	cmd.ValidArgsFunction = c.first(sessionNames)
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, args []string) error {
		return c.withSession(cmd.Context(), args, func(b *backend.Backend, name string) error {
			head := func(info transcript.Info, _ string) error {
				if *asJSON {
					return nil
				}
				return c.out.text(fmt.Sprintf("%s · %s\n%s\n", info.Name, info.Title, strings.Join(info.Files(), "\n")))
			}
			return b.Store.Each(cmd.Context(), name, head, func(block transcript.Block) error {
				return c.printBlock(block, *asJSON)
			})
		})
	})
	return cmd
}

func (c *commands) printBlock(b transcript.Block, asJSON bool) error {
	if asJSON {
		text := b.Text
		if b.Kind == transcript.KindNote {
			text = noteText(b)
		}
		return c.out.json(blockLine{
			Type: "block", ID: b.ID, Kind: string(b.Kind), Time: stamp(b.Time), Agent: b.Agent, Model: b.Model, Text: text,
		})
	}
	var head []string
	for _, part := range []string{heading(b), when(b.Time), b.Agent, b.Model} {
		if part != "" {
			head = append(head, part)
		}
	}
	text := "\n" + strings.Join(head, " · ") + "\n"
	if b.Task != "" {
		text += "  task: " + oneLine(b.Task, 200) + "\n"
	}
	if b.Kind != transcript.KindNote && b.Text != "" {
		for line := range strings.SplitSeq(b.Text, "\n") {
			text += strings.TrimRight("  "+line, " ") + "\n"
		}
	}
	return c.out.text(text)
}

func heading(b transcript.Block) string {
	if b.Kind == transcript.KindNote {
		return "(" + oneLine(noteText(b), 200) + ")"
	}
	return strings.ToUpper(string(b.Kind[:1])) + string(b.Kind[1:])
}

// noteText is a note's word with what follows it.
func noteText(b transcript.Block) string {
	return strings.TrimSpace(b.Note + " " + b.Text)
}

func (c *commands) sessionsStatus() *cobra.Command {
	cmd := &cobra.Command{
		Use: "status [NAME]", Short: "Counts, roles, times and sizes; never text",
		Long: "status shows counts, roles, times and sizes of a session, or of all of them without\na NAME. It never shows what was said, so its output can be passed on.",
		Args: atMost(1, "one NAME"),
	}
	cmd.ValidArgsFunction = c.first(sessionNames)
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		return c.withBackend(ctx, func(b *backend.Backend) error {
			names, err := statusNames(ctx, b, args)
			if err != nil {
				return err
			}
			for _, name := range names {
				s, err := status(ctx, b, name)
				if err != nil {
					return err
				}
				if err := c.printStatus(s, *asJSON); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return cmd
}

// statusNames are the session that is named, or all.
func statusNames(ctx context.Context, b *backend.Backend, args []string) ([]string, error) {
	if len(args) == 1 {
		name, err := b.Store.Resolve(ctx, source, args[0])
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
		s.Started, s.Active = stamp(info.Started), stamp(info.Active)
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

func (c *commands) printStatus(s statusLine, asJSON bool) error {
	if asJSON {
		return c.out.json(s)
	}
	var roles []string
	for _, kind := range []transcript.Kind{
		transcript.KindUser, transcript.KindAssistant, transcript.KindAgent, transcript.KindTool,
		transcript.KindSummary, transcript.KindNote, transcript.KindText,
	} {
		if n := s.Blocks[string(kind)]; n > 0 {
			roles = append(roles, fmt.Sprintf("%s (%s)", countBlocks(n, kind), count(s.Chars[string(kind)], "character")))
		}
	}
	return c.out.text(fmt.Sprintf("%s: %s, %d in the context, %s\n  %s\n  started %s, last active %s\n",
		s.Name, count(s.Messages, "message"), s.Context, size(s.Bytes), strings.Join(roles, ", "), orDash(s.Started), orDash(s.Active)))
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

func (c *commands) sessionsReset() *cobra.Command {
	cmd := &cobra.Command{
		Use: "reset [NAME]", Short: "Start a session anew; its transcript stays",
		Long: "reset draws a line in the transcript: what stands above it is kept and is not told\nto a model again.",
		Args: atMost(1, "one NAME"),
	}
	cmd.ValidArgsFunction = c.first(sessionNames)
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, args []string) error {
		return c.withSession(cmd.Context(), args, func(b *backend.Backend, name string) error {
			if err := b.Store.Reset(cmd.Context(), name); err != nil {
				return err
			}
			c.poke(b, name)
			if *asJSON {
				return c.out.json(resetLine{Type: "reset", Name: name})
			}
			return c.out.text(name + " starts anew; its transcript is kept.\n")
		})
	})
	return cmd
}
