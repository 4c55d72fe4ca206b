package schedule

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Names of the files in the data folder.
const (
	FileName      = "schedules.toml"
	HeartbeatName = "heartbeat.md"
	stateName     = "schedules-state.json"
)

const (
	// wakeCheck is the longest timer: timers stand still while the machine sleeps.
	wakeCheck = time.Minute
	// inTime is the longest delay of a run that isn't reported as late.
	inTime = wakeCheck + 30*time.Second
	// batteryCheck is how often a run that waits for mains power checks for it.
	batteryCheck = 5 * time.Minute
	// settleIn is how long after startup the app waits with missed runs: at login the model
	// server starts too.
	settleIn = time.Minute
	// clockFixed is how far ahead of the clock a recorded run may be after the clock was
	// set back; if it is further ahead, the clock was wrong when it was recorded.
	clockFixed = 24 * time.Hour
)

// Turn is a prompt to answer.
type Turn struct {
	Schedule
	First bool   // the first run: its session is new
	Late  string // says that the run is late; "" if it isn't
}

// Result is the outcome of a run.
type Result struct {
	Name    string // "" for the heartbeat
	Session string
	Late    string
	Answer  string // "" if there is none, or if the heartbeat has nothing to report
	Err     error  // worded for people
}

// Heartbeat sets when to go through the checklist.
type Heartbeat struct {
	Every     time.Duration // 0: never
	Quiet     Quiet
	OnBattery bool
}

// Params holds what a Runner needs. Optional fields are marked.
type Params struct {
	Home string // data folder
	// Turn answers a prompt in the schedule's session and returns the answer.
	Turn func(ctx context.Context, t Turn) (answer string, err error)
	// Beat goes through the checklist; the answer is "" if there is nothing to report.
	Beat func(ctx context.Context) (session, answer string, err error)
	// Heartbeat returns the current setting.
	Heartbeat func() Heartbeat
	OnBattery func(ctx context.Context) bool
	Busy      func() bool // reports whether a turn is running; the heartbeat waits for it
	// Changed is called when something starts (nil) or ends. Optional.
	Changed func(*Result)
	// Problems is called with the mistakes in schedules.toml whenever they change.
	// Optional.
	Problems func([]Problem)
	// Now returns the wall-clock time in the machine's zone. If nil, it follows the machine to
	// another zone. Tests set it.
	Now    func() time.Time
	Logger *slog.Logger // optional
}

// Runner runs what is due. It is safe for concurrent use.
type Runner struct {
	p     Params
	state state
	began time.Time
	look  chan struct{} // capacity 1

	mu       sync.Mutex      // guards the fields below
	running  map[string]bool // by name; "" for the heartbeat
	held     map[string]Late // what is due and waits
	problems []Problem
	work     sync.WaitGroup
}

// New returns a Runner. It panics if a required field is missing.
func New(p Params) *Runner {
	if p.Home == "" || p.Turn == nil || p.Beat == nil || p.Heartbeat == nil || p.OnBattery == nil || p.Busy == nil {
		panic("schedule: New needs Home, Turn, Beat, Heartbeat, OnBattery and Busy")
	}
	if p.Now == nil {
		here := newZone()
		p.Now = func() time.Time { return time.Now().In(here.location()) }
	}
	if p.Logger == nil {
		p.Logger = slog.New(slog.DiscardHandler)
	}
	if p.Changed == nil {
		p.Changed = func(*Result) {}
	}
	if p.Problems == nil {
		p.Problems = func([]Problem) {}
	}
	r := &Runner{p: p, state: state{filepath.Join(p.Home, stateName)}, look: make(chan struct{}, 1), running: map[string]bool{}, held: map[string]Late{}}
	r.began = r.now()
	return r
}

// File returns the path of schedules.toml.
func (r *Runner) File() string { return filepath.Join(r.p.Home, FileName) }

// now returns the wall-clock time only, because the monotonic clock stops during sleep.
func (r *Runner) now() time.Time { return r.p.Now().Round(0) }

// Look makes Run read schedules.toml and the settings again; it returns at once.
func (r *Runner) Look() {
	select {
	case r.look <- struct{}{}:
	default: // a check is due already
	}
}

