package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
	"mac-stats/app/backend"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

const testToken = "a-token-of-thirty-characters-x"

// bench is an API over a real data folder and the scripted model server. Every answer is
// checked against openapi.yaml.
type bench struct {
	t       *testing.T
	backend *backend.Backend
	api     *API
	doc     *openapi3.T
	router  routers.Router
	seen    map[string]map[string]bool // operation → the statuses that it answered
	asked   chan struct{}              // the model was asked for a summary
	release chan struct{}              // lets it go on
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, seen: map[string]map[string]bool{}, asked: make(chan struct{}, 1), release: make(chan struct{})}
	server := testkit.Start(t, testkit.Script{
		Models: []testkit.Model{{Name: "small:1b", ParameterSize: "1B"}},
		Rules: []testkit.Rule{{Func: func(req api.ChatRequest) testkit.Reply {
			if slices.ContainsFunc(req.Messages, func(m api.Message) bool { return strings.Contains(m.Content, "wait for it") }) {
				b.asked <- struct{}{}
				<-b.release
			}
			return testkit.Reply{Text: `{"context":"The zephyr proxy listens on 8443.","lessons":[],"people":[]}`}
		}}},
	})
	dir := t.TempDir()
	var err error
	b.backend, err = backend.Open(t.Context(), backend.Options{Version: "1", Environ: []string{
		"HOME=" + dir, "MAC_STATS_HOME=" + filepath.Join(dir, "home"), "MAC_STATS_CACHE=" + filepath.Join(dir, "cache"), "OLLAMA_HOST=" + server.Addr(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.backend.Close(); err != nil {
			t.Error(err)
		}
	})
	b.api = New(Params{Backend: b.backend, Token: testToken})
	b.describe()
	return b
}

func (b *bench) describe() {
	b.t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(description)
	if err == nil {
		err = doc.Validate(b.t.Context())
	}
	if err != nil {
		b.t.Fatalf("openapi.yaml: %v", err)
	}
	doc.Servers = nil
	b.doc = doc
	if b.router, err = gorillamux.NewRouter(doc); err != nil {
		b.t.Fatal(err)
	}
}

// say writes a session and indexes it.
func (b *bench) say(session string, texts ...string) {
	b.t.Helper()
	for i, text := range texts {
		kind := transcript.KindUser
		if i%2 == 1 {
			kind = transcript.KindAssistant
		}
		if _, err := b.backend.Store.Append(b.t.Context(), session, transcript.Block{Kind: kind, Text: text}); err != nil {
			b.t.Fatal(err)
		}
	}
	index, err := b.backend.Index.Recall()
	if err == nil {
		_, err = index.Sync(b.t.Context())
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) request(method, target string) *http.Request {
	r := httptest.NewRequestWithContext(b.t.Context(), method, target, nil)
	r.Host = "localhost"
	r.Header.Set("Authorization", "Bearer "+testToken)
	return r
}

// do sends a request to the handler and checks the answer against the description.
func (b *bench) do(r *http.Request) (int, string) {
	b.t.Helper()
	w := httptest.NewRecorder()
	b.api.ServeHTTP(w, r)
	b.check(r, w.Code, w.Header(), w.Body.Bytes())
	return w.Code, w.Body.String()
}

func (b *bench) check(r *http.Request, status int, header http.Header, body []byte) {
	b.t.Helper()
	route, params, err := b.router.FindRoute(r)
	if err != nil {
		if status != http.StatusNotFound && status != http.StatusMethodNotAllowed && status != http.StatusForbidden && status != http.StatusUnauthorized {
			b.t.Errorf("%s %s is not described, and answers %d", r.Method, r.URL, status)
		}
		return
	}
	in := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}
	if status == http.StatusOK {
		if err := openapi3filter.ValidateRequest(b.t.Context(), in); err != nil {
			b.t.Errorf("answered, but not as described: %v", err)
		}
	}
	err = openapi3filter.ValidateResponse(b.t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
	if err != nil {
		b.t.Errorf("%s %s answers %d not as described: %v\n%s", r.Method, r.URL, status, err, body)
	}
	op := route.Operation.OperationID
	if b.seen[op] == nil {
		b.seen[op] = map[string]bool{}
	}
	b.seen[op][strconv.Itoa(status)] = true
}

func pathOf(id, rest string) string {
	return "/v1/chat/sessions/" + url.PathEscape(id) + "/memory" + rest
}

func TestRequests(t *testing.T) {
	b := newBench(t)
	b.say("cpu-old", "Which port does the zephyr proxy use?", "It listens on 8443.", "And the kestrel?", "Nowhere.")
	b.say("cli-other", "The zephyr is fine.")
	b.backend.Store.SetPrivate("cpu-secret")
	if _, err := b.backend.Store.Append(t.Context(), "cpu-secret", transcript.Block{Kind: transcript.KindUser, Text: "a secret zephyr"}); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, method, target string
		status               int
		holds                []string
		lacks                []string
	}{
		{"search", "GET", "/v1/memory/search?q=zephyr", 200, []string{`"query":"zephyr"`, `"state":"fresh"`, `"session":"cpu-old"`, `"turn":0`, `"session":"cli-other"`}, []string{"secret"}},
		{"search one session", "GET", "/v1/memory/search?q=zephyr&session=cli-other&limit=5&include_cold=true&strategy=lexical", 200, []string{"cli-other"}, []string{"cpu-old"}},
		{"search, nothing found", "GET", "/v1/memory/search?q=xylophone", 200, []string{`"hits":[]`}, nil},
		{"search, odd signs", "GET", "/v1/memory/search?q=" + url.QueryEscape(`" OR * 🦊 ' --`), 200, nil, nil},
		{"search without a query", "GET", "/v1/memory/search", 400, []string{"The query is empty."}, nil},
		{"search with blanks", "GET", "/v1/memory/search?q=%20%20", 400, []string{"The query is empty."}, nil},
		{"search, too long", "GET", "/v1/memory/search?q=" + strings.Repeat("x", 5000), 400, []string{"longer than 4096"}, nil},
		{"search, no UTF-8", "GET", "/v1/memory/search?q=%ff", 400, []string{"not UTF-8"}, nil},
		{"search, limit 0", "GET", "/v1/memory/search?q=a&limit=0", 400, []string{"from 1 to 100"}, nil},
		{"search, limit a word", "GET", "/v1/memory/search?q=a&limit=all", 400, []string{"from 1 to 100"}, nil},
		{"search, cold a word", "GET", "/v1/memory/search?q=a&include_cold=perhaps", 400, []string{"neither true nor false"}, nil},
		{"search, an unknown strategy", "GET", "/v1/memory/search?q=a&strategy=magic", 400, []string{"lexical, semantic or hybrid"}, nil},
		{"search, a misspelled parameter", "GET", "/v1/memory/search?q=a&sesion=cpu-old", 400, []string{`no parameter \"sesion\"`, "Known here"}, nil},
		{"search, a parameter twice", "GET", "/v1/memory/search?q=a&q=b", 400, []string{"there twice"}, nil},
		{"search, the limit twice", "GET", "/v1/memory/search?q=a&limit=1&limit=1", 400, []string{"there twice"}, nil},
		{"search, an empty strategy", "GET", "/v1/memory/search?q=a&strategy=", 400, []string{"strategy is empty"}, nil},
		{"search, an empty limit", "GET", "/v1/memory/search?q=a&limit=", 400, []string{"limit is empty"}, nil},
		{"search, an empty flag", "GET", "/v1/memory/search?q=a&include_cold", 400, []string{"include_cold is empty"}, nil},
		{"search, a limit with a sign", "GET", "/v1/memory/search?q=a&limit=%2B5", 400, []string{"from 1 to 100"}, nil},
		{"search, a limit with a zero before", "GET", "/v1/memory/search?q=a&limit=05", 400, []string{"from 1 to 100"}, nil},
		{"search, a number for a flag", "GET", "/v1/memory/search?q=a&include_cold=1", 400, []string{"neither true nor false"}, nil},
		{"list, the limit twice", "GET", pathOf("cpu-old", "?limit=1&limit=2"), 400, []string{"there twice"}, nil},
		{"list, an empty limit", "GET", pathOf("cpu-old", "?limit="), 400, []string{"limit is empty"}, nil},
		{"search, bad encoding", "GET", "/v1/memory/search?q=a;b", 400, []string{"can't be read"}, nil},
		{"search an unknown session", "GET", "/v1/memory/search?q=a&session=cpu-none", 404, []string{"no such session"}, nil},
		{"search a private session", "GET", "/v1/memory/search?q=a&session=cpu-secret", 404, []string{"no such session"}, nil},
		{"list", "GET", pathOf("cpu-old", ""), 200, []string{`"total":4`, `"next":""`, `"turn":3`, "Nowhere."}, nil},
		{"list a page", "GET", pathOf("cpu-old", "?limit=2"), 200, []string{"8443", `"next":"cpu-old/`}, []string{"Nowhere."}},
		{"list, unknown place", "GET", pathOf("cpu-old", "?after=cpu-old/none/0"), 400, []string{"names no chunk"}, nil},
		{"list, too many", "GET", pathOf("cpu-old", "?limit=501"), 400, []string{"from 1 to 500"}, nil},
		{"list an unknown session", "GET", pathOf("cpu-none", ""), 404, []string{"no such session"}, nil},
		{"list a private session", "GET", pathOf("cpu-secret", ""), 404, []string{"no such session"}, nil},
		{"list, a way out of the folder", "GET", pathOf("../../etc/passwd", ""), 404, []string{"no such session"}, nil},
		{"summarize an unknown session", "POST", pathOf("cpu-none", "/summarize"), 404, nil, nil},
		{"summarize, a parameter", "POST", pathOf("cpu-old", "/summarize?x=1"), 400, []string{"This path takes none."}, nil},
		{"summarize, little was said", "POST", pathOf("cli-other", "/summarize"), 200, []string{`"summary":""`, "nothing to summarise"}, nil},
		{"summarize by GET", "GET", pathOf("cpu-old", "/summarize"), 405, []string{"Use POST or"}, nil},
		{"search by POST", "POST", "/v1/memory/search?q=a", 405, []string{"Use GET."}, nil},
		{"forget by POST", "POST", pathOf("cpu-old", "/cpu-old%2Fa%2F0"), 405, []string{"Use DELETE."}, nil},
		{"an unknown path", "GET", "/v2/memory", 404, []string{"no such path"}, nil},
		{"the root", "GET", "/", 404, []string{"no such path"}, nil},
		{"the description", "GET", "/v1/openapi.yaml", 200, []string{"openapi: 3.0.3"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, body := b.do(b.request(tt.method, tt.target))
			if status != tt.status {
				t.Errorf("%d %s", status, body)
			}
			for _, want := range tt.holds {
				if !strings.Contains(body, want) {
					t.Errorf("%q is not in %s", want, body)
				}
			}
			for _, other := range tt.lacks {
				if strings.Contains(body, other) {
					t.Errorf("%q is in %s", other, body)
				}
			}
		})
	}
}

// firstChunk returns the ID of a session's first chunk.
func (b *bench) firstChunk(session string) string {
	b.t.Helper()
	index, err := b.backend.Index.Recall()
	if err != nil {
		b.t.Fatal(err)
	}
	chunks, err := index.Chunks(b.t.Context(), session)
	if err != nil || len(chunks) == 0 {
		b.t.Fatalf("%d chunks, %v", len(chunks), err)
	}
	return chunks[0].ID
}

// Over HTTP, the report of a forgetting is the plan of its dry run with what became of each
// place.
func TestTheReportOfAForgettingIsItsPlan(t *testing.T) {
	b := newBench(t)
	b.say("cpu-old", "My locker code is 7719-zephyr.", "Noted: 7719-zephyr.")
	if _, err := b.backend.Memory.Append(t.Context(), memory.Lesson{Text: "The locker code is 7719-zephyr", Session: "cpu-old", Confidence: 1}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(b.api)
	defer server.Close()
	type touched struct{ Place, Path, Session, Block, Action string }
	ask := func(query string) (found []touched, refused int) {
		r := b.request("DELETE", pathOf("cpu-old", "/"+url.PathEscape(b.firstChunk("cpu-old")))+query)
		sent, err := http.NewRequestWithContext(t.Context(), r.Method, server.URL+r.RequestURI, nil)
		if err != nil {
			t.Fatal(err)
		}
		sent.Header, sent.Host = r.Header, r.Host
		resp, err := server.Client().Do(sent)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var body struct {
			Found   []touched
			Refused int
		}
		if err := json.NewDecoder(resp.Body).Decode(&body); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%d: %v", resp.StatusCode, err)
		}
		for _, f := range body.Found {
			if f.Action != "kept" && f.Place != "file name" { // what may repeat it in other words, and the new name of its file
				found = append(found, f)
			}
		}
		return found, body.Refused
	}
	plan, _ := ask("?dry_run=true&lessons=true")
	report, refused := ask("?lessons=true")
	places := func(list []touched) (names []string) { // a file that the words named has another name now
		for _, f := range list {
			names = append(names, f.Place+" "+f.Session+" "+f.Block)
		}
		slices.Sort(names)
		return names
	}
	if diff := cmp.Diff(places(plan), places(report)); diff != "" || refused > 0 || len(report) < 3 {
		t.Errorf("%d refused; from the plan to the report:\n%s", refused, diff)
	}
	told := fmt.Sprint(report)
	for _, want := range []string{"{user session/", "agents/memory.md", "removed}"} {
		if !strings.Contains(told, want) {
			t.Errorf("%s is not in %s", want, told)
		}
	}
}

// Search, list and forgetting report a file with the same path.
func TestPathsAreBelowTheDataFolder(t *testing.T) {
	b := newBench(t)
	b.say("cpu-old", "My locker code is 7719-zephyr.", "Noted.")
	paths := regexp.MustCompile(`"path":"([^"]*)"`)
	for _, target := range []string{"/v1/memory/search?q=zephyr", pathOf("cpu-old", ""), pathOf("cpu-old", "/"+url.PathEscape(b.firstChunk("cpu-old"))) + "?dry_run=true"} {
		method := "GET"
		if strings.Contains(target, "dry_run") {
			method = "DELETE"
		}
		_, body := b.do(b.request(method, target))
		found := paths.FindAllStringSubmatch(body, -1)
		if len(found) == 0 {
			t.Errorf("%s: no path in %s", target, body)
		}
		for _, f := range found {
			if !strings.HasPrefix(f[1], "session/") {
				t.Errorf("%s: the path is %s", target, f[1])
			}
		}
	}
}

func TestAForgottenChunkIsGone(t *testing.T) {
	b := newBench(t)
	b.say("cpu-old", "My locker code is 7719-zephyr.", "Noted.", "And the weather?", "Fine.")
	chunk := b.firstChunk("cpu-old")
	encoded, raw := pathOf("cpu-old", "/"+url.PathEscape(chunk)), pathOf("cpu-old", "/"+chunk)

	if status, body := b.do(b.request("DELETE", encoded+"?dry_run=true")); status != 200 || !strings.Contains(body, `"dry_run":true`) || !strings.Contains(body, "7719-zephyr") {
		t.Errorf("a dry run: %d %s", status, body)
	}
	if _, body := b.do(b.request("GET", pathOf("cpu-old", ""))); !strings.Contains(body, "7719-zephyr") {
		t.Errorf("the dry run took it: %s", body)
	}
	for _, wrong := range []string{
		pathOf("cpu-old", "/cpu-other%2Fa%2F0"), pathOf("cpu-old", "/"+url.PathEscape(chunk+"9")), pathOf("cpu-old", "/memory%2Fagents%2Fmemory.md%2Fa"), pathOf("cpu-old", "/"),
	} {
		if status, body := b.do(b.request("DELETE", wrong)); status != 404 {
			t.Errorf("%s: %d %s", wrong, status, body)
		}
	}
	if status, body := b.do(b.request("DELETE", encoded+"?dry_run=")); status != 400 {
		t.Errorf("an empty dry_run: %d %s", status, body)
	}
	if status, body := b.do(b.request("DELETE", encoded+"?dry_run=true&also=nothing")); status != 400 || !strings.Contains(body, "names no place") {
		t.Errorf("also names nothing: %d %s", status, body)
	}
	if status, body := b.do(b.request("DELETE", encoded+"?dry_run=true&also=cpu-old%2Fnone")); status != 404 {
		t.Errorf("also names a place that is not there: %d %s", status, body)
	}
	if status, body := b.do(b.request("DELETE", encoded+"?dry_run=perhaps")); status != 400 {
		t.Errorf("a flag that is none: %d %s", status, body)
	}
	w := httptest.NewRecorder()
	b.api.ServeHTTP(w, b.request("DELETE", raw)) // as people type it
	status, body := w.Code, w.Body.String()
	if status != 200 || !strings.Contains(body, `"refused":0`) || !strings.Contains(body, `"place":"user"`) || strings.Contains(body, "7719") {
		t.Errorf("%d %s", status, body)
	}
	b.say("cpu-old") // as the app does after a change
	if _, body := b.do(b.request("GET", pathOf("cpu-old", ""))); strings.Contains(body, "7719") || !strings.Contains(body, "And the weather?") {
		t.Errorf("after it: %s", body)
	}
	if status, _ := b.do(b.request("DELETE", encoded)); status != 404 {
		t.Errorf("again: %d", status)
	}
	err := filepath.WalkDir(b.backend.Paths.Home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte("7719")) || strings.Contains(path, "7719") {
			t.Errorf("still in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestEveryAnswerHasTheIndexState(t *testing.T) {
	b := newBench(t)
	for _, old := range []string{"The zephyr was at 9000.", "Noted."} {
		if _, err := b.backend.Store.Append(t.Context(), "cpu-old", transcript.Block{Kind: transcript.KindUser, Text: old, Time: time.Now().AddDate(-1, 0, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	b.say("cpu-new", "The zephyr is at 8443.")
	for target, want := range map[string]string{
		"/v1/memory/search?q=zephyr":                   `"state":"fresh, 2 cold chunks excluded"`,
		"/v1/memory/search?q=zephyr&include_cold=true": `"state":"fresh"`,
		"/v1/memory/search?q=zephyr+last+year":         `"state":"fresh"`,
		pathOf("cpu-old", ""):                          `"state":"fresh"`,
	} {
		if status, body := b.do(b.request("GET", target)); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, want %s", target, status, body, want)
		}
	}
}

func TestAListsPagesHaveEveryChunkOnce(t *testing.T) {
	b := newBench(t)
	b.say("cpu-old", "one", "two", "three", "four", "five")
	after, pages := "", 0
	var all []string
	for range 10 {
		_, body := b.do(b.request("GET", pathOf("cpu-old", "?limit=2&after="+url.QueryEscape(after))))
		for _, word := range []string{"one", "two", "three", "four", "five"} {
			if strings.Contains(body, `"text":"`+word+`"`) {
				all = append(all, word)
			}
		}
		pages++
		_, next, _ := strings.Cut(body, `"next":"`)
		if after, _, _ = strings.Cut(next, `"`); after == "" {
			break
		}
	}
	if got := strings.Join(all, " "); got != "one two three four five" || pages != 3 {
		t.Errorf("%q in %d pages", got, pages)
	}
}

func TestRefusedRequests(t *testing.T) {
	b := newBench(t)
	tests := []struct {
		name   string
		change func(r *http.Request)
		status int
	}{
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"another token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+testToken+"x") }, 401},
		{"the beginning of the token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+testToken[:20]) }, 401},
		{"another scheme", func(r *http.Request) { r.Header.Set("Authorization", "Basic "+testToken) }, 401},
		{"the token as a parameter", func(r *http.Request) {
			r.Header.Del("Authorization")
			r.URL.RawQuery += "&token=" + testToken
		}, 401},
		{"a page of another site", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		{"a page of this machine", func(r *http.Request) { r.Header.Set("Origin", "http://localhost") }, 403},
		{"a page in a sandbox", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		{"a picture of a page", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		{"a name that was made to point here", func(r *http.Request) { r.Host = "evil.example:7878" }, 403},
		{"a name that begins like ours", func(r *http.Request) { r.Host = "localhost.evil.example" }, 403},
		{"another address", func(r *http.Request) { r.Host = "192.168.1.5:7878" }, 403},
		{"no host", func(r *http.Request) { r.Host = "" }, 403},
		{"this machine by name", func(r *http.Request) { r.Host = "LOCALHOST:7878" }, 200},
		{"this machine by address", func(r *http.Request) { r.Host = "127.0.0.1:7878" }, 200},
		{"this machine by its newer address", func(r *http.Request) { r.Host = "[::1]:7878" }, 200},
		{"somebody at the keyboard", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "none") }, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := b.request("GET", "/v1/memory/search?q=a")
			tt.change(r)
			if status, body := b.do(r); status != tt.status || strings.Contains(body, testToken) {
				t.Errorf("%d %s", status, body)
			}
		})
	}
}

// Each operation is driven to each of its statuses, because a status in openapi.yaml that
// never occurs is a mistake there.
func TestEveryDescribedStatusOccurs(t *testing.T) {
	b := newBench(t)
	b.say("cpu-old", "wait for it", "fine", "zephyr?", "8443", "more?", "no")
	targets := map[string][2]string{
		"searchMemory":    {"GET", "/v1/memory/search?q=zephyr"},
		"listMemory":      {"GET", pathOf("cpu-old", "")},
		"forgetMemory":    {"DELETE", pathOf("cpu-old", "/"+url.PathEscape(b.firstChunk("cpu-old"))+"?dry_run=true")},
		"summarizeMemory": {"POST", pathOf("cpu-old", "/summarize")},
		"describe":        {"GET", "/v1/openapi.yaml"},
	}
	for op, target := range targets {
		b.refusals(target[0], target[1])
		if op != "describe" {
			b.mistakes(target[0], target[1])
		}
	}
	b.tooLarge(targets)
	b.summaries(targets["summarizeMemory"][1])
	for _, op := range []string{"searchMemory", "listMemory", "forgetMemory", "describe"} {
		if status, body := b.do(b.request(targets[op][0], targets[op][1])); status != 200 {
			t.Errorf("%s: %d %s", op, status, body)
		}
	}
	if err := b.backend.Close(); err != nil { // as when the app ends
		t.Fatal(err)
	}
	for _, op := range []string{"searchMemory", "listMemory", "forgetMemory", "summarizeMemory"} {
		if status, body := b.do(b.request(targets[op][0], targets[op][1])); status != http.StatusInternalServerError {
			t.Errorf("%s: %d %s", op, status, body)
		}
	}
	for _, item := range b.doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status := range op.Responses.Map() {
				if !b.seen[op.OperationID][status] {
					t.Errorf("%s %s is described and never answered", method+" "+op.OperationID, status)
				}
			}
		}
	}
	if got := len(b.doc.Paths.Map()); got != len(targets) {
		t.Errorf("%d paths are described, %d are driven here", got, len(targets))
	}
}

// refusals are problems that any request may meet.
func (b *bench) refusals(method, target string) {
	b.t.Helper()
	r := b.request(method, target)
	r.Header.Del("Authorization")
	b.do(r)
	r = b.request(method, target)
	r.Header.Set("Origin", "https://evil.example")
	b.do(r)
	for range maxRequests {
		b.api.slots <- struct{}{}
	}
	if status, _ := b.do(b.request(method, target)); status != http.StatusServiceUnavailable {
		b.t.Errorf("beside %d others: %d", maxRequests, status)
	}
	for range maxRequests {
		<-b.api.slots
	}
}

// mistakes are the caller's mistakes, and a timeout.
func (b *bench) mistakes(method, target string) {
	b.t.Helper()
	path, query, _ := strings.Cut(target, "?")
	b.do(b.request(method, path+"?colour=blue"))
	nobodys := strings.Replace(path, "cpu-old", "cpu-none", 1)
	switch {
	case strings.HasPrefix(query, "q="):
		nobodys += "?" + query + "&session=cpu-none"
	case query != "":
		nobodys += "?" + query
	}
	if status, body := b.do(b.request(method, nobodys)); status != http.StatusNotFound {
		b.t.Errorf("a session that is not there: %d %s", status, body)
	}
	large := b.request(method, target)
	large.Body = io.NopCloser(strings.NewReader(strings.Repeat("x", maxBody+1)))
	if status, _ := b.do(large); status != http.StatusRequestEntityTooLarge {
		b.t.Errorf("a large body: %d", status)
	}
	late, stop := context.WithDeadline(b.t.Context(), time.Now().Add(-time.Second))
	defer stop()
	if status, body := b.do(b.request(method, target).WithContext(late)); status != http.StatusGatewayTimeout {
		b.t.Errorf("when the time is up: %d %s", status, body)
	}
}

// tooLarge sends requests whose head is larger than the server accepts.
func (b *bench) tooLarge(targets map[string][2]string) {
	b.t.Helper()
	s, err := Serve(b.api, "127.0.0.1:0", "", "")
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.t.Error(err)
		}
	}()
	for op, target := range targets {
		sent, err := http.NewRequestWithContext(b.t.Context(), target[0], "http://"+s.Addr().String()+target[1], nil)
		if err != nil {
			b.t.Fatal(err)
		}
		sent.Header.Set("X-Large", strings.Repeat("x", 2*maxHeader))
		resp, err := http.DefaultClient.Do(sent)
		if err != nil {
			b.t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			b.t.Errorf("%s: %d, %v", op, resp.StatusCode, err)
		}
		b.check(b.request(target[0], target[1]), resp.StatusCode, resp.Header, body)
	}
}

// For a method that a path doesn't support, the answer lists the supported ones.
func TestTheMethodsOfAPathAreListed(t *testing.T) {
	b := newBench(t)
	for target, want := range map[string]string{
		"/v1/memory/search?q=a": "GET, HEAD", "/v1/openapi.yaml": "GET, HEAD", pathOf("cpu-old", ""): "GET, HEAD",
		pathOf("cpu-old", "/cpu-old%2Fa%2F0"): "DELETE", pathOf("cpu-old", "/summarize"): "POST, DELETE",
	} {
		for _, method := range []string{"PUT", "PATCH", "TRACE", "OPTIONS", "QUERY"} {
			w := httptest.NewRecorder()
			b.api.ServeHTTP(w, b.request(method, target))
			if got := w.Header().Get("Allow"); w.Code != http.StatusMethodNotAllowed || got != want {
				t.Errorf("%s %s: %d, Allow: %q, want %q", method, target, w.Code, got, want)
			}
		}
	}
}

// summaries runs one summary and requests another meanwhile.
func (b *bench) summaries(target string) {
	b.t.Helper()
	first := make(chan *httptest.ResponseRecorder, 1)
	one := b.request("POST", target)
	go func() {
		w := httptest.NewRecorder()
		b.api.ServeHTTP(w, one)
		first <- w
	}()
	<-b.asked // the first one has the lock and waits for its model
	if status, body := b.do(b.request("POST", target)); status != http.StatusConflict {
		b.t.Errorf("beside it: %d %s", status, body)
	}
	close(b.release)
	w := <-first
	b.check(one, w.Code, w.Header(), w.Body.Bytes())
	if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, `"by":"small:1b"`) || strings.Contains(body, `"summary":""`) {
		b.t.Errorf("%d %s", w.Code, body)
	}
}

func TestOnlyTheOwnerCanReadTheToken(t *testing.T) {
	home := t.TempDir()
	first, err := Token(home)
	if err != nil || len(first) < leastToken {
		t.Fatalf("%q, %v", first, err)
	}
	path := filepath.Join(home, tokenFile)
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if again, err := Token(home); again != first || err != nil {
		t.Errorf("another one: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if again, err := Token(home); again != first || err != nil {
		t.Errorf("after somebody opened it: %v", err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("still open to others: %v, %v", info, err)
	}
	for _, bad := range []string{"", "short", "two words of more than twenty", strings.Repeat("x", 2000)} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if token, err := Token(home); err == nil {
			t.Errorf("%q was taken as %q", bad, token)
		}
	}
	if _, err := Token(filepath.Join(home, "nowhere")); err == nil {
		t.Error("made without a folder")
	}
}

// A client that only ends its own side gets its answer. One that is gone ends the work.
func TestAClientThatSendsNothingMoreStillReads(t *testing.T) {
	type row struct {
		listen, proto string
		gone          bool
	}
	rows := []row{
		{"127.0.0.1:0", "1.1", false},
		{"127.0.0.1:0", "1.1", true},
		{"127.0.0.1:0", "1.0", false},
	}
	if runtime.GOOS != "windows" { // which has no such socket
		rows = append(rows, row{"unix", "1.1", false}, row{"unix", "1.1", true}, row{"unix", "1.0", false}, row{"unix", "1.0", true})
	}
	for _, tt := range rows {
		t.Run(fmt.Sprintf("%+v", tt), func(t *testing.T) {
			b := newBench(t)
			var talk []string
			for range 10 {
				talk = append(talk, "wait for it "+strings.Repeat("the zephyr proxy ", 400), strings.Repeat("fine ", 400))
			}
			b.say("cpu-old", talk...)
			s, err := Serve(b.api, tt.listen, filepath.Join(t.TempDir(), "run"), b.backend.Paths.Home)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			client, err := (&net.Dialer{}).DialContext(t.Context(), s.Addr().Network(), s.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = client.Close() }()
			if _, err := io.WriteString(client, "POST "+pathOf("cpu-old", "/summarize")+" HTTP/"+tt.proto+"\r\nHost: localhost\r\nAuthorization: Bearer "+testToken+"\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			<-b.asked
			if tt.gone {
				_ = client.Close()
				filetest.Until(t, "the end of the work", func() bool { return len(b.api.slots) == 0 })
				close(b.release)
				return
			}
			if err := client.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			answers := bufio.NewReader(client)
			if tt.proto == "1.1" {
				if line, err := answers.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
					t.Errorf("%q %v", line, err)
				}
			}
			close(b.release)
			answer, err := io.ReadAll(answers)
			_, last, _ := strings.Cut(string(answer), "HTTP/"+tt.proto+" 200 OK\r\n")
			if err != nil || !strings.Contains(last, `"by":"small:1b"`) {
				t.Errorf("%s %v", answer, err)
			}
		})
	}
}

// A client may read slowly, but not stop.
func TestAClientThatStopsReadingIsLeft(t *testing.T) {
	for pause, ok := range map[time.Duration]bool{writeTime - time.Second: true, writeTime + time.Second: false} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			sent := make(chan error, 1)
			go func() {
				_, err := conn{ours}.Write(make([]byte, 5*maxWrite))
				sent <- errors.Join(err, ours.Close())
			}()
			got := 0
			for part, err := make([]byte, maxWrite), error(nil); err == nil; {
				var n int
				n, err = theirs.Read(part)
				got += n
				time.Sleep(pause)
			}
			if err := <-sent; (err == nil) != ok || ok != (got == 5*maxWrite) {
				t.Errorf("pauses of %v: %d bytes, %v", pause, got, err)
			}
		})
	}
}

