package conversation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/agents/tools"
	"mac-stats/app/apptest"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

func TestWhatAConversationIs(t *testing.T) {
	begun := func(do func(c *Conversation)) *Conversation { c := New("cpu-1"); do(c); return c }
	for name, tt := range map[string]struct {
		c                           *Conversation
		begun, empty, idle, private bool
	}{
		"new":                     {New("cpu-1"), false, true, false, false},
		"private":                 {NewPrivate("cpu-1"), false, true, false, true},
		"being read":              {begun(func(c *Conversation) { c.BeginLoading(false) }), true, true, false, false},
		"being read, and private": {begun(func(c *Conversation) { c.BeginLoading(true) }), true, true, false, true},
		"not on disk after all":   {begun(func(c *Conversation) { c.BeginLoading(false); c.LoadFailed(nil) }), false, true, false, false},
		"listed":                  {begun(func(c *Conversation) { c.SetInfo("/x", "title") }), true, false, true, false},
		"listed, with a draft":    {begun(func(c *Conversation) { c.SetInfo("/x", ""); c.KeepDraft("x") }), true, false, false, false},
		"answering":               {asked("q"), true, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := []bool{tt.c.Begun(), tt.c.Empty(), tt.c.Idle(), tt.c.Private()}
			if diff := cmp.Diff([]bool{tt.begun, tt.empty, tt.idle, tt.private}, got); diff != "" {
				t.Errorf("begun, empty, idle, private: %s", diff)
			}
		})
	}
}

func TestAListGivesPathAndTitle(t *testing.T) {
	c := New("cpu-1")
	c.SetInfo("/x.md", "Fans")
	c.SetInfo("/y.md", "")
	if c.Path() != "/y.md" || c.Title() != "Fans" {
		t.Errorf("%q at %q", c.Title(), c.Path())
	}
}

