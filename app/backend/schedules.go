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
	"mac-stats/agents/fault"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/app/monitor"
	"mac-stats/app/schedule"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// heartbeatSession is the session that gets the heartbeat's findings.
const heartbeatSession = "heartbeat"

// Schedules runs the schedules and the heartbeat, and changes them.
type Schedules struct {
	*schedule.Runner
	app             *base
	store           *sessionmem.Store
	engine          *agents.Engine
	registry        *registry.Registry
	outside         *Outside
	monitor         *monitor.Monitor
	stats           func(ctx context.Context, topic string) (string, error)
	sessionsChanged func(session string)
}

// openSchedules prepares the schedules and the heartbeat. The app runs them; a command only
// lists and changes them and runs one on request.
func (b *Backend) openSchedules() {
	sc := &Schedules{
		app: b.base, store: b.Store, engine: b.Engine, registry: b.Registry, outside: b.Outside, monitor: b.Monitor,
		stats: b.Stats, sessionsChanged: b.SessionsChanged,
	}
	b.Schedules = sc
	sc.Runner = schedule.New(schedule.Params{
		Home: b.Paths.Home,
		Turn: sc.turn, Beat: sc.beat, Heartbeat: sc.heartbeat,
		OnBattery: sc.onBattery, Busy: b.Engine.Busy,
		Changed: sc.notify, Problems: sc.notifyProblems,
		Logger: b.Logger,
	})
}

// heartbeat returns the current settings of the heartbeat.
func (sc *Schedules) heartbeat() schedule.Heartbeat {
	cfg := sc.app.Config().Heartbeat
	quiet, _ := schedule.ParseQuiet(cfg.QuietHours) // validated when the config was read
	return schedule.Heartbeat{Every: time.Duration(cfg.Minutes) * time.Minute, Quiet: quiet, OnBattery: cfg.OnBattery}
}

func (sc *Schedules) onBattery(ctx context.Context) bool {
	battery := sc.monitor.Sample(ctx, monitor.Battery).Battery
	return battery.NA == "" && battery.OnBattery
}

// turn answers a schedule's prompt in its session. Nobody can be asked, so a tool call that
// needs permission doesn't run.
func (sc *Schedules) turn(ctx context.Context, t schedule.Turn) (string, error) {
	text := t.Prompt
	if t.Late != "" {
		text = "*" + t.Late + "*\n\n" + text
	}
	run := sc.engine.Start(ctx, agents.Request{Session: t.Session(), Text: text, Agent: t.Agent, Schedule: t.Name, Given: t.Permissions, Holder: "schedule"})
	res, err := run.Wait()
	if _, named := sc.store.SuggestTitle(ctx, t.Session(), t.Name, "schedule"); named != nil && err == nil {
		sc.app.Logger.Info("a schedule's session has no title", "session", t.Session(), "error", named)
	}
	return res.Text, inWords(err)
}

// allow saves which tools may run in a schedule without asking, each followed by a space
// and a program or host if it is limited to one. The permissions apply only to the
// schedule's agent, and only while the schedule's own permissions field names them.
func (sc *Schedules) allow(s schedule.Schedule, allow []string) error {
	agent, err := sc.registry.Find(cmp.Or(s.Agent, sc.app.Config().Agents.Default))
	if err != nil {
		return fmt.Errorf("finding the agent of %s: %w", s.Name, err)
	}
	for _, what := range allow {
		tool, covers, _ := strings.Cut(strings.TrimSpace(what), " ")
		p := tools.Permission{Agent: agent.Slug, Tool: tool, Covers: strings.TrimSpace(covers), Answer: tools.AnswerAlways, Schedule: s.Name, Given: s.Permissions, Stamp: sc.outside.stamp(tool)}
		if err := sc.outside.Answers.Keep(p, false); err != nil {
			return fmt.Errorf("allowing %q: %w", what, err)
		}
	}
	return nil
}

// asks returns an error, worded for people, unless the tool asks before it acts.
func (sc *Schedules) asks(tool string) error {
	list, _ := sc.outside.MCP.Tools(sc.app.ctx, nil)
	if tool == tools.RunCmd || slices.ContainsFunc(list, func(t tools.Guarded) bool { return t.Doc().Name == tool }) {
		return nil
	}
	return fmt.Errorf("no tool called %q asks before it acts; there are %s with a program, and the tools of your MCP servers", tool, tools.RunCmd)
}

// Allowed returns the tools that may run in a schedule without asking, in the form that
// PutSchedule takes.
func (sc *Schedules) Allowed(name string) ([]string, error) {
	list, _ := schedule.Load(sc.File()) // an invalid schedule doesn't run
	at := slices.IndexFunc(list, func(s schedule.Schedule) bool { return s.Name == name })
	if at < 0 || list[at].Permissions == "" {
		return nil, nil
	}
	answers, err := sc.outside.Answers.List()
	var allowed []string
	for _, p := range answers {
		if p.Schedule == name && p.Given == list[at].Permissions && p.Answer == tools.AnswerAlways {
			allowed = append(allowed, strings.TrimSpace(p.Tool+" "+p.Covers))
		}
	}
	return allowed, err
}

// dropPermissions revokes the permissions of schedules that no longer exist or no longer
// name them. A schedule with a mistake keeps its permissions.
func (sc *Schedules) dropPermissions() error {
	data, err := wholefile.Read(sc.File(), 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil //nolint:nilerr // nothing runs, and a later change checks again
	}
	list, err := sc.outside.Answers.List()
	for _, p := range list {
		if p.Schedule != "" && (p.Given == "" || !bytes.Contains(data, []byte(p.Given))) && err == nil {
			err = sc.outside.Answers.Revoke(p.ID())
		}
	}
	return err
}

