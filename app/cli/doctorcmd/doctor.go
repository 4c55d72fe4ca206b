// Package doctorcmd implements `mac-stats doctor`, which checks everything that may be wrong
// and suggests a fix for each finding.
//
// A check is good, bad, or a note; any bad one makes the exit code 1. The folder is checked
// before anything in it is opened, and if the backend can't be opened, the checks that
// don't need it still run. doctor changes little: it creates the data folder, writes and
// removes a probe file in its folders, and opening the backend repairs what it always
// repairs. Questions to the system go through Probes.
//
// It uses other families of commands: for the roles of models, channels.toml and the memory
// server. app/cli calls Command.
package doctorcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mac-stats/agents/fault"
	"mac-stats/agents/mcpclient"
	"mac-stats/agents/registry"
	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/app/config"
)

// check is the result of one check, and a line of `doctor --json`.
type check struct {
	Type  string `json:"type"` // check
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Found string `json:"found"`
	Fix   string `json:"fix"` // "" if OK

	note bool // neither good nor bad: OK, but worth reading
}

func good(name, found string) check { return check{Type: "check", Name: name, OK: true, Found: found} }

func noted(name, found string) check {
	return check{Type: "check", Name: name, OK: true, Found: found, note: true}
}

func bad(name, found, fix string) check {
	return check{Type: "check", Name: name, Found: found, Fix: fix}
}

// doctorTimeout is how long all requests to the server together may take.
const doctorTimeout = 20 * time.Second

// Command returns doctor; nil probes mean the real system.
func Command(c *cmdline.Line, probes *Probes) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "doctor", Short: "Find what is wrong and how to fix it",
		Long: `doctor looks at the data folder and its permissions, the settings, the Ollama
server, its models and their context sizes, the agents, whether memory files and
transcripts can be read, the search index, the Discord bot, the display and the tray,
the MCP servers, the disk, and crash reports. It exits with 1 if it finds a problem. With --json it
prints what a bug report needs.`,
		Args: cmdline.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if probes == nil {
				system := systemProbes(c.Environ)
				probes = &system
			}
			d := doctor{c: c, probes: probes}
			checks := append(d.all(cmd.Context()), good("version", c.Version+", "+runtime.GOOS+"/"+runtime.GOARCH+", "+runtime.Version()))
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			return printChecks(c, checks)
		},
	})
}

func printChecks(c *cmdline.Line, checks []check) error {
	findings, width := 0, 12
	for _, ch := range checks {
		width = max(width, utf8.RuneCountInString(ch.Name))
	}
	for _, ch := range checks {
		if !ch.OK {
			findings++
		}
		if err := printCheck(c, ch, width); err != nil {
			return err
		}
	}
	if findings > 0 {
		return cmdline.ErrFindings
	}
	if c.Out.AsJSON {
		return nil
	}
	return c.Out.Text("Nothing is wrong.\n")
}

func printCheck(c *cmdline.Line, ch check, width int) error {
	if c.Out.AsJSON {
		return c.Out.JSON(ch)
	}
	mark := "✗"
	switch {
	case ch.note:
		mark = "·"
	case ch.OK:
		mark = "✓"
	}
	text := fmt.Sprintf("%s %-*s %s\n", mark, width, ch.Name, ch.Found)
	if !ch.OK {
		text += fmt.Sprintf("  %-*s fix: %s\n", width, "", ch.Fix)
	}
	return c.Out.Text(text)
}

// doctor runs all checks once.
type doctor struct {
	c      *cmdline.Line
	b      *backend.Backend
	probes *Probes
}

// all returns every check. If the backend can't be opened, it skips those that need it.
func (d *doctor) all(ctx context.Context) []check {
	var checks []check
	if !d.c.Demo { // the demo's folder is new
		checks = d.folderChecks()
	}
	b, err := d.c.OpenSilently(ctx)
	if err != nil {
		checks = append(checks, d.startCheck(err, checks))
		return append(checks, d.screenChecks(ctx)...)
	}
	d.b = b
	checks = append(checks, d.configChecks()...)
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	checks = append(checks, d.serverChecks(ctx)...)
	checks = append(checks, d.agentChecks()...)
	checks = append(checks, d.fileChecks(ctx)...)
	checks = append(checks, d.lackChecks()...)
	checks = append(checks, d.readingChecks(ctx)...)
	checks = append(checks, d.indexChecks(ctx)...)
	checks = append(checks, d.backendChecks(ctx)...)
	checks = append(checks, d.discordChecks(ctx)...)
	checks = append(checks, d.mcpChecks()...)
	checks = append(checks, d.screenChecks(ctx)...)
	if err := b.Close(); err != nil {
		checks = append(checks, bad("end", words.OneLine(err.Error(), 300), "Run it again; the log in "+b.Paths.Home+"/logs says more."))
	}
	return checks
}

