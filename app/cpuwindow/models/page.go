package models

import (
	"context"
	"reflect"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/faultwords"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/prose"
)

// Host is what the page needs from its window. Except for Do and Context, its methods are
// called on the UI goroutine.
type Host interface {
	kit.Window
	Visible() bool         // reports whether the window is on the screen
	MachineMemory() uint64 // bytes; 0 if unknown
	OpenLink(address string)
	// Chosen returns a setting, and the environment variable that overrides it, or "".
	Chosen(key string) (value, setBy string)
	Choose(key, value string, then func(error)) // changes a setting
	ModelsChanged()                             // called when the list of models has changed
}

// Server is the model server. Its methods are called off the UI goroutine.
type Server interface {
	ModelsNow(ctx context.Context) ([]ollama.ModelInfo, error)
	Running(ctx context.Context) ([]api.ProcessModelResponse, error)
	Resolve(ctx context.Context, explicit string, role ollama.Role) (ollama.ModelInfo, error)
	Delete(ctx context.Context, model string) error
	Unload(ctx context.Context, model string) error
	// TakesTurns reports whether conversations use a model by turns on a server that keeps the
	// beginning of one.
	TakesTurns(model string) bool
}

const (
	pollInterval = 5 * time.Second
	pollTimeout  = 8 * time.Second // limit for one poll
	library      = "https://ollama.com/library"
)

// Page is the page of the server's models. Its fields belong to the UI goroutine.
type Page struct {
	host   Host
	server Server
	puller *Puller
	View   *column.Viewport
	field  *kit.LineField // the name of a model to pull
	known  state
	busy   map[string]bool // actions under way, by model's name
	failed string          // why the last action failed
	timer  *time.Timer
	polls  int // number of the newest poll; results of older ones are dropped
}

// state holds what the server answered.
type state struct {
	read    bool
	err     error
	models  []ollama.ModelInfo
	loaded  []api.ProcessModelResponse
	playing map[ollama.Role]string // the model that plays each role now
	crowded map[string]bool        // models that conversations use by turns
}

// NewPage returns the page; p downloads.
func NewPage(h Host, s Server, p *Puller) *Page {
	page := &Page{host: h, server: s, puller: p, View: column.NewViewport(), busy: map[string]bool{}}
	page.View.Follow, page.View.Fixed = false, true
	page.field = kit.NewLineField(i18n.T("Name of a model, such as qwen3:8b"), i18n.T("Pull"))
	page.field.OnSubmit = func(name string) {
		page.field.Clear(name)
		page.pull(name)
	}
	return page
}

func (p *Page) pull(name string) {
	p.puller.Dismiss() // a message about another download
	p.puller.Start(name)
}

// Load asks the server and shows its answer.
func (p *Page) Load() {
	p.Draw()
	p.poll()
}

// poll asks the server, and again while the page is on the screen.
func (p *Page) poll() {
	p.polls++
	polls := p.polls
	keys := map[ollama.Role]string{}
	for _, r := range roles() {
		keys[r.role], _ = p.host.Chosen(r.key)
	}
	go func() {
		s := p.ask(keys)
		if p.host.Context().Err() != nil {
			return
		}
		p.host.Do(func() {
			if polls != p.polls {
				return
			}
			if !reflect.DeepEqual(p.known, s) { // keeps a widget that is being pressed
				p.known = s
				p.Draw()
			}
			if p.timer != nil {
				p.timer.Stop()
			}
			p.timer = time.AfterFunc(pollInterval, func() {
				p.host.Do(func() {
					if polls == p.polls && p.host.Visible() && p.View.Visible() {
						p.poll()
					}
				})
			})
		})
	}()
}

