package ollama

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/ollama/ollama/api"
)

// decode decodes the fields in use of a server's answer, each by itself. The types below
// take a value of another type as far as it makes sense; whatever else doesn't fit is left
// out. An error means that data isn't JSON of the expected kind at all.
func decode(data []byte, into any) error {
	err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), into)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return nil // encoding/json has decoded the other fields
	}
	return err
}

// text is a string. Parts ({"type": "text", "text": …}) are joined. Null, false and an empty
// object are no text; anything else is kept as it is written, so that nothing of an answer is
// lost.
type text string

// UnmarshalJSON accepts any JSON.
func (t *text) UnmarshalJSON(b []byte) error {
	if n := len(b); n > 1 && b[0] == '"' && bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b) { // of almost every line of a stream
		*t = text(b[1 : n-1])
		return nil
	}
	var s string
	type part struct {
		Text    *string `json:"text"`
		Content *string `json:"content"`
	}
	parts := make([]part, 1)
	switch {
	case json.Unmarshal(b, &s) == nil, bytes.Equal(b, []byte("false")), bytes.Equal(b, []byte("{}")):
		*t = text(s)
		return nil
	case json.Unmarshal(b, &parts[0]) == nil, json.Unmarshal(b, &parts) == nil:
		for _, p := range parts {
			said := cmp.Or(p.Text, p.Content)
			if said == nil {
				*t = text(b)
				return nil
			}
			s += *said
		}
		*t = text(s)
		return nil
	}
	*t = text(b)
	return nil
}

// number is a count, a size in bytes or a time in nanoseconds: 900.5, "900" and "4.1 GB" are
// accepted, anything else and what can't be counted is 0.
type number int64

// UnmarshalJSON accepts any JSON.
func (n *number) UnmarshalJSON(b []byte) error {
	*n = 0
	var s string
	if json.Unmarshal(b, &s) != nil {
		s = string(b)
	}
	s = strings.TrimSpace(s)
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		size, err := humanize.ParseBytes(s)
		if err != nil {
			return nil
		}
		f = float64(size)
	}
	if f > 0 && f < math.MaxInt64/2 {
		*n = number(f)
	}
	return nil
}

// flag is a truth value: true, "true" and 1 are.
type flag bool

// UnmarshalJSON accepts any JSON.
func (f *flag) UnmarshalJSON(b []byte) error {
	truth, err := strconv.ParseBool(string(bytes.Trim(b, `"`)))
	*f = flag(err == nil && truth)
	return nil
}

// moment is a time; zero if it isn't one.
type moment struct{ time.Time }

// UnmarshalJSON accepts any JSON.
func (m *moment) UnmarshalJSON(b []byte) error {
	if m.Time.UnmarshalJSON(b) != nil {
		m.Time = time.Time{}
	}
	return nil
}

// list is a list without the elements that can't be decoded. A single value is a list of one.
type list[T any] []T

// UnmarshalJSON accepts any JSON. The list is nil only if the field is missing: servers write
// null for an empty one.
func (l *list[T]) UnmarshalJSON(b []byte) error {
	*l = list[T]{}
	var raw []json.RawMessage
	if b = unquoted(b); json.Unmarshal(b, &raw) != nil {
		raw = []json.RawMessage{b}
	}
	for _, one := range raw {
		var v T
		if !bytes.Equal(one, []byte("null")) && decode(one, &v) == nil {
			*l = append(*l, v)
		}
	}
	return nil
}

// messageFields are the fields of a message. Thoughts and calls have several names.
type messageFields struct {
	Content          text           `json:"content"`
	Response         text           `json:"response"` // of /api/generate
	Thinking         text           `json:"thinking"`
	Reasoning        text           `json:"reasoning"`
	ReasoningContent text           `json:"reasoning_content"`
	ToolCalls        list[toolCall] `json:"tool_calls"`
	FunctionCall     list[toolCall] `json:"function_call"`
}

// chunk returns what the fields add to an answer. Thoughts under two names are the same.
func (f messageFields) chunk() Chunk {
	ch := Chunk{Content: string(f.Content + f.Response), Thinking: string(cmp.Or(f.Thinking, f.Reasoning, f.ReasoningContent))}
	for _, call := range append(f.ToolCalls, f.FunctionCall...) {
		if c := api.ToolCall(call); c.ID != "" || c.Function.Name != "" || c.Function.Arguments.Len() > 0 {
			ch.ToolCalls = append(ch.ToolCalls, c)
		}
	}
	return ch
}

// message is the message of an answer. A bare string is its content.
type message struct {
	messageFields
	present bool
}

// UnmarshalJSON accepts any JSON.
func (m *message) UnmarshalJSON(b []byte) error {
	*m = message{present: true}
	if decode(b, &m.messageFields) != nil {
		return m.Content.UnmarshalJSON(b)
	}
	return nil
}

// toolCall is a native call: Ollama's, in which "function" holds name and arguments, or a
// flat one. One without a name keeps what it holds as its arguments.
type toolCall api.ToolCall

