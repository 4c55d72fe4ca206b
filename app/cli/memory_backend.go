package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
)

// serverLine is a line of `memory backend status --json` and of the other commands.
type serverLine struct {
	Type     string        `json:"type"` // backend
	Backend  string        `json:"backend"`
	Version  string        `json:"version"`
	PGVector string        `json:"pgvector"` // its version; "": searches go by words alone
	Bytes    int64         `json:"bytes"`
	TookMS   float64       `json:"took_ms"` // one question there and back
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

// serverTime is how long a command waits for the server to tell how it is.
const serverTime = 15 * time.Second

// passwordInConfig is what is wrong with a password in config.toml.
const passwordInConfig = "recall.postgres_url holds a password, which anybody can read who reads config.toml. Take it out, and save it with `mac-stats memory backend password`, or in ~/.pgpass"

func (c *commands) memoryBackend() *cobra.Command {
	group := c.group("backend", "The server where several machines keep their memory together (recall.backend)",
		c.backendStatus("status", "Show the server, the machines and what each has put there"),
		c.backendStatus("test", "Connect to the server, make its tables if need be, and say what is missing"),
		c.backendPush(), c.backendDrop(), c.backendPassword())
	group.Long = `With recall.backend = "postgres" each machine puts what its own search index holds into one
PostgreSQL database (recall.postgres_url), and a search finds what was said at any of them.
The index of this machine stays, and answers while the server is away.`
	return group
}

// withServer runs a command that needs the server.
func (c *commands) withServer(ctx context.Context, do func(b *backend.Backend, s *postgres.Server) error) error {
	return c.withBackend(ctx, func(b *backend.Backend) error {
		s, err := b.MemoryServer()
		if err == nil && s == nil {
			return &plainError{sentence: "There is no memory server: each machine finds what is in its own files.", next: "Set recall.backend to postgres and recall.postgres_url to its address, in config.toml or in Settings."}
		}
		if err == nil {
			err = do(b, s)
		}
		if errors.Is(err, recall.ErrServer) {
			return inPlain(err)
		}
		return err
	})
}

func (c *commands) backendStatus(name, short string) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Args: exact(0, "no arguments")}
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		return c.withServer(cmd.Context(), func(b *backend.Backend, s *postgres.Server) error {
			return c.printServer(cmd.Context(), b, s, *asJSON)
		})
	})
	return cmd
}

func (c *commands) printServer(ctx context.Context, b *backend.Backend, s *postgres.Server, asJSON bool) error {
	ctx, stop := context.WithTimeout(ctx, serverTime)
	defer stop()
	st, err := s.Status(ctx)
	if err != nil {
		return err
	}
	line := serverLine{Type: "backend", Backend: b.Config().Recall.Backend, Version: st.Version, PGVector: st.Vectors, Bytes: st.Bytes, TookMS: float64(st.Took.Microseconds()) / 1000}
	text := fmt.Sprintf("PostgreSQL %s, %s, answers in %.1f ms\n", st.Version, size(st.Bytes), line.TookMS)
	text += "  " + vectorsOfServer(st) + "\n"
	for _, m := range st.Machines {
		line.Machines = append(line.Machines, machineLine{m.Name, m.Mine, m.Passages, m.Vectors, stamp(m.Seen)})
		name := m.Name
		if m.Mine {
			name += " (this machine)"
		}
		text += fmt.Sprintf("  %s: %s, %s, last put something %s\n", name, count(m.Passages, "passage"), count(m.Vectors, "vector"), m.Seen.Local().Format("2 Jan 2006 15:04"))
	}
	if postgres.HasPassword(b.Config().Recall.PostgresURL) {
		line.Warning = passwordInConfig
		text += "  " + passwordInConfig + ".\n"
	}
	if asJSON {
		return c.out.json(line)
	}
	return c.out.text(text)
}

// vectorsOfServer says whether the server finds by meaning.
func vectorsOfServer(s recall.ServerStatus) string {
	if s.Vectors == "" {
		return "by words alone: the server has no pgvector 0.7 or newer; its administrator installs that and runs CREATE EXTENSION vector SCHEMA public in the database"
	}
	return "by words and by meaning (pgvector " + s.Vectors + ")"
}

func (c *commands) backendPush() *cobra.Command {
	cmd := &cobra.Command{
		Use: "push", Short: "Bring the server up to date with this machine; returns when it is", Args: exact(0, "no arguments"),
		Long: `push takes up what changed in the files and puts on the server what it lacks of this
machine. The app does so by itself; interrupted, the next push goes on where this one was.`,
	}
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		return c.withServer(cmd.Context(), func(b *backend.Backend, _ *postgres.Server) error {
			index, err := b.Recall()
			if err != nil {
				return c.indexProblem(cmd.Context(), b, err)
			}
			if _, err := index.Sync(cmd.Context()); err != nil {
				return c.indexProblem(cmd.Context(), b, err)
			}
			begun := time.Now()
			done, err := index.Push(cmd.Context())
			if err != nil {
				return err
			}
			return c.out.text(fmt.Sprintf("%s and %s of %s put in %.1f s\n", count(done.Passages, "passage"), count(done.Vectors, "vector"), count(done.Sources, "file"), time.Since(begun).Seconds()))
		})
	})
	return cmd
}

