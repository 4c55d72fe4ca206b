package memorycmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
)

// serverLine is the line of `memory backend status --json`.
type serverLine struct {
	Type     string        `json:"type"` // backend
	Backend  string        `json:"backend"`
	Version  string        `json:"version"`
	PGVector string        `json:"pgvector"` // its version; "" means search by words only
	Bytes    int64         `json:"bytes"`
	TookMS   float64       `json:"took_ms"` // round trip of one request
	Machines []machineLine `json:"machines"`
	Warning  string        `json:"warning,omitempty"`
}

type machineLine struct {
	Name     string `json:"name"`
	Mine     bool   `json:"mine"`
	Passages int    `json:"passages"`
	Vectors  int    `json:"vectors"`
	Seen     string `json:"seen"` // RFC 3339
}

// serverTime is how long a command waits for the server's status.
const serverTime = 15 * time.Second

// PasswordInConfig warns of a password in config.toml.
const PasswordInConfig = "recall.postgres_url holds a password, which anybody can read who reads config.toml. Take it out, and save it with `mac-stats memory backend password`, or in ~/.pgpass"

func backendCommand(c *cmdline.Line) *cobra.Command {
	group := cmdline.Group("backend", "Manage the server that several machines share for search (recall.backend)",
		backendStatusCommand(c), pushCommand(c), dropCommand(c), passwordCommand(c))
	group.Long = `With recall.backend = "postgres", each machine copies its search index to one PostgreSQL
database (recall.postgres_url), and a search finds what was said on any of them. This
machine keeps its own index, which answers while the server is away.`
	return group
}

// onServer returns the run function of a command that needs the server.
func onServer(c *cmdline.Line, do func(ctx context.Context, b *backend.Backend, s *postgres.Server) error) func(*cobra.Command, []string) error {
	return c.OnBackend(func(ctx context.Context, b *backend.Backend, _ []string) error {
		s, err := b.Shared.Server()
		if err == nil && s == nil {
			return cmdline.Problem("There is no memory server: each machine finds what is in its own files.",
				"Set recall.backend to postgres and recall.postgres_url to its address, in config.toml or in Settings.")
		}
		if err == nil {
			err = do(ctx, b, s)
		}
		if errors.Is(err, recall.ErrServer) {
			return cmdline.ProblemOf(err, "")
		}
		return err
	})
}

func backendStatusCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "status", Aliases: []string{"test"}, Args: cmdline.NoArgs,
		Short: "Connect to the server, create its tables if needed, and show what each machine has put there",
		RunE: onServer(c, func(ctx context.Context, b *backend.Backend, s *postgres.Server) error {
			return printServer(ctx, c, b, s)
		}),
	})
}

func printServer(ctx context.Context, c *cmdline.Line, b *backend.Backend, s *postgres.Server) error {
	ctx, stop := context.WithTimeout(ctx, serverTime)
	defer stop()
	st, err := s.Status(ctx)
	if err != nil {
		return err
	}
	line := serverLine{Type: "backend", Backend: b.Config().Recall.Backend, Version: st.Version, PGVector: st.Vectors, Bytes: st.Bytes, TookMS: float64(st.Took.Microseconds()) / 1000}
	text := fmt.Sprintf("PostgreSQL %s, %s, answers in %.1f ms\n", st.Version, words.Size(st.Bytes), line.TookMS)
	text += "  " + VectorsOfServer(st) + "\n"
	for _, m := range st.Machines {
		line.Machines = append(line.Machines, machineLine{m.Name, m.Mine, m.Passages, m.Vectors, words.Stamp(m.Seen)})
		name := m.Name
		if m.Mine {
			name += " (this machine)"
		}
		text += fmt.Sprintf("  %s: %s, %s, last put something %s\n", name, words.Count(m.Passages, "passage"), words.Count(m.Vectors, "vector"), m.Seen.Local().Format("2 Jan 2006 15:04"))
	}
	if postgres.HasPassword(b.Config().Recall.PostgresURL) {
		line.Warning = PasswordInConfig
		text += "  " + PasswordInConfig + ".\n"
	}
	return c.Out.Print(line, text)
}

// VectorsOfServer reports in words whether the server searches by meaning.
func VectorsOfServer(s recall.ServerStatus) string {
	if s.Vectors == "" {
		return "by words alone: the server has no pgvector 0.7 or newer; its administrator installs that and runs CREATE EXTENSION vector SCHEMA public in the database"
	}
	return "by words and by meaning (pgvector " + s.Vectors + ")"
}

