package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// Late is why something ran later than it was due.
type Late string

// The reasons; "" means in time.
const (
	LateAsleep  Late = "asleep"  // the machine slept, or its clock was set
	LateClosed  Late = "closed"  // mac-stats was not running
	LateQuiet   Late = "quiet"   // quiet hours
	LateBattery Late = "battery" // the machine ran on battery
	LateBusy    Late = "busy"    // the previous run took longer
)

// Words states that something due at one time ran at another; "" if it was in time.
func (l Late) Words(due, at time.Time) string {
	why, ok := map[Late]string{
		LateAsleep: "while the machine slept", LateClosed: "while mac-stats was closed", LateQuiet: "in quiet hours",
		LateBattery: "while on battery", LateBusy: "while the previous run was still going",
	}[l]
	if !ok {
		return ""
	}
	form := "15:04"
	if due.YearDay() != at.YearDay() || due.Year() != at.Year() {
		form = "Jan 2, 15:04"
	}
	return "Missed at " + due.Format(form) + " " + why + "; run at " + at.Format("15:04") + "."
}

// Record describes the runs of a schedule. It contains nothing of the answers.
type Record struct {
	When  string    `json:"when,omitempty"` // the times at that run; a schedule with new times starts again
	Seen  time.Time `json:"seen,omitzero"`  // everything due until then is done
	Due   time.Time `json:"due,omitzero"`   // due time of the last run; zero if a person started it
	Began time.Time `json:"began,omitzero"`
	Ended time.Time `json:"ended,omitzero"`
	Late  Late      `json:"late,omitempty"`
	Error string    `json:"error,omitempty"` // why there is no answer
}

// state is the file that records the runs. It is read and written under a lock, because two
// copies of the app may share the data folder.
type state struct{ file string }

// records holds the schedules by name, and the heartbeat.
type records struct {
	Schedules map[string]*Record `json:"schedules"`
	Heartbeat *Record            `json:"heartbeat,omitempty"`
}

// of returns the record of a schedule, creating it if necessary; "" stands for the
// heartbeat.
func (r *records) of(name string) *Record {
	if name == "" {
		if r.Heartbeat == nil {
			r.Heartbeat = &Record{}
		}
		return r.Heartbeat
	}
	if r.Schedules[name] == nil {
		r.Schedules[name] = &Record{}
	}
	return r.Schedules[name]
}

// read returns the records, or none if the file can't be read. Then everything due counts
// as done, rather than run twice.
func (s state) read() *records {
	r := &records{}
	data, err := wholefile.Read(s.file, maxFile)
	if err == nil && json.Unmarshal(data, r) != nil {
		r = &records{}
	}
	if r.Schedules == nil {
		r.Schedules = map[string]*Record{}
	}
	return r
}

// errUnchanged ends an edit that has nothing to write.
var errUnchanged = errors.New("nothing changed")

// edit changes the file.
func (s state) edit(ctx context.Context, change func(*records) error) error {
	lock := wholefile.NewLock(filepath.Join(filepath.Dir(s.file), ".schedules-state.lock"))
	if err := wholefile.TakeLock(ctx, lock); err != nil {
		return wholefile.Explain("noting a run", err)
	}
	defer func() { _ = lock.Unlock() }() // released when the process ends at the latest
	if _, err := wholefile.Read(s.file, maxFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wholefile.Explain("noting a run", err)
	}
	r := s.read()
	err := change(r)
	if errors.Is(err, errUnchanged) {
		return nil
	}
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = wholefile.Write(s.file, append(data, '\n'), 0o600)
	}
	return wholefile.Wrap("noting a run", err)
}