// RemoveSchedule removes a schedule from the file and revokes its permissions.
func (sc *Schedules) RemoveSchedule(ctx context.Context, name string) error {
	if err := schedule.Remove(ctx, sc.File(), name); err != nil {
		return err
	}
	return sc.dropPermissions()
}

// inWords explains for people why a turn had no answer.
func inWords(err error) error {
	if err == nil {
		return nil
	}
	x := fault.Explain(err)
	return errors.New(strings.TrimSpace(x.Sentence + " " + x.Next))
}

// beat goes through the checklist in a session that isn't saved; findings go into the
// heartbeat's own session. The checklist counts as text of a file, whoever wrote it.
func (sc *Schedules) beat(ctx context.Context) (session, answer string, err error) {
	list, err := schedule.CheckList(filepath.Join(sc.app.Paths.Home, schedule.HeartbeatName))
	if list == "" || err != nil {
		return "", "", err
	}
	vitals, err := sc.stats(ctx, "")
	if err != nil {
		return "", "", fmt.Errorf("reading the vitals: %w", err)
	}
	scratch := sc.store.NewName(heartbeatSession)
	sc.store.SetPrivate(scratch)
	run := sc.engine.Start(ctx, agents.Request{Session: scratch, Text: schedule.BeatPrompt(list, vitals, time.Now()), From: transcript.FromFile, Holder: heartbeatSession})
	res, err := run.Wait()
	if gone := sc.store.Delete(context.WithoutCancel(ctx), scratch); gone != nil {
		sc.app.Logger.Debug("a heartbeat's scratch is kept until the end", "error", gone)
	}
	if err != nil || schedule.SaysNothing(res.Text) {
		return "", "", inWords(err)
	}
	asked := transcript.Block{Kind: transcript.KindUser, Text: "What on my check list (" + schedule.HeartbeatName + ") has to be said now?"}
	said := transcript.Block{Kind: transcript.KindAssistant, Text: res.Text, Agent: res.Agent, Model: res.Model}
	if sc.app.Config().Session.InMemoryOnly {
		sc.store.SetPrivate(heartbeatSession)
	}
	if _, err := sc.store.Session(heartbeatSession).Append(ctx, asked, said); err != nil {
		return heartbeatSession, res.Text, fmt.Errorf("keeping what the heartbeat said: %w", err)
	}
	sc.sessionsChanged(heartbeatSession)
	return heartbeatSession, res.Text, nil
}

// notify publishes that a schedule runs or has ended, with the first line of its answer.
func (sc *Schedules) notify(res *schedule.Result) {
	n := Notice{Time: time.Now(), Kind: NoticeSchedule}
	if res != nil {
		n.Title, n.Session, n.Text = res.Name, res.Session, firstLine(res.Answer)
		if res.Err != nil && sc.app.ctx.Err() == nil {
			n.Text = res.Err.Error()
		}
		if n.Text != "" && res.Late != "" {
			n.Text = res.Late + " " + n.Text
		}
	}
	sc.app.notify.publish(n)
}

// firstLine returns the first line of an answer that has text, without markdown characters.
func firstLine(answer string) string {
	for line := range strings.Lines(answer) {
		if line = strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "#*_`>-")); line != "" {
			return excerpt.Shorten(strings.NewReplacer("**", "", "`", "").Replace(line), 160)
		}
	}
	return ""
}

// notifyProblems keeps a notice about the mistakes in schedules.toml until they are
// corrected.
func (sc *Schedules) notifyProblems(problems []schedule.Problem) {
	n := Notice{Kind: NoticeBadTimes}
	if len(problems) > 0 {
		n.Text = problems[0].String()
		n.Next = "Edit schedules.toml. It is reloaded when you save it."
	}
	switch more := len(problems) - 1; {
	case more == 1:
		n.Next = "There is one more error. " + n.Next
	case more > 1:
		n.Next = fmt.Sprintf("%d more things are wrong there. ", more) + n.Next
	}
	sc.app.SetNotice(n)
	sc.notify(nil)
}

// PutSchedule saves a schedule and the tools that may run in it without asking. An empty
// old means a new schedule.
func (sc *Schedules) PutSchedule(ctx context.Context, old string, s schedule.Schedule, allow []string) error {
	for _, what := range allow {
		tool, _, _ := strings.Cut(strings.TrimSpace(what), " ")
		if err := sc.asks(tool); err != nil {
			return err
		}
	}
	// The permissions are saved before the schedule that uses them, under an ID that is
	// new: if this is cut off in between, nothing has changed.
	s.Permissions = ""
	if len(allow) > 0 {
		s.Permissions = strings.ToLower(rand.Text())
	}
	err := sc.allow(s, allow)
	if err == nil {
		err = schedule.Put(ctx, sc.File(), old, s)
	}
	sc.Look()
	return errors.Join(err, sc.dropPermissions())
}

// EnableSchedule switches a schedule on or off.
func (sc *Schedules) EnableSchedule(ctx context.Context, name string, on bool) error {
	err := schedule.SetEnabled(ctx, sc.File(), name, on)
	sc.Look()
	return err
}

// LastAnswer returns the first line of the last answer in a session, "" if there is none.
func (sc *Schedules) LastAnswer(ctx context.Context, session string) string {
	c, err := sc.store.Context(ctx, session)
	if err != nil {
		return "" // it has not run yet, or was deleted
	}
	for _, m := range slices.Backward(c.Messages) {
		if m.Kind == transcript.KindAssistant {
			return firstLine(m.Text)
		}
	}
	return ""
}
