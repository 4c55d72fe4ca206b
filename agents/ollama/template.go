package ollama

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ollama/ollama/api"
)

// templateToken matches the tokens with which chat templates separate the turns, tools and
// images of a conversation. The server recognises them anywhere in a message, so a file or
// a page could begin a turn of the system. By family:
//
//   - ChatML, Qwen, Llama 3, Phi, Granite, Command R, gpt-oss, GLM: <|…|>; DeepSeek the
//     same with wide bars; EXAONE [|…|]
//
//   - Llama 2, Mistral: [INST], <<SYS>>, <s>, [TOOL_CALLS], [AVAILABLE_TOOLS] …
//
//   - Gemma: <start_of_turn>, <end_of_turn>, <bos>, <eos>, <start_of_image>, <unused99> …; later <|turn>, <turn|>
//
//   - Hermes, Qwen, DeepSeek R1: <tool_call>, <tool_response>, <think>
//
//   - StarCoder, CodeGemma: <fim_prefix>, <file_sep> …
//
//   - T5: <extra_id_0>; Nemotron: <SPECIAL_10>, <extra_id_1>, <TOOLCALL>, <AVAILABLE_TOOLS>; Baichuan: <reserved_106>
//
//   - Seed: <seed:bos>; MiniMax: ]~b], [e~[, <minimax:tool_call>; Ling: <role>; GigaChat and others: <_user>
//
//   - Qwen Coder, Seed: <function=…>, <parameter=…>; GLM: <arg_key>, <arg_value>
//
//   - DBRX, older Llama and Mistral tools: [BOS], [EOS], [B_SYS], [B_INST] …
//
//   - Ollama itself: [img-0], where it inserts an image
//
// Roles in plain words ("USER:", "### Instruction:") aren't tokens: only the frame
// distinguishes them from a turn.
//
// Groups: the opening, the name, the closing.
var templateToken = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:([<＜][|｜])([^|｜<>＜＞\s]{1,60})([|｜][>＞])` +
		`|([<＜][|｜])(\w{1,40})([>＞])|([<＜])(/?\w{1,40})([|｜][>＞])` +
		`|([<＜])(/?(?:seed|minimax):\w{1,40}|(?i:role>\s*(?:system|human|user|assistant|observation)\s*</role|/?_(?:user|bot|system|assistant|end)|extra_id_\d{1,4}|special_\d{1,4}|reserved_\d{1,4}|/?(?:toolcall|available_tools|tool_response)|(?:function|parameter)=[^<>\s]{1,60}|/?arg_(?:key|value)))([>＞])` +
		`|(\]~)(!?b)([\]\[])|(\[)(e)(~\[)` +
		`|([<＜])((?i:/?(?:start|end)_of_(?:turn|image|audio)|(?:image|audio|video)_soft_token|unused\d{1,4}|/?s|bos|eos|pad|unk|(?:bos|eos|pad|unk|sep|cls|mask|eop|eot)_token|sop|eop|/?tool_calls?|/?tool_responses?|/?tools|/?think|fim_(?:prefix|middle|suffix|pad)|file_sep|repo_name))([>＞])` +
		`|(<<)(/?SYS)(>>)` +
		`|(\[)(/?INST|/?(?:AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|SYSTEM_PROMPT|MODEL_SETTINGS|THINK)|CALL_ID|ARGS|BOS|EOS|/?[BE]_(?:SYS|INST)|PREFIX|SUFFIX|MIDDLE|IMG|IMG_BREAK|IMG_END|gMASK|img-\d+)(\])` +
		`|(\[\|)([^|\[\]\s]{1,40})(\|\]))`)
})

// apart is a replacement that separates the name of a token from its opening and closing.
var apart = sync.OnceValue(func() string {
	var opens, names, closes strings.Builder
	for i := 1; i <= templateToken().NumSubexp(); i += 3 {
		fmt.Fprintf(&opens, "${%d}", i)
		fmt.Fprintf(&names, "${%d}", i+1)
		fmt.Fprintf(&closes, "${%d}", i+2)
	}
	return opens.String() + " " + names.String() + " " + closes.String()
})

// Harmless inserts blanks into each template token of a text, so that people and models
// can still read it and no server recognises it as a token. Other text is unchanged.
func Harmless(text string) string {
	var out []byte
	done := 0
	// A search of the whole text by the expression takes several times longer.
	for at := 0; ; {
		next := strings.IndexAny(text[at:], "<＜[]")
		if next < 0 {
			break
		}
		at += next
		token := templateToken().FindStringSubmatchIndex(text[at:])
		if token == nil {
			at++ // further bytes of the rune don't match
			continue
		}
		out = templateToken().ExpandString(append(out, text[done:at]...), apart(), text[at:], token)
		at += token[1]
		done = at
	}
	if done == 0 {
		return text
	}
	return string(append(out, text[done:]...))
}

// harmless returns the messages as they are sent: without template tokens, whoever wrote
// them. That includes the user's own text; on disk, it stays as typed.
func harmless(messages []api.Message) []api.Message {
	out := slices.Clone(messages)
	for i, m := range out {
		out[i].Content, out[i].Thinking, out[i].ToolName = Harmless(m.Content), Harmless(m.Thinking), Harmless(m.ToolName)
		out[i].ToolCalls = slices.Clone(m.ToolCalls)
		for j, call := range out[i].ToolCalls {
			f := &out[i].ToolCalls[j].Function
			f.Name, f.Arguments = Harmless(f.Name), api.NewToolCallFunctionArguments()
			for name, value := range call.Function.Arguments.All() {
				f.Arguments.Set(Harmless(name), harmlessValue(value))
			}
		}
	}
	return out
}

// harmlessValue returns an argument of a tool call without template tokens.
func harmlessValue(value any) any {
	switch v := value.(type) {
	case string:
		return Harmless(v)
	case []any:
		list := slices.Clone(v)
		for i := range list {
			list[i] = harmlessValue(list[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, inner := range v {
			object[Harmless(name)] = harmlessValue(inner)
		}
		return object
	}
	return value
}

var (
	roleAsked = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`eq\s+\$?\w*\.Role\b`)
	})
	otherRole = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\{\{-?\s*else\s*-?\}\}`)
	})
)

// showsSystem reports whether a chat template shows system messages to the model. The
// default template of a model file without one, "{{ .Prompt }}", doesn't, and neither does
// one that handles only the roles user and assistant. The template is read, not run,
// because it is a stranger's program.
func showsSystem(template string) bool {
	switch {
	case template == "", strings.Contains(template, ".System"), strings.Contains(template, `"system"`):
		return true
	case !strings.Contains(template, ".Messages"):
		return false
	}
	rest := roleAsked().ReplaceAllString(template, "")
	return rest == template || strings.Contains(rest, ".Role") || otherRole().MatchString(rest)
}

// withoutSystem moves the text of the system messages to the start of the user's first
// message.
func withoutSystem(messages []api.Message) []api.Message {
	var system []string
	var rest []api.Message
	for _, m := range messages {
		if m.Role == "system" {
			system = append(system, m.Content)
			continue
		}
		rest = append(rest, m)
	}
	if at := slices.IndexFunc(rest, func(m api.Message) bool { return m.Role == "user" }); at >= 0 {
		rest[at].Content = strings.Join(append(system, rest[at].Content), "\n\n")
	}
	return rest
}
