package schedules

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/schedule"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

// bench is the page in a window, on a real file.
type bench struct {
	*screentest.Screen
	t       *testing.T
	page    *Page
	file    string
	opened  []string
	chosen  map[string]string
	allowed map[string][]string
	fails   error // error of a turn
}

// newBench starts on a Saturday at midnight.
func newBench(t *testing.T) *bench {
	time.Sleep(time.Until(time.Date(2040, 1, 7, 0, 0, 0, 0, time.Local)))
	b := &bench{Screen: screentest.New(t), t: t, file: filepath.Join(t.TempDir(), schedule.FileName), chosen: map[string]string{"heartbeat.minutes": "off"}, allowed: map[string][]string{}}
	runner := schedule.New(schedule.Params{
		Home:      filepath.Dir(b.file),
		Turn:      func(context.Context, schedule.Turn) (string, error) { return "All is well.", b.fails },
		Beat:      func(context.Context) (string, string, error) { return "", "", nil },
		Heartbeat: func() schedule.Heartbeat { return schedule.Heartbeat{} },
		OnBattery: func(context.Context) bool { return false }, Busy: func() bool { return false },
	})
	b.page = NewPage(b, Parts{Runner: runner, Book: b, Agents: func() []string { return []string{"coder", "orchestrator"} }})
	b.Win = test.NewWindow(b.page.View)
	t.Cleanup(b.Win.Close)
	b.Win.Resize(fyne.NewSize(700, 900))
	return b
}

func (b *bench) OpenFile(path string)    { b.opened = append(b.opened, filepath.Base(path)) }
func (b *bench) OpenSession(name string) { b.opened = append(b.opened, name) }
func (b *bench) Chosen(key string) (value, setBy string) {
	return b.chosen[key], ""
}

func (b *bench) Choose(key, value string, then func(error)) {
	b.chosen[key] = value
	then(nil)
}

func (b *bench) PutSchedule(ctx context.Context, old string, s schedule.Schedule, allow []string) error {
	b.allowed[s.Name] = allow
	return schedule.Put(ctx, b.file, old, s)
}

func (b *bench) EnableSchedule(ctx context.Context, name string, on bool) error {
	return schedule.SetEnabled(ctx, b.file, name, on)
}

func (b *bench) RemoveSchedule(ctx context.Context, name string) error {
	return schedule.Remove(ctx, b.file, name)
}
func (b *bench) Allowed(name string) ([]string, error)     { return b.allowed[name], nil }
func (b *bench) LastAnswer(context.Context, string) string { return "All is well." }
func (b *bench) push(words string)                         { b.t.Helper(); b.Pushes(b.page.View, words) }

func (b *bench) fill(f *kit.ValueField, text string) { f.Entry.SetText(text); b.Settle() }