func (c *commands) backendDrop() *cobra.Command {
	cmd := &cobra.Command{
		Use: "drop", Short: "Take all that this machine put off the server", Args: exact(0, "no arguments"),
		Long: `drop takes what this machine put out of the server's tables. The files stay. What the
server's log, its backups and its replicas still hold is up to its administrator. While
recall.backend is postgres the app puts everything there again: set it to local first.`,
	}
	yes := cmd.Flags().Bool("yes", false, "don't ask")
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			if !*yes {
				return &plainError{sentence: "Nothing is taken off the server without --yes.", next: "`mac-stats memory backend drop --yes` takes off what this machine put there. This can't be undone, but push puts it there again."}
			}
			names, err := b.DropMemory(cmd.Context())
			switch {
			case errors.Is(err, recall.ErrServer):
				return inPlain(err)
			case err != nil:
				return err
			case len(names) == 0:
				return c.out.text("Nothing of this machine is on a server.\n")
			}
			return c.out.text("What this machine put is off " + strings.Join(names, " and ") + ". The log, backups and replicas there may still hold it.\n")
		})
	})
	return cmd
}

func (c *commands) backendPassword() *cobra.Command {
	cmd := &cobra.Command{
		Use: "password", Short: "Save the server's password in the keychain, read from the keyboard or a pipe", Args: exact(0, "no words: the password is read from stdin, so that it stands in no history"),
	}
	forget := cmd.Flags().Bool("forget", false, "remove the saved password")
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			password, done := "", "removed\n"
			if !*forget {
				if !c.p.StdinIsPipe {
					c.toStderr("Type the password and press Enter: ")
				}
				text, err := bufio.NewReader(io.LimitReader(c.p.Stdin, 4096)).ReadString('\n')
				if err != nil && !errors.Is(err, io.EOF) {
					return fmt.Errorf("reading the password: %w", err)
				}
				if password, done = strings.TrimRight(text, "\r\n"), "saved in the keychain\n"; password == "" {
					return &plainError{sentence: "There was no password, and nothing is saved.", next: "Type it, or pipe it in."}
				}
			}
			err := b.SetServerPassword(password)
			if errors.Is(err, backend.ErrNoKeychain) {
				return &plainError{sentence: "There is no keychain here to keep a password in.", next: "Write it to ~/.pgpass (mode 0600), as libpq reads it: host:port:database:user:password."}
			}
			if err != nil {
				return inPlain(err)
			}
			return c.out.text(done)
		})
	})
	return cmd
}

// backendWords is a line of `memory status` about the server; "" where there is none.
func backendWords(ctx context.Context, b *backend.Backend) string {
	s, err := b.MemoryServer()
	if err == nil && s == nil {
		if left := b.ServersLeft(); len(left) > 0 {
			return serversLeft(left)
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
		return "this machine alone: " + oneLine(err.Error(), 300)
	}
	passages := 0
	for _, m := range st.Machines {
		passages += m.Passages
	}
	return fmt.Sprintf("on the server: %s of %s, %s", count(passages, "passage"), count(len(st.Machines), "machine"), vectorsOfServer(st))
}

// serversLeft tells of servers that still hold what this machine put.
func serversLeft(left []string) string {
	return "what this machine put is still on " + strings.Join(left, " and ") + ", where your other machines find it; `mac-stats memory backend drop --yes` takes it off"
}

// backendChecks look at the server, where there is to be one.
func (d *doctor) backendChecks(ctx context.Context) []check {
	const name = "memory server"
	s, err := d.b.MemoryServer()
	if err == nil && s == nil {
		if left := d.b.ServersLeft(); len(left) > 0 {
			return []check{bad(name, "it holds what this machine put, though recall.backend is local", sentence(serversLeft(left)))}
		}
		return nil
	}
	var st recall.ServerStatus
	if err == nil {
		st, err = s.Status(ctx)
	}
	checks := []check{good(name, "PostgreSQL "+st.Version+", "+vectorsOfServer(st))}
	if err != nil {
		checks[0] = bad(name, oneLine(err.Error(), 300), "Until then this machine searches its own files. `mac-stats memory backend test` tries again.")
	}
	if postgres.HasPassword(d.b.Config().Recall.PostgresURL) {
		checks = append(checks, bad("memory server password", passwordInConfig, "`mac-stats memory backend password` saves it in the keychain."))
	}
	return checks
}
