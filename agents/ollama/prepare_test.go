package ollama_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
)

// A beginning is read in steps of two seconds by the measured speed, each of which extends
// the one before; in the end all of it has been read, and it isn't read again.
func TestPrepareReadsTheBeginningInSteps(t *testing.T) {
	text := func(r *api.ChatRequest) string {
		var s strings.Builder
		for _, m := range r.Messages {
			s.WriteString("<" + m.Role + ">" + m.Content)
		}
		return s.String()
	}
	read := 0
	server := testkit.Start(t, testkit.Script{
		Models: []testkit.Model{{Name: "m", Loaded: true, ContextLength: 32768}},
		Rules: []testkit.Rule{{Func: func(r api.ChatRequest) testkit.Reply { // about 1,000 tokens in a second
			fresh := max(len(text(&r))-read, 1)
			read += fresh
			return testkit.Reply{Text: "x", ReadTime: time.Duration(fresh) * time.Millisecond / 4}
		}}},
	})
	client, err := ollama.New(ollama.Params{Host: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	req := ollama.ChatRequest{
		Model: "m", Tools: api.Tools{{Type: "function", Function: api.ToolFunction{Name: "LOOK", Description: strings.Repeat("looks ", 40)}}},
		Messages: []api.Message{
			{Role: "system", Content: strings.Repeat("Größer als je zuvor. ", 400)},
			{Role: "user", Content: strings.Repeat("A question. ", 100)},
			{Role: "assistant", Content: strings.Repeat("An answer. ", 100)},
		},
	}
	if _, err := client.Prepare(t.Context(), req, ollama.PrepareOptions{}); err != nil {
		t.Fatal(err)
	}
	steps := server.Chats()
	if len(steps) < 2 || len(steps) > 8 { // the first ones are small
		t.Fatalf("%d steps", len(steps))
	}
	for i, s := range steps {
		if s.Chat.Options["num_predict"] != float64(1) {
			t.Errorf("step %d asks for %v tokens", i, s.Chat.Options["num_predict"])
		}
		if i > 0 && (!strings.HasPrefix(text(s.Chat), text(steps[i-1].Chat)) || text(s.Chat) == text(steps[i-1].Chat) && len(s.Chat.Tools) == len(steps[i-1].Chat.Tools)) {
			t.Errorf("step %d doesn't extend the one before", i)
		}
		if strings.Contains(text(s.Chat), "\uFFFD") {
			t.Errorf("step %d ends within a character", i)
		}
	}
	last := steps[len(steps)-1].Chat
	if text(last) != "<system>"+req.Messages[0].Content+"<user>"+req.Messages[1].Content+"<assistant>"+req.Messages[2].Content || len(last.Tools) != 1 {
		t.Errorf("the last step isn't the whole beginning: %d messages, %d tools", len(last.Messages), len(last.Tools))
	}
	if n, err := client.Prepare(t.Context(), req, ollama.PrepareOptions{}); n != 0 || err != nil || len(server.Chats()) != len(steps) {
		t.Errorf("prepared twice: %d bytes, %v", n, err)
	}
	req.Messages = append(req.Messages, api.Message{Role: "user", Content: "What now?"})
	if r := client.Expect(req); r.New > 20 || r.Prompt < 1000 {
		t.Errorf("the next request is expected to read %d of %d tokens", r.New, r.Prompt)
	}
	if res, err := client.Chat(t.Context(), req); err != nil || res.Reading.New > 20 || res.Reading.Prompt != res.PromptTokens {
		t.Errorf("it read %+v, %v", res.Reading, err)
	}
}

// However much the server kept for another process, which looks like speed, and however much
// slower it reads the further it gets: no step takes longer than two and a half seconds.
func TestPrepareKeepsItsStepsShort(t *testing.T) {
	system := strings.Repeat("A rule. ", 3000)
	for name, kept := range map[string]string{"nothing": "", "a little": system[:2000], "half of it": system[:12_000], "all of it": system, "more than that": system + "And more."} {
		for speed := range map[int]bool{25: true, 100: true, 4000: true} { // tokens in a second, at the beginning
			t.Run(fmt.Sprintf("%s, %d", name, speed), func(t *testing.T) {
				slot, longest := kept, time.Duration(0)
				server := testkit.Start(t, testkit.Script{
					Models: []testkit.Model{{Name: "m", Loaded: true, ContextLength: 32768}},
					Rules: []testkit.Rule{{Func: func(r api.ChatRequest) testkit.Reply {
						text, shared := "", 0
						for _, m := range r.Messages {
							text += m.Content
						}
						for shared < min(len(slot), len(text)) && slot[shared] == text[shared] {
							shared++
						}
						slot = text
						took := time.Duration(float64(len(text)-shared) / 4 / float64(speed) * (1 + float64(len(text))/40_000) * float64(time.Second))
						longest = max(longest, took)
						return testkit.Reply{Text: "x", ReadTime: took + 5*time.Millisecond}
					}}},
				})
				client, err := ollama.New(ollama.Params{Host: server.URL()})
				if err != nil {
					t.Fatal(err)
				}
				req := ollama.ChatRequest{Model: "m", Messages: []api.Message{{Role: "system", Content: system}, {Role: "user", Content: "Is it?"}}}
				if _, err := client.Prepare(t.Context(), req, ollama.PrepareOptions{}); err != nil {
					t.Fatal(err)
				}
				if longest > 2500*time.Millisecond {
					t.Errorf("a step took %v", longest)
				}
			})
		}
	}
}

// A step may end in front of a message that has no text, such as a call of a tool.
func TestPrepareStepsEndAnywhere(t *testing.T) {
	server := testkit.Start(t, testkit.Script{Models: []testkit.Model{{Name: "m", Loaded: true}}, Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "x"}}}})
	for n := range 140 {
		client, err := ollama.New(ollama.Params{Host: server.URL()})
		if err != nil {
			t.Fatal(err)
		}
		req := ollama.ChatRequest{Model: "m", Messages: []api.Message{
			{Role: "system", Content: strings.Repeat("é", n/2)},
			{Role: "assistant", ToolCalls: []api.ToolCall{testkit.ToolCall("LOOK", "at", "it")}},
			{Role: "tool", Content: strings.Repeat("seen ", 800)},
		}}
		if _, err := client.Prepare(t.Context(), req, ollama.PrepareOptions{}); err != nil {
			t.Fatal(err)
		}
		if r := client.Expect(req); r.New > 210 { // of 800 bytes, which aren't worth a step
			t.Errorf("after %d bytes: %+v", n, r)
		}
	}
}

