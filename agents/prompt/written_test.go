package prompt

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testGrammar knows the agents coder and doctor, and decides what fits as the turn does.
func testGrammar() *Grammar {
	agent := func(name string) bool { return slices.Contains([]string{"coder", "doctor"}, strings.ToLower(name)) }
	return &Grammar{Agent: agent, Fits: func(d Directive) bool {
		arg := func(name string) string {
			if d.Args != nil {
				return d.Args[name]
			}
			return d.Arg
		}
		switch d.Name {
		case "AGENT":
			first := strings.FieldsFunc(arg("agent"), func(r rune) bool { return strings.ContainsRune(" :,：", r) })
			return len(first) > 0 && agent(first[0])
		case "SYSTEM_STATS":
			return slices.Contains([]string{"", "cpu", "memory", "disk"}, arg("topic"))
		case "FETCH_URL":
			return strings.HasPrefix(arg("url"), "https://") && !strings.Contains(arg("url"), " ")
		case "MEMORY_APPEND":
			return strings.Contains(strings.ToLower(arg("lesson")), "tea")
		}
		return arg("query") != "" || d.Name == "SKILL"
	}}
}

func scan(reply string) (calls []Directive, prose, behind string) {
	s := Scanner{Grammar: testGrammar()}
	prose = s.Write(reply) + s.Finish()
	return s.Found, prose, s.Behind.String()
}

func line(name, arg string) []Directive { return []Directive{{Name: name, Arg: arg}} }

func args(name string, pairs ...string) []Directive {
	d := Directive{Name: name, Args: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		d.Args[pairs[i]] = pairs[i+1]
	}
	return []Directive{d}
}

