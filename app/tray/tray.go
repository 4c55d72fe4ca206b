package tray

import (
	"context"
	"log/slog"
)

// Actions are the menu's actions; all are required. They are called one after another on a
// goroutine of the tray, never on the UI goroutine, and should return soon.
type Actions struct {
	Open     func()
	NewChat  func()
	Pause    func(paused bool)
	Settings func()
	Quit     func()
	Display  func(Display) // the user chose what the icon shows
}

// Params holds what a Tray needs.
type Params struct {
	Actions Actions
	Demo    bool // the menu says that this is the demo
	Display Display
	Logger  *slog.Logger
	// Words translates a text of the menu; nil means English.
	Words func(english string) string
	// OnHost is called when a tray host shows the icon (true) or none does (false), with the
	// reason and the next step for people. It is called at least once after Start, on a
	// goroutine of the tray. May be nil.
	OnHost func(present bool, why string)
}

// Tray is a menu-bar icon. A process can start only one, once.
type Tray interface {
	// Start registers the icon and returns at once. Call it on the UI goroutine while the
	// event loop runs; macOS and Windows require that.
	Start()
	// Stop removes the icon. No action runs afterwards.
	Stop()
	// SetVitals updates the icon and the vitals line if they change. It doesn't block.
	SetVitals(r Reading, line string)
	// SetDisplay changes what the icon shows. It doesn't block.
	SetDisplay(d Display)
	// SetPaused shows whether monitoring is paused. It doesn't block.
	SetPaused(bool)
}

// New returns the system's tray. It panics if an action is missing.
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

// shell is the system's tray. Its methods are called by one goroutine at a time, start
// first.
type shell interface {
	// start registers an icon and builds the menu. onTap handles clicks on the icon,
	// onClick those on items; both are called on any goroutine and must not block. After
	// an error it may be called again.
	start(first look, menu []entry, onTap func(), onClick func(label)) error
	setIcon(png []byte)
	setTitle(text string) // beside the icon, if the system draws text there
	setTooltip(text string)
	setText(item label, text string)
	setChecked(item label, checked bool)
	stop()
}

// look is what the icon is registered with.
type look struct {
	title   string // the name by which a host remembers the icon; it never changes
	tooltip string
	icon    []byte
}

// label identifies an item of the menu. Except for the vitals, it is the item's English
// text.
type label string

// words returns the label's translation key: a machine's memory and an agent's memory have
// different words.
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
	label    label  // separator means a line
	text     string // shown text
	disabled bool
	checkbox bool
	checked  bool
	below    label // the item whose submenu contains it; separator means none
}

// option is a part of the icon that the menu can switch.
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

// menuOf returns the menu, which is built once.
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

// hostWatch calls report with the state of tray hosts until ctx is done: whether there is
// something to register with, whether an icon will be visible, and if not, why and what to
// do.
type hostWatch func(ctx context.Context, log *slog.Logger, report func(hostState))

// hostState is the state of the tray host.
type hostState struct {
	watcher bool // the icon can be registered
	host    bool // and something shows it
	pending bool // too early to report
	why     string
}
