package pages

import (
	"encoding/json"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

// A list beside the chosen item is used by keys and by mouse; a narrow page has a menu.
func TestTheListOfASplitView(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		s := screentest.New(t)
		var picked []string
		v := newSplitView(kit.Text("the chosen item"), func(key string) { picked = append(picked, key) })
		s.Win = test.NewTempWindow(t, v.object)
		s.Win.Resize(fyne.NewSize(900, 300))
		items := []splitItem{
			{key: "a", title: "memory.md", meta: "12 lines", fraction: 0.5, heading: "Files"},
			{key: "b", title: "soul.md", meta: "can't be read", role: kit.RoleHot, fraction: 1.5, mark: kit.RoleHot},
			{key: "c", title: "skill.md", fraction: -1},
		}
		v.show(items, "a")
		s.Sees("Files", "memory.md", "12 lines", "the chosen item")
		rows := v.rows
		s.Canvas().Focus(rows["a"])
		for _, step := range []struct {
			key  fyne.KeyName
			want string // the focused row
		}{{fyne.KeyUp, "a"}, {fyne.KeyDown, "b"}, {fyne.KeyDown, "c"}, {fyne.KeyDown, "c"}, {fyne.KeyUp, "b"}} {
			s.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: step.key})
			if s.Canvas().Focused() != fyne.Focusable(rows[step.want]) || rows[step.want].bg.Stroke != kit.RoleAccent {
				t.Errorf("after %s the focus isn't shown on %s", step.key, step.want)
			}
		}
		s.Canvas().Focused().TypedRune('x')
		s.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		rows["c"].MouseIn(nil)
		rows["c"].MouseMoved(nil)
		if rows["c"].bg.Fill != kit.RoleHover || rows["a"].bg.Fill != kit.RoleCard {
			t.Errorf("under the pointer %s, the chosen one %s", rows["c"].bg.Fill, rows["a"].bg.Fill)
		}
		rows["c"].MouseOut()
		test.Tap(rows["c"])
		if diff := cmp.Diff([]string{"b", "c"}, picked); diff != "" || rows["c"].bg.Fill != kit.RoleNone {
			t.Errorf("picked (-want +got):\n%s", diff)
		}
		if rows["a"].Measure(200) <= rows["c"].Measure(200) || rows["a"].dotBox.Visible() || !rows["b"].dotBox.Visible() || rows["c"].bar.Visible() {
			t.Error("a row shows what it doesn't have")
		}
		v.show(items[:2], "b")
		if v.rows["a"] != rows["a"] || len(v.rows) != 2 {
			t.Error("the rows aren't kept")
		}
		s.Win.Resize(fyne.NewSize(400, 300))
		v.show(items, "b")
		s.Sees("soul.md  ▾")
		s.Pushes(v.object, "soul.md  ▾")
		s.Sees("memory.md  ·  12 lines", "skill.md")
		s.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
		s.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		if got := picked[len(picked)-1]; got != "a" {
			t.Errorf("the menu picks %s", got)
		}
	})
}

// The usual mistakes in agent.json are explained, in the words of Go's decoder.
func TestMistakesInJSONAreExplained(t *testing.T) {
	var said []string
	for _, text := range []string{`{"name": "x",}`, `{"name": "x" "on": true}`, `{"name": "x"`, `{"name": x}`, `{"name" "x"}`} {
		var v any
		err := json.Unmarshal([]byte(text), &v)
		if err == nil {
			t.Fatalf("%s is JSON", text)
		}
		words := jsonFix(err.Error())
		if words == "" || slices.Contains(said, words) {
			t.Errorf("%s (%v) is explained as %q", text, err, words)
		}
		said = append(said, words)
	}
	if got := jsonFix("something else"); got != "" {
		t.Errorf("an unknown mistake is explained as %q", got)
	}
}
