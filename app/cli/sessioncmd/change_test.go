package sessioncmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/app/cli/clitest"
	"mac-stats/sessionmem/transcript"
)

func TestRename(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("The answer."))
	e.Must(t, "ask", "--session", "notes", "A question")
	if got, want := e.Must(t, "sessions", "rename", "notes", "About", "the  fan"), "cli-notes is now titled “About the fan”.\n"; got != want {
		t.Errorf("got %q", got)
	}
	if got := clitest.Objects(t, e.Must(t, "sessions", "list", "--json"))[0]["title"]; got != "About the fan" {
		t.Errorf("the list shows %q", got)
	}
	line := clitest.Objects(t, e.Must(t, "sessions", "rename", "notes", "Again", "--json"))[0]
	if diff := cmp.Diff(map[string]any{"type": "rename", "name": "cli-notes", "title": "Again"}, line); diff != "" {
		t.Error(diff)
	}
	if o := e.Run(t, "sessions", "rename", "none", "x"); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: No such session") {
		t.Errorf("a session that isn't there: %+v", o)
	}
}

func TestDeleteAndUndo(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("The answer."))
	e.Must(t, "ask", "--session", "notes", "A question")
	before := e.Must(t, "sessions", "show", "notes", "--json")

	if got := e.Must(t, "sessions", "delete", "notes"); !strings.HasPrefix(got, "cli-notes is in the trash.") {
		t.Errorf("got %q", got)
	}
	if got := e.Must(t, "sessions", "list"); !strings.HasPrefix(got, "No sessions yet.") {
		t.Errorf("the list shows %q", got)
	}
	if o := e.Run(t, "sessions", "delete", "notes"); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: No such session") {
		t.Errorf("deleted twice: %+v", o)
	}
	if o := e.Run(t, "sessions", "delete", "--undo", "other"); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, `mac-stats: There is no deleted session "other" to bring back.`) {
		t.Errorf("another name: %+v", o)
	}
	if got := e.Must(t, "sessions", "delete", "--undo", "notes"); got != "cli-notes is back.\n" {
		t.Errorf("got %q", got)
	}
	if after := e.Must(t, "sessions", "show", "notes", "--json"); after != before {
		t.Errorf("was %q, is %q", before, after)
	}
	if o := e.Run(t, "sessions", "delete", "--undo"); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: There is no deleted session to bring back.") {
		t.Errorf("nothing to undo: %+v", o)
	}
	lines := clitest.Objects(t, e.Must(t, "sessions", "delete", "notes", "--json")+e.Must(t, "sessions", "delete", "--undo", "--json"))
	want := []map[string]any{{"type": "delete", "name": "cli-notes"}, {"type": "undelete", "name": "cli-notes"}}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("The answer <b>."))
	e.Must(t, "ask", "--session", "notes", "A question")
	markdown := e.Must(t, "sessions", "export", "notes")
	back, err := transcript.Parse(strings.NewReader(markdown))
	if err != nil || len(back.Blocks) != 2 || back.Blocks[1].Text != "The answer <b>." {
		t.Errorf("the markdown loads as %+v, %v", back, err)
	}
	asJSON := e.Must(t, "sessions", "export", "notes", "--format", "json")
	if got := clitest.Objects(t, asJSON)[0]; got["type"] != "transcript" || got["name"] != "cli-notes" || len(got["blocks"].([]any)) != 2 {
		t.Errorf("the JSON is %v", got)
	}
	if html := e.Must(t, "sessions", "export", "notes", "--format", "html"); !strings.HasPrefix(html, "<!doctype html>") || !strings.Contains(html, "<b>You</b>") {
		t.Errorf("as HTML:\n%s", html)
	}
	if o := e.Run(t, "sessions", "export", "notes", "--format", "pdf"); o.Code != clitest.WrongUsage || !strings.Contains(o.Stderr, "export as html") {
		t.Errorf("as PDF: %+v", o)
	}
	if got := e.Must(t, "sessions", "export", "notes", "--json"); got != asJSON {
		t.Errorf("--json gives %q, --format json %q", got, asJSON)
	}

	file := filepath.Join(t.TempDir(), "out.md")
	line := clitest.Objects(t, e.Must(t, "sessions", "export", "notes", "-o", file, "--json"))[0]
	want := map[string]any{"type": "export", "name": "cli-notes", "format": "md", "file": file, "blocks": 2.0}
	if diff := cmp.Diff(want, line); diff != "" {
		t.Error(diff)
	}
	written, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(written, []byte(markdown)) {
		t.Errorf("the file is %q, %v", written, err)
	}
	if o := e.Run(t, "sessions", "export", "notes", "-o", file); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "exists already. Choose another file") {
		t.Errorf("an existing file: %+v", o)
	}
	if o := e.Run(t, "sessions", "export", "notes", "-o", filepath.Join(file, "x")); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "Choose another file with -o.") {
		t.Errorf("a file below a file: %+v", o)
	}
}
