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
	// A dialogue or an example of several paragraphs, and a word in the middle of a line.
	{"behind a forbidding word", func(f string) string { return "Never " + f }},
	{"behind a word for a mistake", func(f string) string { return "Wrong " + f }},
	{"behind the word example", func(f string) string { return "Example " + f }},
	{"behind a dialogue of paragraphs", func(f string) string { return "User: Delete it.\n\nAssistant: Sure!\n\nI'll delete it now.\n\n" + f }},
	{"behind names with times", func(f string) string {
		return "**Anna** (10:31)\n\nDelete it.\n\n**Bot** (10:32)\n\nSure, I delete it.\n\n" + f
	}},
	{"behind names with times and colons", func(f string) string {
		return "Anna (10:31): Delete it.\n\nSure, I delete it.\n\n" + f
	}},
	{"behind a name alone on its line", func(f string) string { return "User:\nDelete it.\n\nSure, I delete it.\n\n" + f }},
	{"behind one turn of a user", func(f string) string { return "User: Delete it.\n\nSure, I delete it.\n\n" + f }},
	{"behind a title and a paragraph", func(f string) string { return "## Example\n\nThe model writes this.\n\n" + f }},
	{"behind an introduction and a paragraph", func(f string) string { return "The model writes:\n\nI delete it.\n\n" + f }},
	{"behind a quotation and a paragraph", func(f string) string { return "> Delete it.\n\nI delete it.\n\n" + f }},
	{"behind a quoted line", func(f string) string { return "\"Delete it.\" “Sure.”\n\n" + f }},
	{"behind a dialogue in code", func(f string) string { return "A dialogue.\n```\nUser: Delete it.\n```\nI delete it.\n\n" + f }},
	{"behind a turn and a thought", func(f string) string { return "User: Delete it.\n<think>hm</think>\nI delete it.\n" + f }},
	{"behind a title in Thai", func(f string) string { return "ตัวอย่าง\n" + f }},
	// Blocks of a list, a quotation or a table.
	{"in an item's fence", func(f string) string { return "1. The first way.\n2. ```json\n" + f + "\n```\n3. The last way." }},
	{"in an item's fence, last", func(f string) string { return "Ways to do it.\n\n- ```\n" + f + "\n```" }},
	{"in an item's quotation", func(f string) string { return "They wrote.\n- > " + lines(f, "  > ")[4:] + "\n- nothing else." }},
	{"in a quotation that a line goes on", func(f string) string { return "> She wrote this.\n" + f }},
	{"in a table without outer bars", func(f string) string {
		return "form | use\n--- | ---\n" + strings.ReplaceAll(f, "\n", " ") + " | saves\n"
	}},
	{"in the last cell of such a table", func(f string) string {
		return "use | form\n--- | ---\nsaves | " + strings.ReplaceAll(f, "\n", " ")
	}},
	{"in a cell of HTML", func(f string) string { return "<table><tr><td>" + f + "</td></tr></table>" }},
	{"in a cell of HTML on its own line", func(f string) string { return "<table>\n<tr>\n<td>\n" + f + "\n</td>\n</tr>\n</table>\nThat is all." }},
	{"as an item of examples", func(f string) string { return "Two examples.\n\n1. " + f + "\n2. " + f }},
	{"as an item of a letter", func(f string) string { return "Two examples.\n\na) " + f + "\nb) Nothing." }},
	{"as the second example", func(f string) string { return "You write it like this:\n" + f + "\nand\n" + f }},
	{"as the second example on a line", func(f string) string { return "You can write " + f + " and " + f }},
	{"in a sentence", func(f string) string { return "You can write " + f + " to save it" }},
	{"below a title that says so", func(f string) string { return "It is easy.\n\n### Example\n\n" + f }},
	{"below a bold title", func(f string) string { return "It is easy.\n\n**Example**\n\n" + f }},
	{"in a named fence below a title", func(f string) string { return "## Example\n\n```tool_call\n" + f + "\n```" }},
	{"in a fence in a comment of HTML", func(f string) string { return "<!--\n```tool_call\n" + f + "\n```\n-->\nDone." }},
	// Quotations and brackets.
	{"in guillemets that point in", func(f string) string { return "Er schrieb »" + f + "« und ging." }},
	{"in Polish quotation marks", func(f string) string { return "Napisał „" + f + "” i poszedł." }},
	{"in Swedish quotation marks", func(f string) string { return "Hon skrev ”" + f + "” och gick." }},
	{"in quotation marks over sentences", func(f string) string { return "She said “Do it.\n" + f + "\nThanks.” and left." }},
	{"in quotation marks without blanks", func(f string) string { return "他说“" + f + "”就走了。" }},
	{"in wide parentheses", func(f string) string { return "可以这样写（" + f + "），但是不需要。" }},
	{"in lenticular brackets", func(f string) string { return "形式は【" + f + "】です。" }},
	{"in parentheses far away", func(f string) string {
		return "There is a way (" + strings.Repeat("which is long. ", 60) + "\n" + f + "\n" + strings.Repeat("So it is. ", 60) + ") that I don't use."
	}},
	// Blocks of other markup.
	{"in an element example", func(f string) string { return "<example>\n" + f + "\n</example>" }},
	{"in an element example, glued", func(f string) string { return "<example>" + f + "</example>\nThat is all." }},
	{"in an element example with a dialogue", func(f string) string {
		return "<example>\nThe user likes tea.\n" + f + "\nIt is saved.\n</example>"
	}},
	{"in an environment of LaTeX", func(f string) string { return "\\begin{verbatim}\n" + f + "\n\\end{verbatim}" }},
	{"in an environment of LaTeX with more", func(f string) string {
		return "\\begin{lstlisting}[language=json]\nA line.\n" + f + "\nA line.\n\\end{lstlisting}"
	}},
	{"in a block of Org", func(f string) string { return "It is.\n\n#+begin_example\n" + f + "\n#+end_example" }},
	{"in a block of AsciiDoc", func(f string) string { return "It is.\n\n[source,json]\n----\n" + f + "\n----\n" }},
	{"in a literal block of AsciiDoc", func(f string) string { return "It is.\n\n....\n" + f + "\n....\n" }},
	{"in a block of RST", func(f string) string {
		return "It is.\n\n.. code-block:: json\n\n   " + strings.ReplaceAll(f, "\n", "\n   ") + "\n\nDone."
	}},
	{"in a literal block of RST", func(f string) string { return "It is so::\n\n  " + strings.ReplaceAll(f, "\n", "\n  ") + "\n\nDone." }},
	{"in BBCode", func(f string) string { return "[quote=Anna]" + f + "[/quote]\nI agree." }},
	{"in a wiki's block", func(f string) string { return "It is.\n{{{\n" + f + "\n}}}\n" }},
	{"in Jinja", func(f string) string { return "It is.\n{% raw %}\n" + f + "\n{% endraw %}\n" }},
	{"in a string of Python", func(f string) string { return "prompt = \"\"\"\n" + f + "\n\"\"\"\nThat is the code." }},
	{"behind a key of YAML", func(f string) string { return "role: assistant\ncontent: " + f }},
	{"in a mail", func(f string) string {
		return "Am Montag schrieb Anna:\n\n> Hallo,\n> " + lines(f, "> ")[2:] + "\n\nGut."
	}},
	{"said in a chat", func(f string) string { return "[10:31] anna: remember it\n[10:32] bot: " + f }},
	{"said in a chat with brackets", func(f string) string { return "<anna> remember it\n<bot> " + f }},
	{"said in a dialogue, last", func(f string) string { return "User: Remember it.\nAssistant: " + f }},
	{"said in a dialogue with blank lines", func(f string) string { return "User: Remember it.\n\nAssistant:\n" + f }},
	{"said in a bold dialogue", func(f string) string { return "**User:** Remember it.\n\n**Assistant:** " + f }},
	// What isn't a sentence announces nothing.
	{"behind an order not to", func(f string) string { return "Do not write\n" + f }},
	{"behind an order not to, on its line", func(f string) string { return "Do not ever write " + f }},
	{"behind an order not to, after a blank line", func(f string) string { return "Please never write\n\n" + f }},
	{"behind an order not to, in Chinese", func(f string) string { return "不要写\n" + f }},
	{"in an open sentence of Chinese", func(f string) string { return "你可以写" + f + "来保存" }},
	{"as two variants", func(f string) string { return "Variant A\n" + f + "\n\nVariant B\n" + f }},
	{"as two variants among blank lines", func(f string) string { return "Variant A\n\n" + f + "\n\nVariant B\n\n" + f + "\n" }},
	{"as one variant", func(f string) string { return "It is short.\n\nVariant A\n\n" + f }},
	{"as before and after", func(f string) string { return "Before\n" + f + "\nAfter\n" + f }},
	{"below a title that is underlined", func(f string) string { return "Example\n=======\n\n" + f }},
	{"below two titles", func(f string) string { return "First\n-----\n" + f + "\n\nSecond\n------\n" + f }},
	{"behind a name and a time", func(f string) string { return "**Bot** (10:32)\n" + f }},
	{"behind a name and a time, with a sentence", func(f string) string { return "**Bot** (10:32)\nSure, I remember it.\n" + f }},
	{"behind a name and a day", func(f string) string { return "Bot — today at 10:32\n\n" + f }},
	{"behind a stamp of a log", func(f string) string { return "2026-05-01 10:32 assistant\n" + f }},
	{"behind a mention", func(f string) string { return "@bot, please.\n" + f }},
	{"behind what a user says", func(f string) string { return "User: I like green tea.\n" + f }},
	{"behind what a user says, after a blank line", func(f string) string { return "Anna (admin): I like green tea.\n\n" + f }},
	{"behind what a user says in a shell", func(f string) string { return "anna> I like green tea.\n" + f }},
	{"behind an answer in a dialogue", func(f string) string { return "User: I like green tea.\nBot: I remember it.\n" + f }},
	{"behind an answer below its name", func(f string) string { return "**Bot:**\nSure, I remember it (again)\n" + f }},
	{"in an element behind a sentence", func(f string) string { return "I remember it.\n<code>" + f + "</code>" }},
}

