package pages

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"mac-stats/agents/registry"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem/linediff"
	"mac-stats/sessionmem/memory"
)

// Keys of the list for entries other than agents and skills, whose keys are their paths.
const (
	newAgentKey = "new"
	soulKey     = "soul"
)

// Agents is the page of agents and skills: the list on the left, the chosen one with its
// files on the right. Its fields belong to the UI goroutine.
type Agents struct {
	*filePage
	data    agentsData
	picked  string            // an agent's or skill's path, soulKey, newAgentKey; "" before the first read
	files   map[string]string // the file that is shown, by what is picked
	trials  map[string]*trial // by agent's path
	newForm *newAgentForm
	undo    func() // undoes what said reports; nil if it can't be undone

	describing *kit.TextBox // the field of the description while it is edited
}

// agentsData holds what the page shows, read off the UI goroutine.
type agentsData struct {
	list    []registry.Agent
	skills  []registry.Skill
	others  []string // why markdown files that look like agents aren't
	missing map[string]bool
	owned   memory.Owned // the file that is shown
	below   string       // the text that came with the app, if the person has no such file
	diff    []linediff.Line
	shipped bool
	err     error
}

// NewAgents returns the page of agents and skills.
func NewAgents(h Host, parts Parts, e *Edits) *Agents {
	p := &Agents{files: map[string]string{}, trials: map[string]*trial{}}
	p.filePage = newFilePage(h, parts, e, p.pick, p.draw, p.Load)
	p.newForm = newNewAgentForm(p)
	return p
}

// Load reads the files in the background and shows them.
func (p *Agents) Load() { p.loadThen(func() {}) }

// loadThen is Load followed by then on the UI goroutine.
func (p *Agents) loadThen(then func()) {
	picked, file := p.picked, p.files[p.picked]
	asked, askedFile := picked, file
	news := p.reloads.snapshot()
	go func() {
		d := readAgents(p.parts, &picked, &file)
		d.diff = news.update(d.owned)
		p.host.Do(func() {
			if p.picked != asked || p.files[asked] != askedFile {
				return // something else was chosen meanwhile
			}
			p.picked, p.data = picked, d
			if file != "" {
				p.files[picked] = file
				p.reloads.update(d.owned)
				p.edits.open(d.owned)
			}
			p.draw()
			then()
		})
	}()
}

// readAgents reads what the page shows. If what was picked no longer exists, it picks the
// first agent.
func readAgents(parts Parts, picked, file *string) agentsData {
	d := agentsData{list: parts.Roster.Agents(), skills: parts.Roster.Skills(), others: parts.Roster.NotAgents(), missing: map[string]bool{}}
	a, isAgent := d.agent(*picked)
	if !isAgent && !d.has(*picked) {
		*picked, *file = newAgentKey, ""
		if len(d.list) > 0 {
			a, isAgent = d.list[0], true
			*picked = a.Path
		}
	}
	switch {
	case isAgent:
		files := agentFiles(a)
		known := false
		for _, f := range files {
			known = known || f.path == *file
			o, err := parts.Memories.OpenOwned(f.path)
			_, shipped := parts.Roster.Text(f.path)
			d.missing[f.path] = err == nil && o.Missing && shipped != nil
		}
		if !known {
			*file = files[0].path
		}
		d.shipped = parts.Roster.Ships(a.ID) && a.HasFolder()
	case *picked == soulKey:
		*file = filepath.Join(parts.Home, "agents", "soul.md")
	case *picked == newAgentKey:
		*file = ""
	default:
		*file = *picked
	}
	if *file != "" {
		d.owned, d.err = parts.Memories.OpenOwned(*file)
		if d.owned.Missing {
			d.below, _ = parts.Roster.Text(*file) // without a text, there is no such file at all
		}
	}
	return d
}

// agent returns the agent at a path.
func (d agentsData) agent(path string) (registry.Agent, bool) {
	for _, a := range d.list {
		if a.Path == path {
			return a, true
		}
	}
	return registry.Agent{}, false
}

// skill returns the skill at a path.
func (d agentsData) skill(path string) (registry.Skill, bool) {
	for _, s := range d.skills {
		if s.Path == path {
			return s, true
		}
	}
	return registry.Skill{}, false
}

// has reports whether something other than an agent is picked.
func (d agentsData) has(key string) bool {
	_, ok := d.skill(key)
	return ok || key == soulKey || key == newAgentKey
}

// agentFile is one of an agent's files.
type agentFile struct{ name, path, purpose string }

