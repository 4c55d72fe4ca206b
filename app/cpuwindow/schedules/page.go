package schedules

import (
	"context"
	"path/filepath"
	"strconv"

	"fyne.io/fyne/v2"

	"mac-stats/app/i18n"
	"mac-stats/app/schedule"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/prose"
)

// Host is what the page needs from its window. Except for Do and Context, its methods are
// called on the UI goroutine.
type Host interface {
	kit.Window
	OpenFile(path string) // opens a file in the system's default program
	OpenSession(name string)
	// Chosen returns a setting, and the environment variable that overrides it, or "".
	Chosen(key string) (value, setBy string)
	Choose(key, value string, then func(error)) // changes a setting
}

// Runner runs the schedules; implemented by *schedule.Runner. It is called off the UI
// goroutine.
type Runner interface {
	List() ([]schedule.Status, []schedule.Problem)
	RunNow(ctx context.Context, name string) (schedule.Result, error)
	File() string
}

// Book changes schedules and returns what was answered; implemented by *backend.Backend. It
// is called off the UI goroutine.
type Book interface {
	PutSchedule(ctx context.Context, old string, s schedule.Schedule, allow []string) error
	EnableSchedule(ctx context.Context, name string, on bool) error
	RemoveSchedule(ctx context.Context, name string) error
	Allowed(name string) ([]string, error)
	LastAnswer(ctx context.Context, session string) string
}

// Parts holds what the page works on.
type Parts struct {
	Runner Runner
	Book   Book
	Agents func() []string // the slugs to choose from
}

// Page is the page of schedules. Its fields belong to the UI goroutine.
type Page struct {
	host   Host
	parts  Parts
	View   *column.Viewport
	known  state
	busy   map[string]bool // actions under way, by schedule's name
	failed string          // why the last action failed
	sheet  *sheet          // nil while the list is shown
	loads  int             // number of the newest load; results of older ones are dropped
}

// state is the data the page shows.
type state struct {
	read     bool
	list     []schedule.Status
	problems []schedule.Problem
	answers  map[string]string   // first line of the last answer, by name
	allowed  map[string][]string // tools allowed without asking, by name
}

// NewPage returns the page.
func NewPage(h Host, parts Parts) *Page {
	p := &Page{host: h, parts: parts, View: column.NewViewport(), busy: map[string]bool{}}
	p.View.Follow, p.View.Fixed = false, true
	return p
}

// Load reads the schedules and shows them.
func (p *Page) Load() {
	p.draw()
	p.loads++
	load := p.loads
	go func() {
		s := p.read()
		p.host.Do(func() {
			if load != p.loads || p.host.Context().Err() != nil {
				return
			}
			p.known = s
			p.draw()
		})
	}()
}

func (p *Page) read() state {
	s := state{read: true, answers: map[string]string{}, allowed: map[string][]string{}}
	s.list, s.problems = p.parts.Runner.List()
	for _, one := range s.list {
		if !one.Last.Began.IsZero() {
			s.answers[one.Name] = p.parts.Book.LastAnswer(p.host.Context(), one.Session())
		}
		s.allowed[one.Name], _ = p.parts.Book.Allowed(one.Name) // a file that can't be read allows nothing
	}
	return s
}

// draw shows the page from the data read last; an open sheet stays.
func (p *Page) draw() {
	if p.sheet != nil {
		p.View.ReplaceRows(p.host.Canvas(), p.sheet.rows())
		return
	}
	rows := []*column.Placed{column.TextRow(i18n.T("Prompts that run at set times, each in its own conversation. They are stored in schedules.toml, which you can also edit."), kit.RoleMuted, kit.Gap4)}
	add := func(gap float32, r kit.Row) {
		rows = append(rows, &column.Placed{Row: r, Gap: gap, Max: kit.ProseMax})
	}
	if p.failed != "" {
		add(kit.Gap12, column.NewCardRow(kit.RoleHot, prose.NewParagraph(p.failed, kit.RoleText)))
	}
	for _, problem := range p.known.problems {
		add(kit.Gap12, column.NewCardRow(kit.RoleHot, prose.NewParagraph(Translate(problem.String()), kit.RoleText)))
	}
	fresh := func(kind *kit.Button) fyne.CanvasObject {
		return kit.Line(kit.Gap16, -1, kind, kit.NewButton(kit.ButtonQuiet, i18n.T("Open schedules.toml"), func() { p.host.OpenFile(p.parts.Runner.File()) }))
	}
	switch {
	case !p.known.read:
	case len(p.known.list) == 0:
		c := column.NewCardRow(
			kit.RoleNone, kit.Title(i18n.T("No schedules yet")),
			prose.NewParagraph(i18n.T("Ask a question every morning, every Monday or every hour. A notification shows the first line of the answer."), kit.RoleMuted), column.Spacer(kit.Gap4),
			kit.Line(kit.Gap16, -1, kit.NewButton(kit.ButtonPrimary, i18n.T("New schedule"), func() { p.edit(nil) })),
		)
		c.Pad, c.Gap = kit.Gap16, kit.Gap8
		add(kit.Gap16, c)
	default:
		add(kit.Gap16, column.NewBoxRow(fresh(kit.NewButton(kit.ButtonPlain, i18n.T("New schedule"), func() { p.edit(nil) }))))
		for _, s := range p.known.list {
			add(kit.Gap12, p.card(s))
		}
	}
	if p.known.read {
		add(kit.Gap20, column.NewBoxRow(kit.Title(i18n.T("Heartbeat"))))
		add(kit.Gap8, p.heartbeat())
	}
	p.View.ReplaceRows(p.host.Canvas(), rows)
}

