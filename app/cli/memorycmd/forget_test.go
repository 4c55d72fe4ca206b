package memorycmd_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/app/cli/clitest"
)

// residue returns the files below both folders that contain a word in any case.
func residue(t *testing.T, e *clitest.Env, word string) (left []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Dir(e.Home), func(path string, d fs.DirEntry, err error) error {
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

func TestForgetShowsAPlanThenLeavesNoTrace(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("The Zebra sleeps, I see."))
	e.Environ = append(e.Environ, "DEBUG=1")
	e.Must(t, "ask", "--session", "notes", "The blue zebra sleeps below the bridge")
	e.Must(t, "ask", "--session", "other", "When do I plant tomatoes?")
	e.Must(t, "memory", "add", "A zebra sleeps")
	e.Must(t, "memory", "reindex")
	if len(residue(t, e, "zebra")) < 5 {
		t.Fatalf("the sentence is only in %v", residue(t, e, "zebra"))
	}
	before := e.Must(t, "sessions", "show", "notes")
	dry := e.Must(t, "memory", "forget", "--text", "ZEBRA sleeps")
	for _, want := range []string{"Will be erased:\n- title", "\n- user              cli-notes", "Removed:\n", "memory", "A zebra sleeps", "Nothing is changed yet. Run it again with --yes"} {
		if !strings.Contains(dry, want) {
			t.Errorf("%q is missing in\n%s", want, dry)
		}
	}
	if after := e.Must(t, "sessions", "show", "notes"); after != before {
		t.Errorf("a dry run changed it: %s", after)
	}
	done := clitest.Objects(t, e.Must(t, "memory", "forget", "--text", "zebra sleeps", "--yes", "--json"))
	last := done[len(done)-1]
	if last["type"] != "forgotten" || last["dry_run"] != false || last["refused"] != 0.0 || last["places"].(float64) < 5 {
		t.Errorf("%v", last)
	}
	if left := residue(t, e, "zebra"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if len(e.Poked) == 0 || e.Poked[len(e.Poked)-1] != "" {
		t.Errorf("the app was not told: %v", e.Poked)
	}
	e.Must(t, "memory", "reindex")
	if left := residue(t, e, "zebra"); len(left) > 0 {
		t.Errorf("left after indexing: %v", left)
	}
	if got := e.Must(t, "memory", "forget", "--text", "zebra sleeps", "--yes"); got != "Nothing found to forget.\n" {
		t.Errorf("again: %q", got)
	}
	if !strings.Contains(e.Must(t, "sessions", "show", "other"), "tomatoes") {
		t.Error("another session was touched")
	}
}

func TestForgetASessionAChunkAndATime(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("The zebra sleeps, I see, and it always will."))
	e.Must(t, "ask", "--session", "notes", "The blue zebra sleeps below the bridge")
	e.Must(t, "memory", "reindex")
	chunk := clitest.Objects(t, e.Must(t, "memory", "search", "--json", "blue zebra"))[0]["hits"].([]any)[0].(map[string]any)["chunk"].(string)
	e.Must(t, "memory", "forget", "--chunk", chunk, "--yes")
	if got := e.Must(t, "sessions", "show", "notes"); strings.Contains(got, "blue zebra") || !strings.Contains(got, "[forgotten]") || !strings.Contains(got, "always will") {
		t.Errorf("after the chunk: %s", got)
	}
	e.Must(t, "memory", "forget", "--session", "notes", "--yes")
	if left := residue(t, e, "zebra"); len(left) > 0 {
		t.Errorf("after the session: %v", left)
	}
	e.Must(t, "ask", "--session", "more", "The zebra again")
	e.Must(t, "memory", "forget", "--since", "1h", "--yes")
	if left := residue(t, e, "zebra"); len(left) > 0 {
		t.Errorf("after the time: %v", left)
	}
	e.Must(t, "ask", "--session", "gone", "The zebra once more")
	e.Must(t, "sessions", "delete", "gone")
	e.Must(t, "memory", "forget", "--session", "gone", "--yes")
	if left := residue(t, e, "zebra"); len(left) > 0 {
		t.Errorf("in the trash: %v", left)
	}
}

func TestForgetReportsFailures(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("Fine."))
	e.Must(t, "ask", "--session", "notes", "The blue zebra sleeps below the bridge")
	e.Write(t, "agents/agent-9/memory.md", "- blue zebra sleeps\n")
	locked := filepath.Join(e.Home, "agents", "agent-9", "memory.md")
	if err := os.Chmod(locked, 0o400); err != nil {
		t.Fatal(err)
	}
	o := e.Run(t, "memory", "forget", "--text", "blue zebra", "--yes")
	if o.Code != clitest.Failed || !strings.Contains(o.Stdout, "Could not be taken out:\n- memory  agent-9/memory.md  ") || !strings.Contains(o.Stdout, "read-only") || !clitest.OneLineOn(o.Stderr, "mac-stats: 1 place") {
		t.Errorf("%+v", o)
	}
	if got := e.Must(t, "memory", "status"); !strings.Contains(got, "1 forgetting is not complete yet") {
		t.Errorf("the status says %s", got)
	}
	if err := os.Chmod(locked, 0o600); err != nil {
		t.Fatal(err)
	}
	e.Must(t, "memory", "forget", "--text", "blue zebra", "--yes")
	if got := e.Must(t, "memory", "status"); strings.Contains(got, "not complete") {
		t.Errorf("afterwards the status says %s", got)
	}
	if left := residue(t, e, "zebra"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestWrongForgets(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("Fine."))
	e.Must(t, "ask", "--session", "notes", "A question")
	for _, tc := range []struct {
		args []string
		code int
		says string
	}{
		{nil, clitest.WrongUsage, "Give exactly one of --chunk, --session, --text"},
		{[]string{"--text", "a"}, clitest.WrongUsage, "too short to mean one thing only; give at least 3"},
		{[]string{"--text", "?!"}, clitest.WrongUsage, "no letter and no digit"},
		{[]string{"--text", "a", "--session", "none"}, clitest.WrongUsage, "Give exactly one of --chunk, --session, --text or --since. See"},
		{[]string{"--until", "yesterday"}, clitest.WrongUsage, "say since when, too (--since TIME, or --since 1970-01-01 for all)"},
		{[]string{"--until", "yesterday", "--yes"}, clitest.WrongUsage, "--since 1970-01-01"},
		{[]string{"--text", "question", "--session", "notes"}, clitest.WrongUsage, "Give exactly one of"},
		{[]string{"--since", "soon"}, clitest.WrongUsage, "is no time"},
		{[]string{"--text", "question", "--yes", "--dry-run"}, clitest.WrongUsage, "give one of them"},
		{[]string{"words"}, clitest.WrongUsage, "name what to forget"},
		{[]string{"--chunk", "x"}, clitest.WrongUsage, "is not a chunk ID"},
		{[]string{"--chunk", "cli-notes/zz/0"}, clitest.Failed, "No such chunk"},
		{[]string{"--session", "none"}, clitest.Failed, "No such session"},
	} {
		o := e.Run(t, append([]string{"memory", "forget"}, tc.args...)...)
		if o.Code != tc.code || !strings.Contains(o.Stderr, tc.says) {
			t.Errorf("%q: %+v", tc.args, o)
		}
	}
}

// A three-digit PIN is removed wherever it is a word of its own; a common word is refused.
func TestForgetMatchesAShortTextAsAWord(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("Fine."))
	e.Must(t, "ask", "--session", "notes", "My PIN is 991")
	e.Must(t, "ask", "--session", "notes", "The bill has 9912 lines")
	e.Must(t, "memory", "forget", "--text", "991", "--yes")
	if got := e.Must(t, "sessions", "show", "notes"); strings.Contains(got, "PIN") || !strings.Contains(got, "The bill has 9912 lines") {
		t.Errorf("after it: %s", got)
	}
	text := "---\nformat: mac-stats-session/1\nsession: cli-often\nsource: cli\n---\n"
	for i := range 51 {
		text += fmt.Sprintf("\n## User · 2026-11-20T10:15:02Z\n<!-- id=a%d -->\n\nfor the day\n", i)
	}
	e.Write(t, "session/session-memory-cli-often-20261120-101502-day.md", text)
	o := e.Run(t, "memory", "forget", "--text", "the", "--yes")
	if o.Code != clitest.WrongUsage || !strings.Contains(o.Stderr, "messages, so it is a common word; give the words beside it too") {
		t.Errorf("a common word: %+v", o)
	}
}