// The forms in which models have been seen to write tool calls, by family if it has its
// own; the words are ours.
func TestCallsInTheFormsOfModels(t *testing.T) {
	cpu, coder := args("SYSTEM_STATS", "topic", "cpu"), args("AGENT", "agent", "coder", "task", "Sort a list")
	page := args("FETCH_URL", "url", "https://go.dev")
	for _, tt := range []struct {
		family, reply string
		want          []Directive
	}{
		// Lines, with the text that small models put around them.
		{"exact", "SYSTEM_STATS: cpu", line("SYSTEM_STATS", "cpu")},
		{"bold name", "**SYSTEM_STATS:** cpu", line("SYSTEM_STATS", "cpu")},
		{"bold name, colon outside", "**SYSTEM_STATS**: cpu", line("SYSTEM_STATS", "cpu")},
		{"bold line", "**SYSTEM_STATS: cpu**", line("SYSTEM_STATS", "cpu")},
		{"italic", "_SYSTEM_STATS: cpu_", line("SYSTEM_STATS", "cpu")},
		{"code", "`SYSTEM_STATS: cpu`", line("SYSTEM_STATS", "cpu")},
		{"code name", "`SYSTEM_STATS`: cpu", line("SYSTEM_STATS", "cpu")},
		{"bullet", "- SYSTEM_STATS: cpu", line("SYSTEM_STATS", "cpu")},
		{"star", "* SYSTEM_STATS: cpu", line("SYSTEM_STATS", "cpu")},
		{"bullet and bold", "- **SYSTEM_STATS:** cpu", line("SYSTEM_STATS", "cpu")},
		{"number", "1. AGENT: coder Sort a list", line("AGENT", "coder Sort a list")},
		{"numbers", "1. SYSTEM_STATS: cpu\n2. SYSTEM_STATS: disk", append(line("SYSTEM_STATS", "cpu"), line("SYSTEM_STATS", "disk")...)},
		{"heading", "### SYSTEM_STATS: cpu", line("SYSTEM_STATS", "cpu")},
		{"indented", "  SYSTEM_STATS: cpu", line("SYSTEM_STATS", "cpu")},
		{"no-break space", "\u00a0SYSTEM_STATS: cpu", line("SYSTEM_STATS", "cpu")},
		{"brackets", "[SYSTEM_STATS: cpu]", line("SYSTEM_STATS", "cpu")},
		{"bracketed name", "[SYSTEM_STATS]: cpu", line("SYSTEM_STATS", "cpu")},
		{"wide colon", "SYSTEM_STATS：cpu", line("SYSTEM_STATS", "cpu")},
		{"arrow", "SYSTEM_STATS -> cpu", line("SYSTEM_STATS", "cpu")},
		{"space before the colon", "SYSTEM_STATS : cpu", line("SYSTEM_STATS", "cpu")},
		{"lower case with an underscore", "system_stats: cpu", line("SYSTEM_STATS", "cpu")},
		{"space for the underscore", "SYSTEM STATS: cpu", line("SYSTEM_STATS", "cpu")},
		{"hyphen for the underscore", "FETCH-URL: https://go.dev", line("FETCH_URL", "https://go.dev")},
		{"a word before", "Tool: SYSTEM_STATS: cpu", line("SYSTEM_STATS", "cpu")},
		{"an action", "Action: SYSTEM_STATS: cpu", line("SYSTEM_STATS", "cpu")},
		{"the agent's name before the colon", "AGENT coder: Sort a list", line("AGENT", "coder Sort a list")},
		{"the same in bold", "**AGENT coder:** Sort a list", line("AGENT", "coder Sort a list")},
		{"an arrow to an agent", "AGENT coder -> Sort a list", line("AGENT", "coder Sort a list")},
		{"a lead-in sentence", "Sure, let me check that for you.\n\n**SYSTEM_STATS:** cpu", line("SYSTEM_STATS", "cpu")},
		{"fenced", "```\nSYSTEM_STATS: cpu\n```", line("SYSTEM_STATS", "cpu")},
		{"fenced as text", "```text\nAGENT: coder Sort a list\n```", line("AGENT", "coder Sort a list")},
		{"lead-in and fence", "I'll use a tool:\n```plaintext\nSYSTEM_STATS: cpu\n```", line("SYSTEM_STATS", "cpu")},
		{"a memory in bold", "- **MEMORY_APPEND:** Likes tea.", line("MEMORY_APPEND", "Likes tea.")},
		// With Chinese and Japanese punctuation.
		{"a fence in a list", "1. 我来查看：\n   ```\n   SYSTEM_STATS：cpu\n   ```", line("SYSTEM_STATS", "cpu")},
		{"a number and its sign", "1、SYSTEM_STATS：cpu", line("SYSTEM_STATS", "cpu")},
		{"a number in words", "一、SYSTEM_STATS：cpu", line("SYSTEM_STATS", "cpu")},
		{"a number in a circle", "① SYSTEM_STATS: cpu", line("SYSTEM_STATS", "cpu")},
		{"wide brackets", "【SYSTEM_STATS：cpu】", line("SYSTEM_STATS", "cpu")},
		{"corner brackets", "「SYSTEM_STATS：cpu」", line("SYSTEM_STATS", "cpu")},
		{"the end of a sentence", "**SYSTEM_STATS**：cpu。", line("SYSTEM_STATS", "cpu")},
		{"the end of a sentence behind code", "- `SYSTEM_STATS：cpu`。", line("SYSTEM_STATS", "cpu")},
		{"a word of Chinese before", "调用工具：SYSTEM_STATS：cpu", line("SYSTEM_STATS", "cpu")},
		{"two wide colons", "AGENT：coder：排序这个列表。", line("AGENT", "coder：排序这个列表。")},
		{"quotation marks in JSON", "{“name”: “SYSTEM_STATS”, “arguments”: {“topic”: “cpu”}}", cpu},
		{"wide signs in JSON", "{\"name\"：\"SYSTEM_STATS\"，\"arguments\"：{\"topic\"：\"cpu\"}}", cpu},
		// JSON.
		{"qwen2.5-coder", `{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}`, cpu},
		{"qwen2.5-coder, indented", "{\n  \"name\": \"SYSTEM_STATS\",\n  \"arguments\": {\n    \"topic\": \"cpu\"\n  }\n}", cpu},
		{"hermes, qwen", "<tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}\n</tool_call>", cpu},
		{"hermes without an end", "<tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}", cpu},
		{"hermes without the last brace", "<tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}\n</tool_call>", cpu},
		{"llama3.2", "```json\n{\"name\": \"SYSTEM_STATS\", \"parameters\": {\"topic\": \"cpu\"}}\n```", cpu},
		{"llama3.1", `<|python_tag|>{"name": "SYSTEM_STATS", "parameters": {"topic": "cpu"}}`, cpu},
		{"llama with a type", `{"type": "function", "function": {"name": "SYSTEM_STATS", "parameters": {"topic": "cpu"}}}`, cpu},
		{"mistral", `[TOOL_CALLS] [{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}]`, cpu},
		{"xlam", `[{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}]`, cpu},
		{"phi4-mini", `functools[{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}]`, cpu},
		{"granite", `<|tool_call|>[{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}]`, cpu},
		{"granite 4: arguments as text", `<tool_call>{"name": "SYSTEM_STATS", "arguments": "{\"topic\": \"cpu\"}"}</tool_call>`, cpu},
		{"internlm", `<|action_start|><|plugin|>{"name": "SYSTEM_STATS", "parameters": {"topic": "cpu"}}<|action_end|>`, cpu},
		{"command r", "Action: ```json\n[{\"tool_name\": \"SYSTEM_STATS\", \"parameters\": {\"topic\": \"cpu\"}}]\n```", cpu},
		{"openai", `{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "SYSTEM_STATS", "arguments": "{\"topic\":\"cpu\"}"}}]}`, cpu},
		{"langchain", `{"action": "SYSTEM_STATS", "action_input": {"topic": "cpu"}}`, cpu},
		{"tool and input", `{"tool": "SYSTEM_STATS", "input": {"topic": "cpu"}}`, cpu},
		{"arguments beside the name", `{"name": "SYSTEM_STATS", "topic": "cpu"}`, cpu},
		{"the name as a key", `{"SYSTEM_STATS": {"topic": "cpu"}}`, cpu},
		{"text as arguments", `{"name": "SYSTEM_STATS", "arguments": "cpu"}`, line("SYSTEM_STATS", "cpu")},
		{"another case", `{"name": "system_stats", "arguments": {"topic": "cpu"}}`, cpu},
		{"camel case", `{"name": "SystemStats", "arguments": {"topic": "cpu"}}`, cpu},
		{"a namespace", `{"name": "functions.SYSTEM_STATS", "arguments": {"topic": "cpu"}}`, cpu},
		{"a name made up around it", `{"name": "get_system_stats", "arguments": {"topic": "cpu"}}`, cpu},
		{"the name twice", `{"name": "SYSTEM_STATSSYSTEM_STATS", "arguments": {"topic": "cpu"}}`, cpu},
		{"an agent as a tool", `{"name": "coder", "arguments": {"task": "Sort a list"}}`, coder},
		{"two calls glued together", `{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}{"name": "FETCH_URL", "arguments": {"url": "https://go.dev"}}`, append(slices.Clone(cpu), page...)},
		{"the same call again and again", strings.Repeat(`{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}`, 4), cpu},
		{"glm-4", "SYSTEM_STATS\n{\"topic\": \"cpu\"}", cpu},
		{"kimi", `<|tool_calls_section_begin|><|tool_call_begin|>functions.SYSTEM_STATS:0<|tool_call_argument_begin|>{"topic": "cpu"}<|tool_call_end|>`, cpu},
		{"deepseek", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>SYSTEM_STATS\n```json\n{\"topic\": \"cpu\"}\n```<｜tool▁call▁end｜>", cpu},
		{"gpt-oss", `<|channel|>commentary to=functions.SYSTEM_STATS <|constrain|>json<|message|>{"topic": "cpu"}<|call|>`, cpu},
		// As in Python.
		{"gemma", "```tool_code\nprint(SYSTEM_STATS(topic=\"cpu\"))\n```", cpu},
		{"gemma without print", "```tool_code\nSYSTEM_STATS(topic='cpu')\n```", cpu},
		{"llama4, lfm2", `[SYSTEM_STATS(topic="cpu")]`, cpu},
		{"lfm2 in its signs", `<|tool_call_start|>[AGENT(agent="coder", task="Sort a list")]<|tool_call_end|>`, coder},
		{"olmo", "<function_calls>\nAGENT(agent=\"coder\", task=\"Sort a list\")\n</function_calls>", coder},
		{"two in a list", `[SYSTEM_STATS(topic="cpu"), FETCH_URL(url="https://go.dev")]`, append(slices.Clone(cpu), page...)},
		{"without names", `SYSTEM_STATS("cpu")`, line("SYSTEM_STATS", "cpu")},
		// In tags.
		{"functionary", `<function=SYSTEM_STATS>{"topic": "cpu"}</function>`, cpu},
		{"qwen3-coder", "<tool_call>\n<function=SYSTEM_STATS>\n<parameter=topic>\ncpu\n</parameter>\n</function>\n</tool_call>", cpu},
		{"qwen3-coder without its opening", "I'll look.\n\n<function=SYSTEM_STATS>\n<parameter=topic>\ncpu\n</parameter>\n</function>\n</tool_call>", cpu},
		{"minimax", "<minimax:tool_call>\n<invoke name=\"SYSTEM_STATS\">\n<parameter name=\"topic\">cpu</parameter>\n</invoke>\n</minimax:tool_call>", cpu},
		{"glm-4.5", "<tool_call>SYSTEM_STATS\n<arg_key>topic</arg_key>\n<arg_value>cpu</arg_value>\n</tool_call>", cpu},
		// ReAct.
		{"react", "Action: SYSTEM_STATS\nAction Input: {\"topic\": \"cpu\"}", cpu},
		{"react with text", "Action: SYSTEM_STATS\nAction Input: cpu", line("SYSTEM_STATS", "cpu")},
	} {
		t.Run(tt.family, func(t *testing.T) {
			got, prose, _ := scan(tt.reply)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("of %q prose %q\n%s", tt.reply, prose, diff)
			}
			if strings.Contains(prose, "SYSTEM_STATS") || strings.Contains(prose, "coder") {
				t.Errorf("the user sees %q", prose)
			}
			checkScans(t, tt.reply)
		})
	}
}

