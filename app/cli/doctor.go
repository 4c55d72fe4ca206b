package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/config"
)

// check is one thing doctor looked at, and a line of `doctor --json`.
type check struct {
	Type  string `json:"type"` // check
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Found string `json:"found"`
	Fix   string `json:"fix"` // "" where OK
}

func good(name, found string) check { return check{Type: "check", Name: name, OK: true, Found: found} }

func bad(name, found, fix string) check {
	return check{Type: "check", Name: name, Found: found, Fix: fix}
}

// doctorTimeout is how long the questions to the server may take together.
const doctorTimeout = 20 * time.Second

func (c *commands) doctorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "doctor", Short: "Find what is wrong, and say the fix",
		Long: `doctor looks at the data folder and its permissions, the settings, the Ollama
server, its models and their context sizes, the agents, the display and the tray,
and the disk. Exit 1 where it finds something.`,
		Args: exact(0, "no words"),
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		d := doctor{c: c, probes: systemProbes(c.p.Environ)}
		if c.p.probes != nil {
			d.probes = *c.p.probes
		}
		checks := d.all(cmd.Context())
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		return c.printChecks(checks, *asJSON)
	})
	return cmd
}

func (c *commands) printChecks(checks []check, asJSON bool) error {
	findings := 0
	for _, ch := range checks {
		if !ch.OK {
			findings++
		}
		if err := c.printCheck(ch, asJSON); err != nil {
			return err
		}
	}
	if findings > 0 {
		return errFindings
	}
	if asJSON {
		return nil
	}
	return c.out.text("Nothing is wrong.\n")
}

func (c *commands) printCheck(ch check, asJSON bool) error {
	if asJSON {
		return c.out.json(ch)
	}
	if ch.OK {
		return c.out.text(fmt.Sprintf("✓ %-12s %s\n", ch.Name, ch.Found))
	}
	return c.out.text(fmt.Sprintf("✗ %-12s %s\n  %-12s fix: %s\n", ch.Name, ch.Found, "", ch.Fix))
}

// doctor goes through everything once.
type doctor struct {
	c      *commands
	b      *backend.Backend
	probes probes
}

// all gives every check. Where the backend can't be opened at all, those that
// need none are made.
func (d *doctor) all(ctx context.Context) []check {
	var checks []check
	if !d.c.options.Demo { // its folder is a new one
		checks = d.folderChecks()
	}
	b, err := d.c.p.Open(ctx, backend.Options{Demo: d.c.options.Demo, Environ: d.c.p.Environ, Version: d.c.p.Version})
	if err != nil {
		checks = append(checks, bad("start", oneLine(err.Error(), 300), oneLine(explain(err), 300)))
		return append(checks, d.screenChecks(ctx)...)
	}
	d.b = b
	checks = append(checks, d.configChecks()...)
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	checks = append(checks, d.serverChecks(ctx)...)
	checks = append(checks, d.agentChecks()...)
	checks = append(checks, d.screenChecks(ctx)...)
	if err := b.Close(); err != nil {
		checks = append(checks, bad("end", oneLine(err.Error(), 300), "Run it again; the log in "+b.Paths.Home+"/logs says more."))
	}
	return checks
}

func (d *doctor) getenv(key string) string {
	value := ""
	for _, kv := range d.c.p.Environ {
		if k, v, ok := strings.Cut(kv, "="); ok && k == key {
			value = v
		}
	}
	return value
}

// folderChecks look at the data folder before anything is opened in it.
func (d *doctor) folderChecks() []check {
	paths, err := config.FindPaths(d.getenv)
	if err != nil {
		return []check{bad("folder", oneLine(err.Error(), 300), "Set HOME, or MAC_STATS_HOME to the folder to use.")}
	}
	checks := []check{checkWritable(paths.Home)}
	if checks[0].OK {
		checks = append(checks, checkPermissions(paths.Home))
	}
	return append(checks, d.checkDisk(paths.Home))
}

func (d *doctor) configChecks() []check {
	file := d.b.Paths.ConfigFile()
	_, findings := config.Load(file, d.c.p.Environ)
	var checks []check
	var notes []string
	for _, f := range findings {
		if f.Note {
			notes = append(notes, f.String())
			continue
		}
		checks = append(checks, bad("config", f.String(), "Edit "+file+" (or the variable it names); it is read again when saved."))
	}
	if len(checks) == 0 {
		checks = append(checks, good("config", file+" is fine"))
	}
	for _, n := range notes {
		checks = append(checks, good("config", n))
	}
	return checks
}

// agentChecks lists the broken agents.
func (d *doctor) agentChecks() []check {
	var checks []check
	usable := 0
	for _, a := range d.b.Registry.Agents() {
		if a.Usable() {
			usable++
		}
		if a.Err != nil {
			checks = append(checks, bad("agent "+a.ID, oneLine(a.Err.Error(), 300), "Edit "+a.Path+", or `mac-stats agents reset "+a.ID+"` where it came with the app."))
		}
		for _, w := range a.Warnings {
			checks = append(checks, good("agent "+a.ID, oneLine(w, 300)))
		}
	}
	if usable == 0 {
		return append(checks, bad("agents", "no agent can be used", "`mac-stats agents reset` puts the shipped ones back."))
	}
	if _, err := d.b.Registry.Find(d.b.Config().Agents.Default); err != nil {
		checks = append(checks, bad("agents", "agents.default: "+oneLine(err.Error(), 300), "Name another in config.toml, or `mac-stats agents reset`."))
	}
	return append(checks, good("agents", fmt.Sprintf("%d can be used", usable)))
}

// errNoBus: there is no session bus to ask for a tray host.
var errNoBus = errors.New("there is no D-Bus session")