// card shows one schedule.
func (p *Page) card(s schedule.Status) kit.Row {
	on := kit.NewSwitch(nil)
	on.Change = func(value string) {
		p.do(s.Name, func(ctx context.Context) error { return p.parts.Book.EnableSchedule(ctx, s.Name, value == "true") })
	}
	busy := p.busy[s.Name]
	on.SetValue(strconv.FormatBool(s.Enabled), busy)
	head := whenWords(s.When)
	if s.Agent != "" {
		head += " · " + s.Agent
	}
	parts := []fyne.CanvasObject{kit.Line(kit.Gap16, 0, kit.Bold(s.Name).Squeezable(), on), small(head, kit.RoleMuted)}
	for _, l := range statusLines(s, busy, p.known.answers[s.Name]) {
		parts = append(parts, small(l.text, l.role))
	}
	run := kit.NewButton(kit.ButtonQuiet, i18n.T("Run now"), func() {
		p.do(s.Name, func(ctx context.Context) error {
			_, err := p.parts.Runner.RunNow(ctx, s.Name) // the status reports how it ended
			return err
		})
	})
	open := kit.NewButton(kit.ButtonQuiet, i18n.T("Open conversation"), func() { p.host.OpenSession(s.Session()) })
	open.Hidden = s.Last.Began.IsZero()
	edit := kit.NewButton(kit.ButtonQuiet, i18n.T("Edit…"), func() { p.edit(&s.Schedule) })
	remove := kit.NewButton(kit.ButtonQuiet, i18n.T("Delete…"), func() { p.confirmDelete(s.Name) })
	for _, b := range []*kit.Button{run, edit, remove} {
		kit.SetEnabled(b, !busy && !s.Running)
	}
	parts = append(parts, column.Spacer(kit.Gap4), kit.NewFlowRow(kit.Gap16, run, open, edit, remove))
	c := column.NewCardRow(kit.RoleNone, parts...)
	c.Pad = kit.Gap12
	return c
}

func small(text string, role fyne.ThemeColorName) fyne.CanvasObject {
	return prose.New([]prose.Run{{Text: text}}, kit.SizeText, role)
}

// confirmDelete asks before deleting a schedule.
func (p *Page) confirmDelete(name string) {
	text := i18n.T("It won't run again. Its conversation stays in the list.")
	overlay.Confirm(p.host.Canvas(), i18n.With("Delete {{.Name}}?", i18n.Places{"Name": name}), text, kit.ButtonDanger, i18n.T("Delete schedule"), func() {
		p.do(name, func(ctx context.Context) error { return p.parts.Book.RemoveSchedule(ctx, name) })
	})
}

// do acts on a schedule in the background, and shows its new state.
func (p *Page) do(name string, work func(ctx context.Context) error) {
	p.busy[name], p.failed = true, ""
	p.draw()
	go func() {
		err := work(p.host.Context())
		p.host.Do(func() {
			delete(p.busy, name)
			if err != nil {
				p.failed = sentence(err)
			}
			p.Load()
		})
	}()
}

// edit opens the sheet, for a new schedule if s is nil.
func (p *Page) edit(s *schedule.Schedule) {
	p.failed = ""
	p.sheet = newSheet(p, s)
	p.draw()
	p.View.Offset = 0
	p.View.Refresh()
	name := p.sheet.name
	p.host.Do(func() { // the sheet is on the screen a moment later
		p.View.RevealRow(name)
		p.host.Canvas().Focus(name.Entry)
	})
}

// closeSheet returns to the list.
func (p *Page) closeSheet() {
	p.sheet = nil
	p.host.Canvas().Unfocus() // else the focus would move to whatever takes Save's place
	p.Load()
}

// heartbeat is the card of the heartbeat's checklist.
func (p *Page) heartbeat() kit.Row {
	const key = "heartbeat.minutes"
	value, setBy := p.host.Chosen(key)
	choice := func(v, text string) fyne.CanvasObject {
		b := kit.NewButton(kit.ButtonPlain, text, func() {
			p.host.Choose(key, v, func(err error) {
				p.failed = ""
				if err != nil {
					p.failed = sentence(err)
				}
				p.draw()
			})
		})
		b.PadX = kit.Gap8
		b.SetSelected(v == value)
		kit.SetEnabled(b, setBy == "")
		return b
	}
	every := func(minutes string) fyne.CanvasObject {
		return choice(minutes, i18n.With("{{.Minutes}} minutes", i18n.Places{"Minutes": minutes}))
	}
	choices := []fyne.CanvasObject{choice("off", i18n.T("Off")), every("15"), every("30"), every("60")}
	switch value {
	case "off", "15", "30", "60":
	default:
		choices = append(choices, every(value))
	}
	file := filepath.Join(filepath.Dir(p.parts.Runner.File()), schedule.HeartbeatName)
	open := kit.NewButton(kit.ButtonQuiet, i18n.T("Open heartbeat.md"), func() { p.host.OpenFile(file) })
	open.Hidden = value == "off"
	c := column.NewCardRow(
		kit.RoleNone,
		prose.NewParagraph(i18n.T("An agent goes through heartbeat.md, a checklist you write, and looks at the vitals. You are notified only if there is something to report."), kit.RoleMuted),
		kit.NewFlowRow(kit.Gap4, choices...), kit.NewFlowRow(kit.Gap16, open),
	)
	c.Pad, c.Gap = kit.Gap12, kit.Gap8
	return c
}