func TestWhatIsKnownOfTheLastAnswer(t *testing.T) {
	c := asked("q")
	if c.ContextSize() != 0 || c.LastModel() != "" || c.LastEditable() != "" || c.LacksServer() || New("cpu-2").LacksServer() {
		t.Errorf("before an answer: context %d, model %q, to edit %q", c.ContextSize(), c.LastModel(), c.LastEditable())
	}
	if id, text := New("cpu-2").LastUser(); id != "" || text != "" {
		t.Errorf("the last message of none is %q %q", id, text)
	}
	c.Apply(agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1", Agent: "o"})
	c.Apply(agents.Event{Type: agents.EventToken, Round: 1, Text: "a", Agent: "o"})
	c.Apply(agents.Event{Type: agents.EventToken, Round: 1, Text: "b", Agent: "o", Model: "qwen3:8b"})
	c.Apply(agents.Event{Type: agents.EventUsage, Agent: "o", Usage: &agents.Usage{ContextSize: 8192}})
	c.Apply(agents.Event{Type: agents.EventUsage})
	if c.LastEditable() != "" {
		t.Error("a message can be edited while it is answered")
	}
	c.Apply(agents.Event{Type: agents.EventDone, Block: "a1", Text: "ab"})
	e := c.View(time.Now()).Entries
	if c.ContextSize() != 8192 || c.LastModel() != "qwen3:8b" || c.LastEditable() != e[0].Key {
		t.Errorf("context %d, model %q, to edit %q", c.ContextSize(), c.LastModel(), c.LastEditable())
	}
	if id, text := c.LastUser(); id != "u1" || text != "q" {
		t.Errorf("the last message is %q %q", id, text)
	}
	for kind, want := range map[string]bool{fault.KindDown: true, fault.KindNoModel: true, fault.KindModelMissing: true, fault.KindDisk: false} {
		c := asked("q")
		if c.Apply(agents.Event{Type: agents.EventError, Kind: kind}); c.LacksServer() != want {
			t.Errorf("after %s it lacks the server: %v", kind, !want)
		}
	}
}

func TestAMissingModelIsNamed(t *testing.T) {
	c := asked("q")
	c.Apply(agents.Event{Type: agents.EventError, Kind: fault.KindModelMissing, Err: fmt.Errorf("asking: %w", &ollama.Error{Model: "qwen3:8b"})})
	if f := c.lastError().Fault; f.Model != "qwen3:8b" {
		t.Errorf("the fault is %+v", *f)
	}
}

func TestAnAnswerIsCopiedWhole(t *testing.T) {
	c := asked("q")
	for round := 1; round < 3; round++ {
		c.Apply(agents.Event{Type: agents.EventToken, Round: round, Text: fmt.Sprintf("**part** %d", round), Agent: "o"})
	}
	c.Apply(agents.Event{Type: agents.EventDone, Round: 2, Block: "a1"})
	c.Begin("next", time.Now())
	c.Apply(agents.Event{Type: agents.EventToken, Round: 1, Text: "another", Agent: "o"})
	e := c.View(time.Now()).Entries
	if got := c.AnswerText(e[1].Key); got != "**part** 1\n\n**part** 2" {
		t.Errorf("copied is %q", got)
	}
	if got := c.AnswerLeaves(e[1].Key); len(got) != 2 || c.AnswerText("gone") != "" {
		t.Errorf("%d answers", len(got))
	}
}

func TestARunIsStoppedAndAnswered(t *testing.T) {
	c := New("cpu-1")
	c.StopRun() // without a run
	c.StopCall("c1")
	c.Answer("c1", agents.AnswerOnce)
	r := apptest.NewRun()
	c.SetRun(r)
	c.StopRun()
	c.StopCall("c1")
	c.Answer("c2", agents.AnswerOnce)
	if !r.Stopped || len(r.Calls) != 1 || r.Calls[0] != "c1" || r.Answers["c2"] != agents.AnswerOnce {
		t.Errorf("stopped %v, calls %v, answers %v", r.Stopped, r.Calls, r.Answers)
	}
}

func TestAQuestionTellsWhoWantsWhatAndHowItEnded(t *testing.T) {
	for name, tt := range map[string]struct {
		q    agents.Question
		want string
	}{
		"an address":      {agents.Question{Tool: tools.FetchURL, Where: "example.org"}, "The agent wants to read an address of example.org that you didn't type."},
		"a command":       {agents.Question{Tool: tools.RunCmd, Agent: "coder"}, "The agent coder wants to run a command."},
		"after strangers": {agents.Question{Tool: tools.RunCmd, Agent: "coder", Why: agents.WhyStrangers}, "This chat contains text that others wrote"},
		"a changed tool":  {agents.Question{Tool: "files.write", Agent: "coder", Why: agents.WhyChanged}, "wants to use files.write, a tool of another program. The tool's description has changed"},
		"once":            {agents.Question{What: "ls", Answer: agents.AnswerOnce}, "you allowed once: ls"},
		"in this chat":    {agents.Question{What: "ls", Tool: "RUN_CMD", Answer: agents.AnswerChat}, "you allowed RUN_CMD in this chat: ls"},
		"for good":        {agents.Question{What: "ls", Tool: "RUN_CMD", Answer: agents.AnswerAlways}, "you allowed RUN_CMD for good: ls"},
		"never":           {agents.Question{What: "ls", Answer: agents.AnswerNever}, "never again: ls"},
		"too late":        {agents.Question{What: "ls", Answer: agents.AnswerLate}, "nobody answered in time, so it was not done: ls"},
		"no":              {agents.Question{What: "ls", Answer: agents.AnswerNo}, "not done: ls"},
	} {
		t.Run(name, func(t *testing.T) {
			c := asked("q")
			c.Apply(agents.Event{Type: agents.EventQuestion}) // of nothing
			tt.q.ID = "c1"
			c.Apply(agents.Event{Type: agents.EventTool, Call: &agents.Call{ID: "c1", Name: tt.q.Tool}})
			c.Apply(agents.Event{Type: agents.EventQuestion, Question: &tt.q})
			e := c.View(time.Now()).Entries
			if len(e) != 3 || !strings.Contains(e[2].Text, tt.want) {
				t.Fatalf("the entries are %q", describe(c))
			}
			if waits := tt.q.Answer == ""; c.HasQuestion() != waits || e[1].Asking != waits {
				t.Errorf("it waits: %v, and its call: %v", c.HasQuestion(), e[1].Asking)
			}
			c.RunEnded(c.Running())
			if c.HasQuestion() {
				t.Error("it waits after the turn")
			}
		})
	}
}

func TestABranchReplacesAMessage(t *testing.T) {
	file := transcript.Attachment{Name: "a.txt", File: strings.Repeat("1", 64) + ".txt"}
	blocks := turnsOf(0, 2)
	blocks[2].Text = transcript.WithLinks(blocks[2].Text, file)
	c := New("cpu-1")
	c.Fill(fileOf(blocks...))
	if n := c.MessagesAfter("u0"); n != 3 {
		t.Errorf("%d messages come after the first", n)
	}
	files := c.BeginEdit("u1", "better", time.Now())
	if len(files) != 1 || files[0].Name != "a.txt" {
		t.Errorf("its files are %+v", files)
	}
	c.SetRun(apptest.NewRun())
	want := []string{"user question 0", "head o m", "answer answer 0", "user better"}
	if diff := cmp.Diff(want, describe(c)); diff != "" {
		t.Error(diff)
	}
	c.Apply(agents.Event{Type: agents.EventError, Kind: fault.KindInternal, Text: "The message is gone."})
	if f := c.lastError().Fault; f.Replaces != "u1" || f.Text != "better" || !c.Branched() {
		t.Errorf("the fault is %+v, a branch began: %v", *f, c.Branched())
	}
	if !c.TakeBranchFailure() || c.TakeBranchFailure() {
		t.Error("the failure is not reported once")
	}
	c.FillBelowError(fileOf(blocks...))
	want = []string{"user question 0", "head o m", "answer answer 0", "user question 1", "head o m", "answer answer 1", "error internal"}
	if diff := cmp.Diff(want, describe(c)); diff != "" {
		t.Error(diff)
	}
	if files := c.BeginEdit("gone", "more", time.Now()); files != nil || len(c.entries) != 8 {
		t.Errorf("of a message that isn't shown: %v, %d entries", files, len(c.entries))
	}
	c = New("cpu-1")
	if c.FillBelowError(fileOf(blocks...)); len(c.entries) != 6 || c.lastError() != nil {
		t.Errorf("without an error: %q", describe(c))
	}
}

func TestAnAnswerThatFailsAgainSaysWhen(t *testing.T) {
	c := New("cpu-1")
	c.Fill(fileOf(turnsOf(0, 1)...))
	if c.BeginAgain("gone", time.Now()); len(c.entries) != 3 {
		t.Errorf("a message that isn't shown changes %q", describe(c))
	}
	c.BeginAgain("u0", time.Now())
	c.SetRun(apptest.NewRun())
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	c.Apply(agents.Event{Type: agents.EventError, Kind: fault.KindServer, Time: at})
	if f := c.lastError().Fault; f.RetriedAt != "tried again at 10:00:00" || f.UserID != "u0" || !c.Branched() {
		t.Errorf("the fault is %+v", *f)
	}
}

func TestVersionsAreTakenFromTheTranscript(t *testing.T) {
	c := New("cpu-1")
	blocks := turnsOf(0, 1)
	c.Fill(fileOf(blocks[0], transcript.Block{ID: "a9", Kind: transcript.KindAssistant, Agent: "o", Parent: "u0", Text: "other"}))
	rev := c.entries[2].Rev
	again := append(blocks, transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Parent: "u0", Text: "a0"},
		transcript.Block{ID: "a9", Kind: transcript.KindAssistant, Agent: "o", Parent: "u0", Text: "other"})
	c.TakeVersions(fileOf(again...))
	if e := c.entries[2]; !cmp.Equal(e.Versions, []string{"a0", "a9"}) || e.Rev == rev {
		t.Errorf("the versions are %v", e.Versions)
	}
	c.Fill(fileOf(again...))
	head := c.View(time.Now()).Entries[1]
	if head.Again || head.Rev >= 0 {
		t.Errorf("beside the pager the badge says again: %v", head.Again)
	}
}

