package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/transcript"
)

func TestRename(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("The answer."))
	e.must(t, "ask", "--session", "notes", "A question")
	if got, want := e.must(t, "sessions", "rename", "notes", "About", "the  fan"), "cli-notes is now titled “About the fan”.\n"; got != want {
		t.Errorf("got %q", got)
	}
	if got := objects(t, e.must(t, "sessions", "list", "--json"))[0]["title"]; got != "About the fan" {
		t.Errorf("the list shows %q", got)
	}
	line := objects(t, e.must(t, "sessions", "rename", "notes", "Again", "--json"))[0]
	if diff := cmp.Diff(map[string]any{"type": "rename", "name": "cli-notes", "title": "Again"}, line); diff != "" {
		t.Error(diff)
	}
	if o := e.run(t, "sessions", "rename", "none", "x"); o.code != exitFailed || !oneLineOn(o.stderr, "mac-stats: No such session") {
		t.Errorf("a session that isn't there: %+v", o)
	}
}

func TestDeleteAndUndo(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("The answer."))
	e.must(t, "ask", "--session", "notes", "A question")
	before := e.must(t, "sessions", "show", "notes", "--json")

	if got := e.must(t, "sessions", "delete", "notes"); !strings.HasPrefix(got, "cli-notes is in the trash.") {
		t.Errorf("got %q", got)
	}
	if got := e.must(t, "sessions", "list"); !strings.HasPrefix(got, "No sessions yet.") {
		t.Errorf("the list shows %q", got)
	}
	if o := e.run(t, "sessions", "delete", "notes"); o.code != exitFailed || !oneLineOn(o.stderr, "mac-stats: No such session") {
		t.Errorf("deleted twice: %+v", o)
	}
	if o := e.run(t, "sessions", "delete", "--undo", "other"); o.code != exitFailed || !oneLineOn(o.stderr, `mac-stats: There is no deleted session "other" to bring back.`) {
		t.Errorf("another name: %+v", o)
	}
	if got := e.must(t, "sessions", "delete", "--undo", "notes"); got != "cli-notes is back.\n" {
		t.Errorf("got %q", got)
	}
	if after := e.must(t, "sessions", "show", "notes", "--json"); after != before {
		t.Errorf("was %q, is %q", before, after)
	}
	if o := e.run(t, "sessions", "delete", "--undo"); o.code != exitFailed || !oneLineOn(o.stderr, "mac-stats: There is no deleted session to bring back.") {
		t.Errorf("nothing to undo: %+v", o)
	}
	lines := objects(t, e.must(t, "sessions", "delete", "notes", "--json")+e.must(t, "sessions", "delete", "--undo", "--json"))
	want := []map[string]any{{"type": "delete", "name": "cli-notes"}, {"type": "undelete", "name": "cli-notes"}}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("The answer <b>."))
	e.must(t, "ask", "--session", "notes", "A question")
	markdown := e.must(t, "sessions", "export", "notes")
	back, err := transcript.Parse(strings.NewReader(markdown))
	if err != nil || len(back.Blocks) != 2 || back.Blocks[1].Text != "The answer <b>." {
		t.Errorf("the markdown loads as %+v, %v", back, err)
	}
	asJSON := e.must(t, "sessions", "export", "notes", "--format", "json")
	if got := objects(t, asJSON)[0]; got["type"] != "transcript" || got["name"] != "cli-notes" || len(got["blocks"].([]any)) != 2 {
		t.Errorf("the JSON is %v", got)
	}
	if html := e.must(t, "sessions", "export", "notes", "--format", "html"); !strings.HasPrefix(html, "<!doctype html>") || !strings.Contains(html, "<b>You</b>") {
		t.Errorf("as HTML:\n%s", html)
	}
	if o := e.run(t, "sessions", "export", "notes", "--format", "pdf"); o.code != exitUsage || !strings.Contains(o.stderr, "export as html") {
		t.Errorf("as PDF: %+v", o)
	}
	if got := e.must(t, "sessions", "export", "notes", "--json"); got != asJSON {
		t.Errorf("--json gives %q, --format json %q", got, asJSON)
	}

	file := filepath.Join(t.TempDir(), "out.md")
	line := objects(t, e.must(t, "sessions", "export", "notes", "-o", file, "--json"))[0]
	want := map[string]any{"type": "export", "name": "cli-notes", "format": "md", "file": file, "blocks": 2.0}
	if diff := cmp.Diff(want, line); diff != "" {
		t.Error(diff)
	}
	written, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(written, []byte(markdown)) {
		t.Errorf("the file is %q, %v", written, err)
	}
	if o := e.run(t, "sessions", "export", "notes", "-o", file); o.code != exitFailed || !strings.Contains(o.stderr, "exists already. Choose another file") {
		t.Errorf("an existing file: %+v", o)
	}
	if o := e.run(t, "sessions", "export", "notes", "-o", filepath.Join(file, "x")); o.code != exitFailed || !strings.Contains(o.stderr, "Choose another file with -o.") {
		t.Errorf("a file below a file: %+v", o)
	}
}
