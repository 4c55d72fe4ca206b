package transfer

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/transcript"
)

func written(t *testing.T, p HTMLParams, blocks ...transcript.Block) string {
	t.Helper()
	p.Words = HTMLWords{
		You: "You", Somebody: "Somebody", Assistant: "Assistant", Thought: "Thought", Written: "As the model wrote it:",
		Date:    func(t time.Time) string { return t.Format("2 Jan 15:04") },
		Tool:    func(name string) string { return "used " + name },
		Failed:  func(why string) string { return "failed: " + why },
		Note:    func(b transcript.Block, _ []transcript.Block) string { return b.Text },
		Summary: func(n int) string { return "summary" },
	}
	var out bytes.Buffer
	if err := HTML(&out, &transcript.Transcript{Info: transcript.Info{Name: "cpu-1", Title: "Fans & <disks>"}, Blocks: blocks}, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func user(text string) transcript.Block {
	return transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: text}
}

func answer(text string) transcript.Block {
	return transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Text: text}
}

func TestHTMLContainsTheConversation(t *testing.T) {
	at := time.Date(2026, 11, 22, 14, 3, 0, 0, time.UTC)
	picture := transcript.Attachment{Name: "shot.png", File: strings.Repeat("0a", 32) + ".png", Image: true}
	notes := transcript.Attachment{Name: "notes.txt", File: strings.Repeat("0b", 32) + ".txt"}
	said := user(transcript.WithLinks("Why?\nTell me.", picture, notes))
	said.Time, said.Context = at, "the vitals"
	reply := answer("Area: $a^2$\n\n| a | b |\n|---|--:|\n| 1<br>x | 2 |\n\n```go\nx := \"<b>\"\n```\n\n[bad](javascript:alert(1)) ![a *spy*](https://example.org/x.png?a=1&b=2) ![](https://example.org/y.png) ![dot](data:image/png;base64,UE5H) ![no](data:text/html,x)")
	reply.Parent, reply.Agent, reply.Model, reply.Time = "u1", "coder", "qwen3:8b", at
	got := written(t, HTMLParams{Read: func(transcript.Attachment) ([]byte, error) { return []byte("PNG"), nil }},
		said,
		transcript.Block{ID: "n1", Kind: transcript.KindNote, Note: transcript.NoteThinking, Parent: "u1", Text: "Let me **see**."},
		transcript.Block{ID: "t1", Kind: transcript.KindTool, Parent: "u1", Agent: "SYSTEM_STATS", Text: "CPU 4 %\n  * 2", Attrs: map[string]string{"call": "<tool_call>{}</tool_call>", "behind": "It is 99 %."}},
		transcript.Block{ID: "g1", Kind: transcript.KindAgent, Parent: "u1", Agent: "coder", Task: "Sort <T>", Text: "*done*"},
		reply,
		transcript.Block{ID: "n2", Kind: transcript.KindNote, Note: "info", Text: "a note"})
	for _, want := range []string{
		"<title>Fans &amp; &lt;disks&gt;</title>", "<b>You</b> · 22 Nov 14:03", "Why?\nTell me.", "<b>coder</b> · qwen3:8b · 22 Nov 14:03",
		`<td dir="auto" class="right">2</td>`, "1\nx</td>", "a²", `x := `, `<span class="string">&#34;&lt;b&gt;&#34;`, `<img src="data:image/png;base64,UE5H" alt="shot.png">`,
		"<summary>used SYSTEM_STATS</summary>", "As the model wrote it:</p><pre dir=\"auto\"><code>&lt;tool_call&gt;{}&lt;/tool_call&gt;\n\nIt is 99 %.</code>", "<code>CPU 4 %\n  * 2</code>", "<summary>Thought</summary>", "Let me <strong>see</strong>.", `<p class="note">a note</p>`,
		"<summary>coder</summary>", "Sort &lt;T&gt;", "<em>done</em>", `<p class="files">notes.txt</p>`,
		`<a href="https://example.org/x.png?a=1&amp;b=2">a </a>`, `<a href="https://example.org/y.png">https://example.org/y.png</a>`, `<img src="data:image/png;base64,UE5H" alt="dot">`, "default-src &#39;none&#39;; img-src data:",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %s", want)
		}
	}
	for _, not := range []string{"<script", "javascript:", `<img src="http`, "text/html", "the vitals", "../files"} {
		if strings.Contains(got, not) {
			t.Errorf("it holds %s", not)
		}
	}
	if t.Failed() {
		t.Log(got[strings.Index(got, "<body>"):])
	}
}

