package chatpane

import (
	"strings"
	"sync/atomic"
	"testing"

	"mac-stats/agents"
	"mac-stats/app/ui/screentest"
)

func TestAMissingFontIsExplainedOnce(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		var asked atomic.Int32
		b.with(func() {
			b.fonts = func(r rune) bool { asked.Add(1); return r == 'ᄀ' || r == '한' }
		})
		b.pane.Send("Grüße, привет, λόγος — “quoted” 😀 → ok")
		b.run(0).Sent <- token("| a | b |\n|---|---|\n| 1 | 中文 |\n\n한국어\n")
		b.Settle()
		b.says("No installed font shows Chinese characters", "such as Noto Sans CJK")
		if n := asked.Load(); n != 2 {
			t.Errorf("asked %d times, want once for each of two scripts", n)
		}
		b.told = nil
		b.run(0).Sent <- token(strings.Repeat("更多的字 ", 10))
		b.run(0).Sent <- agents.Event{Type: agents.EventDone, Block: "a1", Agent: "orchestrator", Model: "m"}
		close(b.run(0).Sent)
		b.Settle()
		if len(b.told) != 0 {
			t.Errorf("it says %q again", b.told)
		}
		b.said("cpu-x", "中文", "```\nสวัสดี ひらカタ\n```")
		b.pane.OpenSession("cpu-x")
		b.Settle()
		b.says("No installed font shows Thai characters, Japanese characters", "such as Noto Sans Thai, Noto Sans CJK")
		if n := asked.Load(); n != 5 {
			t.Errorf("asked %d times, want once for each of five scripts", n)
		}
	})
}
