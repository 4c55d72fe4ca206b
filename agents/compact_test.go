package agents

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/background"
	"mac-stats/agents/testkit"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// askedOslo is the user's message in these conversations.
const askedOslo = "Question %d: I travel by train, what of the trip to Oslo?\nI travel by train, always."

const goodDigest = `{"context":"They plan a trip to Oslo by train.","lessons":[{"text":"The user travels by train.","confidence":0.9}],"people":[{"who":"Anna","fact":"lives in Oslo","confidence":0.8}]}`

// isCompaction reports whether a chat is the compactor's.
func isCompaction(req api.ChatRequest) bool {
	return slices.ContainsFunc(req.Messages, func(m api.Message) bool { return strings.Contains(m.Content, "You compress a conversation") })
}

// compacting is a rig with the real compactor.
func compacting(t *testing.T, inBackground bool, size int, digests ...string) *rig {
	t.Helper()
	return compactingBy(t, compact.Policy{}, inBackground, size, digests...)
}

func compactingBy(t *testing.T, policy compact.Policy, inBackground bool, size int, digests ...string) *rig {
	t.Helper()
	var rules []testkit.Rule
	for i, d := range digests {
		rule := testkit.Rule{When: isCompaction, Reply: testkit.Reply{Text: d}}
		if i < len(digests)-1 {
			rule.Times = 1
		}
		rules = append(rules, rule)
	}
	rules = append(rules, testkit.Rule{Reply: testkit.Reply{Text: "ok"}})
	r := newRig(t, testkit.Script{Models: []testkit.Model{textModel(testModel, size)}, Rules: rules})
	small := background.NewSmallModel(r.params.Chat, r.params.Models, os.DirFS("../assets"), func() background.Settings { return r.settings.Small() })
	r.params.Small = small
	r.params.Compactor = compact.New(compact.Config{
		Store: r.store, Summarizer: small, Policy: func() compact.Policy { return policy }, Own: OwnTools(),
		Lessons: compact.MemoryLessons{
			Memory: r.params.Memory, Store: r.store, Write: func() string { return r.settings.MemoryWrite },
			Own: func(s string) (memory.Target, bool) {
				return r.params.Registry.OwnMemory(s, r.settings.DefaultAgent)
			},
		},
	})
	r.params.Background = inBackground
	r.again()
	return r
}

// again makes another engine with the current params.
func (r *rig) again() {
	engine := NewEngine(r.params)
	r.engine = engine
	r.t.Cleanup(func() { _ = engine.Close() })
}

func (r *rig) compactions() (n int) {
	for _, c := range r.server.Chats() {
		if isCompaction(*c.Chat) {
			n++
		}
	}
	return n
}

func TestTurnCompactsFirstWithoutTheApp(t *testing.T) {
	r := compacting(t, false, 16384, "garbled", goodDigest)
	for i := range 4 {
		if _, events := r.say(fmt.Sprintf(askedOslo, i)); len(of(events, EventCompaction)) > 0 {
			t.Error("too early")
		}
	}
	_, events := r.say("The fifth")
	told := of(events, EventCompaction)
	if len(told) != 1 || !strings.Contains(told[0].Text, "4 messages summarised") || len(of(events, EventMemoryWritten)) != 1 {
		t.Errorf("%+v", events)
	}
	waited := false
	for _, e := range of(events, EventState) {
		waited = waited || e.State == StateCompacting && e.Detail == "compacting 8 messages…"
	}
	sent := r.chat(-1).Messages // system, Summary, the last 4, the question
	if !waited || len(sent) != 7 || !strings.Contains(sent[1].Content, "trip to Oslo") || !strings.HasPrefix(sent[2].Content, "Question 2") || !strings.HasPrefix(sent[6].Content, "The fifth") {
		t.Errorf("waited %v, sent %+v", waited, sent)
	}
	if r.say("The sixth"); r.compactions() != 2 { // one, and its retry
		t.Errorf("%d calls of the compactor", r.compactions())
	}
}

func TestTurnCompactsAfterTheAnswer(t *testing.T) {
	r := compacting(t, true, 16384, goodDigest)
	done := make(chan compact.Result, 1)
	r.params.Compacted = func(c compact.Result) { done <- c }
	r.again()
	for i := range 4 {
		r.say(fmt.Sprintf(askedOslo, i))
	}
	if c := <-done; c.Messages != 4 || c.Plain || len(c.Lessons.Written) != 1 {
		t.Errorf("%+v", c)
	}
	if _, events := r.say("The fifth"); len(of(events, EventCompaction)) != 0 || len(r.chat(-1).Messages) != 7 {
		t.Errorf("sent %+v", r.chat(-1).Messages)
	}
}

