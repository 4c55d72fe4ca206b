package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/ollamatest"
)

func TestWrongSearches(t *testing.T) {
	t.Parallel()
	e := newEnv(t, ollamatest.Script{})
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"memory", "search"}, "the query is empty"},
		{[]string{"memory", "search", "  "}, "the query is empty"},
		{[]string{"memory", "search", "\xff"}, "the query is not utf-8"},
		{[]string{"memory", "search", "-", "x"}, "give a query, or - for those on stdin"},
		{[]string{"memory", "search", "--limit", "-1", "x"}, "--limit must be from 0 to 1000"},
		{[]string{"memory", "search", "--limit", "1001", "x"}, "--limit must be from 0 to 1000"},
		{[]string{"memory", "search", "--strategy", "magic", "x"}, "--strategy is lexical, semantic or hybrid"},
		{[]string{"memory", "search", "--session", "a", "--all-sessions", "x"}, "exclude each other"},
		{[]string{"memory", "status", "x"}, "takes no arguments"},
		{[]string{"memory", "reindex", "x"}, "takes no arguments"},
		{[]string{"memory", "summarize", "x", "y"}, "takes one NAME"},
	}
	for _, tt := range tests {
		t.Run(strings.ToValidUTF8(strings.Join(tt.args[1:], " "), "?"), func(t *testing.T) {
			o := e.run(t, tt.args...)
			if o.code != exitUsage || o.stdout != "" || !oneLineOn(o.stderr, "mac-stats: ") || !strings.Contains(strings.ToLower(o.stderr), strings.ToLower(tt.want)) {
				t.Errorf("got %+v", o)
			}
		})
	}
	if o := e.run(t, "memory", "search", "--session", "none", "x"); o.code != exitFailed || !strings.Contains(o.stderr, "none") {
		t.Errorf("a session that is not there: %+v", o)
	}
}

// remembering is a data folder with two conversations and a memory, indexed.
func remembering(t *testing.T) *env {
	t.Helper()
	e := newEnv(t, answering("It listens on port 8443."))
	e.must(t, "ask", "--session", "proxy", "Which port does the zephyr proxy use?")
	e.must(t, "ask", "--session", "garden", "When do I plant tomatoes?")
	e.must(t, "memory", "add", "The backup disk is called Kestrel")
	e.must(t, "memory", "reindex")
	return e
}

