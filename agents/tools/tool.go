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

// Names of tools. Package registry has AGENT and SKILL.
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

// Doc is the description of a tool.
type Doc struct {
	Name        string // upper case, as in a directive: SYSTEM_STATS
	Usage       string // the exact form: "SYSTEM_STATS: [cpu|memory|…]"
	Description string
	Effects             // for people, not for models
	Params      []Param // of the native form, in order
	// Schema is the native form of a tool of another program; nil for one made of Params.
	Schema *api.ToolFunctionParameters
}

// Tool is something a model may call, by a native call or by a directive; both reach the
// same Run.
type Tool interface {
	Doc() Doc
	// Run returns the result for the model. The model sees the text of an error and may
	// react to it.
	Run(ctx context.Context, call Call) (Result, error)
}

// Guarded is a tool that acts outside this program. Each of its calls needs a person's
// yes, given then or before, before Run is called.
type Guarded interface {
	Tool
	// Action describes what a call would do: it sets the tool, what, where, covers and the
	// effects. An error says why the call is impossible.
	Action(call Call) (Action, error)
}

// Fitter is a Tool that can distinguish a call from a sentence about it.
type Fitter interface{ Fits(call Call) bool }

// Reporter is a Tool that reports its runs itself.
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
	ID   string // identifies the call in events
	Name string
	Arg  string            // a directive's argument; for a native call, its arguments in order
	Args map[string]string // of a native call; nil for a directive

	NativeID string // the model's ID of a native call
	Written  bool   // it has the form of a native call but was written as text

	Agent string             // slug of the calling agent
	Held  transcript.Sources // sources of the text that the turn held when the model made the call
	// Progress shows the tool's output so far; nil if nobody watches.
	Progress func(text string)
}

// Value returns a native argument, or "".
func (c Call) Value(name string) string { return strings.TrimSpace(c.Args[name]) }

// Only returns the argument of a tool with a single parameter, which has that name in a
// native call.
func (c Call) Only(name string) string {
	if c.Native() {
		return c.Value(name)
	}
	return strings.TrimSpace(c.Arg)
}

// Native reports whether the call is a native one.
func (c Call) Native() bool { return c.Args != nil }

// Key is equal for calls of the same tool with the same argument.
func (c Call) Key() string { return c.Name + " " + excerpt.OneLine(c.Arg) }

// Result is the result of a tool.
type Result struct {
	Text  string
	Quote string // origin of a stranger's text ("a web page"), which is framed for the model
	About string // comes above the text in the frame; a stranger may have chosen it
	Cut   bool   // Text is only the beginning
	// Sources are those of Text, which the turn then holds.
	Sources transcript.Sources
	// Recalled are the passages of earlier conversations that Text quotes.
	Recalled []transcript.Quotation
}

// IsForeign reports whether a tool of that name ("server.tool") belongs to another
// program, which also wrote its description.
func IsForeign(name string) bool { return strings.Contains(name, ".") }

// parameters returns the native form of a tool's arguments.
func (d Doc) parameters() api.ToolFunctionParameters {
	if d.Schema != nil {
		return *d.Schema
	}
	properties := api.NewToolPropertiesMap()
	required := []string{}
	for _, p := range d.Params {
		property := api.ToolProperty{Type: api.PropertyType{"string"}, Description: p.Description}
		for _, v := range p.Enum {
			property.Enum = append(property.Enum, v)
		}
		properties.Set(p.Name, property)
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return api.ToolFunctionParameters{Type: "object", Properties: properties, Required: required}
}

// Schemas returns the native forms of all tools.
func Schemas(tools []Tool) api.Tools {
	list := make(api.Tools, 0, len(tools))
	for _, t := range tools {
		doc := t.Doc()
		list = append(list, api.Tool{Type: "function", Function: api.ToolFunction{Name: doc.Name, Description: doc.Description, Parameters: doc.parameters()}})
	}
	return list
}

// Docs returns the descriptions of the tools for a prompt.
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
		if strings.EqualFold(t.Doc().Name, name) {
			return t
		}
	}
	return nil
}

// FromNative returns the Call for a native call. agents reports the agents' names, which
// models mistake for tools.
func FromNative(call api.ToolCall, offered []Tool, agents func(name string) bool) Call {
	args := map[string]string{}
	for name, value := range call.Function.Arguments.All() {
		args[strings.ToLower(name)] = ArgText(value)
	}
	name, agent := "", ""
	if own := Find(offered, call.Function.Name); own != nil {
		name = own.Doc().Name
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

// WithArgs returns a call with named arguments.
func WithArgs(name string, args map[string]string, offered []Tool) Call {
	t := Find(offered, name)
	c := Call{Name: name, Args: repair(args, t)}
	var order []string
	if t != nil {
		for _, p := range t.Doc().Params {
			order = append(order, p.Name)
		}
	}
	c.Arg = joinArgs(c.Args, order)
	return c
}

// JoinArgs joins arguments in one line, in the order of their names.
func JoinArgs(args map[string]string) string { return joinArgs(args, nil) }

// joinArgs joins the arguments in one line: those in order first, then the others.
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

// ArgText returns a native argument as text, since models also send numbers and lists.
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

// Unavailable returns the error for a tool that isn't offered.
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
		names = append(names, t.Doc().Name)
	}
	return fmt.Errorf("there is no tool %s; there are %s. Use one of them, or answer without it", excerpt.Shorten(name, 40), strings.Join(names, ", "))
}
