package mcpclient

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// transport is a way to connect to a server.
type transport func(ctx context.Context) (mcp.Connection, error)

// Connect implements mcp.Transport.
func (t transport) Connect(ctx context.Context) (mcp.Connection, error) { return t(ctx) }

// pipe is the connection to a program, which writes a message per line. Lines that are no
// message are passed to junk, because many programs also print other text.
type pipe struct {
	lines *bufio.Scanner
	junk  func(line []byte)

	mu sync.Mutex
	in io.WriteCloser // guarded by mu
}

func newPipe(out io.Reader, in io.WriteCloser, junk func(line []byte)) *pipe {
	p := &pipe{lines: bufio.NewScanner(out), in: in, junk: junk}
	p.lines.Buffer(nil, maxSent)
	return p
}

// Read implements mcp.Connection.
func (p *pipe) Read(context.Context) (jsonrpc.Message, error) {
	for p.lines.Scan() {
		line := bytes.TrimSpace(p.lines.Bytes())
		msg, err := jsonrpc.DecodeMessage(slices.Clone(line))
		if err == nil {
			return msg, nil
		}
		if len(line) > 0 {
			p.junk(line)
		}
	}
	return nil, cmp.Or(p.lines.Err(), io.EOF)
}

// Write implements mcp.Connection.
func (p *pipe) Write(_ context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err = p.in.Write(append(data, '\n'))
	return err
}

// Close implements mcp.Connection.
func (p *pipe) Close() error { return p.in.Close() }

// SessionID implements mcp.Connection.
func (p *pipe) SessionID() string { return "" }

// web returns the connection to a server on the web. Its headers are only sent to its own
// host.
func (s *server) web(sent *meter, conn *lenient) (mcp.Transport, error) {
	config := s.config.expanded(s.client.p.Environ)
	own, _ := url.Parse(config.URL) // checked when mcp.json was read
	client := &http.Client{
		Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			if own == nil || r.URL.Host != own.Host || r.URL.Scheme != own.Scheme {
				return nil, fmt.Errorf("the server leads to another host, %s", clean(r.URL.Host, 100))
			}
			r = r.Clone(r.Context())
			for name, value := range config.Headers {
				r.Header.Set(name, value)
			}
			if version, _ := conn.version.Load().(string); version != "" && r.Header.Get(versionHeader) == "" {
				r.Header.Set(versionHeader, version)
			}
			resp, err := http.DefaultTransport.RoundTrip(r)
			if err == nil {
				if (resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusBadRequest) && r.Header.Get("Mcp-Session-Id") != "" {
					conn.lost.Store(true)
				}
				resp.Body = struct {
					io.Reader
					io.Closer
				}{sent.reader(resp.Body), resp.Body}
			}
			return resp, err
		}),
	}
	t := &mcp.StreamableClientTransport{Endpoint: config.URL, HTTPClient: client, DisableStandaloneSSE: true, MaxEventSize: maxSent}
	switch {
	case config.OAuth.Grant == clientCredentials:
		handler, err := extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{Credentials: config.OAuth.credentials(), HTTPClient: &http.Client{Timeout: startTime}})
		if err != nil {
			return nil, fmt.Errorf("its oauth in mcp.json: %w", err)
		}
		t.OAuthHandler = &agreedHandler{library: handler}
	case s.client.p.Tokens != nil:
		t.OAuthHandler = &signedIn{server: s}
	}
	return t, nil
}

const versionHeader = "Mcp-Protocol-Version"

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// lenient is a connection whose results are written anew with what is used of them, so that
// a part or a tool that can't be read costs only itself, and without the secrets of the
// server's configuration. As the library doesn't tell a
// connection that it doesn't know which version was agreed on, lenient notes that too.
type lenient struct {
	mcp.Connection
	hide    func(string) string // takes secrets out of a text
	version atomic.Value        // a string
	lost    atomic.Bool         // the server no longer knows the session
}

// Read implements mcp.Connection.
func (c *lenient) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	r, ok := msg.(*jsonrpc.Response)
	var result map[string]json.RawMessage
	if !ok || r.Error != nil || json.Unmarshal(r.Result, &result) != nil {
		return msg, err
	}
	var version string
	if json.Unmarshal(result["protocolVersion"], &version) == nil {
		c.version.Store(version)
	}
	switch {
	case result["tools"] != nil:
		r.Result, _ = json.Marshal(map[string]any{"tools": readTools(json.RawMessage(c.hide(string(result["tools"])))), "nextCursor": textOfJSON(result["nextCursor"])})
	case result["content"] != nil || result["structuredContent"] != nil:
		r.Result, _ = json.Marshal(map[string]any{
			"content": []any{map[string]string{"type": "text", "text": c.hide(contentText(result["content"], result["structuredContent"]))}},
			"isError": textOfJSON(result["isError"]) == "true",
		})
	}
	return msg, err
}

