package settings

import (
	"cmp"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// state is the current state of a setting.
type state struct {
	value        string // value in config.toml
	setBy        string // environment variable that overrides config.toml
	needsRestart bool   // the change takes effect after a restart
	warning      string // the action that has the same shortcut
}

// row is one setting: name, help, control, and below them a note about its value: changed,
// overridden by the environment, waiting for a restart, refused.
type row struct {
	widget.BaseWidget
	setting  config.Setting
	state    state
	known    bool // state was set
	err      string
	title    *kit.Label
	key      *kit.Label
	help     *prose.Text
	note     *prose.Text
	reset    *kit.Button
	control  control
	line     fyne.CanvasObject
	hovered  bool
	searched bool // a search is shown
	beside   bool // the control is to the right of the name
}

// control is the widget that changes a setting.
type control interface {
	fyne.CanvasObject
	SetValue(value string, locked bool)
}

// controlWidth is the width of a field beside a name.
const controlWidth float32 = 200

func newRow(s config.Setting, change func(key, value string)) *row {
	r := &row{setting: s, title: kit.Text(i18n.T(title(s))).Squeezable(), line: kit.Hairline()}
	r.key = kit.NewLabel(s.Key, kit.RoleMuted, kit.SizeSmall).Squeezable()
	r.key.Style.Monospace = true
	r.help = prose.New(prose.Runs(i18n.T(s.Help), kit.RoleNone), kit.SizeText, kit.RoleMuted)
	r.note = prose.New(nil, kit.SizeSmall, kit.RoleMuted)
	r.reset = kit.NewButton(kit.ButtonLink, i18n.T("Reset"), func() { change(s.Key, s.Default) })
	r.control = newControl(s, func(value string) {
		if value == r.state.value {
			r.failed(nil)
			return
		}
		if err := s.Check(value); err != nil {
			r.failed(err)
			return
		}
		change(s.Key, value)
	})
	r.key.Hide()
	r.ExtendBaseWidget(r)
	return r
}

// MouseIn implements desktop.Hoverable. It shows the key in config.toml.
func (r *row) MouseIn(*desktop.MouseEvent) { r.showKey(true) }

// MouseMoved implements desktop.Hoverable.
func (r *row) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (r *row) MouseOut() { r.showKey(false) }

// showKey shows or hides the setting's key. During a search, which includes keys, it is
// always shown.
func (r *row) showKey(on bool) {
	r.hovered = on
	r.key.Hidden = !r.hovered && !r.searched
	r.Refresh()
}

// setSearched sets whether a search is shown.
func (r *row) setSearched(on bool) {
	if r.searched != on {
		r.searched = on
		r.showKey(r.hovered)
	}
}

// failed shows why a value was refused; nil removes the message.
func (r *row) failed(err error) {
	before := r.err
	r.err = ""
	if err != nil {
		r.err = err.Error()
	}
	if r.err != before {
		r.setNote()
		kit.HostOf(r).Remeasure(r)
	}
}

// update shows the setting's state.
func (r *row) update(s state) {
	if s == r.state && r.known {
		return
	}
	r.known = true
	if s.value != r.state.value {
		r.err = ""
	}
	r.state = s
	r.control.SetValue(s.value, s.setBy != "")
	r.setNote()
}

func (r *row) changed() bool { return r.state.value != shownDefault(r.setting) }

// shownDefault returns the default in the form of Value.
func shownDefault(s config.Setting) string { return s.Value(config.Default()) }

// setNote sets the note about the value.
func (r *row) setNote() {
	var runs []prose.Run
	add := func(text string, role fyne.ThemeColorName) {
		if len(runs) > 0 {
			runs = append(runs, prose.Run{Text: "\n"})
		}
		runs = append(runs, prose.Runs(text, role)...)
	}
	if r.err != "" {
		add(i18n.Sentence(r.err), kit.RoleHot)
	}
	if r.state.setBy != "" {
		add(i18n.With("Set by the environment variable {{.Name}}, which overrides config.toml.", i18n.Places{"Name": r.state.setBy}), kit.RoleWarn)
	}
	if r.state.needsRestart {
		add(i18n.T("Takes effect after a restart."), kit.RoleWarn)
	}
	if r.state.warning != "" {
		add(r.state.warning, kit.RoleWarn)
	}
	if r.changed() {
		add(i18n.With("Changed from the default ({{.Default}})", i18n.Places{"Default": defaultWords(r.setting)}), kit.RoleMuted)
	}
	r.note.Hidden = runs == nil
	if runs != nil {
		r.note.SetRuns(runs)
	}
	r.reset.Hidden = !r.changed() || r.state.setBy != ""
	r.Refresh()
}

// defaultWords returns a setting's default for use in a sentence.
func defaultWords(s config.Setting) string {
	v := shownDefault(s)
	switch {
	case s.Kind == config.KindShortcut:
		return cmp.Or(shortcuts.Words(v), i18n.T("none"))
	case s.Kind == config.KindSwitch:
		return onOff(v)
	case s.Kind == config.KindChoice:
		return i18n.T(valueName(v))
	case v == "":
		return i18n.T("empty")
	}
	return v
}

func onOff(v string) string {
	if v == "true" {
		return i18n.T("on")
	}
	return i18n.T("off")
}

// Measure implements row.
func (r *row) Measure(width float32) float32 { return r.layout(width, false) }

// layout places the parts, or only measures them if move is false.
func (r *row) layout(width float32, move bool) float32 {
	put := func(o fyne.CanvasObject, x, y, w, h float32) {
		if move {
			o.Move(fyne.NewPos(x, y))
			o.Resize(fyne.NewSize(w, h))
		}
	}
	c := r.control.MinSize()
	if _, ok := r.control.(*kit.ValueField); ok {
		c.Width = min(controlWidth, width)
	}
	r.beside = c.Width+kit.Gap20+200 <= width
	left, y := width, kit.Gap12*kit.Density()
	if r.beside {
		left = width - c.Width - kit.Gap20
		put(r.control, width-c.Width, y, c.Width, c.Height)
	}
	t := kit.MeasureText(r.title.Text, r.title.TextSize, r.title.Style)
	th := r.title.MinSize().Height
	put(r.title, 0, y, min(t.Width+1, left), th)
	kh := r.key.MinSize().Height
	put(r.key, t.Width+kit.Gap12, y+th-kh-1, max(0, left-t.Width-kit.Gap12), kh)
	y += th + 2
	h := r.help.Measure(left)
	put(r.help, 0, y, left, h)
	y += h
	if !r.beside {
		y += kit.Gap8
		put(r.control, 0, y, min(c.Width, width), c.Height)
		y += c.Height
	} else {
		y = max(y, kit.Gap12*kit.Density()+c.Height)
	}
	if !r.note.Hidden {
		y += kit.Gap4
		s, room := r.reset.MinSize(), width
		if !r.reset.Hidden {
			room -= s.Width + kit.Gap12
		}
		h := r.note.Measure(room)
		put(r.note, 0, y, room, h)
		put(r.reset, min(r.note.Widest, room)+kit.Gap12, y+h-s.Height, s.Width, s.Height) // on the note's last line: Changed … Reset
		y += h
	}
	y += kit.Gap12 * kit.Density()
	put(r.line, 0, y-1, width, 1)
	return y
}

// CreateRenderer implements fyne.Widget.
func (r *row) CreateRenderer() fyne.WidgetRenderer {
	x := kit.NewRenderer(r, func(s fyne.Size) { r.layout(s.Width, true) }, r.title, r.help, r.key, r.control, r.note, r.reset, r.line) // in the order of Tab
	x.Min = func() fyne.Size { return fyne.NewSize(0, 40) }
	return x
}

// foldRow shows and hides a section's rarely used settings.
type foldRow struct {
	*column.BoxRow
	button *kit.Button
}

func newFoldRow(onTap func()) *foldRow {
	b := kit.NewButton(kit.ButtonQuiet, "", onTap)
	b.TextSize, b.PadY = kit.SizeText, 6
	return &foldRow{BoxRow: column.NewBoxRow(kit.Line(0, -1, kit.Inset(0, 0, 0, 0, b))), button: b}
}

// set sets the label; folded is the number of rows it hides.
func (f *foldRow) set(section string, folded int) {
	name := i18n.T("Advanced")
	if section == "shortcuts" {
		name = i18n.T("All shortcuts")
	}
	f.button.SetText(strings.TrimSpace(map[bool]string{true: "▸ ", false: "▾ "}[folded > 0] + name))
}