func (p *Page) ask(chosen map[ollama.Role]string) state {
	ctx, stop := context.WithTimeout(p.host.Context(), pollTimeout)
	defer stop()
	s := state{read: true, playing: map[ollama.Role]string{}, crowded: map[string]bool{}}
	if s.models, s.err = p.server.ModelsNow(ctx); s.err != nil {
		return s
	}
	if s.loaded, s.err = p.server.Running(ctx); s.err != nil {
		return s
	}
	for _, role := range []ollama.Role{ollama.RoleGeneral, ollama.RoleSmall, ollama.RoleEmbed, ollama.RoleCode, ollama.RoleVision, ollama.RoleThinking} {
		if m, err := p.server.Resolve(ctx, chosen[role], role); err == nil {
			s.playing[role] = m.Name
		}
	}
	for _, m := range s.models {
		s.crowded[m.Name] = p.server.TakesTurns(m.Name)
	}
	return s
}

// role is a use of models, with the setting that chooses its model.
type role struct {
	role        ollama.Role
	key         string
	name, notes string
}

func roles() []role {
	return []role{
		{ollama.RoleGeneral, "ollama.model", i18n.T("Chats"), i18n.T("used when neither the chat nor its agent names a model")},
		{ollama.RoleSmall, "ollama.small_model", i18n.T("Small tasks"), i18n.T("summaries, titles, lessons")},
		{ollama.RoleEmbed, "ollama.embed_model", i18n.T("Search by meaning"), i18n.T("makes the vectors of the search index")},
	}
}

// Draw shows the page from the data read last.
func (p *Page) Draw() {
	rows := []*column.Placed{column.TextRow(fitWords(p.host.MachineMemory()), kit.RoleMuted, kit.Gap4)}
	add := func(gap float32, r kit.Row) {
		rows = append(rows, &column.Placed{Row: r, Gap: gap, Max: kit.ProseMax})
	}
	if p.failed != "" {
		add(kit.Gap12, column.NewCardRow(kit.RoleHot, prose.NewParagraph(p.failed, kit.RoleText)))
	}
	switch {
	case !p.known.read:
		add(kit.Gap12, prose.NewParagraph(i18n.T("Asking Ollama for its models…"), kit.RoleMuted))
	case p.known.err != nil:
		add(kit.Gap12, p.errorCard())
	default:
		add(kit.Gap12, p.pullCard())
		if len(p.known.models) == 0 {
			break
		}
		add(kit.Gap20, column.NewBoxRow(kit.Line(kit.Gap12, 0, kit.Title(i18n.T("Installed")), kit.Small(installedWords(p.known.models)))))
		for _, m := range p.known.models {
			add(kit.Gap8, p.modelCard(m))
		}
		add(kit.Gap20, column.NewBoxRow(kit.Title(i18n.T("Used for"))))
		add(kit.Gap8, p.rolesCard())
	}
	p.View.ReplaceRows(p.host.Canvas(), rows)
}

func (p *Page) errorCard() kit.Row {
	x := fault.Explain(p.known.err)
	c := column.NewCardRow(kit.RoleHot, prose.NewParagraph(faultwords.Of(x.Sentence), kit.RoleText), prose.NewParagraph(faultwords.Of(x.Next), kit.RoleMuted), column.Spacer(kit.Gap4),
		kit.Line(kit.Gap8, -1, kit.NewButton(kit.ButtonPrimary, i18n.T("Re-check"), p.poll)))
	c.Pad = kit.Gap16
	return c
}

