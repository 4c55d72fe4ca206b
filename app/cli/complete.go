package cli

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
	"mac-stats/app/config"
	"mac-stats/sessionmem/transcript"
)

// completeTimeout is how long a shell waits for candidates at most.
const completeTimeout = 400 * time.Millisecond

// lister gives candidates for the shell.
type lister func(ctx context.Context, b *backend.Backend) []string

// candidates makes a completion of a lister. A data folder that is not there yet
// is not made by it, and nothing that fails is said: a shell asks while people type.
func (c *commands) candidates(list lister) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		ctx := cmd.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.p.completing, completeTimeout))
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

// first completes the first word alone.
func (c *commands) first(list lister) cobra.CompletionFunc {
	complete := c.candidates(list)
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, typed)
	}
}

// completeFlag completes a flag's value; the flag is one of cmd.
func (c *commands) completeFlag(cmd *cobra.Command, flag string, list lister) {
	if err := cmd.RegisterFlagCompletionFunc(flag, c.candidates(list)); err != nil {
		panic("cli: " + err.Error()) // no such flag: a mistake in this package
	}
}

var errNoData = errors.New("there is no data folder yet")

func (c *commands) openQuietly(ctx context.Context) (*backend.Backend, error) {
	paths, err := config.FindPaths(c.getenv)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(paths.ConfigFile()); err != nil {
		return nil, errNoData
	}
	return c.p.Open(ctx, backend.Options{Environ: c.p.Environ, Version: c.p.Version, Logger: slog.New(slog.DiscardHandler)})
}

func agentNames(_ context.Context, b *backend.Backend) []string {
	var names []string
	for _, a := range b.Registry.Agents() {
		names = append(names, a.Slug)
	}
	return names
}

func usableAgentNames(_ context.Context, b *backend.Backend) []string {
	var names []string
	for _, a := range b.Registry.Agents() {
		if a.Usable() {
			names = append(names, a.Slug)
		}
	}
	return names
}

func sessionNames(ctx context.Context, b *backend.Backend) []string {
	list, err := b.Store.List(ctx)
	if err != nil {
		return nil
	}
	return namesOf(list)
}

func namesOf(list []transcript.Info) []string {
	var names []string
	for _, info := range list {
		names = append(names, info.Name)
	}
	return names
}

// modelNames asks the server for its list alone, not for each model.
func modelNames(ctx context.Context, b *backend.Backend) []string {
	list, err := b.Client.Models(ctx)
	if err != nil {
		return nil
	}
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	return names
}
