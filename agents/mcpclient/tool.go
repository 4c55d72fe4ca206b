package mcpclient

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
)

// toolName matches valid names of tools; others are left out.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)

// listTools returns the usable tools of a server, with cleaned texts.
func listTools(ctx context.Context, session *mcp.ClientSession, log *slog.Logger) ([]spec, error) {
	var list []spec
	seen := map[string]bool{}
	for cursor, page := "", 0; page < 10; page++ {
		got, err := within(ctx, func() {}, func(ctx context.Context) (*mcp.ListToolsResult, error) {
			return session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		})
		if err != nil {
			return nil, err
		}
		for _, t := range got.Tools {
			s, err := newSpec(t)
			switch {
			case err == nil && seen[folded(s.Name)]:
				err = errors.New("its name looks like that of another one")
			case err == nil && len(list) == maxTools:
				err = fmt.Errorf("the server has more than %d", maxTools)
			}
			if err != nil {
				log.Warn("a tool of an MCP server is left out", "tool", clean(t.Name, 64), "reason", err)
				continue
			}
			seen[folded(s.Name)] = true
			list = append(list, s)
		}
		if cursor = got.NextCursor; cursor == "" {
			break
		}
	}
	return list, nil
}

func newSpec(t *mcp.Tool) (spec, error) {
	if t == nil || !toolName.MatchString(t.Name) {
		return spec{}, errors.New("its name has other signs than letters (a to z), digits, _, . and -")
	}
	schema, err := json.Marshal(cleanSchema(t.InputSchema, 0))
	switch {
	case err != nil:
		return spec{}, err
	case len(schema) > maxSchema:
		return spec{}, fmt.Errorf("its arguments take more than %d KB to describe", maxSchema>>10)
	}
	var arguments struct {
		Type       any                        `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &arguments) != nil || arguments.Type != "object" {
		return spec{}, errors.New("its arguments are no object")
	}
	seen := map[string]bool{}
	for name := range arguments.Properties {
		if lower := strings.ToLower(name); seen[lower] { // models write names in any case
			return spec{}, errors.New("two of its arguments differ in capitals alone")
		} else {
			seen[lower] = true
		}
	}
	return spec{Name: t.Name, Description: clean(t.Description, maxAbout), Schema: schema}, nil
}

func hashOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// tool makes a server's tool available to agents.
type tool struct {
	server *server
	spec   spec
	schema api.ToolFunctionParameters
	types  map[string]api.PropertyType // of the arguments, by name
}

func newTool(s *server, sp spec) *tool {
	t := &tool{server: s, spec: sp, types: map[string]api.PropertyType{}}
	schema := inlined(sp.Schema)
	if err := json.Unmarshal(schema, &t.schema); err != nil { // models' templates can't show this schema, so only the names are used
		t.schema = api.ToolFunctionParameters{Type: "object"}
		var names struct {
			Properties map[string]json.RawMessage `json:"properties"`
			Required   []string                   `json:"required"`
		}
		_ = json.Unmarshal(schema, &names) // a schema without properties has no arguments
		t.schema.Properties, t.schema.Required = api.NewToolPropertiesMap(), names.Required
		for _, name := range sorted(names.Properties) {
			t.schema.Properties.Set(name, api.ToolProperty{})
		}
	}
	if t.schema.Properties == nil {
		t.schema.Properties = api.NewToolPropertiesMap()
	}
	for name, property := range t.schema.Properties.All() {
		t.types[name] = property.Type
	}
	return t
}

// Name returns the tool's name, which begins with the server's.
func (t *tool) Name() string { return t.server.name + "." + t.spec.Name }

// Doc implements tools.Tool.
func (t *tool) Doc() tools.Doc {
	var args []string
	var params []tools.Param
	for name, p := range t.schema.Properties.All() {
		required := slices.Contains(t.schema.Required, name)
		params = append(params, tools.Param{Name: name, Required: required})
		value := `"…"`
		if !slices.Contains(p.Type, "string") && len(p.Type) > 0 {
			value = p.Type[0]
		}
		if !required {
			name += "?"
		}
		args = append(args, `"`+name+`": `+value)
	}
	effects := tools.Effects{Reads: "what that program can read", Writes: "what that program can write", Sends: "the arguments, to that program"}
	if t.server.config.URL != "" {
		effects = tools.Effects{Reads: "what that server can read", Writes: "what that server can write", Sends: "the arguments, to that server"}
	}
	return tools.Doc{
		Name: t.Name(), Usage: "MCP: " + t.Name() + " {" + strings.Join(args, ", ") + "}",
		Description: "(says the program " + t.server.name + ") " + t.spec.Description, Effects: effects, Params: params, Schema: &t.schema,
	}
}

// Fits returns an error if the arguments of a call aren't those of the tool.
func (t *tool) Fits(call tools.Call) error {
	_, err := t.arguments(call)
	return err
}

// arguments returns the arguments of a call as JSON: as the model gave them, but for text
// where the schema wants something else.
func (t *tool) arguments(call tools.Call) (json.RawMessage, error) {
	args := map[string]any{}
	switch text := strings.TrimSpace(call.Arg); {
	case call.Args != nil:
		for name, value := range call.Args {
			args[name] = typed(value, t.types[name])
		}
	case text == "":
	case strings.HasPrefix(text, "{"):
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&args); err != nil || d.More() {
			return nil, fmt.Errorf("the arguments are no JSON (%w); write MCP: %s {\"name\": value}", cmp.Or(err, errors.New("text follows them")), t.Name())
		}
	case len(t.schema.Required) == 1:
		args[t.schema.Required[0]] = typed(text, t.types[t.schema.Required[0]])
	default:
		return nil, fmt.Errorf("the arguments are missing; write %s", t.Doc().Usage)
	}
	for _, name := range t.schema.Required {
		if _, there := args[name]; !there {
			return nil, fmt.Errorf("the argument %s is missing; write %s", name, t.Doc().Usage)
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // for people to read
	err := encoder.Encode(args)
	data := bytes.TrimSpace(text.Bytes())
	if len(data) > maxArgs {
		return nil, fmt.Errorf("the arguments are longer than %d KB", maxArgs>>10)
	}
	return visible(data), err
}

// typed returns a value as the schema wants it, if it is another one only in form: text that
// holds a number or an object, or a number where only text is allowed.
func typed(value any, want api.PropertyType) any {
	text, isText := value.(string)
	takesText := len(want) == 0 || slices.Contains(want, "string")
	switch v := value.(type) {
	case json.Number:
		if len(want) == 1 && takesText {
			return v.String()
		}
	case string:
		if takesText && !slices.Contains(want, "object") {
			return v
		}
	}
	var inner any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if !isText || d.Decode(&inner) != nil || d.More() {
		return value
	}
	return inner
}

// visible replaces invisible characters, and those that reverse a line, with JSON escapes.
// The person then sees everything, and the server gets the same values.
func visible(data []byte) json.RawMessage {
	var out strings.Builder
	for _, r := range string(data) {
		if r == 0x7f || r > unicode.MaxASCII && (!unicode.IsPrint(r) || unicode.In(r, unicode.Cf, unicode.Mn, unicode.Zs, unicode.Other_Default_Ignorable_Code_Point) || r == '\u2800') {
			if r > 0xffff {
				r -= 0x10000
				fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
				continue
			}
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return json.RawMessage(out.String())
}

// Stamp returns the stamp of the tool's current description.
func (t *tool) Stamp() string {
	if t.spec.Changed != nil {
		return t.spec.Changed.stamp(t.server.config.hash())
	}
	return t.spec.stamp(t.server.config.hash())
}

// Action implements tools.Guarded.
func (t *tool) Action(call tools.Call) (tools.Action, error) {
	args, err := t.arguments(call)
	if err != nil {
		return tools.Action{}, err
	}
	what := t.Name() + " " + string(args)
	if t.spec.Changed != nil {
		what += "\n\nThe program now says of this tool: " + t.spec.Changed.Description
	}
	return tools.Action{Tool: t.Name(), What: what, Where: t.server.config.where(), Effects: t.Doc().Effects, Stamp: t.Stamp()}, nil
}

// Run calls the tool that the person saw. If its description has changed since then, the
// person is asked again.
func (t *tool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	s := t.server
	args, err := t.arguments(call)
	if err != nil {
		return tools.Result{}, err
	}
	if err := s.start(ctx); err != nil {
		return tools.Result{}, err
	}
	if err := t.unchanged(); err != nil {
		return tools.Result{}, err
	}
	s.mu.Lock()
	session, kill, sent := s.session, s.kill, s.sent
	s.mu.Unlock()
	if session == nil {
		return tools.Result{}, fmt.Errorf("the MCP server %s has ended", s.name)
	}
	sent.reset()
	limited, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	got, err := within(limited, kill, func(ctx context.Context) (*mcp.CallToolResult, error) {
		return session.CallTool(ctx, &mcp.CallToolParams{Name: t.spec.Name, Arguments: args})
	})
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	if err != nil {
		err = fmt.Errorf("%s failed: %w", t.Name(), s.explain(limited, err))
		if answer := (*jsonrpc.Error)(nil); !errors.As(err, &answer) && limited.Err() == nil {
			s.stop("it failed") // the next call starts it again
			s.mu.Lock()
			s.err = ErrEnded
			s.mu.Unlock()
		}
		return tools.Result{}, err
	}
	text, cut := contentText(got)
	text = s.config.hide(text)
	if got.IsError { // the message is a stranger's text too
		text = "The tool says that it failed: " + text
	}
	return tools.Result{Text: text, Cut: cut, Quote: "the tool " + t.Name() + " of another program", Sources: transcript.FromTool}, nil
}

// unchanged returns an error if the tool's description is newer than the one about which
// the person was asked.
func (t *tool) unchanged() error {
	k, _ := t.server.client.knownOf(t.server)
	at := slices.IndexFunc(k.Tools, func(s spec) bool { return s.Name == t.spec.Name })
	switch {
	case at < 0:
		return fmt.Errorf("the server has no tool %s any more", t.Name())
	case k.Tools[at].Off:
		return fmt.Errorf("%s is switched off", t.Name())
	}
	now, asked := k.Tools[at], t.spec
	if now.Changed != nil {
		now = *now.Changed
	}
	if asked.Changed != nil {
		asked = *asked.Changed
	}
	if now.stamp("") != asked.stamp("") {
		t.spec = k.Tools[at] // the next question shows the new description
		return errors.New("not done: what the program says of this tool has changed; call it again, and the user is asked")
	}
	if t.spec.Changed == nil {
		return nil
	}
	now.Off = false
	t.spec = now
	return t.server.client.change(t.server, t.spec.Name, func(s *spec) { *s = now })
}

// contentText returns a tool's result as text.
func contentText(got *mcp.CallToolResult) (text string, cut bool) {
	var parts []string
	for _, content := range got.Content {
		switch c := content.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.ImageContent:
			parts = append(parts, fmt.Sprintf("[an image of %d bytes, which is not shown]", len(c.Data)))
		case *mcp.AudioContent:
			parts = append(parts, fmt.Sprintf("[a sound of %d bytes, which is not played]", len(c.Data)))
		case *mcp.ResourceLink:
			parts = append(parts, "[a link to "+c.URI+"]")
		case *mcp.EmbeddedResource:
			if c.Resource != nil && c.Resource.Text != "" {
				parts = append(parts, c.Resource.URI+":\n"+c.Resource.Text)
			} else if c.Resource != nil {
				parts = append(parts, fmt.Sprintf("[%s, %d bytes, which are not shown]", c.Resource.URI, len(c.Resource.Blob)))
			}
		}
	}
	text = strings.Join(parts, "\n\n")
	if strings.TrimSpace(text) == "" && got.StructuredContent != nil {
		data, _ := json.Marshal(got.StructuredContent) // valid JSON
		text = string(data)
	}
	if strings.TrimSpace(text) == "" {
		text = "(nothing)"
	}
	if len(text) > maxResult {
		return strings.ToValidUTF8(text[:maxResult], ""), true
	}
	return text, false
}
