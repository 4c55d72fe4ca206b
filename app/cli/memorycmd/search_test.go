package memorycmd_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli/clitest"
)

func TestWrongSearches(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, testkit.Script{})
	e.Refuses(t, "the query is empty", "memory", "search")
	e.Refuses(t, "the query is empty", "memory", "search", "  ")
	e.Refuses(t, "the query is not utf-8", "memory", "search", "\xff")
	e.Refuses(t, "give a query, or - for those on stdin", "memory", "search", "-", "x")
	e.Refuses(t, "--limit must be from 0 to 1000", "memory", "search", "--limit", "-1", "x")
	e.Refuses(t, "--limit must be from 0 to 1000", "memory", "search", "--limit", "1001", "x")
	e.Refuses(t, "--strategy is lexical, semantic or hybrid", "memory", "search", "--strategy", "magic", "x")
	e.Refuses(t, "exclude each other", "memory", "search", "--session", "a", "--all-sessions", "x")
	e.Refuses(t, "takes no arguments", "memory", "status", "x")
	e.Refuses(t, "takes no arguments", "memory", "reindex", "x")
	e.Refuses(t, "takes one NAME", "memory", "summarize", "x", "y")
	if o := e.Run(t, "memory", "search", "--session", "none", "x"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "none") {
		t.Errorf("a session that is not there: %+v", o)
	}
}

