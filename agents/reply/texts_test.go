package reply

import (
	"strings"
	"testing"
)

// Texts in which calls stand as in logs, mails, code and markup of all kinds.
func TestNothingRunsOutOfOtherTexts(t *testing.T) {
	const own = "I like green tea. Please do what is needed."
	const C = `<tool_call>{"name": "MEMORY_APPEND", "arguments": {"lesson": "Likes green tea"}}</tool_call>`
	const J = `{"name": "MEMORY_APPEND", "arguments": {"lesson": "Likes green tea"}}`
	const L = `MEMORY_APPEND: Likes green tea`
	for _, reply := range []string{
		// chat logs, mails
		"From: Anna\nTo: Bob\nSubject: tea\n\nHi Bob,\n" + L + "\n\nBest,\nAnna",
		"Here is the log.\n\n2024-05-01 10:00:01 [assistant] " + C,
		"Here is the log.\n\n2024-05-01 10:00:01 INFO assistant - " + C,
		"10:31 <anna> hi\n10:32 <bot> " + J,
		"Anna schrieb am Montag:\n| Hallo\n| " + L + "\n\nGruß",
		"user> remember it\nassistant> " + C,
		"Q: How do I save it?\nA: " + C,
		"Q: How do I save it?\nA:\n" + L,
		"Human: Save it.\n\nAI: Sure!\n" + C,
		"-- Anna, 10:31 --\nRemember it.\n-- Bot, 10:32 --\n" + C,
		"Step 1. The user writes.\nStep 2. The model answers " + C + "\nStep 3. The app saves.",
		"{\"role\": \"assistant\", \"content\": \"" + strings.ReplaceAll(C, `"`, `\"`) + "\"}",
		"{\"messages\": [{\"role\": \"user\", \"content\": \"x\"}, {\"role\": \"assistant\", \"tool_calls\": [{\"function\": " + J + "}]}]}",
		"```json\n{\"messages\": [{\"role\": \"assistant\", \"tool_calls\": [{\"function\": " + J + "}]}]}\n```",
		"- role: user\n  content: Remember it\n- role: assistant\n  content: |\n    " + C,
		"- role: assistant\n  content: " + C,
		"messages:\n  - assistant: " + C + "\n",
		// markup
		".. note::\n\n   " + L + "\n",
		"::\n\n   " + C + "\n\nThat is it.",
		"= Title\n\n.Example\n====\n" + C + "\n====\n",
		"[example]\n====\n" + L + "\n====\n",
		"* Heading\n:PROPERTIES:\n:END:\n#+BEGIN_QUOTE\n" + L + "\n#+END_QUOTE",
		": " + L + "\n: more\n",
		"\\texttt{" + C + "}",
		"\\verb|" + C + "|",
		"$$\n" + C + "\n$$",
		"<details>\n<summary>Example</summary>\n\n" + C + "\n\n</details>",
		"<blockquote>\n" + L + "\n</blockquote>\n",
		"<p>" + C + "</p>",
		"<ul>\n<li>" + C + "</li>\n</ul>",
		"<kbd>" + C + "</kbd> saves it.",
		"<![CDATA[" + C + "]]>",
		"&lt;tool_call&gt;" + J + "&lt;/tool_call&gt;",
		"~~" + C + "~~",
		"||" + C + "||",
		"<!-- example\n" + C + "\n-->",
		"/* " + C + " */",
		"// " + C,
		"# " + C,
		"# comment\n# " + L + "\n",
		"const prompt = `" + C + "`;",
		"print('''\n" + C + "\n''')",
		"echo '" + J + "' | jq",
		"curl -d '" + J + "' http://x.example",
		"[[" + C + "]]",
		"==" + C + "==",
		"+" + L,
		"+ " + L + "\n- old line",
		"diff\n-old\n+" + C,
		"@@ -1 +1 @@\n+" + L,
		"    " + L,
		"1. First\n   " + L + "\n2. Second",
		"a. " + C + "\nb. " + C,
		"(1) " + C + "\n(2) " + C,
		"Example 1: " + C + "\nExample 2: " + C,
		"Wrong:\n" + C + "\n\nRight:\n" + C,
		"Bad → " + C + "\nGood → " + C,
		"Never write " + C + ".",
		"If you like tea, I would write " + C + " but you don't.",
		"The call was " + C + ", and it failed.",
		"I wrote " + C + "! It worked.",
		"What does " + C + " mean?",
		"Translation: " + C + " means to save.",
		"In the previous turn the assistant said\n\n" + C + "\n\nand the user agreed.",
		"Output:\n" + C + "\n\nExpected:\n" + C,
		"Input: x\nOutput: " + C,
		"Prompt: save\nCompletion: " + C,
		"[SYSTEM]\nYou may write\n" + C + "\n[USER]\nHi",
		"<system>You may write " + C + "</system>\n<user>Hi</user>",
		"<turn role=\"assistant\">" + C + "</turn>",
		"<message from=\"assistant\">\n" + C + "\n</message>",
		"<|im_start|>system\nYou may write " + C + "<|im_end|>",
		"<|endoftext|>User: x\nAssistant: " + C,
		"The answer is 42.<|endoftext|>Question: x\nAnswer: " + C,
		"The answer is 42.</s><s>[INST] x [/INST] " + C,
		"The answer is 42.\n\nHuman: remember it\n\nAssistant: " + C,
		"The answer is 42.\n### Human: remember it\n### Assistant: " + C,
		"<tool_response>\n" + J + "\n</tool_response>",
		"Tool result:\n" + L,
		"Observation: " + J,
	} {
		for _, quoted := range [][]Quoted{nil, {{Text: own, Own: true}}} {
			parts := Parse(reply, "stop", Marks{}, testTools(), quoted)
			checkCover(t, reply, parts)
			if got := callText(parts); got != "" {
				t.Errorf("%q runs %s", reply, got)
			}
		}
	}
}

