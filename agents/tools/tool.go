package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/registry"
	"mac-stats/agents/reply"
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
	Schema  *api.ToolFunctionParameters
	Used    bool // a tool of another program that has run before
	Reports bool // it reports its runs itself
}

// Undeclared returns an error if a call has an argument that the tool doesn't have. What the
// tool of another program has, its schema says.
func (d Doc) Undeclared(call *Call) error {
	for name := range call.Args {
		if d.Schema == nil && !slices.ContainsFunc(d.Params, func(p Param) bool { return p.Name == name }) {
			return fmt.Errorf("%s has no argument %s; write %s", d.Name, excerpt.Shorten(name, 40), d.Usage)
		}
	}
	return nil
}

// Fits returns an error if a call lacks a required parameter.
func (d Doc) Fits(call *Call) error {
	for _, p := range d.Params {
		if p.Required && call.Only(p.Name) == "" {
			return fmt.Errorf("%s needs: %s", d.Name, p.Name)
		}
	}
	return nil
}

// Tool is something a model may call, by a native call or by a directive; both reach the
// same Run.
type Tool interface {
	Doc() Doc
	// Run returns the result for the model. The model sees the text of an error and may
	// react to it.
	Run(ctx context.Context, call *Call) (Result, error)
}

// Guarded is a tool that acts outside this program. Each of its calls needs a person's
// yes, given then or before, before Run is called.
type Guarded interface {
	Tool
	// Action describes what a call would do: it sets the tool, what, where, covers and the
	// effects. An error says why the call is impossible.
	Action(call *Call) (Action, error)
}

// Fitter is a Tool that can distinguish a call from a sentence about it. An error says why
// a call makes no sense.
type Fitter interface{ Fits(call *Call) error }

// Param is an argument of the native form. All are strings.
type Param struct {
	Name        string
	Description string
	Enum        []string
	Required    bool
}

// Call is one call of a tool: all that the tool knows of the turn.
type Call struct {
	ID   string // identifies the call in events
	Name string
	Arg  string         // a directive's argument; named arguments in one line, for people
	Args map[string]any // named arguments, as the model gave them; nil for a directive

	NativeID string // the model's ID of a native call
	Raw      string // the call as the model wrote it
	Behind   string // the text that the model wrote behind it, before it knew the result
	Why      string // why the call doesn't run, for the model; "" if it may

	Session string
	Agent   string             // slug of the calling agent
	Held    transcript.Sources // sources of the text that the turn held when the model made the call
	May     *Permissions       // what its turn may do without a question
	// Ask asks a person about the rest. It returns nil if the answer is a yes.
	Ask func(ctx context.Context, act Action) error
	// Progress shows the tool's output so far; nil if nobody watches.
	Progress func(text string)
}

// Value returns a named argument as text, or "".
func (c *Call) Value(name string) string { return strings.TrimSpace(argText(c.Args[name])) }

// Only returns the argument of a tool with a single parameter, which has that name among
// named arguments.
func (c *Call) Only(name string) string {
	if c.Args != nil {
		return c.Value(name)
	}
	return strings.TrimSpace(c.Arg)
}

// Key is equal for calls of the same tool with the same argument.
func (c *Call) Key() string { return c.Name + " " + excerpt.OneLine(c.Arg) }

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

// NewCall returns the call that a model meant. known are the names it may use: those of the
// tools, and of agents that it takes for tools.
func NewCall(made reply.Call, known []reply.Tool, offered []Tool) *Call {
	c := &Call{Name: made.Name, Arg: strings.TrimSpace(made.Text), Why: made.Why}
	if made.Args == nil && c.Name == MCP {
		c.Name, c.Arg, _ = strings.Cut(c.Arg, " ")
		c.Arg = strings.TrimSpace(c.Arg)
	}
	args := maps.Clone(made.Args)
	if means, ok := reply.Resolve(c.Name, known); ok && means.For == "" {
		c.Name = means.Name
	} else if ok {
		c.Name = means.For
		if made.Args == nil {
			c.Arg = strings.TrimSpace(means.Name + " " + c.Arg)
		} else if args["agent"] == nil {
			args["agent"] = means.Name
		}
	}
	if made.Args == nil {
		return c
	}
	var params []Param
	if t := Find(offered, c.Name); t != nil {
		params = t.Doc().Params
		args = arrange(args, params, t.Doc().Schema != nil)
	}
	c.Args = args
	var parts, others []string
	for _, p := range params {
		if v := c.Value(p.Name); v != "" {
			parts = append(parts, v)
		}
	}
	for name := range args {
		if !slices.ContainsFunc(params, func(p Param) bool { return p.Name == name }) {
			others = append(others, name+"="+argText(args[name]))
		}
	}
	slices.Sort(others)
	c.Arg = strings.Join(append(parts, others...), " ")
	return c
}

// otherNames are names that models use for parameters of the app's own tools.
var otherNames = map[string][]string{
	"agent":  {"name", "agent_name", "agent_id", "slug", "target", "specialist"},
	"skill":  {"name", "skill_name"},
	"task":   {"prompt", "query", "message", "instruction", "instructions", "description", "input", "request", "text"},
	"url":    {"link", "address", "uri", "href", "page", "website"},
	"query":  {"q", "search", "text", "keywords", "question"},
	"topic":  {"metric", "type", "category", "name", "stat", "stats", "query"},
	"lesson": {"text", "memory", "content", "fact", "note", "value"},
	"old":    {"old_text", "before", "from"},
	"new":    {"new_text", "after", "to", "replacement"},
	"text":   {"lesson", "memory", "content", "old"},
}

// arrange returns the arguments under the names of the parameters, which models write in
// any case. A null is left out, except for another program's tool. Only the app's own tools
// also accept other names, and the one argument of an unknown name for the one that is
// missing: another program's tool gets what the model gave.
func arrange(given map[string]any, params []Param, foreign bool) map[string]any {
	named := func(name string) int {
		return slices.IndexFunc(params, func(p Param) bool { return strings.EqualFold(p.Name, name) })
	}
	args := map[string]any{}
	var unknown, missing []string
	for name, value := range given {
		at := named(name)
		switch {
		case value == nil && !foreign:
			continue
		case at < 0:
			unknown = append(unknown, name)
		default:
			name = params[at].Name
		}
		args[name] = value
	}
	if foreign {
		return args
	}
	for _, p := range params {
		for _, other := range otherNames[p.Name] {
			if at := slices.IndexFunc(unknown, func(name string) bool { return strings.EqualFold(name, other) }); at >= 0 && args[p.Name] == nil {
				args[p.Name] = args[unknown[at]]
				delete(args, unknown[at])
				unknown = slices.Delete(unknown, at, at+1)
			}
		}
		if p.Required && args[p.Name] == nil {
			missing = append(missing, p.Name)
		}
	}
	if len(missing) == 1 && len(unknown) == 1 {
		args[missing[0]] = args[unknown[0]]
		delete(args, unknown[0])
	}
	return args
}

// argText returns an argument as text: JSON unless it is a string.
func argText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
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