// A hand-written title stays when the first message goes, unless it contains the words; it
// always goes with its session.
func TestForgetKeepsAHandWrittenTitle(t *testing.T) {
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
			e := clitest.New(t, clitest.Answering("Fine."))
			e.Write(t, "session/session-memory-cli-notes-20261120-101502-"+tc.topic+".md",
				"---\nformat: mac-stats-session/1\nsession: cli-notes\nsource: cli\ntitle: \""+tc.title+"\"\n---\n"+
					"\n## User · 2026-11-20T10:15:02Z\n<!-- id=a1 -->\n\nThe blue zebra sleeps below the bridge 42\n"+
					"\n## Assistant · 2026-11-20T10:15:05Z\n<!-- id=a2 parent=a1 -->\n\nFine.\n")
			e.Must(t, append([]string{"memory", "forget", "--yes"}, tc.forget...)...)
			if left := residue(t, e, "zebra"); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			titled, named := len(residue(t, e, "title: \"kurs\"")) == 1, false
			files, err := filepath.Glob(filepath.Join(e.Home, "session", "*-"+tc.topic+".md"))
			if named = len(files) == 1; err != nil || titled != tc.keeps || named != tc.keeps {
				t.Errorf("its title stays: %v, its name: %v; want %v", titled, named, tc.keeps)
			}
		})
	}
}