// Nothing that is said becomes markup, whoever says it and wherever it stands.
func TestTextNeverBecomesMarkup(t *testing.T) {
	own := regexp.MustCompile(`<(/?[a-z0-9]+)[^>]*>`)
	elements := func(page string) map[string]int {
		out := map[string]int{}
		for _, m := range own.FindAllStringSubmatch(page[strings.Index(page, "<body>"):], -1) {
			out[m[1]]++
		}
		return out
	}
	for _, evil := range []string{
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</article></body><iframe src=x>", "<svg/onload=alert(1)>", "<answer>42</answer>",
		"List<String>", "Dear <NAME>", "<!-- x -->", "<![CDATA[x]]>", "\"><b>x</b>", "&lt;script&gt;", "{{.Title}}", "<style>*{display:none}</style>", "<a href=javascript:alert(1)>x</a>", "<kbd onclick=x>y</kbd>", "<br onload=x>",
	} {
		for name, block := range map[string]transcript.Block{
			"message": user(evil), "answer": answer(evil), "code": answer("```\n" + evil + "\n```"), "span": answer("`" + evil + "`"), "cell": answer("|a|\n|-|\n|" + evil + "|"),
			"title": answer("# " + evil), "item": answer("- " + evil), "quote": answer("> " + evil), "note": answer("a[^1]\n\n[^1]: " + evil), "label": answer("[" + evil + "](https://example.org)"), "language": answer("```" + evil + "\nx\n```"),
			"agent": {ID: "a1", Kind: transcript.KindAssistant, Agent: evil, Model: evil, Text: "x"}, "author": {ID: "u1", Kind: transcript.KindUser, Text: "x", Attrs: map[string]string{"name": evil}},
			"task": {ID: "g1", Kind: transcript.KindAgent, Agent: "coder", Task: evil, Text: evil}, "failure": {ID: "t1", Kind: transcript.KindTool, Agent: evil, Text: "failed: " + evil, Attrs: map[string]string{"failed": "1"}},
			"line": {ID: "n1", Kind: transcript.KindNote, Note: "info", Text: evil}, "file": user(transcript.WithLinks("x", transcript.Attachment{Name: strings.NewReplacer("[", "", "]", "").Replace(evil), File: strings.Repeat("0c", 32) + ".txt"})),
		} {
			got := written(t, HTMLParams{}, block)
			for element := range elements(got) {
				if strings.Contains(" script img iframe svg answer style string b ", " "+strings.TrimPrefix(element, "/")+" ") && (!strings.HasSuffix(element, "b") || strings.Count(got, "<b>") > 1) {
					t.Errorf("%s in a %s made <%s>", evil, name, element)
				}
			}
			if strings.Contains(got, "javascript:alert(1)\"") || regexp.MustCompile(`<[^>]*\son[a-z]+=`).MatchString(got) {
				t.Errorf("%s in a %s can run: %s", evil, name, got[strings.Index(got, "<body>"):])
			}
		}
	}
}

func TestOnlyWebAddressesAreFollowed(t *testing.T) {
	for address, follows := range map[string]bool{
		"https://example.org/a?b=c&d": true, "http://example.org": true, "mailto:ann@example.org": true,
		"javascript:alert(1)": false, "JaVaScRiPt:alert(1)": false, "java&#115;cript:alert(1)": false, "data:text/html,x": false, "file:///etc/passwd": false, "vbscript:x": false, "../x": false, "//example.org": false, "ssh://host": false,
	} {
		if got := written(t, HTMLParams{}, answer("[here]("+address+")")); strings.Contains(got, "<a ") != follows || !strings.Contains(got, "here") {
			t.Errorf("%s: a link %t", address, !follows)
		}
	}
}

