package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// residue gives the files below both folders that hold a word in any form of case.
func (e *env) residue(t *testing.T, word string) (left []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Dir(e.home), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(strings.ToLower(string(data)+filepath.Base(path)), word) {
			left = append(left, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func TestForgetShowsFirstAndThenLeavesNoTrace(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("The Zebra sleeps, I see."))
	e.environ = append(e.environ, "DEBUG=1")
	e.must(t, "ask", "--session", "notes", "The blue zebra sleeps below the bridge")
	e.must(t, "ask", "--session", "other", "When do I plant tomatoes?")
	e.must(t, "memory", "add", "A zebra sleeps")
	e.must(t, "memory", "reindex")
	if len(e.residue(t, "zebra")) < 5 {
		t.Fatalf("the sentence is only in %v", e.residue(t, "zebra"))
	}
	before := e.must(t, "sessions", "show", "notes")
	dry := e.must(t, "memory", "forget", "--text", "ZEBRA sleeps")
	for _, want := range []string{"Will be erased:\n- title", "\n- user              cli-notes", "Removed:\n", "memory", "A zebra sleeps", "Nothing is changed yet. Run it again with --yes"} {
		if !strings.Contains(dry, want) {
			t.Errorf("%q is missing in\n%s", want, dry)
		}
	}
	if after := e.must(t, "sessions", "show", "notes"); after != before {
		t.Errorf("a dry run changed it: %s", after)
	}
	done := objects(t, e.must(t, "memory", "forget", "--text", "zebra sleeps", "--yes", "--json"))
	last := done[len(done)-1]
	if last["type"] != "forgotten" || last["dry_run"] != false || last["refused"] != 0.0 || last["places"].(float64) < 5 {
		t.Errorf("%v", last)
	}
	if left := e.residue(t, "zebra"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if len(e.poked) == 0 || e.poked[len(e.poked)-1] != "" {
		t.Errorf("the app was not told: %v", e.poked)
	}
	e.must(t, "memory", "reindex")
	if left := e.residue(t, "zebra"); len(left) > 0 {
		t.Errorf("left after indexing: %v", left)
	}
	if got := e.must(t, "memory", "forget", "--text", "zebra sleeps", "--yes"); got != "Nothing found to forget.\n" {
		t.Errorf("again: %q", got)
	}
	if !strings.Contains(e.must(t, "sessions", "show", "other"), "tomatoes") {
		t.Error("another session was touched")
	}
}

func TestForgetASessionAChunkAndATime(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("The zebra sleeps, I see, and it always will."))
	e.must(t, "ask", "--session", "notes", "The blue zebra sleeps below the bridge")
	e.must(t, "memory", "reindex")
	chunk := objects(t, e.must(t, "memory", "search", "--json", "blue zebra"))[0]["hits"].([]any)[0].(map[string]any)["chunk"].(string)
	e.must(t, "memory", "forget", "--chunk", chunk, "--yes")
	if got := e.must(t, "sessions", "show", "notes"); strings.Contains(got, "blue zebra") || !strings.Contains(got, "[forgotten]") || !strings.Contains(got, "always will") {
		t.Errorf("after the chunk: %s", got)
	}
	e.must(t, "memory", "forget", "--session", "notes", "--yes")
	if left := e.residue(t, "zebra"); len(left) > 0 {
		t.Errorf("after the session: %v", left)
	}
	e.must(t, "ask", "--session", "more", "The zebra again")
	e.must(t, "memory", "forget", "--since", "1h", "--yes")
	if left := e.residue(t, "zebra"); len(left) > 0 {
		t.Errorf("after the time: %v", left)
	}
	e.must(t, "ask", "--session", "gone", "The zebra once more")
	e.must(t, "sessions", "delete", "gone")
	e.must(t, "memory", "forget", "--session", "gone", "--yes")
	if left := e.residue(t, "zebra"); len(left) > 0 {
		t.Errorf("in the trash: %v", left)
	}
}

func TestForgetSaysWhatItCouldNot(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("Fine."))
	e.must(t, "ask", "--session", "notes", "The blue zebra sleeps below the bridge")
	e.write(t, "agents/agent-9/memory.md", "- blue zebra sleeps\n")
	locked := filepath.Join(e.home, "agents", "agent-9", "memory.md")
	if err := os.Chmod(locked, 0o400); err != nil {
		t.Fatal(err)
	}
	o := e.run(t, "memory", "forget", "--text", "blue zebra", "--yes")
	if o.code != exitFailed || !strings.Contains(o.stdout, "Could not be taken out:\n- memory  agent-9/memory.md  ") || !strings.Contains(o.stdout, "read-only") || !oneLineOn(o.stderr, "mac-stats: 1 place") {
		t.Errorf("%+v", o)
	}
	if got := e.must(t, "memory", "status"); !strings.Contains(got, "1 forgetting is not complete yet") {
		t.Errorf("the status says %s", got)
	}
	if err := os.Chmod(locked, 0o600); err != nil {
		t.Fatal(err)
	}
	e.must(t, "memory", "forget", "--text", "blue zebra", "--yes")
	if got := e.must(t, "memory", "status"); strings.Contains(got, "not complete") {
		t.Errorf("afterwards the status says %s", got)
	}
	if left := e.residue(t, "zebra"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestWrongForgets(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("Fine."))
	e.must(t, "ask", "--session", "notes", "A question")
	for _, tc := range []struct {
		args []string
		code int
		says string
	}{
		{nil, exitUsage, "Give exactly one of --chunk, --session, --text"},
		{[]string{"--text", "a"}, exitUsage, "too short to mean one thing only; give at least 3"},
		{[]string{"--text", "?!"}, exitUsage, "no letter and no digit"},
		{[]string{"--text", "a", "--session", "none"}, exitUsage, "Give exactly one of --chunk, --session, --text or --since. See"},
		{[]string{"--until", "yesterday"}, exitUsage, "say since when, too (--since TIME, or --since 1970-01-01 for all)"},
		{[]string{"--until", "yesterday", "--yes"}, exitUsage, "--since 1970-01-01"},
		{[]string{"--text", "question", "--session", "notes"}, exitUsage, "Give exactly one of"},
		{[]string{"--since", "soon"}, exitUsage, "is no time"},
		{[]string{"--text", "question", "--yes", "--dry-run"}, exitUsage, "give one of them"},
		{[]string{"words"}, exitUsage, "name what to forget"},
		{[]string{"--chunk", "x"}, exitUsage, "is not a chunk ID"},
		{[]string{"--chunk", "cli-notes/zz/0"}, exitFailed, "No such chunk"},
		{[]string{"--session", "none"}, exitFailed, "No such session"},
	} {
		o := e.run(t, append([]string{"memory", "forget"}, tc.args...)...)
		if o.code != tc.code || !strings.Contains(o.stderr, tc.says) {
			t.Errorf("%q: %+v", tc.args, o)
		}
	}
}

// A PIN of three digits goes where it stands as a word; a common word is refused.
func TestForgetAShortTextAsAWord(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("Fine."))
	e.must(t, "ask", "--session", "notes", "My PIN is 991")
	e.must(t, "ask", "--session", "notes", "The bill has 9912 lines")
	e.must(t, "memory", "forget", "--text", "991", "--yes")
	if got := e.must(t, "sessions", "show", "notes"); strings.Contains(got, "PIN") || !strings.Contains(got, "The bill has 9912 lines") {
		t.Errorf("after it: %s", got)
	}
	text := "---\nformat: mac-stats-session/1\nsession: cli-often\nsource: cli\n---\n"
	for i := range 51 {
		text += fmt.Sprintf("\n## User · 2026-11-20T10:15:02Z\n<!-- id=a%d -->\n\nfor the day\n", i)
	}
	e.write(t, "session/session-memory-cli-often-20261120-101502-day.md", text)
	o := e.run(t, "memory", "forget", "--text", "the", "--yes")
	if o.code != exitUsage || !strings.Contains(o.stderr, "messages, so it is a common word; give the words beside it too") {
		t.Errorf("a common word: %+v", o)
	}
}

// A title that was written by hand stays when the first message goes, unless it holds
// the words; with a session it goes in any case.
func TestForgetKeepsATitleThatWasWrittenByHand(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		title, topic string
		forget       []string
		keeps        bool
	}{
		"other words":             {"Kurs", "kurs", []string{"--text", "zebra"}, true},
		"the whole message":       {"Kurs", "kurs", []string{"--chunk", "cli-notes/a1"}, true},
		"it holds the words":      {"Kurs with a Zebra", "kurs-zebra", []string{"--text", "zebra"}, false},
		"it is the message's":     {"The blue zebra sleeps below", "the-blue-zebra-sleeps", []string{"--chunk", "cli-notes/a1"}, false},
		"it ends within a word":   {"The blue zebra sleeps bel…", "the-blue-zebra-sl", []string{"--chunk", "cli-notes/a1"}, false},
		"it has a word of it":     {"Kurs at the bridge", "kurs-bridge", []string{"--chunk", "cli-notes/a1"}, false},
		"it has a number of it":   {"Kurs 42", "kurs-42", []string{"--chunk", "cli-notes/a1"}, false},
		"the session":             {"Kurs", "kurs", []string{"--session", "notes"}, false},
		"the message, other form": {"THE BLUE zebra snores", "blue-zebra", []string{"--chunk", "cli-notes/a1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t, answering("Fine."))
			e.write(t, "session/session-memory-cli-notes-20261120-101502-"+tc.topic+".md",
				"---\nformat: mac-stats-session/1\nsession: cli-notes\nsource: cli\ntitle: \""+tc.title+"\"\n---\n"+
					"\n## User · 2026-11-20T10:15:02Z\n<!-- id=a1 -->\n\nThe blue zebra sleeps below the bridge 42\n"+
					"\n## Assistant · 2026-11-20T10:15:05Z\n<!-- id=a2 parent=a1 -->\n\nFine.\n")
			e.must(t, append([]string{"memory", "forget", "--yes"}, tc.forget...)...)
			if left := e.residue(t, "zebra"); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			titled, named := len(e.residue(t, "title: \"kurs\"")) == 1, false
			files, err := filepath.Glob(filepath.Join(e.home, "session", "*-"+tc.topic+".md"))
			if named = len(files) == 1; err != nil || titled != tc.keeps || named != tc.keeps {
				t.Errorf("its title stays: %v, its name: %v; want %v", titled, named, tc.keeps)
			}
		})
	}
}