// Run runs what is due until ctx is done, then waits for running turns.
func (r *Runner) Run(ctx context.Context) {
	defer r.work.Wait()
	var next, last time.Time
	again := true
	for {
		now := r.now()
		moved := !last.IsZero() && now.Location() != last.Location()
		if again || !next.IsZero() && !now.Before(next) || now.Before(last) || moved {
			next = r.pass(ctx, now)
		}
		last = now
		again = false
		var tick <-chan time.Time
		var timer *time.Timer
		if !next.IsZero() {
			timer = time.NewTimer(max(min(next.Sub(r.now()), wakeCheck), time.Millisecond))
			tick = timer.C
		}
		select {
		case <-ctx.Done():
		case <-tick:
		case <-r.look:
			again = true
		}
		if timer != nil {
			timer.Stop()
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// pass starts what is due and returns when to check next; zero for never.
func (r *Runner) pass(ctx context.Context, now time.Time) (next time.Time) {
	list, problems := Load(r.File())
	r.notifyProblems(problems)
	beat := r.p.Heartbeat()
	if len(list) == 0 && beat.Every <= 0 {
		return time.Time{}
	}
	known, err := r.settle(ctx, now, list, beat)
	if err != nil {
		r.p.Logger.Warn("no schedule runs: what ran can't be noted", "error", err)
		return now.Add(batteryCheck)
	}
	sooner := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for _, s := range list {
		if s.Enabled {
			sooner(r.try(ctx, now, s, known.of(s.Name).Seen))
		}
	}
	if beat.Every > 0 {
		sooner(r.tryBeat(ctx, now, beat, known.of("").Seen))
	}
	return next
}

// settle records schedules that are new, switched off or have other times, so that earlier
// times aren't due. It returns all records.
func (r *Runner) settle(ctx context.Context, now time.Time, list []Schedule, beat Heartbeat) (*records, error) {
	var known *records
	ensure := false
	adjust := func(all *records) error {
		known = all
		changed := false
		one := func(name, when string, on bool) {
			rec := all.of(name)
			switch {
			case !on && !rec.Seen.IsZero():
				rec.Seen, changed = time.Time{}, true
			case on && (rec.Seen.IsZero() || rec.When != when || rec.Seen.After(now.Add(clockFixed))):
				rec.Seen, rec.When, changed = now, when, true
				ensure = ensure || name == ""
			}
		}
		for _, s := range list {
			one(s.Name, s.When.line, s.Enabled)
		}
		if beat.Every > 0 || all.Heartbeat != nil {
			one("", beat.Every.String(), beat.Every > 0)
		}
		if !changed {
			return errUnchanged
		}
		return nil
	}
	if errors.Is(adjust(r.state.read()), errUnchanged) {
		return known, nil
	}
	err := r.state.edit(ctx, adjust)
	if ensure && err == nil {
		err = ensureList(filepath.Join(r.p.Home, HeartbeatName))
	}
	return known, err
}

// try starts a schedule that is due; otherwise it returns when to check again.
func (r *Runner) try(ctx context.Context, now time.Time, s Schedule, seen time.Time) (again time.Time) {
	due := s.When.Next(seen.In(now.Location()))
	if due.IsZero() || due.After(now) {
		return due
	}
	due = s.When.latest(due, now)
	if settled := r.began.Add(settleIn); due.Before(r.began) && now.Before(settled) && !r.began.After(now) {
		return settled
	}
	next := s.When.Next(now)
	late, again := r.hold(ctx, now, s.Name, s.Quiet, s.OnBattery)
	if late != "" {
		return again
	}
	switch {
	case now.Sub(due) <= inTime:
	case r.wasHeld(s.Name) != "":
		late = r.wasHeld(s.Name)
	case s.Quiet.Covers(due) && s.Quiet != Quiet{}:
		late = LateQuiet
	case r.began.After(due):
		late = LateClosed
	default:
		late = LateAsleep
	}
	first, err := r.claim(ctx, s.Name, now, due, late)
	if errors.Is(err, errUnchanged) { // another copy of the app runs it
		return next
	}
	if err != nil {
		r.p.Logger.Warn("a schedule did not run: it can't be noted", "schedule", s.Name, "error", err)
		return now.Add(batteryCheck)
	}
	r.work.Go(func() {
		_ = r.turn(ctx, Turn{Schedule: s, First: first, Late: late.Words(due, now)}) // Changed reports the result
		r.Look()
	})
	return next
}

// latest returns the last due time up to now; due is an earlier one.
func (w When) latest(due, now time.Time) time.Time {
	for _, back := range []time.Duration{time.Hour, 25 * time.Hour, 8 * 24 * time.Hour, 32 * 24 * time.Hour} {
		if t := w.Next(now.Add(-back)); !t.After(now) && !t.IsZero() {
			due = t
			break
		}
	}
	for {
		t := w.Next(due)
		if t.IsZero() || t.After(now) {
			return due
		}
		due = t
	}
}

// hold returns why something that is due waits, and until when; zero means until Look.
func (r *Runner) hold(ctx context.Context, now time.Time, name string, quiet Quiet, onBattery bool) (why Late, until time.Time) {
	r.mu.Lock()
	busy := r.running[name]
	r.mu.Unlock()
	switch {
	case busy:
		why = LateBusy
	case quiet != Quiet{} && quiet.Covers(now):
		why, until = LateQuiet, quiet.end(now)
	case !onBattery && r.p.OnBattery(ctx):
		why, until = LateBattery, now.Add(batteryCheck)
	default:
		return "", time.Time{}
	}
	r.mu.Lock()
	r.held[name] = why
	r.mu.Unlock()
	return why, until
}

func (r *Runner) wasHeld(name string) Late {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held[name]
}

// claim records the start of a run unless it is recorded already; "" stands for the
// heartbeat.
func (r *Runner) claim(ctx context.Context, name string, now, due time.Time, late Late) (first bool, err error) {
	taken := false
	err = r.state.edit(ctx, func(all *records) error {
		rec := all.of(name)
		if !rec.Seen.Before(due) && !rec.Seen.After(now.Add(clockFixed)) {
			taken = true
			return errUnchanged
		}
		first = rec.Began.IsZero()
		rec.Seen, rec.Due, rec.Began, rec.Ended, rec.Late, rec.Error = now, due, now, time.Time{}, late, ""
		return nil
	})
	if taken {
		err = errUnchanged
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.held, name)
	if err == nil {
		r.running[name] = true
	}
	return first, err
}

// turn runs a claimed prompt.
func (r *Runner) turn(ctx context.Context, t Turn) Result {
	r.p.Changed(nil)
	answer, err := r.p.Turn(ctx, t)
	res := Result{Name: t.Name, Session: t.Session(), Late: t.Late, Answer: answer, Err: err}
	r.ended(ctx, res)
	return res
}

// ended records and reports the outcome of a run.
func (r *Runner) ended(ctx context.Context, res Result) {
	err := r.state.edit(context.WithoutCancel(ctx), func(all *records) error {
		rec := all.of(res.Name)
		rec.Ended, rec.Error = r.now(), ""
		if res.Err != nil {
			rec.Error = res.Err.Error()
		}
		return nil
	})
	if err != nil {
		r.p.Logger.Warn("the end of a run can't be noted", "schedule", res.Name, "error", err)
	}
	r.mu.Lock()
	delete(r.running, res.Name)
	r.mu.Unlock()
	switch failed := res.Err != nil && ctx.Err() == nil; {
	case failed && res.Name == "":
		r.p.Logger.Warn("the heartbeat had no answer", "error", res.Err)
	case failed:
		r.p.Logger.Warn("a schedule had no answer", "schedule", res.Name, "session", res.Session, "error", res.Err)
	case res.Name == "":
		r.p.Logger.Info("the heartbeat ran", "said", res.Answer != "")
	default:
		r.p.Logger.Info("a schedule ran", "schedule", res.Name, "session", res.Session)
	}
	r.p.Changed(&res)
}

// notifyProblems reports the mistakes in the file if they changed.
func (r *Runner) notifyProblems(problems []Problem) {
	r.mu.Lock()
	same := slices.Equal(problems, r.problems)
	r.problems = problems
	r.mu.Unlock()
	if !same {
		r.p.Problems(problems)
	}
}