func TestSearchFindsWhatWasSaidAndLearnt(t *testing.T) {
	t.Parallel()
	e := remembering(t)
	t.Run("json", func(t *testing.T) {
		got := objects(t, e.must(t, "memory", "search", "--json", "zephyr", "port"))
		if len(got) != 1 {
			t.Fatalf("%d objects", len(got))
		}
		if diff := cmp.Diff([]string{"hits", "query", "state", "type"}, fields(got[0])); diff != "" {
			t.Error(diff)
		}
		hits, ok := got[0]["hits"].([]any)
		if !ok || len(hits) == 0 || got[0]["query"] != "zephyr port" || got[0]["type"] != "result" || got[0]["state"] != "fresh" {
			t.Fatalf("got %v", got[0])
		}
		turns := map[any]any{}
		for _, h := range hitsOf(t, e.must(t, "memory", "search", "--json", "zephyr", "port")) {
			if diff := cmp.Diff([]string{"chunk", "kind", "path", "score", "session", "text", "time", "turn"}, fields(h)); diff != "" {
				t.Error(diff)
			}
			if h["session"] == "cli-proxy" {
				turns[h["turn"]] = fmt.Sprint(h["kind"], ": ", h["text"])
			}
		}
		want := map[any]any{0.0: "user: Which port does the zephyr proxy use?", 1.0: "assistant: It listens on port 8443."}
		if diff := cmp.Diff(want, turns); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("text", func(t *testing.T) {
		got := e.must(t, "memory", "search", "kestrel")
		if !strings.Contains(got, "memory.md · ") || !strings.Contains(got, "\n  The backup disk is called Kestrel\n") || !strings.HasSuffix(got, "Index: fresh.\n") {
			t.Errorf("got %q", got)
		}
		if got := e.must(t, "memory", "search", "xylophone"); got != "Nothing found. Index: fresh.\n" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("in one session", func(t *testing.T) {
		for _, h := range hitsOf(t, e.must(t, "memory", "search", "--json", "--session", "garden", "port tomatoes Kestrel")) {
			if h["session"] != "cli-garden" {
				t.Errorf("found %v", h)
			}
		}
	})
	t.Run("the limit", func(t *testing.T) {
		if got := hitsOf(t, e.must(t, "memory", "search", "--json", "--limit", "1", "port")); len(got) != 1 {
			t.Errorf("got %v", got)
		}
	})
	t.Run("what is behind is said, with what to do", func(t *testing.T) {
		e.must(t, "ask", "--session", "later", "Where is the quokka?")
		if got := e.must(t, "memory", "search", "quokka"); !strings.HasPrefix(got, "Nothing found. Index: behind by 1 file. `mac-stats memory reindex`") {
			t.Errorf("got %q", got)
		}
		e.must(t, "memory", "reindex", "--changed")
		if got := hitsOf(t, e.must(t, "memory", "search", "--json", "quokka")); len(got) == 0 {
			t.Error("not found after reindex --changed")
		}
	})
}

func hitsOf(t *testing.T, stdout string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, o := range objects(t, stdout) {
		hits, ok := o["hits"].([]any)
		if !ok {
			t.Fatalf("hits are %v", o["hits"])
		}
		for _, h := range hits {
			hit, ok := h.(map[string]any)
			if !ok {
				t.Fatalf("a hit is %v", h)
			}
			all = append(all, hit)
		}
	}
	return all
}

func TestSearchAnswersEachLineOfStdin(t *testing.T) {
	t.Parallel()
	e := remembering(t)
	o := e.runWith(t.Context(), "zephyr\n\ntomatoes\r\n\" OR *", "memory", "search", "--json", "-")
	got := objects(t, o.stdout)
	var queries []any
	for _, r := range got {
		queries = append(queries, r["query"])
	}
	if diff := cmp.Diff([]any{"zephyr", "", "tomatoes", `" OR *`}, queries); diff != "" || o.code != exitDone {
		t.Errorf("%s %+v", diff, o)
	}
	o = e.runWith(t.Context(), "zephyr\ntomatoes\n", "memory", "search", "-")
	if !strings.HasPrefix(o.stdout, "# zephyr\n") || !strings.Contains(o.stdout, "\n# tomatoes\n") {
		t.Errorf("text: %+v", o)
	}
	if o := e.runWith(t.Context(), "fine\n\xff\n", "memory", "search", "-"); o.code != exitFailed || !strings.Contains(o.stderr, "Line 2 of stdin is not UTF-8") {
		t.Errorf("no UTF-8: %+v", o)
	}
	if o := e.runWith(t.Context(), strings.Repeat("x", 70_000), "memory", "search", "-"); o.code != exitFailed || !strings.Contains(o.stderr, "longer than") {
		t.Errorf("a huge line: %+v", o)
	}
}

func TestStatusAndReindexTellTheSame(t *testing.T) {
	t.Parallel()
	e := remembering(t)
	want := []string{"behind", "building", "bytes", "chunks", "done", "files", "forgetting", "model", "of", "path", "state", "synced", "text_bytes", "type", "vectors"}
	status := objects(t, e.must(t, "memory", "status", "--json"))[0]
	if diff := cmp.Diff(want, fields(status)); diff != "" {
		t.Error(diff)
	}
	if status["type"] != "index" || status["state"] != "fresh" || status["behind"] != 0.0 || status["chunks"].(float64) < 5 {
		t.Errorf("got %v", status)
	}
	e.terminal = true
	again := e.run(t, "memory", "reindex", "--json")
	if got := objects(t, again.stdout)[0]; got["chunks"] != status["chunks"] || again.code != exitDone {
		t.Errorf("rebuilt: %v, before %v", got, status)
	}
	if text := e.must(t, "memory", "status"); !strings.Contains(text, "fresh") || !strings.Contains(text, "by words alone: no embedding model is installed; `mac-stats models pull") {
		t.Errorf("text: %s", text)
	}
}

func TestSummarizeTakesTheSummaryIntoTheIndex(t *testing.T) {
	t.Parallel()
	script := answering("Fine.")
	script.Rules = append([]ollamatest.Rule{{
		SystemContains: "CONTEXT", Reply: ollamatest.Reply{Text: `{"context":"The wombat lives in the attic.","lessons":[],"people":[]}`},
	}}, script.Rules...)
	e := newEnv(t, script)
	for range 4 {
		e.must(t, "ask", "--session", "pets", "Tell me more")
	}
	got := objects(t, e.must(t, "memory", "summarize", "pets", "--json"))[0]
	if got["type"] != "compaction" || got["name"] != "cli-pets" || got["summary"] == "" {
		t.Fatalf("got %v", got)
	}
	hits := hitsOf(t, e.must(t, "memory", "search", "--json", "wombat"))
	if len(hits) != 1 || hits[0]["kind"] != "summary" || hits[0]["turn"] != -1.0 {
		t.Errorf("found %v", hits)
	}
}

func TestDoctorTellsOfTheIndex(t *testing.T) {
	t.Parallel()
	e := remembering(t)
	found := func() (ok bool, words string) {
		for _, o := range objects(t, e.run(t, "doctor", "--json").stdout) {
			if o["name"] == "search index" {
				ok, _ = o["ok"].(bool)
				words, _ = o["found"].(string)
			}
		}
		return ok, words
	}
	if ok, words := found(); !ok || !strings.HasSuffix(words, "fresh") || !strings.Contains(words, "passages of") {
		t.Errorf("%v %q", ok, words)
	}
	e.must(t, "ask", "--session", "later", "Where is the quokka?")
	if ok, words := found(); !ok || !strings.Contains(words, "behind by 1 file; the app brings it up to date, or `mac-stats memory reindex`") {
		t.Errorf("%v %q", ok, words)
	}
}
