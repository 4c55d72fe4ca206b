package backend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mac-stats/agents"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/transcript"
)

// When the sessions folder disappears while the app runs, the conversation goes on, a
// notice says that nothing is saved, and everything is on disk once the folder is back.
func TestAConversationGoesOnWhileTheDiskRefusesIt(t *testing.T) {
	dir := t.TempDir()
	o := Options{Environ: environ(dir, "OLLAMA_HOST="+server(t).Addr()), Watch: true}
	b, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	say := func(text string) []agents.Event {
		t.Helper()
		run := b.Engine.Start(t.Context(), agents.Request{Session: "cpu-a", Text: text})
		events := run.Events(t.Context())
		if _, err := run.Wait(); err != nil {
			t.Fatal(err)
		}
		var all []agents.Event
		for e := range events {
			all = append(all, e)
		}
		return all
	}
	say("one")
	session, away := filepath.Join(b.Paths.Home, "session"), filepath.Join(dir, "away")
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(session, away)
	var said []agents.Event
	n := waitNotice(t, b, "2 messages are not saved yet: ", func() { said = say("two") })
	if n.Kind != NoticeUnsaved || n.Session != "cpu-a" || !strings.Contains(n.Text, "its folder is gone: "+session) || !strings.Contains(n.Next, "written by itself") {
		t.Errorf("the notice is %+v", n)
	}
	if !slices.ContainsFunc(said, func(e agents.Event) bool {
		return e.Warning && strings.HasPrefix(e.Detail, "1 message is not saved yet: ")
	}) {
		t.Error("the turn itself does not say it")
	}
	if err := b.Close(); err == nil || !strings.Contains(err.Error(), "for the next start") {
		t.Errorf("the end is told as %v", err)
	}
	move(away, session)

	o.Watch = false // a command doesn't rescue them
	open(t, o)
	o.Watch = true
	b = open(t, o)
	say("three")
	filetest.Until(t, "the end of the notices", func() bool { return len(b.Store.Sessions().Refused()) == 0 && len(b.Notices()) == 0 })
	files, err := filepath.Glob(filepath.Join(session, "session-memory-cpu-a-*.md"))
	if err != nil || len(files) != 1 {
		t.Fatalf("transcripts: %v, %v", files, err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tr, err := transcript.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, b := range tr.Blocks {
		if b.IsMessage() {
			texts = append(texts, b.Text)
		}
	}
	if want := []string{"one", "fine", "two", "fine", "three", "fine"}; !slices.Equal(texts, want) {
		t.Errorf("on disk is %q, want %q", texts, want)
	}
}