func TestSearchFindsMessagesAndLessons(t *testing.T) {
	t.Parallel()
	e := clitest.Remembering(t)
	t.Run("json", func(t *testing.T) {
		got := clitest.Objects(t, e.Must(t, "memory", "search", "--json", "zephyr", "port"))
		if len(got) != 1 {
			t.Fatalf("%d objects", len(got))
		}
		if diff := cmp.Diff([]string{"hits", "query", "state", "type"}, clitest.Fields(got[0])); diff != "" {
			t.Error(diff)
		}
		hits, ok := got[0]["hits"].([]any)
		if !ok || len(hits) == 0 || got[0]["query"] != "zephyr port" || got[0]["type"] != "result" || got[0]["state"] != "fresh" {
			t.Fatalf("got %v", got[0])
		}
		turns := map[any]any{}
		for _, h := range hitsOf(t, e.Must(t, "memory", "search", "--json", "zephyr", "port")) {
			if diff := cmp.Diff([]string{"chunk", "kind", "path", "score", "session", "text", "time", "turn"}, clitest.Fields(h)); diff != "" {
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
		got := e.Must(t, "memory", "search", "kestrel")
		if !strings.Contains(got, "memory.md · ") || !strings.Contains(got, "\n  The backup disk is called Kestrel\n") || !strings.HasSuffix(got, "Index: fresh.\n") {
			t.Errorf("got %q", got)
		}
		if got := e.Must(t, "memory", "search", "xylophone"); got != "Nothing found. Index: fresh.\n" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("in one session", func(t *testing.T) {
		for _, h := range hitsOf(t, e.Must(t, "memory", "search", "--json", "--session", "garden", "port tomatoes Kestrel")) {
			if h["session"] != "cli-garden" {
				t.Errorf("found %v", h)
			}
		}
	})
	t.Run("the limit", func(t *testing.T) {
		if got := hitsOf(t, e.Must(t, "memory", "search", "--json", "--limit", "1", "port")); len(got) != 1 {
			t.Errorf("got %v", got)
		}
	})
	t.Run("what is behind is said, with what to do", func(t *testing.T) {
		e.Must(t, "ask", "--session", "later", "Where is the quokka?")
		if got := e.Must(t, "memory", "search", "quokka"); !strings.HasPrefix(got, "Nothing found. Index: behind by 1 file. `mac-stats memory reindex`") {
			t.Errorf("got %q", got)
		}
		e.Must(t, "memory", "reindex", "--changed")
		if got := hitsOf(t, e.Must(t, "memory", "search", "--json", "quokka")); len(got) == 0 {
			t.Error("not found after reindex --changed")
		}
	})
}

func hitsOf(t *testing.T, stdout string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, o := range clitest.Objects(t, stdout) {
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
	e := clitest.Remembering(t)
	o := e.RunWith(t.Context(), "zephyr\n\ntomatoes\r\n\" OR *", "memory", "search", "--json", "-")
	got := clitest.Objects(t, o.Stdout)
	var queries []any
	for _, r := range got {
		queries = append(queries, r["query"])
	}
	if diff := cmp.Diff([]any{"zephyr", "", "tomatoes", `" OR *`}, queries); diff != "" || o.Code != clitest.Done {
		t.Errorf("%s %+v", diff, o)
	}
	o = e.RunWith(t.Context(), "zephyr\ntomatoes\n", "memory", "search", "-")
	if !strings.HasPrefix(o.Stdout, "# zephyr\n") || !strings.Contains(o.Stdout, "\n# tomatoes\n") {
		t.Errorf("text: %+v", o)
	}
	if o := e.RunWith(t.Context(), "fine\n\xff\n", "memory", "search", "-"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "Line 2 of stdin is not UTF-8") {
		t.Errorf("no UTF-8: %+v", o)
	}
	if o := e.RunWith(t.Context(), strings.Repeat("x", 70_000), "memory", "search", "-"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "longer than") {
		t.Errorf("a huge line: %+v", o)
	}
}

func TestStatusAndReindexAgree(t *testing.T) {
	t.Parallel()
	e := clitest.Remembering(t)
	want := []string{"behind", "building", "bytes", "chunks", "done", "files", "forgetting", "model", "of", "path", "state", "synced", "text_bytes", "type", "vectors"}
	status := clitest.Objects(t, e.Must(t, "memory", "status", "--json"))[0]
	if diff := cmp.Diff(want, clitest.Fields(status)); diff != "" {
		t.Error(diff)
	}
	if status["type"] != "index" || status["state"] != "fresh" || status["behind"] != 0.0 || status["chunks"].(float64) < 5 {
		t.Errorf("got %v", status)
	}
	e.Terminal = true
	again := e.Run(t, "memory", "reindex", "--json")
	if got := clitest.Objects(t, again.Stdout)[0]; got["chunks"] != status["chunks"] || again.Code != clitest.Done {
		t.Errorf("rebuilt: %v, before %v", got, status)
	}
	if text := e.Must(t, "memory", "status"); !strings.Contains(text, "fresh") || !strings.Contains(text, "by words alone: no embedding model is installed; `mac-stats models pull") {
		t.Errorf("text: %s", text)
	}
}

func TestSummarizeIndexesTheSummary(t *testing.T) {
	t.Parallel()
	script := clitest.Answering("Fine.")
	script.Rules = append([]testkit.Rule{{
		SystemContains: "CONTEXT", Reply: testkit.Reply{Text: `{"context":"The wombat lives in the attic.","lessons":[],"people":[]}`},
	}}, script.Rules...)
	e := clitest.New(t, script)
	for range 4 {
		e.Must(t, "ask", "--session", "pets", "Tell me more")
	}
	got := clitest.Objects(t, e.Must(t, "memory", "summarize", "pets", "--json"))[0]
	if got["type"] != "compaction" || got["name"] != "cli-pets" || got["summary"] == "" {
		t.Fatalf("got %v", got)
	}
	hits := hitsOf(t, e.Must(t, "memory", "search", "--json", "wombat"))
	if len(hits) != 1 || hits[0]["kind"] != "summary" || hits[0]["turn"] != -1.0 {
		t.Errorf("found %v", hits)
	}
}

func TestSearchShowsTheMessagesBeside(t *testing.T) {
	t.Parallel()
	e := clitest.Remembering(t)
	got := e.Must(t, "memory", "search", "--beside", "--session", "proxy", "zephyr 8443")
	for _, want := range []string{"\n  Which port does the zephyr proxy use?\n  after: It listens on port 8443.\n", "\n  before: Which port does the zephyr proxy use?\n  It listens on port 8443.\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing from\n%s", want, got)
		}
	}
}

func TestADamagedIndexIsReported(t *testing.T) {
	t.Parallel()
	for runs, want := range map[bool]string{
		false: "mac-stats: The search index is damaged. Rebuild it with `mac-stats memory reindex`",
		true:  "mac-stats: The search index is damaged. The app is rebuilding it",
	} {
		e := clitest.Remembering(t)
		path, ok := clitest.Objects(t, e.Must(t, "memory", "status", "--json"))[0]["path"].(string)
		if !ok || path == "" {
			t.Fatal("the index has no path")
		}
		if err := os.WriteFile(path, []byte(strings.Repeat("no index ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		e.AppRuns, e.Poked = runs, nil
		for _, args := range [][]string{{"memory", "search", "zephyr"}, {"memory", "status"}} {
			if o := e.Run(t, args...); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, want) {
				t.Errorf("the app runs: %v: %q: %+v", runs, args, o)
			}
		}
		if (len(e.Poked) > 0) != runs {
			t.Errorf("the app runs: %v, and was told %q", runs, e.Poked)
		}
		e.AppRuns = false
		e.Must(t, "memory", "reindex")
		if got := e.Must(t, "memory", "search", "zephyr"); !strings.Contains(got, "Which port") {
			t.Errorf("after reindex: %s", got)
		}
	}
}
