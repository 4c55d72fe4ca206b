package vitals

import (
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/app/i18n"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/prose"
)

// processCard lists the busiest processes, by CPU or by memory, each with a button to quit it.
type processCard struct {
	*column.CardRow
	byCPU, byMemory *kit.Button
	count           *kit.Label
	Lines           []*processLine
	why             *prose.Text // why there is no list, or what reads a message in advance
	outcome         *prose.Text // the outcome of the last request to quit
	force           *kit.Button
	update          func()
	memory          bool // sorted by memory
	forced          monitor.Process
}

// processRows is the number of processes on the card.
const processRows = 10

func newProcessCard(ask func(), quit, force func(monitor.Process), update func()) *processCard {
	c := &processCard{count: kit.Small("").Squeezable(), why: prose.NewParagraph("", kit.RoleMuted), outcome: prose.New(nil, kit.SizeSmall, kit.RoleMuted), update: update}
	c.byCPU = kit.NewButton(kit.ButtonPill, i18n.T("by CPU"), func() { c.sort(false) })
	c.byMemory = kit.NewButton(kit.ButtonPill, i18n.T("by memory"), func() { c.sort(true) })
	c.byCPU.SetSelected(true)
	c.force = kit.NewButton(kit.ButtonDanger, i18n.T("Force it to quit"), func() { force(c.forced) })
	c.force.Hide()
	c.outcome.Hide()
	parts := []fyne.CanvasObject{
		kit.Line(kit.Gap8, 1, kit.Bold(i18n.T("Processes")), c.count, c.byCPU, c.byMemory, kit.NewButton(kit.ButtonQuiet, i18n.T("Ask about this"), ask)),
		c.why,
		processHeads(),
	}
	for range processRows {
		l := newProcessLine(quit)
		c.Lines = append(c.Lines, l)
		parts = append(parts, l.Object)
	}
	parts = append(parts, c.outcome, kit.Line(kit.Gap8, -1, c.force))
	c.CardRow = column.NewCardRow(kit.RoleNone, parts...)
	c.Gap = 1
	return c
}

// processHeads returns the headings of the columns.
func processHeads() *fyne.Container {
	var heads []fyne.CanvasObject
	for i, name := range []string{i18n.T("name"), "pid", i18n.T("% of a core"), i18n.T("memory"), ""} {
		h := kit.NewLabel(name, kit.RoleFaint, kit.SizeSmall)
		if i >= 2 {
			h.Align = fyne.TextAlignTrailing
		}
		heads = append(heads, h)
	}
	return container.New(newProcessLayout(), heads...)
}

func (c *processCard) sort(memory bool) {
	c.memory = memory
	c.byCPU.SetSelected(!memory)
	c.byMemory.SetSelected(memory)
	c.update()
}

// set shows a reading, and what reads a message in advance. It reports whether the height of the card may have changed.
func (c *processCard) set(r monitor.ProcessesReading, paused bool, ahead string) (resized bool) {
	list := r.Top
	if c.memory {
		list = r.ByMemory
	}
	c.count.SetText("")
	if r.Count > 0 {
		c.count.SetText(i18n.With("the busiest of {{.N}}", i18n.Places{"N": i18n.Thousands(r.Count)}))
	}
	why := ahead
	switch {
	case paused:
		why = i18n.T("Monitoring is paused: the list may be old.")
	case r.NA != "":
		why = "n/a: " + r.NA
	}
	reword(c.why, why)
	if c.why.Visible() != (why != "") {
		c.why.Hidden, resized = why == "", true
	}
	for i, l := range c.Lines {
		there := i < len(list)
		if there {
			l.set(list[i])
		}
		if l.Object.Visible() != there {
			l.Object.Hidden, resized = !there, true
		}
	}
	return resized
}

// showOutcome shows the outcome of a request to quit. If p is not nil, it offers to force p.
func (c *processCard) showOutcome(text string, role fyne.ThemeColorName, p *monitor.Process) {
	c.outcome.Role = role
	reword(c.outcome, text)
	c.outcome.Hidden = text == ""
	c.force.Hidden = p == nil
	if p != nil {
		c.forced = *p
	}
}

// processLine shows one process.
type processLine struct {
	p           monitor.Process
	name, pid   *kit.Label
	cpu, memory *kit.Label
	Quit        *kit.Button
	Object      *fyne.Container
}

func newProcessLine(quit func(monitor.Process)) *processLine {
	l := &processLine{name: kit.Text("").Squeezable(), pid: kit.NewLabel("", kit.RoleMuted, kit.SizeSmall), cpu: kit.Text(""), memory: kit.Text("")}
	l.cpu.Align, l.memory.Align = fyne.TextAlignTrailing, fyne.TextAlignTrailing
	l.Quit = kit.NewButton(kit.ButtonQuiet, i18n.T("Quit"), func() { quit(l.p) })
	l.Object = container.New(newProcessLayout(), l.name, l.pid, l.cpu, l.memory, l.Quit)
	return l
}

