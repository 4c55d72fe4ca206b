package tray

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"log/slog"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeShell records the menu bar's calls.
type fakeShell struct {
	mu      sync.Mutex
	fails   int // registrations to come
	calls   []string
	onTap   func()
	onClick func(label)
}

func (f *fakeShell) note(call string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
}

func (f *fakeShell) start(_ look, _ []entry, onTap func(), onClick func(label)) error {
	f.onTap, f.onClick = onTap, onClick
	f.note("start")
	if f.fails > 0 {
		f.fails--
		return errors.New("the bus is full")
	}
	return nil
}
func (f *fakeShell) setIcon([]byte)            { f.note("icon") }
func (f *fakeShell) setTitle(t string)         { f.note("title " + t) }
func (f *fakeShell) setTooltip(text string)    {}
func (f *fakeShell) setText(_ label, t string) { f.note("text " + t) }
func (f *fakeShell) setChecked(_ label, c bool) {
	f.note(map[bool]string{true: "checked", false: "unchecked"}[c])
}
func (f *fakeShell) stop() { f.note("stop") }

// take returns the calls since the last take.
func (f *fakeShell) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

func present(ctx context.Context, _ *slog.Logger, report func(hostState)) {
	report(hostState{watcher: true, host: true})
	<-ctx.Done()
}

// load returns a reading with only the CPU known.
func load(cpu float64) Reading {
	r := Unknown()
	r.CPU = cpu
	return r
}

// cpuState returns the icon's state with the default display.
func cpuState(cpu float64) state {
	s := state{display: Display{Graph: true, Numbers: true, CPU: true}}
	s.cells, s.n = cellsOf(s.display, load(cpu))
	return s
}

func params(a Actions) Params {
	nothing := func() {}
	for _, f := range []*func(){&a.Open, &a.NewChat, &a.Settings, &a.Quit} {
		if *f == nil {
			*f = nothing
		}
	}
	if a.Pause == nil {
		a.Pause = func(bool) {}
	}
	if a.Display == nil {
		a.Display = func(Display) {}
	}
	return Params{Actions: a, Logger: slog.New(slog.DiscardHandler), OnHost: func(bool, string) {}}
}

func TestOnlyChangesAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shell := &fakeShell{}
		bar := newMenuBar(params(Actions{}), shell, present)
		bar.Start()
		synctest.Wait()

		steps := []struct {
			name string
			do   func()
			then []string
		}{
			{"given a host, the icon registers", func() {}, []string{"start"}},
			{"when a load comes, it is drawn and written", func() { bar.SetVitals(load(12), "CPU 12 %") }, []string{"icon", "text CPU 12 %"}},
			{"when it comes again, nothing happens", func() { bar.SetVitals(load(12), "CPU 12 %") }, nil},
			{"when the number changes within its step, and soon, the text waits", func() { bar.SetVitals(load(11), "CPU 11 %") }, nil},
			{"when it changes again, the newest text is shown", func() { bar.SetVitals(load(10), "CPU 10 %"); time.Sleep(textEvery) }, []string{"text CPU 10 %"}},
			{"when paused, the icon and the check mark change at once", func() { bar.SetPaused(true) }, []string{"icon", "checked"}},
			{"when resumed, too", func() { bar.SetPaused(false) }, []string{"icon", "unchecked"}},
			{"when the load is unknown, the icon says so", func() { bar.SetVitals(load(-1), "CPU 10 %") }, []string{"icon"}},
			{"when stopped, the icon goes", func() { bar.Stop() }, []string{"stop"}},
			{"when told after that, nothing happens", func() { bar.SetVitals(load(99), "CPU 99 %") }, nil},
		}
		for _, s := range steps {
			s.do()
			synctest.Wait()
			if diff := cmp.Diff(s.then, shell.take()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", s.name, diff)
			}
		}
	})
}

func TestVitalsBeforeAHostAreShownLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// given a desktop whose panel starts late
		shell := &fakeShell{}
		late := func(ctx context.Context, log *slog.Logger, report func(hostState)) {
			report(hostState{why: "none"})
			time.Sleep(time.Minute)
			present(ctx, log, report)
		}
		bar := newMenuBar(params(Actions{}), shell, late)
		bar.Start()
		// when vitals arrive before it
		bar.SetVitals(load(50), "CPU 50 %")
		bar.SetPaused(true)
		synctest.Wait()
		if calls := shell.take(); calls != nil {
			t.Errorf("without a host: %v", calls)
		}
		// then the tray shows them as soon as the panel is there
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if diff := cmp.Diff([]string{"start", "icon", "checked", "text CPU 50 %"}, shell.take()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		bar.Stop()
	})
}

// A host that has no icon is none: whoever relied on it would close the window for good.
func TestAFailedRegistrationIsToldAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// given a host, and two registrations that fail
		shell := &fakeShell{fails: 2}
		p := params(Actions{})
		var told []string
		p.OnHost = func(present bool, why string) { told = append(told, fmt.Sprint(present, why)) }
		bar := newMenuBar(p, shell, present)
		bar.Start()
		for i, step := range []struct{ calls, told []string }{
			{[]string{"start"}, []string{"false" + notRegisteredAdvice}},
			{[]string{"start"}, nil},
			{[]string{"start", "text CPU 50 %"}, []string{"true"}},
			{nil, nil},
		} {
			synctest.Wait()
			if diff := cmp.Diff(step.calls, shell.take()); diff != "" {
				t.Errorf("%d, calls (-want +got):\n%s", i, diff)
			}
			if diff := cmp.Diff(step.told, told); diff != "" {
				t.Errorf("%d, told (-want +got):\n%s", i, diff)
			}
			told = nil
			// when vitals arrive meanwhile, then nothing is tried sooner
			bar.SetVitals(load(50), "CPU 50 %")
			synctest.Wait()
			time.Sleep(registerAgain)
		}
		bar.Stop()
	})
}