// Who sends a message never waits for a preparation: our side lets go within 100 ms, whatever
// the server does with it.
func TestPrepareGivesWayToAChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := inBubble(t, testkit.New(testkit.Script{
			Models: []testkit.Model{{Name: "m", Loaded: true}},
			Rules: []testkit.Rule{
				{Name: "prepare", When: func(r api.ChatRequest) bool { return r.Options["num_predict"] == float64(1) }, Reply: testkit.Reply{Text: "x", FirstDelay: 30 * time.Second}},
				{Reply: testkit.Reply{Text: "An answer."}},
			},
		}))
		req := ollama.ChatRequest{Model: "m", Messages: []api.Message{{Role: "system", Content: strings.Repeat("A rule. ", 400)}}}
		var ended error
		var at time.Time
		go func() {
			_, ended = client.Prepare(context.Background(), req, ollama.PrepareOptions{})
			at = time.Now()
		}()
		time.Sleep(5 * time.Second)
		sent := time.Now()
		res, err := client.Chat(t.Context(), ollama.ChatRequest{Model: "m", Messages: []api.Message{{Role: "user", Content: "Hello"}}})
		if took := time.Since(sent); err != nil || res.Content != "An answer." || took > 100*time.Millisecond {
			t.Errorf("%+v after %v, %v", res, took, err)
		}
		synctest.Wait()
		if took := at.Sub(sent); !errors.Is(ended, ollama.ErrAside) || took < 0 || took > 100*time.Millisecond {
			t.Errorf("the preparation ended with %v after %v", ended, took)
		}
	})
}

// What is begun is read to its end: the rest would be what the next message waits for.
func TestPrepareReadsToTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read := 0
		server := testkit.New(testkit.Script{Models: []testkit.Model{{Name: "m", Loaded: true}}, Rules: []testkit.Rule{{Func: func(r api.ChatRequest) testkit.Reply {
			size := 0
			for _, m := range r.Messages {
				size += len(m.Content)
			}
			fresh := max(size-read, 1)
			read = size
			return testkit.Reply{Text: "x", ReadTime: time.Duration(fresh) * 10 * time.Millisecond} // 25 tokens in a second
		}}}})
		client := inBubble(t, server)
		req := ollama.ChatRequest{Model: "m", Messages: []api.Message{
			{Role: "system", Content: strings.Repeat("A rule. ", 200)}, {Role: "user", Content: "Hello"}, {Role: "assistant", Content: strings.Repeat("An answer. ", 50)},
		}}
		if _, err := client.Prepare(t.Context(), req, ollama.PrepareOptions{}); err != nil {
			t.Fatal(err)
		}
		chats := server.Chats()
		if last := chats[len(chats)-1].Chat.Messages; len(chats) < 4 || len(last) != 3 || last[2].Content != req.Messages[2].Content {
			t.Errorf("after %d steps, the last of %d messages is %q", len(chats), len(last), last[len(last)-1].Content)
		}
	})
}