func pushCommand(c *cmdline.Line) *cobra.Command {
	return &cobra.Command{
		Use: "push", Short: "Bring the server up to date with this machine; returns when done", Args: cmdline.NoArgs,
		Long: `push indexes what changed in the files and sends the server what it lacks from this
machine. The app does so by itself. If it is interrupted, the next push continues.`,
		RunE: onServer(c, func(ctx context.Context, b *backend.Backend, _ *postgres.Server) error {
			index, err := b.Index.Recall()
			if err != nil {
				return indexProblem(ctx, c, b, err)
			}
			if _, err := index.Sync(ctx); err != nil {
				return indexProblem(ctx, c, b, err)
			}
			begun := time.Now()
			done, err := index.Copy(ctx)
			if err != nil {
				return err
			}
			return c.Out.Text(fmt.Sprintf("%s and %s of %s put in %.1f s\n", words.Count(done.Passages, "passage"), words.Count(done.Vectors, "vector"), words.Count(done.Sources, "file"), time.Since(begun).Seconds()))
		}),
	}
}

func dropCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "drop", Short: "Remove everything that this machine put on the server", Args: cmdline.NoArgs,
		Long: `drop removes what this machine put into the server's tables. The files stay. What the
server's log, backups and replicas still hold is up to its administrator. While
recall.backend is postgres, the app puts everything there again: set it to local first.`,
	}
	yes := cmd.Flags().Bool("yes", false, "don't ask")
	cmd.RunE = c.OnBackend(func(ctx context.Context, b *backend.Backend, _ []string) error {
		if !*yes {
			return cmdline.Problem("Nothing is removed from the server without --yes.",
				"`mac-stats memory backend drop --yes` removes what this machine put there. This can't be undone, but push puts it there again.")
		}
		names, err := b.Shared.DropMemory(ctx)
		switch {
		case errors.Is(err, recall.ErrServer):
			return cmdline.ProblemOf(err, "")
		case err != nil:
			return err
		case len(names) == 0:
			return c.Out.Text("Nothing of this machine is on a server.\n")
		}
		return c.Out.Text("What this machine put is off " + strings.Join(names, " and ") + ". The log, backups and replicas there may still hold it.\n")
	})
	return cmd
}

func passwordCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "password", Short: "Save the server's password in the keychain, read from the keyboard or a pipe", Args: cmdline.Exactly(0, "no words: the password is read from stdin, so that it stands in no history"),
	}
	forget := cmd.Flags().Bool("forget", false, "remove the saved password")
	cmd.RunE = c.OnBackend(func(ctx context.Context, b *backend.Backend, _ []string) error {
		password, done := "", "removed\n"
		if !*forget {
			text, err := c.ReadSecret(ctx, "Type the password and press Enter: ", "the password")
			if err != nil {
				return err
			}
			if password, done = strings.TrimRight(text, "\r\n"), "saved in the keychain\n"; password == "" {
				return cmdline.Problem("There was no password, and nothing is saved.", "Type it, or pipe it in.")
			}
		}
		err := b.Shared.SetServerPassword(password)
		if errors.Is(err, backend.ErrNoKeychain) {
			return cmdline.Problem("There is no keychain here to keep a password in (a data folder that MAC_STATS_HOME names uses none).",
				"Write it to ~/.pgpass (mode 0600), as libpq reads it: host:port:database:user:password.")
		}
		if err != nil {
			return cmdline.ProblemOf(err, "")
		}
		return c.Out.Text(done)
	})
	return cmd
}

// backendWords returns the line about the server for `memory status`; "" if there is none.
func backendWords(ctx context.Context, b *backend.Backend) string {
	s, err := b.Shared.Server()
	if err == nil && s == nil {
		if left := b.Shared.ServersLeft(); len(left) > 0 {
			return ServersLeft(left)
		}
		return ""
	}
	var st recall.ServerStatus
	if err == nil {
		ctx, stop := context.WithTimeout(ctx, serverTime)
		defer stop()
		st, err = s.Status(ctx)
	}
	if err != nil {
		return "this machine alone: " + words.OneLine(err.Error(), 300)
	}
	passages := 0
	for _, m := range st.Machines {
		passages += m.Passages
	}
	return fmt.Sprintf("on the server: %s of %s, %s", words.Count(passages, "passage"), words.Count(len(st.Machines), "machine"), VectorsOfServer(st))
}

// ServersLeft warns of servers that still hold something from this machine.
func ServersLeft(left []string) string {
	return "what this machine put is still on " + strings.Join(left, " and ") + ", where your other machines find it; `mac-stats memory backend drop --yes` takes it off"
}