func TestAnEditFromOutsideIsSeen(t *testing.T) {
	blocks := turnsOf(0, 2)
	blocks[0].Attrs = map[string]string{"to": "coder"}
	for name, tt := range map[string]struct {
		change func(blocks []transcript.Block) []transcript.Block
		want   bool
	}{
		"nothing":            {func(b []transcript.Block) []transcript.Block { return b }, false},
		"a blank at the end": {func(b []transcript.Block) []transcript.Block { b[1].Text += "\n"; return b }, false},
		"a message":          {func(b []transcript.Block) []transcript.Block { b[0].Text = "other"; return b }, true},
		"an answer":          {func(b []transcript.Block) []transcript.Block { b[3].Text = "other"; return b }, true},
		"a message is gone":  {func(b []transcript.Block) []transcript.Block { return b[1:] }, true},
		"an answer is gone":  {func(b []transcript.Block) []transcript.Block { return b[:3] }, true},
		"one more":           {func(b []transcript.Block) []transcript.Block { return append(b, turnsOf(2, 3)...) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := New("cpu-1")
			c.Fill(fileOf(blocks...))
			c.Begin("not on disk", time.Now())
			changed := tt.change(append([]transcript.Block(nil), blocks...))
			if got := c.Differs(changed); got != tt.want {
				t.Errorf("it differs: %v", got)
			}
			if all := c.ShowsAll(changed); all == (name == "one more") {
				t.Errorf("it shows all: %v", all)
			}
		})
	}
}

