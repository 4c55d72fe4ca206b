package schedule

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// machine is a data folder with a wall clock that the test can set.
type machine struct {
	t    *testing.T
	home string
	loc  *time.Location

	mu      sync.Mutex
	ahead   time.Duration // difference between the wall clock and the bubble's
	turns   []string      // "name 01-02 15:04", and the note about being late
	beats   []string
	takes   time.Duration // duration of a turn
	fails   error
	battery bool
	busy    bool
	beat    Heartbeat
	says    string
	reports []string
}

// begin sets the wall clock at the start of a bubble.
func begin(t *testing.T, loc *time.Location, at, toml string) *machine {
	m := &machine{t: t, home: t.TempDir(), loc: loc}
	m.set(at)
	m.write(toml)
	return m
}

func (m *machine) write(toml string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.home, FileName), []byte(toml), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Add(m.ahead).In(m.loc)
}

// set sets the wall clock, as sleep or a person would.
func (m *machine) set(at string) {
	m.t.Helper()
	wall, err := time.ParseInLocation("2006-01-02 15:04", at, m.loc)
	if err != nil {
		m.t.Fatal(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ahead = time.Until(wall)
}

// until lets time pass.
func (m *machine) until(at string) {
	m.t.Helper()
	wall, err := time.ParseInLocation("2006-01-02 15:04", at, m.loc)
	if err != nil {
		m.t.Fatal(err)
	}
	time.Sleep(wall.Sub(m.now()))
	synctest.Wait()
}

func (m *machine) runner() *Runner {
	return New(Params{
		Home: m.home, Now: m.now,
		Turn: func(ctx context.Context, t Turn) (string, error) {
			m.mu.Lock()
			takes, fails := m.takes, m.fails
			m.turns = append(m.turns, strings.TrimSpace(t.Name+" "+time.Now().Add(m.ahead).In(m.loc).Format("01-02 15:04")+" "+t.Late))
			m.mu.Unlock()
			select {
			case <-ctx.Done():
				return "", ctx.Err()
			case <-time.After(takes):
			}
			return "answer", fails
		},
		Beat: func(context.Context) (string, string, error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.beats = append(m.beats, time.Now().Add(m.ahead).In(m.loc).Format("01-02 15:04"))
			return "heartbeat", m.says, m.fails
		},
		Heartbeat: func() Heartbeat { return m.beat },
		OnBattery: func(context.Context) bool { m.mu.Lock(); defer m.mu.Unlock(); return m.battery },
		Busy:      func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.busy },
		Changed: func(r *Result) {
			if r != nil {
				m.mu.Lock()
				defer m.mu.Unlock()
				m.reports = append(m.reports, strings.TrimSpace(fmt.Sprintf("%s %s %v", r.Name, r.Answer, r.Err)))
			}
		},
		Problems: func(p []Problem) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.reports = append(m.reports, fmt.Sprintf("%d problems", len(p)))
		},
	})
}

// start starts a runner; stop ends it and waits.
func (m *machine) start() (r *Runner, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	r = m.runner()
	var done sync.WaitGroup
	done.Go(func() { r.Run(ctx) })
	synctest.Wait()
	return r, func() { cancel(); done.Wait() }
}

func (m *machine) ran(want ...string) {
	m.t.Helper()
	time.Sleep(time.Second) // a lock held by another run is retried
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	got := slices.Clone(m.turns) // some start at the same moment
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		m.t.Errorf("what ran (-want +got):\n%s", diff)
	}
}

func one(name, when string, more ...string) string {
	return fmt.Sprintf("[[schedule]]\nname = %q\nwhen = %q\nprompt = \"p\"\n%s\n", name, when, strings.Join(more, "\n"))
}

func TestDueSchedulesRunInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := begin(t, zone(t, "Europe/Berlin"), "2026-03-27 07:00", one("Day", "every weekday at 8")+one("Hour", "30 * * * *")+one("Off", "* * * * *", "enabled = false"))
		_, stop := m.start()
		defer stop()
		m.until("2026-03-27 08:31")
		m.ran("Hour 03-27 07:30", "Day 03-27 08:00", "Hour 03-27 08:30")
	})
}