// calledFunction is the function of a call. A bare string is its name.
type calledFunction struct {
	Index      number     `json:"index"`
	Name       text       `json:"name"`
	Arguments  *arguments `json:"arguments"`
	Parameters *arguments `json:"parameters"`
	Input      *arguments `json:"input"`
}

// UnmarshalJSON accepts any JSON.
func (c *toolCall) UnmarshalJSON(b []byte) error {
	b = unquoted(b)
	var call struct {
		calledFunction
		ID       text            `json:"id"`
		Function json.RawMessage `json:"function"`
	}
	var inner calledFunction
	if decode(b, &call) == nil && decode(call.Function, &inner) != nil {
		_ = inner.Name.UnmarshalJSON(call.Function) // accepts anything
	}
	name := string(cmp.Or(inner.Name, call.Name))
	args := cmp.Or(inner.Arguments, inner.Parameters, inner.Input, call.Arguments, call.Parameters, call.Input)
	if args == nil {
		args = new(arguments)
		if name == "" && call.ID == "" {
			_ = args.UnmarshalJSON(b) // accepts anything
		}
	}
	*c = toolCall{ID: string(call.ID), Function: api.ToolCallFunction{
		Index: int(cmp.Or(inner.Index, call.Index)), Name: name, Arguments: api.ToolCallFunctionArguments(*args),
	}}
	return nil
}

// unquoted returns the JSON object or list that a JSON string holds, and any other value as
// it is.
func unquoted(b []byte) []byte {
	var s string
	if len(b) == 0 || b[0] != '"' || json.Unmarshal(b, &s) != nil {
		return b
	}
	if inner := bytes.TrimSpace([]byte(s)); len(inner) > 0 && (inner[0] == '{' || inner[0] == '[') && json.Valid(inner) {
		return inner
	}
	return b
}

// arguments are the arguments of a native call as the model gave them: numbers are
// json.Number and null stays null. Text that holds a JSON object is one, as in the API of
// OpenAI. Anything else is an argument called "arguments".
type arguments api.ToolCallFunctionArguments

// UnmarshalJSON accepts any JSON.
func (a *arguments) UnmarshalJSON(b []byte) error {
	args := api.NewToolCallFunctionArguments()
	defer func() { *a = arguments(args) }()
	if setFields(&args, unquoted(b)) {
		return nil
	}
	value, _ := exact(b) // encoding/json has checked it
	if s, ok := value.(string); value != nil && (!ok || strings.TrimSpace(s) != "") {
		args.Set("arguments", value)
	}
	return nil
}

// setFields sets the fields of a JSON object in their order. It reports whether b is one,
// and sets none if it isn't.
func setFields(args *api.ToolCallFunctionArguments, b []byte) bool {
	if b = bytes.TrimSpace(b); len(b) == 0 || b[0] != '{' || !json.Valid(b) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(b))
	_, _ = d.Token() // the brace; b is valid
	for d.More() {
		key, err := d.Token()
		var raw json.RawMessage
		if err == nil {
			err = d.Decode(&raw)
		}
		name, ok := key.(string)
		value, valueErr := exact(raw)
		if err != nil || valueErr != nil || !ok {
			return false // impossible in valid JSON
		}
		args.Set(name, value)
	}
	return true
}

// exact decodes one JSON value, its numbers as they are written.
func exact(b []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

// listed is a model in /api/tags or /api/ps.
type listed struct {
	Name          text    `json:"name"`
	Model         text    `json:"model"`
	RemoteModel   text    `json:"remote_model"`
	RemoteHost    text    `json:"remote_host"`
	Size          number  `json:"size"`
	Digest        text    `json:"digest"`
	Details       details `json:"details"`
	ExpiresAt     moment  `json:"expires_at"`
	ContextLength number  `json:"context_length"`
	SizeVRAM      number  `json:"size_vram"`
}

type details struct {
	Family        text `json:"family"`
	ParameterSize text `json:"parameter_size"`
}

// shown is the description of a model from /api/show.
type shown struct {
	Template      text                       `json:"template"`
	Renderer      text                       `json:"renderer"`
	Details       details                    `json:"details"`
	RemoteModel   text                       `json:"remote_model"`
	RemoteHost    text                       `json:"remote_host"`
	ModelInfo     map[string]json.RawMessage `json:"model_info"`
	ProjectorInfo map[string]json.RawMessage `json:"projector_info"`
	Capabilities  list[text]                 `json:"capabilities"`
}

// vector is the embedding of a text. A vector that lacks a number isn't one.
type vector []float32

// UnmarshalJSON returns an error if b isn't a list of numbers.
func (v *vector) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, (*[]float32)(v)) == nil && !bytes.Contains(b, []byte("null")) {
		return nil
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*v = make(vector, 0, len(raw))
	for _, one := range raw {
		f, err := strconv.ParseFloat(string(bytes.Trim(one, `"`)), 32)
		if err != nil {
			return err
		}
		*v = append(*v, float32(f))
	}
	return nil
}
