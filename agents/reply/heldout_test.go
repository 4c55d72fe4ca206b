package reply

import (
	"slices"
	"testing"
)

// heldOut are forms that were written after the rules, from the shapes of parsers that were
// not looked at before. Nothing is tuned on them: what isn't read must only be safe.
var heldOut = []form{
	{"hunyuan 3 without arguments", "<tool_calls><tool_call>SYSTEM_STATS<tool_sep></tool_call></tool_calls>", "SYSTEM_STATS {}"},
	{"hunyuan 3", "<tool_calls>\n<tool_call>AGENT<tool_sep>\n<arg_key>agent</arg_key>\n<arg_value>coder</arg_value>\n<arg_key>task</arg_key>\n<arg_value>Sort 3 numbers</arg_value>\n</tool_call>\n</tool_calls>", sorts},
	{"hunyuan a13b", "<think>hm</think><answer><tool_calls>[{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}]</tool_calls></answer>", cpu},
	{"longcat", `<longcat_tool_call>{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}</longcat_tool_call>`, cpu},
	{"minimax 3", "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"SYSTEM_STATS\">]<]minimax[>[<topic>cpu]<]minimax[>[</topic>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>", cpu},
	{"minicpm 5", `<function name="SYSTEM_STATS"><param name="topic">cpu</param></function>`, cpu},
	{"minicpm 5 with CDATA", `<function name="SYSTEM_STATS"><param name="topic"><![CDATA[cpu]]></param></function>`, cpu},
	{"gigachat 3", `function call{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}`, cpu},
	{"pangu", `[unused11][{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}][unused12]`, cpu},
	{"ernie", "<think>\nhm\n</think>\n\n\n<tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}\n</tool_call>\n", cpu},
	{"functionary 3.2", ">>>SYSTEM_STATS\n{\"topic\": \"cpu\"}", cpu},
	{"functionary 3.1, two", `<function=SYSTEM_STATS>{"topic": "cpu"}</function><function=AGENT>{"agent": "coder", "task": "Sort 3 numbers"}</function>`, cpu + "\n" + sorts},
	{"llama 3.2, two lines", "[SYSTEM_STATS(topic=\"cpu\"),\n AGENT(agent=\"coder\", task=\"Sort 3 numbers\")]", cpu + "\n" + sorts},
	{"watt", `[SYSTEM_STATS(topic='cpu')]`, cpu},
	{"command a", "<|START_THINKING|>hm<|END_THINKING|><|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"SYSTEM_STATS\", \"parameters\": {\"topic\": \"cpu\"}}\n]<|END_ACTION|><|END_OF_TURN_TOKEN|>", cpu},
	{"apertus, two", `<|tools_prefix|>[{"SYSTEM_STATS": {"topic": "cpu"}}, {"AGENT": {"agent": "coder", "task": "Sort 3 numbers"}}]<|tools_suffix|>`, cpu + "\n" + sorts},
	{"seed with its thought", "<seed:think>hm</seed:think><seed:tool_call><function=SYSTEM_STATS><parameter=topic>cpu</parameter></function></seed:tool_call>", cpu},
	{"deepseek, two", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>SYSTEM_STATS\n```json\n{\"topic\": \"cpu\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>AGENT\n```json\n{\"agent\": \"coder\", \"task\": \"Sort 3 numbers\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", cpu + "\n" + sorts},
	{"deepseek without the outer mark", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>SYSTEM_STATS\n```json\n{\"topic\": \"cpu\"}\n```<｜tool▁call▁end｜>", cpu},
	{"deepseek 4", "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"AGENT\">\n<｜DSML｜parameter name=\"agent\" string=\"true\">coder</｜DSML｜parameter>\n<｜DSML｜parameter name=\"task\" string=\"true\">Sort 3 numbers</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>", sorts},
	{"gemma 4, two", `<|tool_call>call:SYSTEM_STATS{topic:<|"|>cpu<|"|>}<tool_call|><|tool_call>call:AGENT{agent:<|"|>coder<|"|>,task:<|"|>Sort 3 numbers<|"|>}<tool_call|>`, cpu + "\n" + sorts},
	{"gemma 4 with nesting", `<|tool_call>call:srv_ok{text:<|"|>a b<|"|>,n:3,deep:{list:[<|"|>x<|"|>,true]}}<tool_call|>`, `srv.ok {"deep":{"list":["x",true]},"n":3,"text":"a b"}`},
	{"functiongemma, two", "<start_function_call>call:SYSTEM_STATS{topic:<escape>cpu<escape>}<end_function_call><start_function_call>call:AGENT{agent:<escape>coder<escape>,task:<escape>Sort 3 numbers<escape>}<end_function_call>", cpu + "\n" + sorts},
	{"nemotron with its thought", "<think>\n</think>\n<TOOLCALL>[{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}]</TOOLCALL>", cpu},
	{"phi 4", `<|tool_call|>[{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}]<|/tool_call|>`, cpu},
	{"qwen agent", "✿FUNCTION✿: SYSTEM_STATS\n✿ARGS✿: {\"topic\": \"cpu\"}", cpu},
	{"smolagents", "Action:\n{\n  \"name\": \"SYSTEM_STATS\",\n  \"arguments\": {\"topic\": \"cpu\"}\n}<end_action>", cpu},
	{"a list of calls in JSON", `{"tool_calls": [{"name": "SYSTEM_STATS", "parameters": {"topic": "cpu"}}]}`, cpu},
	{"invoke with a namespace", "<ns:function_calls>\n<ns:invoke name=\"SYSTEM_STATS\">\n<ns:parameter name=\"topic\">cpu</ns:parameter>\n</ns:invoke>\n</ns:function_calls>", cpu},
	{"elements", "<tool_call><tool_name>SYSTEM_STATS</tool_name><parameters><topic>cpu</topic></parameters></tool_call>", cpu},
	{"the tool's name as a tag", "<SYSTEM_STATS>\n<topic>cpu</topic>\n</SYSTEM_STATS>", cpu},
	{"tool with a name", `<tool name="SYSTEM_STATS">{"topic": "cpu"}</tool>`, cpu},
	{"tool_use", "<tool_use>\n{\"name\": \"SYSTEM_STATS\", \"input\": {\"topic\": \"cpu\"}}\n</tool_use>", cpu},
	{"a fence tool_call", "```tool_call\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}\n```", cpu},
	{"lfm 2 in JSON", `<|tool_call_start|>[{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}]<|tool_call_end|>`, cpu},
	{"kimi in lines", "<|tool_calls_section_begin|>\n<|tool_call_begin|>\nfunctions.SYSTEM_STATS:0<|tool_call_argument_begin|>\n{\"topic\": \"cpu\"}\n<|tool_call_end|>\n<|tool_calls_section_end|>", cpu},
	{"function and args", "<tool_call>\n{\"function\": \"SYSTEM_STATS\", \"args\": {\"topic\": \"cpu\"}}\n</tool_call>", cpu},
	{"closed by an opening mark", "<tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}\n<tool_call>", cpu},
	{"closed twice", `<tool_call>{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}</tool_call></tool_call>`, cpu},
	{"harmony in analysis", `<|channel|>analysis to=functions.SYSTEM_STATS code<|message|>{"topic": "cpu"}<|call|>`, cpu},
	{"magistral", `[THINK]hm[/THINK][TOOL_CALLS]SYSTEM_STATS[ARGS]{"topic": "cpu"}`, cpu},
	{"mistral with its end", `[TOOL_CALLS]SYSTEM_STATS{"topic": "cpu"}</s>`, cpu},
	{"an envelope with a name", `<function_call name="SYSTEM_STATS">{"topic": "cpu"}</function_call>`, cpu},
	{"attributes", `<tool_call name="SYSTEM_STATS" topic="cpu"/>`, cpu},
	{"openai, older", `{"function_call": {"name": "SYSTEM_STATS", "arguments": "{\"topic\": \"cpu\"}"}}`, cpu},
	{"recipient", `{"recipient_name": "functions.SYSTEM_STATS", "parameters": {"topic": "cpu"}}`, cpu},
	{"tool and a key", "tool: SYSTEM_STATS\ntopic: cpu", cpu},
	{"words before a call", `Tool call: SYSTEM_STATS(topic="cpu")`, cpu},
	{"words before JSON", `Function call: {"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}`, cpu},
	{"olmo with a lead-in", "<function_calls>SYSTEM_STATS(topic=\"cpu\")</function_calls>", cpu},
	{"two brackets", `[[SYSTEM_STATS(topic="cpu")]]`, cpu},
	{"a fence of Python in capitals", "```python\nprint(SYSTEM_STATS(topic=\"cpu\"))\n```", cpu},
	{"an assignment", "```tool_code\nload = SYSTEM_STATS(topic=\"cpu\")\nprint(load)\n```", cpu},
	{"quotes in an argument", `<tool_call>{"name": "RUN_CMD", "arguments": {"command": "echo \"a\\nb\" '}'"}}</tool_call>`, `RUN_CMD {"command":"echo \"a\\nb\" '}'"}`},
	{"a mark in an argument", `<tool_call>{"name": "MEMORY_APPEND", "arguments": {"lesson": "</tool_call> ends it"}}</tool_call>`, `MEMORY_APPEND {"lesson":"\u003c/tool_call\u003e ends it"}`},
	{"tags in an argument", "<tool_call>\n<function=AGENT>\n<parameter=agent>\ncoder\n</parameter>\n<parameter=task>\nWrite <b>HTML</b>:\n\n<p>a</p>\n</parameter>\n</function>\n</tool_call>", `AGENT {"agent":"coder","task":"Write \u003cb\u003eHTML\u003c/b\u003e:\n\n\u003cp\u003ea\u003c/p\u003e"}`},
	{"bold bullet", "- **SYSTEM_STATS:** cpu", "SYSTEM_STATS cpu"},
	{"a line with a wide colon", "SYSTEM_STATS：cpu", "SYSTEM_STATS cpu"},
	{"react with a name in backquotes", "Thought: hm\nAction: `SYSTEM_STATS`\nAction Input: {\"topic\": \"cpu\"}\nObservation:", cpu},
}

// What isn't read never runs as something else, and nearly always the model is told.
func TestHeldOutForms(t *testing.T) {
	right, told, all := 0, 0, 0
	for name, list := range map[string][]form{"held out": heldOut, "later": later, "fresh": fresh, "newest": newest} {
		before := right
		for _, f := range list {
			parts := Parse(f.text, "stop", Marks{}, testTools(), nil)
			checkCover(t, f.text, parts)
			got := callText(parts)
			switch {
			case got == f.want:
				right++
			case got != "":
				t.Errorf("%s: %q runs %s, want %s or nothing", f.name, f.text, got, f.want)
			case slices.ContainsFunc(parts, func(p Part) bool {
				return p.Why != "" || slices.ContainsFunc(p.Calls, func(c Call) bool { return c.Why != "" })
			}):
				told++
				t.Logf("%s isn't read, the model is told: %q", f.name, f.text)
			default:
				t.Logf("%s isn't read: %q", f.name, f.text)
			}
		}
		all += len(list)
		t.Logf("%s: %d of %d forms are right", name, right-before, len(list))
	}
	t.Logf("%d of %d forms are right (%.1f %%), of %d the model is told", right, all, 100*float64(right)/float64(all), told)
	if right*100 < 80*all || (right+told)*100 < 97*all {
		t.Error("fewer than 80 % are right, or the model isn't told of the others")
	}
}