func (l *processLine) set(p monitor.Process) {
	l.p = p
	l.name.SetText(p.Name)
	l.pid.SetText(fmt.Sprint(p.PID))
	l.cpu.SetText(fmt.Sprintf("%.0f %%", p.CPU))
	l.memory.SetText(i18n.Number(monitor.Bytes(p.Memory)))
	if hidden := p.Protected(); hidden != l.Quit.Hidden {
		l.Quit.Hidden = hidden
		l.Object.Refresh()
	}
}

// processLayout lays out the columns: name, pid, CPU, memory and a button.
type processLayout struct {
	quit float32 // width of the button's column
}

func newProcessLayout() processLayout {
	return processLayout{kit.Gap12 + kit.NewButton(kit.ButtonQuiet, i18n.T("Quit"), nil).MinSize().Width}
}

const (
	pidWidth    float32 = 64
	shareWidth  float32 = 72
	memoryWidth float32 = 76
	processLead float32 = 24
)

func (processLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, processLead) }

func (l processLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	pid := pidWidth
	if s.Width < pairFrom/2+pidWidth {
		pid = 0
	}
	x := max(0, s.Width-pid-shareWidth-memoryWidth-l.quit)
	kit.PlaceMiddle(o[0], 0, max(0, x-kit.Gap8), 0, s.Height)
	for i, w := range []float32{pid, shareWidth, memoryWidth, l.quit} {
		width := w
		if i == 3 { // the button, at the right edge
			width = o[4].MinSize().Width
			x += w - width
		}
		kit.PlaceMiddle(o[i+1], x, max(0, width), 0, s.Height)
		x += w
	}
}

// confirmQuit asks a process to quit, after a confirmation.
func (p *Page) confirmQuit(process monitor.Process) {
	name := fmt.Sprintf("%s (pid %d)", process.Name, process.PID)
	overlay.Confirm(p.host.Canvas(), i18n.With("Quit {{.Name}}?", i18n.Places{"Name": i18n.Shorten(process.Name, 32)}), i18n.With("{{.Name}} is asked to quit. What it has not saved may be lost.", i18n.Places{"Name": name}), kit.ButtonDanger, i18n.T("Ask it to quit"), func() { p.quit(process, false) })
}

// force ends a process that didn't quit when asked, after another confirmation.
func (p *Page) force(process monitor.Process) {
	name := fmt.Sprintf("%s (pid %d)", process.Name, process.PID)
	overlay.Confirm(p.host.Canvas(), i18n.With("Force {{.Name}} to quit?", i18n.Places{"Name": i18n.Shorten(process.Name, 32)}), i18n.With("{{.Name}} ends at once. What it has not saved is lost.", i18n.Places{"Name": name}), kit.ButtonDanger, i18n.T("Force it to quit"), func() { p.quit(process, true) })
}

// quitPatience is how long a process may take before force is offered.
const quitPatience = 3 * time.Second

// quit asks a process to quit, off the UI goroutine, and shows the outcome.
func (p *Page) quit(process monitor.Process, force bool) {
	v, name := p.source, fmt.Sprintf("%s (pid %d)", process.Name, process.PID)
	p.showOutcome(i18n.With("{{.Name}} was asked to quit …", i18n.Places{"Name": name}), kit.RoleMuted, nil)
	go func() {
		if err := v.Quit(process, force); err != nil {
			p.host.Do(func() { p.showOutcome(i18n.Sentence(i18n.Capital(err.Error())), kit.RoleHot, nil) })
			return
		}
		for end := time.Now().Add(quitPatience); v.Runs(process) && time.Now().Before(end); {
			time.Sleep(quitPatience / 20)
		}
		still := v.Runs(process)
		p.host.Do(func() {
			switch {
			case !still:
				p.showOutcome(i18n.With("{{.Name}} has quit.", i18n.Places{"Name": name}), kit.RoleMuted, nil)
			case force:
				p.showOutcome(i18n.With("{{.Name}} still runs: the system has not ended it yet.", i18n.Places{"Name": name}), kit.RoleHot, nil)
			default:
				p.showOutcome(i18n.With("{{.Name}} still runs. It may be saving, or asking you something.", i18n.Places{"Name": name}), kit.RoleWarn, &process)
			}
		})
	}()
}

func (p *Page) showOutcome(text string, role fyne.ThemeColorName, force *monitor.Process) {
	p.Procs.showOutcome(text, role, force)
	p.remeasure()
}