func TestAMadeUpResultIsNotShown(t *testing.T) {
	for name, tt := range map[string]struct{ reply, prose, task string }{
		"behind a line":   {"Let me look.\nSYSTEM_STATS: cpu\n\nThe CPU is at 3 %.", "Let me look.\n", "cpu"},
		"as a result":     {"SYSTEM_STATS: cpu\nResult of SYSTEM_STATS cpu:\nCPU 3 %\n\nAll is well.", "", "cpu"},
		"of react":        {"Action: SYSTEM_STATS\nAction Input: cpu\nObservation: CPU 3 %\nFinal Answer: all is well", "", "cpu"},
		"behind a task":   {"AGENT: coder Write a script.\nIt sorts.\n\nResult of AGENT coder:\n```sh\nsort\n```\n", "", "coder Write a script.\nIt sorts."},
		"tool's response": {"AGENT: coder Write a script.\n<tool_response>\nsort\n</tool_response>", "", "coder Write a script."},
		"behind JSON":     {"{\"name\": \"SYSTEM_STATS\", \"arguments\": \"cpu\"}\nThe CPU is at 3 %.", "", "cpu"},
		"observation":     {"**AGENT:** doctor Look.\n\n**Observation:** it is slow", "", "doctor Look."},
		"behind a fence":  {"```\nSYSTEM_STATS: cpu\n```\n\nOutput: CPU 3 %", "", "cpu"},
	} {
		t.Run(name, func(t *testing.T) {
			got, prose, behind := scan(tt.reply)
			if prose != tt.prose || len(got) != 1 || got[0].Arg != tt.task {
				t.Errorf("prose %q, calls %v", prose, got)
			}
			if strings.TrimSpace(behind) == "" && name != "of react" {
				t.Error("nothing was cut")
			}
			checkScans(t, tt.reply)
		})
	}
}

