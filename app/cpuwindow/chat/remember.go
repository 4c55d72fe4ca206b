package chat

import (
	"slices"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem/transcript"
)

// moreButton opens a menu of the other actions on a user's message: a bubble leaves little
// room beside it.
func (r *Rows) moreButton(g *kit.HoverGroup, block, text string) *kit.Button {
	forget := fyne.NewMenuItem(i18n.T("Forget…"), func() { r.Act.ForgetMessage(block) })
	var b *kit.Button
	b = g.Add(i18n.T("More…"), func() { r.Act.ShowMenu(append(r.rememberItems("", text), forget), b) })
	return b
}

// menu returns the context menu: remember the selection, or the message below the pointer.
func (c *View) menu(selected string, row kit.Row) []*fyne.MenuItem {
	message := ""
	for _, b := range c.Built {
		if slices.ContainsFunc(b.Rows, func(p *column.Placed) bool { return p.Row == row }) {
			message = b.text
			if message == "" {
				message = b.answer.Words()
			}
		}
	}
	return c.rememberItems(selected, message)
}

// rememberItems offers to remember the selection, else the first sentence of a message. It
// returns nil if both are empty.
func (r *Rows) rememberItems(selected, message string) []*fyne.MenuItem {
	line, label := selected, i18n.T("Remember the selection…")
	if strings.TrimSpace(line) == "" {
		line, label = firstSentence(message), i18n.T("Remember this…")
	}
	if line == "" || r.Act.Remember == nil {
		return nil
	}
	return []*fyne.MenuItem{fyne.NewMenuItem(label, func() { r.Act.Remember(line) })}
}

// answerLine returns the selection, or the first sentence of an answer.
func (c *View) answerLine(block string) string {
	if selected := c.Port.SelectedText(); selected != "" {
		return selected
	}
	for i := range c.last.Entries {
		if e := &c.last.Entries[i]; e.Block == block {
			return firstSentence(e.Words())
		}
	}
	return ""
}

const longestLine = 300 // characters, the longest the memory takes

// firstSentence returns a message's first sentence, without markdown.
func firstSentence(message string) string {
	text := ""
	for line := range strings.Lines(transcript.PlainText(message)) {
		if text = strings.Join(strings.Fields(line), " "); text != "" {
			break
		}
	}
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		if ends := strings.ContainsRune(".!?。！？", r); ends && (r > 0x7f || strings.HasPrefix(text[end:], " ")) {
			text = text[:end]
			break
		}
	}
	return i18n.Shorten(text, longestLine-1)
}
