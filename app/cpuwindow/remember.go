package cpuwindow

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memory"
)

// rememberMemories are the memory files. The methods are called off the UI goroutine.
type rememberMemories interface {
	List() ([]memory.File, error)
	Append(ctx context.Context, l memory.Lesson) (memory.Written, error)
}

// rememberParams are the parameters of openRemember.
type rememberParams struct {
	Memories rememberMemories
	Line     string               // initial text
	Session  string               // session it was said in
	Agent    string               // name of the agent whose own memory is Own
	Own      memory.Target        // zero if the agent has none
	Saved    func(memory.Written) // called on the UI goroutine
	Closed   func()               // called when the sheet is gone, on the UI goroutine
}

// rememberSheet is the sheet for remembering a line: the line, and whose memory it is saved to.
// The line passes the same checks as a lesson of an agent; a refusal is shown on the sheet,
// which stays open. It belongs to the UI goroutine.
type rememberSheet struct {
	host    kit.Window
	p       rememberParams
	modal   *overlay.Modal
	field   *kit.Field
	to      *kit.Button
	count   *kit.Label
	problem *prose.Text
	save    *kit.Button
	places  []rememberPlace
	at      int // index in places
	saving  bool
}

// rememberPlace is a memory that a line can be saved to.
type rememberPlace struct {
	name, usedBy string
	target       memory.Target
}

const rememberWidth float32 = 420

// openRemember reads the available memories, then shows the sheet.
func openRemember(h kit.Window, p rememberParams) {
	s := &rememberSheet{host: h, p: p, places: []rememberPlace{{i18n.T("All agents"), i18n.T("used by every agent"), memory.Target{Kind: memory.TargetGlobal}}}}
	if p.Own.Kind != "" {
		s.places = append(s.places, rememberPlace{p.Agent, i18n.T("used by this agent only"), p.Own})
	}
	go func() {
		files, _ := p.Memories.List() // on an error only the shared memory is offered
		for _, f := range files {
			if f.Target.Kind == memory.TargetPerson {
				s.places = append(s.places, rememberPlace{f.Target.ID, i18n.T("used when this person writes"), f.Target})
			}
		}
		h.Do(s.show)
	}()
}

func (s *rememberSheet) show() {
	keys := compose.NewField()
	s.field = keys.Field
	keys.OnSend, keys.OnEscape, keys.OnScroll = s.submit, s.close, s.field.Entry.TypedKey
	s.field.SetMinRowsVisible(4)
	s.field.SetPlaceHolder(i18n.T("One sentence, such as: The backup disk is full every Friday."))
	s.field.SetText(s.p.Line)
	edge := kit.NewSurface(kit.RoleWindow, kit.RoleLine, kit.RadiusRow)
	s.field.OnFocus = func(on bool) {
		edge.Set(edge.Fill, map[bool]fyne.ThemeColorName{false: kit.RoleLine, true: kit.RoleAccent}[on])
	}
	s.count, s.problem = kit.Small(""), prose.New(nil, kit.SizeSmall, kit.RoleHot)
	s.problem.Hide()
	s.to = kit.NewButton(kit.ButtonPill, "", s.choose)
	s.save = kit.NewButton(kit.ButtonPrimary, i18n.T("Save"), s.submit)
	s.field.OnChanged = func(string) { s.showCount() }
	s.showPlace()
	card := column.NewCardRow(kit.RoleNone,
		kit.Title(i18n.T("Remember this")), column.Spacer(kit.Gap4),
		container.NewStack(edge, s.field),
		kit.Line(kit.Gap8, 1, kit.Text(i18n.T("Where to")), kit.Line(0, -1, s.to), s.count),
		s.problem, column.Spacer(kit.Gap4),
		kit.Line(kit.Gap8, -1, s.save, kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), s.close)))
	card.Pad, card.Gap = kit.Gap16, kit.Gap8
	s.showCount()
	s.modal = overlay.ShowModal(s.host.Canvas(), card, rememberWidth)
	s.host.Canvas().Focus(s.field)
	s.field.TypedShortcut(&fyne.ShortcutSelectAll{})
}

func (s *rememberSheet) close() {
	s.modal.Close()
	s.p.Closed()
}

// showCount shows the number of characters when it comes near the limit.
func (s *rememberSheet) showCount() {
	n := utf8.RuneCountInString(strings.TrimSpace(s.field.Text))
	words, role := "", kit.RoleMuted
	if n > lesson.MaxLength*2/3 {
		words = fmt.Sprintf("%d / %d", n, lesson.MaxLength)
	}
	if n > lesson.MaxLength {
		role = kit.RoleHot
	}
	s.count.Set(words, role)
	kit.SetEnabled(s.save, n > 0 && !s.saving)
	if s.modal != nil {
		s.modal.Refresh()
	}
}

// showPlace shows where the line will be saved.
func (s *rememberSheet) showPlace() {
	p := s.places[s.at]
	s.to.SetText(i18n.Shorten(p.name, 24) + "  ▾")
}

// choose asks whose memory the line is saved to.
func (s *rememberSheet) choose() {
	m := fyne.NewMenu("")
	for i, p := range s.places {
		item := fyne.NewMenuItem(i18n.Shorten(p.name, 32)+"  ·  "+p.usedBy, func() {
			s.at = i
			s.showPlace()
			s.modal.Refresh()
			s.host.Canvas().Focus(s.to)
		})
		item.Checked = i == s.at
		m.Items = append(m.Items, item)
	}
	kit.ShowMenu(m, s.to, s.host.Canvas())
}

// submit saves the line; if that fails, it says why.
func (s *rememberSheet) submit() {
	text := strings.TrimSpace(s.field.Text)
	if text == "" || s.saving {
		return
	}
	s.saving = true
	s.showCount()
	lesson := memory.Lesson{Text: text, Target: s.places[s.at].target, Confidence: 1, Session: s.p.Session}
	go func() {
		written, err := s.p.Memories.Append(s.host.Context(), lesson)
		s.host.Do(func() {
			s.saving = false
			if err == nil {
				s.close()
				s.p.Saved(written)
				return
			}
			s.problem.SetRuns([]prose.Run{{Text: i18n.Sentence(i18n.Capital(err.Error()))}})
			s.problem.Show()
			s.showCount()
			s.host.Canvas().Focus(s.field)
		})
	}()
}