func TestOlderMessagesAreReadForFind(t *testing.T) {
	c := New("cpu-1")
	blocks := turnsOf(0, 60)
	blocks[1].Text = "**answer** 0"
	c.Fill(fileOf(blocks...))
	older := c.OlderMessages(fileOf(blocks...))
	if len(older) != 60 || older[0] != (Message{Block: "u0", Text: "question 0"}) || older[1].Text != "answer 0" {
		t.Fatalf("%d messages, the first is %+v", len(older), older[0])
	}
	if got := c.OlderMessages(fileOf(turnsOf(90, 91)...)); got != nil {
		t.Errorf("of a transcript without what is shown: %v", got)
	}
	if !c.PrependFrom(fileOf(blocks...), "u2") || c.View(time.Now()).Older > 4 {
		t.Errorf("%d are older", c.View(time.Now()).Older)
	}
	if c.PrependFrom(fileOf(blocks...), "gone") || c.View(time.Now()).Older != 0 {
		t.Error("a block that isn't there is shown")
	}
	if c.Prepend(fileOf(turnsOf(90, 91)...)) {
		t.Error("another transcript has older ones")
	}
}

func TestOlderMessagesAreReadOnceAtATime(t *testing.T) {
	c := New("cpu-1")
	if c.StartOlder() {
		t.Error("there is nothing older")
	}
	c.Fill(fileOf(turnsOf(0, 60)...))
	if !c.StartOlder() || c.StartOlder() {
		t.Error("they are not read once")
	}
	if c.EndOlder(); !c.StartOlder() {
		t.Error("they can't be read again")
	}
}

func TestWhatASaveRemovedIsShownOnce(t *testing.T) {
	c := New("cpu-1")
	c.Fill(fileOf(turnsOf(0, 1)...))
	for _, tt := range []struct {
		r    session.Removed
		want string
	}{
		{session.Removed{Messages: 1}, "1 message is no longer in the file"},
		{session.Removed{Messages: 1}, "1 message is no longer in the file"},
		{session.Removed{Messages: 2}, "2 messages are no longer in the file"},
		{session.Removed{Others: 3}, "3 entries are no longer in the file"},
		{session.Removed{}, ""},
	} {
		c.ShowRemoved(tt.r)
		got := ""
		for _, e := range c.entries[3:] {
			got += e.Text
		}
		if got != tt.want {
			t.Errorf("it says %q, want %q", got, tt.want)
		}
	}
}