// startCheck explains why nothing could be opened and what to do.
func (d *doctor) startCheck(err error, before []check) check {
	e := d.c.Explain(err)
	if len(before) > 0 && !before[0].OK {
		e.Next = "It is the folder above: once it can be written, run `mac-stats doctor` again."
	} else if e.Kind == fault.KindInternal {
		e.Next = "Put that right, then run `mac-stats doctor` again."
	}
	return bad("start", words.OneLine(e.Sentence, 300), e.Next)
}

// folderChecks checks the data folder before anything in it is opened.
func (d *doctor) folderChecks() []check {
	paths, err := d.c.Paths()
	if err != nil {
		return []check{bad("folder", words.OneLine(err.Error(), 300), "Set HOME, or MAC_STATS_HOME to the folder to use.")}
	}
	checks := []check{checkWritable(paths.Home)}
	if checks[0].OK {
		checks = append(checks, checkPermissions(paths.Home))
	}
	covered := checks[0].OK || strings.Contains(checks[0].Found, "no space left")
	if !covered { // a read-only file system has 0 B free, which isn't the problem
		return checks
	}
	return append(append(checks, d.checkDisk(paths.Home)), crashChecks(paths.Home)...)
}

func (d *doctor) configChecks() []check {
	file := d.b.Paths.ConfigFile()
	_, findings := config.Load(file, d.c.Environ)
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
		checks = append(checks, noted("config", n))
	}
	return checks
}

// lackChecks looks for what a move or a restored backup left behind.
func (d *doctor) lackChecks() (checks []check) {
	in, err := d.b.Store.Incomplete()
	if err != nil {
		return []check{bad("complete", words.OneLine(err.Error(), 200), "Check that the folder can be read.")}
	}
	for _, l := range cmdline.IncompleteWords(in, filepath.Join(d.b.Paths.Home, "session")) {
		checks = append(checks, bad("complete", l.Found, l.Fix))
	}
	return checks
}

// fileChecks checks that memory files and transcripts can be read.
func (d *doctor) fileChecks(ctx context.Context) []check {
	files, err := d.b.Memory.List()
	checks := unreadFile(nil, "memory", d.b.Paths.Home, err)
	var odd []check
	for _, f := range files {
		checks = unreadFile(checks, "memory", f.Path, f.Err)
		if words := f.Odd(); words != "" {
			odd = append(odd, noted("memory", f.Path+" "+words))
		}
	}
	if len(checks) == 0 {
		checks = append(checks, good("memory", words.Count(len(files), "file")+" can be read"))
	}
	checks = append(checks, odd...)
	for _, path := range d.b.Memory.Copies() {
		checks = append(checks, noted("memory", path+" is a copy and isn't read; compare it with its original before you remove it"))
	}
	list, err := d.b.Store.List(ctx)
	unread := unreadFile(nil, "transcripts", d.b.Paths.Home, err)
	for _, info := range list {
		unread = unreadFile(unread, "transcripts", info.Path, info.Err)
	}
	if len(unread) == 0 {
		unread = append(unread, good("transcripts", words.Count(len(list), "transcript")+" can be read"))
	}
	return append(checks, unread...)
}

// unreadFile adds a finding for a file that can't be read.
func unreadFile(checks []check, name, path string, err error) []check {
	switch {
	case err == nil:
		return checks
	case errors.Is(err, fs.ErrPermission):
		return append(checks, bad(name, path+" can't be read: permission denied", "Give yourself access to it: `chmod u+rw "+path+"`."))
	}
	return append(checks, bad(name, path+" can't be read: "+words.OneLine(err.Error(), 200), "Open it in an editor, or put a copy from a backup in its place."))
}

