package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/registry"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/transcript"
)

// Names of tools. AGENT and SKILL are with the agents' settings.
const (
	MemoryAppend  = "MEMORY_APPEND"
	MemoryReplace = "MEMORY_REPLACE"
	MemoryRemove  = "MEMORY_REMOVE"
	MemorySearch  = transcript.ToolMemorySearch
	SystemStats   = "SYSTEM_STATS"
	FetchURL      = "FETCH_URL"
	RunCmd        = "RUN_CMD"
	// MCP is the directive for a tool of another program: "MCP: server.tool {…}".
	MCP = "MCP"
)

// Doc is what a model is told of a tool.
type Doc struct {
	Name        string // SYSTEM_STATS
	Usage       string // the exact form: "SYSTEM_STATS: [cpu|memory|…]"
	Description string
	Effects     // for people; a model isn't told
}

// Tool is something a model may ask for, by a native call or by a directive:
// both reach the same Run.
type Tool interface {
	Name() string // upper case, as in a directive: SYSTEM_STATS
	Doc() Doc
	Params() []Param // of the native form, in order
	// Run gives the result for the model. An error is a failure that the model is
	// told in words and may react to.
	Run(ctx context.Context, call Call) (Result, error)
}

// Guarded is a tool that acts outside this program. Each of its calls is asked about,
// unless the person has allowed it; then Run is called.
type Guarded interface {
	Tool
	// Action gives what a call would do; of it the tool, what, where, what an answer covers
	// and the effects. An error says why it can't be done at all.
	Action(call Call) (Action, error)
}

// Fitter is a Tool that can tell a call from a sentence about it.
type Fitter interface{ Fits(call Call) bool }

// Reporter is a Tool that tells of its runs itself.
type Reporter interface{ Reports() }

// Param is an argument of the native form. All are strings.
type Param struct {
	Name        string
	Description string
	Enum        []string
	Required    bool
}

// Call is one call of a tool.
type Call struct {
	ID   string // names the call in events
	Name string
	Arg  string            // a directive's argument; of a native call, its arguments in order
	Args map[string]string // of a native call; nil for a directive

	NativeID string // what the model calls a native call
	Written  bool   // it has the form of a native call and came as text

	Agent string             // the slug of the agent that asks for it
	Held  transcript.Sources // of what the turn held when the model asked for it
	// Progress shows the text that the tool gave so far; nil where nobody looks.
	Progress func(text string)
}

// Value is a native argument, or "".
func (c Call) Value(name string) string { return strings.TrimSpace(c.Args[name]) }

// Only is the argument of a tool that has one, of that name in a native call.
func (c Call) Only(name string) string {
	if c.Native() {
		return c.Value(name)
	}
	return strings.TrimSpace(c.Arg)
}

// Native reports whether the call came as a native one.
func (c Call) Native() bool { return c.Args != nil }

// Key is equal for calls that ask for the same.
func (c Call) Key() string { return c.Name + " " + excerpt.OneLine(c.Arg) }

// Result is what a tool gave.
type Result struct {
	Text  string
	Quote string // whose text it is, where it is a stranger's ("a web page"): it is framed for the model
	About string // stands above the text in the frame; a stranger may have chosen it
	Cut   bool   // Text is only the beginning
	// Sources are those of Text; the turn holds them from now on.
	Sources transcript.Sources
	// Recalled are the passages of earlier conversations that Text quotes.
	Recalled []transcript.Quotation
}

// IsForeign reports whether a tool of that name is another program's, which also wrote
// its description: "server.tool".
func IsForeign(name string) bool { return strings.Contains(name, ".") }

