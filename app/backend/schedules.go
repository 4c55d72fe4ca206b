package backend

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/tools"
	"mac-stats/app/monitor"
	"mac-stats/app/schedule"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// heartbeatSession is where the heartbeat says what there is to say.
const heartbeatSession = "heartbeat"

// openSchedules makes what runs the schedules and the heartbeat; the app runs it, a
// command only lists, changes and runs them by hand.
func (b *Backend) openSchedules() {
	b.Schedules = schedule.New(schedule.Params{
		Home: b.Paths.Home,
		Turn: b.scheduledTurn, Beat: b.beat, Heartbeat: b.heartbeat,
		OnBattery: b.onBattery, Busy: b.Engine.Busy,
		Changed: b.tellSchedule, Problems: b.tellProblems,
		Logger: b.Logger,
	})
}

// heartbeat is the setting as it is now.
func (b *Backend) heartbeat() schedule.Heartbeat {
	cfg := b.Config().Heartbeat
	quiet, _ := schedule.ParseQuiet(cfg.QuietHours) // checked as it was read
	return schedule.Heartbeat{Every: time.Duration(cfg.Minutes) * time.Minute, Quiet: quiet, OnBattery: cfg.OnBattery}
}

func (b *Backend) onBattery(ctx context.Context) bool {
	battery := b.Monitor.Sample(ctx, monitor.Battery).Battery
	return battery.NA == "" && battery.OnBattery
}

// scheduledTurn answers a schedule's prompt in its session. Nobody can be asked: what
// needs a question doesn't run.
func (b *Backend) scheduledTurn(ctx context.Context, t schedule.Turn) (string, error) {
	text := t.Prompt
	if t.Late != "" {
		text = "*" + t.Late + "*\n\n" + text
	}
	run := b.Engine.Start(ctx, agents.Request{Session: t.Session(), Text: text, Agent: t.Agent, Schedule: t.Name, Given: t.Permissions, Holder: "schedule"})
	res, err := run.Wait()
	if _, named := b.Store.SuggestTitle(ctx, t.Session(), t.Name, "schedule"); named != nil && err == nil {
		b.Logger.Info("a schedule's session has no title", "session", t.Session(), "error", named)
	}
	return res.Text, inWords(err)
}

// allowSchedule keeps what may run in a schedule without a question: tools, each with a
// program or host behind a blank where it is limited to one. It holds for the schedule's
// agent alone, and only where the schedule says the same under permissions.
func (b *Backend) allowSchedule(s schedule.Schedule, allow []string) error {
	agent, err := b.Registry.Find(cmp.Or(s.Agent, b.Config().Agents.Default))
	if err != nil {
		return fmt.Errorf("finding the agent of %s: %w", s.Name, err)
	}
	for _, what := range allow {
		tool, covers, _ := strings.Cut(strings.TrimSpace(what), " ")
		p := tools.Permission{Agent: agent.Slug, Tool: tool, Covers: strings.TrimSpace(covers), Answer: tools.AnswerAlways, Schedule: s.Name, Given: s.Permissions, Stamp: b.stamp(tool)}
		if err := b.Answers.Keep(p, false); err != nil {
			return fmt.Errorf("allowing %q: %w", what, err)
		}
	}
	return nil
}

// asks says that a tool asks before it acts; the error is for people.
func (b *Backend) asks(tool string) error {
	if tool == tools.RunCmd || slices.ContainsFunc(b.MCP.Tools(b.ctx), func(t tools.Guarded) bool { return t.Name() == tool }) {
		return nil
	}
	return fmt.Errorf("no tool called %q asks before it acts; there are %s with a program, and the tools of your MCP servers", tool, tools.RunCmd)
}

// Allowed is what may run in a schedule without a question, as PutSchedule takes it.
func (b *Backend) Allowed(name string) ([]string, error) {
	list, _ := schedule.Load(b.Schedules.File()) // what can't be used runs nothing
	at := slices.IndexFunc(list, func(s schedule.Schedule) bool { return s.Name == name })
	if at < 0 || list[at].Permissions == "" {
		return nil, nil
	}
	answers, err := b.Answers.List()
	var allowed []string
	for _, p := range answers {
		if p.Schedule == name && p.Given == list[at].Permissions && p.Answer == tools.AnswerAlways {
			allowed = append(allowed, strings.TrimSpace(p.Tool+" "+p.Covers))
		}
	}
	return allowed, err
}

// dropPermissions takes back what was given to schedules that are no longer there, or say
// nothing of it. A schedule with a mistake in it keeps its permissions.
func (b *Backend) dropPermissions() error {
	data, err := wholefile.Read(b.Schedules.File(), 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil //nolint:nilerr // nothing runs, and a later change looks again
	}
	list, err := b.Answers.List()
	for _, p := range list {
		if p.Schedule != "" && (p.Given == "" || !bytes.Contains(data, []byte(p.Given))) && err == nil {
			err = b.Answers.Revoke(p.ID())
		}
	}
	return err
}

// RemoveSchedule takes a schedule out of the file, and back what was allowed in it.
func (b *Backend) RemoveSchedule(ctx context.Context, name string) error {
	if err := schedule.Remove(ctx, b.Schedules.File(), name); err != nil {
		return err
	}
	return b.dropPermissions()
}

