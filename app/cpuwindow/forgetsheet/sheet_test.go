package forgetsheet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

func TestMain(m *testing.M) { screentest.Main(m, "../../../assets") }

// storeForgetter forgets text in the transcripts of a store.
type storeForgetter struct{ f *forget.Forgetter }

func (s storeForgetter) ForgetPlan(ctx context.Context, sel forget.Selection) (*forget.Plan, error) {
	return s.f.Plan(ctx, sel)
}

func (s storeForgetter) Forget(ctx context.Context, p *forget.Plan) (forget.Report, error) {
	return s.f.Do(ctx, p)
}

// fixed returns the same plan for every selection, and the same report.
type fixed struct {
	plan   *forget.Plan
	report forget.Report
	err    error // of the plan
	failed error // of the forgetting
	asked  []forget.Selection
}

func (f *fixed) ForgetPlan(_ context.Context, s forget.Selection) (*forget.Plan, error) {
	f.asked = append(f.asked, s)
	return f.plan, f.err
}

func (f *fixed) Forget(context.Context, *forget.Plan) (forget.Report, error) {
	return f.report, f.failed
}

// rig is a window with nothing but the sheet.
type rig struct {
	*screentest.Screen
	notified  []string
	forgotten int
}

func (r *rig) Notify(words, more string) { r.notified = append(r.notified, words+"|"+more) }
func (r *rig) Forgotten()                { r.forgotten++ }

// root is the window that controls find: Esc closes the card.
type root struct {
	kit.Host
	r *rig
}

func (h root) Do(f func())              { h.r.Do(f) }
func (root) Reveal(fyne.CanvasObject)   {}
func (root) RunKey(*fyne.KeyEvent) bool { return false }
func (h root) Escape()                  { overlay.OpenModal(h.r.Canvas()).Close() }

func windowOf(t *testing.T) *rig {
	t.Helper()
	r := &rig{Screen: screentest.New(t)}
	r.Win = test.NewTempWindow(t, kit.NewRoot(root{r: r}, layout.NewStackLayout(), kit.Text("the window below")))
	r.Win.Resize(fyne.NewSize(980, 700))
	return r
}

// remembering returns a window over a store with two sessions, and a forgetter of its text.
func remembering(t *testing.T) (*rig, *sessionmem.Store, storeForgetter) {
	t.Helper()
	r, dir := windowOf(t), t.TempDir()
	store, err := sessionmem.Open(sessionmem.Config{Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for i, text := range []string{"the zebra sleeps below the old bridge", "so it does"} {
		block := transcript.Block{ID: fmt.Sprintf("b%d", i), Kind: []transcript.Kind{transcript.KindUser, transcript.KindAssistant}[i], Time: time.Now(), Text: text}
		if _, err := store.Append(t.Context(), "cpu-x", block); err != nil {
			t.Fatal(err)
		}
	}
	return r, store, storeForgetter{forget.New(forget.Params{Root: dir, Store: store, Memory: memory.New(memory.Config{Root: dir})})}
}

// key sends a key to the focused control.
func (r *rig) key(names ...fyne.KeyName) {
	for _, name := range names {
		r.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: name})
		r.Settle()
	}
}

// toChoice moves the focus to the first switch.
func (r *rig) toChoice() {
	r.T.Helper()
	for range 10 {
		if _, ok := r.Canvas().Focused().(*kit.Switch); ok {
			return
		}
		r.Canvas().FocusNext()
	}
	r.T.Fatal("there is nothing to choose")
}

func (r *rig) closed(what string) {
	r.T.Helper()
	if overlay.OpenModal(r.Canvas()) != nil {
		r.T.Errorf("%s: the sheet is still there", what)
	}
}

func texts(t *testing.T, store *sessionmem.Store) (out []string) {
	t.Helper()
	load, err := store.Load(t.Context(), "cpu-x")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range load.Blocks[:2] {
		out = append(out, b.Text)
	}
	return out
}