func TestLessonsOfACompactionAreReported(t *testing.T) {
	own := memory.Target{Kind: memory.TargetAgent, ID: "002"}
	for _, tt := range []struct {
		name    string
		prepare func(r *rig)
		agent   string // of the turns, of which the fifth compacts
		written string // targets
		waits   string // targets and reason
	}{
		{"given the default agent", func(*rig) {}, "", "global", ""},
		{"given the default agent by name", func(*rig) {}, "orchestrator", "global", ""},
		{"given a chosen agent", func(*rig) {}, "coder", "global, agent:002", ""},
		{"given ask", func(r *rig) { r.settings.MemoryWrite = "ask" }, "coder", "", "global ask, agent 002 ask"},
		{"given off", func(r *rig) { r.settings.MemoryWrite = "off" }, "coder", "", ""},
		{"given a page", func(r *rig) {
			if _, err := r.store.Append(t.Context(), testSession, transcript.Block{Kind: transcript.KindTool, Agent: tools.FetchURL, Text: "page"}); err != nil {
				t.Fatal(err)
			}
		}, "", "", "global strangers"},
		{"given a private chat", func(r *rig) { r.store.SetPrivate(testSession) }, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := compacting(t, false, 16384, `{"context":"A trip to Oslo by train.","lessons":[{"text":"The user travels by train.","confidence":0.9}],"people":[]}`)
			tt.prepare(r)
			var events []Event
			for i := range 5 {
				var err error
				if _, events, err = r.turn(Request{Text: fmt.Sprintf(askedOslo, i), Agent: tt.agent}); err != nil {
					t.Fatal(err)
				}
			}
			var written, waits []string
			for _, e := range of(events, EventMemoryWritten) {
				written = append(written, e.Memory.Target)
				if e.Memory.UndoID == "" {
					t.Error("it can't be undone")
				}
			}
			for _, e := range of(events, EventMemoryProposed) {
				waits = append(waits, e.Memory.Inbox)
			}
			inbox, err := r.params.Memory.Inbox()
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range inbox {
				if i >= len(waits) || p.ID != waits[i] {
					t.Fatalf("told of %v, in the inbox %+v", waits, inbox)
				}
				waits[i] = p.Target.String() + " " + p.Why
			}
			if got := strings.Join(written, "; "); got != tt.written {
				t.Errorf("written to %q, want %q", got, tt.written)
			}
			if got := strings.Join(waits, ", "); got != tt.waits {
				t.Errorf("waiting: %q, want %q", got, tt.waits)
			}
			f, err := r.params.Memory.Load(own)
			if err != nil || (len(f.Bullets) == 1) != strings.Contains(tt.written, "agent:002") {
				t.Errorf("the coder's memory: %+v, %v", f.Bullets, err)
			}
			if told := of(events, EventCompaction); len(told) != 1 {
				t.Errorf("told of the compaction: %+v", told)
			}
		})
	}
}

func TestNoTurnWaitsForACompactionOfTheApp(t *testing.T) {
	r := compacting(t, false, 16384, goodDigest)
	for i := range 6 {
		if _, events, err := r.turn(Request{Text: fmt.Sprintf(askedOslo, i), AppCompacts: true}); err != nil || len(of(events, EventCompaction)) != 0 {
			t.Fatalf("%v, %+v", err, of(events, EventCompaction))
		}
	}
	app := r.params // the app is notified of the change
	app.Background = true
	done := make(chan compact.Result, 1)
	app.Compacted = func(c compact.Result) { done <- c }
	engine := NewEngine(app)
	t.Cleanup(func() { _ = engine.Close() })
	engine.CompactSoon(testSession)
	if c := <-done; c.Messages != 8 {
		t.Errorf("%+v", c)
	}
}

// A user who types faster than the compactor works loses nothing: messages that a
// request would leave out are summarised first, and their lessons are saved.
func TestMessagesAreSummarisedBeforeTheyAreLeftOut(t *testing.T) {
	r := compacting(t, true, 16384, goodDigest)
	r.settings.MaxMessages = 6
	var told []Event
	for i := range 5 {
		_, events := r.say(fmt.Sprintf(askedOslo, i))
		told = append(told, of(events, EventCompaction)...)
		if cut := of(events, EventContextCut); len(cut) != 0 {
			t.Errorf("turn %d left out %+v", i, cut[0].Cut)
		}
	}
	if len(told) == 0 {
		t.Error("nothing was summarised first")
	}
	if f, err := r.params.Memory.Load(memory.Target{Kind: memory.TargetGlobal}); err != nil || len(f.Bullets) < 1 {
		t.Errorf("learnt %+v, %v", f.Bullets, err)
	}
}

// endsLate is a compactor whose first background work ignores its cancellation until it
// is released.
type endsLate struct {
	background.Compactor
	first    *sync.Once
	mayGoOn  chan struct{}
	underWay chan struct{}
}

func (c endsLate) Renew(ctx context.Context, session string) (compact.Result, error) {
	c.first.Do(func() {
		close(c.underWay)
		<-c.mayGoOn
	})
	return c.Compactor.Renew(ctx, session)
}

