package cpuwindow

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"mac-stats/app/cpuwindow/schedules"
	"mac-stats/app/schedule"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/screentest"
)

// book is schedules.toml without an app.
type book struct{ file string }

func (s book) PutSchedule(ctx context.Context, old string, one schedule.Schedule, _ []string) error {
	return schedule.Put(ctx, s.file, old, one)
}

func (s book) EnableSchedule(ctx context.Context, name string, on bool) error {
	return schedule.SetEnabled(ctx, s.file, name, on)
}

func (s book) RemoveSchedule(ctx context.Context, name string) error {
	return schedule.Remove(ctx, s.file, name)
}
func (book) Allowed(string) ([]string, error)          { return nil, nil }
func (book) LastAnswer(context.Context, string) string { return "" }

// scheduleParts returns the parts of the page in a folder.
func scheduleParts(home string) schedules.Parts {
	runner := schedule.New(schedule.Params{
		Home:      home,
		Turn:      func(context.Context, schedule.Turn) (string, error) { return "", nil },
		Beat:      func(context.Context) (string, string, error) { return "", "", nil },
		Heartbeat: func() schedule.Heartbeat { return schedule.Heartbeat{} },
		OnBattery: func(context.Context) bool { return false }, Busy: func() bool { return false },
	})
	return schedules.Parts{Runner: runner, Book: book{runner.File()}, Agents: func() []string { return nil }}
}

// onSchedules shows the page with one schedule.
func (b *bench) onSchedules() {
	b.t.Helper()
	toml := "[[schedule]]\nname = \"Morning\"\nwhen = \"every weekday at 8\"\nprompt = \"What is new?\"\n"
	if err := os.WriteFile(filepath.Join(b.home, schedule.FileName), []byte(toml), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.w.goToPage(pageSchedules)
	b.Settle()
}

// Closing a sheet clears the focus. Before, another Enter changed the heartbeat, whose button was
// where Save had been.
func TestClosingASheetClearsTheFocus(t *testing.T) {
	for _, tt := range []struct {
		name, open string
		page       func(b *bench) *column.Viewport
	}{
		{"a schedule", "New schedule", func(b *bench) *column.Viewport { b.onSchedules(); return b.w.panes.schedules.View }},
		{"a server", "Add a server…", func(b *bench) *column.Viewport { b.onTools(); return b.w.panes.tools.View }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				b.Pushes(tt.page(b), tt.open)
				b.Settle()
				b.tabTo("Cancel")
				b.pressFocused()
				if f := b.w.win.Canvas().Focused(); f != nil {
					t.Errorf("the keyboard is on %s", b.focusName())
				}
			})
		})
	}
}
