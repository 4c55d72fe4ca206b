package ollama

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
)

// templateToken matches the tokens by which chat templates part the turns, tools and
// images of a conversation. The server takes them for such wherever they stand in a
// message, so that a file or a page could begin a turn of the system. By family:
//
//   - ChatML, Qwen, Llama 3, Phi, Granite, Command R, gpt-oss, GLM: <|…|>; DeepSeek the
//     same with wide bars; EXAONE [|…|]
//   - Llama 2, Mistral: [INST], <<SYS>>, <s>, [TOOL_CALLS], [AVAILABLE_TOOLS] …
//   - Gemma: <start_of_turn>, <end_of_turn>, <bos>, <eos>, <start_of_image>, <unused99> …
//   - Hermes, Qwen, DeepSeek R1: <tool_call>, <tool_response>, <think>
//   - StarCoder, CodeGemma: <fim_prefix>, <file_sep> …
//   - Ollama itself: [img-0], where it puts an image
//
// Groups: what it opens with, its name, what it closes with.
var templateToken = regexp.MustCompile(`([<＜][|｜])([^|｜<>＜＞\s]{1,60})([|｜][>＞])` +
	`|([<＜])((?i:/?(?:start|end)_of_(?:turn|image|audio)|(?:image|audio|video)_soft_token|unused\d{1,4}|/?s|bos|eos|pad|unk|(?:bos|eos|pad|unk|sep|cls|mask|eop|eot)_token|sop|eop|/?tool_calls?|/?tool_responses?|/?tools|/?think|fim_(?:prefix|middle|suffix|pad)|file_sep|repo_name))([>＞])` +
	`|(<<)(/?SYS)(>>)` +
	`|(\[)(/?INST|/?(?:AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|SYSTEM_PROMPT|MODEL_SETTINGS|THINK)|CALL_ID|ARGS|PREFIX|SUFFIX|MIDDLE|IMG|IMG_BREAK|IMG_END|gMASK|img-\d+)(\])` +
	`|(\[\|)([^|\[\]\s]{1,40})(\|\])`)

// Harmless puts blanks into each template token of a text: people and models still
// read it, and no server takes it for a token. A text without one stays as it is.
func Harmless(text string) string {
	if !strings.ContainsAny(text, "<＜[") {
		return text
	}
	return templateToken.ReplaceAllString(text, "$1$4$7$10$13 $2$5$8$11$14 $3$6$9$12$15")
}

// harmless is the messages as they are sent: in none of them, whoever wrote it, stands a
// template token. The user's own typing is no exception: what is on disk stays as typed.
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

// harmlessValue is an argument of a tool call without template tokens.
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
