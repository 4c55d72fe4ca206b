package sessioncmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/app/cli/clitest"
	"mac-stats/sessionmem/filetest"
)

// transcriptOf returns the transcript of a session.
func transcriptOf(t *testing.T, e *clitest.Env, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e.Home, "session", "session-memory-"+name+"-*.md"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the transcripts of %s are %v, %v", name, files, err)
	}
	return files[0]
}

func TestRestore(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("The answer."))
	e.Must(t, "ask", "--session", "notes", "alpha")
	path := transcriptOf(t, e, "cli-notes")
	first := filetest.Read(t, path)
	e.Must(t, "ask", "--session", "notes", "bravo")
	whole := filetest.Read(t, path)

	filetest.Replace(t, path, first) // an editor saves what it read before
	const said = "mac-stats: 2 messages are no longer in the transcript of cli-notes. Bring them back with `mac-stats sessions restore notes`, or accept their removal with `mac-stats sessions restore --keep-removed notes`.\n"
	if o := e.Run(t, "sessions", "show", "notes"); o.Stderr != said || strings.Contains(o.Stdout, "bravo") {
		t.Errorf("shown as %+v", o)
	}
	if got := e.Must(t, "sessions", "restore"); got != "cli-notes: 2 messages are back in the transcript.\n" || filetest.Read(t, path) != whole {
		t.Errorf("restored: %q, the file is\n%s", got, filetest.Read(t, path))
	}
	if got := e.Must(t, "sessions", "restore", "notes"); got != "Nothing is missing from cli-notes.\n" {
		t.Errorf("again: %q", got)
	}

	filetest.Replace(t, path, first)
	line := clitest.Objects(t, e.Must(t, "sessions", "restore", "--keep-removed", "--json", "notes"))
	if diff := cmp.Diff([]map[string]any{{"type": "restore", "name": "cli-notes", "kept_removed": true, "messages": 2.0, "others": 0.0}}, line); diff != "" {
		t.Error(diff)
	}
	if o := e.Run(t, "sessions", "show", "notes"); o.Stderr != "" || strings.Contains(o.Stdout, "bravo") {
		t.Errorf("after the removal was accepted: %+v", o)
	}

	e.Must(t, "sessions", "reset", "notes") // a note, which is no message
	filetest.Replace(t, path, first)
	if got := e.Must(t, "sessions", "restore", "--keep-removed", "notes"); got != "cli-notes: 1 entry is removed for good.\n" {
		t.Errorf("a note: %q", got)
	}
}

func TestATranscriptThatIsGoneCanBeRestored(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("The answer."))
	e.Must(t, "ask", "--session", "notes", "alpha")
	path := transcriptOf(t, e, "cli-notes")
	whole := filetest.Read(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	o := e.Run(t, "sessions", "show", "notes")
	if o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: ") || !strings.Contains(o.Stderr, "the transcript of cli-notes is gone, but what was said isn't; `mac-stats sessions restore notes` brings it back (2 messages are missing)") {
		t.Errorf("shown as %+v", o)
	}
	if o := e.Run(t, "sessions", "restore", "other"); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: No such session") {
		t.Errorf("another name: %+v", o)
	}
	if got := e.Must(t, "sessions", "restore", "notes"); got != "cli-notes: 2 messages are back in the transcript.\n" || filetest.Read(t, transcriptOf(t, e, "cli-notes")) != whole {
		t.Errorf("got %q", got)
	}
}

func TestWithoutASessionTheLastOneIsMeant(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("The answer."))
	for _, command := range []string{"show", "reset", "compact", "restore"} {
		if o := e.Run(t, "sessions", command); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: There is no session of the command line yet. Begin one with `mac-stats ask TEXT`") {
			t.Errorf("%s without any: %+v", command, o)
		}
	}
	for _, name := range []string{"one", "two"} {
		e.Must(t, "ask", "--session", name, "Question "+name)
	}
	e.Must(t, "ask", "--session", "one", "Question three")
	if shown := e.Must(t, "sessions", "show"); !strings.HasPrefix(shown, "cli-one · ") {
		t.Errorf("the last one is %s", shown)
	}
}

// Of sessions of the same second, the last one is the one that was written last.
func TestTheLastSessionOfASecond(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("The answer."))
	start := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, name := range []string{"cli-a", "cli-b", "cli-c"} {
		e.Transcript(t, name, start, "Question", "Answer")
	}
	for _, name := range []string{"cli-b", "cli-c", "cli-a"} {
		now := time.Now()
		if err := os.Chtimes(filepath.Join(e.Home, "session/session-memory-"+name+"-20260501-120000-talk.md"), now, now); err != nil {
			t.Fatal(err)
		}
		if shown := e.Must(t, "sessions", "show"); !strings.HasPrefix(shown, name+" · ") {
			t.Errorf("the last one is %s", shown)
		}
	}
}

// A deleted session whose name is in use comes back under another name.
func TestUndeleteWhenTheNameIsTaken(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("The answer."))
	e.Must(t, "ask", "--session", "notes", "alpha")
	e.Must(t, "sessions", "delete", "notes")
	e.Must(t, "ask", "--session", "notes", "bravo")
	got := e.Must(t, "sessions", "delete", "--undo", "notes")
	if !strings.HasPrefix(got, "A new session is called cli-notes by now: the deleted one is back as cli-notes-") {
		t.Fatalf("got %q", got)
	}
	name := strings.TrimSuffix(got[strings.LastIndex(got, " ")+1:], ".\n")
	if shown := e.Must(t, "sessions", "show", name); !strings.Contains(shown, "alpha") || strings.Contains(shown, "bravo") {
		t.Errorf("%s is %s", name, shown)
	}
}