// Vectors are made at the same time as the next request is prepared: after a turn. They give
// way, because nobody waits for them.
func TestPrepareGoesBeforeVectors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := inBubble(t, testkit.New(testkit.Script{
			Models: []testkit.Model{{Name: "m", Loaded: true}, {Name: "e", Capabilities: []string{"embedding"}, LoadDelay: 5 * time.Second}},
			Rules:  []testkit.Rule{{Reply: testkit.Reply{Text: "x"}}},
		}))
		vectors := make(chan error, 1)
		go func() {
			_, err := client.Embed(context.Background(), "e", []string{"some text"})
			vectors <- err
		}()
		time.Sleep(time.Second)
		req := ollama.ChatRequest{Model: "m", Messages: []api.Message{{Role: "system", Content: strings.Repeat("A rule. ", 400)}}}
		begun := time.Now()
		bytes, err := client.Prepare(t.Context(), req, ollama.PrepareOptions{})
		if took := time.Since(begun); err != nil || bytes < 3000 || took > time.Second {
			t.Errorf("%d bytes were read after %v, %v", bytes, took, err)
		}
		if err := <-vectors; !errors.Is(err, ollama.ErrAside) {
			t.Errorf("the vectors: %v", err)
		}
	})
}

// Preparing takes nothing from anybody.
func TestPrepareTakesNothingFromOthers(t *testing.T) {
	yes := true
	for name, c := range map[string]struct {
		loaded []string
		load   bool
		stop   bool
		pull   bool
		want   error
	}{
		"the model is loaded":            {[]string{"m"}, false, false, false, nil},
		"no model is loaded":             {nil, false, false, false, ollama.ErrNotLoaded},
		"no model is loaded, and it may": {nil, true, false, false, nil},
		"another one is loaded":          {[]string{"other"}, true, false, false, ollama.ErrNotLoaded},
		"both are loaded":                {[]string{"m", "other"}, false, false, false, nil},
		"somebody waits":                 {[]string{"m"}, true, true, false, ollama.ErrBusy},
		"a model is downloaded":          {[]string{"m"}, true, false, true, ollama.ErrBusy},
	} {
		t.Run(name, func(t *testing.T) {
			models := []testkit.Model{{Name: "m"}, {Name: "other"}}
			for i := range models {
				for _, l := range c.loaded {
					models[i].Loaded = models[i].Loaded || models[i].Name == l
				}
			}
			server := testkit.Start(t, testkit.Script{
				Models: models, Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "x"}}},
				Pulls: map[string]testkit.Pull{"large": {Steps: 10_000, Delay: 20 * time.Millisecond}},
			})
			client, err := ollama.New(ollama.Params{Host: server.URL()})
			if err != nil {
				t.Fatal(err)
			}
			if c.pull {
				ctx, stop := context.WithCancel(t.Context())
				begun, ended := make(chan struct{}, 9), make(chan error, 1)
				go func() { ended <- client.Pull(ctx, "large", func(ollama.Progress) { begun <- struct{}{} }) }()
				<-begun
				defer func() { stop(); <-ended }()
			}
			req := ollama.ChatRequest{Model: "m", Think: &yes, Messages: []api.Message{{Role: "system", Content: strings.Repeat("A rule. ", 400)}}}
			_, err = client.Prepare(t.Context(), req, ollama.PrepareOptions{Load: c.load, Stop: func() bool { return c.stop }})
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if n := len(server.Chats()); (n > 0) != (c.want == nil) {
				t.Errorf("%d requests were made", n)
			}
		})
	}
}

// A model that runs elsewhere is asked nothing before somebody sends a message.
func TestPrepareAsksNoModelElsewhere(t *testing.T) {
	for name, m := range map[string]testkit.Model{
		"by its name":        {Name: "big:120b-cloud"},
		"by its description": {Name: "mine", RemoteHost: "https://models.example"},
	} {
		t.Run(name, func(t *testing.T) {
			server := testkit.Start(t, testkit.Script{Models: []testkit.Model{m}, Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "x"}}}})
			client, err := ollama.New(ollama.Params{Host: server.URL()})
			if err != nil {
				t.Fatal(err)
			}
			req := ollama.ChatRequest{Model: m.Name, Messages: []api.Message{{Role: "system", Content: strings.Repeat("A rule. ", 400)}}}
			if _, err := client.Prepare(t.Context(), req, ollama.PrepareOptions{Load: true}); !errors.Is(err, ollama.ErrNotLoaded) || len(server.Chats()) > 0 {
				t.Errorf("%v, %d requests", err, len(server.Chats()))
			}
		})
	}
}

