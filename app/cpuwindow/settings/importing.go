package settings

import (
	"context"
	"errors"
	"strconv"
	"strings"
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
	Conversations int // new
	Continued     int // conversations that were here and have new messages
	Messages      int // new
	Present       int // conversations without anything new
	Deleted       int // conversations that were deleted here
	Busy          int // conversations in which an answer is being written
	Empty         int // conversations without messages
	Unreadable    int
	LeftOut       map[transfer.Left]int // of the messages
	From, To      time.Time             // dates of the new messages
}

// importCard imports the conversations of another assistant. It counts them first, and
// imports them when a person has seen the number.
type importCard struct {
	*column.CardRow
	page   *Page
	result *prose.Text
	choose *kit.Button
	folder *kit.Button
	write  *kit.Button // shown after counting
	stop   *kit.Button // shown while the file is read
	file   string
	cancel context.CancelFunc
}

func newImportCard(p *Page) *importCard {
	c := &importCard{page: p, result: prose.New([]prose.Run{{Text: i18n.T("The zip file you get from ChatGPT or Claude as your export; also chats of Open WebUI, LibreChat, Jan, LM Studio, Ollama's app and llm. They are counted before anything is imported.")}}, kit.SizeText, kit.RoleMuted)}
	c.choose = kit.NewButton(kit.ButtonPlain, i18n.T("Choose a file…"), func() {
		p.host.ChooseFile(i18n.T("Choose an export"), i18n.T("Count"), func(path string) { c.run(path, true) })
	})
	c.folder = kit.NewButton(kit.ButtonPlain, i18n.T("Choose a folder…"), func() {
		p.host.ChooseFolder(i18n.T("Choose the folder of an export, of Jan or of LM Studio"), i18n.T("Count"), func(path string) { c.run(path, true) })
	})
	c.write = kit.NewButton(kit.ButtonPrimary, i18n.T("Import"), func() { c.run(c.file, false) })
	c.stop = kit.NewButton(kit.ButtonPlain, i18n.T("Stop"), func() { c.cancel() })
	c.write.Hide()
	c.stop.Hide()
	c.CardRow = column.NewCardRow(kit.RoleNone, kit.Bold(i18n.T("Import from ChatGPT, Claude and others")), c.result, kit.Line(kit.Gap8, -1, c.write, c.stop, c.choose, c.folder))
	c.Pad, c.Gap = kit.Gap12, kit.Gap8
	return c
}

// progressEvery is how often the progress is drawn.
const progressEvery = 250 * time.Millisecond

// run counts what a file contains, or imports it.
func (c *importCard) run(file string, dry bool) {
	if c.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(c.page.host.Context())
	c.file, c.cancel = file, cancel
	c.show(i18n.T("Reading the file…"), kit.RoleMuted, false)
	var drawn time.Time
	progress := func(percent, conversations int) {
		if time.Since(drawn) < progressEvery || ctx.Err() != nil {
			return
		}
		drawn = time.Now()
		words := i18n.With("Reading the file… {{.Percent}} %, {{.Conversations}}", i18n.Places{"Percent": strconv.Itoa(percent), "Conversations": i18n.Count("{{.N}} conversations", conversations)})
		c.page.host.Do(func() {
			if c.cancel != nil && ctx.Err() == nil {
				c.show(words, kit.RoleMuted, false)
			}
		})
	}
	go func() {
		got, err := c.page.parts.Import(ctx, file, dry, progress)
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
				words, role = i18n.T("There are no conversations of a known kind in this file. Choose the zip file that ChatGPT or Claude sent, or a file of JSON from another assistant."), kit.RoleHot
				var looks *transfer.LooksError
				if errors.As(err, &looks) {
					words = i18n.With("This looks like {{.What}}, which isn't read.", i18n.Places{"What": looks.What})
				}
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
	c.write.Hidden, c.stop.Hidden, c.choose.Hidden, c.folder.Hidden = !ready, c.cancel == nil, c.cancel != nil, c.cancel != nil
	c.page.View.Remeasure(c)
	c.Refresh()
}

// importWords describes what was counted or imported.
func importWords(got Imported, dry bool) string {
	if got.Conversations+got.Continued == 0 && got.Present > 0 {
		return i18n.Count("Nothing new: {{.N}} conversations are here already.", got.Present) + leftOutWords(got)
	}
	places := i18n.Places{"Conversations": i18n.Count("{{.N}} conversations", got.Conversations), "Messages": i18n.Count("{{.N}} messages", got.Messages)}
	words := i18n.With("{{.Conversations}} with {{.Messages}} imported.", places)
	if dry {
		words = i18n.With("{{.Conversations}} with {{.Messages}} to import.", places)
	}
	if got.Continued > 0 {
		words += " " + i18n.Count("{{.N}} conversations that were here go on.", got.Continued)
	}
	from, to := i18n.LongDate(got.From), i18n.LongDate(got.To)
	switch {
	case got.From.IsZero():
	case from == to:
		words += " " + i18n.With("Of {{.Day}}.", i18n.Places{"Day": from})
	default:
		words += " " + i18n.With("From {{.From}} to {{.To}}.", i18n.Places{"From": from, "To": to})
	}
	return words + leftOutWords(got)
}

// leftOutWords names what isn't imported, with a blank before it.
func leftOutWords(got Imported) (words string) {
	type left struct {
		n     int
		words string
	}
	list := func(sentence string, all ...left) {
		var counts []string
		for _, l := range all {
			if l.n > 0 {
				counts = append(counts, l.words)
			}
		}
		if len(counts) > 0 {
			words += " " + sentence + " " + strings.Join(counts, ", ") + "."
		}
	}
	present := got.Present
	if got.Conversations+got.Continued == 0 {
		present = 0 // said already
	}
	list(i18n.T("Left out:"),
		left{present, i18n.Count("{{.N}} already here", present)},
		left{got.Deleted, i18n.Count("{{.N}} deleted here", got.Deleted)},
		left{got.Busy, i18n.Count("{{.N}} in use", got.Busy)},
		left{got.Empty, i18n.Count("{{.N}} empty", got.Empty)},
		left{got.Unreadable, i18n.Count("{{.N}} unreadable", got.Unreadable)})
	pictures, files, sounds, parts := got.LeftOut[transfer.LeftPictures], got.LeftOut[transfer.LeftFiles], got.LeftOut[transfer.LeftSounds], got.LeftOut[transfer.LeftOthers]
	list(i18n.T("Not imported, and named where they stood:"),
		left{pictures, i18n.Count("{{.N}} pictures", pictures)},
		left{files, i18n.Count("{{.N}} files", files)},
		left{sounds, i18n.Count("{{.N}} sounds", sounds)},
		left{parts, i18n.Count("{{.N}} unknown parts", parts)})
	return words
}