func TestDaylightSavingRunsOnce(t *testing.T) {
	for name, test := range map[string]struct {
		zone, from, to, when string
		want                 []string
	}{
		"Berlin springs":    {"Europe/Berlin", "2026-03-28 12:00", "2026-03-30 12:00", "30 2 * * *", []string{"S 03-29 03:30", "S 03-30 02:30"}},
		"Berlin falls":      {"Europe/Berlin", "2026-10-24 12:00", "2026-10-26 12:00", "30 2 * * *", []string{"S 10-25 02:30", "S 10-26 02:30"}},
		"New York springs":  {"America/New_York", "2026-03-07 12:00", "2026-03-09 12:00", "30 2 * * *", []string{"S 03-08 03:30", "S 03-09 02:30"}},
		"New York falls":    {"America/New_York", "2026-10-31 12:00", "2026-11-02 12:00", "45 1 * * *", []string{"S 11-01 01:45", "S 11-02 01:45"}},
		"Lord Howe springs": {"Australia/Lord_Howe", "2026-10-03 12:00", "2026-10-05 12:00", "15 2 * * *", []string{"S 10-04 02:45", "S 10-05 02:15"}},
		"Lord Howe falls":   {"Australia/Lord_Howe", "2026-04-04 12:00", "2026-04-06 12:00", "45 1 * * *", []string{"S 04-05 01:45", "S 04-06 01:45"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := begin(t, zone(t, test.zone), test.from, one("S", test.when))
				_, stop := m.start()
				defer stop()
				m.until(test.to)
				m.ran(test.want...)
			})
		})
	}
}

func TestMissedRunsHappenOnceAndSaySo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := begin(t, time.UTC, "2026-05-04 07:59", one("Day", "every day at 8")+one("Hour", "every hour"))
		r, stop := m.start()
		m.set("2026-05-04 09:12") // after sleep: the clock went on, timers stood still
		time.Sleep(2 * time.Minute)
		m.ran("Day 05-04 09:13 Missed at 08:00 while the machine slept; run at 09:13.", "Hour 05-04 09:13 Missed at 09:00 while the machine slept; run at 09:13.")
		if list, _ := r.List(); list[0].Last.Late != LateAsleep || list[0].Last.Due.Hour() != 8 {
			t.Errorf("%+v", list[0].Last)
		}
		stop()

		m.turns = nil
		m.set("2026-05-07 10:30") // the app was closed for days
		_, stop = m.start()
		m.ran()
		m.until("2026-05-07 10:31") // by then the model server has started
		m.ran("Day 05-07 10:31 Missed at 08:00 while mac-stats was closed; run at 10:31.", "Hour 05-07 10:31 Missed at 10:00 while mac-stats was closed; run at 10:31.")
		m.until("2026-05-07 11:01")
		m.ran("Day 05-07 10:31 Missed at 08:00 while mac-stats was closed; run at 10:31.", "Hour 05-07 10:31 Missed at 10:00 while mac-stats was closed; run at 10:31.", "Hour 05-07 11:00")
		stop()
	})
}

func TestAfterALongSleepABusyScheduleRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := begin(t, time.UTC, "2026-01-01 00:00", one("Minute", "* * * * *", `quiet = "1-2"`))
		_, stop := m.start()
		stop()
		m.set("2026-12-24 12:00") // half a million times
		_, stop = m.start()
		defer stop()
		m.until("2026-12-24 12:01")
		m.ran("Minute 12-24 12:00", "Minute 12-24 12:01")
	})
}

func TestAClockThatIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := begin(t, time.UTC, "2026-05-04 07:59", one("Day", "every day at 8"))
		_, stop := m.start()
		defer stop()
		m.until("2026-05-04 08:01")
		m.set("2026-05-04 07:30") // clock set back: nothing runs twice
		m.until("2026-05-04 08:30")
		m.ran("Day 05-04 08:00")
		m.until("2026-05-05 08:01")
		m.ran("Day 05-04 08:00", "Day 05-05 08:00")

		m.set("2031-01-01 07:30") // the clock was wrong by years, and a run was recorded then
		m.until("2031-01-01 08:02")
		m.set("2026-05-06 07:00")
		m.until("2026-05-06 08:01")
		m.ran("Day 05-04 08:00", "Day 05-05 08:00", "Day 01-01 07:30 Missed at Dec 31, 08:00 while the machine slept; run at 07:30.", "Day 01-01 08:00", "Day 05-06 08:00")
	})
}