// agentChecks lists the broken agents and skills, and what of the others isn't used as it
// is written, one line a kind.
func (d *doctor) agentChecks() []check {
	var checks []check
	var notes, skillNotes noteList
	usable := 0
	for _, a := range d.b.Registry.Agents() {
		if a.Usable() {
			usable++
		}
		if a.Err != nil {
			checks = append(checks, bad("agent "+a.ID, words.OneLine(a.Err.Error(), 300), d.editAgent(a)))
		}
		for _, w := range a.Warnings {
			if a.Usable() && (a.HasFolder() || strings.Contains(w, "did you mean")) { // other programs don't write an agent.json
				checks = append(checks, bad("agent "+a.ID, words.OneLine(w, 300), d.editAgent(a)))
				continue
			}
			notes.add(w, a.ID)
		}
	}
	for _, n := range d.b.Registry.NotAgents() {
		notes.add(n, "")
	}
	for _, s := range d.b.Registry.Skills() {
		if s.Err != nil {
			checks = append(checks, bad("skill "+s.Name, words.OneLine(s.Err.Error(), 300), "Edit "+s.Path+"."))
		}
		for _, w := range s.Warnings {
			skillNotes.add(w, s.Name)
		}
	}
	checks = append(append(checks, notes.checks("agents")...), skillNotes.checks("skills")...)
	if usable == 0 {
		return append(checks, bad("agents", "no agent can be used", "`mac-stats agents reset` puts the shipped ones back."))
	}
	if _, err := d.b.Registry.Find(d.b.Config().Agents.Default); err != nil {
		checks = append(checks, bad("agents", "agents.default: "+words.OneLine(err.Error(), 300), "Name another in config.toml, or `mac-stats agents reset`."))
	}
	return append(checks, good("agents", fmt.Sprintf("%d can be used", usable)))
}

// noteList gathers notes by their kind: what stands behind their last colon.
type noteList struct {
	kinds []string
	of    map[string][]string // what each concerns, by kind
}

func (l *noteList) add(note, who string) {
	at := strings.LastIndex(note, ": ")
	kind, what := note[max(at+1, 0):], strings.TrimSpace(who+" "+note[:max(at, 0)])
	if l.of == nil {
		l.of = map[string][]string{}
	}
	if l.of[kind] == nil {
		l.kinds = append(l.kinds, kind)
	}
	l.of[kind] = append(l.of[kind], what)
}

// checks returns a line for each kind, with the first three that it concerns.
func (l *noteList) checks(name string) []check {
	var checks []check
	for _, kind := range l.kinds {
		of := l.of[kind]
		who := words.OneLine(strings.Join(of[:min(len(of), 3)], "; "), 200)
		if more := len(of) - 3; more > 0 {
			who += fmt.Sprintf(" and %d more", more)
		}
		checks = append(checks, noted(name, strings.TrimSpace(who+": "+strings.TrimSpace(kind))))
	}
	return checks
}

// mcpChecks says which MCP servers can't be used, and what is left out of the others. It
// starts none.
func (d *doctor) mcpChecks() (checks []check) {
	file := d.b.Outside.MCP.File()
	list, err := d.b.Outside.MCP.Servers()
	if err != nil {
		return []check{bad("mcp", words.OneLine(err.Error(), 300), "Edit "+file+".")}
	}
	usable := 0
	for _, s := range list {
		name := "mcp " + s.Name
		switch {
		case s.State == mcpclient.StateFailed && s.Where == "":
			checks = append(checks, bad(name, words.OneLine(s.Err.Error(), 300), "Edit "+file+"."))
		case s.State == mcpclient.StateFailed:
			checks = append(checks, bad(name, "its last start failed: "+words.OneLine(s.Err.Error(), 300), "`mac-stats mcp test "+s.Name+"` tries again."))
		case s.State != mcpclient.StateOff:
			usable++
		}
		for _, left := range s.Left {
			checks = append(checks, noted(name, "left out: "+words.OneLine(left, 300)))
		}
	}
	if usable > 0 {
		checks = append(checks, good("mcp", words.Count(usable, "server")+" can be used"))
	}
	return checks
}

func (d *doctor) editAgent(a registry.Agent) string {
	if d.b.Registry.Ships(a.ID) {
		return "Edit " + a.Path + ", or put it back as it came: `mac-stats agents reset " + a.ID + "`."
	}
	return "Edit " + a.Path + "."
}
