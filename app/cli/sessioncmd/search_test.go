package sessioncmd_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/app/cli/clitest"
)

func TestSessionsSearch(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("It is the **Größe** of the index."))
	e.Must(t, "ask", "--session", "notes", "Why is my disk full")
	e.Must(t, "ask", "--session", "other", "Something else")
	if got := e.Must(t, "sessions", "search", "DISK", "grosse"); !strings.HasPrefix(got, "cli-notes · ") || !strings.Contains(got, "Why is my disk full") {
		t.Errorf("got %q", got)
	}
	line := clitest.Objects(t, e.Must(t, "sessions", "search", "--json", `"my disk"`))[0]
	want := map[string]any{"type": "hit", "name": "cli-notes", "source": "cli", "title": "Why is my disk full", "kind": "user", "snippet": "Why is my disk full", "blocks": 1.0}
	for _, key := range []string{"path", "block", "time"} {
		if line[key] == "" {
			t.Errorf("no %s", key)
		}
		delete(line, key)
	}
	if diff := cmp.Diff(want, line); diff != "" {
		t.Error(diff)
	}
	if got := clitest.Objects(t, e.Must(t, "sessions", "search", "--json", "--limit", "1", "index")); len(got) != 1 {
		t.Errorf("got %v", got)
	}
	if got := e.Must(t, "sessions", "search", "nowhere"); got != "Nothing found. A conversation has to hold every word.\n" {
		t.Errorf("got %q", got)
	}
	if got := e.Must(t, "sessions", "search", "nowhere", "--json"); got != "" {
		t.Errorf("got %q", got)
	}
}
