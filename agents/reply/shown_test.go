package reply

import (
	"strings"
	"testing"
)

// changes are calls that change something, in the forms that models write most.
var changes = []form{
	{"hermes", `<tool_call>{"name": "MEMORY_APPEND", "arguments": {"lesson": "Likes green tea"}}</tool_call>`, ""},
	{"hermes in lines", "<tool_call>\n{\"name\": \"RUN_CMD\", \"arguments\": {\"command\": \"rm -r data\"}}\n</tool_call>", ""},
	{"mistral", `[TOOL_CALLS][{"name": "MEMORY_APPEND", "arguments": {"lesson": "Likes green tea"}}]`, ""},
	{"qwen 3 coder", "<tool_call>\n<function=MEMORY_APPEND>\n<parameter=lesson>\nLikes green tea\n</parameter>\n</function>\n</tool_call>", ""},
	{"claude", "<function_calls>\n<invoke name=\"RUN_CMD\">\n<parameter name=\"command\">rm -r data</parameter>\n</invoke>\n</function_calls>", ""},
	{"deepseek", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>MEMORY_APPEND<｜tool▁sep｜>{\"lesson\": \"Likes green tea\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", ""},
	{"harmony", `<|channel|>commentary to=functions.MEMORY_APPEND<|constrain|>json<|message|>{"lesson": "Likes green tea"}<|call|>`, ""},
	{"a line", "MEMORY_APPEND: Likes green tea", ""},
	{"JSON", `{"name": "MEMORY_APPEND", "arguments": {"lesson": "Likes green tea"}}`, ""},
	{"parentheses", `MEMORY_APPEND(lesson="Likes green tea")`, ""},
}

// situations are texts in which a call is written about, told of or quoted.
var situations = []struct {
	name string
	put  func(call string) string
}{
	{"in a turn of ChatML behind a colon", func(f string) string {
		return "For example, a model could write:\n\n<|im_start|>assistant\n" + f + "<|im_end|>\n\nThis would save a line."
	}},
	{"in a turn of ChatML behind a colon, last", func(f string) string {
		return "For example, a model could write:\n\n<|im_start|>assistant\n" + f + "<|im_end|>"
	}},
	{"in a turn of Llama behind a colon", func(f string) string {
		return "It looks like this:\n<|start_header_id|>assistant<|end_header_id|>\n\n" + f + "<|eot_id|>\nThen the tool answers."
	}},
	{"in a turn of Gemma behind a colon", func(f string) string {
		return "Gemma writes:\n\n<start_of_turn>model\n" + f + "<end_of_turn>\n\nNothing else."
	}},
	{"behind the end of a turn and a colon", func(f string) string {
		return "A whole turn is:\n</s>\n" + f + "\nand so on."
	}},
	{"behind a colon and a thought", func(f string) string {
		return "A reasoning model writes:\n<think>hm</think>\n" + f + "\nand waits."
	}},
	{"behind a colon in bold", func(f string) string { return "**Example:**\n\n" + f + "\n\nI won't do that now." }},
	{"as a step of a list", func(f string) string { return "1. The model writes:\n" + f + "\n2. The app runs it." }},
	{"in a dialogue", func(f string) string { return "User: Remember it.\nAssistant: " + f + "\nUser: Thanks." }},
	{"in a comment of HTML", func(f string) string { return "The page has <!-- " + f + " --> in it." }},
	{"in code of HTML", func(f string) string { return "It is <code>" + f + "</code> in HTML." }},
	{"in preformatted HTML", func(f string) string { return "<pre>" + f + "</pre>\nis what it wrote." }},
	{"in a block of YAML", func(f string) string {
		return "```yaml\nexample: |\n" + lines(f, "    ") + "\nother: 1\n```\nThat is the file."
	}},
	{"in a fence of Markdown", func(f string) string {
		return "The file is\n````markdown\n# Title\n\n" + f + "\n````\n"
	}},
	{"in two fences", func(f string) string {
		return "Before:\n````\n" + f + "\n````\nAfter:\n````\n" + f + "\n````\nThat is all."
	}},
	{"in an item's code", func(f string) string { return "- write ````` " + f + " `````\n- and nothing else" }},
	{"in a quotation of two levels", func(f string) string { return "Anna wrote:\n\n" + lines(f, "> > ") + "\n\nYes." }},
	{"in guillemets", func(f string) string { return "Il a écrit « " + f + " » hier." }},
	{"in typographic quotes over lines", func(f string) string { return "She said “please\n" + f + "\nthanks” and left." }},
	{"in parentheses with a word", func(f string) string { return "There is a way (e.g. " + f + ") to do it." }},
	{"in harmony's analysis without an end", func(f string) string {
		return "<|channel|>analysis<|message|>I could.\n" + f + "\nBut no, nobody asked."
	}},
	{"in harmony's analysis", func(f string) string {
		return "<|channel|>analysis<|message|>I could: " + f + " No.<|end|><|start|>assistant<|channel|>final<|message|>42<|return|>"
	}},
	{"in a thought that was rejected", func(f string) string { return "<thought>\nFirst " + f + "\nNo.\n</thought>\n\n42" }},
	{"in Gemma's thought", func(f string) string { return "<|channel>thought\nMaybe\n" + f + "\nNo.<channel|>42" }},
	{"in a made-up turn", func(f string) string { return "It is done.\n<|im_start|>user\nAnd now?<|im_end|>\n" + f }},
	{"in a made-up result", func(f string) string { return "SYSTEM_STATS: cpu\nObservation: 3 %\n" + f }},
	{"in a row of a table", func(f string) string {
		return "| a | b |\n|---|---|\n| 1 | " + strings.ReplaceAll(f, "\n", "") + " |\n\nThat is all."
	}},
	{"in a thought without a beginning", func(f string) string { return "First I could write\n" + f + "\nhm.</think>It is 42." }},
}

// No call runs that is written about. (What is undecidable isn't listed.)
func TestNothingRunsThatIsWrittenAbout(t *testing.T) {
	tried := 0
	for _, s := range situations {
		for _, f := range changes {
			reply := s.put(f.text)
			parts := Parse(reply, "stop", Marks{}, testTools(), nil)
			checkCover(t, reply, parts)
			tried++
			for _, line := range strings.Split(callText(parts), "\n") {
				if line != "" && line != "SYSTEM_STATS cpu" {
					t.Errorf("%s %s: %q runs %s", f.name, s.name, reply, line)
				}
			}
		}
	}
	t.Logf("%d texts", tried)
}

// Lists and descriptions of the tools, to a person who asked what they are.
func TestNoCallRunsOutOfAListOfTools(t *testing.T) {
	for _, reply := range []string{
		"I can use the following tools.\n\nMEMORY_APPEND: Saves one short sentence.",
		"I can use the following tools.\n\nMEMORY_APPEND: Saves one short sentence.\nMEMORY_SEARCH: Searches it.",
		"Ich habe ein Werkzeug.\n\nMEMORY_APPEND: Speichert einen kurzen Satz.",
		"There is one.\n\nMEMORY_APPEND: stores notes about you\n\nAsk me to use it.",
		"我有一个工具。\n\nMEMORY_APPEND: 保存一句话。",
		"MEMORY_APPEND: Saves one short sentence.\n\nThat is my only tool.",
		"MEMORY_APPEND: Saves one short sentence.\nRUN_CMD: Runs a command.",
		"- MEMORY_APPEND: Saves one short sentence.\n- RUN_CMD: Runs a command.",
		"* **MEMORY_APPEND:** Saves one short sentence.\n* **MEMORY_SEARCH:** Searches it.",
		"1. MEMORY_APPEND: Saves one short sentence.\n2. MEMORY_SEARCH: Searches it.",
		"These are my tools.\n\n- `MEMORY_APPEND`: Saves one short sentence.",
		"### MEMORY_APPEND: Saves one short sentence.\n\nAnd more.",
		"I know this one.\n\n### MEMORY_APPEND: Saves one short sentence.",
		"My tools:\n\nMEMORY_APPEND: Saves one short sentence.\nRUN_CMD: Runs a command.",
		"**MEMORY_APPEND:** Saves one short sentence.\n\n**RUN_CMD:** Runs a command.\n\nWhich one?",
		"Yes.\n\n```\nMEMORY_APPEND: Saves one short sentence.\n```",
		"I have one tool.\n\n{\"name\": \"MEMORY_APPEND\", \"parameters\": {\"lesson\": \"one short sentence\"}}",
		"It is one call.\n\nMEMORY_APPEND(lesson=\"a short sentence\")",
	} {
		quoted := []Quoted{{Text: "Which tools have you got?", Own: true}}
		if got := callText(Parse(reply, "stop", Marks{}, testTools(), quoted)); strings.Contains(got, "MEMORY_APPEND") || strings.Contains(got, "RUN_CMD") {
			t.Errorf("%q runs %s", reply, got)
		}
	}
	// What the person said is a lesson.
	for _, own := range []string{"I like green tea.", "Ich mag Green Tea", "remember: green tea is what I like"} {
		reply := "Sure, I'll remember that!\n\nMEMORY_APPEND: Likes green tea\n\nAnything else?"
		if got := callText(Parse(reply, "stop", Marks{}, testTools(), []Quoted{{Text: own, Own: true}})); got != "MEMORY_APPEND Likes green tea" {
			t.Errorf("%q: runs %q", own, got)
		}
	}
}

// A person who names a tool may want to see its form.
func TestAFormThatThePersonAskedForIsShown(t *testing.T) {
	for _, tt := range []struct{ own, reply string }{
		{"Give me a JSON of a tool call for name MEMORY_APPEND.", `{"name": "MEMORY_APPEND", "arguments": {"lesson": "Likes green tea"}}`},
		{"a json of a tool call for memory_append, please", `{"name": "memory_append", "arguments": {"lesson": "Likes green tea"}}`},
		{"How do I call MEMORY_APPEND in Python?", `MEMORY_APPEND(lesson="Likes green tea")`},
		{"Show a list with MEMORY_APPEND", `[{"name": "MEMORY_APPEND", "arguments": {"lesson": "Likes green tea"}}]`},
		{"What does SYSTEM_STATS look like in JSON?", `{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}`},
		{"What does MEMORY_APPEND look like in JSON?", "```json\n{\"name\": \"MEMORY_APPEND\", \"arguments\": {\"lesson\": \"x\"}}\n```"},
	} {
		parts := Parse(tt.reply, "stop", Marks{}, testTools(), []Quoted{{Text: tt.own, Own: true}})
		if len(parts) != 1 || parts[0].Kind != KindText || parts[0].Why != "" {
			t.Errorf("%q: parts %+v", tt.own, parts)
		}
	}
}

// Markup around a tool's name is read, or the model is asked again and nobody sees it.
func TestMarkupOfACallIsNeverShown(t *testing.T) {
	for _, reply := range []string{
		">>>SYSTEM_STATS\n{\"topic\": \"cpu\"}", ">>>MEMORY_SEARCH\n{\"query\": \"tea\"}\n", ">>>SYSTEM_STATS{\"topic\": \"cpu\"}",
		"[TOOL_REQUEST]{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}[END_TOOL_REQUEST]",
		"[TOOL_REQUEST]\n{\"name\": \"nothing\", \"arguments\": {}}\n[END_TOOL_REQUEST]",
		"<use_mcp_tool>\n<server_name>srv</server_name>\n<tool_name>ok</tool_name>\n<arguments>{\"text\": \"a\"}</arguments>\n</use_mcp_tool>",
		"<use_mcp_tool><server_name>other</server_name><tool_name>none</tool_name><arguments>{}</arguments></use_mcp_tool>",
		"- SYSTEM_STATS: cpu", "* SYSTEM_STATS: cpu", "1) SYSTEM_STATS: cpu", "`SYSTEM_STATS: cpu`", "## SYSTEM_STATS: cpu",
		"<|recipient|>SYSTEM_STATS\n<|content|>{\"topic\": \"cpu\"}<|stop|>",
		"✿FUNCTION✿: SYSTEM_STATS\n✿ARGS✿: {\"topic\": \"cpu\"}", "✿FUNCTION✿: SYSTEM_STATS\n✿ARGS✿: cpu\n✿RETURN✿", "✿FUNCTION✿: none\n✿ARGS✿: {\"topic\": \"SYSTEM_STATS\"}",
		"<|tool_calls|><|tool_call:begin|>SYSTEM_STATS<|tool_call:args|>{\"topic\": \"cpu\"}<|tool_call:end|>",
		"<|tool_calls|><|tool_call:begin|>MEMORY_SEARCH\n{\"query\": \"tea\"}",
		"<memory_append><lesson>Likes green tea</lesson></memory_append>", "<MEMORY_APPEND>\n<lesson>Likes green tea</lesson>\n</MEMORY_APPEND>", "<system_stats>\n<topic>cpu</topic>\n</system_stats>", "<run_cmd command=\"ls\"/>",
		"function call<|role_sep|>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}", "<<function>>SYSTEM_STATS(topic=\"cpu\")",
	} {
		parts := Parse(reply, "stop", Marks{}, testTools(), nil)
		asked := false
		for _, p := range parts {
			asked = asked || p.Why != ""
			for _, c := range p.Calls {
				asked = asked || c.Why != ""
			}
		}
		if callText(parts) == "" && !asked {
			t.Errorf("%q isn't read, and the model isn't asked: %+v", reply, parts)
		}
		s := NewShower(Marks{}, testTools(), nil)
		shown := ""
		for _, piece := range strings.Split(reply, "") {
			text, _ := s.Write(piece)
			shown += text
		}
		if strings.TrimSpace(shown) != "" {
			t.Errorf("%q shows %q", reply, shown)
		}
	}
}

// What is dropped between two texts leaves them apart.
func TestTextsBesideAMarkStayApart(t *testing.T) {
	for _, reply := range []string{
		"OK<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nMore",
		"OK<|im_end|>\n<|im_start|>assistant\nMore",
		"OK<end_of_turn>\n<start_of_turn>model\nMore",
		"OK<|END_OF_TURN_TOKEN|><|im_start|>assistant\nMore",
	} {
		parts := Parse(reply, "stop", Marks{}, testTools(), nil)
		if got := strings.Fields(partText(reply, parts, KindText)); strings.Join(got, " ") != "OK More" {
			t.Errorf("%q shows %q", reply, got)
		}
	}
}
