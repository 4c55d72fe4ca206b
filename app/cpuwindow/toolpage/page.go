package toolpage

import (
	"context"
	"reflect"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/agents/mcpclient"
	"mac-stats/agents/tools"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// Host is what the page needs from its window. Except for Do and Context, its methods are
// called on the UI goroutine.
type Host interface {
	kit.Window
	Visible() bool // reports whether the window is on the screen
	Copy(text string)
	OpenFile(path string)        // opens a file in the system's default program
	TitleOf(name string) string  // title of a session; "" if there is none
	SearchSettings(words string) // shows the settings that contain these words
	// Chosen returns a setting, and the environment variable that overrides it, or "".
	Chosen(key string) (value, setBy string)
	Choose(key, value string, then func(error)) // changes a setting
}

// Allowed holds what the person allowed for longer than a call; implemented by
// *tools.Answers. It is called off the UI goroutine.
type Allowed interface {
	List() ([]tools.Permission, error)
	Revoke(id string) error
	Path() string
}

// Servers are the servers of mcp.json; implemented by *mcpclient.Client. The methods are
// called off the UI goroutine.
type Servers interface {
	Servers() ([]mcpclient.Server, error)
	Add(text string) (names []string, err error)
	Switch(tool string, on bool) error
	Test(ctx context.Context, server string) error
	SignIn(ctx context.Context, server string) error
	Log(server string, lines int) ([]string, error)
	File() string
}

// Parts holds what the page works on.
type Parts struct {
	Allowed Allowed
	Servers Servers
}

// Page is the page of tools. Its fields belong to the UI goroutine.
type Page struct {
	host     Host
	parts    Parts
	View     *column.Viewport
	known    state
	busy     map[string]context.CancelFunc // cancels the action on a server or a tool, by its name; "" for all others
	failed   map[string]string             // why an action failed, by the same names
	unfolded map[string]opened             // what is unfolded of a server, by its name
	sheet    *sheet                        // nil while the list is shown
	loads    int                           // number of the newest load; results of older ones are dropped
	ticks    bool                          // the next read is scheduled
	stale    bool                          // draw after the next read, even if nothing changed
}

// opened is what is shown of a server below its card.
type opened struct{ tools, log bool }

// state is the data the page shows.
type state struct {
	read                    bool
	allowed                 []tools.Permission
	servers                 []mcpclient.Server
	logs                    map[string][]string // of the servers whose log is open
	badAllowed, badServers  string              // why a file can't be read
	commands, commandsSetBy string
}

// checkInterval is the time between two checks of the servers while the page is on the screen.
const checkInterval = time.Second

// logLines is the number of lines shown of a log.
const logLines = 20

// NewPage returns the page.
func NewPage(h Host, parts Parts) *Page {
	p := &Page{host: h, parts: parts, View: column.NewViewport(), busy: map[string]context.CancelFunc{}, failed: map[string]string{}, unfolded: map[string]opened{}}
	p.View.Follow, p.View.Fixed = false, true
	return p
}

// Load reads the state and shows it, and again while the page is on the screen.
func (p *Page) Load() {
	p.loads++
	load, logs := p.loads, []string{}
	for name, o := range p.unfolded {
		if o.log {
			logs = append(logs, name)
		}
	}
	go func() {
		s := p.read(logs)
		if p.host.Context().Err() != nil {
			return
		}
		p.host.Do(func() {
			if load != p.loads {
				return
			}
			s.commands, s.commandsSetBy = p.host.Chosen(runCommands)
			if p.stale || !reflect.DeepEqual(p.known, s) {
				p.known, p.stale = s, false
				p.draw()
			}
			p.scheduleRead()
		})
	}()
}

// reload reads the state and draws it even if nothing changed.
func (p *Page) reload() {
	p.stale = true
	p.Load()
}

// scheduleRead schedules the next read.
func (p *Page) scheduleRead() {
	if p.ticks {
		return
	}
	p.ticks = true
	time.AfterFunc(checkInterval, func() {
		p.host.Do(func() {
			p.ticks = false
			if p.host.Visible() && p.View.Visible() && p.host.Context().Err() == nil {
				p.Load()
			}
		})
	})
}

func (p *Page) read(logs []string) state {
	s := state{read: true, logs: map[string][]string{}}
	var err error
	if s.allowed, err = p.parts.Allowed.List(); err != nil {
		s.badAllowed = sentence(err)
	}
	if s.servers, err = p.parts.Servers.Servers(); err != nil {
		s.badServers = sentence(err)
	}
	for _, name := range logs {
		s.logs[name], _ = p.parts.Servers.Log(name, logLines) // a log that can't be read is empty
	}
	return s
}

// do acts on a server or a tool, or on anything else if name is "", and shows the new
// state.
func (p *Page) do(name string, work func(ctx context.Context) error) {
	if p.busy[name] != nil {
		return
	}
	ctx, cancel := context.WithCancel(p.host.Context())
	p.busy[name] = cancel
	delete(p.failed, name)
	p.draw()
	go func() {
		err := work(ctx)
		stopped := ctx.Err() != nil
		cancel()
		if p.host.Context().Err() != nil {
			return
		}
		p.host.Do(func() {
			delete(p.busy, name)
			if err != nil && !stopped {
				p.failed[name] = sentence(err)
			}
			p.reload()
		})
	}()
}

// draw shows the page from the data read last; an open sheet stays.
func (p *Page) draw() {
	if p.sheet != nil {
		p.View.ReplaceRows(p.host.Canvas(), p.sheet.rows())
		return
	}
	l := &list{}
	l.add(0, prose.NewParagraph(i18n.T("What agents may do besides talking. They ask before each call unless you allow more here."), kit.RoleMuted))
	if p.failed[""] != "" {
		l.add(kit.Gap12, column.NewCardRow(kit.RoleHot, prose.NewParagraph(p.failed[""], kit.RoleText)))
	}
	if p.known.read {
		p.permissions(l)
		p.servers(l)
		p.commands(l)
	}
	p.View.ReplaceRows(p.host.Canvas(), l.rows)
}

// list collects rows.
type list struct{ rows []*column.Placed }

func (l *list) add(gap float32, r kit.Row) {
	l.rows = append(l.rows, &column.Placed{Row: r, Gap: gap, Max: kit.ProseMax})
}

// below adds a row that belongs to the one above.
func (l *list) below(gap float32, r kit.Row) {
	l.rows = append(l.rows, &column.Placed{Row: r, Gap: gap, Indent: kit.Gap12, Max: kit.ProseMax})
}

// title starts a section.
func (l *list) title(words string) { l.add(kit.Gap20+kit.Gap8, column.NewBoxRow(kit.Title(words))) }

// card returns a card of the page.
func card(mark fyne.ThemeColorName, parts ...fyne.CanvasObject) kit.Row {
	c := column.NewCardRow(mark, parts...)
	c.Pad = kit.Gap12
	return c
}

// runCommands is the setting that allows RUN_CMD.
const runCommands = "tools.commands"

// commands shows the section about programs that agents may run.
func (p *Page) commands(l *list) {
	on := kit.NewSwitch(func(value string) {
		p.host.Choose(runCommands, value, func(err error) {
			delete(p.failed, "")
			if err != nil {
				p.failed[""] = sentence(err)
			}
			p.reload()
		})
	})
	on.SetValue(p.known.commands, p.known.commandsSetBy != "")
	parts := []fyne.CanvasObject{
		kit.Line(kit.Gap16, 0, kit.Bold(i18n.T("Run programs")).Squeezable(), on),
		prose.NewParagraph(i18n.T("Agents may ask to run a program on this machine (`RUN_CMD`): a list of arguments, no shell, in one folder, with limits on time and output."), kit.RoleMuted),
	}
	if p.known.commandsSetBy != "" {
		parts = append(parts, prose.NewParagraph(i18n.With("Set by the environment variable {{.Name}}, which overrides config.toml.", i18n.Places{"Name": p.known.commandsSetBy}), kit.RoleWarn))
	}
	parts = append(parts, column.Spacer(kit.Gap4), kit.NewFlowRow(kit.Gap16,
		kit.NewButton(kit.ButtonQuiet, i18n.T("Folder, time and network…"), func() { p.host.SearchSettings("tools.command") })))
	l.title(i18n.T("Commands"))
	l.add(kit.Gap8, card(kit.RoleNone, parts...))
}

// sentence returns an error as a sentence in the user's language.
func sentence(err error) string {
	return i18n.Sentence(i18n.Capital(i18n.Translated(err.Error(), errorTexts())))
}
