package chatpane

import (
	"strings"
	"time"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/transcript"
)

// marksStay is how long the chat marks what was searched for.
const marksStay = 6 * time.Second

// seekTo is a place in a chat to scroll to once the chat is read.
type seekTo struct {
	info   transcript.Info
	block  string
	phrase string
}

// OpenAt shows a session at one of its blocks and marks a phrase for a while.
func (p *Pane) OpenAt(in transcript.Info, block, phrase string) {
	p.seek = &seekTo{in, block, phrase}
	p.OpenSession(in.Name)
}

// followSeek scrolls to the place in p.seek when its chat is drawn. A place far back or on an
// abandoned branch is shown in the viewer instead.
func (p *Pane) followSeek(v conversation.View) {
	s := p.seek
	if s == nil || s.info.Name != v.Name || v.Loading {
		return
	}
	p.seek = nil
	for i := range v.Entries {
		if v.Entries[i].Block != s.block {
			continue
		}
		b := p.View.Built[v.Entries[i].Key]
		if b == nil || len(b.Rows) == 0 {
			break
		}
		p.View.Port.Follow = false
		p.View.Port.RevealRow(b.Rows[0].Row)
		p.View.Port.ReportAway()
		if s.phrase != "" {
			p.mark(s.phrase)
		}
		return
	}
	p.host.Do(func() { p.host.ReadAt(s.info, s.block, s.phrase) }) // later: the chat is being shown
}

// mark marks the words of a phrase in the chat for a while, or the parts of words that match
// if it has none of the words.
func (p *Pane) mark(phrase string) {
	partsOfWords := func(text string) []prose.Mark {
		var all []prose.Mark
		for word := range strings.FieldsSeq(strings.Trim(phrase, `"`)) {
			all = append(all, p.parts.Marks(text, word)...)
		}
		return all
	}
	port := p.View.Port
	if port.MarkRows(p.parts.WordMarks(phrase), 0, len(port.Rows), -1, false) == 0 {
		port.MarkRows(partsOfWords, 0, 0, -1, false)
	}
	time.AfterFunc(marksStay, func() {
		p.host.Do(func() {
			if !p.Find.Open() { // the find bar has marks of its own
				p.View.Port.Unmark()
			}
		})
	})
}