// pullCard offers models to download, or shows the download.
func (p *Page) pullCard() kit.Row {
	if p.puller.Now().Model != "" {
		return p.puller.Card()
	}
	parts := []fyne.CanvasObject{kit.Title(i18n.T("Get a model"))}
	for i, a := range ollama.Advice(p.host.MachineMemory()) {
		notes := []fyne.CanvasObject{kit.Muted(AdviceWords(a))}
		if i == 0 {
			notes = append(notes, kit.Muted("· "+i18n.T("fits this machine best")))
		}
		if p.has(a.Model) {
			parts = append(parts, kit.NewFlowRow(kit.Gap4, slices.Concat([]fyne.CanvasObject{kit.Text(a.Model)}, notes, []fyne.CanvasObject{kit.Muted("· " + i18n.T("installed"))})...))
			continue
		}
		kind := kit.ButtonPlain
		if i == 0 && len(p.known.models) == 0 {
			kind = kit.ButtonPrimary
		}
		b := kit.NewButton(kind, i18n.With("Pull {{.Model}}", i18n.Places{"Model": a.Model}), func() { p.pull(a.Model) })
		parts = append(parts, kit.NewFlowRow(kit.Gap8, append([]fyne.CanvasObject{b}, notes...)...))
	}
	parts = append(parts, column.Spacer(kit.Gap4), p.field, kit.Line(kit.Gap16, -1, kit.NewButton(kit.ButtonQuiet, i18n.T("All models at ollama.com"), func() { p.host.OpenLink(library) })))
	c := column.NewCardRow(kit.RoleNone, parts...)
	c.Pad, c.Gap = kit.Gap16, kit.Gap8
	return c
}

func (p *Page) has(name string) bool {
	for _, m := range p.known.models {
		if ollama.SameModel(m.Name, name) {
			return true
		}
	}
	return false
}

func (p *Page) running(name string) (api.ProcessModelResponse, bool) {
	for _, r := range p.known.loaded {
		if ollama.SameModel(r.Name, name) {
			return r, true
		}
	}
	return api.ProcessModelResponse{}, false
}

func (p *Page) modelCard(m ollama.ModelInfo) kit.Row {
	loaded, isLoaded := p.running(m.Name)
	unload := kit.NewButton(kit.ButtonQuiet, i18n.T("Unload"), func() { p.do(m.Name, p.server.Unload, nil) })
	remove := kit.NewButton(kit.ButtonQuiet, i18n.T("Delete…"), func() { p.confirmDelete(m) })
	unload.Hidden = !isLoaded
	if p.busy[m.Name] {
		unload.Disable()
		remove.Disable()
	}
	parts := []fyne.CanvasObject{kit.Line(kit.Gap16, 0, kit.Bold(m.Name).Squeezable(), unload, remove)}
	small := func(text string, role fyne.ThemeColorName) {
		if text != "" {
			parts = append(parts, prose.New([]prose.Run{{Text: text}}, kit.SizeText, role))
		}
	}
	small(sizeWords(m), kit.RoleMuted)
	small(abilityWords(m), kit.RoleMuted)
	if !m.Remote && !ollama.Fits(m.Size, p.host.MachineMemory()) {
		small(i18n.With("Too large to run well with {{.Memory}} GB of memory.", i18n.Places{"Memory": wholeGigabytes(p.host.MachineMemory())}), kit.RoleWarn)
	}
	if isLoaded {
		small(loadedWords(loaded, time.Now()), kit.RoleAccent)
	}
	if p.known.crowded[m.Name] {
		small(crowdedWords(m, loaded, ollama.SameModel(p.known.playing[ollama.RoleSmall], m.Name)), kit.RoleWarn)
	}
	return column.NewCardRow(kit.RoleNone, parts...)
}

// confirmDelete asks before deleting a model, and says what depends on it.
func (p *Page) confirmDelete(m ollama.ModelInfo) {
	text := i18n.With("It frees {{.Size}} on disk. To use the model again, it has to be downloaded again.", i18n.Places{"Size": Gigabytes(m.Size)})
	for _, r := range roles() {
		if v, _ := p.host.Chosen(r.key); v != "" && ollama.SameModel(v, m.Name) {
			text += " " + i18n.With("It is chosen for “{{.Role}}”: choose another one there.", i18n.Places{"Role": r.name})
		}
	}
	overlay.Confirm(p.host.Canvas(), i18n.With("Delete {{.Model}}?", i18n.Places{"Model": m.Name}), text, kit.ButtonDanger, i18n.T("Delete model"), func() {
		p.do(m.Name, p.server.Delete, p.host.ModelsChanged)
	})
}

