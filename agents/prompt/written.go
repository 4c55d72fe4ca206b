package prompt

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mac-stats/agents/tools"
)

// Models write tool calls in the form on which they were trained, whatever the prompt
// says: JSON (Hermes, Qwen, Llama, xLAM, Granite, Command R) in tags, in fences or alone;
// Python calls (Gemma, Llama 4, OLMo, LFM); tags (Qwen Coder, MiniMax, GLM, Functionary);
// Action and Action Input (ReAct). writtenCalls reads them all.

// blockOpenings are the beginnings of lines on which such a call may start, in lower case.
var blockOpenings = []string{
	"<tool_call", "<tool_use", "<function", "<invoke", "<minimax:", "<action", "<|", "<｜", "[tool_call", "functools[",
	"```", "action:", "**action", "tool call:", "function call:", "print(", "functions.", "to=functions.",
}

// opensBlock reports whether a written call may start with this line, or, if the line
// hasn't ended, with what it can become.
func opensBlock(line string, ended bool) bool {
	line = strings.ToLower(strings.TrimLeft(line, " \t"))
	if line == "" {
		return !ended
	}
	for _, opening := range blockOpenings {
		if strings.HasPrefix(line, opening) || !ended && strings.HasPrefix(opening, line) {
			return true
		}
	}
	rest := strings.TrimLeft(line[1:], " \t\r\n")
	switch line[0] {
	case '{':
		return rest == "" || rest[0] == '"' || rest[0] == '\'' || strings.HasPrefix(rest, "“")
	case '[':
		return rest == "" || rest[0] == '{' || namesTool(rest, "(", ended)
	}
	return namesTool(line, "(", ended) || namesTool(line, "{", ended) || ended && namesOne(line) && strings.Contains(line, "_")
}

// namesOne reports whether text is a tool's name.
func namesOne(text string) bool {
	tool, _ := tools.Resolve(text, nil)
	return tool != ""
}

// namesTool reports whether text begins with a tool's name followed by then.
func namesTool(text, then string, ended bool) bool {
	for _, name := range directiveNames() {
		want := strings.ToLower(name) + then
		if strings.HasPrefix(text, want) || !ended && strings.HasPrefix(want, text) {
			return true
		}
	}
	return false
}

// wrapping matches meaningless text around written calls.
var wrapping = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?i)<[|｜][^<>|｜\\s]{1,40}[|｜]>|</?(?:tool_calls?|tool_use|function_calls?|minimax:tool_call|action)>|\\[/?tool_calls?\\]|functools(\\[)|" +
		"(?m:^[ \\t]*(?:```|~~~)[a-z_]*[ \\t]*$)|\\*\\*|(?m:^[ \\t]*(?:tool|function) call:)")
})

// writtenCalls returns the calls in a block of text that consists only of calls. agents
// reports the names that models mistake for tools. It never guesses: a name that isn't a
// tool's gives no call. At the end of a reply (final), an unclosed call counts as closed.
func writtenCalls(block string, final bool, agents func(name string) bool) []Directive {
	text := strings.TrimSpace(wrapping().ReplaceAllString(block, "$1 "))
	if final {
		text = closed(text)
	} else if functionTag().MatchString(text) && !functionEnd().MatchString(text) {
		return nil
	}
	for _, read := range []func(string, func(string) bool) []Directive{jsonCalls, tagCalls, argCalls, codeCalls, actionCalls, namedJSON} {
		if calls := read(text, agents); len(calls) > 0 {
			return slices.CompactFunc(calls, func(a, b Directive) bool { return a.key() == b.key() })
		}
	}
	return nil
}

// closed closes the JSON at the end of a text, because models forget the last braces.
func closed(text string) string {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return text
	}
	for _, end := range []string{"", "}", "}}", "}]", "}}]", "]"} {
		if whole := strings.TrimRight(text, ", \n") + end; json.Valid([]byte(whole)) {
			return whole
		}
	}
	return text
}

func (d Directive) key() string { return d.Name + fmt.Sprint(d.Args) + d.Arg }

// jsonCalls reads consecutive JSON values.
func jsonCalls(text string, agents func(string) bool) (calls []Directive) {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return nil
	}
	if !json.Valid([]byte(text)) && wideSign().MatchString(text) {
		text = strings.NewReplacer("“", `"`, "”", `"`).Replace(text)
		text = wideSign().ReplaceAllStringFunc(text, strings.NewReplacer("：", ":", "，", ",").Replace)
	}
	for values := json.NewDecoder(strings.NewReader(text)); ; {
		var value any
		if values.Decode(&value) != nil {
			return calls
		}
		calls = append(calls, callsOf(value, agents)...)
	}
}

// wideSign matches Chinese punctuation where JSON needs its own.
var wideSign = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[“”]|["}\]]\s*[：，]`)
})

// callsOf returns the calls in one JSON value, in any of its forms.
func callsOf(value any, agents func(string) bool) (calls []Directive) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			calls = append(calls, callsOf(one, agents)...)
		}
		return calls
	case map[string]any:
		for _, key := range []string{"tool_calls", "tool_call", "function_call", "calls"} {
			if inner, ok := v[key]; ok {
				return callsOf(inner, agents)
			}
		}
		if inner, ok := v["function"].(map[string]any); ok {
			return callsOf(inner, agents)
		}
		for _, key := range []string{"name", "tool_name", "tool", "function", "action", "function_name"} {
			if name, ok := v[key].(string); ok {
				return called(name, argsOf(v), agents)
			}
		}
		if len(v) == 1 {
			for name, inner := range v {
				return called(name, inner, agents)
			}
		}
	}
	return nil
}

