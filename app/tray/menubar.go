package tray

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"
)

// trayTitle is the name by which hosts remember the icon.
const trayTitle = "mac-stats"

// textEvery is the least time between changes of the vitals' text, because each wakes the
// host.
const textEvery = 2 * time.Second

// registerAgain is when a failed registration is tried again.
const registerAgain = 5 * time.Second

// notRegisteredAdvice is for people.
const notRegisteredAdvice = "There is no tray icon, because registering it with the desktop failed. It is tried again every few seconds; " +
	"until then this window is the way in, and closing it quits."

// actionQueue is how many clicks may wait for a slow action.
const actionQueue = 16

// menuBar decides what the icon and the menu show, and passes clicks on.
//
// A single goroutine (work) makes all calls of the shell, so that a slow bus never blocks
// the caller of SetVitals.
type menuBar struct {
	params  Params
	shell   shell
	watch   hostWatch
	log     *slog.Logger
	icons   icons
	titled  bool          // whether the system draws text beside the icon
	wake    chan struct{} // capacity 1: something to show
	actions chan func()
	done    sync.WaitGroup

	// mu guards the wanted state. The shown state belongs to work's goroutine.
	mu      sync.Mutex
	wanted  state
	reading Reading            // the latest
	cancel  context.CancelFunc // nil before Start
	host    hostState          // the latest
}

// state holds what the icon and the menu show.
type state struct {
	display Display
	cells   [maxCells]cell // the first n are shown
	n       int
	line    string
	paused  bool
}

// picture returns a state without the parts that the icon doesn't show.
func (s state) picture() state {
	s.line = ""
	return s
}

func newMenuBar(p Params, s shell, watch hostWatch) *menuBar {
	if p.Display == (Display{}) {
		p.Display = Display{Graph: true, Numbers: true, CPU: true}
	}
	b := &menuBar{
		params: p, shell: s, watch: watch, log: p.Logger,
		icons:   newIcons(runtime.GOOS == "darwin", runtime.GOOS == "windows"),
		wake:    make(chan struct{}, 1),
		actions: make(chan func(), actionQueue),
		wanted:  state{display: p.Display},
		titled:  runtime.GOOS == "darwin",
		reading: Unknown(),
	}
	b.wanted.cells, b.wanted.n = cellsOf(p.Display, b.reading)
	return b
}

// Start implements Tray.
func (b *menuBar) Start() {
	b.mu.Lock()
	again := b.cancel != nil
	var ctx context.Context
	if !again {
		ctx, b.cancel = context.WithCancel(context.Background())
	}
	b.mu.Unlock()
	if again {
		b.log.Warn("the tray was started already")
		return
	}
	var registered *state
	if startsOnCaller {
		registered = b.register()
	}
	b.done.Go(func() { b.act(ctx) })
	b.done.Go(func() { b.work(ctx, registered) })
	b.done.Go(func() { b.watch(ctx, b.log, b.onHost) })
}

// Stop implements Tray.
func (b *menuBar) Stop() {
	b.mu.Lock()
	cancel := b.cancel
	b.mu.Unlock()
	if cancel == nil {
		return
	}
	cancel()
	// The running action may itself stop the tray, or wait for the goroutine that does: it
	// is told to end, but only waited for briefly.
	ended := make(chan struct{})
	go func() { b.done.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Second):
		b.log.Debug("the tray was left while an action still ran")
	}
}

// SetVitals implements Tray.
func (b *menuBar) SetVitals(r Reading, line string) {
	b.set(func(s *state) {
		b.reading = r
		s.cells, s.n = cellsOf(s.display, r)
		s.line = line
	})
}

// SetDisplay implements Tray.
func (b *menuBar) SetDisplay(d Display) {
	b.set(func(s *state) {
		s.display = d
		s.cells, s.n = cellsOf(d, b.reading)
	})
}

// SetPaused implements Tray.
func (b *menuBar) SetPaused(paused bool) {
	b.set(func(s *state) { s.paused = paused })
}

func (b *menuBar) set(change func(*state)) {
	b.mu.Lock()
	before := b.wanted
	change(&b.wanted)
	news := b.wanted != before
	b.mu.Unlock()
	if news {
		b.touch()
	}
}

func (b *menuBar) touch() {
	select {
	case b.wake <- struct{}{}:
	default: // work looks anyway
	}
}

// onHost handles the hosts' states. The icon is registered with the first host; the shell
// registers it again with each later one.
func (b *menuBar) onHost(h hostState) {
	b.mu.Lock()
	b.host = h
	b.mu.Unlock()
	b.touch()
}

// inWords translates the menu's items.
func (b *menuBar) inWords(menu []entry) []entry {
	for i, e := range menu {
		switch {
		case e.label == separator:
		case b.params.Words == nil:
			menu[i].text = string(e.label)
		default:
			menu[i].text = b.params.Words(e.label.words())
		}
	}
	return menu
}