func TestWhatACompactionLearntIsShownOnce(t *testing.T) {
	c := asked("q")
	c.AddLearnt(
		[]memory.Written{{Text: "short answers", UndoID: "7"}, {Text: "short answers", UndoID: "7"}, {Old: "tea", UndoID: "8"}},
		[]memory.Proposal{
			{ID: "p1", Kind: memory.ProposeAdd, Text: "likes cats", Why: memory.WhyStrangers},
			{ID: "p2", Kind: memory.ProposeRemove, Old: "likes dogs"},
			{ID: "p3", Kind: memory.ProposeReplace, Old: "likes dogs", Text: "likes cats"},
		}, time.Now())
	want := []string{
		"user q", "note remembered “short answers”", "note remembered “tea”",
		"note proposed to remember “likes cats” · the conversation holds text of strangers", "note proposed to forget “likes dogs”", "note proposed to remember “likes cats” in place of “likes dogs”",
	}
	if diff := cmp.Diff(want, describe(c)); diff != "" {
		t.Error(diff)
	}
	if e := c.entries[4]; e.Proposed != "" || e.Proposal != "p2" {
		t.Errorf("a removal has %q to edit", e.Proposed)
	}
}

func TestAProposalIsDecided(t *testing.T) {
	for name, tt := range map[string]struct {
		text  string // as edited
		saved bool
		want  string
	}{
		"saved":     {"", true, "saved: proposed to remember “cats”"},
		"edited":    {"big cats", true, "saved: proposed to remember “big cats”"},
		"discarded": {"", false, "discarded: proposed to remember “cats”"},
	} {
		t.Run(name, func(t *testing.T) {
			c := asked("q")
			c.Apply(agents.Event{Type: agents.EventMemoryProposed, Memory: &agents.MemoryChange{Text: "cats", Inbox: "p1", Change: "add"}})
			e := c.entries[1]
			if tt.text != "" {
				c.SetProposalText(e.Key, tt.text)
			}
			c.Decided("another", tt.saved, "7", nil)
			c.Decided(e.Key, tt.saved, "7", nil)
			if e.Text != tt.want || e.UndoID != "7" || e.Proposal != "" {
				t.Errorf("it says %q, undo %q", e.Text, e.UndoID)
			}
		})
	}
}

func TestReadingAgainKeepsWhatTheTranscriptDoesNotHold(t *testing.T) {
	// given a turn with thoughts and a memory, when a summary is written after it, then both
	// are still there
	c := asked("q")
	for _, ev := range []agents.Event{
		{Type: agents.EventState, State: agents.StateThinking, Block: "u0", Agent: "o", Model: "m"},
		{Type: agents.EventThinking, Round: 1, Text: "deep thoughts", Agent: "o", Model: "m"},
		{Type: agents.EventMemoryWritten, Memory: &agents.MemoryChange{Text: "a lesson", UndoID: "7"}},
		{Type: agents.EventUsage, Agent: "o", Usage: &agents.Usage{TokensPerSecond: 41}},
		{Type: agents.EventDone, Round: 1, Text: "answer 0", Block: "a0", Agent: "o", Model: "m"},
	} {
		c.Apply(ev)
	}
	blocks := turnsOf(0, 1)
	blocks[1].Attrs = map[string]string{"tokens": "10+2/4096", "speed": "41.0"}
	thought := transcript.Block{ID: "t0", Kind: transcript.KindNote, Note: transcript.NoteThinking, Parent: "u0", Text: "deep thoughts"}
	c.Fill(fileOf(blocks[0], thought, blocks[1], summaryOf("s1", "a0")))
	want := []string{"user question 0", "head o m", "thinking deep thoughts", "note remembered “a lesson”", "answer answer 0", "summary in short s1"}
	if d := cmp.Diff(want, describe(c)); d != "" {
		t.Error(d)
	}
	if h := c.View(time.Now()).Entries[1]; h.Speed != 41 {
		t.Errorf("speed is %g", h.Speed)
	}
}

