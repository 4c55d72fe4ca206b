package cmdline

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
)

// shellWait is the longest that a shell waits for completions.
const shellWait = 400 * time.Millisecond

// Candidates returns the possible completions of a word.
type Candidates func(ctx context.Context, b *backend.Backend) []string

// complete returns a completion function for candidates. It doesn't create a missing data
// folder and reports no errors, because a shell asks while people type.
func (c *Line) complete(list Candidates) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		ctx := cmd.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.ShellWait, shellWait))
		defer cancel()
		b, err := c.openQuietly(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var found []string
		for _, name := range list(ctx, b) {
			if strings.HasPrefix(strings.ToLower(name), strings.ToLower(typed)) {
				found = append(found, name)
			}
		}
		_ = b.Close() // nothing was written
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteFirst completes only the first word.
func (c *Line) CompleteFirst(list Candidates) cobra.CompletionFunc {
	complete := c.complete(list)
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, typed)
	}
}

// CompleteFlag completes the value of cmd's flag.
func (c *Line) CompleteFlag(cmd *cobra.Command, flag string, list Candidates) {
	if err := cmd.RegisterFlagCompletionFunc(flag, c.complete(list)); err != nil {
		panic("cli: " + err.Error()) // no such flag: a bug in the command
	}
}

var errNoData = errors.New("there is no data folder yet")

func (c *Line) openQuietly(ctx context.Context) (*backend.Backend, error) {
	paths, err := c.Paths()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(paths.ConfigFile()); err != nil {
		return nil, errNoData
	}
	return c.Open(ctx, backend.Options{Environ: c.Environ, Version: c.Version, Logger: slog.New(slog.DiscardHandler)})
}

// AgentNames returns all agents, including those that can't be used.
func AgentNames(_ context.Context, b *backend.Backend) []string {
	var names []string
	for _, a := range b.Registry.Agents() {
		names = append(names, a.Slug)
	}
	return names
}

// UsableAgentNames returns the agents that can answer.
func UsableAgentNames(_ context.Context, b *backend.Backend) []string {
	var names []string
	for _, a := range b.Registry.Agents() {
		if a.Usable() {
			names = append(names, a.Slug)
		}
	}
	return names
}

// SessionNames returns the names of the sessions.
func SessionNames(ctx context.Context, b *backend.Backend) []string {
	list, err := b.Store.List(ctx)
	if err != nil {
		return nil
	}
	var names []string
	for _, info := range list {
		names = append(names, info.Name)
	}
	return names
}
