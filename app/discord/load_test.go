package discord_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"mac-stats/app/apptest"
)

// heapMost is the number of bytes by which the bot's process may grow under any load: its
// caches are bounded.
const heapMost = 24 << 20

func TestLoad(t *testing.T) {
	o := options{
		workers: 8,
		channels: "[allow]\nusers = [\"301\"]\n[default]\ndebounce = \"0\"\nmode = \"all_messages\"\n" +
			"[limits]\nperson = \"10000/1h\"\nchannel = \"10000/1h\"\n",
		script: echo(nil),
	}
	runApart(t, o)
	span := 3 * time.Second
	if full() {
		span = time.Minute
	}
	r := start(t, o)
	r.stop()
	const channels, perSecond = 100, 50
	var ids []string
	for i := range channels {
		ids = append(ids, strconv.Itoa(5000+i))
		r.fake.AddChannel(apptest.Channel{ID: ids[i], Guild: guild, Name: "load"})
	}
	// The same limits as Discord's.
	r.fake.SetLimits(apptest.Limit{Method: "POST", Path: "/messages", Count: 5, Window: 5 * time.Second})
	if full() { // on a busy machine calls arrive in bursts
		r.fake.SetGlobal(50)
	}
	bot := r.startApart()
	before := bot.figures()
	began := time.Now()
	said := r.chatter(ids, perSecond, span)
	asked := time.Since(began)
	r.await("the queue to be worked off", func() bool { return r.fake.CaughtUp() && bot.figures().Idle })
	after := bot.figures()
	answered, declined := checkLoad(t, r, ids, said, asked)
	refused := 0
	for _, q := range r.fake.Requests() {
		if q.Status == 429 {
			refused++
		}
	}
	grown := after.Heap - before.Heap
	t.Logf("%d messages in %s over %d channels, worked off after %s: %d answered, %d declined; %d of %d calls refused; the bot's heap %.1f MB, grown by %.1f MB; goroutines %d, before %d",
		answered+declined, asked.Round(time.Second), channels, time.Since(began).Round(time.Second), answered, declined, refused, len(r.fake.Requests()),
		float64(after.Heap)/(1<<20), float64(grown)/(1<<20), after.Goroutines, before.Goroutines)
	if grown > heapMost {
		t.Errorf("the bot's heap has grown by %d bytes, want at most %d", grown, heapMost)
	}
	if after.Goroutines > before.Goroutines+30 {
		t.Errorf("%d goroutines are left, before it were %d", after.Goroutines, before.Goroutines)
	}
	if full() && refused > len(r.fake.Requests())/100 {
		t.Errorf("%d of %d calls were refused for a limit", refused, len(r.fake.Requests()))
	}
}

// chatter writes perSecond messages a second for a while, every third into the first
// channel, and returns how many went into each.
func (r *rig) chatter(ids []string, perSecond int, span time.Duration) map[string]int {
	said := map[string]int{}
	began := time.Now()
	for n := range int(span.Seconds()) * perSecond {
		time.Sleep(time.Until(began.Add(time.Duration(n) * time.Second / time.Duration(perSecond))))
		id := ids[n%len(ids)]
		if n%3 == 0 {
			id = ids[0] // one channel is much busier than the others
		}
		r.fake.Say(apptest.Message{Channel: id, Author: anna, Text: fmt.Sprintf("m-%s-%d", id, said[id])})
		said[id]++
	}
	return said
}

// checkLoad fails if a channel that wasn't busy lost something, or if something was lost
// without telling anybody.
func checkLoad(t *testing.T, r *rig, ids []string, said map[string]int, asked time.Duration) (all, missed int) {
	t.Helper()
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
	for _, id := range ids {
		all += answers[id]
		lost := said[id] - answers[id]
		missed += lost
		if lost > 0 && polite[id] == 0 {
			t.Errorf("%s lost %d messages without a word", id, lost)
		}
		if id != ids[0] && lost > 0 {
			t.Errorf("%s lost %d of %d although only %s was loud", id, lost, said[id], ids[0])
		}
		if polite[id] > 1+int(asked/time.Minute) {
			t.Errorf("%s was told %d times that it is too much", id, polite[id])
		}
	}
	return all, missed
}
