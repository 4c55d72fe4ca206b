package cpuwindow

import (
	"sync/atomic"
	"testing"

	"mac-stats/app/backend"
	"mac-stats/app/ui/screentest"
)

// stubCrashes holds one crash report.
type stubCrashes struct {
	text      string
	err       error
	dismissed atomic.Int32
}

func (s *stubCrashes) CrashReport() (string, error) { return s.text, s.err }
func (s *stubCrashes) DismissCrashes() error        { s.dismissed.Add(1); return s.err }

func crashed(t *testing.T) (*bench, *stubCrashes) {
	b := newBench(t)
	c := &stubCrashes{text: "the report"}
	b.with(func(p *parts) {
		p.crashes = c
		p.notices = func() []backend.Notice {
			return []backend.Notice{{Text: "config"}, {Kind: backend.NoticeCrash, Text: "mac-stats stopped unexpectedly", Next: "Copy it"}}
		}
	})
	return b.shown(), c
}

func TestACrashNoticeCopiesItsReport(t *testing.T) {
	b, c := crashed(t)
	b.w.SetNotice("There is no tray icon.")
	b.w.SetNotice("There is still no tray icon.")
	b.Sees("mac-stats stopped unexpectedly.", "Copy it.", "Copy diagnostics", "Dismiss")
	b.SeesNot("tray icon")
	b.tap("Copy diagnostics")
	b.Settle()
	b.Sees("Copied")
	if got := b.w.p.App.Clipboard().Content(); got != "the report" || c.dismissed.Load() != 0 {
		t.Errorf("copied %q, dismissed %d times", got, c.dismissed.Load())
	}
	b.tap("Dismiss")
	b.Settle()
	b.Sees("There is still no tray icon.")
	b.SeesNot("unexpectedly", "Copied")
	if c.dismissed.Load() != 1 {
		t.Errorf("dismissed %d times", c.dismissed.Load())
	}
	b.tap("Dismiss")
	b.Settle()
	b.SeesNot("tray icon")
	if c.dismissed.Load() != 1 {
		t.Errorf("another notice dismisses it too: %d", c.dismissed.Load())
	}
}

func TestATakenHotkeyIsReportedBeforeTheMissingTray(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		taken := backend.Notice{Kind: backend.NoticeHotkey, Text: "The hotkey does not work"}
		b.with(func(p *parts) { p.notices = func() []backend.Notice { return []backend.Notice{taken} } })
		b.shown()
		b.w.SetNotice("There is no tray icon.")
		b.Sees("The hotkey does not work.")
		b.SeesNot("tray icon", "Copy diagnostics")
		b.tap("Dismiss")
		b.Settle()
		b.Sees("There is no tray icon.")
		b.tap("Dismiss")
		b.notify(taken)
		b.Settle()
		b.Sees("The hotkey does not work.")
		b.tap("Dismiss")
		b.Settle()
		b.SeesNot("tray icon", "hotkey") // a dismissed notice doesn't come back
	})
}