func TestForgetRemovesChosenOffers(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("Noted: a striped animal."))
	e.Must(t, "ask", "--session", "notes", "The blue zebra sleeps below the bridge")
	dry := e.Must(t, "memory", "forget", "--text", "blue zebra")
	if !strings.Contains(dry, "--also takes what you name by number:\n1 assistant  cli-notes") || !strings.Contains(dry, "Noted: a striped animal. (the answer of the same turn") {
		t.Fatalf("the answer is not offered:\n%s", dry)
	}
	offer := ""
	for _, line := range clitest.Objects(t, e.Must(t, "memory", "forget", "--text", "blue zebra", "--json")) {
		if id, ok := line["offer"].(string); ok {
			offer = id
		}
		if path, ok := line["path"].(string); ok && filepath.IsAbs(path) && strings.HasPrefix(path, e.Home) {
			t.Errorf("the path %s is not below the data folder", path)
		}
	}
	if !strings.HasPrefix(offer, "cli-notes/") {
		t.Errorf("the offer's id is %q", offer)
	}
	if o := e.Run(t, "memory", "forget", "--text", "blue zebra", "--also", "2"); o.Code != clitest.WrongUsage || !strings.Contains(o.Stderr, "not in the list: 2") {
		t.Errorf("a number that is none: %+v", o)
	}
	if chosen := e.Must(t, "memory", "forget", "--text", "blue zebra", "--also", "1"); strings.Contains(chosen, "--also takes") {
		t.Errorf("it is offered again:\n%s", chosen)
	}
	e.Must(t, "memory", "forget", "--text", "blue zebra", "--also", offer, "--yes")
	if left := append(residue(t, e, "zebra"), residue(t, e, "striped")...); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestForgetOfACommonWordLeavesInstructions(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("Fine."))
	e.Must(t, "ask", "--session", "notes", "My orchestrator plays tonight")
	e.Must(t, "agents", "customise", "orchestrator")
	before, err := os.ReadFile(filepath.Join(e.Home, "agents", "agent-000", "testing.md"))
	if err != nil {
		t.Fatal(err)
	}
	got := e.Must(t, "memory", "forget", "--text", "orchestrator", "--yes")
	if !strings.Contains(got, "Refused: it came with mac-stats:\n- agent's file  agent-000/testing.md:1") || !strings.Contains(got, "\nForgotten: 1 message in 1 session") {
		t.Errorf("what is refused is not told:\n%s", got)
	}
	after, err := os.ReadFile(filepath.Join(e.Home, "agents", "agent-000", "testing.md"))
	if err != nil || string(after) != string(before) {
		t.Errorf("the instructions became %q, %v", after, err)
	}
	if again := e.Must(t, "memory", "forget", "--text", "orchestrator", "--yes", "--json"); !strings.Contains(again, `"pending":0`) || !strings.Contains(again, `"places":0`) {
		t.Errorf("again: %s", again)
	}
}

func TestForgetRewritesSummaries(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		flags   []string
		running bool // whether the app runs
		says    string
		by      string // what made the Summary that is sent
	}{
		{"with the flag", []string{"--resummarize"}, false, "cli-n: the summary of 2 messages made anew of what is left of them, by qwen3:8b.\n", "They count."},
		{"without it", nil, false, "lets a model make such Summaries anew.\n", "This summary was made without a model"},
		{"the app does it", nil, true, "", "This summary was made without a model"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := clitest.New(t, clitest.Summarizing(`{"context":"They count.","lessons":[],"people":[]}`))
			e.AppRuns = tc.running
			for i := range 3 {
				e.Must(t, "ask", "--session", "n", fmt.Sprintf("zebra number %d", i))
			}
			e.Must(t, "sessions", "compact", "n")
			got := e.Must(t, append([]string{"memory", "forget", "--text", "zebra number 0", "--yes"}, tc.flags...)...)
			if !strings.Contains(got, "Summaries that cover it") || tc.says != "" && !strings.HasSuffix(got, tc.says) || tc.says == "" && strings.Contains(got, "anew.\n") {
				t.Errorf("it says\n%s", got)
			}
			if poked := e.Poked[len(e.Poked)-1] == "cli-n"; poked != (tc.flags == nil) {
				t.Errorf("poked: %q", e.Poked)
			}
			e.Must(t, "ask", "--session", "n", "and now?")
			chats := e.Server.Chats()
			sent := fmt.Sprintf("%+v", chats[len(chats)-1].Chat.Messages)
			if !strings.Contains(sent, tc.by) || strings.Contains(sent, "zebra number 0") {
				t.Errorf("sent: %s", sent)
			}
		})
	}
}
