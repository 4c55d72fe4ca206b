package cpuwindow

import (
	"strings"
	"sync/atomic"
	"testing"

	"mac-stats/agents"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

func TestAMissingFontIsExplainedOnce(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		var asked atomic.Int32
		b.params.HasFont = func(r rune) bool { asked.Add(1); return r == 'ᄀ' || r == '한' }
		b.with(func(*parts) {})
		b.shown()
		b.w.notices.Show("", "")
		b.w.chat.Send("Grüße, привет, λόγος — “quoted” 😀 → ok")
		b.run(0).events <- token("| a | b |\n|---|---|\n| 1 | 中文 |\n\n한국어\n")
		b.Settle()
		b.Sees("No installed font shows Chinese characters", "such as Noto Sans CJK")
		if n := asked.Load(); n != 2 {
			t.Errorf("asked %d times, want once for each of two scripts", n)
		}
		b.Pushes(b.w.notices.Bar, "Dismiss")
		b.run(0).events <- token(strings.Repeat("更多的字 ", 10))
		b.run(0).events <- agents.Event{Type: agents.EventDone, Block: "a1", Agent: "orchestrator", Model: "m"}
		close(b.run(0).events)
		b.Settle()
		b.SeesNot("No installed font")
		b.sessions.files["cpu-x"] = &transcript.Transcript{Info: transcript.Info{Name: "cpu-x", Path: "/x"}, Blocks: []transcript.Block{
			{ID: "u0", Kind: transcript.KindUser, Text: "中文"}, {ID: "a0", Kind: transcript.KindAssistant, Parent: "u0", Text: "```\nสวัสดี ひらカタ\n```"},
		}}
		b.w.OpenSession("cpu-x")
		b.Settle()
		b.Sees("No installed font shows Thai characters, Japanese characters", "such as Noto Sans Thai, Noto Sans CJK")
		if n := asked.Load(); n != 5 {
			t.Errorf("asked %d times, want once for each of five scripts", n)
		}
	})
}
