package exporter

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/transcript"
)

func written(t *testing.T, p Params, blocks ...transcript.Block) string {
	t.Helper()
	p.Words = Words{You: "You", Assistant: "Assistant", Date: func(t time.Time) string { return t.Format("2 Jan 15:04") }}
	var out bytes.Buffer
	if err := HTML(&out, &transcript.Transcript{Info: transcript.Info{Name: "cpu-1", Title: "Fans & <disks>"}, Blocks: blocks}, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestHTMLContainsOnlyTheConversation(t *testing.T) {
	at := time.Date(2026, 11, 22, 14, 3, 0, 0, time.UTC)
	picture := transcript.Attachment{Name: "shot.png", File: strings.Repeat("0a", 32) + ".png", Image: true}
	got := written(t, Params{Read: func(transcript.Attachment) ([]byte, error) { return []byte("PNG"), nil }},
		transcript.Block{ID: "u1", Kind: transcript.KindUser, Time: at, Text: transcript.WithLinks("Why?\nTell me.", picture), Context: "the vitals"},
		transcript.Block{ID: "t1", Kind: transcript.KindTool, Parent: "u1", Agent: "SYSTEM_STATS", Text: "CPU 4 %"},
		transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Parent: "u1", Agent: "coder", Model: "qwen3:8b", Time: at, Text: "Area: $a^2$\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nx := \"<b>\"\n```\n\n<script>alert(1)</script> [bad](javascript:alert(1))\n\n[bad](javascript:alert(1)) ![a *spy*](https://example.org/x.png?a=1&b=2) ![](https://example.org/y.png) ![dot](data:image/png;base64,UE5H) ![no](data:text/html,x)"},
		transcript.Block{ID: "s1", Kind: transcript.KindSummary, Text: "short"})
	for _, want := range []string{
		"<title>Fans &amp; &lt;disks&gt;</title>", "<b>You</b> · 22 Nov 14:03", "Why?<br>\nTell me.", "<b>coder</b> · qwen3:8b · 22 Nov 14:03",
		"<td>2</td>", "a²", `x := &quot;&lt;b&gt;&quot;`, `src="data:image/png;base64,UE5H"`, "<summary>SYSTEM_STATS</summary>",
		`<a href="https://example.org/x.png?a=1&amp;b=2">a spy</a>`, `<a href="https://example.org/y.png">https://example.org/y.png</a>`, `<img src="data:image/png;base64,UE5H" alt="dot">`, "default-src &#39;none&#39;; img-src data:",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %s", want)
		}
	}
	for _, not := range []string{"<script", "javascript:alert", `<img src="http`, "text/html", "the vitals", "short", "../files"} {
		if strings.Contains(got, not) {
			t.Errorf("it holds %s", not)
		}
	}
}

func TestOnlyAFileToPrintPrints(t *testing.T) {
	b := transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "hi"}
	if got := written(t, Params{Print: true}, b); strings.Count(got, "<script>"+printScript+"</script>") != 1 || !strings.Contains(got, "script-src &#39;sha256-") {
		t.Errorf("it doesn't print:\n%s", got[len(got)-300:])
	}
}