// listed is what is used of a tool in a list.
type listed struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// readTools returns the tools of a list. One without a readable name stays, as "", to be
// counted among those that are left out.
func readTools(raw json.RawMessage) []listed {
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return []listed{{}}
	}
	out := make([]listed, len(all))
	for i, raw := range all {
		var tool map[string]json.RawMessage
		_ = json.Unmarshal(raw, &tool) // one that is no object has no name
		out[i] = listed{textOfJSON(tool["name"]), textOfJSON(tool["description"]), tool["inputSchema"]}
		var schema map[string]json.RawMessage
		if json.Unmarshal(out[i].InputSchema, &schema) != nil || schema == nil {
			schema = map[string]json.RawMessage{}
		}
		if schema["type"] == nil {
			schema["type"] = json.RawMessage(`"object"`)
		}
		out[i].InputSchema, _ = json.Marshal(schema)
	}
	return out
}

// textOfJSON returns a JSON string's text, another value as it is written, and "" for null
// or nothing.
func textOfJSON(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// contentText returns the content of a result as text: each part by what it has in it, and
// the structured form unless the text says the same. A part of an unknown form is shown as
// it is.
func contentText(content, structured json.RawMessage) string {
	var all []json.RawMessage
	if json.Unmarshal(content, &all) != nil && content != nil {
		all = []json.RawMessage{content}
	}
	var parts []string
	for _, raw := range all {
		parts = append(parts, partText(raw))
	}
	if textOfJSON(structured) != "" && !slices.ContainsFunc(parts, func(part string) bool { return says(part, structured) }) {
		var text bytes.Buffer
		_ = json.Compact(&text, structured) // valid JSON
		parts = append(parts, text.String())
	}
	text := strings.Join(parts, "\n\n")
	if strings.TrimSpace(text) == "" {
		return "(nothing)"
	}
	return text
}

func partText(raw json.RawMessage) string {
	var part map[string]json.RawMessage
	if json.Unmarshal(raw, &part) != nil || part == nil {
		return textOfJSON(raw)
	}
	var resource map[string]json.RawMessage
	_ = json.Unmarshal(part["resource"], &resource) // one that is no object has nothing to show
	size := func(raw json.RawMessage) int {
		return base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(textOfJSON(raw), "=")))
	}
	uri, kind := textOfJSON(part["uri"]), textOfJSON(part["type"])+" "+textOfJSON(part["mimeType"])
	switch {
	case part["text"] != nil:
		return textOfJSON(part["text"])
	case resource["text"] != nil:
		return textOfJSON(resource["uri"]) + ":\n" + textOfJSON(resource["text"])
	case resource["blob"] != nil:
		return fmt.Sprintf("[%s, %d bytes, which are not shown]", textOfJSON(resource["uri"]), size(resource["blob"]))
	case part["data"] != nil && strings.Contains(kind, "audio"):
		return fmt.Sprintf("[a sound of %d bytes, which is not played]", size(part["data"]))
	case part["data"] != nil && strings.Contains(kind, "image"):
		return fmt.Sprintf("[an image of %d bytes, which is not shown]", size(part["data"]))
	case uri != "":
		return "[a link to " + uri + "]"
	}
	return string(raw)
}

// says reports whether a text is the structured form of a result, or the one value in it:
// libraries wrap a value that is no object.
func says(text string, structured json.RawMessage) bool {
	same := func(raw json.RawMessage) bool {
		var a, b any
		if text == textOfJSON(raw) {
			return true
		}
		return decodeExact([]byte(text), &a) == nil && decodeExact(raw, &b) == nil && reflect.DeepEqual(a, b)
	}
	var wrapped map[string]json.RawMessage
	_ = json.Unmarshal(structured, &wrapped)
	return same(structured) || len(wrapped) == 1 && wrapped["result"] != nil && same(wrapped["result"])
}

// decodeExact decodes one JSON value, its numbers as they are written.
func decodeExact(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("text follows")
	}
	return nil
}