func TestAMessageIsForgottenOnlyWhenForgetIsPressed(t *testing.T) {
	const zebra, answer = "the zebra sleeps below the old bridge", "so it does"
	for name, tt := range map[string]struct {
		do   func(r *rig)
		want []string
	}{
		"Enter alone is not enough": {func(r *rig) { r.key(fyne.KeyReturn) }, []string{zebra, answer}},
		"Esc leaves all as it is":   {func(r *rig) { r.key(fyne.KeyEscape) }, []string{zebra, answer}},
		"Shift+Tab and Enter":       {func(r *rig) { r.Canvas().FocusPrevious(); r.key(fyne.KeyReturn) }, []string{forgotten.Text, answer}},
		"with what is chosen":       {func(r *rig) { r.toChoice(); r.key(fyne.KeySpace); r.Canvas().FocusNext(); r.key(fyne.KeyReturn) }, []string{forgotten.Text, forgotten.Text}},
		"chosen and not": {func(r *rig) {
			r.toChoice()
			r.key(fyne.KeySpace, fyne.KeySpace)
			r.Canvas().FocusNext()
			r.key(fyne.KeyReturn)
		}, []string{forgotten.Text, answer}},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				r, store, f := remembering(t)
				AskMessage(r, f, "cpu-x", "b0")
				r.Settle()
				r.Sees("Forget this message?", "Will be erased", "These may repeat it.", zebra, "“so it does”", "answer · cpu-x", "the answer of the same turn", "can't be undone", "Nothing is sent anywhere.")
				tt.do(r)
				if diff := cmp.Diff(tt.want, texts(t, store)); diff != "" {
					t.Errorf("the transcript has (-want +got):\n%s", diff)
				}
				if gone := tt.want[0] == forgotten.Text; gone {
					r.Sees("Forgotten in", "Erased", "your message · cpu-x", "Close")
					r.key(fyne.KeyReturn)
				} else if r.forgotten != 0 {
					t.Error("the window thinks that it is forgotten")
				}
				r.closed("at the end")
			})
		})
	}
}

func TestASessionIsForgotten(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r, store, f := remembering(t)
		AskSession(r, f, transcript.Info{Name: "cpu-x", Title: "a title that is longer than the forty characters of the sheet"})
		r.Settle()
		r.Sees("Forget everything said in “a title that is longer")
		r.Canvas().FocusPrevious()
		r.key(fyne.KeySpace)
		if diff := cmp.Diff([]string{forgotten.Text, forgotten.Text}, texts(t, store)); diff != "" || r.forgotten != 1 {
			t.Errorf("reported %d times, the transcript has (-want +got):\n%s", r.forgotten, diff)
		}
	})
}

// Places that could not be changed are shown first, with the reason.
func TestShowsWhatCouldNotBeForgotten(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r, store, f := remembering(t)
		load, err := store.Load(t.Context(), "cpu-x")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(load.Info.Path, 0o400); err != nil {
			t.Fatal(err)
		}
		AskMessage(r, f, "cpu-x", "b0")
		r.Settle()
		r.Canvas().FocusPrevious()
		r.key(fyne.KeyReturn)
		r.Sees("Not all of it is forgotten yet", "Couldn't be removed", "it is read-only; give yourself the right to write it", "The app tries again automatically.")
		if r.forgotten != 0 {
			t.Error("the window thinks that it is forgotten")
		}
		r.key(fyne.KeyEscape)
		r.closed("after Esc")
		if err := os.Chmod(load.Info.Path, 0o600); err != nil {
			t.Fatal(err)
		}
	})
}

