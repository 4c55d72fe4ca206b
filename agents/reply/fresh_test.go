package reply

// fresh are forms from the shapes of parsers that none of the other lists has: editors, frameworks
// for agents, and newer templates. Nothing is tuned on them, either.
var fresh = []form{
	{"arrows", "[TOOL_CALL]\n{tool => \"SYSTEM_STATS\", args => {\n  --topic \"cpu\"\n}}\n[/TOOL_CALL]", cpu},
	{"begin and end of an argument", "```tool\nTOOL_NAME: SYSTEM_STATS\nBEGIN_ARG: topic\ncpu\nEND_ARG\n```", cpu},
	{"arg with a name", `<function_call name="SYSTEM_STATS"><arg name="topic">cpu</arg></function_call>`, cpu},
	{"tool and param", `<tool name="SYSTEM_STATS"><param name="topic">cpu</param></tool>`, cpu},
	{"the name in the mark", `<tool:SYSTEM_STATS>{"topic": "cpu"}</tool:SYSTEM_STATS>`, cpu},
	{"parallel uses", `{"tool_uses": [{"recipient_name": "functions.SYSTEM_STATS", "parameters": {"topic": "cpu"}}]}`, cpu},
	{"parallel uses in an envelope", `<tool_call>{"name": "multi_tool_use.parallel", "arguments": {"tool_uses": [{"recipient_name": "functions.SYSTEM_STATS", "parameters": {"topic": "cpu"}}]}}</tool_call>`, cpu},
	{"execute", `<execute>SYSTEM_STATS(topic="cpu")</execute>`, cpu},
	{"an at sign", `@SYSTEM_STATS {"topic": "cpu"}`, cpu},
	{"a call with its tool", `<call tool="SYSTEM_STATS">{"topic": "cpu"}</call>`, cpu},
	{"yaml in an envelope", "<tool_call>\nname: SYSTEM_STATS\narguments:\n  topic: cpu\n</tool_call>", cpu},
	{"tool and input in lines", "Tool: SYSTEM_STATS\nInput: {\"topic\": \"cpu\"}", cpu},
	{"react in one line", "Action: SYSTEM_STATS, Action Input: {\"topic\": \"cpu\"}", cpu},
	{"react with numbers", "Thought 1: I need it.\nAction 1: SYSTEM_STATS[cpu]", cpu},
	{"a name over lines", "<tool_call>\n  <name>\n    SYSTEM_STATS\n  </name>\n  <arguments>\n    <topic>cpu</topic>\n  </arguments>\n</tool_call>", cpu},
	{"in a fence xml", "```xml\n<function_calls>\n<invoke name=\"SYSTEM_STATS\">\n<parameter name=\"topic\">cpu</parameter>\n</invoke>\n</function_calls>\n```", cpu},
	{"in a fence tool_use", "```tool_use\n{\"name\": \"SYSTEM_STATS\", \"input\": {\"topic\": \"cpu\"}}\n```", cpu},
	{"llama 4 behind its header", "<|header_start|>assistant<|header_end|>\n\n[SYSTEM_STATS(topic=\"cpu\")]<|eot|>", cpu},
	{"granite 4 behind its header", "<|start_of_role|>assistant<|end_of_role|><tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}\n</tool_call><|end_of_text|>", cpu},
	{"solar", `<|tool_calls|><|tool_call:begin|>ab12cd<|tool_call:name|>SYSTEM_STATS<|tool_call:args|>{"topic": "cpu"}<|tool_call:end|>`, cpu},
	{"ling", "<tool_call>\n{\"name\": \"SYSTEM_STATS\", \"arguments\": {\"topic\": \"cpu\"}}\n</tool_call><|role_end|>", cpu},
}
