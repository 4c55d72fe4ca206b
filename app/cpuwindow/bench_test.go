package cpuwindow

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/sessionmem"
)

// BenchmarkStreamedUpdate is the work of one drawing (20 a second at most) while an
// answer of so many tokens grows by ten tokens: parsing the tail and swapping it in.
func BenchmarkStreamedUpdate(b *testing.B) {
	for _, tokens := range []int{1_000, 20_000} {
		b.Run(fmt.Sprintf("tokens=%d", tokens), func(b *testing.B) {
			w := newBench(b).shown()
			w.w.send("q")
			c := w.w.shown
			paragraph := strings.Repeat("word ", 60) + "\n\n"
			c.apply(token(strings.Repeat(paragraph, tokens/60)))
			w.settle()
			n := 0
			for b.Loop() {
				text := "ten more words come in here at a time, really "
				if n++; n%8 == 0 {
					text = "\n\n"
				}
				c.apply(token(text))
				w.w.drawConversation(c.view(time.Now()))
			}
		})
	}
}

// BenchmarkOpenSession is opening a session of 5,000 messages: the newest 60 blocks
// are built and laid out.
func BenchmarkOpenSession(b *testing.B) {
	w := newBench(b).shown()
	var blocks []sessionmem.Block
	for i := range 2500 {
		blocks = append(blocks,
			sessionmem.Block{ID: fmt.Sprint("u", i), Kind: sessionmem.KindUser, Text: "a question of some words"},
			sessionmem.Block{ID: fmt.Sprint("a", i), Kind: sessionmem.KindAssistant, Agent: "o", Text: mixedAnswer})
	}
	t := &sessionmem.Transcript{Info: sessionmem.Info{Name: "cpu-x"}, Blocks: blocks}
	n := 0
	for b.Loop() {
		n++
		c := newConversation(fmt.Sprint("cpu-b", n))
		c.fill(t)
		w.w.setShown(c)
		delete(w.w.convs, c.name)
	}
}

// BenchmarkKeystroke is a key typed into a composer that holds 8 KB.
func BenchmarkKeystroke(b *testing.B) {
	w := newBench(b).shown()
	e := w.w.compose.entry
	w.w.compose.setText(strings.Repeat("words in a line of text that goes on\n", 220))
	b.ResetTimer()
	for b.Loop() {
		e.TypedRune('x')
		e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyBackspace})
	}
}

// BenchmarkApplyToken is taking one token event, on the run's goroutine.
func BenchmarkApplyToken(b *testing.B) {
	c := asked("q")
	ev := agents.Event{Type: agents.EventToken, Round: 1, Text: "word ", Agent: "o", Model: "m"}
	for b.Loop() {
		c.apply(ev)
	}
}
