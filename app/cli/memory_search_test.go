package cli

import (
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
		{[]string{"memory", "status", "x"}, "takes no words"},
		{[]string{"memory", "reindex", "x"}, "takes no words"},
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
