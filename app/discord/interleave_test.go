package discord_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
	"mac-stats/app/apptest"
	"mac-stats/sessionmem/transcript"
)

// tag identifies a message of a place: "m-200-17".
var tag = regexp.MustCompile(`m-(\d+)-(\d+)\b`)

// echo is a model that repeats the last message's tag and sometimes fails.
func echo(fails func() bool) testkit.Script {
	return testkit.Script{Rules: []testkit.Rule{{Func: func(req api.ChatRequest) testkit.Reply {
		if fails != nil && fails() {
			return testkit.Reply{Fault: &testkit.Fault{Kind: testkit.FaultStatus, Status: 500}}
		}
		found := tag.FindAllString(req.Messages[len(req.Messages)-1].Content, -1)
		return testkit.Reply{Text: "echo of " + strings.Join(found, " ")}
	}}}}
}

func TestInterleavedPlacesStaySeparate(t *testing.T) {
	t.Parallel()
	total := 200
	switch {
	case full():
		total = 1000
	case testing.Short():
		total = 80
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	failing := rand.New(rand.NewPCG(seed, 2))
	turn := make(chan struct{}, 1)
	r := start(t, options{
		channels: openToAll + "[limits]\nperson = \"10000/1h\"\nchannel = \"10000/1h\"\n",
		script: echo(func() bool {
			turn <- struct{}{}
			defer func() { <-turn }()
			return failing.IntN(50) == 0
		}),
	})
	withThread(r, ben, "the starter")
	places := []string{general, "201", thread}
	said := map[string][]string{} // tags in order, by place
	people := []apptest.User{anna, ben, {ID: "303", Name: "Cleo"}}
	answeredTags := func() map[string]int {
		counts := map[string]int{}
		for _, m := range r.fake.Sent("") {
			for _, found := range tag.FindAllString(m.Text, -1) {
				counts[found]++
			}
			if strings.HasPrefix(m.Text, "The model gave no answer") {
				counts["failed "+m.Channel]++
			}
		}
		return counts
	}
	done := func(place string) int {
		n := 0
		for _, m := range r.fake.Sent(place) {
			if strings.HasPrefix(m.Text, "echo of") || strings.HasPrefix(m.Text, "The model gave no answer") {
				n++
			}
		}
		return n
	}
	for i := range total {
		place := places[random.IntN(len(places))]
		r.await("room in the queue", func() bool { return len(said[place])-done(place) < 6 })
		text := fmt.Sprintf("m-%s-%d", place, len(said[place]))
		said[place] = append(said[place], text)
		id := r.mention(place, people[random.IntN(len(people))], text)
		switch random.IntN(120) {
		case 0:
			r.fake.Drop()
		case 1, 2, 3, 9, 10, 11:
			r.fake.Resend(place, id)
		case 4:
			r.fake.Fail(apptest.Fault{Path: "/messages", Status: 500, Times: 1})
		case 5:
			r.fake.Fail(apptest.Fault{Path: "/messages", Status: 429, RetryAfter: 0.02, Times: 2})
		case 6:
			r.fake.Fail(apptest.Fault{Path: "/channels", Status: 429, RetryAfter: 0.02, Global: true, Times: 1})
		case 7:
			r.fake.AskReconnect()
		case 8:
			r.fake.Fail(apptest.Fault{Method: "GET", Path: "/messages", Status: 403, Code: 50001, Times: 1})
		}
		if i%100 == 99 {
			t.Logf("%d messages", i+1)
		}
	}
	r.await("all answers", func() bool {
		for _, place := range places {
			if done(place) < len(said[place]) {
				return false
			}
		}
		return true
	})
	r.settle()
	for text, n := range answeredTags() {
		if n > 1 && !strings.HasPrefix(text, "failed") {
			t.Errorf("%s was answered %d times", text, n)
		}
	}
	for _, place := range places {
		checkTranscript(t, r, place, said[place])
		for _, m := range r.fake.Sent(place) {
			hasOnly(t, "an answer", m.Text, place)
		}
	}
	for _, c := range r.model.Chats() {
		found := tag.FindAllStringSubmatch(sent(*c.Chat), -1)
		if len(found) > 0 {
			hasOnly(t, "a request", sent(*c.Chat), found[len(found)-1][1])
		}
	}
	if n := len(r.fake.Identifies()); n > 3 {
		t.Errorf("%d identifies, want the dropped sockets to be resumed", n)
	}
}

// hasOnly fails if a text holds a tag of another place.
func hasOnly(t *testing.T, what, text, place string) {
	t.Helper()
	for _, found := range tag.FindAllStringSubmatch(text, -1) {
		if found[1] != place {
			t.Fatalf("%s of %s holds %s", what, place, found[0])
		}
	}
}

// checkTranscript fails unless a place's transcript holds its messages in order, each once,
// and answers to nothing else.
func checkTranscript(t *testing.T, r *rig, place string, want []string) {
	t.Helper()
	tr, err := r.store.Load(t.Context(), "discord-"+place)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	last := ""
	for _, b := range tr.Blocks {
		switch b.Kind {
		case transcript.KindUser:
			got = append(got, b.Text)
			last = b.Text
		case transcript.KindAssistant:
			if b.Text != "echo of "+last {
				t.Errorf("%s was answered with %q", last, b.Text)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the transcript of %s holds %d messages, want %d in order", place, len(got), len(want))
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("the first difference is %s, want %s", got[i], want[i])
				break
			}
		}
	}
}

// full reports whether to run the long versions: make discord-load.
func full() bool { return os.Getenv("MAC_STATS_DISCORD_FULL") != "" }
