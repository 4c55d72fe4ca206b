// Package modelcmd implements `mac-stats models`: it lists the models on the Ollama server
// with the roles they have, and installs others.
//
// Chosen resolves a role as the engine does, so that the list, doctor and a turn agree.
// list shows the context that mac-stats requests next to the largest possible one. A
// stopped download continues at the next pull; nothing is ever removed.
//
// Package doctorcmd uses Roles and Chosen; app/cli calls Command.
package modelcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/agents/ollama"
	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/app/secret"
	"mac-stats/sessionmem/loopback"
)

// modelLine is a line of `models list --json`.
type modelLine struct {
	Type         string   `json:"type"` // model
	Name         string   `json:"name"`
	Family       string   `json:"family"`
	Parameters   int64    `json:"parameters"`  // 0 if unknown
	SizeBytes    int64    `json:"size_bytes"`  // on disk
	MaxContext   int      `json:"max_context"` // tokens; 0 if unknown
	Context      int      `json:"context"`     // tokens that this app requests
	Capabilities []string `json:"capabilities"`
	Roles        []string `json:"roles"` // the roles it is chosen for
	Remote       bool     `json:"remote"`
}

// pullLine is a line of `models pull --json`; the last one has Done.
type pullLine struct {
	Type      string `json:"type"` // pull
	Name      string `json:"name"`
	Status    string `json:"status"`
	Completed int64  `json:"completed"` // bytes
	Total     int64  `json:"total"`
	Done      bool   `json:"done"`
}

const (
	// listTimeout is how long the server may take to describe its models.
	listTimeout = 30 * time.Second
	// pullTick is how often the progress of a pull is shown.
	pullTick = 200 * time.Millisecond
)

// Roles returns all roles in the order shown to people.
func Roles() []ollama.Role {
	return []ollama.Role{
		ollama.RoleGeneral, ollama.RoleCode, ollama.RoleSmall, ollama.RoleThinking, ollama.RoleVision, ollama.RoleEmbed,
	}
}

// Command returns models.
func Command(c *cmdline.Line) *cobra.Command {
	return cmdline.Group("models", "List installed models and what they are used for; install one; save a server's token", listCommand(c), pullCommand(c), tokenCommand(c))
}

func listCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "list", Short: "List installed models, their context and roles", Args: cmdline.NoArgs,
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, _ []string) error {
			ctx, cancel := context.WithTimeout(ctx, listTimeout)
			defer cancel()
			lines, err := modelLines(ctx, b)
			if err != nil {
				return err
			}
			return printModels(c, lines, b.Models.Advice()[0].Model)
		}),
	})
}

func modelLines(ctx context.Context, b *backend.Backend) ([]modelLine, error) {
	models, err := b.Models.Models(ctx)
	if err != nil {
		return nil, err
	}
	chosen, _, err := Chosen(ctx, b)
	if err != nil {
		return nil, err
	}
	var lines []modelLine
	for _, m := range models {
		line := modelLine{
			Type: "model", Name: m.Name, Family: m.Family, Parameters: m.Parameters, SizeBytes: m.Size, MaxContext: m.MaxContext,
			Capabilities: append([]string{}, m.Capabilities...), Roles: []string{}, Remote: m.Remote,
		}
		for _, role := range Roles() {
			if chosen[role].Name == m.Name {
				line.Roles = append(line.Roles, string(role))
			}
		}
		if line.Context, err = b.Models.NumCtx(ctx, m.Name); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// Chosen resolves the roles as the engine does. missing holds the configured models that
// are not installed, by role.
func Chosen(ctx context.Context, b *backend.Backend) (chosen map[ollama.Role]ollama.ModelInfo, missing map[ollama.Role]string, err error) {
	chosen, missing = map[ollama.Role]ollama.ModelInfo{}, map[ollama.Role]string{}
	cfg := b.Config().Ollama
	for _, role := range Roles() {
		explicit := cfg.Model
		switch role {
		case ollama.RoleSmall:
			explicit = cfg.SmallModel
		case ollama.RoleEmbed:
			explicit = cfg.EmbedModel
		}
		info, err := b.Models.Resolve(ctx, explicit, role)
		switch {
		case err == nil:
			chosen[role] = info
		case errors.Is(err, ollama.ErrModelMissing):
			missing[role] = explicit
		case !errors.Is(err, ollama.ErrNoModel):
			return nil, nil, err
		}
	}
	return chosen, missing, nil
}

// printModels prints the table or, if it is empty, the advice: a model to install.
func printModels(c *cmdline.Line, lines []modelLine, advice string) error {
	list := c.Out.NewList("NAME", "SIZE", "CONTEXT", "CAN", "USED FOR")
	for _, l := range lines {
		list.Add(l, l.Name, words.Size(l.SizeBytes), fmt.Sprintf("%s of %s", words.Thousands(l.Context), words.Thousands(l.MaxContext)),
			cmp.Or(strings.Join(l.Capabilities, " "), "–"), cmp.Or(strings.Join(l.Roles, " "), "–"))
	}
	return list.End("No model is installed. `mac-stats models pull " + advice + "` installs one.\n")
}

func pullCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "pull NAME", Short: "Install a model through Ollama",
		Long:    "pull downloads a model. Ctrl-C stops it; the next pull of the same model continues from there.",
		Example: "  mac-stats models pull qwen3:8b",
		Args:    cmdline.Exactly(1, "one model"),
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, args []string) error {
			p := puller{c: c, name: args[0], line: cmdline.Status{Line: c}}
			err := b.Client.Pull(ctx, args[0], p.progress)
			p.line.Erase()
			if err != nil {
				return err
			}
			p.last.Done = true
			return c.Out.Print(p.last, args[0]+" is installed.\n")
		}),
	})
}

