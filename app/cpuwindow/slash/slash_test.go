package slash

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

func items(run func(string)) []Item {
	return []Item{
		{Agent, "coder", "Writes and mends code (Go, Python)", nil},
		{Agent, "redmine", "Looks up tickets", nil},
		{Skill, "release-notes", "Writes release notes", nil},
		{Command, "new", "Start a new chat", run},
		{Command, "find", "Find in this conversation", run},
	}
}

func TestFind(t *testing.T) {
	for text, want := range map[string][3]string{
		"/coder fix this":      {"coder", "fix this"},
		"/Coder\nfix\n\nthis":  {"coder", "fix\n\nthis"},
		"/release-notes":       {"release-notes", ""},
		"/find  a  b ":         {"find", "a  b"},
		"/path/like":           {},
		"/coderx fix":          {},
		"/":                    {},
		"coder fix":            {},
		" /coder fix":          {},
		"/coder/main.go fails": {},
		"/coder, fix":          {},
	} {
		it, rest, ok := Find(func() []Item { return items(func(string) {}) }, text)
		if it.Name != want[0] || rest != want[1] || ok != (want[0] != "") {
			t.Errorf("%q: %q, %q, %v", text, it.Name, rest, ok)
		}
	}
}

func TestMatching(t *testing.T) {
	for typed, want := range map[string][]string{
		"":     {"coder", "redmine", "release-notes", "new", "find"},
		"re":   {"redmine", "release-notes"},
		"N":    {"new"},
		"no":   {"release-notes"},
		"go":   {"coder"},
		"etc":  nil,
		"tick": {"redmine"},
	} {
		got, named := matching(items(nil), typed)
		var names []string
		for _, it := range got {
			names = append(names, it.Name)
		}
		if typed == "N" { // the best match is first; other names contain the letter too
			names = names[:1]
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("%q: %s", typed, diff)
		}
		if wantNamed := typed != "go" && typed != "tick" && want != nil; named != wantNamed {
			t.Errorf("%q: by name %v", typed, named)
		}
	}
}

// rig is a menu with its field.
type rig struct {
	*screentest.Screen
	field *kit.Field
	menu  *Menu
	ran   []string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{Screen: screentest.New(t), field: kit.NewTextArea()}
	r.menu = NewMenu(r.field, func() []Item { return items(func(rest string) { r.ran = append(r.ran, rest) }) }, r.field.SetText)
	r.field.OnChanged = func(text string) { r.menu.Typed(text, true) }
	r.field.OnKey = r.menu.Key
	r.Win = test.NewWindow(nil)
	r.Win.SetContent(kit.Stack(0, r.field, kit.Sized(r.menu.Above(func() float32 { return 0 }), 500, 400)))
	r.Win.Resize(fyne.NewSize(600, 600))
	r.Win.Canvas().Focus(r.field)
	return r
}

func (r *rig) keys(names ...fyne.KeyName) {
	for _, k := range names {
		r.field.TypedKey(&fyne.KeyEvent{Name: k})
	}
}

func TestTheMenuByKeyboard(t *testing.T) {
	for name, tt := range map[string]struct {
		typed string
		keys  []fyne.KeyName
		text  string
		open  bool
		ran   int
	}{
		"a slash opens it":                          {"/", nil, "/", true, 0},
		"Enter takes the best":                      {"/co", []fyne.KeyName{fyne.KeyReturn}, "/coder ", false, 0},
		"Enter does a command":                      {"/ne", []fyne.KeyName{fyne.KeyReturn}, "", false, 1},
		"Tab completes a command":                   {"/fi", []fyne.KeyName{fyne.KeyTab}, "/find ", false, 0},
		"arrows choose, around the ends":            {"/", []fyne.KeyName{fyne.KeyDown, fyne.KeyDown, fyne.KeyUp, fyne.KeyUp, fyne.KeyUp, fyne.KeyTab}, "/find ", false, 0},
		"what only describes is not taken by Enter": {"/go", []fyne.KeyName{fyne.KeyReturn}, "/go\n", false, 0},
		"but by an arrow and Enter":                 {"/go", []fyne.KeyName{fyne.KeyDown, fyne.KeyReturn}, "/coder ", false, 0},
		"Esc closes it for good":                    {"/c", []fyne.KeyName{fyne.KeyEscape, fyne.KeyEnd}, "/c", false, 0},
		"a path is none of it":                      {"/etc/hosts", nil, "/etc/hosts", false, 0},
		"a blank ends the name":                     {"/coder fix", nil, "/coder fix", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			test.Type(r.field, tt.typed)
			r.keys(tt.keys...)
			if r.field.Text != tt.text || r.menu.Visible() != tt.open || len(r.ran) != tt.ran || r.field.AcceptsTab() != tt.open {
				t.Errorf("the field holds %q, open %v, ran %q", r.field.Text, r.menu.Visible(), r.ran)
			}
		})
	}
}

func TestEscClosesTheMenuUntilTheFieldIsEmpty(t *testing.T) {
	r := newRig(t)
	test.Type(r.field, "/")
	r.keys(fyne.KeyEscape)
	test.Type(r.field, "c")
	if r.menu.Visible() {
		t.Error("the next letter opens it")
	}
	r.keys(fyne.KeyBackspace, fyne.KeyBackspace)
	test.Type(r.field, "/")
	if !r.menu.Visible() {
		t.Error("a new slash doesn't open it")
	}
}

func TestTheMenuByMouse(t *testing.T) {
	r := newRig(t)
	test.Type(r.field, "/")
	r.Sees("/coder", "Looks up tickets", "agent", "skill", "command")
	r.Win.Canvas().Unfocus()
	test.Tap(r.menu.rows[2])
	if r.field.Text != "/release-notes " || r.Win.Canvas().Focused() != fyne.Focusable(r.field) {
		t.Errorf("the field holds %q, the focus is on %s", r.field.Text, r.Focus())
	}
}
