package discord_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/app/apptest"
)

// Nothing is answered or quoted twice, whatever was lost.

// loseState deletes the bot's state, which people may do at any time.
func (r *rig) loseState() {
	r.t.Helper()
	list, err := filepath.Glob(filepath.Join(r.root, "discord", "state.db*"))
	if err != nil || len(list) == 0 {
		r.t.Fatalf("there is no state: %v", err)
	}
	for _, file := range list {
		if err := os.Remove(file); err != nil {
			r.t.Fatal(err)
		}
	}
}

func TestEachMessageIsSentOnceAfterLosingTheState(t *testing.T) {
	long := testkit.Lines("A line of luna's long answer,", 100) + "```go\n" + testkit.Lines("y :=", 60) + "x := 1\n```"
	script := testkit.Script{Rules: []testkit.Rule{
		{UserContains: "question one", Reply: testkit.Reply{Text: "luna's first words"}},
		{UserContains: "question two", Reply: testkit.Reply{Text: long}},
		{Reply: testkit.Reply{Text: "luna's last words"}},
	}}
	r := start(t, options{script: script})
	withThread(r, ben, "the starter")
	r.put(thread, ben, "somebody's words", time.Minute)
	r.mention(thread, anna, "question one")
	r.answered(thread, 1)
	r.mention(thread, ben, "question two")
	r.answered(thread, 3)
	r.settle()
	n := len(r.fake.Sent(thread))
	r.stop()
	r.loseState()
	again := start(t, options{script: script, root: r.root, fake: r.fake})
	for i, question := range []string{"question three", "question four"} {
		again.mention(thread, anna, question)
		again.answered(thread, n+i+1)
	}
	again.settle()
	text := sent(again.lastChat())
	for _, once := range []string{"the starter", "somebody's words", "question one", "question two", "question three", "question four", "luna's first words", "luna's last words", "x := 1\n```"} {
		if n := strings.Count(text, once); n != 1 {
			t.Errorf("%q is there %d times in:\n%s", once, n, text)
		}
	}
	if n := strings.Count(text, "luna's long answer"); n != 100 {
		t.Errorf("the long answer's line is there %d times, want 100", n)
	}
	// The window agrees with the transcript, by message ID.
	window, err := again.state.Window(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, m := range again.fake.Sent(thread) {
		ids[m.ID] = true
	}
	if len(window) != 8 || !ids[window[1].ID] || window[1].Text != "luna's first words" {
		t.Errorf("the window is %+v", window)
	}
}

func TestAMessageIsAnsweredOnceIfNothingCanBeRecorded(t *testing.T) {
	tests := map[string]func(r *rig){
		"given a disk that takes no note of it": func(r *rig) {
			if err := r.state.Close(); err != nil { // every later call on it fails
				r.t.Fatal(err)
			}
		},
		"given a state that is deleted": func(*rig) {},
	}
	for name, before := range tests {
		t.Run(name, func(t *testing.T) {
			r := start(t, options{})
			before(r)
			id := r.mention(general, anna, "once")
			r.answered(general, 1)
			r.stop()
			r.loseState()
			again := start(t, options{root: r.root, fake: r.fake})
			again.fake.Resend(general, id)
			again.mention(general, anna, "twice")
			again.answered(general, 2)
			again.settle()
			if n := len(again.fake.Sent(general)); n != 2 || len(again.model.Chats()) != 1 {
				t.Errorf("%d answers, and the model was asked %d times after the start", n, len(again.model.Chats()))
			}
		})
	}
}

func TestKilledBetweenTheAnswerAndItsRecord(t *testing.T) {
	runApart(t, options{})
	tests := map[string]struct {
		lose bool // delete the state too
		slow bool // a draft is posted first
	}{
		"given its state":                 {},
		"given that the state is lost":    {lose: true},
		"given a draft and a lost state":  {lose: true, slow: true},
		"given a draft of a whole answer": {slow: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			script := testkit.Script{}
			if tt.slow {
				script, _ = slowly() // it never ends
			}
			r := start(t, options{script: script})
			r.stop()
			r.fake.Fail(apptest.Fault{Method: "POST", Path: "/channels/" + general + "/messages", Hang: true, Done: true})
			other := r.startApart()
			id := r.mention(general, anna, "slowly, but once")
			r.await("its answer", func() bool { return len(r.fake.Sent(general)) == 1 })
			other.kill()
			r.fake.Heal()
			r.await("its end", func() bool { return !r.fake.Connected() })
			if tt.lose {
				r.loseState()
			}
			again := start(t, options{root: r.root, fake: r.fake})
			again.fake.Resend(general, id)
			again.mention(general, ben, "and now?")
			again.answered(general, 2)
			again.settle()
			if got := again.fake.Sent(general); len(got) != 2 {
				t.Errorf("it wrote %s", fmt.Sprint(got))
			}
			for _, c := range again.model.Chats() {
				if n := strings.Count(sent(*c.Chat), "slowly, but once"); n > 1 {
					t.Errorf("the message is there %d times", n)
				}
			}
		})
	}
}
