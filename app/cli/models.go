package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/agents/ollama"
	"mac-stats/app/backend"
)

// modelLine is a line of `models list --json`.
type modelLine struct {
	Type         string   `json:"type"` // model
	Name         string   `json:"name"`
	Family       string   `json:"family"`
	Parameters   int64    `json:"parameters"`  // 0 where unknown
	SizeBytes    int64    `json:"size_bytes"`  // on disk
	MaxContext   int      `json:"max_context"` // tokens; 0 where unknown
	Context      int      `json:"context"`     // tokens this app uses
	Capabilities []string `json:"capabilities"`
	Roles        []string `json:"roles"` // it is chosen for
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

// roles are all there are, in the order people read them.
func roles() []ollama.Role {
	return []ollama.Role{
		ollama.RoleGeneral, ollama.RoleCode, ollama.RoleSmall, ollama.RoleThinking, ollama.RoleVision, ollama.RoleEmbed,
	}
}

func (c *commands) modelsCommand() *cobra.Command {
	return c.group("models", "List installed models and what they are used for; install one", c.modelsList(), c.modelsPull())
}

func (c *commands) modelsList() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List installed models, their context and roles", Args: exact(0, "no arguments")}
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), listTimeout)
			defer cancel()
			lines, err := modelLines(ctx, b)
			if err != nil {
				return err
			}
			return c.printModels(lines, b.Models.Advice()[0].Model, *asJSON)
		})
	})
	return cmd
}

func modelLines(ctx context.Context, b *backend.Backend) ([]modelLine, error) {
	models, err := b.Models.Models(ctx)
	if err != nil {
		return nil, err
	}
	chosen, _, err := chosenModels(ctx, b)
	if err != nil {
		return nil, err
	}
	var lines []modelLine
	for _, m := range models {
		line := modelLine{
			Type: "model", Name: m.Name, Family: m.Family, Parameters: m.Parameters, SizeBytes: m.Size, MaxContext: m.MaxContext,
			Capabilities: append([]string{}, m.Capabilities...), Roles: []string{}, Remote: m.Remote,
		}
		for _, role := range roles() {
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

// chosenModels resolves the roles as the engine does. missing are the configured
// models that are not installed, by role.
func chosenModels(ctx context.Context, b *backend.Backend) (chosen map[ollama.Role]ollama.ModelInfo, missing map[ollama.Role]string, err error) {
	chosen, missing = map[ollama.Role]ollama.ModelInfo{}, map[ollama.Role]string{}
	cfg := b.Config().Ollama
	for _, role := range roles() {
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

// printModels prints the table, or where it is empty, the advice: a model to install.
func (c *commands) printModels(lines []modelLine, advice string, asJSON bool) error {
	rows := [][]string{{"NAME", "SIZE", "CONTEXT", "CAN", "USED FOR"}}
	for _, l := range lines {
		if asJSON {
			if err := c.out.json(l); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []string{
			l.Name, size(l.SizeBytes), fmt.Sprintf("%s of %s", thousands(l.Context), thousands(l.MaxContext)),
			orDash(strings.Join(l.Capabilities, " ")), orDash(strings.Join(l.Roles, " ")),
		})
	}
	switch {
	case asJSON:
		return nil
	case len(lines) == 0:
		return c.out.text("No model is installed. `mac-stats models pull " + advice + "` installs one.\n")
	}
	return c.out.table(rows)
}

func (c *commands) modelsPull() *cobra.Command {
	cmd := &cobra.Command{
		Use: "pull NAME", Short: "Install a model through Ollama",
		Long:    "pull downloads a model. Ctrl-C stops it; the next pull of the same model goes on from there.",
		Example: "  mac-stats models pull qwen3:8b",
		Args:    exact(1, "one model"),
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, args []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			p := puller{c: c, name: args[0], json: *asJSON}
			err := b.Client.Pull(cmd.Context(), args[0], p.progress)
			p.erase()
			if err != nil {
				return err
			}
			if *asJSON {
				p.last.Done = true
				return c.out.json(p.last)
			}
			return c.out.text(args[0] + " is installed.\n")
		})
	})
	return cmd
}

// puller shows how a download goes.
type puller struct {
	c     *commands
	name  string
	json  bool
	last  pullLine
	at    time.Time
	drawn bool
}

func (p *puller) progress(step ollama.Progress) {
	line := pullLine{Type: "pull", Name: p.name, Status: step.Status, Completed: step.Completed, Total: step.Total}
	if line.Status == p.last.Status && time.Since(p.at) < pullTick {
		p.last = line
		return
	}
	p.last, p.at = line, time.Now()
	switch {
	case p.json:
		_ = p.c.out.json(line) // an error is kept and ends the command
	case p.c.p.StderrIsTerminal:
		p.c.toStderr("\r\x1b[K" + oneLine(pullWords(line), 78))
		p.drawn = true
	}
}

func pullWords(l pullLine) string {
	if l.Total <= 0 {
		return l.Status
	}
	return fmt.Sprintf("%3d %% · %s of %s · %s", 100*l.Completed/l.Total, size(l.Completed), size(l.Total), l.Status)
}

func (p *puller) erase() {
	if p.drawn {
		p.c.toStderr("\r\x1b[K")
	}
}
