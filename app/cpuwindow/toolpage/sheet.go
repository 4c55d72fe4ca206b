package toolpage

import (
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// sheet adds servers from the text that their makers give for mcp.json.
type sheet struct {
	p       *Page
	text    *kit.TextBox
	problem *prose.Text
	add     *kit.Button
}

// example shows the form of such a text.
const example = `{"mcpServers": {
  "files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/ada/notes"]}
}}`

// openSheet opens the sheet.
func (p *Page) openSheet() {
	s := &sheet{p: p, text: kit.NewTextBox(""), problem: prose.NewParagraph("", kit.RoleHot)}
	s.text.Entry.SetPlaceHolder(example)
	s.text.Entry.SetMinRowsVisible(8)
	s.add = kit.NewButton(kit.ButtonPrimary, i18n.T("Add"), s.submit)
	p.sheet = s
	p.draw()
	p.View.Offset = 0
	p.View.Refresh()
	p.host.Do(func() { p.host.Canvas().Focus(s.text.Entry) }) // the sheet is on the screen a moment later
}

func (s *sheet) rows() []*column.Placed {
	l := &list{}
	l.add(kit.Gap4, column.NewBoxRow(kit.Title(i18n.T("Add a server"))))
	l.add(kit.Gap8, prose.NewParagraph(i18n.T("Paste the configuration its documentation gives for mcp.json, Claude Desktop, Cursor or VS Code."), kit.RoleMuted))
	l.add(kit.Gap12, s.text)
	if s.problem.Flat != "" {
		l.add(kit.Gap8, s.problem)
	}
	l.add(kit.Gap12, prose.NewParagraph(i18n.T("Its programs start at once and run with your permissions. Add only servers you trust."), kit.RoleWarn))
	l.add(kit.Gap12, kit.NewFlowRow(kit.Gap8, s.add, kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), s.close)))
	return l.rows
}

func (s *sheet) close() {
	s.p.sheet = nil
	s.p.host.Canvas().Unfocus() // else the focus would move to whatever takes Save's place
	s.p.reload()
}

// submit adds the servers and tries them.
func (s *sheet) submit() {
	text := s.text.Entry.Text
	s.add.Disable()
	go func() {
		names, err := s.p.parts.Servers.Add(text)
		if s.p.host.Context().Err() != nil {
			return
		}
		s.p.host.Do(func() {
			s.add.Enable()
			if err != nil {
				s.problem.SetRuns(prose.Runs(sentence(err), kit.RoleHot))
				s.p.draw()
				return
			}
			for _, name := range names {
				s.p.unfolded[name] = opened{tools: true}
				s.p.test(name)
			}
			s.close()
		})
	}()
}
