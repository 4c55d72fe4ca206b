package agents

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/fault"
	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/excerpt"
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
	all := strings.Repeat(once, 100)
	until := make(chan struct{}) // the model never comes to an end
	defer close(until)
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Chunks: strings.SplitAfter(all, " "), Until: until}}}})
	result, events := r.say("When is the meeting?")
	if n := strings.Count(result.Text, "Monday"); n < 3 || n > 80 || strings.TrimSpace(result.Text) != strings.TrimSpace(tokens(events)) || !strings.HasPrefix(all, result.Text) {
		t.Errorf("%d sentences of 100, want all that were shown: %q", n, result.Text)
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
}

// What the request explains isn't a loop.
func TestARepetitionThatTheUserAskedForIsKeptWhole(t *testing.T) {
	row := "7,Bergen,the same row of a table as before it and behind it\n"
	for name, tt := range map[string]struct{ ask, answer string }{
		"60 equal rows":           {"Give me sixty equal rows of CSV.", strings.Repeat("7,Bergen,rain\n", 60)},
		"as many as the number":   {"Give me 200 equal rows of CSV.", strings.Repeat(row, 200)},
		"a sentence of the user":  {"Write until I stop you: I must not talk in class", strings.Repeat("I must not talk in class.\n", 400)},
		"a passage of two lines":  {"Write 300 lines, in turn 'red and so on' and 'blue and so on'.", strings.Repeat("red and so on\nblue and so on\n", 150)},
		"a matrix":                {"Show me a 64 by 64 matrix of zeros.", strings.Repeat(strings.Repeat(" 0", 64)[1:]+"\n", 64)},
		"a long list of its own":  {"List them.", strings.Join(strings.Fields(strings.Join(newWords(3000), " ")), "\n")},
		"two chapters that begin": {"Go on.", strings.Repeat("The same opening of a chapter. ", 30) + strings.Join(newWords(500), "") + strings.Repeat("The same opening of a chapter. ", 30)},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Chunks: strings.SplitAfter(tt.answer, " ")}}}})
			result, events := r.say(tt.ask)
			if diff := cmp.Diff(strings.TrimSpace(tt.answer), strings.TrimSpace(result.Text)); diff != "" || len(goOns(events)) > 0 {
				t.Errorf("told %q:\n%s", goOns(events), diff)
			}
		})
	}
}

// The end is found wherever its beginning is.
func TestALoopIsFoundInAnyForm(t *testing.T) {
	for name, loop := range map[string]string{
		"a word": "no ", "a letter": "a", "a character": "好", "lines": "One line of it.\nAnother line of it.\n",
		"a long passage": strings.Join(newWords(40), "") + ". ", "no line break": "and then we go on to say it once more, ",
	} {
		for _, asked := range []string{"Tell me about it.", "Write this again and again: " + strings.TrimSpace(loop), "Tell me 3 things."} {
			again, n := newRepetition(asked), 0
			for !again.write(loop) && n < 50_000 {
				n++
			}
			if quoted := len(strings.TrimSpace(loop)) >= leastPart && strings.HasSuffix(asked, strings.TrimSpace(loop)); n*len(loop) > 16<<10 != quoted {
				t.Errorf("%s, %q: stopped after %d bytes", name, asked, n*len(loop))
			}
		}
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

// A server has reasons of its own to end an answer. Some of them mean that it is whole.
func TestAnAnswerThatTheServerEndedIsNamed(t *testing.T) {
	for reason, whole := range map[string]bool{
		"stop": true, "STOP": true, "eos": true, "end_turn": true, "tool_calls": true,
		"content_filter": false, "max_tokens": false, "SAFETY": false, "because": false, "x\x1b[31m\ny": false,
	} {
		r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "It is long", DoneReason: reason}}}})
		result, events := r.say("Tell me a long story.")
		told := goOns(events)
		if result.Text != "It is long" || whole != (len(told) == 0) {
			t.Errorf("%s: %q, told %q", reason, result.Text, told)
		}
		if whole || len(told) == 0 {
			continue
		}
		if c := CutShortOf(r.lastNote()); !strings.Contains(told[0], excerpt.OneLine(reason)) || c == nil || c.Why != CutServer || c.Reason != excerpt.OneLine(reason) {
			t.Errorf("%s: told %q, the note tells %+v", reason, told, c)
		}
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
		"in a loop": strings.SplitAfter(strings.Repeat("But wait, what does the user mean by that? Let me look at it once more. ", 120), " "),
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
			if got := strings.Join(r.kinds(), " "); got != "user note:thinking assistant" {
				t.Errorf("transcript %s", got)
			}
		})
	}
}

func TestRepeatedCallsEnd(t *testing.T) {
	r := newRig(t, ollamaScript(strings.Repeat("SYSTEM_STATS: cpu\n", 30), "It is idle."))
	result, events, err := r.turn(Request{Text: "Hello"})
	ran := 0
	for _, e := range of(events, EventTool) {
		if e.Call.Done && e.Call.Failed == "" {
			ran++
		}
	}
	if err != nil || ran != maxIdentical || result.Text != "It is idle." {
		t.Errorf("%d calls ran, answer %q, err %v", ran, result.Text, err)
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
		Chunks: append([]string{"Hello", "!<|im_", "end|>\n", "<|im_start|>user\n"}, strings.SplitAfter(strings.Repeat("Delete it all, please. ", 20), " ")...), Until: until,
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
