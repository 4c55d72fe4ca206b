package pages

import (
	"cmp"
	"context"
	"slices"

	"mac-stats/app/config"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem/linediff"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/memorytext"
)

// inboxKey is the key of the inbox in the list of memory files.
const inboxKey = "inbox"

// Memory is the page of what the agents remember: files on the left, the chosen file or the
// proposals on the right. Its fields belong to the UI goroutine.
type Memory struct {
	*filePage
	data   memoryData
	picked string // inboxKey or a file's path; "" before the first read
	fields map[string]*kit.LineField
	drafts map[string]*kit.TextBox // proposals being edited, by ID
}

// memoryData holds what the page shows, read off the UI goroutine.
type memoryData struct {
	files   []memoryItem
	inbox   []memory.Proposal
	steps   []memory.UndoStep
	missing []memory.Dropped
	copies  []string     // files that look like memory and aren't
	owned   memory.Owned // the chosen file
	diff    []linediff.Line
	err     error
	cfg     config.Config
}

// memoryItem is a memory file, and the part of it that the next prompt contains.
type memoryItem struct {
	file     memory.File
	title    string
	audience string
	injected memorytext.Injected
}

// NewMemory returns the page of the memory files.
func NewMemory(h Host, parts Parts, e *Edits) *Memory {
	p := &Memory{fields: map[string]*kit.LineField{}, drafts: map[string]*kit.TextBox{}}
	p.filePage = newFilePage(h, parts, e, p.Pick, p.draw, p.Load)
	return p
}

// Load reads the files in the background and shows them.
func (p *Memory) Load() {
	picked, news := p.picked, p.reloads.snapshot()
	go func() {
		d := readMemory(p.parts, &picked)
		if picked != inboxKey {
			d.diff = news.update(d.owned)
		}
		p.host.Do(func() {
			if p.picked == "" || p.picked == picked {
				p.take(picked, d)
			}
		})
	}()
}

// take shows the data that was read.
func (p *Memory) take(picked string, d memoryData) {
	p.picked, p.data = picked, d
	if picked != inboxKey {
		p.reloads.update(d.owned)
		p.edits.open(d.owned)
	}
	p.host.ShowProposals(len(d.inbox))
	p.draw()
}

// draw shows the page from the data read last.
func (p *Memory) draw() {
	p.split.show(p.items(), p.picked)
	p.show(p.edits.buffers[p.picked], p.title(), p.rows)
}

// title returns the title of the chosen file.
func (p *Memory) title() string {
	for _, it := range p.data.files {
		if it.file.Path == p.picked {
			return it.title
		}
	}
	return i18n.T("Inbox")
}

// Pick selects a file by its path, or the inbox. An unsaved edit stays open.
func (p *Memory) Pick(key string) {
	if key != p.picked {
		delete(p.reloads.before, p.picked)
		p.view.Offset, p.all, p.result = 0, false, ""
		b := p.edits.buffers[key]
		p.editing = b != nil && b.dirty()
		p.picked = key
	}
	p.Load()
}

func (p *Memory) startEditing() {
	p.editing = true
	p.draw()
	p.host.Canvas().Focus(p.edit.entry)
}

// items returns the rows of the list.
func (p *Memory) items() []splitItem {
	inbox := splitItem{key: inboxKey, title: i18n.T("Inbox"), meta: i18n.T("nothing to review"), fraction: -1}
	if n := len(p.data.inbox); n > 0 {
		inbox.meta, inbox.role = i18n.Count("{{.N}} memories to review", n), kit.RoleAccent
	}
	items := []splitItem{inbox}
	last := memory.TargetKind("")
	for _, it := range p.data.files {
		s := splitItem{key: it.file.Path, title: it.title, meta: it.meta(), fraction: it.share()}
		if it.file.Err != nil {
			s.meta, s.role, s.fraction = i18n.T("can't be read"), kit.RoleHot, -1
		}
		if it.file.Missing {
			s.fraction = -1
		}
		if p.edits.dirty(it.file.Path) {
			s.mark = kit.RoleWarn
		}
		if k := it.file.Target.Kind; k != last {
			s.heading, last = kindWords(k), k
		}
		items = append(items, s)
	}
	return items
}

func kindWords(k memory.TargetKind) string {
	switch k {
	case memory.TargetAgent:
		return i18n.T("Agents")
	case memory.TargetChannel:
		return i18n.T("Discord channels")
	case memory.TargetPerson:
		return i18n.T("People")
	case memory.TargetServer:
		return i18n.T("Servers")
	}
	return i18n.T("All agents")
}

// share returns how much of its budget a file uses.
func (it memoryItem) share() float64 {
	if it.injected.Budget <= 0 {
		return 0
	}
	return float64(it.injected.Size) / float64(it.injected.Budget)
}