func TestASearchByMeaningSaysThatThereIsNoModel(t *testing.T) {
	b := newBench(t)
	b.say("cpu-old", "the zephyr")
	for strategy, want := range map[string]bool{"semantic": true, "lexical": false, "hybrid": false} {
		status, body := b.do(b.request("GET", "/v1/memory/search?q=zephyr&strategy="+strategy))
		if status != 200 || strings.Contains(body, "there is no embedding model, so this went by words alone") != want {
			t.Errorf("%s: %d %s", strategy, status, body)
		}
	}
}

func TestServeListensOnASocketOrALoopbackPort(t *testing.T) {
	b := newBench(t)
	b.say("cpu-old", "the zephyr")
	run := filepath.Join(t.TempDir(), "run")
	tests := []struct {
		listen string
		ok     bool
	}{
		{"unix", true},
		{"unix", true}, // again, over the socket that is already there
		{"127.0.0.1:0", true},
		{"localhost:0", true},
		{"0.0.0.0:0", false},
		{":0", false},
		{"nonsense", false},
	}
	for _, tt := range tests {
		t.Run(tt.listen, func(t *testing.T) {
			s, err := Serve(b.api, tt.listen, run, b.backend.Paths.Home)
			if (err == nil) != tt.ok {
				t.Fatalf("%v", err)
			}
			if err != nil {
				return
			}
			addr := s.Addr()
			if info, err := os.Stat(addr.String()); addr.Network() == "unix" && (err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600) {
				t.Errorf("the socket: %v, %v", info, err)
			}
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, addr.Network(), addr.String())
			}}}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/v1/memory/search?q=zephyr", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+testToken)
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), "the zephyr") {
				t.Errorf("%d %s %v", resp.StatusCode, body, err)
			}
			if err := resp.Body.Close(); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(addr.String()); addr.Network() == "unix" && err == nil {
				t.Error("the socket is left behind")
			}
		})
	}
}
