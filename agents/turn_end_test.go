package agents

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/fault"
	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/transcript"
)

// lastNote returns the last Note of the transcript.
func (r *rig) lastNote() transcript.Block {
	r.t.Helper()
	blocks := r.blocks()
	b := blocks[len(blocks)-1]
	if b.Kind != transcript.KindNote {
		r.t.Fatalf("the transcript ends with %s %q", b.Kind, b.Text)
	}
	return b
}

// goOns returns the events that report an answer as cut short.
func goOns(events []Event) (list []string) {
	for _, e := range events {
		if e.GoOn {
			list = append(list, e.Detail)
		}
	}
	return list
}

func TestAnAnswerThatRepeatsItselfIsStopped(t *testing.T) {
	once := "The meeting is on Monday. Bring the report and the figures of the last year with you.\n"
	until := make(chan struct{}) // the model never comes to an end
	defer close(until)
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Chunks: strings.SplitAfter(strings.Repeat(once, 40), " "), Until: until}}}})
	result, events := r.say("When is the meeting?")
	if want := strings.TrimSpace(once); result.Text != want {
		t.Errorf("answer %q, want it once", result.Text)
	}
	if got := goOns(events); len(got) != 1 || !strings.Contains(got[0], "repeat itself") {
		t.Errorf("told %q", got)
	}
	if note := r.lastNote(); !CanGoOn(note) || note.Note != noteLimit {
		t.Errorf("note %+v", note)
	}
	if _, events = r.say("continue"); len(of(events, EventDone)) != 1 {
		t.Error("the conversation doesn't go on")
	}
	if got := r.chat(-1).Messages; strings.Count(got[len(got)-2].Content, "Monday") != 1 {
		t.Errorf("the next turn is sent %q", got[len(got)-2].Content)
	}
}

func TestAnAnswerIsStoppedAfterItsTimeLimit(t *testing.T) {
	chunks := make([]string, 2000)
	for i := range chunks {
		chunks[i] = "word" + strings.Repeat("x", i%50) + strings.Repeat("y", i/50) + " "
	}
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Chunks: chunks, Delay: 10 * time.Millisecond}}}})
	r.settings.AnswerTime = 100 * time.Millisecond
	result, events := r.say("Talk to me.")
	if n := len(strings.Fields(result.Text)); n == 0 || n == len(chunks) {
		t.Errorf("%d words", n)
	}
	if got := goOns(events); len(got) != 1 || !strings.Contains(got[0], "100ms (ollama.answer_time)") {
		t.Errorf("told %q", got)
	}
	if c := CutShortOf(r.lastNote()); c == nil || *c != (CutShort{Why: CutTime, Model: testModel, After: 100 * time.Millisecond}) {
		t.Errorf("the note %+v tells %+v", r.lastNote(), c)
	}
}

func TestAnAnswerThatFillsTheContextIsMarked(t *testing.T) {
	r := newRig(t, testkit.Script{
		Models: []testkit.Model{textModel(testModel, 4096)},
		Rules:  []testkit.Rule{{Reply: testkit.Reply{Text: "It is long", DoneReason: "length", AnswerTokens: 4000}}},
	})
	_, events := r.say("Tell me a long story.")
	most, ok := r.chat(0).Options["num_predict"].(float64)
	if !ok || most < 1024 || most > 4096 {
		t.Errorf("num_predict is %v of a context of 4,096", r.chat(0).Options["num_predict"])
	}
	if got := goOns(events); len(got) != 1 || !strings.Contains(got[0], "context of "+testModel+" is full") {
		t.Errorf("told %q", got)
	}
	r.say("And now?")
	if next, _ := r.chat(1).Options["num_predict"].(float64); next >= most {
		t.Errorf("num_predict %v with more history, %v before", next, most)
	}
}

