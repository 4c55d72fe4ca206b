package mcpclient

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mac-stats/agents/tools"
)

const (
	initialized = `{"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}}`
	lists       = `{"jsonrpc":"2.0","id":$id,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}`
)

// scripted returns a bench with a server "s" that answers with these lines; see script.
func scripted(t *testing.T, answers map[string][][]string) *bench {
	t.Helper()
	b := newBench(t, nil)
	for method, line := range map[string]string{"initialize": initialized, "tools/list": lists} {
		if answers[method] == nil {
			answers[method] = [][]string{{line}}
		}
	}
	data, err := json.Marshal(answers)
	if err == nil {
		err = os.WriteFile(filepath.Join(b.dir, "script.json"), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.write(map[string]config{"s": b.config("script")})
	return b
}

func result(text string) [][]string {
	return [][]string{{`{"jsonrpc":"2.0","id":$id,"result":` + text + `}`}}
}

// What a result holds reaches the model as text, each part by itself.
func TestResults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, result, want string }{
		{"text", `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, "a\n\nb"},
		{"a part of an unknown type", `{"content":[{"type":"text","text":"a"},{"type":"chart","rows":[1,2]},{"type":"text","text":"b"}]}`, "a\n\n{\"type\":\"chart\",\"rows\":[1,2]}\n\nb"},
		{"a part that is none", `{"content":[7,{"type":"text","text":"a"},null,"b"]}`, "7\n\na\n\n\n\nb"},
		{"fields of other types", `{"content":[{"type":"text","text":5,"annotations":"x","_meta":[1]}],"isError":"false","_meta":3}`, "5"},
		{"no list", `{"content":{"type":"text","text":"a"}}`, "a"},
		{"text alone", `{"content":"a"}`, "a"},
		{"an image whose data is none", `{"content":[{"type":"image","data":"%%%","mimeType":"image/png"},{"type":"text","text":"a"}]}`, "[an image of 2 bytes, which is not shown]\n\na"},
		{"sound", `{"content":[{"type":"audio","data":"AAAA","mimeType":"audio/wav"}]}`, "[a sound of 3 bytes, which is not played]"},
		{"resources", `{"content":[{"type":"resource","resource":{"uri":"file:///a","text":"b"}},{"type":"resource","resource":{"uri":"file:///c","blob":"AAA="}},{"type":"resource_link","uri":"file:///d"}]}`, "file:///a:\nb\n\n[file:///c, 2 bytes, which are not shown]\n\n[a link to file:///d]"},
		{"structured alone", `{"structuredContent":{"a":1}}`, `{"a":1}`},
		{"structured beside text", `{"content":[{"type":"text","text":"done"}],"structuredContent":{"a": 9007199254740993, "b": [null]}}`, "done\n\n{\"a\":9007199254740993,\"b\":[null]}"},
		{"the same twice", `{"content":[{"type":"text","text":"{\"a\": 1, \"b\": 2}"}],"structuredContent":{"b":2,"a":1}}`, `{"a": 1, "b": 2}`},
		{"the same twice, wrapped", `{"content":[{"type":"text","text":"10"}],"structuredContent":{"result":10}}`, "10"},
		{"text twice, wrapped", `{"content":[{"type":"text","text":"x"}],"structuredContent":{"result":"x"}}`, "x"},
		{"structured is no object", `{"content":[],"structuredContent":[1,2]}`, "[1,2]"},
		{"nothing", `{"content":[]}`, "(nothing)"},
		{"an error in other types", `{"content":[{"type":"text","text":"no"}],"isError":true,"structuredContent":null}`, "The tool says that it failed: no"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := scripted(t, map[string][][]string{"tools/call": append(result(tt.result), result(`{"content":[{"type":"text","text":"after"}]}`)...)})
			got, err := b.call("s.t", "x")
			if err != nil || got.Text != tt.want {
				t.Errorf("%q %v, want %q", got.Text, err, tt.want)
			}
			if got, err = b.call("s.t", "x"); err != nil || got.Text != "after" {
				t.Errorf("after it: %q %v", got.Text, err)
			}
		})
	}
}

// A tool that can't be read costs only itself.
func TestOneMalformedToolIsLeftOut(t *testing.T) {
	t.Parallel()
	b := scripted(t, map[string][][]string{"tools/list": result(`{"tools":[
		7, null, {"name": 5, "inputSchema": {"type":"object"}}, {"description":"no name"},
		{"name":"a","description":["no","text"],"inputSchema":{"type":"object","properties":{"x":true}},"annotations":"none"},
		{"name":"b","inputSchema":null}, {"name":"c","inputSchema":{"properties":{"x":{"type":["integer","null"]}}},"outputSchema":3},
		{"name":"d","inputSchema":"none"}],"nextCursor":null}`)})
	b.rewrap("tools/list")
	var names []string
	for _, tool := range b.Tools(t.Context()) {
		names = append(names, tool.Doc().Name)
	}
	if got := strings.Join(names, " "); got != "s.5 s.a s.b s.c s.d" {
		t.Errorf("%s", got)
	}
	list, err := b.Servers()
	if err != nil || len(list[0].Left) != 1 || !strings.HasPrefix(list[0].Left[0], "one without a name, one without a name, one without a name:") {
		t.Errorf("%q %v", list[0].Left, err)
	}
}

// rewrap puts the answers to a method on one line each.
func (b *bench) rewrap(method string) {
	b.t.Helper()
	path := filepath.Join(b.dir, "script.json")
	data, err := os.ReadFile(path)
	answers := map[string][][]string{}
	if err == nil {
		err = json.Unmarshal(data, &answers)
	}
	for _, lines := range answers[method] {
		for i := range lines {
			lines[i] = strings.Join(strings.Fields(lines[i]), " ")
		}
	}
	if err == nil {
		data, err = json.Marshal(answers)
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// Text on stdout that is no message is skipped, and told.
func TestOtherTextOnStdoutIsSkipped(t *testing.T) {
	t.Parallel()
	junk := []string{"Server listening …", "", "{", `{"level":"info"}`, `"x"`, "[]", "null", `[{"jsonrpc":"2.0"}]`, strings.Repeat("x", 100_000), "\x1b[31mred\x1b[0m"}
	b := scripted(t, map[string][][]string{
		"initialize": {append(junk, initialized, "ready")},
		"tools/list": {append(junk, lists)},
		"tools/call": {append(junk, `{"jsonrpc":"2.0","id":$id,"result":{"content":[{"type":"text","text":"a"}]}}`)},
	})
	if got, err := b.call("s.t", "x"); err != nil || got.Text != "a" {
		t.Errorf("%q %v", got.Text, err)
	}
	list, err := b.Servers()
	if err != nil || list[0].State != StateRunning || len(list[0].Left) != 1 || list[0].Left[0] != "text on its stdout that is no message: Server listening …" {
		t.Errorf("%+v %v", list, err)
	}
	log, err := b.Log("s", 1000)
	if err != nil || !strings.Contains(strings.Join(log, "\n"), "stdout: Server listening …") {
		t.Errorf("log %q %v", log, err)
	}
}

// A list is read to its end, whatever its length, and no longer than it takes.
func TestListsAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	page := func(n, tools int, next string) []string {
		var list []string
		for i := range tools {
			list = append(list, fmt.Sprintf(`{"name":"t%dx%dx","inputSchema":{"type":"object"}}`, n+100, i+1000))
		}
		return []string{`{"jsonrpc":"2.0","id":$id,"result":{"tools":[` + strings.Join(list, ",") + `],"nextCursor":` + next + `}}`}
	}
	var ending, repeating, long, other [][]string
	for n := range 30 {
		ending = append(ending, page(n, 10, fmt.Sprintf(`"%d"`, n)))
		repeating = append(repeating, page(n, 10, fmt.Sprintf(`"%d"`, n%20)))
		long = append(long, page(n, 100, fmt.Sprintf(`"%d"`, n)))
	}
	other = append(other, page(0, 2, "17"), page(1, 2, "null"))
	for name, tt := range map[string]struct {
		pages   [][]string
		listing time.Duration
		want    int
		left    string
	}{
		"many pages":       {append(ending, page(99, 1, `""`)), time.Hour, 301, ""},
		"a cursor repeats": {repeating, time.Hour, 210, "the end of its list of tools: it repeats itself"},
		"too many":         {long, time.Hour, 2000, "the end of its list of tools: it has more than 2000 tools"},
		"too slow":         {ending, 0, 10, "the end of its list of tools: it didn't end within"},
		"a number":         {other, time.Hour, 4, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := scripted(t, map[string][][]string{"tools/list": tt.pages})
			b.listing = tt.listing
			if got := len(b.Tools(t.Context())); got != tt.want {
				t.Errorf("%d tools, want %d", got, tt.want)
			}
			list, err := b.Servers()
			if err != nil || !strings.HasPrefix(strings.Join(list[0].Left, "; "), tt.left) || (tt.left == "") != (len(list[0].Left) == 0) {
				t.Errorf("%q %v, want %q", list[0].Left, err, tt.left)
			}
		})
	}
}

// What keeps a server's tools away is told by every question, also of another process.
func TestMissingToolsAreTold(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	gone, quits := b.config("good"), b.config("good")
	gone.Command = "no-such-program"
	quits.Command, quits.Args = "sh", []string{"-c", "echo 'npm error 404 Not Found: x' >&2; exit 1"}
	b.write(map[string]config{"good": b.config("good"), "gone": gone, "quits": quits, "wrong": {}})
	want := []string{
		"The tools of the MCP server wrong are missing: it needs either a command or a url, not both",
		"The tools of the MCP server gone are missing: no-such-program isn't installed or not in PATH",
		`The tools of the MCP server quits are missing: it ended with "npm error 404 Not Found: x"; more may be in `,
	}
	for _, who := range []string{"first", "again", "another process"} {
		if who == "another process" {
			_ = b.Close()
			b.open()
			if list, err := b.Servers(); err != nil || list[0].State != StateFailed || list[0].Err == nil {
				t.Errorf("%+v %v", list[0], err)
			}
		}
		var waited []string
		_, missing := b.Client.Tools(t.Context(), func(name string) { waited = append(waited, name) })
		for i, w := range want {
			if len(missing) != len(want) || !strings.HasPrefix(missing[i], w) {
				t.Fatalf("%s: %q, want %q", who, missing, want)
			}
		}
		if who == "first" && strings.Join(waited, " ") != "gone good quits" {
			t.Errorf("waited for %q", waited)
		}
	}
	_ = os.WriteFile(filepath.Join(b.dir, "mcp.json"), []byte(`{"mcpServers": `), 0o600)
	if _, missing := b.Client.Tools(t.Context(), nil); len(missing) == 0 || !strings.HasPrefix(missing[0], "The tools of MCP servers are missing: read mcp.json: line 1, column 16") {
		t.Errorf("%q", missing)
	}
}

// A server that a turn no longer waits for is told, starts on, and isn't waited for twice.
func TestASlowServerIsToldAndStartsOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"s": "silent"})
	b.first = 0
	for range 2 {
		_, missing := b.Client.Tools(t.Context(), nil)
		if len(missing) != 1 || missing[0] != "The tools of the MCP server s are missing: it is still starting; `mac-stats mcp test s` waits for it" {
			t.Errorf("%q", missing)
		}
	}
	if list, err := b.Servers(); err != nil || list[0].State != StateStarting {
		t.Errorf("%+v %v", list, err)
	}
}

// web is a server on the web that handles calls of its tool as it is told.
func web(t *testing.T, call func(w http.ResponseWriter, r *http.Request, id string)) (b *bench, requests *atomic.Value) {
	t.Helper()
	requests = &atomic.Value{}
	requests.Store("")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.NewDecoder(r.Body).Decode(&req) // a GET has no body
		requests.Store(requests.Load().(string) + r.Method + req.Method + " ")
		w.Header().Set("Content-Type", "application/json")
		answer := func(line string) { _, _ = io.WriteString(w, strings.ReplaceAll(line, "$id", string(req.ID))) }
		if version := r.Header.Get(versionHeader); req.Method != "initialize" && req.Method != "server/discover" && version != "2025-06-18" {
			t.Errorf("%s %s has the version %q", r.Method, req.Method, version)
		}
		switch {
		case req.Method == "initialize":
			w.Header().Set("Mcp-Session-Id", "session")
			answer(initialized)
		case req.Method == "tools/list":
			answer(lists)
		case req.Method == "tools/call" || r.Method == http.MethodGet:
			call(w, r, string(req.ID))
		case req.ID != nil:
			answer(`{"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":"no such method"}}`)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(server.Close)
	b = newBench(t, nil)
	b.write(map[string]config{"s": {URL: server.URL + "/mcp"}})
	return b, requests
}

// A session that the server no longer knows is renewed, once a call.
func TestALostSessionIsRenewed(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(w http.ResponseWriter){
		"404": func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) },
		"404 with words": func(w http.ResponseWriter) {
			w.WriteHeader(404)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)
		},
		"400 with words": func(w http.ResponseWriter) {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad Request: No valid session ID provided"}}`)
		},
	} {
		for _, always := range []bool{false, true} {
			t.Run(fmt.Sprint(name, always), func(t *testing.T) {
				t.Parallel()
				var calls atomic.Int64
				b, requests := web(t, func(w http.ResponseWriter, _ *http.Request, id string) {
					if n := calls.Add(1); always || n == 2 {
						refuse(w)
						return
					}
					_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"result":{"content":[{"type":"text","text":"a"}]}}`)
				})
				got, err := b.call("s.t", "x")
				if !always && err == nil {
					got, err = b.call("s.t", "x")
				}
				if (err != nil) != always || !always && got.Text != "a" {
					t.Errorf("%q %v", got.Text, err)
				}
				if n := strings.Count(requests.Load().(string), "POSTinitialize"); n != 2 {
					t.Errorf("%d sessions: %s", n, requests.Load())
				}
			})
		}
	}
}

// A call that acted and failed isn't sent again because a server refused another one before.
func TestACallThatFailedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	b, _ := web(t, func(w http.ResponseWriter, _ *http.Request, id string) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32602,"message":"no such topic"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32603,"message":"it acted, then failed"}}`)
	})
	_, _ = b.call("s.t", "x")
	before := calls.Load()
	if _, err := b.call("s.t", "x"); err == nil || calls.Load() != before+1 {
		t.Errorf("%d calls more, %v", calls.Load()-before, err)
	}
}

// A schema whose parts refer to each other again and again costs a limited number of steps.
func TestASchemaThatRefersToItself(t *testing.T) {
	var root any
	part := strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/a","type":"null"},`, 40), ",")
	if err := json.Unmarshal([]byte(`{"$defs":{"a":{"anyOf":[`+part+`]}},"$ref":"#/$defs/a"}`), &root); err != nil {
		t.Fatal(err)
	}
	steps := maxSteps
	if !allows(root, root, json.Number("5"), 0, &steps) || steps >= 0 {
		t.Errorf("decided with %d steps left", steps)
	}
}

// A call whose stream ends early goes on where it was.
func TestABrokenStreamIsResumed(t *testing.T) {
	t.Parallel()
	var waits atomic.Value
	b, _ := web(t, func(w http.ResponseWriter, r *http.Request, id string) {
		w.Header().Set("Content-Type", "text/event-stream")
		if r.Method != http.MethodGet {
			waits.Store(id)
			_, _ = io.WriteString(w, "id: 7\nretry: 10\ndata: \n\n")
			return
		}
		if last := r.Header.Get("Last-Event-ID"); last != "7" {
			t.Errorf("resumed after %q", last)
		}
		_, _ = io.WriteString(w, "id: 8\ndata: {\"jsonrpc\":\"2.0\",\"id\":"+waits.Load().(string)+",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}}\n\n")
	})
	if got, err := b.call("s.t", "x"); err != nil || got.Text != "a" {
		t.Errorf("%q %v", got.Text, err)
	}
}

// A call gives the server what the model gave, unless the schema doesn't allow it.
func TestArgumentsStayAsTheyAre(t *testing.T) {
	for _, tt := range []struct{ schema, given, want string }{
		{`{"type":"integer"}`, `10`, `10`},
		{`{"type":"integer"}`, `9007199254740993`, `9007199254740993`},
		{`{"type":"integer"}`, `"10"`, `10`},
		{`{"type":"integer"}`, `"ten"`, `"ten"`},
		{`{"type":"integer"}`, `10.0`, `10.0`},
		{`{"type":"number"}`, `"1e3"`, `1e3`},
		{`{"type":"string"}`, `"10"`, `"10"`},
		{`{"type":"string"}`, `"true"`, `"true"`},
		{`{"type":"string"}`, `"{\"a\":1}"`, `"{\"a\":1}"`},
		{`{"type":"string"}`, `10`, `"10"`},
		{`{"type":"string"}`, `{"a":[1]}`, `"{\"a\":[1]}"`},
		{`{"type":"string"}`, `null`, ``},
		{`{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}`, `10`, `10`},
		{`{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}`, `null`, `null`},
		{`{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}`, `"10"`, `10`},
		{`{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}`, `"null"`, `null`},
		{`{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"null"}]}`, `[1,2]`, `[1,2]`},
		{`{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"null"}]}`, `"[1,2]"`, `[1,2]`},
		{`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `"10"`, `"10"`},
		{`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `10`, `10`},
		{`{"oneOf":[{"type":"boolean"},{"$ref":"#/$defs/deep"}]}`, `{"a":null,"b":1.50}`, `{"a":null,"b":1.50}`},
		{`{"oneOf":[{"type":"boolean"},{"$ref":"#/$defs/deep"}]}`, `"{\"a\":null}"`, `{"a":null}`},
		{`{"type":["string","null"]}`, `null`, `null`},
		{`{"type":["string","null"]}`, `"null"`, `"null"`},
		{`{"type":"integer","nullable":true}`, `null`, `null`},
		{`{"enum":[1,2]}`, `"2"`, `2`},
		{`{"enum":["1","2"]}`, `2`, `"2"`},
		{`{"const":true}`, `"true"`, `true`},
		{`{"allOf":[{"type":"object"},{"properties":{}}]}`, `"{}"`, `{}`},
		{`{"$ref":"#/$defs/self"}`, `"1"`, `"1"`},
		{`{"$ref":"https://a.example/x"}`, `"1"`, `"1"`},
		{`{}`, `"10"`, `"10"`},
		{`{}`, `null`, `null`},
		{`true`, `{"x":null}`, `{"x":null}`},
		{`{"type":"object"}`, `{"parameters":{"n":null},"properties":[]}`, `{"parameters":{"n":null},"properties":[]}`},
		{`{"type":"boolean"}`, `"false"`, `false`},
		{`{"type":"array"}`, `"a, b"`, `"a, b"`},
		{`{"type":"array"}`, `[null,9007199254740993]`, `[null,9007199254740993]`},
	} {
		tool := newTool(&server{name: "s", client: &Client{}}, spec{Name: "t", Schema: json.RawMessage(`{"type":"object","properties":{"n":` + tt.schema + `},"$defs":{"deep":{"type":"object"},"self":{"$ref":"#/$defs/self"}}}`)})
		var given any
		if err := decodeExact([]byte(tt.given), &given); err != nil {
			t.Fatal(err)
		}
		want := `{"n":` + tt.want + `}`
		if tt.want == "" {
			want = "{}"
		}
		for _, call := range []*tools.Call{{Args: map[string]any{"n": given}}, {Arg: `{"n": ` + tt.given + `}`}} {
			if got, err := tool.arguments(call); err != nil || string(got) != want {
				t.Errorf("%s given %s: %s %v, want %s", tt.schema, tt.given, got, err, want)
			}
		}
	}
}