// register adds the wanted icon to the menu bar and returns what it shows: the icon and its
// values, but not the check mark of Pause or the texts yet. It returns nil if it failed.
func (b *menuBar) register() *state {
	b.mu.Lock()
	s := b.wanted
	b.mu.Unlock()
	err := b.shell.start(look{title: trayTitle, tooltip: tooltip(s), icon: b.icons.of(s)},
		b.inWords(menuOf(b.params.Demo, s.display)), b.onTap, b.onClick)
	if err != nil {
		b.log.Warn("the tray icon can't be registered", "error", err)
		return nil
	}
	if b.titled {
		b.shell.setTitle(s.beside())
	}
	s.line, s.paused = "", false
	return &s
}

// work shows the wanted state until ctx is done, and reports hosts: one that has no icon yet
// is none. shown is nil until the icon is registered.
func (b *menuBar) work(ctx context.Context, shown *state) {
	var (
		textAt time.Time        // of the last change of the text
		rest   <-chan time.Time // when a delayed text may be shown
		again  <-chan time.Time // when a failed registration is tried again
		told   hostState
	)
	for {
		select {
		case <-ctx.Done():
			if shown != nil {
				b.shell.stop()
			}
			return
		case <-b.wake:
		case <-rest:
		case <-again:
			again = nil
		}
		rest = nil
		b.mu.Lock()
		wanted, host := b.wanted, b.host
		b.mu.Unlock()
		if shown == nil && host.watcher && again == nil {
			if shown = b.register(); shown == nil {
				again = time.After(registerAgain)
			}
		}
		if shown == nil && host.host {
			host = hostState{why: notRegisteredAdvice}
		}
		if host != told && !host.pending {
			told = host
			b.log.Debug("tray host", "present", host.host, "why", host.why)
			b.params.OnHost(host.host, host.why)
		}
		if shown == nil {
			continue
		}
		b.showIcon(shown, wanted)
		if shown.line == wanted.line {
			continue
		}
		if wait := textEvery - time.Since(textAt); wait > 0 {
			rest = time.After(wait)
			continue
		}
		b.showText(shown, wanted)
		textAt = time.Now()
	}
}

// showIcon updates the icon and the check mark if they changed.
func (b *menuBar) showIcon(shown *state, wanted state) {
	if shown.picture() != wanted.picture() {
		b.shell.setIcon(b.icons.of(wanted))
	}
	if text := wanted.beside(); b.titled && text != shown.beside() {
		b.shell.setTitle(text)
	}
	for _, o := range options() {
		if on := *o.field(&wanted.display); on != *o.field(&shown.display) {
			b.shell.setChecked(o.label, on)
		}
	}
	if shown.paused != wanted.paused {
		b.shell.setChecked(labelPause, wanted.paused)
	}
	line := shown.line
	*shown = wanted
	shown.line = line
}

func (b *menuBar) showText(shown *state, wanted state) {
	b.shell.setText(labelVitals, wanted.line)
	b.shell.setTooltip(tooltip(wanted))
	shown.line = wanted.line
}

func tooltip(s state) string {
	if s.line == "" {
		return trayTitle
	}
	return trayTitle + ": " + s.line
}

// onTap handles a click on the icon.
func (b *menuBar) onTap() { b.queue(b.params.Actions.Open) }

// onClick handles a click on an item.
func (b *menuBar) onClick(item label) {
	switch item {
	case labelOpen:
		b.queue(b.params.Actions.Open)
	case labelNewChat:
		b.queue(b.params.Actions.NewChat)
	case labelPause:
		b.queue(b.togglePause)
	case labelSettings:
		b.queue(b.params.Actions.Settings)
	case labelQuit:
		b.queue(b.params.Actions.Quit)
	default:
		for _, o := range options() {
			if o.label == item {
				b.queue(func() { b.toggle(o) })
			}
		}
	}
}

// toggle switches a part of the icon. The icon always shows something: the last metric
// stays, and without numbers there is a graph.
func (b *menuBar) toggle(o option) {
	b.mu.Lock()
	d := b.wanted.display
	b.mu.Unlock()
	*o.field(&d) = !*o.field(&d)
	if !d.Graph && !d.Numbers {
		d.Graph, d.Numbers = o.label == labelNumbers, o.label == labelGraph
	}
	d = d.normal()
	b.SetDisplay(d)
	b.params.Actions.Display(d)
}

func (b *menuBar) togglePause() {
	var paused bool
	b.set(func(s *state) {
		s.paused = !s.paused
		paused = s.paused
	})
	b.params.Actions.Pause(paused)
}

// queue queues an action without waiting, because systray drops clicks while it waits.
func (b *menuBar) queue(action func()) {
	select {
	case b.actions <- action:
	default:
		b.log.Warn("a click was dropped: the one before still runs")
	}
}

// act runs the queued actions one after another.
func (b *menuBar) act(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case action := <-b.actions:
			if ctx.Err() == nil {
				action()
			}
		}
	}
}