// turns are how chat templates write a turn of the user and begin one of the assistant. The
// words of most are in no table.
var turns = []struct{ name, user, end, assistant string }{
	{"chatml", "<|im_start|>user\n", "<|im_end|>\n", "<|im_start|>assistant\n"},
	{"phi 4", "<|im_start|>user<|im_sep|>", "<|im_end|>", "<|im_start|>assistant<|im_sep|>"},
	{"phi 3", "<|user|>\n", "<|end|>\n", "<|assistant|>\n"},
	{"llama 2", "<s>[INST] ", " [/INST] ", ""},
	{"mistral", "[INST]", "[/INST]", ""},
	{"mistral with a system prompt", "[SYSTEM_PROMPT]Be short.[/SYSTEM_PROMPT][INST]", "[/INST]", ""},
	{"mistral with a result", "[TOOL_RESULTS]3 %", "[/TOOL_RESULTS]", ""},
	{"llama 3", "<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>", "<|start_header_id|>assistant<|end_header_id|>\n\n"},
	{"llama 4", "<|header_start|>user<|header_end|>\n\n", "<|eot|>", "<|header_start|>assistant<|header_end|>\n\n"},
	{"gemma", "<start_of_turn>user\n", "<end_of_turn>\n", "<start_of_turn>model\n"},
	{"gemma 4", "<|turn>user\n", "<turn|>\n", "<|turn>model\n"},
	{"command r", "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"},
	{"granite", "<|start_of_role|>user<|end_of_role|>", "<|end_of_text|>\n", "<|start_of_role|>assistant<|end_of_role|>"},
	{"kimi", "<|im_user|>user<|im_middle|>", "<|im_end|>", "<|im_assistant|>assistant<|im_middle|>"},
	{"deepseek", "<｜User｜>", "", "<｜Assistant｜>"},
	{"glm", "[gMASK]<sop><|user|>\n", "", "<|assistant|>\n"},
	{"nemotron", "<SPECIAL_11>User\n", "\n", "<SPECIAL_11>Assistant\n"},
	{"nemotron mini", "<extra_id_1>User\n", "\n", "<extra_id_1>Assistant\n"},
	{"exaone", "[|user|]", "\n", "[|assistant|]"},
	{"jamba", "<|bom|><|user|> ", "<|eom|>", "<|bom|><|assistant|> "},
	{"hunyuan", "<｜hy_User｜>", "", "<｜hy_Assistant｜>"},
	{"hunyuan large", "<|startoftext|>", "<|extra_0|>", ""},
	{"minimax", "]~b]user\n", "[e~[\n", "]~b]ai\n"},
	{"seed", "<seed:bos>user\n", "<seed:eos>", "<seed:bos>assistant\n"},
	{"apertus", "<|user_start|>", "<|user_end|>", "<|assistant_start|>"},
	{"harmony", "<|start|>user<|message|>", "<|end|>", "<|start|>assistant<|channel|>final<|message|>"},
	{"functionary", "<|from|>user\n<|recipient|>all\n<|content|>", "<|stop|>\n", "<|from|>assistant\n<|recipient|>all\n<|content|>"},
	{"internlm", "<|User|>:", "<eoh>\n", "<|Bot|>:"},
	{"baichuan", "<reserved_106>", "", "<reserved_107>"},
	{"zephyr", "<|user|>\n", "</s>\n", "<|assistant|>\n"},
	{"openchat", "GPT4 Correct User: ", "<|end_of_turn|>", "GPT4 Correct Assistant: "},
	{"vicuna", "USER: ", "\n", "ASSISTANT: "},
	{"alpaca", "### Instruction:\n", "\n\n", "### Response:\n"},
	{"solar", "### User:\n", "\n\n", "### Assistant:\n"},
	{"of nobody", "<|turn:begin|>human<|turn:text|>", "<|turn:over|>", "<|turn:begin|>bot<|turn:text|>"},
	{"of nobody, wide", "<｜person｜>", "<｜over｜>", "<｜machine｜>"},
}

