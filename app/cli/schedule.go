package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/schedule"
)

// scheduleLine is a line of `schedule list --json`.
type scheduleLine struct {
	Type      string `json:"type"` // schedule, or problem with Text alone
	Name      string `json:"name,omitempty"`
	When      string `json:"when,omitempty"`
	Prompt    string `json:"prompt,omitempty"`
	Agent     string `json:"agent,omitempty"`
	Enabled   bool   `json:"enabled"`
	Quiet     string `json:"quiet,omitempty"`
	OnBattery bool   `json:"on_battery"`
	Session   string `json:"session,omitempty"`
	Next      string `json:"next,omitempty"`
	Last      string `json:"last,omitempty"` // when the last run began
	Late      string `json:"late,omitempty"` // that it ran later than it was due
	Error     string `json:"error,omitempty"`
	Text      string `json:"text,omitempty"`
}

func (c *commands) scheduleCommand() *cobra.Command {
	group := c.group("schedule", "Ask something at fixed times: list, add, remove, run, enable, disable",
		c.scheduleList(), c.scheduleAdd(), c.scheduleRemove(), c.scheduleRun(), c.scheduleSwitch("enable", true), c.scheduleSwitch("disable", false))
	group.Long = `Schedules stand in schedules.toml of the data folder, yours to edit. They run while the
app does, or mac-stats --headless; what fell due meanwhile runs once. Each has a
session of its own: ` + "`mac-stats sessions show schedule-NAME`" + ` shows what was answered.`
	group.Example = `  mac-stats schedule add Morning --when "every weekday at 8" "What should I know about this machine today?"
  mac-stats schedule list
  mac-stats schedule run Morning`
	return group
}

func (c *commands) scheduleList() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the schedules, with the next and the last run", Args: exact(0, "no arguments")}
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error { return c.printSchedules(b, *asJSON) })
	})
	return cmd
}

func (c *commands) printSchedules(b *backend.Backend, asJSON bool) error {
	list, problems := b.Schedules.List()
	rows := [][]string{{"NAME", "WHEN", "NEXT", "LAST", ""}}
	for _, s := range list {
		if asJSON {
			line := scheduleLine{
				Type: "schedule", Name: s.Name, When: s.When.String(), Prompt: s.Prompt, Agent: s.Agent, Enabled: s.Enabled, Quiet: s.Quiet.String(),
				OnBattery: s.OnBattery, Session: s.Session(), Next: stamp(s.Next), Last: stamp(s.Last.Began),
				Late: s.Last.Late.Words(s.Last.Due, s.Last.Began), Error: s.Last.Error,
			}
			if err := c.out.json(line); err != nil {
				return err
			}
			continue
		}
		next, last := "off", "never"
		if s.Enabled {
			next = s.Next.Format("Mon Jan 2, 15:04")
		}
		if !s.Last.Began.IsZero() {
			last = s.Last.Began.Format("Mon Jan 2, 15:04")
		}
		note := s.Last.Error
		if note == "" {
			note = s.Last.Late.Words(s.Last.Due, s.Last.Began)
		}
		rows = append(rows, []string{s.Name, s.When.String(), next, last, oneLine(note, 80)})
	}
	for _, p := range problems {
		if !asJSON {
			c.note("mac-stats: " + p.String())
		} else if err := c.out.json(scheduleLine{Type: "problem", Name: p.Name, Text: p.String()}); err != nil {
			return err
		}
	}
	switch {
	case asJSON:
		return nil
	case len(list) == 0:
		return c.out.text("No schedules. `mac-stats schedule add --help` shows how to make one.\n")
	}
	return c.out.table(rows)
}

