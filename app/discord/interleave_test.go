package discord_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollamatest"
	"mac-stats/app/discord/discordtest"
	"mac-stats/sessionmem"
)

// tag marks a message of a place: "m-200-17".
var tag = regexp.MustCompile(`m-(\d+)-(\d+)\b`)

// echo is a model that repeats the last message's tag; now and then it fails.
func echo(fails func() bool) ollamatest.Script {
	return ollamatest.Script{Rules: []ollamatest.Rule{{Func: func(req api.ChatRequest) ollamatest.Reply {
		if fails != nil && fails() {
			return ollamatest.Reply{Fault: &ollamatest.Fault{Kind: ollamatest.FaultStatus, Status: 500}}
		}
		found := tag.FindAllString(req.Messages[len(req.Messages)-1].Content, -1)
		return ollamatest.Reply{Text: "echo of " + strings.Join(found, " ")}
	}}}}
}

func TestPlacesThatInterleaveStayApart(t *testing.T) {
	t.Parallel()
	total := 200
	if full() {
		total = 1000
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
	people := []discordtest.User{anna, ben, {ID: "303", Name: "Cleo"}}
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
			r.fake.Again(place, id)
		case 4:
			r.fake.Fail(discordtest.Fault{Path: "/messages", Status: 500, Times: 1})
		case 5:
			r.fake.Fail(discordtest.Fault{Path: "/messages", Status: 429, RetryAfter: 0.02, Times: 2})
		case 6:
			r.fake.Fail(discordtest.Fault{Path: "/channels", Status: 429, RetryAfter: 0.02, Global: true, Times: 1})
		case 7:
			r.fake.AskReconnect()
		case 8:
			r.fake.Fail(discordtest.Fault{Method: "GET", Path: "/messages", Status: 403, Code: 50001, Times: 1})
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

// hasOnly fails where a text holds a tag of another place.
func hasOnly(t *testing.T, what, text, place string) {
	t.Helper()
	for _, found := range tag.FindAllStringSubmatch(text, -1) {
		if found[1] != place {
			t.Fatalf("%s of %s holds %s", what, place, found[0])
		}
	}
}

// checkTranscript fails unless a place's transcript holds its messages in order, each
// once, and answers to nothing else.
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
		case sessionmem.KindUser:
			got = append(got, b.Text)
			last = b.Text
		case sessionmem.KindAssistant:
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

// load lets so many channels write so much, and looks at what becomes of it.
func load(t *testing.T, channels, perSecond int, span time.Duration) {
	r := start(t, options{
		workers: 8,
		channels: "[allow]\nusers = [\"301\"]\n[default]\ndebounce = \"0\"\nmode = \"all_messages\"\n" +
			"[limits]\nperson = \"10000/1h\"\nchannel = \"10000/1h\"\n",
		script: echo(nil),
	})
	var ids []string
	for i := range channels {
		id := strconv.Itoa(5000 + i)
		ids = append(ids, id)
		r.fake.AddChannel(discordtest.Channel{ID: id, Guild: guild, Name: "load"})
	}
	counts := map[string]int{}
	before := heap()
	began := time.Now()
	n := 0
	for n < int(span.Seconds())*perSecond {
		time.Sleep(time.Until(began.Add(time.Duration(n) * time.Second / time.Duration(perSecond))))
		id := ids[n%channels]
		if n%3 == 0 {
			id = ids[0] // one of them is far louder than the others
		}
		r.fake.Say(discordtest.Message{Channel: id, Author: anna, Text: fmt.Sprintf("m-%s-%d", id, counts[id])})
		counts[id]++
		n++
	}
	said := time.Since(began)
	r.await("the queue to be worked off", func() bool {
		r.mention(general, anna, "/status")
		time.Sleep(200 * time.Millisecond)
		list := r.fake.Sent(general)
		return len(list) > 0 && strings.Contains(list[len(list)-1].Text, "in all: 0;")
	})
	r.settle()
	answers, polite := map[string]int{}, map[string]int{}
	for _, m := range r.fake.Sent("") {
		if strings.HasPrefix(m.Text, "echo of") {
			answers[m.Channel]++
			hasOnly(t, "an answer", m.Text, m.Channel)
		}
		if strings.HasPrefix(m.Text, "I have more to answer") {
			polite[m.Channel]++
		}
	}
	all, missed := 0, 0
	for _, id := range ids {
		all += answers[id]
		lost := counts[id] - answers[id]
		missed += lost
		if lost > 0 && polite[id] == 0 {
			t.Errorf("%s lost %d messages without a word", id, lost)
		}
		if id != ids[0] && lost > 0 {
			t.Errorf("%s lost %d of %d although only %s was loud", id, lost, counts[id], ids[0])
		}
		if polite[id] > 1+int(said/time.Minute) {
			t.Errorf("%s was told %d times that it is too much", id, polite[id])
		}
	}
	grown := heap() - before
	t.Logf("%d messages in %s over %d channels: %d answered, %d declined; the heap has grown by %.1f MB", n, said.Round(time.Second), channels, all, missed, float64(grown)/(1<<20))
	if most := heapMost + int64(n)*keptOfEach; grown > most {
		t.Errorf("the heap has grown by %d bytes, want at most %d", grown, most)
	}
}

const (
	// heapMost is how much of the bot's own may stay in use after the load.
	heapMost = 32 << 20
	// keptOfEach is room for what the fake Discord and the scripted model keep of each
	// message and its request, to be asked about.
	keptOfEach = 64 << 10
)

// heap is how many bytes are in use, once what is not has been cleared away.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what has a finalizer goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

func TestLoad(t *testing.T) {
	if full() {
		load(t, 100, 50, time.Minute)
		return
	}
	load(t, 100, 50, 3*time.Second)
}

// full reports whether the long forms are wanted: make discord-load.
func full() bool { return os.Getenv("MAC_STATS_DISCORD_FULL") != "" }