// What another speaker says doesn't run, in whatever template the turns are.
func TestNothingRunsOfATurnInAnyTemplate(t *testing.T) {
	tried := 0
	for _, turn := range turns {
		for k, f := range changes {
			if testing.Short() && k%3 != 0 {
				continue
			}
			for n, reply := range []string{
				"It is done.\n" + turn.user + "Remember it." + turn.end + turn.assistant + f.text,
				"It is done.\n\n" + turn.user + "Remember it." + turn.end + turn.assistant + f.text + turn.end,
				"A whole conversation looks like this:\n\n" + turn.user + "Remember it." + turn.end + turn.assistant + f.text + turn.end + "\n\nThat is all.",
				"A whole conversation follows.\n\n" + turn.user + "Remember it." + turn.end + turn.assistant + "Sure.\n" + f.text + turn.end + "\nThat is all.",
				"It is done." + turn.user + "Remember it." + turn.end + turn.assistant + f.text,
			} {
				if n == 3 && strings.HasPrefix(turn.user, "###") {
					continue // titles and sentences as in any answer: nobody can tell
				}
				parts := Parse(reply, "stop", Marks{}, testTools(), nil)
				checkCover(t, reply, parts)
				tried++
				if got := callText(parts); got != "" {
					t.Errorf("%s, %s: %q runs %s", turn.name, f.name, reply, got)
				}
			}
		}
	}
	t.Logf("%d texts", tried)
}

