package backend

import (
	"fmt"
	"strings"
	"testing"

	"mac-stats/agents"
	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/memorytext"
)

// learning returns a server whose small model finds a lesson in every conversation.
func learning(t *testing.T) *testkit.Server {
	t.Helper()
	s := testkit.New(testkit.Script{
		Models: []testkit.Model{{Name: "tiny:1b", ParameterSize: "1B", Capabilities: []string{"completion"}}},
		Rules: []testkit.Rule{
			{Task: "You compress a conversation", Reply: testkit.Reply{
				Text: `{"context":"A trip by train with late tickets.","lessons":[{"text":"The user travels by train.","confidence":0.9},{"text":"The user buys train tickets late.","confidence":0.8}],"people":[]}`,
			}},
			{Reply: testkit.Reply{Text: "fine"}},
		},
	})
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// memoryNotices collects the window's notices about memory.
func memoryNotices(t *testing.T, b *Backend) <-chan Notice {
	t.Helper()
	notices := make(chan Notice, 100)
	t.Cleanup(b.OnNotice(func(n Notice) {
		if n.Kind == NoticeMemory {
			notices <- n
		}
	}))
	return notices
}

func next(t *testing.T, notices <-chan Notice, wanted func(Notice) bool) Notice {
	t.Helper()
	for {
		if n := <-notices; wanted(n) {
			return n
		}
	}
}

// talk writes eight messages about a train.
func talk(t *testing.T, b *Backend, session, agent string) {
	t.Helper()
	for i := range 4 {
		req := agents.Request{Session: session, Text: fmt.Sprintf("Question %d: I travel by train and buy the tickets late", i), Agent: agent, Holder: "test", AppCompacts: true}
		if _, err := b.Engine.Start(t.Context(), req).Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestABackgroundLessonIsANotice(t *testing.T) {
	for _, tt := range []struct {
		name, config, agent   string
		written, files, waits int
		words                 string
	}{
		{"auto", "# as it comes\n", "", 2, 2, 0, "remembered: The user travels by train. · The user buys train tickets late."},
		{"auto, a chosen agent", "# as it comes\n", "coder", 2, 4, 0, "remembered: The user travels by train. · The user buys train tickets late."},
		{"ask", "[memory]\nwrite = \"ask\"\n", "", 0, 0, 2, "2 memories to review"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, dir := learning(t), t.TempDir()
			env := environ(dir, "OLLAMA_HOST="+s.Addr())
			write(t, open(t, Options{Environ: env}).Paths.ConfigFile(), tt.config)
			b := open(t, Options{Environ: env, Watch: true})
			notices := memoryNotices(t, b)
			talk(t, b, "cpu-a", tt.agent)
			n := next(t, notices, func(n Notice) bool { return n.Session == "cpu-a" })
			// A lesson that waited for the file to be still may be told by itself.
			for n.Waiting == 0 && len(n.Written) < tt.files {
				more := next(t, notices, func(n Notice) bool { return n.Session == "cpu-a" })
				n.Written = append(n.Written, more.Written...)
				n.Text += " · " + strings.TrimPrefix(more.Text, "remembered: ")
			}
			kept := compact.Kept{Written: n.Written, Proposed: n.Proposed}
			if kept.Remembered() != tt.written || len(n.Written) != tt.files || len(n.Proposed) != tt.waits || n.Waiting != tt.waits || n.Text != tt.words {
				t.Errorf("told %+v", n)
			}
			for i, w := range n.Written {
				if w.UndoID == "" || w.Path == "" {
					t.Errorf("written %d: %+v", i, w)
				}
			}
			if tt.written == 0 {
				return
			}
			if _, err := b.Memory.Undo(t.Context(), n.Written[0].UndoID); err != nil {
				t.Error(err)
			}
			files, err := b.Memory.List()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if strings.Contains(f.Text, "travels by train") {
					t.Errorf("%s still says so", f.Path)
				}
			}
		})
	}
}

// A command leaves a due session to the app and notifies it through the socket.
func TestTheAppSummarisesWhatACommandWrote(t *testing.T) {
	s, dir := learning(t), t.TempDir()
	env := environ(dir, "OLLAMA_HOST="+s.Addr())
	app, command := open(t, Options{Environ: env, Watch: true}), open(t, Options{Environ: env})
	notices := memoryNotices(t, app)
	talk(t, command, "cli-a", "")
	context, err := command.Store.Context(t.Context(), "cli-a")
	if err != nil || context.Summary != nil {
		t.Fatalf("the command summarised for itself: %+v, %v", context.Summary, err)
	}
	app.SessionsChanged("cli-a")
	next(t, notices, func(n Notice) bool { return n.Session == "cli-a" && len(n.Written) == 2 })
	if context, err = command.Store.Context(t.Context(), "cli-a"); err != nil || context.Summary == nil || len(context.Messages) != 8 { // all of them fit
		t.Errorf("%+v, %v", context, err)
	}
}

func TestAnotherProcessesProposalIsANotice(t *testing.T) {
	env := environ(t.TempDir())
	app, command := open(t, Options{Environ: env, Watch: true}), open(t, Options{Environ: env})
	notices := memoryNotices(t, app)
	p, err := command.Memory.Propose(t.Context(), memory.Proposal{Text: "Likes green tea"})
	if err != nil {
		t.Fatal(err)
	}
	if n := next(t, notices, func(n Notice) bool { return n.Waiting == 1 }); n.Text != "1 memory to review" || n.Session != "" {
		t.Errorf("told %+v", n)
	}
	if _, err := command.Memory.Discard(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	next(t, notices, func(n Notice) bool { return n.Waiting == 0 && n.Text != "" })
}

func TestAFullMemoryProposesAReplacement(t *testing.T) {
	env := environ(t.TempDir(), "MAC_STATS_MEMORY_GLOBAL_BUDGET=600")
	b := open(t, Options{Environ: env})
	global := memory.Target{Kind: memory.TargetGlobal}
	var err error
	for i := 0; err == nil && i < 100; i++ {
		_, err = b.Memory.Append(t.Context(), memory.Lesson{Text: fmt.Sprintf("fact number %d of those that fill it up", i), Target: global})
	}
	if f, loadErr := b.Memory.Load(global); loadErr != nil || err == nil || memorytext.Inject(f.Text, 600).Left != 0 {
		t.Errorf("%v, %v, %d left out", err, loadErr, memorytext.Inject(f.Text, 600).Left)
	}
	p, err := b.Memory.Propose(t.Context(), memory.Proposal{Text: "one more to know, and longer than the room that is left"})
	if err != nil || p.Kind != memory.ProposeReplace || p.Old == "" || p.Why != memory.WhyFull {
		t.Errorf("%+v, %v", p, err)
	}
}

// If forgetting takes text out of a Summary, the app has the model write it again.
func TestTheAppRewritesASummaryThatForgettingCut(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+learning(t).Addr()), Watch: true})
	talk(t, b, "cli-a", "")
	awaitAnySummary(t, b, "cli-a") // made in the background
	notices := make(chan Notice, 100)
	t.Cleanup(b.OnNotice(func(n Notice) { notices <- n }))
	plan, err := b.Forgetting.ForgetPlan(t.Context(), forget.Selection{Text: "Question 0: I travel by train"})
	if err != nil {
		t.Fatal(err)
	}
	report, err := b.Forgetting.Forget(t.Context(), plan)
	if err != nil || len(Rebuilt(report)) != 1 {
		t.Fatalf("%+v %v, want a Summary rebuilt", report, err)
	}
	next(t, notices, func(n Notice) bool { return n.Kind == NoticeSessions && strings.Contains(n.Text, "made anew") })
	c, err := b.Store.Context(t.Context(), "cli-a")
	if err != nil || c.Summary == nil || c.Summary.By == "mac-stats" || strings.Contains(c.Summary.Text, "Question 0") {
		t.Errorf("%+v %v, want a Summary by the model of what is left", c.Summary, err)
	}
}

// A session is summarised on request, and again only if there is more to summarise.
func TestSummarizeOnRequest(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+learning(t).Addr())})
	talk(t, b, "cli-a", "")
	covered := 0
	done, err := b.Compaction.Summarize(t.Context(), "cli-a", func(n int) { covered = n })
	if err != nil || done.Summary.ID == "" || done.Messages != covered || covered == 0 || done.Messages+done.Recent != 8 {
		t.Errorf("%+v, %v, begun with %d", done, err, covered)
	}
	again, err := b.Compaction.Summarize(t.Context(), "cli-a", func(int) { t.Error("it began again") })
	if err != nil || again.Summary.ID != "" || again.Recent != done.Recent {
		t.Errorf("again: %+v, %v", again, err)
	}
	if !b.Schedules.onBattery(t.Context()) && !b.Compaction.mayCompact(t.Context()) {
		t.Error("on the mains a periodic pass may not run")
	}
	if b.Compaction.loadedModel(t.Context(), "gone:7b") {
		t.Error("a model that isn't there is loaded")
	}
}