func TestForgetTakesWhatWasOfferedAndChosen(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("Noted: a striped animal."))
	e.must(t, "ask", "--session", "notes", "The blue zebra sleeps below the bridge")
	dry := e.must(t, "memory", "forget", "--text", "blue zebra")
	if !strings.Contains(dry, "--also takes what you name by number:\n1 assistant  cli-notes") || !strings.Contains(dry, "Noted: a striped animal. (the answer of the same turn") {
		t.Fatalf("the answer is not offered:\n%s", dry)
	}
	offer := ""
	for _, line := range objects(t, e.must(t, "memory", "forget", "--text", "blue zebra", "--json")) {
		if id, ok := line["offer"].(string); ok {
			offer = id
		}
		if path, ok := line["path"].(string); ok && filepath.IsAbs(path) && strings.HasPrefix(path, e.home) {
			t.Errorf("the path %s is not below the data folder", path)
		}
	}
	if !strings.HasPrefix(offer, "cli-notes/") {
		t.Errorf("the offer's id is %q", offer)
	}
	if o := e.run(t, "memory", "forget", "--text", "blue zebra", "--also", "2"); o.code != exitUsage || !strings.Contains(o.stderr, "not in the list: 2") {
		t.Errorf("a number that is none: %+v", o)
	}
	if chosen := e.must(t, "memory", "forget", "--text", "blue zebra", "--also", "1"); strings.Contains(chosen, "--also takes") {
		t.Errorf("it is offered again:\n%s", chosen)
	}
	e.must(t, "memory", "forget", "--text", "blue zebra", "--also", offer, "--yes")
	if left := append(e.residue(t, "zebra"), e.residue(t, "striped")...); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestForgetOfACommonWordLeavesInstructions(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("Fine."))
	e.must(t, "ask", "--session", "notes", "My orchestrator plays tonight")
	before, err := os.ReadFile(filepath.Join(e.home, "agents", "agent-000", "testing.md"))
	if err != nil {
		t.Fatal(err)
	}
	got := e.must(t, "memory", "forget", "--text", "orchestrator", "--yes")
	if !strings.Contains(got, "Refused: it came with mac-stats:\n- agent's file  agent-000/testing.md:1") || !strings.Contains(got, "\nForgotten: 1 message in 1 session") {
		t.Errorf("what is refused is not told:\n%s", got)
	}
	after, err := os.ReadFile(filepath.Join(e.home, "agents", "agent-000", "testing.md"))
	if err != nil || string(after) != string(before) {
		t.Errorf("the instructions became %q, %v", after, err)
	}
	if again := e.must(t, "memory", "forget", "--text", "orchestrator", "--yes", "--json"); !strings.Contains(again, `"pending":0`) || !strings.Contains(again, `"places":0`) {
		t.Errorf("again: %s", again)
	}
}