// do has the server do something with a model. then may be nil; otherwise it is called on
// success.
func (p *Page) do(model string, work func(ctx context.Context, model string) error, then func()) {
	p.busy[model], p.failed = true, ""
	p.Draw()
	go func() {
		err := work(p.host.Context(), model)
		p.host.Do(func() {
			delete(p.busy, model)
			if err != nil {
				x := fault.Explain(err)
				p.failed = faultwords.Of(x.Sentence) + " " + faultwords.Of(x.Next)
			} else if then != nil {
				then()
			}
			p.Draw()
			p.poll()
		})
	}()
}

// rolesCard chooses the model of each role.
func (p *Page) rolesCard() kit.Row {
	var parts []fyne.CanvasObject
	for _, r := range roles() {
		chosen, setBy := p.host.Chosen(r.key)
		text := chosen
		if chosen == "" {
			text = i18n.T("Automatic")
			if now := p.known.playing[r.role]; now != "" {
				text = i18n.With("Automatic ({{.Model}} now)", i18n.Places{"Model": now})
			}
		}
		b := kit.NewButton(kit.ButtonPlain, text, nil)
		b.OnTap = func() { kit.ShowMenu(p.roleMenu(r, chosen), b, p.host.Canvas()) }
		words, tone := r.notes, kit.RoleMuted
		switch {
		case setBy != "":
			b.Disable()
			words, tone = i18n.With("Set by the environment variable {{.Name}}, which overrides config.toml.", i18n.Places{"Name": setBy}), kit.RoleWarn
		case chosen != "" && !p.has(chosen):
			words, tone = i18n.With("{{.Model}} is not installed. Pull it or choose another one.", i18n.Places{"Model": chosen}), kit.RoleHot
		case p.known.playing[r.role] == "":
			words, tone = i18n.T("No installed model can do this."), kit.RoleWarn
		}
		parts = append(parts, kit.Text(r.name), prose.New([]prose.Run{{Text: words}}, kit.SizeSmall, tone), kit.NewFlowRow(0, b), column.Spacer(kit.Gap4))
	}
	for _, r := range []struct {
		role ollama.Role
		name string
	}{{ollama.RoleCode, i18n.T("Code")}, {ollama.RoleVision, i18n.T("Images")}, {ollama.RoleThinking, i18n.T("Thinking")}} {
		if now := p.known.playing[r.role]; now != "" {
			parts = append(parts, prose.New([]prose.Run{{Text: r.name + ": "}, {Text: now, Role: kit.RoleText}}, kit.SizeText, kit.RoleMuted))
		}
	}
	parts = append(parts, prose.New([]prose.Run{{Text: i18n.T("Agents that ask for one of these get the installed model that does it best.")}}, kit.SizeSmall, kit.RoleMuted))
	c := column.NewCardRow(kit.RoleNone, parts...)
	c.Pad, c.Gap = kit.Gap16, kit.Gap4
	return c
}

// roleMenu lists the models that can play a role.
func (p *Page) roleMenu(r role, chosen string) *fyne.Menu {
	choose := func(name string) {
		p.host.Choose(r.key, name, func(err error) {
			p.failed = ""
			if err != nil {
				p.failed = i18n.Sentence(i18n.Capital(err.Error()))
			}
			p.Draw()
			p.poll()
		})
	}
	auto := fyne.NewMenuItem(i18n.T("Automatic"), func() { choose("") })
	auto.Checked = chosen == ""
	menu := fyne.NewMenu("", auto)
	for _, m := range p.known.models {
		if m.Can("embedding") != (r.role == ollama.RoleEmbed) {
			continue
		}
		item := fyne.NewMenuItem(m.Name+"  ·  "+sizeWords(m), func() { choose(m.Name) })
		item.Checked = ollama.SameModel(chosen, m.Name)
		menu.Items = append(menu.Items, item)
	}
	return menu
}
