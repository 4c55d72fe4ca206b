package cpuwindow

import (
	"testing"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

// talked returns a bench with a conversation of two turns.
func talked(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.sessions.files["cpu-x"] = &transcript.Transcript{Info: transcript.Info{Name: "cpu-x", Path: "/x", Title: "x"}, Blocks: []transcript.Block{
		{ID: "u1", Kind: transcript.KindUser, Text: "question one"},
		{ID: "a1", Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: "u1", Text: "answer one with [a page](http://example.org/p)", Attrs: map[string]string{"memory": "memory.md:12"}},
		{ID: "u2", Kind: transcript.KindUser, Text: "question two"},
		{ID: "a2", Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: "u2", Text: "answer two"},
	}}
	b.shown()
	b.w.OpenSession("cpu-x")
	b.Settle()
	return b
}

// button returns the nth button of the chat with a label, from the top.
func (b *bench) button(label string, n int) *kit.Button {
	b.t.Helper()
	found := screentest.Buttons(b.w.chat.View.Object, label)
	if n >= len(found) {
		b.t.Fatalf("%d buttons %q", len(found), label)
	}
	return found[n]
}
