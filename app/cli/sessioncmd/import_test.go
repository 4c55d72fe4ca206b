package sessioncmd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/app/cli/clitest"
)

// conversation returns a conversation as Claude exports it.
func conversation(id, day, text string) string {
	return fmt.Sprintf(`{"uuid":%q,"name":"Cups","created_at":"%sT08:00:00Z","chat_messages":[{"text":%q,"sender":"human","created_at":"%sT08:00:01Z"},{"text":"The blue one.","sender":"assistant","created_at":"%sT08:00:02Z"}]}`, id, day, text, day, day)
}

// export writes an export file with this text.
func export(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "conversations.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestImport(t *testing.T) {
	t.Parallel()
	e := clitest.At(t, "127.0.0.1:1")
	one := export(t, "["+conversation("c-1", "2026-01-02", "Which cup?")+"]")
	more := export(t, "["+strings.Join([]string{
		conversation("c-1", "2026-01-02", "Which cup?"), conversation("c-2", "2026-02-03", "Which mug?"), conversation("c-3", "2026-03-04", "Which jug?"),
		`{"uuid":"c-4","name":"Silence","created_at":"2026-01-02T08:00:00Z","chat_messages":[]}`, `"no conversation"`,
	}, ",")+"]")
	later := export(t, "["+strings.Replace(conversation("c-1", "2026-01-02", "Which cup?"), `}]}`, `},{"text":"Thanks.","sender":"human","created_at":"2026-01-05T08:00:00Z","files":[{"file_name":"cup.png"}]}]}`, 1)+"]")
	for _, tt := range []struct {
		args   []string
		stdout string
		stderr string
		poked  int
	}{
		{[]string{"--dry-run", one}, "Would import 1 conversation with 2 messages, of 2026-01-02.\n", "", 0},
		{[]string{one}, "Imported 1 conversation with 2 messages, of 2026-01-02. `mac-stats memory reindex` makes them searchable now; the app does it by itself.\n", "", 1},
		{[]string{one}, "Imported 0 conversations with 0 messages. Left out: 1 already here.\n", "", 1},
		{[]string{more}, "Imported 2 conversations with 4 messages, from 2026-02-03 to 2026-03-04. Left out: 1 already here, 1 without a message, 1 unreadable. `mac-stats memory reindex` makes them searchable now; the app does it by itself.\n", "mac-stats: conversation 5 can't be read: ", 2},
		{[]string{later}, "Imported 0 new conversations and the rest of 1 earlier one, with 1 message, of 2026-01-05. Not imported, and named where they stood: 1 picture. `mac-stats memory reindex` makes them searchable now; the app does it by itself.\n", "", 3},
	} {
		o := e.Run(t, append([]string{"sessions", "import"}, tt.args...)...)
		if o.Code != clitest.Done || o.Stdout != tt.stdout || !strings.HasPrefix(o.Stderr, tt.stderr) || (tt.stderr == "") != (o.Stderr == "") || len(e.Poked) != tt.poked {
			t.Errorf("%q: %+v, the app was told %d times", tt.args, o, len(e.Poked))
		}
	}
	want := map[string]any{
		"type": "imported", "file": more, "dry_run": true, "conversations": 0.0, "continued": 0.0, "messages": 0.0, "present": 3.0, "deleted": 0.0, "busy": 0.0, "empty": 1.0, "unreadable": 1.0, "from": "", "to": "",
	}
	if diff := cmp.Diff(want, clitest.Objects(t, e.Must(t, "sessions", "import", "--dry-run", "--json", more))[0]); diff != "" {
		t.Error(diff)
	}
	if shown := e.Must(t, "sessions", "show", "claude-c2"); !strings.Contains(shown, "claude-c2 · Cups\n") || !strings.Contains(shown, "\n  Which mug?\n") {
		t.Errorf("shown as %s", shown)
	}
}

func TestAnImportThatFailsSaysWhatToDo(t *testing.T) {
	t.Parallel()
	e := clitest.At(t, "127.0.0.1:1")
	cut := "[" + conversation("c-1", "2026-01-02", "Which cup?") + `,{"uuid":"c-2","na`
	for _, tt := range []struct {
		name, text string
		want       string
	}{
		{"another file", "tea", "conversations.json can't be imported: there are no conversations of a known kind in it. `mac-stats sessions import --help` says what is read."},
		{"a web page", "<html>", "conversations.json can't be imported: this looks like a web page (of an export as HTML: choose its zip file, or the JSON in it), which isn't read."},
		{"a cut file", cut, "conversations.json can't be imported whole, only its first 1 conversation: the export is cut or damaged"},
		{"a cut file again", cut, "conversations.json can't be imported: the export is cut or damaged"},
	} {
		o := e.Run(t, "sessions", "import", export(t, tt.text))
		if o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: "+tt.want) {
			t.Errorf("%s: %+v", tt.name, o)
		}
	}
	e.Environ = append(e.Environ, "MAC_STATS_SESSION_IN_MEMORY_ONLY=true")
	if o := e.Run(t, "sessions", "import", export(t, "[]")); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "Set session.in_memory_only = false first") {
		t.Errorf("in memory only: %+v", o)
	}
}
