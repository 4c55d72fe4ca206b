package conversation

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/memory"
)

// memoryNotes are the log's notes about what was remembered, proposed or undone. They are
// guarded by the log's lock.
type memoryNotes struct {
	log     *log
	session string
}

// AddLearnt adds notes below the turn about what was remembered and proposed in the
// background.
func (m *memoryNotes) AddLearnt(written []memory.Written, proposed []memory.Proposal, at time.Time) {
	m.log.mu.Lock()
	defer m.log.mu.Unlock()
	seen := map[string]bool{}
	for _, x := range written {
		if seen[x.UndoID] && x.UndoID != "" {
			continue // the same lesson, in another file
		}
		seen[x.UndoID] = true
		lesson := cmp.Or(x.Text, x.Old)
		m.log.add(&entry{Kind: Note, Text: i18n.With("remembered “{{.Text}}”", i18n.Places{"Text": lesson}), At: at, note: note{memory: true, remembered: lesson, UndoID: x.UndoID}})
	}
	for _, p := range proposed {
		e := proposalEntry(p, at)
		if why := p.Reason(); why != "" {
			e.Text += " · " + why
		}
		m.log.add(e)
	}
}

func proposalEntry(p memory.Proposal, at time.Time) *entry {
	e := &entry{Kind: Note, Text: i18n.With("proposed to remember “{{.Text}}”", i18n.Places{"Text": p.Text}), At: at, note: note{memory: true}}
	e.proposalNote(&agents.MemoryChange{Inbox: p.ID, Change: string(p.Kind), Text: p.Text, Old: p.Old})
	return e
}

// AddWaiting adds the proposals that still wait in the inbox where they were made: below
// the tool call, else below the turn.
func (m *memoryNotes) AddWaiting(proposals []memory.Proposal) {
	m.log.mu.Lock()
	defer m.log.mu.Unlock()
	for _, p := range proposals {
		at := slices.IndexFunc(m.log.entries, func(e *entry) bool { return e.Kind == User && e.Block != "" && e.Block == p.To })
		shown := slices.ContainsFunc(m.log.entries, func(e *entry) bool { return e.Proposal == p.ID })
		if p.Session != m.session || at < 0 || shown {
			continue
		}
		end := at + 1
		for end < len(m.log.entries) && m.log.entries[end].Kind != User {
			end++
		}
		for i, e := range m.log.entries[at:end] {
			if e.Kind == Call && e.Tool && strings.HasPrefix(e.Agent, "MEMORY_") && strings.Contains(e.Doc.Text(), strconv.Quote(cmp.Or(p.Text, p.Old))) {
				end = at + i + 1
				break
			}
		}
		m.log.add(proposalEntry(p, p.Time))
		last := len(m.log.entries) - 1
		m.log.entries = slices.Insert(m.log.entries[:last:last], end, m.log.entries[last])
	}
}

// AddWritten adds the memory changes that can still be undone below the calls that made
// them.
func (m *memoryNotes) AddWritten(steps []memory.UndoStep) {
	m.log.mu.Lock()
	defer m.log.mu.Unlock()
	for _, s := range steps {
		if s.Session != m.session || s.Added == "" || slices.ContainsFunc(m.log.entries, func(e *entry) bool { return e.UndoID == s.ID }) {
			continue
		}
		at := slices.IndexFunc(m.log.entries, func(e *entry) bool {
			return e.Kind == Call && e.Tool && !e.Live && strings.HasPrefix(e.Agent, "MEMORY_") && strings.Contains(e.Doc.Text(), s.Added)
		})
		if at < 0 {
			continue
		}
		m.log.add(&entry{Kind: Note, Text: i18n.With("remembered “{{.Text}}”", i18n.Places{"Text": s.Added}), At: m.log.entries[at].At, note: note{memory: true, remembered: s.Added, UndoID: s.ID}})
		last := len(m.log.entries) - 1
		m.log.entries = slices.Insert(m.log.entries[:last:last], at+1, m.log.entries[last])
	}
}

func (t *turn) applyMemory(ev agents.Event) {
	m := ev.Memory
	e := &entry{Kind: Note, At: ev.Time, note: note{memory: true}}
	switch {
	case ev.Type == agents.EventMemoryReloaded && m != nil:
		e.Text = reloadLine(BaseName(m.Path), m.Added, m.Removed)
	case ev.Type == agents.EventMemoryReloaded:
		e.Text = i18n.T("memory reloaded")
	case ev.Type == agents.EventMemoryProposed:
		e.Text = i18n.With("proposed to remember “{{.Text}}”", i18n.Places{"Text": memoryText(ev)})
		e.proposalNote(m)
	default:
		e.remembered = memoryText(ev)
		e.Text = i18n.With("remembered “{{.Text}}”", i18n.Places{"Text": e.remembered})
		if m != nil {
			e.UndoID = m.UndoID
		}
	}
	t.log.add(e)
}

func memoryText(ev agents.Event) string {
	if ev.Memory != nil && ev.Memory.Text != "" {
		return ev.Memory.Text
	}
	return ev.Text
}

// Undone records the result of undoing a memory change.
func (m *memoryNotes) Undone(key string, err error) {
	m.log.mu.Lock()
	defer m.log.mu.Unlock()
	for _, e := range m.log.entries {
		if e.Key != key {
			continue
		}
		e.UndoID = ""
		e.Rev++
		switch lesson := cmp.Or(e.remembered, e.Proposed); {
		case err != nil:
			e.Text += i18n.With(" · can't be undone: {{.Error}}", i18n.Places{"Error": err.Error()})
		case lesson == "":
			e.Text += i18n.T(" · taken back")
		default:
			e.Text = i18n.With("forgotten again: “{{.Text}}”", i18n.Places{"Text": lesson})
		}
	}
}

// proposalNote turns a note into a proposal: what would change, and the ID that Save and
// Discard need.
func (e *entry) proposalNote(m *agents.MemoryChange) {
	if m == nil || m.Inbox == "" {
		return
	}
	e.Proposal, e.Proposed = m.Inbox, m.Text
	switch m.Change {
	case "replace":
		e.Text = i18n.With("proposed to remember “{{.Text}}” in place of “{{.Old}}”", i18n.Places{"Text": m.Text, "Old": m.Old})
	case "remove":
		e.Text, e.Proposed = i18n.With("proposed to forget “{{.Old}}”", i18n.Places{"Old": m.Old}), ""
	}
}

// SetProposalText sets the text of a proposal that the user edited.
func (m *memoryNotes) SetProposalText(key, text string) {
	m.log.mu.Lock()
	defer m.log.mu.Unlock()
	for _, e := range m.log.entries {
		if e.Key == key && e.Proposed != "" {
			e.Text = strings.Replace(e.Text, e.Proposed, text, 1)
			e.Proposed = text
			e.Rev++
		}
	}
}

// Decided records the decision about a proposal. After an error it can be decided again.
func (m *memoryNotes) Decided(key string, saved bool, undoID string, err error) {
	m.log.mu.Lock()
	defer m.log.mu.Unlock()
	for _, e := range m.log.entries {
		if e.Key != key || e.Proposal == "" {
			continue
		}
		e.Rev++
		if err != nil {
			e.Text += i18n.With(" · that failed: {{.Error}}", i18n.Places{"Error": err.Error()})
			return
		}
		e.Proposal, e.UndoID = "", undoID
		if saved {
			e.Text = i18n.With("saved: {{.Text}}", i18n.Places{"Text": e.Text})
		} else {
			e.Text = i18n.With("discarded: {{.Text}}", i18n.Places{"Text": e.Text})
		}
	}
}