// argsOf returns the arguments of a JSON call.
func argsOf(call map[string]any) any {
	for _, key := range []string{"arguments", "parameters", "args", "input", "tool_input", "action_input", "params", "kwargs"} {
		if args, ok := call[key]; ok {
			return args
		}
	}
	rest := map[string]any{}
	for key, value := range call {
		if !slices.Contains([]string{"name", "tool_name", "tool", "function", "action", "type", "id", "thought", "function_name"}, key) {
			rest[key] = value
		}
	}
	return rest
}

// called returns a call by name with arguments: an object, JSON in a string, or a text.
func called(name string, args any, agents func(string) bool) []Directive {
	tool, agent := tools.Resolve(name, agents)
	if tool == "" {
		return nil
	}
	d := Directive{Name: tool, Args: map[string]string{}}
	if text, ok := args.(string); ok {
		inner := map[string]any{}
		if json.Unmarshal([]byte(text), &inner) != nil {
			return []Directive{{Name: tool, Arg: strings.TrimSpace(agent + " " + text)}}
		}
		args = inner
	}
	if object, ok := args.(map[string]any); ok {
		for key, value := range object {
			d.Args[strings.ToLower(key)] = tools.ArgText(value)
		}
	}
	if agent != "" && d.Args["agent"] == "" {
		d.Args["agent"] = agent
	}
	return []Directive{d}
}

var (
	functionTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)<(?:function=|function name=|invoke name=|tool name=)["']?([\w.\-]+)["']?>(.*?)(?:</(?:function|invoke|tool)>|$)`)
	})
	parameterTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)<param(?:eter)?(?:=| name=)["']?([\w.\-]+)["']?>\s*(.*?)\s*(?:</param(?:eter)?>|$)`)
	})
	functionEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`</(?:function|invoke|tool)>`)
	})
	argTags = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)<arg_key>\s*(.*?)\s*</arg_key>\s*<arg_value>\s*(.*?)\s*(?:</arg_value>|$)`)
	})
)

// tagCalls reads <function=NAME> and <invoke name="NAME">, with tags or JSON inside.
func tagCalls(text string, agents func(string) bool) (calls []Directive) {
	for _, m := range functionTag().FindAllStringSubmatch(text, -1) {
		args := map[string]any{}
		for _, p := range parameterTag().FindAllStringSubmatch(m[2], -1) {
			args[p[1]] = p[2]
		}
		if len(args) == 0 && strings.HasPrefix(strings.TrimSpace(m[2]), "{") {
			calls = append(calls, called(m[1], strings.TrimSpace(m[2]), agents)...)
			continue
		}
		calls = append(calls, called(m[1], args, agents)...)
	}
	return calls
}

// argCalls reads a name followed by pairs of <arg_key> and <arg_value>.
func argCalls(text string, agents func(string) bool) []Directive {
	pairs := argTags().FindAllStringSubmatch(text, -1)
	if len(pairs) == 0 {
		return nil
	}
	name, _, _ := strings.Cut(text, "<")
	args := map[string]any{}
	for _, p := range pairs {
		args[p[1]] = p[2]
	}
	return called(name, args, agents)
}

var (
	codeCall = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:print\()?\s*([A-Za-z_][\w.]*)\(((?:[^()"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*)\)\)?\s*[,;]?\s*`)
	})
	codeArg = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:([A-Za-z_]\w*)\s*[=:]\s*)?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^,"']+)\s*,?`)
	})
)

// codeCalls reads Python calls: [name(key="value")], print(name("value")).
func codeCalls(text string, agents func(string) bool) (calls []Directive) {
	text = strings.Trim(strings.TrimSpace(text), "[]")
	for {
		m := codeCall().FindStringSubmatch(text)
		if m == nil {
			return calls
		}
		text = text[len(m[0]):]
		args, plain := map[string]any{}, []string{}
		for rest := m[2]; strings.TrimSpace(rest) != ""; {
			a := codeArg().FindStringSubmatch(rest)
			if a == nil {
				break
			}
			rest = rest[len(a[0]):]
			value := unquoted(strings.TrimSpace(a[2]))
			if a[1] == "" {
				plain = append(plain, value)
				continue
			}
			args[a[1]] = value
		}
		var all any = args
		if len(args) == 0 {
			all = strings.Join(plain, " ")
		}
		calls = append(calls, called(m[1], all, agents)...)
	}
}

func unquoted(text string) string {
	if len(text) < 2 || text[0] != '"' && text[0] != '\'' {
		return text
	}
	return strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\'`, `'`, `\\`, `\`).Replace(text[1 : len(text)-1])
}

// action matches the form of ReAct; the input ends where the model makes up a result.
var action = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)^\s*action:\s*([\w .\-]+?)\s*\n+\s*(?:action input|input|args|arguments):\s*(.*?)\s*(?:\n\s*(?:observation|thought|result)\b.*)?$`)
})

func actionCalls(text string, agents func(string) bool) []Directive {
	if m := action().FindStringSubmatch(text); m != nil {
		return called(m[1], strings.Trim(m[2], "`\"'"), agents)
	}
	rest, ok := strings.CutPrefix(strings.ToLower(text), "action:")
	if ok {
		return jsonCalls(strings.TrimSpace(text[len(text)-len(rest):]), agents)
	}
	return nil
}

// namedJSON reads a name followed by an object: NAME {"key": "value"}.
func namedJSON(text string, agents func(string) bool) []Directive {
	at := strings.IndexByte(text, '{')
	if at <= 0 || at > 80 {
		return nil
	}
	name := ""
	for _, word := range strings.Fields(text[:at]) {
		if word = strings.TrimPrefix(word, "to="); name == "" && namesOne(word) {
			name = word
		}
	}
	var value map[string]any
	if json.NewDecoder(strings.NewReader(text[at:])).Decode(&value) != nil {
		return nil
	}
	return called(name, value, agents)
}