func TestNotesOfATurnInWords(t *testing.T) {
	for name, tt := range map[string]struct {
		events []agents.Event
		want   string // the last entry
	}{
		"a memory file read again": {[]agents.Event{{Type: agents.EventMemoryReloaded, Memory: &agents.MemoryChange{Path: "/x/memory.md", Added: 2, Removed: 1}}}, "note memory.md reloaded · +2 −1"},
		"memory read again":        {[]agents.Event{{Type: agents.EventMemoryReloaded}}, "note memory reloaded"},
		"a proposal without an ID": {[]agents.Event{{Type: agents.EventMemoryProposed, Text: "cats"}}, "note proposed to remember “cats”"},
		"a compaction":             {[]agents.Event{{Type: agents.EventCompaction}}, "note older messages were summarised"},
		"a call without a call":    {[]agents.Event{{Type: agents.EventTool}}, "user q"},
		"text of a sub-call":       {[]agents.Event{{Type: agents.EventSubcallStart, Call: &agents.Call{ID: "1", Name: "coder"}}, {Type: agents.EventSubcallToken, Call: &agents.Call{ID: "1"}, Text: "inner"}}, "call coder live"},
		"nothing was cut":          {[]agents.Event{{Type: agents.EventContextCut}}, "user q"},
	} {
		t.Run(name, func(t *testing.T) {
			c := asked("q")
			for _, ev := range tt.events {
				c.Apply(ev)
			}
			if got := describe(c); got[len(got)-1] != tt.want {
				t.Errorf("the entries are %q", got)
			}
		})
	}
	c := asked("q")
	c.Apply(agents.Event{Type: agents.EventMemoryWritten, Memory: &agents.MemoryChange{UndoID: "7"}})
	if c.Undone(c.entries[1].Key, nil); !strings.HasSuffix(c.entries[1].Text, " · taken back") {
		t.Errorf("%q", c.entries[1].Text)
	}
}

func TestNotesOfATranscriptInWords(t *testing.T) {
	for name, tt := range map[string]struct {
		note transcript.Block
		want []string
	}{
		"a new topic":           {transcript.Block{Note: "ended"}, []string{"note new topic from here", "note not answered yet"}},
		"an error of no turn":   {transcript.Block{Note: "error", Text: "no disk"}, []string{"note failed: no disk"}},
		"an error without text": {transcript.Block{Note: "error"}, []string{"note failed"}},
		"an error of the turn":  {transcript.Block{Note: transcript.NoteError, Parent: "u0"}, []string{"error  u0"}},
		"someone's own":         {transcript.Block{Note: "weather", Text: "it rains"}, []string{"note it rains"}},
		"a word alone":          {transcript.Block{Note: "weather"}, []string{"note weather"}},
		"a title":               {transcript.Block{Note: transcript.NoteTitle, Text: "x"}, []string{"note not answered yet"}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.note.ID, tt.note.Kind = "n1", transcript.KindNote
			c := New("cpu-1")
			c.Fill(fileOf(transcript.Block{ID: "u0", Kind: transcript.KindUser, Text: "q"}, tt.note))
			got := describe(c)[1:]
			if len(got) == 0 || got[0] != tt.want[0] {
				t.Errorf("it says %q, want %q", got, tt.want)
			}
		})
	}
}

func TestEntriesOfABranch(t *testing.T) {
	e := Entries("cpu-1", turnsOf(0, 1))
	if len(e) != 3 || e[0].Kind != User || e[1].Kind != Head || e[2].Kind != Answer {
		t.Errorf("%d entries", len(e))
	}
}

func TestStatesAndFiguresInWords(t *testing.T) {
	for state, want := range map[agents.State]string{
		agents.StateLoading: "loading the model", agents.StateTool: "using a tool", agents.StateAsking: "waiting for your answer",
		agents.StateCompacting: "summarising older messages", "new": "new",
	} {
		if got := StateWords(state); got != want {
			t.Errorf("%s: %q", state, got)
		}
	}
	c, at := asked("q"), time.Now()
	c.Apply(agents.Event{Type: agents.EventState, State: agents.StateTool, Detail: "FETCH_URL example.org", Time: at})
	if got := c.View(at).State; !strings.HasSuffix(got, " example.org…") || strings.Contains(got, "FETCH") {
		t.Errorf("a tool at work: %q", got)
	}
	for d, want := range map[time.Duration]string{time.Millisecond: "", 3100 * time.Millisecond: "3.1 s", 42 * time.Second: "42 s", 125 * time.Second: "2:05 min"} {
		if got := TookWords(d); got != want {
			t.Errorf("%v: %q", d, got)
		}
	}
	for v, want := range map[float64]string{0: "", 4.25: "4.2 tokens/s", 41.3: "41 tokens/s"} {
		if got := SpeedWords(v); got != want {
			t.Errorf("%v: %q", v, got)
		}
	}
}