func (c *commands) scheduleAdd() *cobra.Command {
	s := schedule.Schedule{Enabled: true}
	var when, quiet string
	var allow []string
	cmd := &cobra.Command{
		Use: "add NAME TEXT --when TIMES", Short: "Add a schedule",
		Long: `TIMES is a form like "every hour", "every day at 8", "every weekday at 17:30" or
"every monday at 9", or a cron line such as "0 8 * * 1-5". Times are those of this
machine.`,
		Example: `  mac-stats schedule add Morning --when "every weekday at 8" --quiet 22:00-7:00 "What is new?"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return wrongUsage(cmd, "`schedule add` needs a NAME and a TEXT")
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&when, "when", "", "when it runs")
	flags.StringVar(&s.Agent, "agent", "", "the agent: slug, name or id")
	flags.StringVar(&quiet, "quiet", "", "quiet hours, such as 22:00-7:00: what falls due in them runs at their end")
	flags.BoolVar(&s.OnBattery, "on-battery", true, "run on battery too; --on-battery=false waits for the mains")
	flags.StringArrayVar(&allow, "allow", nil, "what may run in this schedule without a question: a tool, or RUN_CMD and a program (\"RUN_CMD df\"); may be given several times")
	c.completeFlag(cmd, "agent", usableAgentNames)
	cmd.RunE = c.guard(func(cmd *cobra.Command, args []string) error {
		var err error
		if s.When, err = schedule.ParseWhen(when); err != nil {
			return wrongUsage(cmd, "--when: "+err.Error())
		}
		if s.Quiet, err = schedule.ParseQuiet(quiet); err != nil {
			return wrongUsage(cmd, "--quiet: "+err.Error())
		}
		s.Name, s.Prompt = strings.TrimSpace(args[0]), strings.Join(args[1:], " ")
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			if s.Agent != "" {
				if _, err := b.Registry.Find(s.Agent); err != nil {
					return err
				}
			}
			if err := b.PutSchedule(cmd.Context(), "", s, allow); err != nil {
				return inPlain(err)
			}
			text := s.Name + " runs next on " + s.When.Next(time.Now()).Format("Monday, January 2 at 15:04") + ".\n"
			if !c.appRuns(cmd.Context(), b) {
				text += "It runs while the app does: start `mac-stats`, or `mac-stats --headless`.\n"
			}
			return c.out.text(text)
		})
	})
	return cmd
}

// changeSchedule changes schedules.toml by a command with one NAME.
func (c *commands) changeSchedule(use, short, done string, change func(ctx context.Context, b *backend.Backend, name string) error) *cobra.Command {
	cmd := &cobra.Command{Use: use + " NAME", Short: short, Args: exact(1, "the NAME of a schedule"), ValidArgsFunction: c.first(scheduleNames)}
	cmd.RunE = c.guard(func(cmd *cobra.Command, args []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			if err := change(cmd.Context(), b, args[0]); err != nil {
				return noSchedule(err, args[0])
			}
			return c.out.text(args[0] + done + "\n")
		})
	})
	return cmd
}

// noSchedule says what to do about a name that no schedule has.
func noSchedule(err error, name string) error {
	if errors.Is(err, schedule.ErrNoSchedule) {
		return &plainError{fmt.Sprintf("There is no schedule called %q.", name), "`mac-stats schedule list` shows their names."}
	}
	return inPlain(err)
}

func (c *commands) scheduleRemove() *cobra.Command {
	return c.changeSchedule("remove", "Remove a schedule; its session stays", " is removed.", func(ctx context.Context, b *backend.Backend, name string) error {
		return b.RemoveSchedule(ctx, name)
	})
}

func (c *commands) scheduleSwitch(name string, on bool) *cobra.Command {
	short := map[bool]string{true: "Let a schedule run again", false: "Keep a schedule, and don't run it"}[on]
	return c.changeSchedule(name, short, map[bool]string{true: " is on.", false: " is off."}[on], func(ctx context.Context, b *backend.Backend, name string) error {
		return schedule.SetEnabled(ctx, b.Schedules.File(), name, on)
	})
}

func (c *commands) scheduleRun() *cobra.Command {
	cmd := &cobra.Command{Use: "run NAME", Short: "Run a schedule now and print the answer", Args: exact(1, "the NAME of a schedule"), ValidArgsFunction: c.first(scheduleNames)}
	cmd.RunE = c.guard(func(cmd *cobra.Command, args []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			res, err := b.Schedules.RunNow(cmd.Context(), args[0])
			if err != nil {
				return noSchedule(err, args[0])
			}
			c.poke(b, res.Session)
			if res.Err != nil {
				return inPlain(res.Err)
			}
			return c.out.text(strings.TrimRight(res.Answer, "\n") + "\n")
		})
	})
	return cmd
}

// scheduleNames are the names of the schedules.
func scheduleNames(_ context.Context, b *backend.Backend) []string {
	var names []string
	list, _ := b.Schedules.List()
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}