// Lists, quotes and footnotes have the elements of a page.
func TestTheStructureOfAPage(t *testing.T) {
	for in, want := range map[string]string{
		"- a\n  - b\n- c":             `<ul><li><p>a</p><ul><li><p>b</p></li></ul></li><li><p>c</p></li></ul>`,
		"3. a\n\n   b\n4. c":          `<ol><li value="3"><p>a</p><p>b</p></li><li value="4"><p>c</p></li></ol>`,
		"1. a\n   - b\n2. c":          `<ol><li value="1"><p>a</p><ul><li><p>b</p></li></ul></li><li value="2"><p>c</p></li></ol>`,
		"- a\n\n1. b":                 `<ul><li><p>a</p></li></ul><ol><li value="1"><p>b</p></li></ol>`,
		"- [x] a\n- [ ] b":            `<ul><li class="task"><input type="checkbox" disabled checked><p>a</p></li><li class="task"><input type="checkbox" disabled><p>b</p></li></ul>`,
		"> a\n>> b\n\nc":              `<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote><p>c</p>`,
		"> - a\n> - b":                `<blockquote><ul><li><p>a</p></li><li><p>b</p></li></ul></blockquote>`,
		"- a\n\n  > b\n- c":           `<ul><li><p>a</p><blockquote><p>b</p></blockquote></li><li><p>c</p></li></ul>`,
		"- a\n  ```\n  x\n  ```":      `<ul><li><p>a</p><pre><code>x</code></pre></li></ul>`,
		"# A\n###### B\n---":          `<h2>A</h2><h6>B</h6><hr>`,
		"a[^1]\n\n[^1]: b\n\nc":       `<p>a<sup>1</sup></p><p>c</p><section class="notes"><ol><li value="1"><p>b</p></li></ol></section>`,
		"-\n- b":                      `<ul><li><p></p></li><li><p>b</p></li></ul>`,
		"H<sub>2</sub>O <kbd>C</kbd>": `<p>H<sub>2</sub>O <kbd>C</kbd></p>`,
	} {
		got := written(t, HTMLParams{}, answer(in))
		got = got[strings.Index(got, "</header>")+len("</header>"):]
		got = got[:strings.Index(got, "</article>")]
		got = strings.NewReplacer("\n", "", ` dir="auto"`, "").Replace(got)
		if got = strings.TrimSuffix(strings.TrimPrefix(got, "<div>"), "</div>"); got != want {
			t.Errorf("%q gives %s, want %s", in, got, want)
		}
	}
}

// A person of Discord has a name; a number is none.
func TestNamesOfAuthors(t *testing.T) {
	for _, tt := range []struct {
		attrs map[string]string
		want  string
	}{
		{nil, "You"},
		{map[string]string{"author": "301", "name": "Anna"}, "Anna"},
		{map[string]string{"author": "301"}, "Somebody"},
		{map[string]string{"author": "Anna"}, "Anna"},
		{map[string]string{"name": "<b>Anna"}, "&lt;b&gt;Anna"},
	} {
		b := user("hi")
		b.Attrs = tt.attrs
		if got := written(t, HTMLParams{}, b); !strings.Contains(got, "<header><b>"+tt.want+"</b>") || strings.Contains(got, "301") {
			t.Errorf("%v isn't %s", tt.attrs, tt.want)
		}
	}
}

func TestOnlyAFileToPrintPrints(t *testing.T) {
	if got := written(t, HTMLParams{Print: true}, user("hi")); strings.Count(got, "<script>"+printScript+"</script>") != 1 || !strings.Contains(got, "script-src &#39;sha256-") {
		t.Errorf("it doesn't print:\n%s", got[len(got)-300:])
	}
}