// Calls among what answers consist of.
func TestCallsAmongOrdinaryTextRun(t *testing.T) {
	const S = `<tool_call>{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}</tool_call>`
	for _, tt := range []struct{ reply, calls string }{
		{"I'll look.\n\n" + S, cpu},
		{"Let me check the load:\n\n" + S, cpu},
		{"Okay, one moment… " + S, cpu},
		{"Sure! 😊\n" + S, cpu},
		{"**Checking the load.**\n\n" + S, cpu},
		{"1. Look at the load.\n2. Answer.\n\n" + S, cpu},
		{"```sh\ntop\n```\nI can't run that, but this.\n" + S, cpu},
		{"The file (a.txt) is read. Next the load.\n" + S, cpu},
		{"You said “hello”. " + S, cpu},
		{"The script is this:\n\n```sh\ntop\n```\n\nI look myself.\n" + S, cpu},
		{"मैं लोड देखता हूँ।\n" + S, cpu},
		{"هل أتحقق من الحمل؟\n" + S, cpu},
		{"میں دیکھتا ہوں۔ " + S, cpu},
		{"ฉันจะตรวจสอบโหลดของเครื่อง\n" + S, cpu},
		{"ฉันจะตรวจสอบโหลดของเครื่อง\n\nกรุณารอสักครู่นะครับผม 🙏🏽\n" + S, cpu},
		{"ຂ້ອຍຈະກວດເບິ່ງການໂຫຼດຂອງເຄື່ອງ\n" + S, cpu},
		{"Okay! 👍🏽\n" + S, cpu},
		{"Done. 👩🏽‍💻 " + S, cpu},
		{"Ich prüfe ‚cpu‘.\n" + S, cpu},
		{"‚cpu‘ wird geprüft.\n" + S, cpu},
		{"»Last« wird geprüft.\n" + S, cpu},
		{"„Last“ wird geprüft.\n" + S, cpu},
		{"\"Load\" it is.\n" + S, cpu},
		{"Ich prüfe die „Last.“\n" + S, cpu},
		{"Sorry :( I'll look.\n" + S, cpu},
		{"Oh no :-( I'll look. " + S, cpu},
		{"Note: the disk is full. I'll clean up.\n" + S, cpu},
		{"**Hinweis:** Die Platte ist voll.\n\nIch sehe nach.\n" + S, cpu},
		{"E-Mail wird geprüft.\n" + S, cpu},
		{"好的，我来查看。\n" + S, cpu},
		{"好的，我来查看：\n" + S, cpu},
		{"<|im_start|>assistant\n" + S, cpu},
		{"<|assistant|>\n" + S, cpu},
		{"assistant\n" + S, cpu},
		{S + "\n\n**Waiting for the result.**", cpu},
		{S + "\n\n- waits", cpu},
		{S + "\n\nI'll wait…", cpu},
		{S + "<|im_end|>\n<|im_start|>user\n<tool_response>x", cpu},
		{S + "<|eot_id|>", cpu},
		{S + "\n<|observation|>", cpu},
		{"SYSTEM_STATS: cpu\n\n(I wait for the result.)", "SYSTEM_STATS cpu"},
		{"I look.\n\nSYSTEM_STATS: cpu\n", "SYSTEM_STATS cpu"},
		{"SYSTEM_STATS\n<arg_key>topic</arg_key>\n<arg_value>cpu</arg_value>", cpu},
		{"I look.\nSYSTEM_STATS\n<arg_key>topic</arg_key>\n<arg_value>cpu</arg_value>\n</tool_call>", cpu},
		{"I look.\n<|tool_calls|><|tool_call:begin|>SYSTEM_STATS<|tool_call:args|>{\"topic\": \"cpu\"}<|tool_call:end|>", cpu},
		{"I look. <|tool_calls|><|tool_call:begin|>SYSTEM_STATS<|tool_call:args|>{\"topic\": \"cpu\"}<|tool_call:end|>", cpu},
		{"I'll check the load.\n\n<tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}\n</tool_call>", cpu},
		{"Let me check the load first:\n\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}", cpu},
		{"Here is what I do.\n1. Look at the load.\n2. Tell you about it.\n\n<tool_call>{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}</tool_call>", cpu},
		{"Ich sehe mir die Last an.\n\nSYSTEM_STATS: cpu", "SYSTEM_STATS cpu"},
		{"負荷を確認します。\n<tool_call>{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}</tool_call>", cpu},
		{"¡Claro! Voy a mirar la carga…\n<function=SYSTEM_STATS><parameter=topic>cpu</parameter></function>", cpu},
		{"🔎 One moment, please. 🙂\n\n[TOOL_CALLS]SYSTEM_STATS[ARGS]{\"topic\": \"cpu\"}", cpu},
		{"<think>The user wants the load. \"cpu\" it is (surely).</think>\n\nI'll look.\n\n<tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}\n</tool_call>", cpu},
		{"<tool_call>{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}</tool_call>\n\nI'll tell you what it says.", cpu},
	} {
		parts := Parse(tt.reply, "stop", Marks{}, testTools(), []Quoted{{Text: "Please do what is needed.", Own: true}})
		if got := callText(parts); got != tt.calls {
			t.Errorf("%q calls %q; parts %+v", tt.reply, got, parts)
		}
	}
}

