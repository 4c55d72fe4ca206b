//go:build unix

package failuretest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/transcript"
)

// keptOf returns all that a session's transcript holds: texts, tasks and attributes.
func (p *place) keptOf(session string) string {
	p.t.Helper()
	tr, err := transcript.Parse(strings.NewReader(p.read(p.file(session))))
	if err != nil {
		p.t.Fatal(err)
	}
	var all strings.Builder
	for _, b := range tr.Blocks {
		if b.Kind == transcript.KindUser {
			continue
		}
		fmt.Fprintln(&all, b.Text)
		fmt.Fprintln(&all, b.Agent+": "+b.Task)
		for _, value := range b.Attrs {
			fmt.Fprintln(&all, value)
		}
	}
	return all.String()
}

// A reply reaches stdout, the transcript and the memory as what it is.
func TestReplies(t *testing.T) {
	t.Parallel()
	rows := func(row string, n int) string { return strings.TrimSpace(strings.Repeat(row+"\n", n)) }
	var agents strings.Builder
	for i := range 400 {
		fmt.Fprintf(&agents, "{\"id\": %d, \"user_agent\": \"x\"}\n", i)
	}
	hermes := func(object string) string { return "<tool_call>\n" + object + "\n</tool_call>" }
	type replies = []testkit.Reply
	for name, tt := range map[string]struct {
		ask     string
		replies replies
		stdout  string // the whole, but for blanks around it
		code    int
		stderr  string   // part of it
		saved   string   // the line in memory.md; "" if nothing was saved
		told    string   // part of what the model is told in the last request
		sent    string   // what the last request holds of the model's reply, if it matters
		lost    []string // what of the replies belongs to the template, in order
	}{
		"JSON with a key like an agent's tool": {ask: "List them", replies: replies{{Text: agents.String()}}, stdout: agents.String()},
		"code with such a key": {
			ask: "Write it", replies: replies{{Text: "```go\nreq.Header.Set(\"User-Agent\", \"x\")\n```\nThat is it."}},
			stdout: "```go\nreq.Header.Set(\"User-Agent\", \"x\")\n```\nThat is it.",
		},
		"a closing tag at a line's end": {ask: "Strike it", replies: replies{{Text: "Old price: <s>20 EUR</s>\nNew price: 10 EUR\nValid today."}}, stdout: "Old price: <s>20 EUR</s>\nNew price: 10 EUR\nValid today."},
		"end marks that are the subject": {
			ask: "How do models end?", replies: replies{{Text: "ChatML ends each turn with <|im_end|>\nLlama 3 does it otherwise, GPT-2 with <|endoftext|>\nThat is all."}},
			stdout: "ChatML ends each turn with <|im_end|>\nLlama 3 does it otherwise, GPT-2 with <|endoftext|>\nThat is all.",
		},
		"an end mark at the end":            {ask: "Hi", replies: replies{{Text: "Hello!<|im_end|>"}}, stdout: "Hello!", lost: []string{"<|im_end|>"}},
		"an echoed header":                  {ask: "Hi", replies: replies{{Text: "<|im_start|>assistant\nHello!"}}, stdout: "Hello!", lost: []string{"<|im_start|>assistant"}},
		"a list of the tools":               {ask: "Which tools do you have?", replies: replies{{Text: "MEMORY_APPEND: saves a line\nFETCH_URL: reads a page\nThat is all."}}, stdout: "MEMORY_APPEND: saves a line\nFETCH_URL: reads a page\nThat is all."},
		"a call that the user wants to see": {ask: "Show me a call of a tool in a code block", replies: replies{{Text: "Here is one:\n\n```\nMEMORY_APPEND: Likes tea\n```\n\nThat saves it."}}, stdout: "Here is one:\n\n```\nMEMORY_APPEND: Likes tea\n```\n\nThat saves it."},
		"such a call behind another fence":  {ask: "Show me a call of a tool", replies: replies{{Text: "Example:\n\n~~~text\nMEMORY_APPEND: Likes tea\n~~~\n\nThat saves it."}}, stdout: "Example:\n\n~~~text\nMEMORY_APPEND: Likes tea\n~~~\n\nThat saves it."},
		"such a call in indented code":      {ask: "Show me a call of a tool", replies: replies{{Text: "Here is one:\n\n    MEMORY_APPEND: Likes tea\n\nThat saves it."}}, stdout: "Here is one:\n\n    MEMORY_APPEND: Likes tea\n\nThat saves it."},
		"such a call in a sentence":         {ask: "Show me a call of a tool", replies: replies{{Text: "Example: `MEMORY_APPEND: Likes tea`. That saves it."}}, stdout: "Example: `MEMORY_APPEND: Likes tea`. That saves it."},
		"data with a name":                  {ask: "Give me JSON of a doctor", replies: replies{{Text: `{"name": "Coder", "age": 41}`}}, stdout: `{"name": "Coder", "age": 41}`},
		"a dialogue":                        {ask: "Write a dialogue", replies: replies{{Text: "AGENT: Hello there, Sir.\nGUEST: Good evening.\nAGENT: Your key."}}, stdout: "AGENT: Hello there, Sir.\nGUEST: Good evening.\nAGENT: Your key."},
		"a call that a thought rejects": {
			ask: "What is it?", replies: replies{{Text: "I could save it:\nMEMORY_APPEND: Likes tea\nNo.</think>The answer is 42."}},
			stdout: "I could save it:\n\nThe answer is 42.", stderr: "the text above was the model's thinking or a call", lost: []string{"</think>"}, // nobody knows it before its end
		},
		"a thought in other words": {ask: "What is it?", replies: replies{{Text: "<thinking>\nMEMORY_APPEND: Likes tea\n</thinking>\n\nThe answer is 42."}}, stdout: "The answer is 42.", lost: []string{"<thinking>", "</thinking>"}},
		"a thought in brackets":    {ask: "What is it?", replies: replies{{Text: "[THINK]MEMORY_APPEND: Likes tea[/THINK]The answer is 42."}}, stdout: "The answer is 42.", lost: []string{"[THINK]", "[/THINK]"}},
		"a thought in a channel": {
			ask: "What is it?", replies: replies{{Text: "<|channel|>analysis<|message|>MEMORY_APPEND: Likes tea<|end|><|start|>assistant<|channel|>final<|message|>The answer is 42."}},
			stdout: "The answer is 42.", lost: []string{"<|channel|>analysis<|message|>", "<|end|>", "<|start|>assistant<|channel|>final<|message|>"},
		},
		"a call, then text": {
			ask: "Remember that I like green tea", replies: replies{{Text: "Sure, I'll remember that!\n\nMEMORY_APPEND: Likes green tea\n\nAnything else?"}, {Text: "Done."}},
			stdout: "Sure, I'll remember that!\n\nDone.", saved: "Likes green tea",
		},
		"two calls within text": {
			ask: "Remember both", replies: replies{
				{Text: "OK " + hermes(`{"name": "MEMORY_APPEND", "arguments": {"lesson": "Likes **green** tea"}}`) + " and " + hermes(`{"name": "MEMORY_APPEND", "arguments": {"lesson": "Lives in Bergen"}}`)},
				{Text: hermes(`{"name": "MEMORY_APPEND", "arguments": {"lesson": "Likes **green** tea"}}`) + "\n" + hermes(`{"name": "MEMORY_APPEND", "arguments": {"lesson": "Lives in Bergen"}}`)},
				{Text: "Done."},
			},
			stdout: "OK \nDone.", stderr: "write the call alone", saved: "Likes **green** tea",
		},
		"two calls behind a sentence": {
			ask: "Remember both", replies: replies{{Text: "OK. " + hermes(`{"name": "MEMORY_APPEND", "arguments": {"lesson": "Likes **green** tea"}}`) + "\n" + hermes(`{"name": "MEMORY_APPEND", "arguments": {"lesson": "Lives in Bergen"}}`)}, {Text: "Done."}},
			stdout: "OK. \nDone.", saved: "Likes **green** tea",
		},
		"an argument with null": {
			ask: "Remember it", replies: replies{{Text: hermes(`{"name": "MEMORY_APPEND", "arguments": {"lesson": "Counts 2**10", "agent": null}}`)}, {Text: "Done."}},
			stdout: "Done.", saved: "Counts 2**10",
		},
		"a reply that was cut": {
			ask: "Remember that I like green tea", replies: replies{{Text: "MEMORY_APPEND: I like green te", DoneReason: "length"}, {Text: "MEMORY_APPEND: I like green tea"}, {Text: "Done."}},
			stdout: "Done.", saved: "I like green tea",
		},
		"a reply that the server ended": {
			ask: "Remember that I like green tea", replies: replies{{Text: "MEMORY_APPEND: I like green te", DoneReason: "content_filter"}, {Text: "Done."}},
			stdout: "Done.", told: "was cut",
		},
		"native arguments that were cut": {
			ask: "Remember that I like green tea", replies: replies{{Text: "", Chunks: []string{}, ToolCalls: []api.ToolCall{nativeCall("memory_append", map[string]any{"arguments": `{"lesson": "Likes green te`})}}, {Text: "Done."}},
			stdout: "Done.", stderr: "aren't an object of JSON", told: "call it again",
		},
		"an end of the server's own": {ask: "Tell me", replies: replies{{Text: "It begins", DoneReason: "content_filter"}}, stdout: "It begins", stderr: "content_filter"},
		"an empty answer with a reason": {
			ask: "Tell me", replies: replies{{Text: "", Chunks: []string{}, DoneReason: "content_filter"}}, code: 1, stderr: "content_filter",
		},
		"a native call before an error": {
			ask: "Remember that I like green tea", code: 1, stderr: "out of memory",
			replies: replies{{Chunks: []string{}, ToolCalls: []api.ToolCall{nativeCall("memory_append", map[string]any{"lesson": "Likes green tea"})}, Fault: &testkit.Fault{Kind: testkit.FaultErrorLine, After: 1, Message: "out of memory"}}},
		},
		"native calls before a break": {
			ask: "Remember that I like green tea", code: 1, stdout: "I'll save", stderr: "broke off",
			replies: replies{{Text: "I'll save", ToolCalls: []api.ToolCall{nativeCall("memory_append", map[string]any{"lesson": "Likes green tea"}), nativeCall("nothing_known", map[string]any{"deep": "water"})}, Fault: &testkit.Fault{Kind: testkit.FaultReset, After: 4}}},
		},
		"a native call of a sub-call before an error": {
			ask: "Sort it", stdout: "It failed.",
			replies: replies{
				{Text: "AGENT: coder Sort 3 numbers"},
				{Chunks: []string{}, ToolCalls: []api.ToolCall{nativeCall("fetch_url", map[string]any{"url": "http://deep.example/water"})}, Fault: &testkit.Fault{Kind: testkit.FaultErrorLine, After: 1, Message: "out of memory"}},
				{Text: "It failed."},
			},
		},
		"two lines of calls": {
			ask: "Remember both", replies: replies{{Text: "MEMORY_APPEND: Likes green tea\nMEMORY_APPEND: Lives in Bergen"}, {Text: "Done."}},
			stdout: "Done.", saved: "Likes green tea", sent: "MEMORY_APPEND: Likes green tea\nMEMORY_APPEND: Lives in Bergen",
		},
		"a list of the tools, which is no call": {
			ask: "Which tools do you have?", replies: replies{{Text: "I have:\n\n- `AGENT`: hands over\n\nAGENT: hands over work\nMEMORY_APPEND: saves a line"}},
			stdout: "I have:\n\n- `AGENT`: hands over\n\nAGENT: hands over work\nMEMORY_APPEND: saves a line",
		},
		"an unknown tool behind text that is on the screen": {
			ask: "What is the weather?", replies: replies{{Text: "I have a look.\n\n" + hermes(`{"name": "get_weather", "arguments": {"city": "Rome"}}`)}, {Text: "I can't know."}},
			stdout: "I have a look.\n\nI can't know.", stderr: "there is no tool get_weather", told: "get_weather",
		},
		"thoughts until the limit": {
			ask: "What is it?", replies: replies{{Thinking: []string{"Let me think ", "about it."}, Chunks: []string{}, DoneReason: "length"}},
			code: 1, stderr: "thought until its limit",
		},
		"written thoughts alone": {ask: "What is it?", replies: replies{{Text: "<think>It may be 42."}}, code: 1, stderr: "only thought", lost: []string{"<think>"}},
		"an unknown tool": {
			ask: "What is the weather?", replies: replies{{Text: hermes(`{"name": "get_weather", "arguments": {"city": "Rome"}}`)}, {Text: "I can't know."}},
			stdout: "I can't know.", told: "get_weather",
		},
		"an unknown tool twice": {
			ask: "What is the weather?", replies: replies{{Text: hermes(`{"name": "get_weather", "arguments": {"city": "Rome"}}`)}},
			stdout: hermes(`{"name": "get_weather", "arguments": {"city": "Rome"}}`),
		},
		"60 equal rows": {ask: "Give me sixty equal rows of CSV", replies: replies{{Text: rows("7,Bergen,rain", 60)}}, stdout: rows("7,Bergen,rain", 60)},
		"a native call with text beside it": {
			ask:     "Remember that I like green tea",
			replies: replies{{Text: "<think>Save it.</think>I'll save it.", ToolCalls: []api.ToolCall{nativeCall("memory_append", map[string]any{"lesson": "Likes green tea", "agent": nil})}}, {Text: "Done."}},
			stdout:  "I'll save it.\nDone.", saved: "Likes green tea", lost: []string{"<think>", "</think>"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := testkit.Model{Name: "tiny:1b", ParameterSize: "8B", Capabilities: []string{"completion", "tools", "thinking"}}
			script := testkit.Script{Models: []testkit.Model{model}}
			for i, r := range tt.replies {
				rule := testkit.Rule{Reply: r}
				if i < len(tt.replies)-1 {
					rule.Times = 1
				}
				script.Rules = append(script.Rules, rule)
			}
			server := testkit.Start(t, script)
			p := newPlace(t, server.URL())
			if tt.saved != "" {
				delete(p.had, "agents/memory.md")
			}
			o := p.run("ask", "--session", "s", tt.ask)
			if o.code != tt.code || !strings.Contains(o.stderr, tt.stderr) || strings.TrimSpace(o.stdout) != strings.TrimSpace(tt.stdout) {
				t.Errorf("exit %d, stdout:\n%s\nwant %d:\n%s\nstderr:\n%s", o.code, o.stdout, tt.code, tt.stdout, o.stderr)
			}
			memory, err := os.ReadFile(filepath.Join(p.home, "agents/memory.md"))
			if err != nil || (tt.saved != "") != (string(memory) != memoryText) || !strings.Contains(string(memory), tt.saved) {
				t.Errorf("memory.md holds %q, want also %q; %v", memory, tt.saved, err)
			}
			kept := p.keptOf("cli-s")
			for _, r := range tt.replies {
				text := r.Text + " " + strings.Join(r.Thinking, "")
				for _, call := range r.ToolCalls {
					text += " " + call.Function.Name
					for _, value := range call.Function.Arguments.All() {
						if value != nil {
							text += " " + fmt.Sprint(value)
						}
					}
				}
				for _, mark := range tt.lost {
					text = strings.Replace(text, mark, " ", 1)
				}
				for _, word := range strings.Fields(text) {
					if !strings.Contains(kept, word) {
						t.Errorf("%q is in no file", word)
					}
				}
			}
			chats := server.Chats()
			if last := chats[len(chats)-1].Chat.Messages; !strings.Contains(last[len(last)-1].Content, tt.told) {
				t.Errorf("told %q", last[len(last)-1].Content)
			} else if tt.sent != "" && last[len(last)-2].Content != tt.sent {
				t.Errorf("sent back as %q", last[len(last)-2].Content)
			}
		})
	}
}

func nativeCall(name string, args map[string]any) api.ToolCall {
	call := api.ToolCall{ID: "1", Function: api.ToolCallFunction{Name: name, Arguments: api.NewToolCallFunctionArguments()}}
	for key, value := range args {
		call.Function.Arguments.Set(key, value)
	}
	return call
}
