//go:build unix && realollama

package failuretest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/testkit/realollama"
	"mac-stats/sessionmem/transcript"
)

const (
	teaLesson  = "Oolong steeps three minutes for the user."
	teaSummary = "They steep their oolong for three minutes, and ask how long Hilde steeps hers; the teapot is bought at Hilde's."
	// teaDigest has exactly the form of the schema, which the server enforces.
	teaDigest = `{"context": "` + teaSummary + `", "lessons": [{"text": "` + teaLesson + `", "confidence": 0.9}], "people": [{"who": "Hilde", "fact": "sells teapots", "confidence": 0.8}]}`
)

// taster answers a conversation about tea and summarises it.
func taster() realollama.Model {
	m := realollama.Model{Name: "taster", Answers: map[string]string{"digest": teaDigest, "lost": "No rule fits that."}, Default: "lost"}
	m.Rules = []realollama.Rule{{System: "You compress a conversation", Answer: "digest"}, {Contains: "You compress a conversation", Answer: "digest"}} // of its own, or continuing the chat
	for i := range 8 {
		name := fmt.Sprintf("answer-%d", i)
		m.Answers[name] = teaAnswer(i)
		m.Rules = append(m.Rules, realollama.Rule{Contains: teaQuestion(i), Answer: name})
	}
	return m
}

func teaQuestion(i int) string {
	return fmt.Sprintf("Question %d: I steep my oolong for three minutes. How long does Hilde steep hers?", i)
}

func teaAnswer(i int) string {
	return fmt.Sprintf("Answer %d says: three minutes, from Hilde's teapot.", i)
}

// tasting returns a place with a real server.
func tasting(t *testing.T, env ...string) (*place, *realollama.Proxy) {
	t.Helper()
	server := realollama.Start(t)
	server.Create(t, taster())
	proxy := server.Record(t)
	p := newPlace(t, proxy.Host(), append([]string{"MAC_STATS_OLLAMA_IDLE_TIMEOUT=60s", "MAC_STATS_AGENTS_PROMPT_TIER=large", "MAC_STATS_OLLAMA_NUM_CTX=32768"}, env...)...)
	delete(p.had, "agents/memory.md") // it grows
	return p, proxy
}

// talk asks questions from … to-1, each in its own process.
func (p *place) talk(from, to int) {
	p.t.Helper()
	for i := from; i < to; i++ {
		o := p.run("ask", "--session", "tea", teaQuestion(i))
		o.expect(p.t, 0, teaAnswer(i)+"\n", o.stderr)
	}
}

// expectSent compares the messages of the last request, except the system's, with the
// wanted beginnings.
func expectSent(t *testing.T, proxy *realollama.Proxy, want ...string) {
	t.Helper()
	chats := proxy.Chats(t)
	var got []string
	for _, m := range chats[len(chats)-1].Messages[1:] {
		line, _, _ := strings.Cut(m.Content, "\n\n[")
		got = append(got, m.Role+": "+line)
	}
	if len(got) != len(want) {
		t.Fatalf("told %q, want %q", got, want)
	}
	for i := range want {
		if role, text, _ := strings.Cut(want[i], ": "); !strings.HasPrefix(got[i], role) || !strings.Contains(got[i], text) {
			t.Errorf("message %d is %q, want %q", i+1, got[i], want[i])
		}
	}
}

// expectWhole checks that every question and answer is in the transcript.
func (p *place) expectWhole(n int) {
	p.t.Helper()
	var want, got []string
	for i := range n {
		want = append(want, teaQuestion(i), teaAnswer(i))
	}
	for _, b := range p.transcript("cli-tea").Blocks {
		if b.IsMessage() {
			got = append(got, b.Text)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Errorf("the transcript (-want +got):\n%s", diff)
	}
}

func (p *place) summaries() (n int) {
	for _, b := range p.transcript("cli-tea").Blocks {
		if b.Kind == transcript.KindSummary {
			n++
			if !strings.HasPrefix(b.Text, teaSummary) || !strings.HasPrefix(b.By, "taster") {
				p.t.Errorf("the Summary is %+v", b)
			}
		}
	}
	return n
}

// expectRemembered checks that the lesson is there once.
func (p *place) expectRemembered() {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.home, "agents", "memory.md"))
	if err != nil || strings.Count(string(data), teaLesson) != 1 || !strings.HasPrefix(string(data), memoryText) {
		p.t.Errorf("memory.md: %q, %v", data, err)
	}
}

// Five questions and answers; before the sixth question a real server's model, bound to the
// schema, summarises the ten messages.
func TestRealOllamaCompactsBeforeTheNextQuestion(t *testing.T) {
	t.Parallel()
	p, proxy := tasting(t, "MAC_STATS_COMPACTION_THRESHOLD=10")
	p.talk(0, 5)
	if n := p.summaries(); n != 0 {
		t.Errorf("%d summaries of ten messages before the next question", n)
	}
	p.talk(5, 6)
	var sent []string // every message: there is room for all, and the Summary replaces none of them yet
	for n := range 5 {
		sent = append(sent, "user: "+teaQuestion(n), "assistant: "+teaAnswer(n))
	}
	expectSent(t, proxy, append(sent, "user: "+teaQuestion(5))...)
	p.expectWhole(6)
	p.expectRemembered()
	p.talk(6, 7)
	if n := p.summaries(); n != 1 {
		t.Errorf("%d summaries, want one", n)
	}
	chats := proxy.Chats(t)
	schema := 0
	for _, c := range chats {
		if strings.Contains(c.Messages[0].Content+c.Messages[len(c.Messages)-1].Content, "You compress a conversation") {
			schema++
			if len(c.Format) == 0 {
				t.Error("the compactor was asked without a schema")
			}
		}
	}
	if schema != 1 || len(chats) != 8 {
		t.Errorf("%d chats, %d of the compactor; want 8 and 1", len(chats), schema)
	}
}

// On request, and again after more messages: the lesson stays a single one.
func TestRealOllamaCompactsByHand(t *testing.T) {
	t.Parallel()
	p, proxy := tasting(t, "MAC_STATS_COMPACTION_THRESHOLD=100")
	p.talk(0, 5)
	for n := 1; n <= 2; n++ {
		o := p.run("sessions", "compact", "tea")
		o.expect(t, 0, o.stdout, "")
		if got := p.summaries(); got != n {
			t.Errorf("%d summaries, want %d: %s", got, n, o.stdout)
		}
		p.expectRemembered()
		p.talk(4+n, 5+n)
		expectSent(t, proxy, "system: "+teaSummary,
			"user: "+teaQuestion(2+n), "assistant: "+teaAnswer(2+n), "user: "+teaQuestion(3+n), "assistant: "+teaAnswer(3+n), "user: "+teaQuestion(4+n))
		p.expectWhole(5 + n)
	}
}