func (b *bench) shows(toml string) {
	b.t.Helper()
	if err := os.WriteFile(b.file, []byte(toml), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.page.Load()
	b.Settle()
}

func (b *bench) inFile(want string) {
	b.t.Helper()
	data, err := os.ReadFile(b.file)
	if err != nil || !strings.Contains(string(data), want) {
		b.t.Errorf("%v, not in the file: %q\n%s", err, want, data)
	}
}

func TestAScheduleIsCreatedChangedAndDeleted(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.page.Load()
		b.Settle()
		b.Sees("No schedules yet", "Heartbeat")
		b.push("New schedule")
		b.Sees("Next: today, 08:00 · tomorrow, 08:00 · Monday, 08:00")
		b.push("Save")
		b.Sees("Give it a name.")
		b.fill(b.page.sheet.name, "Morning")
		b.push("Save")
		b.Sees("Write the question to ask.")
		b.page.sheet.prompt.Entry.SetText("What is new?")
		b.push("Weekdays")
		b.fill(b.page.sheet.at, "8:99")
		b.Sees("Write the time like 8:00 or 17:30")
		b.fill(b.page.sheet.at, "9:30")
		b.Sees("Next: Monday, 09:30 · Tuesday, 09:30 · Wednesday, 09:30")
		b.fill(b.page.sheet.quiet, "night")
		b.push("Save")
		b.Sees("Write quiet hours like 22:00-7:00, or leave them empty.")
		b.fill(b.page.sheet.quiet, "22-7")
		b.fill(b.page.sheet.allow, "RUN_CMD git, files.read")
		b.push("Save")
		b.Sees("Morning", "Every weekday at 09:30", "Next: Monday, 09:30")
		b.inFile("[[schedule]]\nname = \"Morning\"\nwhen = \"every weekday at 9:30\"\nprompt = \"What is new?\"\nquiet = \"22:00-7:00\"\n")
		if got := b.allowed["Morning"]; len(got) != 2 || got[1] != "files.read" {
			t.Errorf("allowed: %q", got)
		}

		b.push("Run now")
		b.Sees("Last: today, 00:00 · All is well.")
		b.push("Open conversation")

		b.push("Edit…")
		b.push("Weekly")
		b.push("Friday")
		b.Sees("Next: Friday, 09:30")
		b.push("Save")
		b.Sees("Every Friday at 09:30")
		b.inFile(`when = "every friday at 9:30"`)

		b.push("Edit…")
		b.push("Cron line")
		b.fill(b.page.sheet.cron, "0 8 30 2 *")
		b.Sees("This cron line can", "its day never comes")
		b.fill(b.page.sheet.cron, "*/20 9-17 * * 1-5")
		b.Sees("Next: Monday, 09:00 · Monday, 09:20 · Monday, 09:40")
		b.page.Load() // the file changed meanwhile; the sheet stays
		b.Settle()
		b.Sees("Edit Morning", "Next: Monday, 09:00")
		b.push("Cancel")
		b.Sees("Every Friday at 09:30")

		b.push("Delete…")
		b.Confirm("Delete schedule")
		b.Sees("No schedules yet")
		if strings.Join(b.opened, " ") != "schedule-morning" {
			t.Errorf("opened %q", b.opened)
		}
	})
}

func TestAScheduleIsSwitchedOff(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.shows("[[schedule]]\nname = \"A\"\nwhen = \"every hour\"\nprompt = \"p\" # mine\n")
		b.Sees("Every hour", "Next: today, 01:00")
		for _, o := range test.LaidOutObjects(b.page.View) {
			if s, ok := o.(*kit.Switch); ok {
				test.Tap(s)
				break
			}
		}
		b.Settle()
		b.SeesNot("Next:")
		b.inFile("prompt = \"p\" # mine\nenabled = false\n")
	})
}

func TestErrorsInSchedulesAreShown(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.fails = errors.New("Ollama isn't running.")
		b.shows("[[schedule]]\nname = \"A\"\nwhen = \"every hour\"\nprompt = \"p\"\n[[schedule]]\nname = \"B\"\nwhen = \"soon\"\nprompt = \"p\"\n")
		b.Sees("schedules.toml, line 7 (B): when: write it like")
		b.push("Run now")
		b.Sees("Last: today, 00:00 · Ollama isn", "t running.")
		b.push("Open schedules.toml")
		if strings.Join(b.opened, " ") != schedule.FileName {
			t.Errorf("opened %q", b.opened)
		}
	})
}

func TestTheHeartbeatIsSwitchedOn(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.page.Load()
		b.Settle()
		b.SeesNot("Open heartbeat.md")
		b.push("30 minutes")
		if b.chosen["heartbeat.minutes"] != "30" {
			t.Errorf("%v", b.chosen)
		}
		b.push("Open heartbeat.md")
		if strings.Join(b.opened, " ") != schedule.HeartbeatName {
			t.Errorf("opened %q", b.opened)
		}
	})
}

func TestLateWords(t *testing.T) {
	at := time.Date(2026, 5, 4, 9, 12, 0, 0, time.UTC)
	for late, want := range map[schedule.Late]string{
		"":                   "",
		schedule.LateAsleep:  "Missed 08:00, while the machine slept; run at 09:12",
		schedule.LateClosed:  "Missed 08:00, while mac-stats was closed; run at 09:12",
		schedule.LateQuiet:   "Missed 08:00, in quiet hours; run at 09:12",
		schedule.LateBattery: "Missed 08:00, while on battery; run at 09:12",
		schedule.LateBusy:    "Missed 08:00, while the previous run was still going; run at 09:12",
	} {
		if got := lateWords(schedule.Record{Due: at.Add(-72 * time.Minute), Began: at, Late: late}); got != want {
			t.Errorf("%q: %q", late, got)
		}
	}
}