// inWords is why a turn had no answer, for people.
func inWords(err error) error {
	if err == nil {
		return nil
	}
	x := agents.Explain(err)
	return errors.New(strings.TrimSpace(x.Sentence + " " + x.Next))
}

// beat goes through the check list in a session of which nothing is kept; what there is
// to say goes into the heartbeat's own. Whoever wrote the list, it is text of a file.
func (b *Backend) beat(ctx context.Context) (session, answer string, err error) {
	list, err := schedule.CheckList(filepath.Join(b.Paths.Home, schedule.HeartbeatName))
	if list == "" || err != nil {
		return "", "", err
	}
	vitals, err := b.Stats(ctx, "")
	if err != nil {
		return "", "", fmt.Errorf("reading the vitals: %w", err)
	}
	scratch := b.Store.NewName(heartbeatSession)
	b.Store.SetPrivate(scratch)
	run := b.Engine.Start(ctx, agents.Request{Session: scratch, Text: schedule.BeatPrompt(list, vitals, time.Now()), From: transcript.FromFile, Holder: heartbeatSession})
	res, err := run.Wait()
	if gone := b.Store.Delete(context.WithoutCancel(ctx), scratch); gone != nil {
		b.Logger.Debug("a heartbeat's scratch is kept until the end", "error", gone)
	}
	if err != nil || schedule.SaysNothing(res.Text) {
		return "", "", inWords(err)
	}
	asked := transcript.Block{Kind: transcript.KindUser, Text: "What on my check list (" + schedule.HeartbeatName + ") has to be said now?"}
	said := transcript.Block{Kind: transcript.KindAssistant, Text: res.Text, Agent: res.Agent, Model: res.Model}
	if b.Config().Session.InMemoryOnly {
		b.Store.SetPrivate(heartbeatSession)
	}
	if _, err := b.Store.AppendAll(ctx, heartbeatSession, asked, said); err != nil {
		return heartbeatSession, res.Text, fmt.Errorf("keeping what the heartbeat said: %w", err)
	}
	b.SessionsChanged(heartbeatSession)
	return heartbeatSession, res.Text, nil
}

// tellSchedule tells that a schedule runs or has ended, and what it said in a line.
func (b *Backend) tellSchedule(res *schedule.Result) {
	n := Notice{Time: time.Now(), Kind: NoticeSchedule}
	if res != nil {
		n.Title, n.Session, n.Text = res.Name, res.Session, firstLine(res.Answer)
		if res.Err != nil && b.ctx.Err() == nil {
			n.Text = res.Err.Error()
		}
		if n.Text != "" && res.Late != "" {
			n.Text = res.Late + " " + n.Text
		}
	}
	b.notify.publish(n)
}

// firstLine is the first line of an answer that says something, without signs of markdown.
func firstLine(answer string) string {
	for line := range strings.Lines(answer) {
		if line = strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "#*_`>-")); line != "" {
			return excerpt.Shorten(strings.NewReplacer("**", "", "`", "").Replace(line), 160)
		}
	}
	return ""
}

// tellProblems says what of schedules.toml can't be used, until it can.
func (b *Backend) tellProblems(problems []schedule.Problem) {
	n := Notice{Kind: NoticeBadTimes}
	if len(problems) > 0 {
		n.Text = problems[0].String()
		n.Next = "Edit schedules.toml; it is read again as soon as it is saved."
	}
	switch more := len(problems) - 1; {
	case more == 1:
		n.Next = "One more thing is wrong there. " + n.Next
	case more > 1:
		n.Next = fmt.Sprintf("%d more things are wrong there. ", more) + n.Next
	}
	b.SetNotice(n)
	b.tellSchedule(nil)
}

// PutSchedule writes a schedule, a new one where old is "", and what may run in it
// without a question.
func (b *Backend) PutSchedule(ctx context.Context, old string, s schedule.Schedule, allow []string) error {
	for _, what := range allow {
		tool, _, _ := strings.Cut(strings.TrimSpace(what), " ")
		if err := b.asks(tool); err != nil {
			return err
		}
	}
	// The permissions are there before the schedule that they are for, under a name that
	// none had before: what is cut off in between leaves all as it was.
	s.Permissions = ""
	if len(allow) > 0 {
		s.Permissions = strings.ToLower(rand.Text())
	}
	err := b.allowSchedule(s, allow)
	if err == nil {
		err = schedule.Put(ctx, b.Schedules.File(), old, s)
	}
	b.Schedules.Look()
	return errors.Join(err, b.dropPermissions())
}

// EnableSchedule switches a schedule on or off.
func (b *Backend) EnableSchedule(ctx context.Context, name string, on bool) error {
	err := schedule.SetEnabled(ctx, b.Schedules.File(), name, on)
	b.Schedules.Look()
	return err
}

// LastSaid is the first line of the last answer in a session, "" where there is none.
func (b *Backend) LastSaid(ctx context.Context, session string) string {
	c, err := b.Store.Context(ctx, session)
	if err != nil {
		return "" // it has not run, or was deleted
	}
	for _, m := range slices.Backward(c.Messages) {
		if m.Kind == transcript.KindAssistant {
			return firstLine(m.Text)
		}
	}
	return ""
}