// agentFiles returns an agent's files, the most important first.
func agentFiles(a registry.Agent) []agentFile {
	if a.SettingsFile() == a.Path {
		return []agentFile{{filepath.Base(a.Path), a.Path, i18n.T("its settings, followed by what it should do")}}
	}
	var files []agentFile
	for _, f := range [][2]string{
		{"skill.md", i18n.T("what it should do")},
		{"soul.md", i18n.T("who it is; without it, the soul that all agents share")},
		{"mood.md", i18n.T("its tone")},
		{"examples.md", i18n.T("worked examples, for models of middle size")},
		{"memory.md", i18n.T("what only this agent remembers")},
		{"agent.json", i18n.T("its name, model, role and tools")},
		{"testing.md", i18n.T("prompts and what is expected of the answers")},
	} {
		files = append(files, agentFile{f[0], filepath.Join(a.Path, f[0]), f[1]})
	}
	return files
}

// pick selects an agent, a skill, the shared soul, or the form for a new agent.
func (p *Agents) pick(key string) {
	if key != p.picked {
		p.view.Offset, p.all, p.result, p.undo = 0, false, "", nil
		p.picked = key
		p.describing = nil
		if key == newAgentKey {
			p.editing = false
			p.loadThen(func() { p.host.Canvas().Focus(p.newForm.name.Entry) })
			return
		}
		p.showFile(p.files[key])
		return
	}
	p.Load()
}

// showFile selects one of the files. An unsaved edit stays open.
func (p *Agents) showFile(path string) {
	if path != "" {
		p.files[p.picked] = path
	}
	b := p.edits.buffers[path]
	p.editing = b != nil && b.dirty()
	p.all = false
	p.Load()
}

// draw shows the page from the data read last.
func (p *Agents) draw() {
	p.split.show(p.items(), p.picked)
	file := p.files[p.picked]
	p.show(p.edits.buffers[file], p.data.title(p.picked)+" · "+filepath.Base(file), p.rows)
}

// title returns the title of what is picked.
func (d agentsData) title(picked string) string {
	if a, ok := d.agent(picked); ok {
		return agentTitle(a)
	}
	if s, ok := d.skill(picked); ok {
		return s.Name
	}
	return i18n.T("All agents")
}

func agentTitle(a registry.Agent) string { return cmp.Or(a.Name, cmp.Or(a.Slug, a.ID)) }

// startEditing opens the shown file at a 1-based line, or at the top for 0.
func (p *Agents) startEditing(at int) {
	p.editing = true
	p.draw()
	if b := p.edits.buffers[p.files[p.picked]]; b != nil {
		p.edit.open(b, p.data.title(p.picked)+" · "+filepath.Base(b.base.Path), at)
		p.host.Canvas().Focus(p.edit.entry)
	}
}

// act changes agents in the background and reports the result.
func (p *Agents) act(do func(ctx context.Context) (result string, undo func(), err error)) {
	go func() {
		result, undo, err := do(p.host.Context())
		p.host.Do(func() {
			p.result, p.resultBad, p.undo = result, err != nil, undo
			if err != nil {
				p.result = i18n.Sentence(err.Error())
			}
			p.Load()
		})
	}()
}

// items returns the rows of the list.
func (p *Agents) items() []splitItem {
	var items []splitItem
	for i, a := range p.data.list {
		it := splitItem{key: a.Path, title: agentTitle(a), meta: agentMeta(a), fraction: -1}
		switch {
		case a.Err != nil:
			it.meta, it.role, it.mark = i18n.T("can't be used"), kit.RoleHot, kit.RoleHot
		case !a.Enabled:
			it.meta = i18n.T("turned off")
		case len(a.Warnings) > 0:
			it.mark = kit.RoleWarn
		}
		for _, f := range agentFiles(a) {
			if p.edits.dirty(f.path) {
				it.mark, it.meta = kit.RoleWarn, i18n.With("{{.Name}} not saved", i18n.Places{"Name": f.name})
			}
		}
		if i == 0 {
			it.heading = i18n.T("Agents")
		}
		items = append(items, it)
	}
	items = append(items,
		splitItem{key: newAgentKey, title: i18n.T("New agent…"), fraction: -1},
		splitItem{key: soulKey, title: i18n.T("Shared soul"), meta: i18n.T("shared by all agents"), fraction: -1, heading: i18n.T("All agents")})
	for i, s := range p.data.skills {
		it := splitItem{key: s.Path, title: s.Name, meta: i18n.Shorten(s.Description, 40), fraction: -1}
		if s.Err != nil {
			it.meta, it.role, it.mark = i18n.T("can't be used"), kit.RoleHot, kit.RoleHot
		}
		if i == 0 {
			it.heading = i18n.T("Skills")
		}
		items = append(items, it)
	}
	return items
}

// agentMeta returns "coder · qwen3:8b".
func agentMeta(a registry.Agent) string {
	model := cmp.Or(a.Model, i18n.With("role {{.Role}}", i18n.Places{"Role": cmp.Or(a.Role, "general")}))
	if a.Slug == "" || a.Slug == strings.ToLower(agentTitle(a)) {
		return model
	}
	return fmt.Sprintf("%s · %s", a.Slug, model)
}
