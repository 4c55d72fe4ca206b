package reply

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// testTools are what the tests' models may call: the project's own tools, two agents, and
// tools of other programs.
func testTools() []Tool {
	topics := []string{"", "all", "cpu", "memory", "disk", "network"}
	arg := func(c Call, name string) string {
		if c.Args == nil {
			return c.Text
		}
		s, _ := c.Args[name].(string)
		return s
	}
	return []Tool{
		{Name: "SYSTEM_STATS", Params: []string{"topic"}, Reads: true, Fits: func(c Call) error {
			if !slices.Contains(topics, strings.ToLower(arg(c, "topic"))) {
				return errors.New("no such topic")
			}
			return nil
		}},
		{Name: "FETCH_URL", Params: []string{"url"}, Reads: true, Fits: func(c Call) error {
			if u := arg(c, "url"); !strings.HasPrefix(u, "https://") || strings.Contains(u, " ") {
				return errors.New("no address")
			}
			return nil
		}},
		{Name: "MEMORY_APPEND", Params: []string{"lesson", "agent"}},
		{Name: "MEMORY_SEARCH", Params: []string{"query"}, Reads: true},
		{Name: "RUN_CMD", Params: []string{"command"}},
		{Name: "AGENT", Params: []string{"agent", "task"}, Long: true, Fits: func(c Call) error {
			if name, _, _ := strings.Cut(arg(c, "agent"), " "); name != "coder" && name != "doctor" {
				return errors.New("no such agent")
			}
			return nil
		}},
		{Name: "SKILL", Params: []string{"skill", "task"}, Long: true, Fits: func(c Call) error {
			if name, _, _ := strings.Cut(arg(c, "skill"), " "); name != "sum" {
				return errors.New("no such skill")
			}
			return nil
		}},
		{Name: "coder", For: "AGENT"},
		{Name: "doctor", For: "AGENT"},
		{Name: "srv.ok", Params: []string{"text"}},
		{Name: "my_srv.list_files", Params: []string{"path", "depth"}, Reads: true},
	}
}

// form is one way in which models write calls; the shapes are those of public parsers, the
// words are ours. A form added here joins all tests: it must be read, it must not run in any
// place where text is only shown, nor if a page holds it, and it is joined with all others.
type form struct {
	name string
	text string
	want string // the calls: NAME {"k":"v"} or NAME text, one a line
}

const (
	cpu   = `SYSTEM_STATS {"topic":"cpu"}`
	sorts = `AGENT {"agent":"coder","task":"Sort 3 numbers"}`
)