func TestASlowActionLosesNoClick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var did []string
		shell := &fakeShell{}
		bar := newMenuBar(params(Actions{
			Open:    func() { time.Sleep(time.Second); did = append(did, "open") },
			NewChat: func() { did = append(did, "new chat") },
			Pause:   func(p bool) { did = append(did, map[bool]string{true: "pause", false: "resume"}[p]) },
		}), shell, present)
		bar.Start()
		synctest.Wait()
		// given a slow action, when others are clicked meanwhile
		shell.onTap()
		shell.onClick(labelPause)
		shell.onClick(labelNewChat)
		shell.onClick(labelPause)
		shell.onClick(labelVitals) // does nothing
		// then all run, in order
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if diff := cmp.Diff([]string{"open", "pause", "new chat", "resume"}, did); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		bar.Stop()
	})
}

func TestStopFromAnActionReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bar *menuBar
		stopped := false
		shell := &fakeShell{}
		bar = newMenuBar(params(Actions{Quit: func() { bar.Stop(); stopped = true }}), shell, present)
		bar.Start()
		synctest.Wait()
		// when Quit stops the tray from its own goroutine
		shell.onClick(labelQuit)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		// then it doesn't wait for itself forever
		if !stopped {
			t.Error("Stop hangs")
		}
	})
}

func TestBucketOf(t *testing.T) {
	for _, c := range []struct {
		percent float64
		bucket  int
	}{
		{-1, unknown},
		{math.NaN(), unknown},
		{math.Inf(-1), unknown},
		{0, 0},
		{2.4, 0},
		{2.6, 5},
		{37, 35},
		{38, 40},
		{97.4, 95},
		{97.6, 100},
		{100, 100},
		{250, 100},
		{math.Inf(1), 100},
	} {
		if got := bucketOf(c.percent); got != c.bucket {
			t.Errorf("bucketOf(%v) = %d, want %d", c.percent, got, c.bucket)
		}
	}
}

func TestEveryStateHasItsOwnPicture(t *testing.T) {
	for name, template := range map[string]bool{"tile": false, "ring": true} {
		t.Run(name, func(t *testing.T) {
			icons := newIcons(template, false)
			seen := map[string]state{}
			states := []state{cpuState(-1), cpuState(20)}
			states[1].paused = true
			for b := 0; b <= 100; b += bucketStep {
				states = append(states, cpuState(float64(b)))
			}
			for _, s := range states {
				data := icons.of(s)
				img, err := png.Decode(bytes.NewReader(data))
				if err != nil {
					t.Fatalf("%+v: %v", s, err)
				}
				edge := map[bool]int{true: ringSize, false: iconSize}[template]
				if img.Bounds().Dx() != edge || img.Bounds().Dy() != edge {
					t.Errorf("%+v is %v", s, img.Bounds())
				}
				bare := template && s.cells[0].fill <= 0 // both are the empty ring
				if before, ok := seen[string(data)]; ok && !bare {
					t.Errorf("%+v looks like %+v", s, before)
				}
				seen[string(data)] = s
			}
		})
	}
}

func TestHalfTransparentPixelsAreBlack(t *testing.T) {
	// systray takes the low byte of premultiplied colours, which is only right for opaque
	// colours and for black.
	for b := 0; b <= 100; b += bucketStep {
		img := drawTile(cpuState(float64(b)))
		for y := range iconSize {
			for x := range iconSize {
				r, g, bl, a := img.At(x, y).RGBA()
				if a != 0xffff && r+g+bl != 0 {
					t.Fatalf("at %d %%, pixel %d,%d is coloured and half transparent", b, x, y)
				}
			}
		}
	}
}

func TestTheMenuIsTranslated(t *testing.T) {
	b := newMenuBar(Params{Words: func(english string) string { return "de: " + english }}, &fakeShell{}, present)
	for _, e := range b.inWords(menuOf(true, Display{})) {
		if want := "de: " + e.label.words(); e.label != separator && e.text != want || e.label == separator && e.text != "" {
			t.Errorf("%q is shown as %q", e.label, e.text)
		}
	}
}

func TestTheMenuOfADemoSaysSo(t *testing.T) {
	if first := menuOf(true, Display{})[0]; first.label != labelDemo || !first.disabled {
		t.Errorf("the first line is %+v", first)
	}
}

func TestNewPanicsWithoutAnAction(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a missing action was accepted")
		}
	}()
	New(Params{Actions: Actions{Open: func() {}}})
}

func BenchmarkDraw(b *testing.B) {
	for b.Loop() {
		newIcons(false, false).of(cpuState(35))
	}
}

// BenchmarkSetVitals measures a sample that changes nothing visible.
func BenchmarkSetVitals(b *testing.B) {
	bar := newMenuBar(params(Actions{}), &fakeShell{}, present)
	for b.Loop() {
		bar.SetVitals(load(37), "CPU 37 % · memory 18.2 of 32 GB")
	}
}