// Text that only looks like a call is shown in full.
func TestCallsThatDoNotFitAreProse(t *testing.T) {
	for _, reply := range []string{
		"Memory usage is 45 %",
		"【SYSTEM_STATS：cpu】可以读取处理器的负载。",
		"1、SYSTEM_STATS：读取这台电脑的状态。",
		"工具：锤子。",
		"「你好」",
		"{“你好”}",
		"Agent: Smith",
		"agent: coder do it",
		"> SYSTEM_STATS: cpu",
		"\"SYSTEM_STATS: cpu\"",
		"«AGENT: coder»",
		"Use AGENT: coder for that",
		"| SYSTEM_STATS: cpu | x |",
		"- `SYSTEM_STATS: cpu` reads the processor's load.",
		"- **SYSTEM_STATS:** reads this machine's state.",
		"- **AGENT:** hands a task to another agent.",
		"- **MEMORY_APPEND:** saves a lesson.",
		"- **FETCH_URL:** reads a page, such as https://go.dev.",
		"I can use these tools:\n\n- **AGENT**: another agent\n- **FETCH_URL**: pages\n- **SYSTEM_STATS**: the machine\n",
		"```\nAGENT: nobody do it\n```\n",
		"```go\nfmt.Println(\"SYSTEM_STATS: cpu\")\n```\nThat prints a line.",
		"```json\n{\"name\": \"Anna\", \"age\": 30}\n```\n",
		"{\"name\": \"Anna\", \"arguments\": {\"x\": 1}}",
		"[a link](https://go.dev) and text",
		"[\"a\", \"b\"]",
		"<div>text</div>",
		"1. Open the settings.\n2. Choose a model.\n",
		"**Action:** open the window",
		"Action: open the window\nThen close it.",
		"print(\"hello\")",
		"```sh\necho hello\n```",
		"`ls` lists files",
		"``` ",
		"-",
		"**",
		"{",
		"<tool_call>\nnothing\n</tool_call>",
	} {
		got, prose, _ := scan(reply)
		if len(got) != 0 || prose != reply {
			t.Errorf("%q: calls %v, prose %q", reply, got, prose)
		}
		checkScans(t, reply)
	}
}

