package reply

import (
	"fmt"
	"strings"
	"testing"
)

// jsonAnswer is an answer in JSON with a key that resembles an agent's.
func jsonAnswer(lines int) string {
	var b strings.Builder
	b.WriteString("[\n")
	for i := range lines {
		fmt.Fprintf(&b, "  {\"id\": %d, \"user_agent\": \"x\", \"skills\": [1, 2]},\n", i)
	}
	b.WriteString("]\n")
	return b.String()
}

// large are replies of about a size that are as hard to read as possible.
var large = []struct {
	name string
	make func(size int) string
}{
	{"JSON of lines", func(n int) string { return jsonAnswer(n / 50) }},
	{"one line", func(n int) string { return strings.Repeat("word ", n/5) }},
	{"one line of a word", func(n int) string { return strings.Repeat("a", n) }},
	{"brackets <", func(n int) string { return strings.Repeat("<", n) }},
	{"brackets <|", func(n int) string { return strings.Repeat("<|", n/2) }},
	{"brackets [", func(n int) string { return strings.Repeat("[", n) }},
	{"braces {", func(n int) string { return strings.Repeat("{", n) }},
	{"names", func(n int) string { return strings.Repeat(`{"name":`, n/8) }},
	{"names and arguments", func(n int) string { return strings.Repeat(`{"name": "a", "arguments": {`, n/28) }},
	{"deep arguments", func(n int) string { return `{"name": "AGENT", "arguments": ` + strings.Repeat(`{"a": `, n/6) }},
	{"deep lists", func(n int) string { return `<tool_call>` + strings.Repeat(`[`, n) }},
	{"lists of objects", func(n int) string { return strings.Repeat(`[{"name": "x", "args": [`, n/24) }},
	{"open envelopes", func(n int) string { return strings.Repeat("<tool_call>", n/11) }},
	{"open envelopes with JSON", func(n int) string { return strings.Repeat(`<tool_call>{"name": "`, n/21) }},
	{"closing envelopes", func(n int) string { return strings.Repeat("</tool_call>", n/12) }},
	{"open functions", func(n int) string { return strings.Repeat("<function=SYSTEM_STATS>", n/23) }},
	{"open parameters", func(n int) string { return "<function=SYSTEM_STATS>" + strings.Repeat("<parameter=topic>", n/17) }},
	{"open parameters again and again", func(n int) string { return strings.Repeat("<function=AGENT><parameter=x>", n/29) }},
	{"parameters without markup behind", func(n int) string {
		return "<function=AGENT><parameter=x>" + strings.Repeat("</parameter>a", n/13)
	}},
	{"keys", func(n int) string { return strings.Repeat("<tool_call>AGENT<arg_key>", n/25) }},
	{"mistral", func(n int) string { return strings.Repeat(`[TOOL_CALLS]SYSTEM_STATS[ARGS]{"topic": "cpu"}`, n/46) }},
	{"mistral unread", func(n int) string { return strings.Repeat(`[TOOL_CALLS]x y `, n/16) }},
	{"open thoughts", func(n int) string { return strings.Repeat("<think>\n", n/8) }},
	{"closing thoughts", func(n int) string { return strings.Repeat("a</think>\n", n/10) }},
	{"thoughts", func(n int) string { return strings.Repeat("<think>a</think>\n", n/17) }},
	{"thoughts in lines", func(n int) string { return "a\n" + strings.Repeat("b <think> c ", n/12) }},
	{"analysis", func(n int) string { return strings.Repeat("<|channel|>analysis<|message|>a", n/31) }},
	{"ends", func(n int) string { return strings.Repeat("<|im_end|>", n/10) }},
	{"ends and text", func(n int) string { return strings.Repeat("<|im_end|>", n/10) + "a" }},
	{"headers", func(n int) string { return strings.Repeat("<|im_start|>assistant\n", n/22) }},
	{"users", func(n int) string { return "a\n" + strings.Repeat("<|im_start|>user\n", n/17) }},
	{"backquotes", func(n int) string { return strings.Repeat("` `` ``` ", n/9) }},
	{"backquotes of all lengths", func(n int) string {
		var b strings.Builder
		for i := 1; b.Len() < n; i++ {
			b.WriteString(strings.Repeat("`", i%200) + " ")
		}
		return b.String()
	}},
	{"fences", func(n int) string { return strings.Repeat("```\n", n/4) }},
	{"open fences", func(n int) string { return strings.Repeat("```go\n", n/6) }},
	{"fences in a thought", func(n int) string { return "<think>" + strings.Repeat("```go\n", n/6) }},
	{"fences of two signs in a thought", func(n int) string { return "<think>" + strings.Repeat("```go\n~~~~go\n", n/12) }},
	{"directives", func(n int) string { return strings.Repeat("SYSTEM_STATS: cpu\n", n/18) }},
	{"directives of agents", func(n int) string { return strings.Repeat("AGENT: coder do it\n", n/19) }},
	{"directives that don't fit", func(n int) string { return strings.Repeat("FETCH_URL: a page\n", n/18) }},
	{"a long task", func(n int) string { return "AGENT: coder do it\n" + strings.Repeat("<a line\n", n/8) }},
	{"names and parentheses", func(n int) string { return strings.Repeat("SYSTEM_STATS(", n/13) }},
	{"names and braces", func(n int) string { return strings.Repeat("SYSTEM_STATS{", n/13) }},
	{"names and blanks", func(n int) string { return strings.Repeat("SYSTEM_STATS      \n", n/19) }},
	{"actions", func(n int) string { return strings.Repeat("Action: a\nAction Input: b\n", n/26) }},
	{"actions with JSON", func(n int) string { return strings.Repeat("Action: {\"name\": \n", n/18) }},
	{"actions with fences", func(n int) string { return strings.Repeat("Action:\n```\n", n/12) }},
	{"results", func(n int) string { return "SYSTEM_STATS: cpu\n" + strings.Repeat("Result: a\n", n/10) }},
	{"results with thoughts", func(n int) string {
		return "SYSTEM_STATS: cpu\n" + strings.Repeat("Result: a\n<think>b</think> c\n", n/29)
	}},
	{"actions", func(n int) string { return strings.Repeat("Action: x\n", n/10) }},
	{"actions that are calls", func(n int) string { return strings.Repeat("Action: SYSTEM_STATS(topic=\"cpu\")\n", n/35) }},
	{"blanks", func(n int) string { return strings.Repeat(" ", n) }},
	{"blanks and marks", func(n int) string { return strings.Repeat("                    <think>", n/27) }},
	{"line breaks", func(n int) string { return strings.Repeat("\n", n) }},
	{"quotation marks", func(n int) string { return strings.Repeat(`"<tool_call>`, n/12) }},
	{"parentheses", func(n int) string { return strings.Repeat(`(<tool_call>{"name": "SYSTEM_STATS"})`, n/37) }},
	{"escapes", func(n int) string { return `<tool_call>{"name": "` + strings.Repeat(`\`, n) }},
	{"wide brackets", func(n int) string { return strings.Repeat("<｜", n/4) }},
	{"tags", func(n int) string { return strings.Repeat("<a>", n/3) }},
	{"tags of two words", func(n int) string { return strings.Repeat("<a_b>", n/5) }},
	{"tags with attributes", func(n int) string { return strings.Repeat("<a b=c ", n/7) }},
	{"tokens", func(n int) string { return strings.Repeat("<|x|>", n/5) }},
	{"tokens of two words", func(n int) string { return strings.Repeat("<|x_end|>\n", n/10) }},
	{"closing squares", func(n int) string { return strings.Repeat("[/x]", n/4) }},
	{"open squares", func(n int) string { return strings.Repeat("[A", n/2) }},
	{"roles in a line", func(n int) string { return "a" + strings.Repeat("<|user|>b", n/9) }},
	{"a call in each quotation", func(n int) string { return strings.Repeat(`"SYSTEM_STATS(topic="cpu")" `, n/28) }},
	{"a call in each parenthesis", func(n int) string { return strings.Repeat(`(SYSTEM_STATS(topic="cpu") `, n/27) }},
	{"envelopes in a sentence", func(n int) string {
		return strings.Repeat(`a <tool_call>{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}</tool_call> and`, n/84)
	}},
	{"open quotations", func(n int) string { return strings.Repeat("„ « “ ", n/12) + "MEMORY_APPEND: x\n\na" }},
	{"open parentheses", func(n int) string { return strings.Repeat("(a ", n/3) + "\nMEMORY_APPEND: x\n\na" }},
	{"open environments", func(n int) string { return strings.Repeat("\\begin{a}\n", n/10) + "MEMORY_APPEND: x\n\na" }},
	{"blanks before marks", func(n int) string { return strings.Repeat(" ", n/2) + strings.Repeat("a <think>b", n/20) }},
	{"blanks before names", func(n int) string { return strings.Repeat(" ", n/2) + strings.Repeat("(a SYSTEM_STATS(", n/32) }},
	{"line breaks before marks", func(n int) string { return strings.Repeat("\n", n/2) + strings.Repeat("<tool_call>", n/22) }},
	{"calls among sentences", func(n int) string { return strings.Repeat("A.\n\nMEMORY_APPEND: x\n\n", n/22) }},
	{"calls in lists", func(n int) string { return strings.Repeat("- MEMORY_APPEND: x\n- b\n", n/23) }},
	{"calls below titles", func(n int) string { return strings.Repeat("# A\n\nMEMORY_APPEND: x\n\n", n/24) }},
	{"calls in a dialogue", func(n int) string { return strings.Repeat("a: b\nc: <tool_call>{\"name\": \"x\"}</tool_call>\n", n/44) }},
	{"objects of calls", func(n int) string {
		return strings.Repeat("{\"name\": \"SYSTEM_STATS\", \"arguments\": {}}\n\na\n\n", n/50)
	}},
	{"calls of other tools", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "{\"name\": \"x%d\", \"arguments\": {}}\n\na\n\n", i)
		}
		return b.String()
	}},
	{"fences of items", func(n int) string { return strings.Repeat("- ```\n", n/6) }},
	{"fences in fences", func(n int) string { return strings.Repeat("````\n```\n", n/9) }},
	{"fences with calls", func(n int) string { return strings.Repeat("```\nSYSTEM_STATS: cpu\n```\n", n/26) }},
	{"named fences", func(n int) string { return strings.Repeat("```tool_call\n{\n", n/15) }},
	{"signs of lists", func(n int) string { return strings.Repeat("- ", n/2) }},
	{"quotations in items", func(n int) string { return strings.Repeat("- > a\n", n/6) }},
	{"open code", func(n int) string { return strings.Repeat("`a\n\n", n/4) }},
	{"a thought in words", func(n int) string { return "Thought:" + strings.Repeat(" a\nThought:", n/11) }},
	{"ends of items", func(n int) string { return strings.Repeat("- <|im_end|> a ", n/15) }},
	{"messages", func(n int) string { return strings.Repeat("<|start|>a", n/10) }},
	{"keys", func(n int) string { return strings.Repeat("SYSTEM_STATS\n<arg_key>a</arg_key>", n/33) }},
	{"elements in an envelope", func(n int) string { return "<tool_call>" + strings.Repeat("<a>", n/3) }},
	{"names in an envelope", func(n int) string { return "<tool_call>" + strings.Repeat("AGENT: ", n/7) }},
	{"wrapped arguments", func(n int) string {
		return strings.Repeat(`{"name": "SYSTEM_STATS", "x": {"y": {"topic": "cpu"}}}`+"\n", n/55)
	}},
	{"deep wrappers", func(n int) string {
		return `<tool_call>` + strings.Repeat(`{"a": `, min(n/6, 90)) + `{"name": "SYSTEM_STATS"}`
	}},
	{"wrappers in a list", func(n int) string {
		return `<tool_call>[` + strings.Repeat(`{"a": {"b": {"c": [1]}}}, `, n/26) + `{"name": "SYSTEM_STATS"}]</tool_call>`
	}},
	{"tags of a tool", func(n int) string { return strings.Repeat(`<SYSTEM_STATS topic="cpu">`, n/26) }},
	{"open tags of a tool", func(n int) string { return strings.Repeat(`<SYSTEM_STATS `, n/14) }},
	{"keys that are null", func(n int) string { return strings.Repeat(`{"role": null, `, n/15) }},
	{"comments in an envelope", func(n int) string { return "<tool_call>" + strings.Repeat("// a\n", n/5) }},
	{"harmony", func(n int) string { return strings.Repeat("<|channel|>commentary to=functions.x<|message|>{", n/48) }},
}

// The work for a reply of twice the size is about twice, not four times.
func TestReadingIsLinear(t *testing.T) {
	steps := func(reply string) int {
		r := newReading(Marks{}, testTools(), nil)
		r.s, r.whole = reply, true
		r.read()
		r.parts("stop")
		return r.steps
	}
	size := 50_000
	if testing.Short() {
		size = 4_000
	}
	for n, l := range large {
		if testing.Short() && n%8 != 0 {
			continue
		}
		one, four := steps(l.make(size)), steps(l.make(4*size))
		if four > 5*one+3*maxVain {
			t.Errorf("%s: %d steps for %d bytes, %d for %d", l.name, one, size, four, 4*size)
		}
	}
}

// A message of the person is read once, however many calls there are; and quoted text once for
// each word of a call.
func TestReadingBesideALongMessageIsLinear(t *testing.T) {
	message := strings.Repeat("I like green tea and the names of tools. ", 1200)
	steps := func(calls int) int {
		var b strings.Builder
		for i := range calls {
			fmt.Fprintf(&b, "A.\n\nMEMORY_APPEND: x%d\n\n{\"name\": \"tool%d\", \"arguments\": {}}\n\n", i, i)
		}
		r := newReading(Marks{}, testTools(), []Quoted{{Text: message, Own: true}})
		r.s, r.whole = b.String(), true
		r.read()
		r.parts("stop")
		return r.steps
	}
	if one, four := steps(500), steps(2000); four > 5*one+3*maxVain {
		t.Errorf("%d steps for 500 calls, %d for 2000", one, four)
	}
}

// What was read in vain has a limit, so that no reply keeps the machine busy.
func BenchmarkParse(b *testing.B) {
	for _, l := range large {
		reply := l.make(2_000_000)
		b.Run(l.name, func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			for range b.N {
				Parse(reply, "stop", Marks{}, testTools(), nil)
			}
		})
	}
}

func BenchmarkShower(b *testing.B) {
	for _, l := range large {
		reply := l.make(2_000_000)
		b.Run(l.name, func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			for range b.N {
				s := NewShower(Marks{}, testTools(), nil)
				for at := 0; at < len(reply); at += 4 {
					s.Write(reply[at:min(len(reply), at+4)])
				}
			}
		})
	}
}
