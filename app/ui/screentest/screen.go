// Package screentest is a window in memory for tests of what is drawn: a UI goroutine that
// the test runs step by step, the text on the screen, and the buttons a person can press.
package screentest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// Main runs a package's tests in English, whatever the machine's language, because they
// check what people see. assets is the folder of the translations.
func Main(m *testing.M, assets string) {
	for _, name := range []string{"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"} {
		if err := os.Setenv(name, "en_US.UTF-8"); err != nil {
			panic(err)
		}
	}
	if err := i18n.Load(os.DirFS(assets)); err != nil {
		fmt.Fprintln(os.Stderr, err) // a test of the translations can fix it
	}
	os.Exit(m.Run())
}

// InBubble runs a test in a synctest bubble: its timers cost nothing and fire when nothing
// else is left to do, however busy the machine is. The bubble's clock is set to the real
// time, which files have.
func InBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	now := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now))
		t.Cleanup(func() { time.Sleep(2 * time.Minute) }) // lets the timer of chroma's regular expressions end
		f(t)
	})
}

// rest is how long nothing may come before the UI goroutine counts as idle: longer than any
// delay before drawing.
const rest = 240 * time.Millisecond

// Screen is a window that a test looks at.
type Screen struct {
	T     testing.TB
	Win   fyne.Window
	Queue chan func() // functions waiting for the UI goroutine
}

// New returns a screen without a window; the caller sets the window.
func New(t testing.TB) *Screen {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	return &Screen{T: t, Queue: make(chan func(), 4096)}
}

// Do queues f for the UI goroutine. It may be called on any goroutine.
func (s *Screen) Do(f func()) { s.Queue <- f }

// Context returns the test's context.
func (s *Screen) Context() context.Context { return s.T.Context() }

// Canvas returns what the window draws on.
func (s *Screen) Canvas() fyne.Canvas { return s.Win.Canvas() }

// Settle runs the UI goroutine until nothing has come for a while.
func (s *Screen) Settle() {
	s.T.Helper()
	for {
		select {
		case f := <-s.Queue:
			f()
		case <-time.After(rest):
			return
		}
	}
}

// Markup returns what is on the screen.
func (s *Screen) Markup() string { return test.RenderToMarkup(s.Win.Canvas()) }

// Sees fails the test if one of the words isn't on the screen.
func (s *Screen) Sees(words ...string) {
	s.T.Helper()
	all := s.Markup()
	for _, w := range words {
		if !strings.Contains(all, w) {
			s.T.Errorf("not on the screen: %q", w)
		}
	}
}

// SeesNot fails the test if one of the words is on the screen.
func (s *Screen) SeesNot(words ...string) {
	s.T.Helper()
	all := s.Markup()
	for _, w := range words {
		if strings.Contains(all, w) {
			s.T.Errorf("on the screen: %q", w)
		}
	}
}

// Until runs the UI goroutine until the words are on the screen, for work that waits for
// the disk.
func (s *Screen) Until(words ...string) {
	s.T.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		s.Settle()
		all := s.Markup()
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(all, w) }) {
			return
		}
	}
	s.Sees(words...)
}

// Pushes presses the first visible button with this label below an object.
func (s *Screen) Pushes(in fyne.CanvasObject, words string) {
	s.T.Helper()
	for _, o := range test.LaidOutObjects(in) {
		if x, ok := o.(*kit.Button); ok && x.Text == words && x.Visible() {
			test.Tap(x)
			s.Settle()
			return
		}
	}
	s.T.Fatalf("there is no button %q", words)
}

// Buttons returns the buttons with this label below an object, from the top, including those
// that show only under the pointer.
func Buttons(in fyne.CanvasObject, words string) (found []*kit.Button) {
	switch x := in.(type) {
	case *kit.Button:
		if x.Text == words {
			return []*kit.Button{x}
		}
	case *fyne.Container:
		for _, o := range x.Objects {
			found = append(found, Buttons(o, words)...)
		}
	case fyne.Widget:
		for _, o := range test.WidgetRenderer(x).Objects() {
			found = append(found, Buttons(o, words)...)
		}
	}
	return found
}

// Confirm presses a button of the question that is shown.
func (s *Screen) Confirm(words string) {
	s.T.Helper()
	pop := s.Win.Canvas().Overlays().Top()
	if pop == nil {
		s.T.Fatal("nothing is asked")
	}
	s.Pushes(pop, words)
}

// Types puts text into the focused field.
func (s *Screen) Types(text string) {
	s.T.Helper()
	field, ok := s.Win.Canvas().Focused().(*kit.Field)
	if !ok {
		s.T.Fatalf("the focus is on %T", s.Win.Canvas().Focused())
	}
	field.SetText(text)
}

// Focus describes what has the focus: a button's label, or the kind of widget.
func (s *Screen) Focus() string {
	switch f := s.Win.Canvas().Focused().(type) {
	case *kit.Field:
		return "a field"
	case *kit.Button:
		return f.Text
	case nil:
		return "nothing"
	default:
		return fmt.Sprintf("%T", f)
	}
}
