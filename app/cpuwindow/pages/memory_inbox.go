package pages

import (
	"cmp"
	"context"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/linediff"
	"mac-stats/sessionmem/memory"
)

// proposalsFor returns the number of proposals for one memory file.
func (p *Memory) proposalsFor(t memory.Target) int {
	n := 0
	for _, q := range p.data.inbox {
		if q.Target == t {
			n++
		}
	}
	return n
}

// inboxRows returns the proposals, each with its buttons.
func (p *Memory) inboxRows(list []memory.Proposal) []*column.Placed {
	if len(list) == 0 {
		return []*column.Placed{
			column.TextRow(i18n.T("Nothing to review."), kit.RoleText, kit.Gap12),
			column.TextRow(i18n.T("Lines that agents propose from Discord, from a fetched page, or while you want to be asked first appear here. So do proposals to replace or remove a line."), kit.RoleMuted, kit.Gap4),
		}
	}
	rows := []*column.Placed{{Row: column.NewBoxRow(kit.Muted(i18n.With("{{.List}} to review", i18n.Places{"List": len(list)}))), Gap: kit.Gap12}}
	for _, q := range list {
		rows = append(rows, &column.Placed{Row: p.proposalCard(q), Gap: kit.Gap8, Max: kit.ProseMax})
	}
	return rows
}

// proposalCard shows one proposal: what would change, why, and its buttons.
func (p *Memory) proposalCard(q memory.Proposal) kit.Row {
	box := p.drafts[q.ID]
	var parts []fyne.CanvasObject
	switch {
	case box != nil:
		parts = append(parts, box)
	case q.Kind == memory.ProposeAdd:
		parts = append(parts, prose.NewParagraph(q.Text, kit.RoleText))
	default:
		lines := []cardLine{{text: q.Old, op: linediff.Removed}}
		if q.Text != "" {
			lines = append(lines, cardLine{text: q.Text, op: linediff.Added})
		}
		parts = append(parts, newLinesCard(lines))
	}
	parts = append(parts, prose.New([]prose.Run{{Text: p.proposalMeta(q)}}, kit.SizeSmall, kit.RoleMuted), column.Spacer(kit.Gap4), p.proposalButtons(q, box))
	return column.NewCardRow(kit.RoleNone, parts...)
}

// proposalButtons returns Save, Edit, Discard, and the link to where it was learned.
func (p *Memory) proposalButtons(q memory.Proposal, box *kit.TextBox) fyne.CanvasObject {
	save := i18n.T("Save")
	switch q.Kind {
	case memory.ProposeReplace:
		save = i18n.T("Replace")
	case memory.ProposeRemove:
		save = i18n.T("Remove the line")
	}
	buttons := []fyne.CanvasObject{kit.NewButton(kit.ButtonPrimary, save, func() { p.accept(q, box) })}
	switch {
	case box != nil:
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), func() { delete(p.drafts, q.ID); p.draw() }))
	case q.Kind != memory.ProposeRemove:
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, i18n.T("Edit"), func() { p.editProposal(q) }))
	}
	buttons = append(buttons, kit.NewButton(kit.ButtonPlain, i18n.T("Discard"), func() { p.discard(q) }))
	if q.Session != "" {
		buttons = append(buttons, kit.NewButton(kit.ButtonQuiet, i18n.T("Show source"), func() { p.host.OpenSession(q.Session) }))
	}
	return kit.NewFlowRow(kit.Gap8, buttons...)
}

// proposalMeta describes where a proposal comes from and where it would be saved.
func (p *Memory) proposalMeta(q memory.Proposal) string {
	var words []string
	switch {
	case strings.HasPrefix(q.Session, "discord-"):
		words = append(words, i18n.With("from Discord, “{{.Title}}”", i18n.Places{"Title": p.host.SessionTitle(q.Session)}))
	case q.Session != "":
		words = append(words, i18n.With("from “{{.Title}}”", i18n.Places{"Title": p.host.SessionTitle(q.Session)}))
	default:
		words = append(words, i18n.T("written by hand"))
	}
	if !q.Time.IsZero() {
		words = append(words, i18n.ShortDate(q.Time.Local(), time.Now()))
	}
	to := string(q.Target.Kind) + " " + q.Target.ID
	for _, it := range p.data.files {
		if it.file.Target == q.Target {
			to = it.title
		}
	}
	return strings.Join(append(words, i18n.With("to: {{.Target}}", i18n.Places{"Target": strings.TrimSpace(to)})), " · ")
}

func (p *Memory) editProposal(q memory.Proposal) {
	box := kit.NewTextBox(q.Text)
	box.Entry.OnShortcut = onSave(func() { p.accept(q, box) })
	box.Entry.SetEscape(func() { delete(p.drafts, q.ID); p.draw() })
	p.drafts[q.ID] = box
	p.draw()
	p.host.Canvas().Focus(box.Entry)
}

// accept saves a proposal, with its edited text if it was edited.
func (p *Memory) accept(q memory.Proposal, box *kit.TextBox) {
	text := q.Text
	if box != nil {
		text = box.Entry.Text
	}
	p.act(p.parts.Memories.Path(q.Target), func(ctx context.Context) (string, error) {
		if text != q.Text {
			if _, err := p.parts.Memories.Edit(ctx, q.ID, text); err != nil {
				return "", err
			}
		}
		written, err := p.parts.Memories.Accept(ctx, q.ID)
		if err != nil {
			return "", err
		}
		p.host.Do(func() { delete(p.drafts, q.ID) })
		if written.Text == "" {
			return i18n.With("Removed: “{{.Old}}”", i18n.Places{"Old": written.Old}), nil
		}
		return i18n.With("Saved as line {{.Line}}: “{{.Text}}”", i18n.Places{"Line": written.Line, "Text": written.Text}), nil
	})
}

func (p *Memory) discard(q memory.Proposal) {
	p.act("", func(ctx context.Context) (string, error) {
		_, err := p.parts.Memories.Discard(ctx, q.ID)
		if err != nil {
			return "", err
		}
		p.host.Do(func() { delete(p.drafts, q.ID) })
		return i18n.With("Discarded: “{{.Text}}”", i18n.Places{"Text": cmp.Or(q.Text, q.Old)}), nil
	})
}
