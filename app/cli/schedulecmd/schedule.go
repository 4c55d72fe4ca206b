// Package schedulecmd implements `mac-stats schedule`: it lists, adds, removes, switches on
// and off, and runs the prompts that are sent at fixed times.
//
// Schedules are in schedules.toml, which people edit; mistakes in it are reported and left
// alone. A schedule runs while the app does, in its own session; run sends its prompt at
// once and prints the answer. The times and the file belong to app/schedule. app/cli calls
// Command.
package schedulecmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/app/schedule"
)

// scheduleLine is a line of `schedule list --json`.
type scheduleLine struct {
	Type      string `json:"type"` // schedule, or problem, which only has Text
	Name      string `json:"name,omitempty"`
	When      string `json:"when,omitempty"`
	Prompt    string `json:"prompt,omitempty"`
	Agent     string `json:"agent,omitempty"`
	Enabled   bool   `json:"enabled"`
	Quiet     string `json:"quiet,omitempty"`
	OnBattery bool   `json:"on_battery"`
	Session   string `json:"session,omitempty"`
	Next      string `json:"next,omitempty"`
	Last      string `json:"last,omitempty"` // start of the last run
	Late      string `json:"late,omitempty"` // says that the run was late
	Error     string `json:"error,omitempty"`
	Text      string `json:"text,omitempty"`
}

// Command returns schedule.
func Command(c *cmdline.Line) *cobra.Command {
	group := cmdline.Group("schedule", "Ask something at set times: list, add, remove, run, enable, disable",
		listCommand(c), addCommand(c), removeCommand(c), runCommand(c), switchCommand(c, "enable", true), switchCommand(c, "disable", false))
	group.Long = `Schedules are in schedules.toml in the data folder, which you can edit. They run while the
app or mac-stats --headless runs; what fell due in between runs once. Each has its own
session: ` + "`mac-stats sessions show schedule-NAME`" + ` shows the answers.`
	group.Example = `  mac-stats schedule add Morning --when "every weekday at 8" "What should I know about this machine today?"
  mac-stats schedule list
  mac-stats schedule run Morning`
	return group
}

func listCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "list", Short: "List the schedules, with the next and the last run", Args: cmdline.NoArgs,
		RunE: c.OnBackend(func(_ context.Context, b *backend.Backend, _ []string) error {
			return printSchedules(c, b)
		}),
	})
}

func printSchedules(c *cmdline.Line, b *backend.Backend) error {
	list, problems := b.Schedules.List()
	now := time.Now()
	lines := c.Out.NewList("NAME", "WHEN", "NEXT", "LAST", "")
	for _, s := range list {
		line := scheduleLine{
			Type: "schedule", Name: s.Name, When: s.When.String(), Prompt: s.Prompt, Agent: s.Agent, Enabled: s.Enabled, Quiet: s.Quiet.String(),
			OnBattery: s.OnBattery, Session: s.Session(), Next: words.Stamp(s.Next), Last: words.Stamp(s.Last.Began),
			Late: s.Last.Late.Words(s.Last.Due, s.Last.Began), Error: s.Last.Error,
		}
		next, last := "off", "never"
		if s.Enabled {
			next = near(s.Next, now)
		}
		if s.Quieted {
			next += " (after quiet hours)"
		}
		if !s.Last.Began.IsZero() {
			last = near(s.Last.Began, now)
		}
		lines.Add(line, s.Name, line.When, next, last, words.OneLine(cmp.Or(line.Error, line.Late), 80))
	}
	for _, p := range problems {
		if c.Out.AsJSON {
			lines.Add(scheduleLine{Type: "problem", Name: p.Name, Text: p.String()})
			continue
		}
		c.Note("mac-stats: " + p.String())
	}
	return lines.End("No schedules. `mac-stats schedule add --help` shows how to make one.\n")
}

// near formats a time, with its year unless it is this one.
func near(t, now time.Time) string {
	if t.Year() != now.Year() {
		return t.Format("Mon Jan 2 2006, 15:04")
	}
	return t.Format("Mon Jan 2, 15:04")
}