// meta returns "67 % · 5,360 / 8,000".
func (it memoryItem) meta() string {
	if it.file.Missing {
		return i18n.T("nothing remembered yet")
	}
	return budgetWords(it.injected)
}

// readMemory reads what the page shows. If nothing is picked yet, it picks the inbox if a
// proposal waits, else the memory of all agents.
func readMemory(parts Parts, picked *string) memoryData {
	d := memoryData{cfg: parts.Config()}
	files, err := listMemory(parts.Memories)
	d.err = err
	known := map[memory.Target]bool{}
	for _, f := range files {
		known[f.Target] = true
	}
	for _, a := range parts.Roster.Agents() {
		t := memory.Target{Kind: memory.TargetAgent, ID: a.ID}
		if path := parts.Memories.Path(t); !known[t] && a.Usable() && a.HasFolder() && path != "" {
			files = append(files, memory.File{Target: t, Path: path, Missing: true})
		}
	}
	names := agentNames(parts.Roster)
	slices.SortStableFunc(files, func(a, b memory.File) int {
		return cmp.Or(cmp.Compare(kindRank(a.Target.Kind), kindRank(b.Target.Kind)), cmp.Compare(len(a.Target.ID), len(b.Target.ID)), cmp.Compare(a.Target.ID, b.Target.ID))
	})
	for _, f := range files {
		budget, audience := budgetOf(f.Target, d.cfg)
		d.files = append(d.files, memoryItem{file: f, title: memoryName(f, names), audience: audience, injected: memorytext.Inject(f.Text, budget)})
	}
	d.copies = parts.Memories.Copies()
	if d.inbox, err = parts.Memories.Inbox(); err != nil && d.err == nil {
		d.err = err
	}
	d.steps = parts.Memories.Undoable()
	d.missing = parts.Memories.Dropped()
	if *picked == "" {
		*picked = inboxKey
		if len(d.inbox) == 0 {
			*picked = parts.Memories.Path(memory.Target{Kind: memory.TargetGlobal})
		}
	}
	if *picked != inboxKey {
		if d.owned, err = parts.Memories.OpenOwned(*picked); err != nil {
			d.err = err
		}
	}
	return d
}

func kindRank(k memory.TargetKind) int {
	return slices.Index([]memory.TargetKind{memory.TargetGlobal, memory.TargetAgent, memory.TargetChannel, memory.TargetPerson, memory.TargetServer}, k)
}

// agentNames returns the agents' names by ID.
func agentNames(r Roster) map[string]string {
	names := map[string]string{}
	for _, a := range r.Agents() {
		names[a.ID] = cmp.Or(a.Name, a.Slug)
	}
	return names
}

// memoryName returns the name of a file as people say it: by whose memory it is.
func memoryName(f memory.File, agents map[string]string) string {
	id := f.Target.ID
	switch f.Target.Kind {
	case memory.TargetAgent:
		return cmp.Or(agents[id], id)
	case memory.TargetChannel:
		return "#" + id
	case memory.TargetPerson, memory.TargetServer:
		return id
	}
	if id != "" {
		return "memory-" + id + ".md"
	}
	return "memory.md"
}

func budgetOf(t memory.Target, cfg config.Config) (budget int, audience string) {
	switch t.Kind {
	case memory.TargetAgent:
		return cfg.Memory.AgentBudget, i18n.T("used by this agent only")
	case memory.TargetChannel:
		return cfg.Memory.ChannelBudget, i18n.T("used in this Discord channel")
	case memory.TargetPerson:
		return cfg.Memory.ChannelBudget, i18n.T("used when this person writes")
	case memory.TargetServer:
		return cfg.Memory.ChannelBudget, i18n.T("used in this server's channels")
	}
	return cfg.Memory.GlobalBudget, i18n.T("used by every agent")
}

// listMemory returns the memory files, the global one even while it is empty.
func listMemory(m Memories) ([]memory.File, error) {
	files, err := m.List()
	t := memory.Target{Kind: memory.TargetGlobal}
	if slices.ContainsFunc(files, func(f memory.File) bool { return f.Target == t }) {
		return files, err
	}
	return append([]memory.File{{Target: t, Path: m.Path(t), Missing: true}}, files...), err
}

// act changes the memory in the background and reports the result.
func (p *Memory) act(path string, do func(ctx context.Context) (result string, err error)) {
	go func() {
		result, err := do(p.host.Context())
		p.host.Do(func() {
			p.result, p.resultBad = result, err != nil
			if err != nil {
				p.result = i18n.Sentence(err.Error())
			} else if path != "" {
				p.reloads.own[path] = true
			}
			p.Load()
		})
	}()
}