func TestLessonsHeadingFollowsTheChoice(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		f := &fixed{plan: &forget.Plan{Found: []forgotten.Touched{{Place: "lesson", Action: forgotten.Proposed, Text: "zebras sleep"}}}}
		r := windowOf(t)
		AskMessage(r, f, "cpu-x", "b1")
		r.Settle()
		r.Sees("removal proposed in the inbox")
		r.toChoice()
		r.key(fyne.KeySpace)
		r.Sees("Learnt from it: removed at once")
		r.SeesNot("removal proposed in the inbox")
		r.key(fyne.KeySpace)
		r.Sees("removal proposed in the inbox")
		r.key(fyne.KeySpace)
		r.Canvas().FocusNext()
		r.key(fyne.KeyReturn)
		if n := len(f.asked); n != 2 || !f.asked[1].Lessons {
			t.Errorf("planned for %+v", f.asked)
		}
	})
}

func TestWhatCannotBePlannedOrDoneIsReported(t *testing.T) {
	some := &forget.Plan{Found: []forgotten.Touched{{Place: "user", Action: forgotten.Emptied}}}
	for name, tt := range map[string]struct {
		f    *fixed
		want string
	}{
		"no plan":      {&fixed{err: errors.New("no such session")}, "Couldn't find what to forget: no such session|"},
		"nothing":      {&fixed{plan: &forget.Plan{}}, "There is nothing to forget.|"},
		"an error":     {&fixed{plan: some, failed: errors.New("disk full")}, "Not all of it is forgotten yet: disk full|The app tries again automatically."},
		"all is there": {&fixed{plan: some}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				r := windowOf(t)
				AskMessage(r, tt.f, "cpu-x", "b1")
				r.Settle()
				if tt.f.plan == some {
					r.Canvas().FocusPrevious()
					r.key(fyne.KeyReturn)
				}
				if got := strings.Join(r.notified, "; "); got != tt.want {
					t.Errorf("notified: %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// Every kind of place and action is shown with its heading, its name and its reason.
func TestAReportNamesEveryPlace(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		at := time.Now()
		found := []forgotten.Touched{
			{Place: "summary", Action: forgotten.Rebuilt, Session: "cpu-x", Time: at},
			{Place: "title", Action: forgotten.Removed, Session: "cpu-x"},
			{Place: "file", Action: forgotten.Renamed, Path: filepath.Join("session", "zebra.md")},
			{Place: "memory", Action: forgotten.Kept, Text: "zebras", Why: "it says something else"},
			{Place: "index", Action: forgotten.Pending},
			{Place: "agent", Action: forgotten.Refused, Session: "cpu-x", Path: filepath.Join("agents", "soul.md"), Why: "it is read-only"},
			{Place: "server", Action: forgotten.Removed},
			{Place: "tool", Action: forgotten.Emptied},
			{Place: "proposal", Action: forgotten.Removed},
			{Place: "lesson", Action: forgotten.Removed, Final: true},
		}
		for i := range sheetPlaces + 3 {
			found = append(found, forgotten.Touched{Place: "user", Action: forgotten.Emptied, Session: fmt.Sprintf("cpu-%d", i)})
		}
		f := &fixed{plan: &forget.Plan{Found: found}, report: forget.Report{Found: found, Refused: 1, Pending: 1}}
		r := windowOf(t)
		r.Win.Resize(fyne.NewSize(980, 3000))
		AskMessage(r, f, "cpu-x", "b1")
		r.Settle()
		words := []string{
			"Summaries rewritten from what is left", "summary · cpu-x · ", "Removed", "title · cpu-x", "Files with another name", "file · session/zebra.md", "Stays", "memory: it says something else", "“zebras”",
			"Not done yet: happens automatically", "search index", "Couldn't be removed", "sub-call · agents/soul.md: it is read-only", "memory server", "tool's result", "proposal", "Refused: it came with mac-stats", "… and 4 more",
		}
		r.Sees(words...)
		r.Sees("Will be erased", "Your other machines forget it too")
		r.Canvas().FocusPrevious()
		r.key(fyne.KeyReturn)
		r.Sees(words...)
		r.Sees("Erased", "Not all of it is forgotten yet")
		r.SeesNot("Will be erased")
		if got := forgotPlaces(f.report); got != len(found)-2 {
			t.Errorf("forgotten in %d places of %d", got, len(found))
		}
	})
}
