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
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
)

// toolName matches valid names of tools; others are left out.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)

// listTools returns the usable tools of a server, with cleaned texts, and what is left out
// of them. It reads the list to its end, unless that repeats itself, is too long, or takes
// too long.
func (s *server) listTools(ctx context.Context, session *mcp.ClientSession) (known, error) {
	list := known{Tools: []spec{}}
	named, seen, pages, began := map[string]bool{}, map[string]bool{}, map[string]bool{}, time.Now()
	out := map[string][]string{} // tools by the reason why they are left out
	for cursor := ""; ; {
		pages[cursor] = true
		got, err := within(ctx, func() {}, func(ctx context.Context) (*mcp.ListToolsResult, error) {
			return session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		})
		if err != nil {
			return known{}, err
		}
		for _, t := range got.Tools {
			if named[t.Name] && t.Name != "" {
				continue // as on an earlier page
			}
			named[t.Name] = true
			one, err := newSpec(t)
			switch {
			case err == nil && seen[folded(one.Name)]:
				err = errors.New("its name looks like that of another one")
			case err == nil && len(list.Tools) == maxTools:
				err = fmt.Errorf("the server has more than %d", maxTools)
			}
			if err != nil {
				out[err.Error()] = append(out[err.Error()], cmp.Or(clean(t.Name, 64), "one without a name"))
				continue
			}
			seen[folded(one.Name)] = true
			list.Tools = append(list.Tools, one)
		}
		if cursor = got.NextCursor; cursor == "" {
			break
		}
		if pages[cursor] || len(list.Tools) == maxTools || time.Since(began) > s.client.listing {
			why := "it repeats itself"
			switch {
			case len(list.Tools) == maxTools:
				why = fmt.Sprintf("it has more than %d tools", maxTools)
			case !pages[cursor]:
				why = fmt.Sprintf("it didn't end within %v", s.client.listing)
			}
			list.Left = append(list.Left, "the end of its list of tools: "+why)
			break
		}
	}
	for _, why := range sorted(out) {
		names := out[why]
		if more := len(names) - 5; more > 0 {
			names = append(names[:5], fmt.Sprintf("%d more", more))
		}
		list.Left = append(list.Left, strings.Join(names, ", ")+": "+why)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.junk != "" {
		list.Left = append(list.Left, "text on its stdout that is no message: "+s.junk)
	}
	for _, left := range list.Left {
		s.client.p.Logger.Warn("something of an MCP server is left out", "server", s.name, "what", left)
	}
	return list, nil
}

func newSpec(t *mcp.Tool) (spec, error) {
	if !toolName.MatchString(t.Name) {
		return spec{}, errors.New("its name has other signs than letters (a to z), digits, _, . and -, or more than 128")
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
}

func newTool(s *server, sp spec) *tool {
	t := &tool{server: s, spec: sp}
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
		Description: "(says the program " + t.server.name + ") " + t.spec.Description, Effects: effects, Params: params, Schema: &t.schema, Used: t.spec.Used,
	}
}

// Fits returns an error if the arguments of a call aren't those of the tool.
func (t *tool) Fits(call *tools.Call) error {
	_, err := t.arguments(call)
	return err
}

// arguments returns the arguments of a call as JSON: as the model gave them, but for a value
// that the schema doesn't allow and that is another one only in form.
func (t *tool) arguments(call *tools.Call) (json.RawMessage, error) {
	args := map[string]any{}
	switch text := strings.TrimSpace(call.Arg); {
	case call.Args != nil:
		maps.Copy(args, call.Args)
	case text == "":
	case strings.HasPrefix(text, "{"):
		if err := decodeExact([]byte(text), &args); err != nil {
			return nil, fmt.Errorf("the arguments are no JSON (%w); write MCP: %s {\"name\": value}", err, t.Name())
		}
	case len(t.schema.Required) == 1:
		args[t.schema.Required[0]] = text
	default:
		return nil, fmt.Errorf("the arguments are missing; write %s", t.Doc().Usage)
	}
	var schema map[string]any
	_ = decodeExact(t.spec.Schema, &schema) // newSpec has read it
	properties, _ := schema["properties"].(map[string]any)
	for name, value := range args {
		steps := maxSteps
		allowed := func(v any) bool { return allows(schema, properties[name], v, 0, &steps) }
		if value == nil && !allowed(nil) && !slices.Contains(t.schema.Required, name) {
			delete(args, name) // what many models write for nothing
			continue
		}
		args[name] = formed(value, allowed)
	}
	for _, name := range t.schema.Required {
		if _, there := args[name]; !there {
			return nil, fmt.Errorf("the argument %s is missing; write %s", name, t.Doc().Usage)
		}
	}
	data, err := compact(args)
	if len(data) > maxArgs {
		return nil, fmt.Errorf("the arguments are longer than %d KB", maxArgs>>10)
	}
	return visible(data), err
}

// compact returns a value as JSON for people to read.
func compact(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(text.Bytes()), err
}

// formed returns a value unchanged if it is allowed. Otherwise it returns the value that its
// text holds, or its text, if that is allowed.
func formed(value any, allowed func(any) bool) any {
	if allowed(value) {
		return value
	}
	var other any
	if text, ok := value.(string); !ok && value != nil {
		data, err := compact(value)
		if other = string(data); err != nil {
			return value
		}
	} else if decodeExact([]byte(text), &other) != nil {
		return value
	}
	if allowed(other) {
		return other
	}
	return value
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
func (t *tool) Action(call *tools.Call) (tools.Action, error) {
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
func (t *tool) Run(ctx context.Context, call *tools.Call) (tools.Result, error) {
	return t.run(ctx, call, false)
}

// run is Run; renewed means that the session was just renewed for this call.
func (t *tool) run(ctx context.Context, call *tools.Call, renewed bool) (tools.Result, error) {
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
	session, conn, kill, sent := s.session, s.conn, s.kill, s.sent
	s.mu.Unlock()
	if session == nil {
		return tools.Result{}, fmt.Errorf("the MCP server %s has ended", s.name)
	}
	sent.reset()
	conn.lost.Store(false)
	limited, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	got, err := within(limited, kill, func(ctx context.Context) (*mcp.CallToolResult, error) {
		return session.CallTool(ctx, &mcp.CallToolParams{Name: t.spec.Name, Arguments: args})
	})
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	if err != nil && limited.Err() == nil && conn.lost.Load() && !renewed { // it refused the call without looking at it
		s.stop("it no longer knows the session")
		return t.run(ctx, call, true)
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
	if !t.spec.Used {
		t.spec.Used = true
		if err := s.client.change(s, t.spec.Name, func(sp *spec) { sp.Used = true }); err != nil {
			s.client.p.Logger.Warn("that a tool was used can't be kept", "tool", t.Name(), "error", err)
		}
	}
	text, cut := "", false
	for _, part := range got.Content { // one, see lenient
		if part, ok := part.(*mcp.TextContent); ok {
			text = part.Text
		}
	}
	if cut = len(text) > maxResult; cut {
		text = strings.ToValidUTF8(text[:maxResult], "")
	}
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
	now.Off, now.Used = false, t.spec.Used
	t.spec = now
	return t.server.client.change(t.server, t.spec.Name, func(s *spec) { *s = now })
}