// tokenLine is the line of `models token --status --json`.
type tokenLine struct {
	Type  string `json:"type"`  // token
	Found string `json:"found"` // a variable's name, keychain or a file; "" if nowhere
}

func tokenCommand(c *cmdline.Line) *cobra.Command {
	cmd := c.WithJSON(&cobra.Command{
		Use: "token", Short: "Save the token of a server behind a gateway", Args: cmdline.Exactly(0, "no words: the token is read from stdin, so that it stands in no history"),
		Long: `Reads the token that a gateway in front of Ollama wants, and keeps it in the system's
keychain or, if there is none, in a file that only you can read (ollama/token). It is sent
as "Authorization: Bearer …" to the server that is configured now, and to no other one.
` + backend.EnvOllamaToken + ` takes precedence. For a name and a password write
ollama.host as https://name:password@host instead.`,
		Example: "  mac-stats models token < token.txt\n  mac-stats models token --status",
	})
	forget := cmd.Flags().Bool("forget", false, "remove the saved token")
	status := cmd.Flags().Bool("status", false, "show where the token is, without showing it")
	cmd.RunE = c.OnBackend(func(ctx context.Context, b *backend.Backend, _ []string) error {
		if *forget {
			if err := b.ServerToken.Forget(); err != nil {
				return cmdline.ProblemOf(err, "")
			}
			return c.Out.Text("removed\n")
		}
		if *status {
			from, err := b.ServerToken.From()
			if errors.Is(err, secret.ErrNone) {
				return c.Out.Print(tokenLine{Type: "token"}, "No token is saved for "+b.Client.Address()+".\n")
			}
			if err != nil {
				return cmdline.ProblemOf(err, "")
			}
			return c.Out.Print(tokenLine{Type: "token", Found: from}, "The token for "+b.Client.Address()+" is in "+from+".\n")
		}
		text, err := c.ReadSecret(ctx, "Paste the token and press Enter: ", "the token")
		if err != nil {
			return err
		}
		text, _ = strings.CutPrefix(strings.TrimSpace(text), "Bearer ")
		token, ok := secret.OneWord(text)
		if !ok {
			return cmdline.Problem("That is no token, and nothing is saved: one is a single word without spaces.", "Pipe it or paste it: `mac-stats models token < token.txt`.")
		}
		where, server, err := b.ServerToken.Save(token)
		if err != nil {
			return cmdline.ProblemOf(err, "")
		}
		said := "saved in " + where + " for " + server + "\n"
		if host := b.Client.Host(); host.Scheme == "http" && !loopback.Is(host.Host) {
			said += "This address has no encryption: everybody on the way can read the token. Use https if the server has it.\n"
		}
		return c.Out.Text(said)
	})
	return cmd
}

// puller shows the progress of a download.
type puller struct {
	c    *cmdline.Line
	name string
	last pullLine
	at   time.Time
	line cmdline.Status
}

func (p *puller) progress(step ollama.Progress) {
	line := pullLine{Type: "pull", Name: p.name, Status: step.Status, Completed: step.Completed, Total: step.Total}
	if line.Status == p.last.Status && time.Since(p.at) < pullTick {
		p.last = line
		return
	}
	p.last, p.at = line, time.Now()
	if p.c.Out.AsJSON {
		_ = p.c.Out.JSON(line) // the output keeps an error, which ends the command
		return
	}
	p.line.Draw(words.OneLine(pullWords(line), 78))
}

func pullWords(l pullLine) string {
	if l.Total <= 0 {
		return l.Status
	}
	return fmt.Sprintf("%3d %% · %s of %s · %s", 100*l.Completed/l.Total, words.Size(l.Completed), words.Size(l.Total), l.Status)
}