func TestWorkAfterATurnRestartsIfTheLastHasNotEnded(t *testing.T) {
	r := compacting(t, true, 16384, goodDigest)
	done := make(chan compact.Result, 1)
	r.params.Compacted = func(c compact.Result) { done <- c }
	late := endsLate{r.params.Compactor, &sync.Once{}, make(chan struct{}), make(chan struct{})}
	r.params.Compactor = late
	r.again()
	for i := range 4 {
		r.say(fmt.Sprintf("Question %d", i))
		if i == 0 {
			<-late.underWay
		}
	}
	close(late.mayGoOn)
	<-done
}

func TestTheNextTurnStopsACompaction(t *testing.T) {
	r := compacting(t, true, 16384, goodDigest)
	begun := make(chan struct{}, 8)
	r.params.Compactor = slowCompactor{r.params.Compactor, begun}
	r.again()
	for i := range 4 {
		r.say(fmt.Sprintf("Question %d", i))
	}
	<-begun
	r.say("The fifth") // would wait forever
	<-begun            // and it is due again
	if err := r.engine.Close(); err != nil {
		t.Error(err)
	}
}

// Background work checks a session again if it changes meanwhile, so that it doesn't miss
// a forgetting.
func TestASessionThatChangesDuringBackgroundWorkIsCheckedAgain(t *testing.T) {
	r := compacting(t, true, 16384, goodDigest)
	begun, goOn := make(chan struct{}, 9), make(chan struct{})
	r.params.Compactor = renewingCompactor{r.params.Compactor, begun, goOn}
	r.again()
	r.engine.CompactSoon("cli-a")
	<-begun
	r.engine.CompactSoon("cli-a")
	r.engine.CompactSoon("cli-a")
	close(goOn)
	r.settled()
	if n := len(begun); n != 1 {
		t.Errorf("it was looked at %d times more, want once", n)
	}
}

// renewingCompactor signals when it looks for a Summary to renew, and waits.
type renewingCompactor struct {
	background.Compactor
	begun chan<- struct{}
	goOn  <-chan struct{}
}

func (c renewingCompactor) Renew(context.Context, string) (compact.Result, error) {
	c.begun <- struct{}{}
	<-c.goOn
	return compact.Result{}, session.ErrNothing
}

// slowCompactor works until it is stopped.
type slowCompactor struct {
	background.Compactor
	begun chan struct{}
}

func (s slowCompactor) Compact(ctx context.Context, _ session.Snapshot, _ int) (compact.Result, error) {
	s.begun <- struct{}{}
	<-ctx.Done()
	return compact.Result{}, ctx.Err()
}

// A Summary never replaces messages that fit, and it isn't sent while it replaces none.
func TestMessagesThatFitAreNotSummarised(t *testing.T) {
	for _, inBackground := range []bool{false, true} {
		for _, c := range []struct {
			what       string
			size, long int // of the context, and of each message, in tokens
			want       int // messages sent: system, Summary if any, those that stay, the new one
		}{
			{"short messages in a large context", 16384, 20, 10},
			{"long messages in a large context", 16384, 2400, 8},
			{"a small context", 2752, 450, 8}, // it also holds the prompt and the tools' descriptions
		} {
			t.Run(fmt.Sprintf("%s, in the background %v", c.what, inBackground), func(t *testing.T) {
				r := compactingBy(t, compact.Policy{KeepTokens: 4096}, inBackground, c.size, goodDigest)
				for i := range 4 {
					r.say(fmt.Sprintf(askedOslo, i) + strings.Repeat(" so", c.long))
				}
				r.settled()
				r.say("The fifth")
				sent := r.chat(-1).Messages
				summary := strings.Contains(sent[1].Content, "plan a trip to Oslo by train")
				if len(sent) != c.want || summary != (c.want < 10) {
					t.Errorf("%d messages, want %d; a Summary among them: %v; if a prompt or the tools grew, so must the small context", len(sent), c.want, summary)
				}
			})
		}
	}
}

// A Summary that replaces no message yet is sent as soon as the window leaves one out.
func TestASummaryIsSentOnceAMessageIsLeftOut(t *testing.T) {
	r := compactingBy(t, compact.Policy{KeepTokens: 4096}, false, 16384, goodDigest)
	for i := range 6 {
		r.say(fmt.Sprintf(askedOslo, i))
	}
	if sent := r.chat(-1).Messages; r.compactions() != 1 || len(sent) != 12 || strings.Contains(sent[1].Content, "plan a trip") {
		t.Errorf("%d compactions, sent %d messages, %q", r.compactions(), len(sent), sent[1].Content)
	}
	r.params.Compactor = nil
	r.settings.MaxMessages = 8
	r.engine = NewEngine(r.params)
	r.say("The seventh")
	if sent := r.chat(-1).Messages; len(sent) != 9 || !strings.Contains(sent[1].Content, "plan a trip") {
		t.Errorf("sent %d messages, %q", len(sent), sent[1].Content)
	}
}