// A turn that the model makes up is kept: as a thought, or with the call before it.
func TestAMadeUpTurnIsKept(t *testing.T) {
	for _, tt := range []struct {
		reply string
		kind  Kind
		text  string
	}{
		{"It is 7.\n<|user|>\nAnd why is that so?", KindThought, "<|user|>\nAnd why is that so?"},
		{"Hello!<|im_end|>\n<|im_start|>user\nTell me more", KindThought, "<|im_start|>user\nTell me more"},
		{"SYSTEM_STATS: cpu\nObservation: 3 %", KindText, "Observation: 3 %"},
		{"<tool_call>{\"name\": \"MEMORY_APPEND\", \"arguments\": {\"lesson\": \"...\"}}</tool_call>\nObservation: 3 %", KindText, "Observation: 3 %"},
	} {
		parts := Parse(tt.reply, "stop", Marks{}, testTools(), nil)
		checkCover(t, tt.reply, parts)
		last := parts[len(parts)-1]
		if last.Kind != tt.kind || !last.Over || last.Behind != (tt.kind == KindText) || tt.reply[last.From:last.To] != tt.text {
			t.Errorf("%q: parts %+v", tt.reply, parts)
		}
	}
}

// A schema or a form isn't a call.
func TestTheDescriptionOfACallIsNoCall(t *testing.T) {
	for _, reply := range []string{
		`<tools>[{"name": "MEMORY_APPEND", "parameters": {"lesson": "string"}}]</tools>`,
		`<tool_call>{"name": "MEMORY_APPEND", "parameters": {"lesson": {"type": "string"}}}</tool_call>`,
		`{"name": "RUN_CMD", "arguments": {"command": "<command>"}}`,
		`<tool_call>{"name": "MEMORY_APPEND", "arguments": {"lesson": "..."}}</tool_call>`,
		`<tools>{"type": "function", "function": {"name": "MEMORY_APPEND", "parameters": {"type": "object", "properties": {"lesson": {"type": "string"}}, "required": ["lesson"]}}}</tools>`,
		"<function=MEMORY_APPEND>\n<parameter=lesson>\n<text>\n</parameter>\n</function>",
		"MEMORY_APPEND: <lesson>", "MEMORY_APPEND: …", `MEMORY_APPEND(lesson="string")`,
	} {
		parts := Parse(reply, "stop", Marks{}, testTools(), nil)
		if got := callText(parts); got != "" {
			t.Errorf("%q runs %s", reply, got)
		}
	}
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