func TestAnAnswerThatIsTooLongIsMarked(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "It is long", DoneReason: "length"}}}})
	_, events := r.say("Tell me a long story.")
	if got := goOns(events); len(got) != 1 || strings.Contains(got[0], "full") || !strings.Contains(got[0], "maximum length (num_predict)") {
		t.Errorf("told %q in an empty context", got)
	}
	if c := CutShortOf(r.lastNote()); c == nil || *c != (CutShort{Why: CutLength, Model: testModel}) {
		t.Errorf("the note %+v tells %+v", r.lastNote(), c)
	}
}

func TestANoteOfAnOlderVersionHasOnlyItsText(t *testing.T) {
	note := transcript.Block{Kind: transcript.KindNote, Note: noteLimit, Attrs: map[string]string{attrGoOn: "yes"}}
	if c := CutShortOf(note); c != nil || !CanGoOn(note) {
		t.Errorf("it tells %+v, can go on: %v", c, CanGoOn(note))
	}
}

func TestAModelThatThinksTooLongAnswersWithoutThinking(t *testing.T) {
	for name, thinking := range map[string][]string{
		"in a loop": strings.SplitAfter(strings.Repeat("But wait, what does the user mean by that? Let me look at it once more. ", 60), " "),
		"too long":  newWords(6000),
	} {
		t.Run(name, func(t *testing.T) {
			until := make(chan struct{})
			defer close(until)
			r := newRig(t, testkit.Script{
				Models: []testkit.Model{{Name: testModel, ParameterSize: "8B", Capabilities: []string{"completion", "thinking"}, ContextLength: 4096}},
				Rules: []testkit.Rule{
					{Times: 1, Reply: testkit.Reply{Thinking: thinking, Text: "never", Until: until}},
					{Reply: testkit.Reply{Text: "It is noon."}},
				},
			})
			result, _ := r.say("What time is it?")
			if result.Text != "It is noon." {
				t.Errorf("answer %q", result.Text)
			}
			if think := r.chat(1).Think; think == nil || think.Bool() {
				t.Errorf("asked again with think = %v", think)
			}
			if got := strings.Join(r.kinds(), " "); got != "user assistant" {
				t.Errorf("transcript %s", got)
			}
		})
	}
}

func TestRepeatedCallsRunOnce(t *testing.T) {
	r := newRig(t, ollamaScript(strings.Repeat("SYSTEM_STATS: cpu\nI look at the processor now, then I look at the memory, too.\n", 30), "It is idle."))
	result, events, err := r.turn(Request{Text: "Hello"})
	if n := len(of(events, EventTool)); err != nil || n != 2 || result.Text != "It is idle." { // its start and its end
		t.Errorf("%d events of calls, answer %q, err %v", n, result.Text, err)
	}
}

// newWords returns n different words.
func newWords(n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = strings.Repeat("a", i%77) + strings.Repeat("b", i/77) + " "
	}
	return words
}

// A model whose template or stop words are missing continues with a turn of the user.
func TestAnAnswerEndsBeforeAMadeUpUserTurn(t *testing.T) {
	until := make(chan struct{}) // the model never comes to an end
	defer close(until)
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{
		Chunks: []string{"Hello", "!<|im_", "end|>\n", "<|im_start|>user\n", "Delete it all, please."}, Until: until,
	}}}})
	result, events := r.say("Hi")
	if result.Text != "Hello!" || len(goOns(events)) != 0 {
		t.Errorf("answer %q, told %q", result.Text, goOns(events))
	}
	for _, e := range of(events, EventToken) {
		if strings.Contains(e.Text, "<|") {
			t.Errorf("shown: %q", e.Text)
		}
	}
}

func TestAnInvisibleAnswerIsEmpty(t *testing.T) {
	for _, text := range []string{"", " \n\n ", "\u200b", "\ufeff\u2060", "```\n```", "<|im_end|>", "<think>\n\n</think>\n\n"} {
		r := newRig(t, ollamaScript(text))
		if result, _, err := r.turn(Request{Text: "Hi"}); !errors.Is(err, fault.ErrEmpty) {
			t.Errorf("%q is the answer %q, %v", text, result.Text, err)
		}
		if kinds := r.kinds(); len(kinds) != 2 || kinds[1] != "note:error" {
			t.Errorf("%q: the transcript holds %v", text, kinds)
		}
	}
}
