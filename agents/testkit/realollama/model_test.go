package realollama

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/ollama/ollama/api"
)

// say follows the weights in a model's file as a language model would, from the answer's
// control token to the end token, for at most limit pieces.
func say(t *testing.T, file ggufFile, answer string, limit int) string {
	t.Helper()
	tokens, _ := find(file, "tokenizer.ggml.tokens").([]string)
	embedding, output := tensor(file, "token_embd.weight"), tensor(file, "output.weight")
	width := int(embedding.dims[0])
	var b strings.Builder
	current := slices.Index(tokens, controlToken(answer))
	for range limit {
		place := slices.Index(embedding.data[current*width:(current+1)*width], 1)
		next := -1
		for row := range tokens {
			if output.data[row*width+place] > 0 {
				if next >= 0 {
					t.Fatalf("after %q come both %q and %q", tokens[current], tokens[next], tokens[row])
				}
				next = row
			}
		}
		if tokens[next] == endToken {
			return b.String()
		}
		b.WriteString(decode(tokens[next]))
		current = next
	}
	return b.String()
}

func find(f ggufFile, key string) any {
	for _, entry := range f.meta {
		if entry.key == key {
			return entry.value
		}
	}
	return nil
}

func tensor(f ggufFile, name string) ggufTensor {
	for _, t := range f.tensors {
		if t.name == name {
			return t
		}
	}
	return ggufTensor{}
}

// decode undoes encode.
func decode(token string) string {
	bytes := map[string]byte{}
	for b := range 256 {
		bytes[encodeByte(byte(b))] = byte(b)
	}
	var out []byte
	for _, r := range token {
		out = append(out, bytes[string(r)])
	}
	return string(out)
}

func written(t *testing.T, m Model) ggufFile {
	t.Helper()
	var b bytes.Buffer
	if _, err := m.WriteGGUF(&b); err != nil {
		t.Fatal(err)
	}
	f, err := readGGUF(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestModelGivesItsAnswers(t *testing.T) {
	answers := map[string]string{
		"plain":     "Hello from a real server.",
		"repeating": "a a a a, and again a a a a",
		"directive": "I'll ask.\n\nAGENT: coder count the lines\n",
		"scripts":   "Größe 你好 🙂 done",
		"same-end":  "Hello from a real server. And more.",
		"call":      ToolCall("agent", `{"agent": "coder", "task": "count"}`),
	}
	file := written(t, Model{Name: "m", Answers: answers, Default: "plain"})
	for name, want := range answers {
		if got := say(t, file, name, 100); got != want {
			t.Errorf("answer %q: the weights say %q, want %q", name, got, want)
		}
	}
}

func TestAnEndlessAnswerRepeats(t *testing.T) {
	file := written(t, Model{Name: "m", Answers: map[string]string{"loop": "tick tock "}, Endless: []string{"loop"}})
	if got := say(t, file, "loop", 4); got != "tick tock tick tock " {
		t.Errorf("the weights say %q", got)
	}
}

func TestModelRefusesUnsupportedAnswers(t *testing.T) {
	tests := map[string]map[string]string{
		"given an empty answer":           {"x": ""},
		"given two answers that are one":  {"x": "same", "y": "same"},
		"given the name of the end token": {"end": "Hello there"},
		"given a name with other letters": {"a|b": "Hello there"},
		"given nothing but white space":   {"x": " \n"},
		"given what is a byte token only": {"x": "a"},
	}
	for name, answers := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := newVocabulary(answers, nil); !errors.Is(err, errAnswer) {
				t.Errorf("newVocabulary: %v, want errAnswer", err)
			}
		})
	}
}

func FuzzVocabulary(f *testing.F) {
	for _, text := range []string{"Hello there", "a a a", "\n\nx\t", "\xff\xfe", "", "  lead", "ü🙂"} {
		f.Add(text, "another answer")
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		v, err := newVocabulary(map[string]string{"one": one, "two": two}, nil)
		if err != nil {
			if !errors.Is(err, errAnswer) {
				t.Fatalf("newVocabulary: %v", err)
			}
			return
		}
		for answer, want := range map[string]string{"one": one, "two": two} {
			var b strings.Builder
			for i := v.next[slices.Index(v.tokens, controlToken(answer))]; i != v.end; i = v.next[i] {
				b.WriteString(decode(v.tokens[i]))
			}
			if b.String() != want {
				t.Fatalf("answer %q: %q, want %q", answer, b.String(), want)
			}
		}
		slices.Sort(v.tokens)
		if n := len(v.tokens); len(slices.Compact(v.tokens)) != n {
			t.Fatal("a token is there twice")
		}
	})
}

func TestTemplateChoosesByRules(t *testing.T) {
	model := Model{
		Name: "m",
		Answers: map[string]string{
			"after": "Done after the tool.", "count": "I count.", "expert": "I am the expert.", "hello": "Hello you.",
		},
		Rules: []Rule{
			{Role: "tool", Answer: "after"},
			{System: "You are the expert", Answer: "expert"},
			{Contains: `say "count"`, Answer: "count"},
		},
		Default: "hello",
	}
	text, err := model.Template()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := template.New("").Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	message := func(role, content string) api.Message { return api.Message{Role: role, Content: content} }
	tests := map[string]struct {
		system   string
		messages []api.Message
		want     string
	}{
		"given no rule for it, then the default":    {"", []api.Message{message("user", "hi")}, "hello"},
		"given a part of the last message":          {"", []api.Message{message("user", `Please say "count" now`)}, "count"},
		"given the part at the very end":            {"", []api.Message{message("user", `say "count"`)}, "count"},
		"given the part in an earlier message":      {"", []api.Message{message("user", `say "count"`), message("user", "hi")}, "hello"},
		"given a tool's result":                     {"", []api.Message{message("user", "hi"), message("tool", "42")}, "after"},
		"given a system prompt, then before others": {"x. You are the expert.", []api.Message{message("user", `say "count"`)}, "expert"},
		"given text shorter than the part":          {"x", []api.Message{message("user", "s")}, "hello"},
		"given an empty message":                    {"", []api.Message{message("user", "")}, "hello"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := parsed.Execute(&b, map[string]any{"System": test.system, "Messages": test.messages}); err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(b.String(), controlToken(test.want)) {
				t.Errorf("the prompt ends %q, want %q", b.String()[max(0, b.Len()-20):], controlToken(test.want))
			}
		})
	}
}

func TestTemplateRefusesRulesWithoutAnswer(t *testing.T) {
	answers := map[string]string{"one": "First answer", "two": "Second answer"}
	tests := map[string]Model{
		"given a rule for an answer that is not there": {Answers: answers, Default: "one", Rules: []Rule{{Answer: "three"}}},
		"given a default that is not there":            {Answers: answers, Default: "three"},
		"given two answers and no default":             {Answers: answers},
	}
	for name, model := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := model.Template(); !errors.Is(err, errRule) {
				t.Errorf("Template: %v, want errRule", err)
			}
		})
	}
}