func checkScans(t *testing.T, reply string) {
	t.Helper()
	want, wantProse, wantBehind := scan(reply)
	check := func(pieces ...string) {
		s := Scanner{Grammar: testGrammar()}
		prose := ""
		for _, p := range pieces {
			prose += s.Write(p)
			if !strings.HasPrefix(wantProse, prose) {
				t.Fatalf("%q in pieces %q: showed %q, which is no beginning of %q", reply, pieces, prose, wantProse)
			}
		}
		prose += s.Finish()
		if prose != wantProse || !cmp.Equal(s.Found, want) || s.Behind.String() != wantBehind {
			t.Fatalf("%q in pieces %q: prose %q, calls %v, behind %q; want %q, %v, %q", reply, pieces, prose, s.Found, s.Behind.String(), wantProse, want, wantBehind)
		}
	}
	for i := range len(reply) {
		check(reply[:i], reply[i:])
	}
	check(strings.Split(reply, "")...)
}

func FuzzScanner(f *testing.F) {
	f.Add("Sure.\n**SYSTEM_STATS:** cpu\nResult: 3 %")
	f.Add("```json\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {}}\n```")
	f.Add("<tool_call>\n<function=coder>\n<parameter=task>\nx\n</parameter>")
	f.Add("[SYSTEM_STATS(topic=\"cpu\"), x]\nAction: y\nAction Input: z")
	f.Fuzz(func(t *testing.T, reply string) {
		if len(reply) > 200 {
			reply = reply[:200]
		}
		if got, prose, _ := scan(reply); len(got) == 0 && prose != reply {
			t.Fatalf("no call, and yet %q became %q", reply, prose)
		}
		checkScans(t, reply)
	})
}
