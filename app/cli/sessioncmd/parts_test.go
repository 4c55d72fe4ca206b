package sessioncmd_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/app/cli/clitest"
)

func TestASessionOfSeveralParts(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("The answer "+strings.Repeat("and more ", 120)))
	e.Environ = append(e.Environ, "MAC_STATS_SESSION_MAX_FILE_BYTES=1000")
	for _, question := range []string{"First", "Second", "Third"} {
		e.Must(t, "ask", "--session", "notes", question)
	}
	files, err := filepath.Glob(filepath.Join(e.Home, "session", "*.part*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no further part: %v, %v", files, err)
	}
	lines := clitest.Objects(t, e.Must(t, "sessions", "list", "--json"))
	if len(lines) != 1 || lines[0]["messages"] != 6.0 || lines[0]["title"] != "First" || len(lines[0]["parts"].([]any)) != len(files)+1 {
		t.Errorf("listed as %v", lines)
	}
	if got := len(clitest.Objects(t, e.Must(t, "sessions", "show", "notes", "--json"))); got != 6 {
		t.Errorf("%d blocks are shown", got)
	}
	if shown := e.Must(t, "sessions", "show", "notes"); !strings.Contains(shown, files[0]) || strings.Contains(shown, "part: 2") {
		t.Errorf("shown as %s", shown)
	}
	if s := clitest.Objects(t, e.Must(t, "sessions", "status", "notes", "--json"))[0]; s["messages"] != 6.0 || s["bytes"].(float64) < 3000 {
		t.Errorf("the status is %v", s)
	}
	exported := e.Must(t, "sessions", "export", "notes")
	if strings.Count(exported, "\n## User") != 3 || strings.Count(exported, "format: ") != 1 {
		t.Errorf("exported as %s", exported)
	}
	e.Must(t, "sessions", "rename", "notes", "A new title")
	if got := clitest.Objects(t, e.Must(t, "sessions", "list", "--json"))[0]["title"]; got != "A new title" {
		t.Errorf("renamed to %v", got)
	}
	e.Must(t, "sessions", "delete", "notes")
	if left, _ := filepath.Glob(filepath.Join(e.Home, "session", "*.md")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	e.Must(t, "sessions", "delete", "--undo")
	if got := len(clitest.Objects(t, e.Must(t, "sessions", "show", "notes", "--json"))); got != 7 {
		t.Errorf("%d blocks are back", got)
	}
}
