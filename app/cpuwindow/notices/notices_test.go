package notices

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/backend"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/memory"
)

// rig is a window with the bar alone.
type rig struct {
	*screentest.Screen
	n         *Notices
	held      []backend.Notice // true now
	copied    string
	restores  int
	decided   int
	dismissed int
	err       error // of whatever is done
}

func (r *rig) Copy(text string) { r.copied = text }
func (r *rig) NoticeChanged() {
	r.n.Bar.SetRoom(900, 400)
	r.n.Bar.Refresh()
}

func (r *rig) Restore(context.Context, ...string) ([]memory.Written, error) {
	r.restores++
	return nil, r.err
}
func (r *rig) CrashReport() (string, error) { return "the report", r.err }
func (r *rig) DismissCrashes() error        { r.dismissed++; return r.err }

func showing(t *testing.T, held ...backend.Notice) *rig {
	t.Helper()
	r := &rig{Screen: screentest.New(t), held: held}
	r.n = New(r, Parts{Current: func() []backend.Notice { return r.held }, Memories: r, Decided: func() { r.decided++ }, Crashes: r})
	r.Win = test.NewTempWindow(t, r.n.Bar)
	r.Win.Resize(fyne.NewSize(900, 80))
	return r
}

// presses presses a button of the bar.
func (r *rig) presses(words string) { r.Pushes(r.n.Bar, words) }

func crash() backend.Notice {
	return backend.Notice{Kind: backend.NoticeCrash, Text: "mac-stats stopped unexpectedly", Next: "Copy it"}
}

func TestACrashNoticeCopiesItsReport(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := showing(t, backend.Notice{Text: "config"}, crash())
		r.n.ShowFirst()
		r.n.SetPlace("There is no tray icon.")
		r.n.SetPlace("There is still no tray icon.")
		r.Sees("mac-stats stopped unexpectedly.", "Copy it.", "Copy diagnostics", "Dismiss")
		r.SeesNot("tray icon")
		r.presses("Copy diagnostics")
		r.Sees("Copied")
		if r.copied != "the report" || r.dismissed != 0 {
			t.Errorf("copied %q, dismissed %d times", r.copied, r.dismissed)
		}
		r.presses("Dismiss")
		r.Sees("There is still no tray icon.")
		r.SeesNot("unexpectedly", "Copied")
		r.presses("Dismiss")
		r.SeesNot("tray icon")
		if r.n.Bar.Visible() || r.dismissed != 1 {
			t.Errorf("the bar shows: %t; dismissed %d times", r.n.Bar.Visible(), r.dismissed)
		}
	})
}

func TestWhatCannotBeDoneIsReported(t *testing.T) {
	lines := []memory.Dropped{{Path: "/d/memory.md", Text: "Likes tea"}}
	for name, tt := range map[string]struct {
		of     backend.Notice
		press  string
		report []string
	}{
		"the report":    {crash(), "Copy diagnostics", []string{"be copied: permission denied.", "the folder logs of the data folder"}},
		"the dismissal": {crash(), "Dismiss", []string{"be dismissed: permission denied.", "be reminded at the next start."}},
		"missing lines": {backend.Notice{Kind: backend.NoticeMissing, Missing: lines}, "Restore", []string{"be restored: permission denied."}},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				r := showing(t)
				r.err = errors.New("permission denied")
				r.n.ShowNotice(tt.of)
				r.presses(tt.press)
				flat := r.n.Bar.text.Flat
				for _, want := range tt.report {
					if !strings.Contains(flat, want) {
						t.Errorf("it says %q, no %q", flat, want)
					}
				}
			})
		})
	}
}

func TestMissingLinesAreCountedAndRestored(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		dropped := func(paths ...string) (out []memory.Dropped) {
			for i, p := range paths {
				out = append(out, memory.Dropped{ID: fmt.Sprint(i), Path: p, Text: "x"})
			}
			return out
		}
		for _, tt := range []struct {
			lines []memory.Dropped
			want  string
		}{
			{dropped("/d/memory.md"), "1 remembered line is no longer in memory.md"},
			{dropped("/d/memory.md", "/d/memory.md"), "2 remembered lines are no longer in memory.md"},
			{dropped("/d/memory.md", "/d/memory-discord.md"), "2 remembered lines are no longer in their files"},
			{dropped("/d/memory-discord.md"), "1 remembered line is no longer in its file"},
		} {
			if got := missingWords(tt.lines); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		}
		r := showing(t, backend.Notice{Kind: backend.NoticeMissing, Missing: dropped("/d/memory.md")})
		r.n.ShowFirst()
		r.Sees("1 remembered line is no longer in memory.md.", "The Memory page shows them")
		r.presses("Restore")
		if r.restores != 1 || r.decided != 1 {
			t.Errorf("restored %d times, decided %d times", r.restores, r.decided)
		}
	})
}

// A notice of the backend comes before the place, and goes when it is no longer true.
func TestNoticesInOrder(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		taken := backend.Notice{Kind: backend.NoticeHotkey, Text: "The hotkey does not work"}
		r := showing(t, backend.Notice{Kind: backend.NoticeLogin, Text: "no autostart"}, taken)
		r.n.SetPlace("There is no tray icon.")
		r.Sees("There is no tray icon.")
		r.n.ShowFirst()
		r.Sees("The hotkey does not work.")
		r.SeesNot("tray icon", "Copy diagnostics", "autostart")
		r.n.DropStale()
		r.Sees("The hotkey does not work.")
		r.held = nil
		r.n.DropStale()
		r.Sees("There is no tray icon.")
		r.n.DropStale() // the place isn't the backend's
		r.Sees("There is no tray icon.")
		r.n.ShowFirst() // nothing happened
		r.n.ShowNotice(backend.Notice{Kind: backend.NoticeDiscord, Text: "The bot is offline", Next: "Check the `token`"})
		r.Sees("The bot is offline.", "Check the ", "token")
		r.presses("Dismiss")
		r.Sees("There is no tray icon.")
		r.n.Show("Couldn't save your draft", "")
		r.Sees("save your draft.")
		r.n.SetPlace("")
		if r.n.Bar.Visible() {
			t.Error("an empty bar is shown")
		}
	})
}