func addCommand(c *cmdline.Line) *cobra.Command {
	s := schedule.Schedule{Enabled: true}
	var when, quiet string
	var allow []string
	cmd := &cobra.Command{
		Use: "add NAME TEXT --when TIMES", Short: "Add a schedule",
		Long: `TIMES is a phrase like "every hour", "every day at 8", "every weekday at 17:30" or
"every monday at 9", or a cron line such as "0 8 * * 1-5". Times are in this
machine's time zone.`,
		Example: `  mac-stats schedule add Morning --when "every weekday at 8" --quiet 22:00-7:00 "What is new?"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return cmdline.WrongUsage(cmd, "`schedule add` needs a NAME and a TEXT")
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&when, "when", "", "when it runs")
	flags.StringVar(&s.Agent, "agent", "", "the agent: slug, name or id")
	flags.StringVar(&quiet, "quiet", "", "quiet hours, such as 22:00-7:00: runs that fall due then wait until they end")
	flags.BoolVar(&s.OnBattery, "on-battery", true, "run on battery too; --on-battery=false waits for mains power")
	flags.StringArrayVar(&allow, "allow", nil, "what may run in this schedule without asking: a tool, or RUN_CMD and a program (\"RUN_CMD df\"); may be given several times")
	c.CompleteFlag(cmd, "agent", cmdline.UsableAgentNames)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var err error
		if s.When, err = schedule.ParseWhen(when); err != nil {
			return cmdline.WrongUsage(cmd, "--when: "+err.Error())
		}
		if s.Quiet, err = schedule.ParseQuiet(quiet); err != nil {
			return cmdline.WrongUsage(cmd, "--quiet: "+err.Error())
		}
		s.Name, s.Prompt = strings.TrimSpace(args[0]), strings.Join(args[1:], " ")
		return c.WithBackend(cmd.Context(), func(b *backend.Backend) error {
			if s.Agent != "" {
				if _, err := b.Registry.Find(s.Agent); err != nil {
					return err
				}
			}
			if err := b.Schedules.PutSchedule(cmd.Context(), "", s, allow); err != nil {
				return cmdline.ProblemOf(err, "")
			}
			next, quieted := s.Next(time.Now())
			text := s.Name + " runs next on " + near(next, time.Now())
			if quieted {
				text += ", after quiet hours"
			}
			text += ".\n"
			if !c.AppWorks(cmd.Context(), b) {
				text += "It runs while the app does: start `mac-stats`, or `mac-stats --headless`.\n"
			}
			return c.Out.Text(text)
		})
	}
	return cmd
}

// changeCommand returns a command that changes schedules.toml and takes one NAME.
func changeCommand(c *cmdline.Line, use, short, done string, change func(ctx context.Context, b *backend.Backend, name string) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " NAME", Short: short, Args: cmdline.Exactly(1, "the NAME of a schedule"), ValidArgsFunction: c.CompleteFirst(scheduleNames),
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, args []string) error {
			if err := change(ctx, b, args[0]); err != nil {
				return noSchedule(err, args[0])
			}
			return c.Out.Text(args[0] + done + "\n")
		}),
	}
}

// noSchedule explains what to do if no schedule has this name.
func noSchedule(err error, name string) error {
	if errors.Is(err, schedule.ErrNoSchedule) {
		return cmdline.Problem(fmt.Sprintf("There is no schedule called %q.", name), "`mac-stats schedule list` shows their names.")
	}
	return cmdline.ProblemOf(err, "")
}

func removeCommand(c *cmdline.Line) *cobra.Command {
	return changeCommand(c, "remove", "Remove a schedule; its session stays", " is removed.", func(ctx context.Context, b *backend.Backend, name string) error {
		return b.Schedules.RemoveSchedule(ctx, name)
	})
}

func switchCommand(c *cmdline.Line, name string, on bool) *cobra.Command {
	short := map[bool]string{true: "Start running a schedule again", false: "Stop running a schedule, but keep it"}[on]
	return changeCommand(c, name, short, map[bool]string{true: " is on.", false: " is off."}[on], func(ctx context.Context, b *backend.Backend, name string) error {
		return schedule.SetEnabled(ctx, b.Schedules.File(), name, on)
	})
}

func runCommand(c *cmdline.Line) *cobra.Command {
	return &cobra.Command{
		Use: "run NAME", Short: "Run a schedule now and print the answer", Args: cmdline.Exactly(1, "the NAME of a schedule"), ValidArgsFunction: c.CompleteFirst(scheduleNames),
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, args []string) error {
			res, err := b.Schedules.RunNow(ctx, args[0])
			if err != nil {
				return noSchedule(err, args[0])
			}
			c.Changed(b, res.Session)
			if res.Err != nil {
				return cmdline.ProblemOf(res.Err, "")
			}
			return c.Out.Text(strings.TrimRight(res.Answer, "\n") + "\n")
		}),
	}
}

// scheduleNames returns the names of the schedules.
func scheduleNames(_ context.Context, b *backend.Backend) []string {
	var names []string
	list, _ := b.Schedules.List()
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}
