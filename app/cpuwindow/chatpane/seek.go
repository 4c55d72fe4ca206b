package chatpane

import (
	"strings"
	"time"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/transcript"
)

// marksStay is how long the chat shows what was searched for.
const marksStay = 6 * time.Second

// seekTo is a place of a chat to bring into sight once it is read.
type seekTo struct {
	info   transcript.Info
	block  string
	phrase string
}

// OpenAt shows a session at a block of it, with a phrase marked for a while.
func (p *Pane) OpenAt(in transcript.Info, block, phrase string) {
	p.seek = &seekTo{in, block, phrase}
	p.OpenSession(in.Name)
}

// followSeek brings the place that is sought into sight when its chat is drawn. One
// far back, or on a branch that was left, is shown in the viewer.
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
		p.View.Port.TellAway()
		if s.phrase != "" {
			p.mark(s.phrase)
		}
		return
	}
	p.host.Do(func() { p.host.ReadAt(s.info, s.block, s.phrase) }) // once the chat is shown
}

// mark shows a phrase in the chat for a while.
func (p *Pane) mark(phrase string) {
	marks := func(text string) []prose.Mark {
		var all []prose.Mark
		for word := range strings.FieldsSeq(strings.Trim(phrase, `"`)) {
			all = append(all, p.parts.Marks(text, word)...)
		}
		return all
	}
	p.View.Port.MarkRows(marks, 0, 0, 0, false)
	time.AfterFunc(marksStay, func() {
		p.host.Do(func() {
			if !p.Find.Open() { // its marks are there by now
				p.View.Port.Unmark()
			}
		})
	})
}
