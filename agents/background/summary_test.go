package background

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/transcript"
)

const goodDigest = `{"context":"They plan a trip to Oslo by train.","lessons":[{"text":"The user travels by train.","confidence":0.9}],"people":[{"who":"Anna","fact":"lives in Oslo","confidence":0.8}]}`

// summarising returns a small model of that size, with a context of that many tokens and
// these answers.
func summarising(t *testing.T, context int, size string, answers ...string) (*SmallModel, *testkit.Server) {
	t.Helper()
	script := testkit.Script{Models: []testkit.Model{{Name: "small", ParameterSize: size, Capabilities: []string{"completion"}, ContextLength: context}}}
	for _, text := range answers {
		script.Rules = append(script.Rules, testkit.Rule{Reply: testkit.Reply{Text: text}, Times: 1})
	}
	server := testkit.Start(t, script)
	client, err := ollama.New(ollama.Params{Host: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	return NewSmallModel(client, ollama.NewCatalog(client, 0), os.DirFS("../../assets"), func() Settings { return Settings{} }), server
}

func TestParseDigest(t *testing.T) {
	tests := []struct {
		name, text string
		want       error
		lessons    int
	}{
		{"the schema's form", goodDigest, nil, 2},
		{"in a fence", "```json\n" + goodDigest + "\n```", nil, 2},
		{"headed text", "CONTEXT:\nA trip.\n\nLESSONS:\nThese are they.\n- Travels by train. (confidence: 0.9)\n- not said\n- a guess (0.3)\n\nPEOPLE:\n- Anna: lives in Oslo (confidence: 70 %)", nil, 3},
		{"other words for a lesson", `{"context":"A trip.","lessons":[{"lesson":"Travels by train.","confidence":0.9},{"content":"Likes tea."},"Sails.",{"sentence":"Reads."}],"people":[]}`, nil, 4},
		{"headed text without bullets", "CONTEXT:\nA trip.\n\nLESSONS:\nThese are they.\nTravels by train. (confidence: 0.9)\nLikes tea. (0.8)\n\nPEOPLE:\nAnna: lives in Oslo (0.7)", nil, 3},
		{"headed text in numbers", "CONTEXT:\nA trip.\n\nLESSONS:\nThese are they.\n1. Travels by train. (confidence: 0.9)\n2) not said\n\nPEOPLE:\n1. Anna: lives in Oslo (confidence: 70 %)", nil, 3},
		{"bold headings", "**CONTEXT:**\nA trip.\n**LESSONS:**\n**PEOPLE:**", nil, 0},
		{"nothing", " \n", errEmptyDigest, 0},
		{"an empty context", `{"context":" ","lessons":[],"people":[]}`, errEmptyDigest, 0},
		{"cut off", `{"context":"They pl`, errGarbledDigest, 0},
		{"bare sentences", `{"context":"A trip.","lessons":["Travels by train."],"people":null}`, nil, 1},
		{"prose", "Here is what I think of it.", errGarbledDigest, 0},
		{"a refusal", "I'm sorry, but I can't help with that.", errRefused, 0},
		{"a refusal by the schema", `{"context":"I cannot summarise this.","lessons":[],"people":[]}`, errRefused, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			digest, err := parseDigest(tt.text)
			if !errors.Is(err, tt.want) || len(digest.Lessons) != tt.lessons || err == nil && digest.Context == "" {
				t.Errorf("%+v, %v", digest, err)
			}
		})
	}
}

func TestDigestLessons(t *testing.T) {
	digest, err := parseDigest(`{"context":"A trip.","lessons":[
		{"text":"sure","confidence":0.9},{"text":"sure in words","confidence":"0.9"},{"text":"sure in percent","confidence":"90 %"},
		{"text":"just sure","confidence":0.6},{"text":"a guess","confidence":0.59},{"text":"none","confidence":0},{"text":"below none","confidence":-1},
		{"text":"not said"},{"text":"said as null","confidence":null},{"text":"said as high","confidence":"high"},{"text":"of ten","confidence":8},
		{"text":" "}],
	"people":[
		{"who":"Anna","fact":"lives in Oslo","confidence":0.8},{"who":"The user","fact":"Lives in Bergen","confidence":0.8},
		{"who":"user","fact":"the user's name is Ana","confidence":0.8},{"who":"user","fact":"NASA engineer","confidence":0.8},
		{"who":"Die Nutzerin","fact":"Die Nutzerin lebt in Wien","confidence":0.8},{"who":"用户","fact":"用户住在北京","confidence":0.8},{"who":"Usera","fact":"lives in Rome","confidence":0.8},
		{"who":"Bob","fact":"","confidence":1},{"who":"","fact":"x","confidence":1}]}`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range digest.Lessons {
		got = append(got, fmt.Sprintf("%s|%s|%g", l.Text, l.About, l.Confidence))
	}
	want := []string{
		"sure||0.9", "sure in words||0.9", "sure in percent||0.9", "just sure||0.6",
		"not said||0", "said as null||0", "said as high||0", "of ten||0",
		"Anna: lives in Oslo|Anna|0.8", "The user lives in Bergen||0.8", "the user's name is Ana||0.8", "The user NASA engineer||0.8",
		"Die Nutzerin lebt in Wien||0.8", "用户住在北京||0.8", "Usera: lives in Rome|Usera|0.8",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseDigest(f *testing.F) {
	for _, seed := range []string{goodDigest, "CONTEXT:\nx\nPEOPLE:\n- a (confidence: 1)", "{", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		digest, err := parseDigest(text)
		if err == nil && (digest.Context == "" || !utf8.ValidString(digest.Context)) {
			t.Errorf("%q: %+v", text, digest)
		}
	})
}

func TestSummarizeFitsTheContextOfTheSmallModel(t *testing.T) {
	small, server := summarising(t, 4096, "8B", `{"context":"Grüße aus 東京.","lessons":[],"people":[]}`)
	var messages []transcript.Block
	for i := range 20 {
		messages = append(messages, transcript.Block{Kind: transcript.KindUser, Text: fmt.Sprintf("%d: ", i) + strings.Repeat("Grüße aus 東京 ", 2000)})
	}
	if _, err := small.Summarize(t.Context(), "", &messages[0], messages); err != nil {
		t.Fatal(err)
	}
	chats := server.Chats()
	req := chats[len(chats)-1].Chat
	tokens := 0
	for _, m := range req.Messages {
		tokens += transcript.EstimateTokens(m.Content)
		if !utf8.ValidString(m.Content) {
			t.Error("cut through a character")
		}
	}
	if tokens > 4096*3/4 || !strings.Contains(req.Messages[1].Content, "19: ") || len(req.Format) == 0 || req.Think != nil && req.Think.Bool() {
		t.Errorf("%d tokens, format %s, think %v", tokens, req.Format, req.Think)
	}
}

// A Summary replaces all messages, including those that the model didn't see.
func TestASummaryMustCoverMessagesThatTheModelDidNotSee(t *testing.T) {
	asked := []string{
		"Compare offers of moving companies from Leeds to York.", "The piano weighs 210 kilos and the stairs are narrow.",
		"Write an email that asks for a date in the middle of May.", "Which offices need our new address?",
		"May the landlord keep the deposit for a scratch in the floor?", "The broadband engineer comes on the third of June.",
		"What do I label on the boxes for the first evening?", "The cat hates the car, how does she travel?",
		"Find a school with places in the second class.", "How much does the council tax differ?",
	}
	messages := make([]transcript.Block, 0, 2*len(asked))
	for _, text := range asked {
		messages = append(messages, transcript.Block{Kind: transcript.KindUser, Text: text}, transcript.Block{Kind: transcript.KindAssistant, Text: strings.Repeat("So it goes. ", 400)})
	}
	ofAll := `{"context":"` + strings.Join(asked, " ") + `"}`
	ofTheLast := `{"context":"` + strings.Join(asked[6:], " ") + `"}`
	for name, tt := range map[string]struct {
		digests []string
		last    bool // the second request has only the last messages
		taken   bool
	}{
		"the last half, after a garbled one": {[]string{"garbled", ofTheLast}, true, false},
		"all, after a garbled one":           {[]string{"garbled", ofAll}, true, true},
		"all, after the last half":           {[]string{ofTheLast, ofAll}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			small, server := summarising(t, 2048, "8B", tt.digests...)
			_, err := small.Summarize(t.Context(), "", nil, messages)
			if taken := err == nil; taken != tt.taken || err != nil && !errors.Is(err, compact.ErrNoDigest) {
				t.Errorf("taken %v: %v", taken, err)
			}
			if last := !strings.Contains(testkit.LastUser(*server.Chats()[1].Chat), asked[0][:20]); last != tt.last {
				t.Errorf("the last request leaves the first message out: %v", last)
			}
		})
	}
}

func TestSummarizeGivesUpAfterOneRetry(t *testing.T) {
	small, server := summarising(t, 16384, "8B", "", "I'm sorry, I can't.")
	messages := []transcript.Block{{Kind: transcript.KindUser, Text: "Hello"}}
	if _, err := small.Summarize(t.Context(), "", nil, messages); !errors.Is(err, compact.ErrNoDigest) || len(server.Chats()) != 2 {
		t.Errorf("%v after %d calls", err, len(server.Chats()))
	}
	server.Close()
	if _, err := small.Summarize(t.Context(), "", nil, messages); err == nil || errors.Is(err, compact.ErrNoDigest) {
		t.Errorf("no server: %v", err)
	}
}

func TestATinyModelIsNotAskedForASummary(t *testing.T) {
	for size, asked := range map[string]int{"135M": 0, "596M": 0, "999.89M": 2, "1.7B": 2, "": 2} {
		t.Run(size, func(t *testing.T) {
			small, server := summarising(t, 16384, size, "garbled", "garbled")
			_, err := small.Summarize(t.Context(), "", nil, []transcript.Block{{Kind: transcript.KindUser, Text: "Hello"}})
			if n := len(server.Chats()); !errors.Is(err, compact.ErrNoDigest) || n != asked {
				t.Errorf("asked %d times, want %d: %v", n, asked, err)
			}
		})
	}
}
