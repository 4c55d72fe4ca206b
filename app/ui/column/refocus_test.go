package column

import (
	"testing"

	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
)

// controls returns a card for each text: "on" stands for a switch, "-" for text, "(x)" for a
// disabled button, anything else for a button. The kinds of rows alternate.
func controls(texts ...string) []*Placed {
	var out []*Placed
	for i, text := range texts {
		b := kit.NewButton(kit.ButtonPlain, text, func() {})
		var row kit.Row
		switch {
		case text == "on":
			row = NewCardRow(kit.RoleNone, kit.NewSwitch(func(string) {}))
		case text == "choice":
			row = NewChoiceRow(text, "", func(bool) {})
		case text == "field":
			f := kit.NewLineField("", text)
			f.Button.Enable()
			row = f
		case text == "-":
			row = NewBoxRow(Spacer(10))
		case text[0] == '(':
			b.Disable()
			row = NewBoxRow(b)
		case i%2 == 0:
			row = NewCardRow(kit.RoleNone, kit.Line(0, -1, b))
		default:
			row = kit.NewFlowRow(4, b)
		}
		out = append(out, &Placed{Row: row})
	}
	return out
}

// When rows are replaced, the keyboard stays where it was.
func TestTheFocusStaysWhenRowsAreReplaced(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after []string
		focused       int // of the controls before
		want          int // of the controls after; -1 for the column
	}{
		{"the same rows", []string{"Edit", "Delete"}, []string{"Edit", "Delete"}, 1, 1},
		{"one came above", []string{"Edit", "Delete"}, []string{"New", "Edit", "Delete"}, 1, 2},
		{"one of the same name", []string{"Edit", "Edit", "Edit"}, []string{"-", "Edit", "Edit", "Edit"}, 1, 1},
		{"it is gone", []string{"Edit", "Undo", "Delete"}, []string{"Edit", "Delete"}, 1, 1},
		{"the last is gone", []string{"Edit", "Undo"}, []string{"Edit"}, 1, 0},
		{"all are gone", []string{"Edit", "Undo"}, []string{"-"}, 1, -1},
		{"it can't be pressed now", []string{"Edit", "Undo"}, []string{"Edit", "(Undo)"}, 1, 0},
		{"switches", []string{"on", "Edit", "on"}, []string{"on", "Edit", "on"}, 2, 2},
		{"a choice", []string{"Edit", "choice"}, []string{"Edit", "choice"}, 1, 1},
		{"a field's button", []string{"Edit", "field"}, []string{"field"}, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, c := showing(t)
			v.SetRows(controls(tt.before...))
			c.Focus(RowControls(v.Rows)[tt.focused])
			v.ReplaceRows(c, controls(tt.after...))
			want := fyne.Focusable(v)
			if tt.want >= 0 {
				want = RowControls(v.Rows)[tt.want]
			}
			if c.Focused() != want {
				t.Errorf("%T %v has the focus", c.Focused(), c.Focused())
			}
		})
	}
}

func TestTheFocusElsewhereIsLeftAlone(t *testing.T) {
	v, c := showing(t)
	v.SetRows(controls("Edit"))
	c.Unfocus()
	if v.ReplaceRows(c, controls("Edit")); c.Focused() != nil {
		t.Errorf("%T got the focus", c.Focused())
	}
	rows := controls("Edit", "Undo")
	v.SetRows(rows)
	c.Focus(RowControls(rows)[1])
	if v.ReplaceRows(c, rows); c.Focused() != RowControls(rows)[1] {
		t.Errorf("%T got the focus", c.Focused())
	}
}

func TestOnlyVisibleControlsAreListed(t *testing.T) {
	showing(t)
	rows := controls("Edit", "on", "(Undo)", "Delete", "-")
	rows[3].Row.Hide()
	if got := len(RowControls(rows)); got != 2 {
		t.Errorf("%d controls, want the button and the switch", got)
	}
	if got := RowButtons(rows); len(got) != 1 || got[0].Text != "Edit" {
		t.Errorf("buttons: %v", got)
	}
}
