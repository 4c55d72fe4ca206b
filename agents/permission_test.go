package agents

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
)

// guarded is a tool that acts outside this program. Its name is FETCH_URL, which
// directives know; it comes before the real one.
type guarded struct {
	mu  sync.Mutex
	ran []string
}

func (*guarded) Doc() tools.Doc {
	return tools.Doc{Name: tools.SystemStats, Usage: "SYSTEM_STATS: <x>"}
}

func (*guarded) Action(c *tools.Call) (tools.Action, error) {
	program, _, _ := strings.Cut(c.Arg, " ")
	return tools.Action{Tool: tools.SystemStats, What: c.Arg, Covers: program, Where: "here"}, nil
}

func (g *guarded) Run(_ context.Context, c *tools.Call) (tools.Result, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ran = append(g.ran, c.Arg)
	return tools.Result{Text: "done"}, nil
}

// newGuarded returns a rig whose agent has that tool.
func newGuarded(t *testing.T, script testkit.Script) (*rig, *guarded) {
	t.Helper()
	r, g := newRig(t, script), &guarded{}
	r.engine.p.Stats = nil
	r.engine.p.Outside = func(context.Context, func(string)) ([]tools.Guarded, []string) { return []tools.Guarded{g}, nil }
	r.engine.p.Answers = tools.OpenAnswers(filepath.Join(t.TempDir(), "permissions.toml"))
	return r, g
}

// answering answers the questions of a turn in order; without answers, nobody is asked.
func (r *rig) answering(req Request, answers ...Answer) (asked []Question) {
	r.t.Helper()
	req.CanAsk = answers != nil
	if req.Session == "" {
		req.Session = testSession
	}
	run := r.engine.Start(r.t.Context(), req)
	for e := range run.Events(r.t.Context()) {
		if e.Type != EventQuestion {
			continue
		}
		asked = append(asked, *e.Question)
		if e.Question.Answer == "" && len(answers) > 0 {
			run.Answer(e.Question.ID, answers[0])
			answers = answers[1:]
		}
	}
	if _, err := run.Wait(); err != nil {
		r.t.Fatal(err)
	}
	return asked
}

func TestAToolThatActsOutsideAsksFirst(t *testing.T) {
	git := "SYSTEM_STATS: git status"
	for _, tt := range []struct {
		name    string
		req     Request
		answers []Answer
		ran     int // of three calls in three turns
	}{
		{"nobody can be asked", Request{}, nil, 0},
		{"once, then no more", Request{}, []Answer{AnswerOnce, AnswerNo, AnswerNo}, 1},
		{"in this chat", Request{}, []Answer{AnswerChat}, 3},
		{"always", Request{}, []Answer{AnswerAlways}, 3},
		{"never", Request{}, []Answer{AnswerNever}, 0},
		{"an answer that isn't there", Request{}, []Answer{"yes", AnswerRefused, AnswerLate}, 0},
		{"always isn't offered beside a stranger's text", Request{From: transcript.FromFile}, []Answer{AnswerAlways, AnswerAlways, AnswerAlways}, 0},
		{"once beside a stranger's text", Request{From: transcript.FromFile}, []Answer{AnswerOnce, AnswerOnce, AnswerOnce}, 3},
		{"a schedule", Request{Schedule: "morning"}, []Answer{AnswerOnce, AnswerOnce, AnswerOnce}, 0},
		{"Discord", Request{Session: "discord-1", Place: &Place{Tools: []string{tools.SystemStats}, Turns: -1}}, []Answer{AnswerOnce, AnswerOnce, AnswerOnce}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, g := newGuarded(t, testkit.Script{Rules: replies(git, "Done.", git, "Done.", git, "Done.")})
			answers := tt.answers
			for range 3 {
				tt.req.Text = "Go on"
				asked := r.answering(tt.req, answers...)
				if len(asked) > 1 && len(answers) > 0 {
					answers = answers[1:]
				}
				for _, q := range asked {
					if q.What != "git status" || q.Where != "here" || q.Covers != "git" || q.Agent == "" || q.Why == "" {
						t.Errorf("asked %+v", q)
					}
				}
			}
			if len(g.ran) != tt.ran {
				t.Errorf("ran %q, want %d", g.ran, tt.ran)
			}
		})
	}
}

// A question that is asked repeatedly offers Never first.
func TestARepeatedQuestionOffersNeverFirst(t *testing.T) {
	var rules []string
	for _, arg := range []string{"a", "b", "c", "d"} {
		rules = append(rules, "SYSTEM_STATS: git "+arg, "Done.")
	}
	r, g := newGuarded(t, testkit.Script{Rules: replies(rules...)})
	var first []Answer
	for range 4 {
		asked := r.answering(Request{Text: "Go on"}, AnswerNo)
		first = append(first, asked[0].Answers[0])
	}
	if want := []Answer{AnswerOnce, AnswerOnce, AnswerNever, AnswerNever}; !slices.Equal(first, want) || len(g.ran) != 0 {
		t.Errorf("offered %q, want %q; ran %q", first, want, g.ran)
	}
}

// A question that nobody answers times out, and the turn answers without the call.
func TestAnUnansweredQuestionTimesOut(t *testing.T) {
	r, g := newGuarded(t, testkit.Script{Rules: replies("SYSTEM_STATS: git status", "Done without.")})
	r.settings.QuestionTime = 20 * time.Millisecond
	run := r.engine.Start(t.Context(), Request{Session: testSession, Text: "Go on", CanAsk: true})
	result, err := run.Wait()
	if err != nil || result.Text != "Done without." || len(g.ran) != 0 {
		t.Errorf("%+v %v, ran %q", result, err, g.ran)
	}
	told := r.chat(1).Messages
	if got := told[len(told)-1].Content; !strings.Contains(got, "didn't answer in time") {
		t.Errorf("told %q", got)
	}
}

func TestEveryToolStatesItsEffects(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("Hello.")})
	r.params.Recall = func() (Searcher, error) { return nil, errors.New("never asked") }
	r.open()
	idle := r.idle()
	for _, tool := range append(idle.ownTools(), idle.finders()...) {
		if tool.Doc().Effects == (tools.Effects{}) {
			t.Errorf("%s", tool.Doc().Name)
		}
	}
}

// foreign is a tool of another program, with that program's description.
type foreign struct{ *guarded }

func (foreign) Doc() tools.Doc { return tools.Doc{Name: "files.read", Usage: "MCP: files.read <x>"} }

// Beside other programs' text, every address needs a question, so no answer is offered
// that would promise otherwise.
func TestAnAddressIsAllowedOnce(t *testing.T) {
	w := newWeb(t, map[string]string{"/": "page"})
	r, g := newGuarded(t, fetches(false, w.URL+"/?a", w.URL+"/?b"))
	r.useWeb()
	r.engine.p.Outside = func(context.Context, func(string)) ([]tools.Guarded, []string) {
		return []tools.Guarded{foreign{g}}, nil
	}
	asked := r.answering(Request{Text: "Look around"}, AnswerAlways, AnswerOnce)
	if len(asked) != 4 || slices.Contains(asked[0].Answers, AnswerAlways) || slices.Contains(asked[0].Answers, AnswerChat) {
		t.Errorf("%+v", asked)
	}
	if got := w.paths(); !slices.Equal(got, []string{"/?b"}) {
		t.Errorf("read %q", got)
	}
}
