package settings

import (
	"context"
	"errors"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/i18n"
	"mac-stats/app/transfer"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// Imported counts what an import did, or would do.
type Imported struct {
	Conversations, Messages    int
	Present, Empty, Unreadable int // conversations left out
	From, To                   time.Time
}

// importCard imports the conversations of another assistant. It counts them first, and
// imports them when a person has seen the number.
type importCard struct {
	*column.CardRow
	page   *Page
	result *prose.Text
	choose *kit.Button
	write  *kit.Button // shown after counting
	stop   *kit.Button // shown while the file is read
	file   string
	cancel context.CancelFunc
}

func newImportCard(p *Page) *importCard {
	c := &importCard{page: p, result: prose.New([]prose.Run{{Text: i18n.T("The zip file you get from ChatGPT or Claude as your export. It is counted before anything is imported.")}}, kit.SizeText, kit.RoleMuted)}
	c.choose = kit.NewButton(kit.ButtonPlain, i18n.T("Choose a file…"), func() {
		p.host.ChooseFile(i18n.T("Choose an export of ChatGPT or Claude"), i18n.T("Count"), func(path string) { c.run(path, true) })
	})
	c.write = kit.NewButton(kit.ButtonPrimary, i18n.T("Import"), func() { c.run(c.file, false) })
	c.stop = kit.NewButton(kit.ButtonPlain, i18n.T("Stop"), func() { c.cancel() })
	c.write.Hide()
	c.stop.Hide()
	c.CardRow = column.NewCardRow(kit.RoleNone, kit.Bold(i18n.T("Import from ChatGPT or Claude")), c.result, kit.Line(kit.Gap8, -1, c.write, c.stop, c.choose))
	c.Pad, c.Gap = kit.Gap12, kit.Gap8
	return c
}

// run counts what a file contains, or imports it.
func (c *importCard) run(file string, dry bool) {
	if c.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(c.page.host.Context())
	c.file, c.cancel = file, cancel
	c.show(i18n.T("Reading the file…"), kit.RoleMuted, false)
	go func() {
		got, err := c.page.parts.Import(ctx, file, dry)
		stopped := ctx.Err() != nil
		cancel()
		if c.page.host.Context().Err() != nil {
			return
		}
		c.page.host.Do(func() {
			c.cancel = nil
			words, role := importWords(got, dry), kit.RoleText
			switch {
			case stopped:
				words = i18n.T("Stopped. What was imported stays.") + " " + words
			case errors.Is(err, transfer.ErrFormat):
				words, role = i18n.T("This isn't an export from ChatGPT or Claude. Choose the zip file that they sent, or its conversations.json."), kit.RoleHot
			case err != nil:
				words, role = i18n.Sentence(i18n.Capital(err.Error())), kit.RoleHot
			}
			c.show(words, role, dry && err == nil && got.Conversations > 0)
		})
	}()
}

// show shows the result; ready means that the counted conversations can be imported.
func (c *importCard) show(words string, role fyne.ThemeColorName, ready bool) {
	c.result.SetRuns([]prose.Run{{Text: words, Role: role}})
	c.write.Hidden, c.stop.Hidden, c.choose.Hidden = !ready, c.cancel == nil, c.cancel != nil
	c.page.View.Remeasure(c)
	c.Refresh()
}

// importWords describes what was counted or imported.
func importWords(got Imported, dry bool) string {
	if got.Conversations == 0 && got.Present > 0 {
		return i18n.Count("Nothing new: {{.N}} conversations are here already.", got.Present)
	}
	places := i18n.Places{"Conversations": i18n.Count("{{.N}} conversations", got.Conversations), "Messages": i18n.Count("{{.N}} messages", got.Messages)}
	words := i18n.With("{{.Conversations}} with {{.Messages}} imported.", places)
	if dry {
		words = i18n.With("{{.Conversations}} with {{.Messages}} to import.", places)
	}
	from, to := i18n.LongDate(got.From), i18n.LongDate(got.To)
	switch {
	case got.Conversations > 0 && from == to:
		words += " " + i18n.With("Of {{.Day}}.", i18n.Places{"Day": from})
	case got.Conversations > 0:
		words += " " + i18n.With("From {{.From}} to {{.To}}.", i18n.Places{"From": from, "To": to})
	}
	if left := got.Present + got.Empty + got.Unreadable; left > 0 {
		words += " " + i18n.With("Left out: {{.Present}} already here, {{.Empty}} empty, {{.Unreadable}} unreadable.", i18n.Places{"Present": got.Present, "Empty": got.Empty, "Unreadable": got.Unreadable})
	}
	return words
}