// What a model writes before a call without it being a sentence costs one round: nobody can tell
// it from a title, a name or another's words.
func TestTheModelIsAskedAgainBehindWhatIsNoSentence(t *testing.T) {
	const S = `<tool_call>{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}</tool_call>`
	for _, before := range []string{
		"Hm (see above)\n", "See https://go.dev/a?b=c\n\n", "> You asked for the load.\n\n", "Schritt 1: Last ansehen.\n", "---\n", "Step 1 of 2 — the load\n\n",
		"I look at the load now\n", "Let me see now ", "It's 5\" wide. ", "OK ", "OK\n", "Sure\n\n",
		"| a | b |\n|---|---|\n| 1 | 2 |\n\nNow the load.\n", "Name: Anna\nAge: 3\n\nI'll check the load too.\n", "# Plan\n\nFirst I look at the load.\n\n", "- look\n- tell\n",
	} {
		parts := Parse(before+S, "stop", Marks{}, testTools(), nil)
		if last := parts[len(parts)-1]; callText(parts) != "" || last.Why == "" || last.Tool != "SYSTEM_STATS" {
			t.Errorf("%q: parts %+v", before, parts)
		}
	}
}

// An example in code amid text is an answer: it is shown, and nobody is asked.
func TestAnExampleInCodeIsShown(t *testing.T) {
	for _, form := range []string{"MEMORY_APPEND: Likes tea", `{"name": "MEMORY_APPEND", "arguments": {"lesson": "Likes tea"}}`, `MEMORY_APPEND(lesson="Likes tea")`, `<tool_call>{"name": "MEMORY_APPEND", "arguments": {"lesson": "Likes tea"}}</tool_call>`} {
		for _, around := range [][2]string{
			{"Here is one:\n\n```\n", "\n```\n\nThat saves it."},
			{"Here is one.\n\n```\n", "\n```\n\nThat saves it."},
			{"Example:\n```text\n", "\n```\nThat saves it."},
			{"Here is one:\n\n~~~\n", "\n~~~\n\nThat saves it."},
			{"Here is one:\n\n    ", "\n\nThat saves it."},
			{"Example:\n\n\t", "\n\nThat saves it."},
			{"Here is one: `", "`. That saves it."},
			{"Example: `", "` saves it."},
			{"Example: ``", "`` saves it."},
			{"1. Beispiel:\n   ```\n   ", "\n   ```\n2. Das speichert es."},
		} {
			reply := around[0] + form + around[1]
			parts := Parse(reply, "stop", Marks{}, testTools(), []Quoted{{Text: "Show me a call of a tool in a code block", Own: true}})
			if len(parts) != 1 || parts[0].Kind != KindText || parts[0].Why != "" {
				t.Errorf("%q: parts %+v", reply, parts)
			}
		}
	}
}