func TestForgetMakesSummariesAnew(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		flags   []string
		running bool // the app
		says    string
		by      string // who made the Summary that is sent
	}{
		{"with the flag", []string{"--resummarize"}, false, "cli-n: the summary of 2 messages made anew of what is left of them, by qwen3:8b.\n", "They count."},
		{"without it", nil, false, "lets a model make such Summaries anew.\n", "This summary was made without a model"},
		{"the app does it", nil, true, "", "This summary was made without a model"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t, compactingScript(`{"context":"They count.","lessons":[],"people":[]}`))
			e.appRuns = tc.running
			for i := range 3 {
				e.must(t, "ask", "--session", "n", fmt.Sprintf("zebra number %d", i))
			}
			e.must(t, "sessions", "compact", "n")
			got := e.must(t, append([]string{"memory", "forget", "--text", "zebra number 0", "--yes"}, tc.flags...)...)
			if !strings.Contains(got, "Summaries that cover it") || tc.says != "" && !strings.HasSuffix(got, tc.says) || tc.says == "" && strings.Contains(got, "anew.\n") {
				t.Errorf("it says\n%s", got)
			}
			if poked := e.poked[len(e.poked)-1] == "cli-n"; poked != (tc.flags == nil) {
				t.Errorf("poked: %q", e.poked)
			}
			e.must(t, "ask", "--session", "n", "and now?")
			chats := e.server.Chats()
			sent := fmt.Sprintf("%+v", chats[len(chats)-1].Chat.Messages)
			if !strings.Contains(sent, tc.by) || strings.Contains(sent, "zebra number 0") {
				t.Errorf("sent: %s", sent)
			}
		})
	}
}
