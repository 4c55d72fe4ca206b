package ollama_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
)

// answering serves the given answers by path and returns a client of that server.
func answering(t *testing.T, change func(*ollama.Params), answers map[string]http.HandlerFunc) *ollama.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer := answers[r.URL.Path]; answer != nil {
			answer(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	p := ollama.Params{Host: s.URL}
	if change != nil {
		change(&p)
	}
	c, err := ollama.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func saying(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

func refusing(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// A field of another type than Ollama's never fails a turn, and hides no other field.
func TestAFieldOfAnotherTypeDoesNotFailAnAnswer(t *testing.T) {
	const done = "\n" + `{"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":2}` + "\n"
	for name, tt := range map[string]struct{ answer, content, thinking, calls string }{
		"counts with fractions":          {`{"message":{"content":"ok"},"done":true,"done_reason":"stop","prompt_eval_count":7.5,"eval_count":2.0}`, "ok", "", "null"},
		"counts as text":                 {`{"message":{"content":"ok"},"done":"true","done_reason":"stop","prompt_eval_count":"7","eval_count":"2","eval_duration":"fast"}`, "ok", "", "null"},
		"done as a number":               {`{"message":{"content":"ok"},"done":1,"done_reason":"stop","prompt_eval_count":7e0,"eval_count":2,"created_at":5}`, "ok", "", "null"},
		"no message":                     {`{"message":null}` + done, "", "", "null"},
		"the message is text":            {`{"message":"ok"}` + done, "ok", "", "null"},
		"the message is a list":          {`{"message":[{"type":"text","text":"o"},{"type":"text","text":"k"}]}` + done, "ok", "", "null"},
		"content in parts":               {`{"message":{"content":[{"type":"text","text":"o"},{"type":"text","text":"k"}],"thinking":null}}` + done, "ok", "", "null"},
		"content is a number":            {`{"message":{"content":42}}` + done, "42", "", "null"},
		"content is an object":           {`{"message":{"content":{"a":1}}}` + done, `{"a":1}`, "", "null"},
		"thinking is false":              {`{"message":{"content":"ok","thinking":false,"tool_calls":{}}}` + done, "ok", "", "null"},
		"thoughts as reasoning":          {`{"message":{"content":"","reasoning":"hm "}}` + "\n" + `{"message":{"content":"ok","reasoning_content":"so"}}` + done, "ok", "hm so", "null"},
		"thoughts under two names":       {`{"message":{"content":"ok","reasoning":"hm","reasoning_content":"hm","thinking":""}}` + done, "ok", "hm", "null"},
		"thoughts in parts":              {`{"message":{"content":"ok","reasoning":[{"type":"text","text":"h"},{"type":"text","text":"m"}]}}` + done, "ok", "hm", "null"},
		"thoughts in an object":          {`{"message":{"content":"ok","reasoning":{"content":"hm"}}}` + done, "ok", "hm", "null"},
		"the fields without a message":   {`{"role":"assistant","content":"ok","thinking":"hm","done":false}` + done, "ok", "hm", "null"},
		"the answer as a response":       {`{"response":"ok","thinking":"hm","done":false}` + done, "ok", "hm", "null"},
		"the error is null":              {`{"message":{"content":"ok"},"error":null}` + done, "ok", "", "null"},
		"the error is empty":             {`{"message":{"content":"ok"},"error":{}}` + done, "ok", "", "null"},
		"images and roles of any kind":   {`{"model":1,"message":{"role":[],"content":"ok","images":"x","tool_name":3}}` + done, "ok", "", "null"},
		"a byte order mark":              {"\ufeff" + `{"message":{"content":"ok"}}` + done, "ok", "", "null"},
		"arguments as text":              {`{"message":{"tool_calls":[{"id":9,"function":{"index":"1","name":"F","arguments":"{\"a\": 1}"}}]}}` + done, "", "", `[{"id":"9","function":{"index":1,"name":"F","arguments":{"a":1}}}]`},
		"arguments as words":             {`{"message":{"tool_calls":[{"function":{"name":"F","arguments":"Vienna"}}]}}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{"arguments":"Vienna"}}}]`},
		"arguments as a list":            {`{"message":{"tool_calls":[{"function":{"name":"F","arguments":[1,null]}}]}}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{"arguments":[1,null]}}}]`},
		"empty arguments":                {`{"message":{"tool_calls":[{"function":{"name":"F","arguments":""}},{"function":{"name":"G","arguments":null}},{"function":{"name":"H"}}]}}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{}}},{"function":{"index":0,"name":"G","arguments":{}}},{"function":{"index":0,"name":"H","arguments":{}}}]`},
		"a call that isn't in a list":    {`{"message":{"tool_calls":{"function":{"name":"F","arguments":{"a":true}}}}}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{"a":true}}}]`},
		"numbers and null as they are":   {`{"message":{"tool_calls":[{"function":{"name":"F","arguments":{"big":9007199254740993,"pi":3.10,"no":null,"deep":{"n":[12345678901234567890]}}}}]}}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{"big":9007199254740993,"pi":3.10,"no":null,"deep":{"n":[12345678901234567890]}}}}]`},
		"one call of three isn't one":    {`{"message":{"tool_calls":[null,{},{"function":{"name":"F","arguments":{}}}]}}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{}}}]`},
		"what isn't a call is kept":      {`{"message":{"tool_calls":[7,"F(1)",{"x":1}]}}` + done, "", "", `[{"function":{"index":0,"name":"","arguments":{"arguments":7}}},{"function":{"index":0,"name":"","arguments":{"arguments":"F(1)"}}},{"function":{"index":0,"name":"","arguments":{"x":1}}}]`},
		"a call's function is text":      {`{"message":{"content":"ok","tool_calls":[{"function":"F","arguments":{"a":1}}]}}` + done, "ok", "", `[{"function":{"index":0,"name":"F","arguments":{"a":1}}}]`},
		"a flat call":                    {`{"message":{"tool_calls":[{"id":"c","index":2,"name":"F","arguments":{"a":1}}]}}` + done, "", "", `[{"id":"c","function":{"index":2,"name":"F","arguments":{"a":1}}}]`},
		"a flat call with text":          {`{"message":{"tool_calls":[{"type":"function","name":"F","arguments":"{\"a\":1}"}]}}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{"a":1}}}]`},
		"a flat call with an input":      {`{"message":{"tool_calls":[{"type":"tool_use","id":"c","name":"F","input":{"a":1}}]}}` + done, "", "", `[{"id":"c","function":{"index":0,"name":"F","arguments":{"a":1}}}]`},
		"parameters":                     {`{"message":{"tool_calls":[{"function":{"name":"F","parameters":{"a":1}}},{"function":{"name":"G"},"arguments":{"b":2}}]}}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{"a":1}}},{"function":{"index":0,"name":"G","arguments":{"b":2}}}]`},
		"calls as text":                  {`{"message":{"tool_calls":"[{\"name\":\"F\",\"arguments\":{\"a\":1}}]"}}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{"a":1}}}]`},
		"one call as text":               {`{"message":{"tool_calls":["{\"name\":\"F\",\"arguments\":{\"a\":1}}"]}}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{"a":1}}}]`},
		"one call as function_call":      {`{"message":{"content":null,"function_call":{"name":"F","arguments":"{\"a\":1}"}}}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{"a":1}}}]`},
		"calls beside the message":       {`{"message":{"content":""},"tool_calls":[{"function":{"name":"F","arguments":{"a":1}}}]}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{"a":1}}}]`},
		"an argument called input":       {`{"message":{"tool_calls":[{"name":"F","arguments":{"input":"x","name":"y"}}]}}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{"input":"x","name":"y"}}}]`},
		"arguments with a broken object": {`{"message":{"tool_calls":[{"function":{"name":"F","arguments":"{\"a\": "}}]}}` + done, "", "", `[{"function":{"index":0,"name":"F","arguments":{"arguments":"{\"a\": "}}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			c := answering(t, nil, map[string]http.HandlerFunc{"/api/chat": saying(tt.answer)})
			got, err := c.Chat(t.Context(), ask("How?"))
			if err != nil {
				t.Fatal(err)
			}
			calls, err := json.Marshal(got.ToolCalls)
			if err != nil {
				t.Fatal(err)
			}
			want := []any{tt.content, tt.thinking, tt.calls, "stop", 7, 2}
			if diff := cmp.Diff(want, []any{got.Content, got.Thinking, string(calls), got.DoneReason, got.PromptTokens, got.AnswerTokens}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A line end isn't what makes a line of a stream: gateways send an object over several
// lines, several on one, or the events of a browser, with signs of life between them.
func TestStreamsInOtherFramesAreRead(t *testing.T) {
	const one, two, done = `{"message":{"content":"o"}}`, `{"message":{"content":"k"}}`, `{"message":{"content":""},"done":true,"done_reason":"stop"}`
	pretty := func(object string) string {
		var b bytes.Buffer
		if err := json.Indent(&b, []byte(object), "", "  "); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	events := "data: " + one + "\n\ndata:" + two + "\n\ndata: " + done + "\n\n"
	for name, tt := range map[string]struct{ body, content string }{
		"one object over lines":      {pretty(`{"message":{"content":"ok"},"done":true,"done_reason":"stop"}`), "ok"},
		"each object over lines":     {pretty(one) + "\n" + pretty(two) + "\n\n" + pretty(done), "ok"},
		"brackets and quotes within": {pretty(`{"message":{"content":"{\"a\\\\\": [\"}\"}"},"done":true,"done_reason":"stop"}`), `{"a\\": ["}"}`},
		"several on one line":        {one + two + " " + done + "\n", "ok"},
		"a list":                     {"[" + one + ",\n" + two + "\n,\n" + done + "]\n", "ok"},
		"a list over lines":          {pretty("[" + one + "," + two + "," + done + "]"), "ok"},
		"ends of lines of DOS":       {strings.ReplaceAll(pretty(one)+"\n"+two+"\n"+done+"\n", "\n", "\r\n"), "ok"},
		"record separators":          {"\x1e" + one + "\n\x1e" + two + "\n\x1e" + done + "\n", "ok"},
		"events":                     {events, "ok"},
		"events of DOS":              {strings.ReplaceAll(events, "\n", "\r\n"), "ok"},
		"events with fields":         {"retry: 3000\n\nevent: message\nid: 7\ndata: " + one + "\n\nevent:message\nid\ndata: " + two + "\n\ndata: " + done + "\n\ndata: [DONE]\n\n", "ok"},
		"events over lines":          {"data: " + strings.ReplaceAll(pretty(one), "\n", "\ndata: ") + "\n\ndata: " + two + "\n\ndata: " + done, "ok"},
		"events that end by a word":  {"data: " + one + "\n\ndata: " + two + "\n\ndata: [DONE]\n\n", "ok"},
		"signs of life":              {"\n\n: ping\n\n" + one + "\n:\n   \n" + two + "\n: keepalive\n{}\nnull\n" + `{"status":"waiting"}` + "\n" + done + "\n", "ok"},
		"the reason ends it":         {one + "\n" + `{"message":{"content":"k"},"done_reason":"stop"}` + "\n", "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			c := answering(t, nil, map[string]http.HandlerFunc{"/api/chat": saying(tt.body)})
			got, err := c.Chat(t.Context(), ask("How?"))
			if err != nil || got.Content != tt.content || !got.Whole() {
				t.Errorf("%q, %+v, %v", got.Content, got, err)
			}
		})
	}
}

func TestListsOfOtherServersAreRead(t *testing.T) {
	c := answering(t, nil, map[string]http.HandlerFunc{
		"/api/version": saying(`{"version":0.9}`),
		"/api/tags": saying(`{"models":[null, "x", 7, {},
			{"name":"a:1b","modified_at":"","size":"1.2 GB","digest":"d","details":{"family":"llama","families":null,"parameter_size":1}},
			{"model":"b:7b","modified_at":5,"size":4100.5,"details":"none","capabilities":"tools","remote_host":false}]}`),
		"/api/ps": saying(`{"models":[{"name":"a:1b","expires_at":"soon","context_length":"4096","size_vram":-1},{"name":"b:7b","expires_at":"2026-01-02T03:04:05Z","context_length":512.9}]}`),
		"/api/show": saying(`{"capabilities":["completion",null,{}],"details":[],"modified_at":"","license":["a","b"],"parameters":{},"messages":"none",
			"model_info":{"general.architecture":"llama","llama.context_length":"8192","general.parameter_count":1.5e9,"tokenizer.ggml.tokens":null}}`),
		"/api/embed": saying(`{"embeddings":[[1,"0.5",2.5e-1]],"total_duration":"1s"}`),
		"/api/pull":  saying(`{"status":"pulling","digest":1,"total":"100","completed":50.5}` + "\n" + `{"status":"success"}` + "\n"),
	})
	if v, err := c.Version(t.Context()); err != nil || v != "0.9" {
		t.Errorf("version %q, %v", v, err)
	}
	models, err := c.Models(t.Context())
	if err != nil || len(models) != 2 || models[0].Size != 1_200_000_000 || models[1].Name != "b:7b" || models[1].Size != 4100 || models[1].RemoteHost != "" {
		t.Errorf("models %+v, %v", models, err)
	}
	running, err := c.Running(t.Context())
	if err != nil || len(running) != 2 || running[0].ContextLength != 4096 || !running[0].ExpiresAt.IsZero() || running[1].ContextLength != 512 || running[1].ExpiresAt.Year() != 2026 {
		t.Errorf("running %+v, %v", running, err)
	}
	info, err := c.Show(t.Context(), "a:1b")
	if err != nil || !info.Can("completion") || info.MaxContext != 8192 || info.Parameters != 1_500_000_000 || info.Family != "llama" {
		t.Errorf("show %+v, %v", info, err)
	}
	if got, err := c.Embed(t.Context(), "a:1b", []string{"x"}); err != nil || cmp.Diff([][]float32{{1, 0.5, 0.25}}, got) != "" {
		t.Errorf("embed %v, %v", got, err)
	}
	var last ollama.Progress
	if err := c.Pull(t.Context(), "a:1b", func(p ollama.Progress) { last = p }); err != nil || last.Completed != 50 || last.Total != 100 {
		t.Errorf("pull %+v, %v", last, err)
	}
}

// What isn't an answer at all is no empty one.
func TestOtherJSONIsNoAnswer(t *testing.T) {
	for _, body := range []string{`{}`, `[]`, `null`, `"x"`, `{"detail":"ok"}`, `{"models":`} {
		c := answering(t, nil, map[string]http.HandlerFunc{"/api/tags": saying(body), "/api/embed": saying(`{"embeddings":[[1,null]]}`)})
		if models, err := c.Models(t.Context()); !errors.Is(err, ollama.ErrServer) {
			t.Errorf("%s: %v, %v", body, models, err)
		}
		if vectors, err := c.Embed(t.Context(), "m", []string{"x"}); err == nil {
			t.Errorf("a vector that lacks a number: %v", vectors)
		}
	}
	c := answering(t, nil, map[string]http.HandlerFunc{"/api/tags": saying(`{"models":null}`)})
	if models, err := c.Models(t.Context()); len(models) > 0 || err != nil {
		t.Errorf("a list that is null: %v, %v", models, err)
	}
}

// The server's own sentence is part of every error; the next step fits it.
func TestTheServersSentenceIsTold(t *testing.T) {
	const page = `<!DOCTYPE html><html><head><title>502 Bad Gateway</title><style>body {color: red}</style></head>
		<body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.22.1</center><script>x()</script></body></html>`
	for name, tt := range map[string]struct {
		status            int
		kind, body        string
		sentence, step    string
		pull, model, ours bool // asked by a pull; by a chat: is it ErrModelMissing; isn't it foreign
	}{
		"a page of a gateway":         {502, "text/html", page, "(HTTP 502): 502 Bad Gateway – nginx/1.22.1.", "behind that gateway", false, false, true},
		"a gateway without words":     {504, "text/plain", "", "(HTTP 504): 504 Gateway Timeout.", "behind that gateway", false, false, true},
		"no token":                    {401, "application/json", `{"message":"No API key found in request"}`, "(HTTP 401): No API key found in request.", "mac-stats models token", false, false, true},
		"no token, in plain text":     {403, "text/plain", "RBAC: access denied\n", "(HTTP 403): RBAC: access denied.", "mac-stats models token", false, false, true},
		"no token, in OAuth's form":   {401, "application/json", `{"error":"invalid_token","error_description":"The token expired"}`, ": The token expired.", "mac-stats models token", false, false, true},
		"too large for nginx":         {413, "text/html", "<html><head><title>413 Request Entity Too Large</title></head></html>", "413 Request Entity Too Large", "send less", false, false, true},
		"FastAPI's form":              {422, "application/json", `{"detail":[{"loc":["body"],"msg":"field required"}]}`, "(HTTP 422): field required.", "Retry", false, false, true},
		"OpenAI's form":               {400, "application/json", `{"error":{"message":"bad model","type":"x","code":null}}`, ": bad model.", "Retry", false, false, true},
		"a problem by its title":      {400, "application/problem+json", `{"type":"about:blank","title":"Not allowed here","status":400}`, ": Not allowed here.", "Retry", false, false, true},
		"a route that isn't found":    {404, "application/json", `{"error":"route not found"}`, "(HTTP 404): route not found.", "Retry", false, false, true},
		"a user who isn't found":      {404, "application/json", `{"error":"user not found"}`, ": user not found.", "Retry", false, false, true},
		"another program's page":      {404, "text/html", "<title>Not here</title>", "doesn't look like Ollama: it answered 404 Not Found: Not here.", "OLLAMA_HOST", false, false, false},
		"a model that isn't found":    {404, "application/json", `{"error":"model 'qwen3:8b' not found"}`, "isn't installed (HTTP 404): model 'qwen3:8b' not found.", "models pull", false, true, true},
		"an unknown architecture":     {500, "application/json", `{"error":"unknown model architecture: 'new'"}`, ": unknown model architecture: 'new'.", "Update Ollama", false, false, true},
		"an event that is an error":   {200, "text/event-stream", "event: error\ndata: {\"message\": \"The queue is full\"}\n\n", ": The queue is full.", "Retry", false, false, true},
		"an event with an error":      {200, "text/event-stream", "data: {\"error\": {\"message\": \"The queue is full\"}}\n\n", ": The queue is full.", "Retry", false, false, true},
		"an error over lines":         {200, "application/json", "{\n  \"error\": \"The queue is full\"\n}\n", ": The queue is full.", "Retry", false, false, true},
		"an event in words":           {200, "text/event-stream", "event: error\ndata: The queue is full\n\n", ": The queue is full.", "Retry", false, false, true},
		"another protocol":            {200, "text/event-stream", `data: {"choices":[{"delta":{"content":"Hello"}}]}` + "\n\ndata: [DONE]\n\n", `{"choices":[{"delta":{"content":"Hello"}}]}`, "OLLAMA_HOST", false, false, false},
		"a number":                    {200, "application/json", "42\n", "not the JSON expected: 42.", "OLLAMA_HOST", false, false, false},
		"a line without JSON":         {200, "application/json", "upstream connect error\n", "not the JSON expected: upstream connect error.", "OLLAMA_HOST", false, false, false},
		"a 200 with a login page":     {200, "text/html; charset=utf-8", "<title>Sign in</title><p>Please", "with a web page: Sign in – Please.", "OLLAMA_HOST", false, false, false},
		"an address with a key":       {500, "application/json", `{"error":"Get \"https://up/x?key=secret\": EOF"}`, `Get "https://up/x?…": EOF`, "Retry", false, false, true},
		"pull: a newer Ollama":        {200, "", `{"error":"pull model manifest: 412: \n\nThe model you are attempting to pull requires a newer version of Ollama.\n\nPlease see https://example.com/releases for more details.\n\n"}`, "requires a newer version of Ollama", "Update Ollama", true, false, true},
		"pull: gated":                 {200, "", `{"error":"pull model manifest: 401: {\"error\":\"Access to this model is restricted.\"}"}`, "couldn't be pulled: pull model manifest: 401: Access to this model is restricted.", "Get access", true, false, true},
		"pull: another realm":         {200, "", `{"error":"pull model manifest: realm host \"h\" does not match original host \"o\""}`, "realm host", "Get access", true, false, true},
		"pull: not GGUF":              {400, "application/json", `{"error":"pull model manifest: 400: {\"error\":\"Repository is not GGUF or is not compatible with llama.cpp\"}"}`, "Repository is not GGUF or is not compatible with llama.cpp.", "GGUF format", true, false, true},
		"pull: too many requests":     {200, "", `{"error":"pull model manifest: 429: too many requests"}`, "too many requests", "Wait some minutes", true, false, true},
		"pull: refused by the server": {429, "text/plain", "slow down", "(HTTP 429): slow down.", "Retry", true, false, true},
		"pull: certificate":           {200, "", `{"error":"pull model manifest: Get \"https://r/v2/x\": tls: failed to verify certificate: x509: certificate signed by unknown authority"}`, "x509", "certificate", true, false, true},
		"pull: misspelt":              {200, "", `{"error":"pull model manifest: file does not exist"}`, "file does not exist", "spelling", true, true, true},
		"pull: offline":               {200, "", `{"error":"pull model manifest: Get \"https://r/v2/x\": dial tcp: lookup r: no such host"}`, "no such host", "online", true, false, true},
		"pull: no space":              {200, "", `{"error":"write /models/blobs/x: no space left on device"}`, "no space left on device", "Free some space", true, false, true},
		"pull: no name":               {400, "application/json", `{"error":"invalid model name"}`, "(HTTP 400): invalid model name.", "Write the name", true, false, true},
		"pull: unknown":               {200, "", `{"error":"the moon is full"}`, "qwen3:8b couldn't be pulled: the moon is full.", "Retry", true, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			refuse := refusing(tt.status, tt.kind, tt.body)
			c := answering(t, nil, map[string]http.HandlerFunc{"/api/chat": refuse, "/api/pull": refuse})
			var err error
			if tt.pull {
				err = c.Pull(t.Context(), "qwen3:8b", nil)
			} else {
				_, err = c.Chat(t.Context(), ask("How?"))
			}
			var e *ollama.Error
			if !errors.As(err, &e) || errors.Is(err, ollama.ErrModelMissing) != tt.model || e.Foreign == tt.ours {
				t.Fatalf("%#v", err)
			}
			x := fault.Explain(err)
			if !strings.Contains(x.Sentence, tt.sentence) || !strings.Contains(x.Next, tt.step) {
				t.Errorf("told: %s %s\nwant: %s %s", x.Sentence, x.Next, tt.sentence, tt.step)
			}
		})
	}
}

// An answer in a coding that nobody asked for is named.
func TestACompressedAnswerIsNamed(t *testing.T) {
	c := answering(t, nil, map[string]http.HandlerFunc{"/api/chat": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		_, _ = w.Write([]byte{0x0b, 0x02, 0x80, 'h', 'i', 0x03})
	}})
	_, err := c.Chat(t.Context(), ask("How?"))
	if x := fault.Explain(err); !strings.Contains(x.Sentence, "compressed (br)") {
		t.Errorf("%+v", x)
	}
}

// A server whose description of a model fails isn't said to have no models.
func TestAModelThatIsNotDescribedIsNamed(t *testing.T) {
	c := answering(t, nil, map[string]http.HandlerFunc{
		"/api/tags": saying(`{"models":[{"name":"a:1b"}]}`),
		"/api/show": refusing(403, "application/json", `{"error":"show is switched off"}`),
	})
	_, err := ollama.NewCatalog(c, 0).Resolve(t.Context(), "", ollama.RoleGeneral)
	if x := fault.Explain(err); !strings.Contains(x.Sentence, "doesn't say what a:1b can do (HTTP 403): show is switched off.") {
		t.Errorf("%+v", x)
	}
}

// A server that lists tools among a model's capabilities and refuses them is asked again
// without, and isn't asked so again.
func TestToolsThatTheServerRefuses(t *testing.T) {
	var withTools []bool
	answers := map[string]http.HandlerFunc{
		"/api/tags": saying(`{"models":[{"name":"qwen3:8b","digest":"d"}]}`),
		"/api/show": saying(`{"capabilities":["completion","tools"]}`),
		"/api/chat": func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			withTools = append(withTools, strings.Contains(string(body), `"tools"`))
			if withTools[len(withTools)-1] {
				refusing(400, "application/json", `{"error":"registry.example/qwen3:8b does not support tools"}`)(w, r)
				return
			}
			saying(`{"message":{"content":"ok"},"done":true}`)(w, r)
		},
	}
	file := filepath.Join(t.TempDir(), "models.json")
	keep := func(p *ollama.Params) { p.Descriptions = file }
	c := answering(t, keep, answers)
	if info, err := ollama.NewCatalog(c, 0).Resolve(t.Context(), "qwen3:8b", ""); err != nil || !info.Can("tools") {
		t.Fatalf("%+v, %v", info, err)
	}
	req := ask("How?")
	req.Tools = api.Tools{{Type: "function", Function: api.ToolFunction{Name: "F"}}}
	if got, err := c.Chat(t.Context(), req); err != nil || got.Content != "ok" || cmp.Diff([]bool{true, false}, withTools) != "" {
		t.Errorf("%q, %v, asked with tools: %v", got.Content, err, withTools)
	}
	for name, client := range map[string]*ollama.Client{"this process": c, "the next one": answering(t, keep, answers)} {
		if info, err := ollama.NewCatalog(client, 0).Resolve(t.Context(), "qwen3:8b", ""); err != nil || info.Can("tools") || !info.Can("completion") {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
}

// The credentials of an address and the token go to its host, and are shown nowhere.
func TestCredentials(t *testing.T) {
	for name, tt := range map[string]struct{ userinfo, token, want string }{
		"none":                   {"", "", ""},
		"a name and a password":  {"ann:se%40cret@", "", "Basic YW5uOnNlQGNyZXQ="},
		"a token":                {"", "tok-secret", "Bearer tok-secret"},
		"a token and a password": {"ann:secret@", "tok-secret", "Bearer tok-secret"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			echo := func(w http.ResponseWriter, r *http.Request) {
				got = append(got, r.Header.Get("Authorization"))
				repeated := "bad " + r.Header.Get("Authorization")
				if strings.HasPrefix(tt.want, "Basic") {
					repeated += " of ann:se@cret"
				}
				refusing(401, "text/plain", repeated)(w, r)
			}
			away := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				t.Errorf("sent elsewhere with %q", r.Header.Get("Authorization"))
			}))
			defer away.Close()
			c := answering(t, func(p *ollama.Params) {
				p.Host = strings.Replace(p.Host, "http://", "http://"+tt.userinfo, 1)
				p.Token = func() string { return tt.token }
			}, map[string]http.HandlerFunc{
				"/api/chat": echo, "/api/version": echo, "/api/pull": echo,
				"/api/ps":   http.RedirectHandler(away.URL+"/api/ps?key=secret", http.StatusFound).ServeHTTP,
				"/api/tags": http.RedirectHandler("/api/version", http.StatusFound).ServeHTTP,
			})
			_, chat := c.Chat(t.Context(), ask("How?"))
			_, version := c.Version(t.Context())
			_, tags := c.Models(t.Context())
			_, running := c.Running(t.Context())
			for _, err := range []error{chat, version, tags, running, c.Pull(t.Context(), "m", nil)} {
				x := fault.Explain(err)
				if tt.userinfo != "" && strings.Contains(x.Sentence, "(HTTP 401)") && !strings.Contains(x.Next, "the name and the password") {
					t.Errorf("the next step is %s", x.Next)
				}
				if told := err.Error() + x.Sentence + x.Next; err == nil || strings.Contains(told, "cret") || strings.Contains(told, "YW5u") {
					t.Errorf("told: %s", told)
				}
				if tt.userinfo != "" && !strings.Contains(x.Sentence, "…@127.0.0.1:") && !strings.Contains(x.Sentence, "couldn't be pulled") {
					t.Errorf("%s doesn't tell of the credentials", x.Sentence)
				}
			}
			if len(got) < 4 {
				t.Errorf("%d requests", len(got))
			}
			for _, header := range got {
				if header != tt.want {
					t.Errorf("sent %q, want %q", header, tt.want)
				}
			}
			if !strings.Contains(running.Error(), "/api/ps?…") {
				t.Errorf("where the server sends us isn't told: %v", running)
			}
		})
	}
}

// What a server repeats of the token isn't in what it tells of itself or answers, either,
// wherever the answer is cut.
func TestARepeatedTokenIsInNoAnswer(t *testing.T) {
	const token = "tok-Aardvark-21"
	pieces := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for at := 0; at < len(text); at += 7 {
				_, _ = io.WriteString(w, text[at:min(len(text), at+7)])
				w.(http.Flusher).Flush()
			}
		}
	}
	for name, token := range map[string]string{"a token": token, "a word that may be meant": "tok-A"} {
		c := answering(t, func(p *ollama.Params) { p.Token = func() string { return token } }, map[string]http.HandlerFunc{
			"/api/version": pieces(`{"version": "Bearer ` + token + `"}`),
			"/api/tags":    pieces(`{"models": [{"name": "m", "model": "m", "details": {"family": "tok-` + token + token + `"}}]}`),
			"/api/show":    pieces(`{"details": {"family": "` + token + `tok-"}}`),
			"/api/chat":    pieces(`{"message": {"content": "You are ` + token + `, tok-A"}}` + "\n" + `{"done": true, "done_reason": "stop"}` + "\n"),
		})
		version, err := c.Version(t.Context())
		models, listed := c.Models(t.Context())
		info, shown := c.Show(t.Context(), "m")
		answer, asked := c.Chat(t.Context(), ask("Who am I?"))
		if err != nil || listed != nil || shown != nil || asked != nil {
			t.Fatal(name, err, listed, shown, asked)
		}
		told := fmt.Sprintf("%v %+v %+v %s", version, models, info, answer.Content)
		if long := len(token) > 8; strings.Contains(told, token) == long || long && answer.Content != "You are …, tok-A" {
			t.Errorf("%s: %s", name, told)
		}
	}
}

// A server whose address can't be read isn't replaced by another one.
func TestABadAddressAsksNobody(t *testing.T) {
	c, err := ollama.New(ollama.Params{Host: "http://ann:sec/ret@127.0.0.1"})
	if err == nil || c == nil {
		t.Fatalf("%v, %v", c, err)
	}
	_, err = c.Chat(t.Context(), ask("How?"))
	if x := fault.Explain(err); !errors.Is(err, ollama.ErrAddress) || !strings.Contains(x.Sentence, "http://…@127.0.0.1") || strings.Contains(x.Sentence, "ret") {
		t.Errorf("%v: %+v", err, x)
	}
}

// FuzzAnswers reads any bytes as the answer of each endpoint. None may panic or be an error
// without a kind.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"models":[{"name":"a","size":"1 GB","modified_at":""}]}`, `{"version":1}`, `{"embeddings":[["1"]]}`, `{"error":[{"msg":"x"}]}`,
		`{"model_info":{"general.architecture":1,"x.context_length":[]}}`, "<title>x", "<!--", `{"message":[{"text":null}],"done":true}`,
	} {
		f.Add([]byte(seed), 200)
		f.Add([]byte(seed), 500)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		answer := refusing(max(200, 200+(status%400+400)%400), "application/json", string(body))
		paths := map[string]http.HandlerFunc{}
		for _, path := range []string{"chat", "tags", "show", "ps", "pull", "embed", "version"} {
			paths["/api/"+path] = answer
		}
		c := answering(t, nil, paths)
		_, chat := c.Chat(t.Context(), ask("How?"))
		_, tags := c.Models(t.Context())
		_, running := c.Running(t.Context())
		_, embed := c.Embed(t.Context(), "m", []string{"x"})
		_, version := c.Version(t.Context())
		_, show := c.Show(t.Context(), "m")
		for _, err := range []error{chat, tags, running, embed, version, show, c.Pull(t.Context(), "m", nil)} {
			var e *ollama.Error
			if err != nil && (!errors.As(err, &e) || e.Kind == nil) {
				t.Errorf("an error without a kind: %v", err)
			}
			_ = fault.Explain(err)
		}
	})
}
