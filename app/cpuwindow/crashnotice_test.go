package cpuwindow

import (
	"errors"
	"sync/atomic"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/backend"
	"mac-stats/app/ui/screentest"
)

// stubCrashes is one crash report.
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
	b.w.parts.crashes = c
	b.w.parts.notices = func() []backend.Notice {
		return []backend.Notice{{Text: "config"}, {Kind: backend.NoticeCrash, Text: "mac-stats stopped unexpectedly", Next: "Copy it"}}
	}
	b.w.tellFirst()
	return b.shown(), c
}

func TestACrashIsToldAndItsReportCopied(t *testing.T) {
	b, c := crashed(t)
	b.w.SetNotice("There is no tray icon.")
	b.w.SetNotice("There is still no tray icon.")
	b.Sees("mac-stats stopped unexpectedly.", "Copy it.", "Copy diagnostics", "Dismiss")
	b.SeesNot("tray icon")
	test.Tap(b.w.notice.offer)
	b.Settle()
	b.Sees("Copied")
	if got := b.w.p.App.Clipboard().Content(); got != "the report" || c.dismissed.Load() != 0 {
		t.Errorf("copied %q, dismissed %d times", got, c.dismissed.Load())
	}
	test.Tap(b.w.notice.dismiss)
	b.Settle()
	b.Sees("There is still no tray icon.")
	b.SeesNot("unexpectedly", "Copied")
	if c.dismissed.Load() != 1 {
		t.Errorf("dismissed %d times", c.dismissed.Load())
	}
	test.Tap(b.w.notice.dismiss)
	b.Settle()
	b.SeesNot("tray icon")
	if c.dismissed.Load() != 1 {
		t.Errorf("another notice dismisses it too: %d", c.dismissed.Load())
	}
}

func TestACrashReportThatCantBeReadIsSaid(t *testing.T) {
	b, c := crashed(t)
	c.err = errors.New("permission denied")
	test.Tap(b.w.notice.offer)
	b.Settle()
	b.Sees("be copied: permission denied.")
}

func TestTheNoticeFitsANarrowWindow(t *testing.T) {
	b, _ := crashed(t)
	b.w.win.Resize(fyne.NewSize(420, 700))
	b.Settle()
	n := b.w.notice
	if end := n.text.Position().X + n.text.Size().Width; end > n.offer.Position().X || n.offer.Position().X+n.offer.Size().Width > n.dismiss.Position().X {
		t.Errorf("the words end at %v, the offer begins at %v, Dismiss at %v", end, n.offer.Position().X, n.dismiss.Position().X)
	}
}

func TestAHotkeyThatCantBeTakenIsToldBeforeTheTray(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		taken := backend.Notice{Kind: backend.NoticeHotkey, Text: "The hotkey does not work"}
		b.w.parts.notices = func() []backend.Notice { return []backend.Notice{taken} }
		b.w.tellFirst()
		b.shown()
		b.w.SetNotice("There is no tray icon.")
		b.Sees("The hotkey does not work.")
		b.SeesNot("tray icon", "Copy diagnostics")
		test.Tap(b.w.notice.dismiss)
		b.Settle()
		b.Sees("There is no tray icon.")
		test.Tap(b.w.notice.dismiss)
		b.notify(taken)
		b.Settle()
		b.Sees("The hotkey does not work.")
		test.Tap(b.w.notice.dismiss)
		b.Settle()
		b.SeesNot("tray icon", "hotkey") // what was dismissed once does not come back
	})
}
