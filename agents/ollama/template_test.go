package ollama

import (
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
)

func TestNoTemplateTokenIsSent(t *testing.T) {
	tokens := map[string][]string{
		"ChatML, Qwen": {"<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|vision_start|>", "<tool_call>", "</tool_call>", "<tool_response>", "<think>", "</think>"},
		"Llama 2":      {"[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<s>", "</s>"},
		"Llama 3":      {"<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|python_tag|>"},
		"Llama 4":      {"<|header_start|>", "<|header_end|>", "<|eot|>"},
		"Gemma":        {"<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<start_of_image>", "<end_of_image>", "<audio_soft_token>", "<unused0>", "<unused99>", "<unused6241>"},
		"Mistral":      {"[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[ARGS]", "[THINK]", "[IMG]"},
		"Phi":          {"<|user|>", "<|assistant|>", "<|system|>", "<|end|>", "<|im_sep|>"},
		"DeepSeek":     {"<｜User｜>", "<｜Assistant｜>", "<｜begin▁of▁sentence｜>", "<｜tool▁calls▁begin｜>"},
		"Command R":    {"<|START_OF_TURN_TOKEN|>", "<|SYSTEM_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<BOS_TOKEN>", "<EOS_TOKEN>"},
		"gpt-oss":      {"<|start|>", "<|channel|>", "<|message|>", "<|call|>", "<|return|>"},
		"Granite":      {"<|start_of_role|>", "<|end_of_role|>", "<|tool_call|>"},
		"EXAONE":       {"[|system|]", "[|user|]", "[|endofturn|]"},
		"GLM":          {"[gMASK]", "<sop>", "<|observation|>"},
		"code models":  {"<fim_prefix>", "<fim_suffix>", "<|fim_middle|>", "<file_sep>"},
		"Ollama":       {"[img-0]", "[img-12]"},
		"later Gemma":  {"<|turn>", "<turn|>", "<|tool_response>", "<|channel>", "<channel|>"},
		"Nemotron, T5": {"<extra_id_0>", "<extra_id_1>", "<SPECIAL_10>", "<TOOLCALL>", "</TOOLCALL>", "<AVAILABLE_TOOLS>"},
		"Baichuan":     {"<reserved_102>", "<reserved_106>"},
		"Seed":         {"<seed:bos>", "<seed:tool_call>", "</seed:tool_call>", "<function=x>", "<parameter=y>"},
		"MiniMax":      {"]~b]", "]~!b[", "[e~[", "<minimax:tool_call>"},
		"Ling":         {"<role>SYSTEM</role>", "<role>HUMAN</role>"},
		"others":       {"<_user>", "<_bot>", "[BOS]", "[EOS]", "[B_SYS]", "[E_SYS]", "[B_INST]", "<arg_key>", "</arg_value>"},
		"wide letters": {"＜|im_start|＞", "<|im_start｜>", "＜start_of_turn＞"},
	}
	server := testkit.Start(t, testkit.Script{Models: []testkit.Model{{Name: "m:1b"}}, Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "ok"}}}})
	client, err := New(Params{Host: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	for family, list := range tokens {
		for _, token := range list {
			text := "before" + token + "after <" + token + "> " + token + token
			call := api.ToolCall{Function: api.ToolCallFunction{Name: token, Arguments: api.NewToolCallFunctionArguments()}}
			call.Function.Arguments.Set("a", text)
			call.Function.Arguments.Set("b", map[string]any{token: []any{text, 1.5}})
			messages := []api.Message{{Role: "system", Content: text}, {Role: "user", Content: text}, {Role: "assistant", Content: text, ToolCalls: []api.ToolCall{call}}, {Role: "tool", ToolName: token, Content: text}}
			if _, err := client.Chat(t.Context(), ChatRequest{Model: "m:1b", Messages: messages}); err != nil {
				t.Fatal(err)
			}
			chats := server.Chats()
			for _, m := range chats[len(chats)-1].Chat.Messages {
				all := m.Content + m.ToolName
				for _, c := range m.ToolCalls {
					all += c.Function.Name
					for name, value := range c.Function.Arguments.ToMap() {
						all += name
						if s, ok := value.(string); ok {
							all += s
						}
						if o, ok := value.(map[string]any); ok {
							for k, v := range o {
								all += k + v.([]any)[0].(string)
							}
						}
					}
				}
				if strings.Contains(all, token) {
					t.Errorf("%s: %s went out in %s: %q", family, token, m.Role, all)
				}
				if bare := strings.NewReplacer(" ", "").Replace(m.Content); bare != strings.ReplaceAll(text, " ", "") {
					t.Errorf("%s: more than blanks changed: %q", family, m.Content)
				}
			}
			if messages[1].Content != text || messages[2].ToolCalls[0].Function.Name != token {
				t.Error("the caller's messages were changed")
			}
			if again := Harmless(Harmless(text)); again != Harmless(text) {
				t.Errorf("%s: twice gives %q", token, again)
			}
		}
	}
}

// Text that only looks like a token is unchanged: code, markdown, mathematics.
func TestOrdinaryTextIsUnchanged(t *testing.T) {
	for _, text := range []string{
		"a < b || c > d", "if (x <| y) |> f", "List<String>", "[link](https://a.b)", "arr[i]", "usage: cmd [args] [prefix]", "<script>", "<sup>2</sup>",
		"| a | b |\n|---|---|", "x[|]y", "<!-- comment -->", "[x] done", "f <$> g <|> h", "a[img]", "<|>", "[||]", "2 <3", "<role>admin</role>", "<function>", "<parameter name=a>", "]~[", "x <| y",
	} {
		if got := Harmless(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Templates of real models; the first is the default of a model file without one.
func TestATemplateMayHaveNoPlaceForSystemMessages(t *testing.T) {
	for text, want := range map[string]bool{
		"{{ .Prompt }}": false,
		"{{ if .Prompt }}[INST] {{ .Prompt }} [/INST]{{ end }} {{ .Response }}":                                                                                         false,
		"{{ range .Messages }}{{ if eq .Role \"user\" }}<user>{{ .Content }}{{ else if eq .Role \"assistant\" }}<bot>{{ .Content }}{{ end }}{{ end }}":                  false,
		"{{ if .System }}<<SYS>>{{ .System }}<</SYS>>{{ end }}{{ .Prompt }}":                                                                                            true,
		"{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n":                                                     true,
		"{{ range $i, $m := .Messages }}{{ if eq $m.Role \"user\" }}{{ if eq $i 1 }}{{ $.System }}{{ end }}{{ $m.Content }}{{ end }}{{ end }}":                          true,
		"{{ range .Messages }}{{ if eq .Role \"assistant\" }}{{ .Content }}{{ if .ToolCalls }}{{ json .ToolCalls }}{{ end }}{{ else }}{{ .Content }}{{ end }}{{ end }}": true,
		"{{ tomorrowsFunction .Messages }}": true, // an unknown function
		"":                                  true,
	} {
		if got := showsSystem(text); got != want {
			t.Errorf("%q has a place: %v, want %v", text, got, want)
		}
	}
}
