package tray

import (
	"context"
	"log/slog"
)

// Actions are what the menu does; all required. They are called one after another
// on a goroutine of the tray, never on the UI goroutine; they should return soon.
type Actions struct {
	Open     func()
	NewChat  func()
	Pause    func(paused bool)
	Settings func()
	Quit     func()
	Display  func(Display) // chosen in the menu what the icon shows
}

// Params is what a Tray needs.
type Params struct {
	Actions Actions
	Demo    bool // says so in the menu
	Display Display
	Logger  *slog.Logger
	// Words gives a text of the menu in the user's language; nil leaves English.
	Words func(english string) string
	// OnHost is called when a tray host appears (true) or is missing (false), with
	// why and what to do for people. It is called at least once after Start, on a
	// goroutine of the tray. May be nil.
	OnHost func(present bool, why string)
}

// Tray is a menu-bar icon. Only one can be started in a process, once.
type Tray interface {
	// Start registers the icon; returns at once. Call it on the UI goroutine once the
	// loop runs (macOS and Windows want that).
	Start()
	// Stop takes the icon away. Actions don't run after it.
	Stop()
	// SetVitals redraws the icon and the vitals line only where what they show
	// changes. It doesn't block.
	SetVitals(r Reading, line string)
	// SetDisplay changes what the icon shows. It doesn't block.
	SetDisplay(d Display)
	// SetPaused shows whether monitoring is paused. It doesn't block.
	SetPaused(bool)
}

// New returns the system's tray. It panics where an action is missing.
func New(p Params) Tray {
	a := p.Actions
	if a.Open == nil || a.NewChat == nil || a.Pause == nil || a.Settings == nil || a.Quit == nil || a.Display == nil {
		panic("tray: every action is required")
	}
	if p.Logger == nil {
		p.Logger = slog.New(slog.DiscardHandler)
	}
	if p.OnHost == nil {
		p.OnHost = func(bool, string) {}
	}
	return newMenuBar(p, newShell(), watchHost)
}

// shell is the system's tray: what fyne.io/systray does for us. Its methods are
// called by one goroutine at a time, start first.
type shell interface {
	// start registers an icon and builds the menu. onTap is a click on the icon itself,
	// onClick one on an item; both are called on any goroutine and must not block.
	start(first look, menu []entry, onTap func(), onClick func(label))
	setIcon(png []byte)
	setTitle(text string) // beside the icon, where the system draws one
	setTooltip(text string)
	setText(item label, text string)
	setChecked(item label, checked bool)
	stop()
}

// look is what the icon is registered with.
type look struct {
	title   string // the name a host remembers the icon by: it never changes
	tooltip string
	icon    []byte
}

// label names an item of the menu. It is what the item shows in English, but for the
// vitals.
type label string

// words is the label's key in the translations: the memory of a machine is called
// otherwise than that of an agent.
func (l label) words() string {
	if l == labelMemory {
		return memoryWords
	}
	return string(l)
}

const memoryWords = "Memory of the machine"

// The menu's items.
const (
	labelOpen     label = "Open CPU window"
	labelNewChat  label = "New chat"
	labelDemo     label = "Demo, no model"
	labelVitals   label = "No vitals yet"
	labelPause    label = "Pause monitoring"
	labelSettings label = "Settings…"
	labelQuit     label = "Quit"

	labelShows       label = "Icon shows"
	labelGraph       label = "Graph"
	labelNumbers     label = "Numbers"
	labelCPU         label = "CPU"
	labelMemory      label = "Memory"
	labelTemperature label = "Temperature"
	labelNetwork     label = "Network"

	separator label = ""
)

// entry is one line of the menu.
type entry struct {
	label    label  // separator = a line
	text     string // what it shows
	disabled bool
	checkbox bool
	checked  bool
	below    label // the item whose submenu it is in; separator = none
}

// option is a part of the icon that can be switched in the menu.
type option struct {
	label label
	field func(*Display) *bool
}

func options() []option {
	return []option{
		{labelGraph, func(d *Display) *bool { return &d.Graph }},
		{labelNumbers, func(d *Display) *bool { return &d.Numbers }},
		{labelCPU, func(d *Display) *bool { return &d.CPU }},
		{labelMemory, func(d *Display) *bool { return &d.Memory }},
		{labelTemperature, func(d *Display) *bool { return &d.Temperature }},
		{labelNetwork, func(d *Display) *bool { return &d.Network }},
	}
}

// menuOf is the menu, which is built once.
func menuOf(demo bool, d Display) []entry {
	menu := []entry{
		{label: labelOpen},
		{label: labelNewChat},
		{label: separator},
		{label: labelVitals, disabled: true},
		{label: labelPause, checkbox: true},
		{label: labelShows},
	}
	for _, o := range options() {
		menu = append(menu, entry{label: o.label, checkbox: true, checked: *o.field(&d), below: labelShows})
	}
	menu = append(menu, entry{label: labelSettings}, entry{label: separator}, entry{label: labelQuit})
	if demo {
		menu = append([]entry{{label: labelDemo, disabled: true}}, menu...)
	}
	return menu
}

// hostWatch tells tell about tray hosts until ctx ends: whether there is something to
// register with, whether an icon will be seen, and if not, why and what to do.
type hostWatch func(ctx context.Context, log *slog.Logger, tell func(hostState))

// hostState is what is known of the tray host.
type hostState struct {
	watcher bool // the icon can be registered
	host    bool // and something shows it
	pending bool // too early to tell people
	why     string
}