func TestTwoCopiesOfTheAppRunAScheduleOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := begin(t, time.UTC, "2026-05-04 07:00", one("Hour", "every hour"))
		m.beat = Heartbeat{Every: 90 * time.Minute, OnBattery: true}
		_, stop := m.start()
		defer stop()
		_, stopOther := m.start()
		defer stopOther()
		m.until("2026-05-04 09:01")
		m.ran("Hour 05-04 08:00", "Hour 05-04 09:00")
		if diff := cmp.Diff([]string{"05-04 08:30"}, m.beats); diff != "" {
			t.Error(diff)
		}
	})
}

func TestQuietHoursAndBatteryHoldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := begin(t, time.UTC, "2026-05-04 21:30", one("Quiet", "every hour", `quiet = "22:00-7:00"`)+one("Mains", "every day at 23", "on_battery = false"))
		m.battery = true
		r, stop := m.start()
		defer stop()
		m.until("2026-05-04 23:30")
		m.ran()
		if list, _ := r.List(); list[0].Waits != LateQuiet || list[1].Waits != LateBattery {
			t.Errorf("%+v", list)
		}
		m.mu.Lock()
		m.battery = false
		m.mu.Unlock()
		m.until("2026-05-05 08:01")
		m.ran("Mains 05-04 23:35 Missed at 23:00 while on battery; run at 23:35.", "Quiet 05-05 07:00", "Quiet 05-05 08:00")
	})
}

func TestRunsDueInQuietHoursHappenAfterThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := begin(t, time.UTC, "2026-05-04 21:30", one("Night", "every day at 23", `quiet = "22:00-7:00"`))
		_, stop := m.start()
		defer stop()
		m.until("2026-05-05 12:00")
		m.ran("Night 05-05 07:00 Missed at May 4, 23:00 in quiet hours; run at 07:00.")
	})
}

func TestALongRunIsNotStartedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := begin(t, time.UTC, "2026-05-04 07:59", one("Hour", "every hour")+one("Other", "10 * * * *"))
		m.takes = 150 * time.Minute
		r, stop := m.start()
		defer stop()
		m.until("2026-05-04 10:29")
		m.ran("Hour 05-04 08:00", "Other 05-04 08:10")
		if _, err := r.RunNow(t.Context(), "Hour"); !errors.Is(err, ErrRunning) {
			t.Errorf("by hand meanwhile: %v", err)
		}
		m.until("2026-05-04 10:31")
		m.ran("Hour 05-04 08:00", "Other 05-04 08:10", "Hour 05-04 10:30 Missed at 10:00 while the previous run was still going; run at 10:30.")
	})
}

func TestAnEditTakesEffectAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := begin(t, time.UTC, "2026-05-04 07:00", "")
		r, stop := m.start()
		defer stop()
		edit := func(toml string) { m.write(toml); r.Look(); synctest.Wait() }
		m.until("2026-05-04 09:30")
		edit(one("New", "every day at 8")) // today's time was over before it existed
		m.until("2026-05-04 09:40")
		edit(one("New", "every day at 9:50"))
		m.until("2026-05-04 10:00")
		m.ran("New 05-04 09:50")
		edit(one("New", "every hour", "enabled = false"))
		m.until("2026-05-04 11:30")
		edit(one("New", "every hour")) // runs missed while it was off are not made up for
		m.until("2026-05-04 11:40")
		m.ran("New 05-04 09:50")
		edit("[[schedule]")
		m.until("2026-05-04 12:40")
		m.ran("New 05-04 09:50")
		edit(one("New", "every hour"))
		m.ran("New 05-04 09:50", "New 05-04 12:40 Missed at 12:00 while the machine slept; run at 12:40.")
		m.mu.Lock()
		defer m.mu.Unlock()
		if diff := cmp.Diff([]string{"New answer <nil>", "1 problems", "0 problems", "New answer <nil>"}, m.reports); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestARunThatACrashInterruptedIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := begin(t, time.UTC, "2026-05-04 07:59", one("Day", "every day at 8"))
		m.takes = time.Hour
		_, stop := m.start()
		m.until("2026-05-04 08:10")
		stop()
		r, stop := m.start()
		defer stop()
		m.until("2026-05-04 09:30")
		m.ran("Day 05-04 08:00")
		if list, _ := r.List(); list[0].Last.Error == "" || list[0].Next.Day() != 5 {
			t.Errorf("%+v", list[0])
		}
	})
}

func TestAReadOnlyFolderRunsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := begin(t, time.UTC, "2026-05-04 07:59", one("Day", "every day at 8"))
		must(t, os.MkdirAll(filepath.Join(m.home, stateName, "in the way"), 0o700))
		_, stop := m.start()
		defer stop()
		m.until("2026-05-04 08:30")
		m.ran()
		must(t, os.RemoveAll(filepath.Join(m.home, stateName)))
		m.until("2026-05-05 08:01")
		m.ran("Day 05-05 08:00")
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRunOnRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := begin(t, time.UTC, "2026-05-04 07:30", one("Day", "every day at 8", "enabled = false")+one("Hour", "every hour"))
		m.fails = errors.New("no model")
		r := m.runner()
		res, err := r.RunNow(t.Context(), "Day")
		if err != nil || res.Err == nil || res.Session != "schedule-day" {
			t.Errorf("%+v, %v", res, err)
		}
		if _, err := r.RunNow(t.Context(), "day"); !errors.Is(err, ErrNoSchedule) {
			t.Error(err)
		}
		list, _ := r.List()
		if list[0].Last.Error != "no model" || list[0].Last.Began.IsZero() || !list[0].Next.IsZero() {
			t.Errorf("%+v", list[0])
		}
		m.ran("Day 05-04 07:30")
	})
}

func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := begin(t, time.UTC, "2026-05-04 20:00", "")
		quiet, _ := ParseQuiet("22:00-7:00")
		r, stop := m.start()
		defer stop()
		if _, err := os.Stat(filepath.Join(m.home, HeartbeatName)); err == nil {
			t.Error("there is a check list before it is switched on")
		}
		m.beat = Heartbeat{Every: 30 * time.Minute, Quiet: quiet}
		r.Look()
		m.until("2026-05-04 21:05")
		if list, err := CheckList(filepath.Join(m.home, HeartbeatName)); err != nil || list != "" {
			t.Errorf("the new check list asks %q, %v", list, err)
		}
		m.mu.Lock()
		m.busy = true // people go first
		m.mu.Unlock()
		m.until("2026-05-04 21:40")
		m.mu.Lock()
		m.busy, m.says = false, "The disk is nearly full."
		m.mu.Unlock()
		m.until("2026-05-04 23:00")
		m.mu.Lock()
		m.battery = true
		m.mu.Unlock()
		m.until("2026-05-05 07:58")
		m.mu.Lock()
		m.battery = false
		m.mu.Unlock()
		m.until("2026-05-05 08:10")
		if diff := cmp.Diff([]string{"05-04 20:30", "05-04 21:00", "05-04 21:41", "05-05 08:00"}, m.beats); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if len(m.reports) < 4 || m.reports[0] != "<nil>" || m.reports[2] != "The disk is nearly full. <nil>" {
			t.Errorf("%q", m.reports)
		}
		m.beat = Heartbeat{}
		r.Look()
		m.until("2026-05-05 12:00")
		if len(m.beats) != 4 {
			t.Errorf("it goes on: %q", m.beats)
		}
	})
}

func TestSaysNothing(t *testing.T) {
	for answer, want := range map[string]bool{
		"": true, " \n": true, "NOTHING": true, "Nothing.": true, "**NOTHING**": true, "\"nothing\"": true, "`NOTHING`\n": true, "NOTHING\n\nAll is well.": true,
		"The disk is full.": false, "Nothing works any more: the disk is full.": false, "- NOTHING on the disk is safe": false,
	} {
		if got := SaysNothing(answer); got != want {
			t.Errorf("SaysNothing(%q) = %v", answer, got)
		}
	}
}

func TestChecklistLeavesOutComments(t *testing.T) {
	file := filepath.Join(t.TempDir(), HeartbeatName)
	must(t, os.WriteFile(file, []byte(listTemplate+"- look <!-- not\nthis --> at the disk\n"), 0o600))
	if list, err := CheckList(file); err != nil || list != "- look  at the disk" {
		t.Errorf("%q, %v", list, err)
	}
	if p := BeatPrompt("- disk", "CPU 3 %\n", time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)); !strings.Contains(p, "Monday, May 4 2026, 08:00") || !strings.HasSuffix(p, "Vitals:\nCPU 3 %\n\nCheck list:\n- disk") {
		t.Error(p)
	}
}
