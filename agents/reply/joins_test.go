package reply

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// pieces are what random replies are made of besides the forms.
var pieces = []string{
	"", " ", "\n", "\n\n", "Sure.", "OK", "I could: ", "The answer is 42.", "No, not needed.\n", "\"", "`", "``", "**", "(", ")", "```\n", "```json\n", "```", "~~~\n", "> ", "| ", "    ", "- ", "\t",
	"<think>", "</think>", "<thinking>\n", "</thinking>", "[THINK]", "[/THINK]", "◁think▷", "◁/think▷", "<|channel|>analysis<|message|>", "<|channel|>final<|message|>", "<|channel>thought\n", "<channel|>",
	"<|im_end|>", "</s>", "<s>", "<|im_start|>assistant\n", "<|im_start|>user\n", "<|end|>", "<|start|>assistant", "<|user|>\n", "[INST]", "[/INST]", "<end_of_turn>", "<answer>", "</answer>", "<|START_RESPONSE|>",
	"<tool_call>", "</tool_call>", "<tool_calls>", "[TOOL_CALLS]", "<|python_tag|>", "<function=SYSTEM_STATS>", "</function>", "<parameter=topic>", "</parameter>", "<invoke name=\"AGENT\">", "<arg_key>topic</arg_key>", "functools[",
	"<tool_response>\n3 %\n</tool_response>", "Observation: 3 %\n", "Result of SYSTEM_STATS: 3 %\n", "Action:", "Action: ", "Final Answer: ", "Thought: ", "analysis", "assistantfinal",
	"SYSTEM_STATS: ", "SYSTEM_STATS", "AGENT: coder ", "AGENT", "MEMORY_APPEND: x", "**", "{", "}", "[", "]", "{\"name\": ", "\"SYSTEM_STATS\"", ", \"arguments\": {", "\"topic\": \"cpu\"", "{\"id\": 1, \"user_agent\": \"x\"}",
	"<", "<|", "<｜", "◁", "ä", "思考", "\xff", "\x00", "\r\n", ":", "：", ",", "'", "\\", "1. ", "# ",
}

// randomReply joins pieces of all kinds.
func randomReply(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(9) {
		if r.IntN(3) == 0 {
			f := forms[r.IntN(len(forms))].text
			switch r.IntN(4) {
			case 0:
				f = f[:r.IntN(len(f)+1)]
			case 1:
				f = f[r.IntN(len(f)):]
			}
			b.WriteString(f)
			continue
		}
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// checkReply checks what holds for any reply: the parts are the reply, the Shower shows the
// same however the reply is split, never more than the parts say, and the work is linear.
func checkReply(t *testing.T, reply string, quoted []Quoted, splits [][]string) {
	t.Helper()
	tools := testTools()
	parts := Parse(reply, "stop", Marks{}, tools, quoted)
	checkCover(t, reply, parts)
	for _, p := range parts {
		if (p.Kind == KindCall) != (len(p.Calls) > 0) || p.Behind && p.Kind != KindText {
			t.Fatalf("%q: part %+v", reply, p)
		}
	}
	want := partText(reply, parts, KindText)
	r := newReading(Marks{}, tools, quoted)
	r.s, r.whole = reply, true
	r.read()
	for _, split := range splits {
		s := NewShower(Marks{}, tools, quoted)
		var shown strings.Builder
		for _, piece := range split {
			text, _ := s.Write(piece)
			shown.WriteString(text)
		}
		got := shown.String()[s.turned:]
		if r.turns != s.turns {
			continue // a thought's end is the last thing, or in a code fence that never closes: the parts replace what was shown
		}
		if !strings.HasPrefix(want, got) {
			t.Fatalf("%q in %d pieces: showed\n%q\nwhich is no beginning of\n%q\nparts %+v", reply, len(split), got, want, parts)
		}
	}
	if r.steps > 200*len(reply)+2000 {
		t.Fatalf("%d steps for %d bytes of %q", r.steps, len(reply), reply)
	}
}

// splitsOf splits a reply in four ways.
func splitsOf(r *rand.Rand, reply string) [][]string {
	cut := r.IntN(len(reply) + 1)
	var random []string
	for rest := reply; rest != ""; {
		n := min(len(rest), 1+r.IntN(12))
		random = append(random, rest[:n])
		rest = rest[n:]
	}
	return [][]string{{reply}, strings.Split(reply, ""), {reply[:cut], reply[cut:]}, random}
}

// Random joins find more in a minute than two hundred written cases.
func TestAnyReplyIsItsParts(t *testing.T) {
	joins := 20_000
	if testing.Short() {
		joins = 500
	}
	for seed := range joins {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		reply := randomReply(r)
		var quoted []Quoted
		if r.IntN(4) == 0 {
			quoted = []Quoted{{Text: randomReply(r), Own: r.IntN(2) == 0}}
		}
		checkReply(t, reply, quoted, splitsOf(r, reply))
	}
}

func TestAPlainAnswerIsShownAsItComes(t *testing.T) {
	for _, reply := range []string{
		"It is A.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
		"```python\nheaders = {\"User-Agent\": \"x\"}\n```\nThat sets it.",
		"```json\n{\"User-Agent\": \"x\"}\n```\n",
		"```json\n[\n  {\"id\": 1, \"user_agent\": \"x\"},\n  {\"id\": 2, \"user_agent\": \"y\"}\n]\n```\n",
		"[{\"name\": \"Anna\", \"age\": 3}]",
		"if a < b { x[0] = 1 }, a <- b, `c`, ``d`e``, <b>bold</b>, [a link](https://go.dev)",
		"1. **Bold:** text\n2. *Italic* text\n\n> quoted\n\n    code\n",
		"思考以后，答案是四十二。\n\nÄpfel & Birnen…",
		"Use <think>like this</think>, then answer. The <tool_call> tag is for calls.",
	} {
		s := NewShower(Marks{}, testTools(), nil)
		held, most, got := 0, 0, ""
		for _, piece := range strings.Split(reply, "") {
			text, _ := s.Write(piece)
			got += text
			if held += len(piece); text != "" {
				held = 0
			}
			most = max(most, held)
		}
		if most > maxHeld || s.Stopped() || len(got) < len(reply)-3 {
			t.Errorf("%q: held %d bytes, showed %q", reply, most, got)
		}
	}
	s := NewShower(Marks{}, testTools(), nil)
	if text, _ := s.Write("headers = {\"User-Agent\": "); text == "" {
		t.Error("the first token of code isn't shown")
	}
}

func TestATokenIsNeverCutInACharacter(t *testing.T) {
	s := NewShower(Marks{}, testTools(), nil)
	for i, b := range []byte("Äpfel 思考 ◁ <think>思考</think>ö") {
		text, thought := s.Write(string([]byte{b}))
		if !utf8.ValidString(text) || !utf8.ValidString(thought) {
			t.Errorf("byte %d: %q, %q", i, text, thought)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, form := range forms {
		f.Add(form.text)
	}
	for _, piece := range pieces {
		f.Add(piece)
	}
	f.Add(`{"tool_CAll" : [{"id":"","tYpe":"","funCtion":{"nAme":"SYSTEM STATS","Args":""}}]}`)
	f.Fuzz(func(t *testing.T, reply string) {
		if len(reply) > 2000 {
			reply = reply[:2000]
		}
		checkReply(t, reply, nil, splitsOf(rand.New(rand.NewPCG(uint64(len(reply)), 1)), reply))
	})
}