var forms = []form{
	// Lines, as the prompt asks for them.
	{"directive", "SYSTEM_STATS: cpu", "SYSTEM_STATS cpu"},
	{"directive of an agent", "AGENT: coder Sort 3 numbers", "AGENT coder Sort 3 numbers"},
	{"directive over lines", "AGENT: coder Sort 3 numbers\n- up\n- down", "AGENT coder Sort 3 numbers\n- up\n- down"},
	{"directives", "SYSTEM_STATS: cpu\nFETCH_URL: https://go.dev/a", "SYSTEM_STATS cpu\nFETCH_URL https://go.dev/a"},
	{"directive of another program", `MCP: srv.ok {"text": "a b"}`, `srv.ok {"text":"a b"}`},
	{"directive of another program with text", `MCP: srv.ok a b`, `srv.ok a b`},
	{"bold name", "**SYSTEM_STATS:** cpu", "SYSTEM_STATS cpu"},
	{"bold line", "**SYSTEM_STATS: cpu**", "SYSTEM_STATS cpu"},
	{"stars in the argument", "MEMORY_APPEND: Likes **green tea**", "MEMORY_APPEND Likes **green tea**"},
	{"fenced line", "```\nSYSTEM_STATS: cpu\n```", "SYSTEM_STATS cpu"},
	// JSON without an envelope.
	{"qwen 2.5 coder", `{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}`, cpu},
	{"indented JSON", "{\n  \"name\": \"SYSTEM_STATS\",\n  \"arguments\": {\n    \"topic\": \"cpu\"\n  }\n}", cpu},
	{"llama 3.1", `{"name": "system_stats", "parameters": {"topic": "cpu"}}`, cpu},
	{"llama 3.1 with a type", `{"type": "function", "name": "SYSTEM_STATS", "parameters": {"topic": "cpu"}}`, cpu},
	{"llama with ; between", `{"name": "SYSTEM_STATS", "parameters": {"topic": "cpu"}}; {"name": "SYSTEM_STATS", "parameters": {"topic": "disk"}}`, cpu + "\n" + `SYSTEM_STATS {"topic":"disk"}`},
	{"xlam", `[{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}]`, cpu},
	{"xlam in a fence", "```json\n[{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}]\n```", cpu},
	{"two with a comma", `{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}, {"name": "SYSTEM_STATS", "arguments": {"topic": "disk"}}`, cpu + "\n" + `SYSTEM_STATS {"topic":"disk"}`},
	{"two glued", `{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}{"name": "SYSTEM_STATS", "arguments": {"topic": "disk"}}`, cpu + "\n" + `SYSTEM_STATS {"topic":"disk"}`},
	{"openai", `{"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "SYSTEM_STATS", "arguments": "{\"topic\": \"cpu\"}"}}]}`, cpu},
	{"function in JSON", `{"type": "function", "function": {"name": "SYSTEM_STATS", "parameters": {"topic": "cpu"}}}`, cpu},
	{"langchain", `{"action": "SYSTEM_STATS", "action_input": {"topic": "cpu"}}`, cpu},
	{"tool and input", `{"tool": "SYSTEM_STATS", "tool_input": {"topic": "cpu"}}`, cpu},
	{"arguments first", `{"arguments": {"topic": "cpu"}, "name": "SYSTEM_STATS"}`, cpu},
	{"name as key", `{"SYSTEM_STATS": {"topic": "cpu"}}`, cpu},
	{"single quotes alone", `{'name': 'SYSTEM_STATS', 'arguments': {'topic': 'cpu'}}`, cpu},
	{"another program's, bare", `{"name": "mcp__srv__ok", "arguments": {"text": "a b"}}`, `srv.ok {"text":"a b"}`},
	{"null", `{"name": "MEMORY_APPEND", "arguments": {"lesson": "Likes green tea", "agent": null}}`, `MEMORY_APPEND {"lesson":"Likes green tea"}`},
	// Names and parentheses or braces.
	{"llama 4", `[SYSTEM_STATS(topic="cpu")]`, cpu},
	{"llama 4, two", `[SYSTEM_STATS(topic="cpu"), AGENT(agent="coder", task="Sort 3 numbers")]`, cpu + "\n" + sorts},
	{"call", `SYSTEM_STATS(topic="cpu")`, cpu},
	{"call by position", `SYSTEM_STATS("cpu")`, cpu},
	{"two by position", `AGENT("coder", "Sort 3 numbers")`, sorts},
	{"glm 4", "SYSTEM_STATS\n{\"topic\": \"cpu\"}", cpu},
	{"name and object", `SYSTEM_STATS{"topic": "cpu"}`, cpu},
	// JSON in an envelope.
	{"hermes", "<tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}\n</tool_call>", cpu},
	{"hermes on one line", `<tool_call>{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}</tool_call>`, cpu},
	{"hermes, two", "<tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"AGENT\", \"arguments\": {\"agent\": \"coder\", \"task\": \"Sort 3 numbers\"}}\n</tool_call>", cpu + "\n" + sorts},
	{"hermes without its end", "<tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}", cpu},
	{"hermes without the last brace", "<tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}\n</tool_call>", cpu},
	{"hermes with a brace too many", "<tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}}\n</tool_call>", cpu},
	{"hermes as Python writes it", "<tool_call>\n{'name': 'MEMORY_APPEND', 'arguments': {'lesson': 'Likes green tea', 'agent': None}}\n</tool_call>", `MEMORY_APPEND {"lesson":"Likes green tea"}`},
	{"trailing comma", `<tool_call>{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu",},}</tool_call>`, cpu},
	{"bare keys", `<tool_call>{name: "SYSTEM_STATS", arguments: {topic: "cpu"}}</tool_call>`, cpu},
	{"raw line break", "<tool_call>{\"name\": \"AGENT\", \"arguments\": {\"agent\": \"coder\", \"task\": \"Sort\n3 numbers\"}}</tool_call>", `AGENT {"agent":"coder","task":"Sort\n3 numbers"}`},
	{"arguments as text", `<tool_call>{"name": "SYSTEM_STATS", "arguments": "{\"topic\": \"cpu\"}"}</tool_call>`, cpu},
	{"arguments beside the name", `<tool_call>{"tool": "SYSTEM_STATS", "topic": "cpu"}</tool_call>`, cpu},
	{"a list of arguments", `<tool_call>{"name": "AGENT", "arguments": ["coder", "Sort 3 numbers"]}</tool_call>`, sorts},
	{"no arguments", `<tool_call>{"name": "SYSTEM_STATS"}</tool_call>`, `SYSTEM_STATS {}`},
	{"a namespace", `<tool_call>{"name": "functions.SYSTEM_STATS", "arguments": {"topic": "cpu"}}</tool_call>`, cpu},
	{"an agent as a tool", `<tool_call>{"name": "coder", "arguments": {"task": "Sort 3 numbers"}}</tool_call>`, sorts},
	{"another program's tool", `<tool_call>{"name": "srv.ok", "arguments": {"text": "a b"}}</tool_call>`, `srv.ok {"text":"a b"}`},
	{"another program's with underscores", `<tool_call>{"name": "my_srv_list_files", "arguments": {"path": "/tmp", "depth": 12345678901234567890}}</tool_call>`, `my_srv.list_files {"depth":12345678901234567890,"path":"/tmp"}`},
	{"thought inside", "<tool_call>\n<think>cpu then</think>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}\n</tool_call>", cpu},
	{"line in an envelope", "<function_call>\nSYSTEM_STATS: cpu\n</function_call>", "SYSTEM_STATS cpu"},
	{"stars in JSON", "<tool_call>\n{\"name\": \"AGENT\", \"arguments\": {\"agent\": \"coder\", \"task\": \"What is 2**10?\"}}\n</tool_call>", `AGENT {"agent":"coder","task":"What is 2**10?"}`},
	{"function_call", `<function_call>{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}</function_call>`, cpu},
	{"granite", `<|tool_call|>[{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}]`, cpu},
	{"granite 20b", `<function_call> {"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}`, cpu},
	{"jamba", `<tool_calls>[{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}]</tool_calls>`, cpu},
	{"nemotron", `<TOOLCALL>[{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}]</TOOLCALL>`, cpu},
	{"mistral", `[TOOL_CALLS] [{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}]`, cpu},
	{"mistral with an end", `[TOOL_CALLS][{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}][/TOOL_CALLS]`, cpu},
	{"mistral line", `[TOOL_CALLS] SYSTEM_STATS: cpu`, "SYSTEM_STATS cpu"},
	{"mistral small 3.2", `[TOOL_CALLS]SYSTEM_STATS[CALL_ID]abc123XYZ[ARGS]{"topic": "cpu"}`, cpu},
	{"mistral large 3, two", `[TOOL_CALLS]SYSTEM_STATS[ARGS]{"topic": "cpu"}[TOOL_CALLS]AGENT[ARGS]{"agent": "coder", "task": "Sort 3 numbers"}`, cpu + "\n" + sorts},
	{"mistral nemo", `[TOOL_CALLS]SYSTEM_STATS{"topic": "cpu"}`, cpu},
	{"llama python tag", `<|python_tag|>{"name": "SYSTEM_STATS", "parameters": {"topic": "cpu"}}`, cpu},
	{"llama python call", `<|python_tag|>SYSTEM_STATS.call(topic="cpu")`, cpu},
	{"phi functools", `functools[{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}]`, cpu},
	{"internlm", "<|action_start|><|plugin|>\n{\"name\": \"SYSTEM_STATS\", \"parameters\": {\"topic\": \"cpu\"}}<|action_end|>", cpu},
	{"command r", "Action: ```json\n[\n    {\n        \"tool_name\": \"SYSTEM_STATS\",\n        \"parameters\": {\"topic\": \"cpu\"}\n    }\n]\n```", cpu},
	{"command r7b", `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "SYSTEM_STATS", "parameters": {"topic": "cpu"}}]<|END_ACTION|>`, cpu},
	{"apertus", `<|tools_prefix|>[{"SYSTEM_STATS": {"topic": "cpu"}}]<|tools_suffix|>`, cpu},
	{"kimi", `<|tool_calls_section_begin|><|tool_call_begin|>functions.SYSTEM_STATS:0<|tool_call_argument_begin|>{"topic": "cpu"}<|tool_call_end|><|tool_calls_section_end|>`, cpu},
	{"kimi, two", `<|tool_calls_section_begin|><|tool_call_begin|>functions.SYSTEM_STATS:0<|tool_call_argument_begin|>{"topic": "cpu"}<|tool_call_end|><|tool_call_begin|>functions.AGENT:1<|tool_call_argument_begin|>{"agent": "coder", "task": "Sort 3 numbers"}<|tool_call_end|><|tool_calls_section_end|>`, cpu + "\n" + sorts},
	{"deepseek", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>SYSTEM_STATS\n```json\n{\"topic\": \"cpu\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", cpu},
	{"deepseek 3.1", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>SYSTEM_STATS<｜tool▁sep｜>{\"topic\": \"cpu\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", cpu},
	{"deepseek 3.2", "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"SYSTEM_STATS\">\n<｜DSML｜parameter name=\"topic\" string=\"true\">cpu</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>", cpu},
	{"harmony", `<|channel|>commentary to=functions.SYSTEM_STATS <|constrain|>json<|message|>{"topic": "cpu"}<|call|>`, cpu},
	{"harmony with a thought", `<|channel|>analysis<|message|>I need the load.<|end|><|start|>assistant<|channel|>commentary to=functions.SYSTEM_STATS <|constrain|>json<|message|>{"topic": "cpu"}<|call|>`, cpu},
	{"harmony, recipient in the role", `<|start|>assistant to=functions.SYSTEM_STATS<|channel|>commentary json<|message|>{"topic": "cpu"}<|call|>`, cpu},
	// Tags.
	{"llama 3 function", `<function=SYSTEM_STATS>{"topic": "cpu"}</function>`, cpu},
	{"qwen 3 coder", "<tool_call>\n<function=SYSTEM_STATS>\n<parameter=topic>\ncpu\n</parameter>\n</function>\n</tool_call>", cpu},
	{"qwen 3 coder, several lines", "<tool_call>\n<function=AGENT>\n<parameter=agent>\ncoder\n</parameter>\n<parameter=task>\nSort:\n```\n3\n1\n```\n</parameter>\n</function>\n</tool_call>", `AGENT {"agent":"coder","task":"Sort:\n` + "```" + `\n3\n1\n` + "```" + `"}`},
	{"qwen 3 coder without its opening", "<function=SYSTEM_STATS>\n<parameter=topic>\ncpu\n</parameter>\n</function>\n</tool_call>", cpu},
	{"qwen 3 coder without closing tags", "<tool_call>\n<function=AGENT>\n<parameter=agent>\ncoder\n<parameter=task>\nSort 3 numbers\n</function>\n</tool_call>", sorts},
	{"seed", "<seed:tool_call>\n<function=SYSTEM_STATS>\n<parameter=topic>cpu</parameter>\n</function>\n</seed:tool_call>", cpu},
	{"minimax", "<minimax:tool_call>\n<invoke name=\"SYSTEM_STATS\">\n<parameter name=\"topic\">cpu</parameter>\n</invoke>\n</minimax:tool_call>", cpu},
	{"claude", "<function_calls>\n<invoke name=\"AGENT\">\n<parameter name=\"agent\">coder</parameter>\n<parameter name=\"task\">Sort 3 numbers</parameter>\n</invoke>\n</function_calls>", sorts},
	{"claude 2", "<function_calls>\n<invoke>\n<tool_name>SYSTEM_STATS</tool_name>\n<parameters>\n<topic>cpu</topic>\n</parameters>\n</invoke>\n</function_calls>", cpu},
	{"step 3", "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"SYSTEM_STATS\"><steptml:parameter name=\"topic\">cpu</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>", cpu},
	{"name and arguments in tags", "<tool_call>\n<name>SYSTEM_STATS</name>\n<arguments>{\"topic\": \"cpu\"}</arguments>\n</tool_call>", cpu},
	{"glm 4.5", "<tool_call>SYSTEM_STATS\n<arg_key>topic</arg_key>\n<arg_value>cpu</arg_value>\n</tool_call>", cpu},
	{"glm, two arguments", "<tool_call>AGENT\n<arg_key>agent</arg_key>\n<arg_value>coder</arg_value>\n<arg_key>task</arg_key>\n<arg_value>Sort 3 numbers</arg_value>\n</tool_call>", sorts},
	{"glm 4.7", "<tool_call>SYSTEM_STATS<arg_key>topic</arg_key><arg_value>cpu</arg_value></tool_call>", cpu},
	// Code.
	{"gemma 3", "```tool_code\nprint(SYSTEM_STATS(topic=\"cpu\"))\n```", cpu},
	{"gemma 3 without print", "```tool_code\nsystem_stats(topic='cpu')\n```", cpu},
	{"gemma 3 with its module", "```tool_code\nprint(default_api.SYSTEM_STATS(topic=\"cpu\"))\n```", cpu},
	{"functiongemma", "<start_function_call>call:SYSTEM_STATS{topic:<escape>cpu<escape>}<end_function_call>", cpu},
	{"gemma 4", `<|tool_call>call:SYSTEM_STATS{topic:<|"|>cpu<|"|>}<tool_call|>`, cpu},
	{"olmo 3", "<function_calls>\nSYSTEM_STATS(topic=\"cpu\")\nAGENT(agent=\"coder\", task=\"Sort 3 numbers\")\n</function_calls>", cpu + "\n" + sorts},
	{"lfm 2", `<|tool_call_start|>[SYSTEM_STATS(topic="cpu")]<|tool_call_end|>`, cpu},
	// ReAct.
	{"react", "Thought: I need the load.\nAction: SYSTEM_STATS\nAction Input: {\"topic\": \"cpu\"}", cpu},
	{"react with text", "Action: SYSTEM_STATS\nAction Input: cpu", "SYSTEM_STATS cpu"},
	{"react over lines", "Action: AGENT\nAction Input: coder Sort\n3 numbers\nObservation: 1 2 3", "AGENT coder Sort\n3 numbers"},
	{"react in JSON", "Action:\n```\n{\"action\": \"SYSTEM_STATS\", \"action_input\": {\"topic\": \"cpu\"}}\n```", cpu},
}

// allForms returns the forms of all lists.
func allForms() []form { return slices.Concat(forms, heldOut, later, fresh, newest) }

// callText writes calls as the tests expect them.
func callText(parts []Part) string {
	var lines []string
	for _, p := range parts {
		for _, c := range p.Calls {
			if c.Why != "" {
				continue
			}
			line := c.Name
			if c.Args != nil {
				data, _ := json.Marshal(c.Args)
				line += " " + string(data)
			} else if c.Text != "" {
				line += " " + c.Text
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// partText returns the parts of one kind, without what was written behind a call.
func partText(whole string, parts []Part, kind Kind) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Kind == kind && !p.Behind {
			b.WriteString(whole[p.From:p.To])
		}
	}
	return b.String()
}