// schema is the native form of a tool. One that has a schema of its own gives that.
func schema(t Tool) api.Tool {
	if own, ok := t.(interface {
		Schema() api.ToolFunctionParameters
	}); ok {
		return api.Tool{Type: "function", Function: api.ToolFunction{Name: t.Name(), Description: t.Doc().Description, Parameters: own.Schema()}}
	}
	properties := api.NewToolPropertiesMap()
	required := []string{}
	for _, p := range t.Params() {
		property := api.ToolProperty{Type: api.PropertyType{"string"}, Description: p.Description}
		for _, v := range p.Enum {
			property.Enum = append(property.Enum, v)
		}
		properties.Set(p.Name, property)
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return api.Tool{Type: "function", Function: api.ToolFunction{
		Name: t.Name(), Description: t.Doc().Description,
		Parameters: api.ToolFunctionParameters{Type: "object", Properties: properties, Required: required},
	}}
}

// Schemas are the native forms of all tools.
func Schemas(tools []Tool) api.Tools {
	list := make(api.Tools, 0, len(tools))
	for _, t := range tools {
		list = append(list, schema(t))
	}
	return list
}

// Docs are what a prompt tells of the tools.
func Docs(tools []Tool) []Doc {
	list := make([]Doc, 0, len(tools))
	for _, t := range tools {
		list = append(list, t.Doc())
	}
	return list
}

// Find finds a tool by name. Models write native names in any case.
func Find(tools []Tool, name string) Tool {
	for _, t := range tools {
		if strings.EqualFold(t.Name(), name) {
			return t
		}
	}
	return nil
}

// FromNative makes a Call of a native one. agents reports the agents' names, which models
// take for tools.
func FromNative(call api.ToolCall, offered []Tool, agents func(name string) bool) Call {
	args := map[string]string{}
	for name, value := range call.Function.Arguments.All() {
		args[strings.ToLower(name)] = ArgText(value)
	}
	name, agent := "", ""
	if own := Find(offered, call.Function.Name); own != nil {
		name = own.Name()
	} else {
		name, agent = Resolve(call.Function.Name, agents)
	}
	if name == "" {
		name = strings.ToUpper(call.Function.Name)
	}
	if agent != "" && args["agent"] == "" {
		args["agent"] = agent
	}
	c := WithArgs(name, args, offered)
	c.NativeID = call.ID
	return c
}

// WithArgs is a call with arguments by name.
func WithArgs(name string, args map[string]string, offered []Tool) Call {
	t := Find(offered, name)
	c := Call{Name: name, Args: repair(args, t)}
	var order []string
	if t != nil {
		for _, p := range t.Params() {
			order = append(order, p.Name)
		}
	}
	c.Arg = joinArgs(c.Args, order)
	return c
}

// JoinArgs puts arguments in one line, by their names.
func JoinArgs(args map[string]string) string { return joinArgs(args, nil) }

// joinArgs puts the arguments in one line: the known ones in order, then others.
func joinArgs(args map[string]string, order []string) string {
	var parts, others []string
	for _, name := range order {
		if v := strings.TrimSpace(args[name]); v != "" {
			parts = append(parts, v)
		}
	}
	for name, v := range args {
		if !slices.Contains(order, name) {
			others = append(others, name+"="+v)
		}
	}
	slices.Sort(others)
	return strings.Join(append(parts, others...), " ")
}

// ArgText is a native argument as text: models give numbers and lists, too.
func ArgText(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}

// Unavailable is the failure of a tool that is not among those offered.
func Unavailable(name string, offered []Tool) error {
	switch name {
	case MemorySearch:
		return fmt.Errorf("%s isn't available here; answer without it", name)
	case MemoryReplace, MemoryRemove:
		return fmt.Errorf("you may not use %s here; an agent that lists it can propose the change (memory-keeper does)", name)
	}
	if slices.Contains(registry.KnownTools, name) {
		return fmt.Errorf("you may not use %s here; answer without it", name)
	}
	names := make([]string, 0, len(offered))
	for _, t := range offered {
		names = append(names, t.Name())
	}
	return fmt.Errorf("there is no tool %s; there are %s. Use one of them, or answer without it", excerpt.Shorten(name, 40), strings.Join(names, ", "))
}