// A server keeps nothing of a model that was unloaded, so its prompt is read again.
func TestPrepareReadsAgainWhatWasUnloaded(t *testing.T) {
	server := testkit.Start(t, testkit.Script{Models: []testkit.Model{{Name: "m", Loaded: true}}, Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "x"}}}})
	client, err := ollama.New(ollama.Params{Host: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	req := ollama.ChatRequest{Model: "m", Messages: []api.Message{{Role: "system", Content: strings.Repeat("A rule. ", 400)}, {Role: "user", Content: "Is it?"}}}
	if _, err := client.Chat(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if n, err := client.Prepare(t.Context(), req, ollama.PrepareOptions{Load: true}); n != 0 || err != nil {
		t.Fatalf("while it is loaded: %d bytes, %v", n, err)
	}
	server.Unload("m")
	begun := 0
	n, err := client.Prepare(t.Context(), req, ollama.PrepareOptions{Load: true, Begins: func() { begun++ }})
	if n < 3000 || err != nil || begun != 1 {
		t.Errorf("%d bytes, %v, begun %d times", n, err, begun)
	}
}

// A preparation that gives way has replaced what the server kept of another conversation.
func TestAnEndedPreparationCountsAsRead(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	server := testkit.Start(t, testkit.Script{
		Models: []testkit.Model{{Name: "m", Loaded: true}},
		Rules: []testkit.Rule{
			{Name: "prepare", When: func(r api.ChatRequest) bool { return r.Options["num_predict"] == float64(1) }, Reply: testkit.Reply{Text: "x", Until: release}},
			{Reply: testkit.Reply{Text: "An answer."}},
		},
	})
	client, err := ollama.New(ollama.Params{Host: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	one := ollama.ChatRequest{Model: "m", Messages: []api.Message{{Role: "system", Content: strings.Repeat("A rule. ", 400)}, {Role: "user", Content: "Is it?"}}}
	if _, err := client.Chat(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	before := client.Expect(one)
	ctx, stop := context.WithCancel(t.Context())
	other := ollama.ChatRequest{Model: "m", Messages: []api.Message{{Role: "system", Content: strings.Repeat("Other rules. ", 400)}}}
	if _, err := client.Prepare(ctx, other, ollama.PrepareOptions{Begins: stop}); err == nil {
		t.Fatal("it wasn't ended")
	}
	if after := client.Expect(one); before.New != 0 || after.New < after.Prompt*9/10 {
		t.Errorf("expected to read %+v before, %+v after", before, after)
	}
}

// What a model without system messages will read is counted as it is sent.
func TestExpectKnowsModelsWithoutSystemMessages(t *testing.T) {
	server := testkit.Start(t, testkit.Script{Models: []testkit.Model{{Name: "m", Loaded: true}}, Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "x"}}}})
	client, err := ollama.New(ollama.Params{Host: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	req := ollama.ChatRequest{Model: "m", NoSystem: true, Messages: []api.Message{{Role: "system", Content: strings.Repeat("A rule. ", 400)}, {Role: "user", Content: "Is it?"}}}
	if _, err := client.Chat(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if r := client.Expect(req); r.New > 0 || r.Prompt == 0 {
		t.Errorf("%+v", r)
	}
}

// A server that reads much longer than expected has lost what it had read. What it kept for another
// process is unknown, and its speed with it.
func TestReadingNoticesALostBeginning(t *testing.T) {
	for name, c := range map[string]struct {
		took   []time.Duration // of the reading
		loaded bool            // before this process's first request
		lost   bool
	}{
		"kept":                 {[]time.Duration{time.Second, 20 * time.Millisecond}, false, false},
		"lost":                 {[]time.Duration{time.Second, 1100 * time.Millisecond}, false, true},
		"steady":               {[]time.Duration{time.Second, 0}, false, false},
		"kept for another one": {[]time.Duration{5 * time.Millisecond, 40 * time.Millisecond}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			at := 0
			server := testkit.Start(t, testkit.Script{Models: []testkit.Model{{Name: "m", Loaded: c.loaded}}, Rules: []testkit.Rule{{Func: func(api.ChatRequest) testkit.Reply {
				at++
				return testkit.Reply{Text: "Yes.", ReadTime: c.took[at-1]}
			}}}})
			client, err := ollama.New(ollama.Params{Host: server.URL()})
			if err != nil {
				t.Fatal(err)
			}
			req := ollama.ChatRequest{Model: "m", Messages: []api.Message{{Role: "system", Content: strings.Repeat("A rule. ", 800)}, {Role: "user", Content: "Is it?"}}}
			if res, err := client.Chat(t.Context(), req); err != nil || (res.Reading.New == res.PromptTokens) == c.loaded || c.loaded && res.Reading.New != 0 || res.Reading.Lost {
				t.Fatalf("first: %+v, %v", res.Reading, err)
			}
			req.Messages = append(req.Messages, api.Message{Role: "assistant", Content: "Yes."}, api.Message{Role: "user", Content: "Really?"})
			res, err := client.Chat(t.Context(), req)
			if err != nil || res.Reading.Lost != c.lost || (res.Reading.New == res.PromptTokens) != c.lost {
				t.Errorf("then: %+v of %d, %v", res.Reading, res.PromptTokens, err)
			}
		})
	}
}

// Two conversations that take turns on a model cost the server a reading each time, unless it
// keeps both, which its timings tell.
func TestConversationsThatTakeTurnsAreNoticed(t *testing.T) {
	sized := func(name string) []api.Message {
		return []api.Message{{Role: "system", Content: strings.Repeat("A rule. ", 400)}, {Role: "user", Content: strings.Repeat(name+" asks. ", 400)}}
	}
	for name, c := range map[string]struct {
		turns   string // who asks
		several bool   // the server keeps both
		want    bool
	}{
		"one alone":               {"aaaaaa", false, false},
		"one after the other":     {"aaabbb", false, false},
		"one that is asked once":  {"aabaa", false, false},
		"two by turns":            {"aababab", false, true},
		"two by turns, both kept": {"aababab", true, false},
		"three by turns":          {"abcabc", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			read := map[byte]int{}
			at := 0
			server := testkit.Start(t, testkit.Script{Models: []testkit.Model{{Name: "m"}}, Rules: []testkit.Rule{{Func: func(r api.ChatRequest) testkit.Reply {
				size := 0
				for _, m := range r.Messages {
					size += len(m.Content)
				}
				who := c.turns[at]
				fresh := size - read[who]
				if !c.several {
					clear(read)
				}
				read[who], at = size, at+1
				return testkit.Reply{Text: "Yes.", ReadTime: time.Duration(fresh) * time.Millisecond}
			}}}})
			client, err := ollama.New(ollama.Params{Host: server.URL()})
			if err != nil {
				t.Fatal(err)
			}
			asked := map[rune][]api.Message{}
			var last ollama.Reading
			for _, who := range c.turns {
				if asked[who] == nil {
					asked[who] = sized(string(who))
				} else {
					asked[who] = append(asked[who], api.Message{Role: "assistant", Content: "Yes."}, api.Message{Role: "user", Content: "And now?"})
				}
				res, err := client.Chat(t.Context(), ollama.ChatRequest{Model: "m", Messages: asked[who]})
				if err != nil {
					t.Fatal(err)
				}
				last = res.Reading
			}
			if got := client.TakesTurns("m"); got != c.want {
				t.Errorf("noticed: %v", got)
			}
			if c.several && last.New > 100 {
				t.Errorf("it read %+v at last", last)
			}
		})
	}
}

// What a client remembers of the prompts that it sent holds no text of them: it outlives private
// conversations and what was forgotten.
func TestTheClientKeepsNoPrompt(t *testing.T) {
	server := testkit.Start(t, testkit.Script{Models: []testkit.Model{{Name: "m", Loaded: true}}, Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "It is rose eighty."}}}})
	client, err := ollama.New(ollama.Params{Host: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	req := ollama.ChatRequest{Model: "m", Messages: []api.Message{{Role: "system", Content: strings.Repeat("A rule. ", 400)}, {Role: "user", Content: "Is the gate code tulip nineteen?"}}}
	if _, err := client.Chat(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Prepare(t.Context(), ollama.ChatRequest{Model: "m", Messages: []api.Message{{Role: "system", Content: strings.Repeat("The key is under the mat. ", 400)}}}, ollama.PrepareOptions{}); err != nil {
		t.Fatal(err)
	}
	kept := fmt.Sprintf("%+v", client)
	for _, text := range []string{"tulip", "rose", "rule", "mat."} {
		if strings.Contains(kept, text) {
			t.Errorf("it keeps %q", text)
		}
	}
}
