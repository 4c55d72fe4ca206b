package discord_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
	"mac-stats/app/apptest"
	"mac-stats/app/discord"
)

const thread = "220"

// withThread adds a thread to the channel general that somebody began with a message.
func withThread(r *rig, by apptest.User, text string) {
	r.fake.Put(apptest.Message{ID: thread, Channel: general, Author: by, Text: text, Time: time.Now().Add(-time.Hour)})
	r.fake.AddChannel(apptest.Channel{ID: thread, Guild: guild, Parent: general, Name: "a thread", Type: apptest.Thread})
}

// put writes a message in a channel before the bot is asked.
func (r *rig) put(channel string, by apptest.User, text string, ago time.Duration) string {
	return r.fake.Put(apptest.Message{Channel: channel, Author: by, Text: text, Time: time.Now().Add(-ago)})
}

func TestMessagesAreCapped(t *testing.T) {
	t.Parallel()
	r := start(t, options{settings: func(s *discord.Settings) { s.MaxMsgs = 4 }})
	withThread(r, ben, "the starter")
	for i := range 10 {
		r.put(thread, ben, fmt.Sprintf("line %02d", i), time.Duration(20-i)*time.Minute)
	}
	r.mention(thread, anna, "sum it up")
	r.answered(thread, 1)
	text := quotedPart(r.lastChat())
	inOrder(t, text, "the starter", "line 07", "line 08", "line 09")
	hasNone(t, text, "line 06")
}

// Replies in threads.

func TestReplyTargetInAThread(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before func(r *rig)
		during func(r *rig) // while the model is at work
		empty  bool
		want   string // the text of the message replied to; "" for none
		input  string
	}{
		"given that nobody wrote meanwhile": {want: "the question"},
		"given a person who wrote meanwhile": {
			during: func(r *rig) { r.put(thread, ben, "one thing more", 0) }, want: "one thing more",
		},
		"given another bot that wrote meanwhile": {
			during: func(r *rig) { r.put(thread, robot, "beep", 0) }, want: "the question",
		},
		"given its own message as the newest": {
			during: func(r *rig) {
				r.put(thread, ben, "a person's words", 0)
				r.put(thread, luna, "what luna said", 0)
			}, want: "a person's words",
		},
		"given an empty mention": {
			before: func(r *rig) { r.put(thread, ben, "why does the build fail?", time.Minute) },
			empty:  true, want: "why does the build fail?", input: "Ben: why does the build fail?",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r *rig
			r = start(t, options{script: testkit.Script{Rules: []testkit.Rule{{Func: func(api.ChatRequest) testkit.Reply {
				if tt.during != nil {
					tt.during(r)
				}
				return testkit.Reply{Text: "the answer"}
			}}}}})
			withThread(r, ben, "the starter")
			if tt.before != nil {
				tt.before(r)
			}
			text := "the question"
			if tt.empty {
				text = ""
			}
			r.mention(thread, anna, text)
			got := r.answered(thread, 1)[0]
			if tt.input != "" {
				inOrder(t, sent(r.lastChat()), tt.input)
			}
			if !strings.Contains(r.textOf(thread, got.Reply), tt.want) {
				t.Errorf("the answer replies to %q, want %q", r.textOf(thread, got.Reply), tt.want)
			}
		})
	}
}

// textOf returns a message's text as Discord has it.
func (r *rig) textOf(channel, id string) string {
	r.t.Helper()
	if id == "" {
		return ""
	}
	m, err := r.conn.Message(r.t.Context(), channel, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return m.Text
}

func TestThreadWithoutPeopleIsAnsweredWithoutAReference(t *testing.T) {
	t.Parallel()
	r := start(t, options{channels: openToAll + "[channel.200]\nmode = \"having_fun\"\n[having_fun]\nmin_delay = \"0\"\nmax_delay = \"0\"\n"})
	withThread(r, robot, "a robot's thread")
	r.fake.Say(apptest.Message{Channel: thread, Author: robot, Text: "beep, says the robot"})
	got := r.answered(thread, 1)[0]
	if got.Reply != "" {
		t.Errorf("it replies to %q", r.textOf(thread, got.Reply))
	}
}

func TestThreadTailWithoutAMention(t *testing.T) {
	t.Parallel()
	r := start(t, options{channels: openToAll + "[channel.200]\nmode = \"all_messages\"\n"})
	withThread(r, ben, "the starter")
	for i := range 9 {
		r.put(thread, ben, fmt.Sprintf("before %d", i), time.Duration(20-i)*time.Minute)
	}
	r.put(thread, robot, "beep", time.Minute)
	r.fake.Say(apptest.Message{Channel: thread, Author: anna, Text: "just talking"})
	r.answered(thread, 1)
	text := quotedPart(r.lastChat())
	inOrder(t, text, "before 4", "before 5", "before 6", "before 7", "before 8")
	hasNone(t, text, "before 3", "beep", "the starter", "just talking")
}

func TestForumPostBeginsWithItsOwnFirstMessage(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	const post = "230"
	r.fake.AddChannel(apptest.Channel{ID: post, Guild: guild, Parent: forum, Name: "a post", Type: apptest.Thread})
	r.fake.Put(apptest.Message{ID: post, Channel: post, Author: ben, Text: "the post itself", Time: time.Now().Add(-48 * time.Hour)})
	r.put(post, ben, "a comment", time.Minute)
	r.mention(post, anna, "and?")
	r.answered(post, 1)
	inOrder(t, quotedPart(r.lastChat()), "the post itself", "a comment")
}

func TestEachMessageIsSentOnce(t *testing.T) {
	t.Parallel()
	r := start(t, options{script: testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "luna's own words"}}}}})
	withThread(r, ben, "the starter")
	r.put(thread, ben, "somebody's words", time.Minute)
	r.mention(thread, anna, "question one")
	r.answered(thread, 1)
	r.mention(thread, ben, "question two")
	r.answered(thread, 2)
	text := sent(r.lastChat())
	inOrder(t, text, "question one", "luna's own words", "the starter", "somebody's words", "question two")
	for _, once := range []string{"the starter", "somebody's words", "question one", "question two", "luna's own words"} {
		if n := strings.Count(text, once); n != 1 {
			t.Errorf("%q is there %d times in:\n%s", once, n, text)
		}
	}
}

func TestMessagesThatCannotBeFetchedAreLeftOut(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault  apptest.Fault
		reason string
		wait   time.Duration // 2 minutes if 0
	}{
		"given no permission":      {apptest.Fault{Method: "GET", Path: "/messages", Status: 403, Code: 50001}, "permission", 0},
		"given an archived thread": {apptest.Fault{Method: "GET", Path: "/messages", Status: 400, Code: 50083}, "archived", 0},
		"given no answer":          {apptest.Fault{Method: "GET", Path: "/messages", Hang: true}, "timeout", 300 * time.Millisecond},
		"given a long wait":        {apptest.Fault{Method: "GET", Path: "/messages", Status: 429, RetryAfter: 600}, "timeout", 300 * time.Millisecond},
		"given a broken server":    {apptest.Fault{Method: "GET", Path: "/messages", Status: 400}, "fetch", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, options{settings: func(s *discord.Settings) { s.FetchTimeout = cmp.Or(tt.wait, 2*time.Minute) }})
			withThread(r, ben, "the starter")
			r.fake.Fail(tt.fault)
			id := r.mention(thread, anna, "are you there?")
			got := r.answered(thread, 1)[0]
			if got.Text != "the answer" || got.Reply != id {
				t.Errorf("it wrote %+v, want a reply to the message itself", got)
			}
			for _, subsys := range []string{"mem.thread", "mem.ctx"} {
				event := map[string]string{"mem.thread": "tail_fallback", "mem.ctx": "collect_fallback"}[subsys]
				if one, ok := r.has(subsys, event); !ok || one.Detail["reason"] != tt.reason {
					t.Errorf("telemetry %s: %v %+v, want %s", event, ok, one.Detail, tt.reason)
				}
			}
		})
	}
}

func TestDeletedLinkOfAChainEndsIt(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	root := r.put(general, ben, "the root", 10*time.Minute)
	middle := r.fake.Put(apptest.Message{Channel: general, Author: anna, Text: "the middle", Reply: root, Time: time.Now().Add(-9 * time.Minute)})
	r.fake.DeleteMessage(general, root)
	r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "<@" + apptest.BotID + "> go on", Mentions: []apptest.User{luna}, Reply: middle})
	r.answered(general, 1)
	inOrder(t, quotedPart(r.lastChat()), "Anna: the middle")
	if one, ok := r.has("mem.ctx", "collect_fallback"); !ok || one.Detail["reason"] != "deleted" {
		t.Errorf("telemetry: %v %+v", ok, one)
	}
}

func TestTelemetryHoldsNoText(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	withThread(r, ben, "xylophone starter")
	r.put(thread, ben, "xylophone words", time.Minute)
	r.mention(thread, anna, "xylophone?")
	r.answered(thread, 1)
	all := r.records.all(t)
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	hasNone(t, string(data), "xylophone", "Anna", "Ben")
	if !slices.ContainsFunc(all, func(one record) bool { return one.Event == "merge_ok" }) {
		t.Errorf("telemetry: %s", data)
	}
}

func TestWindowIsBoundedAndRebuiltFromTheTranscript(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	for i := range 9 {
		r.mention(general, anna, fmt.Sprintf("turn %d %s", i, strings.Repeat("y", 5000)))
		r.answered(general, i+1)
	}
	r.settle()
	check := func() {
		t.Helper()
		window, err := r.state.Window(t.Context(), general)
		if err != nil || len(window) != 12 || !strings.HasPrefix(window[10].Text, "turn 8") && !strings.Contains(window[10].Text, "turn 8") {
			t.Fatalf("the window holds %d messages, %v", len(window), err)
		}
		for _, m := range window {
			if len([]rune(m.Text)) > 4000 {
				t.Errorf("a message of %d characters is in the window", len([]rune(m.Text)))
			}
		}
	}
	check()
	if err := r.state.Clear(t.Context(), general); err != nil {
		t.Fatal(err)
	}
	r.mention(general, anna, "one more")
	r.answered(general, 10)
	r.settle()
	window, err := r.state.Window(t.Context(), general)
	if err != nil || len(window) != 12 {
		t.Errorf("after it was lost the window holds %d, %v", len(window), err)
	}
	chat := r.lastChat()
	if n := len(chat.Messages); n > 1+12+1 || n < 1+8+1 { // it is cut a few turns at a time
		t.Errorf("%d messages were sent, want the prompt, at most 12 of history and the new one", n)
	}
	inOrder(t, sent(chat), "turn 5", "turn 8", "one more")
	hasNone(t, sent(chat), "turn 2 ")
	for _, m := range chat.Messages[1:] {
		if n := len([]rune(m.Content)); n > 4000+100 {
			t.Errorf("a message of %d characters was sent", n)
		}
	}
}

func TestAPersonsFactsAreUsedForThatPersonOnly(t *testing.T) {
	r := start(t, options{})
	namesake := apptest.User{ID: "303", Name: anna.Name}
	writeFile(t, filepath.Join(r.root, "memory", "user-"+anna.ID+".md"), "- likes oolong\n")
	writeFile(t, filepath.Join(r.root, "memory", "user-"+ben.ID+".md"), "- likes espresso\n")
	const discreet = "## About Anna, who asks (others read along: let it help you, don't recite it)"
	tests := []struct {
		channel  string
		by       apptest.User
		wanted   []string
		withheld []string
	}{
		{general, anna, []string{discreet, "likes oolong"}, []string{"espresso"}},
		{general, ben, []string{"likes espresso"}, []string{"oolong"}},
		{general, namesake, nil, []string{"oolong", "espresso"}},
		{direct, anna, []string{"## About Anna\n", "likes oolong"}, []string{"espresso", "others read along"}},
	}
	answers := map[string]int{}
	for _, tt := range tests {
		answers[tt.channel]++
		r.mention(tt.channel, tt.by, "what do you know of me?")
		r.answered(tt.channel, answers[tt.channel])
		text := sent(r.lastChat())
		inOrder(t, text, tt.wanted...)
		hasNone(t, text, tt.withheld...)
	}
	// What the commands report about a session reveals none of its text.
	r.mention(general, anna, "session status")
	r.answered(general, 4)
	r.mention(general, anna, "/status")
	for _, m := range r.answered(general, 5) {
		hasNone(t, m.Text, "oolong", "espresso", "About Anna")
	}
}

func TestNoPersonsFactsAreUsedWhenSeveralAreAnsweredAtOnce(t *testing.T) {
	r := talk(t, map[string]string{
		"memory/user-" + anna.ID + ".md":           "- likes oolong\n",
		"memory/user-" + ben.ID + ".md":            "- likes espresso\n",
		"agents/memory-discord-" + general + ".md": "- meets on Tuesdays\n",
	})
	text := sent(r.lastChat())
	inOrder(t, text, "meets on Tuesdays", "nice weather", "too hot for me")
	hasNone(t, text, "oolong", "espresso")
}

func TestTelemetryHasOnlyDocumentedFields(t *testing.T) {
	fields := map[string]string{ // as the document on memory and context names them
		"mem.thread tail_ok":        "count k reply_target",
		"mem.thread tail_fallback":  "reason",
		"mem.ctx collect_ok":        "case chars ms msgs",
		"mem.ctx collect_truncated": "case chars ms msgs",
		"mem.ctx collect_fallback":  "case reason",
		"mem.ctx merge_ok":          "case chars msgs",
	}
	r := start(t, options{settings: func(s *discord.Settings) { s.MaxMsgs = 3 }})
	withThread(r, ben, "the starter")
	for i := range 5 {
		r.put(thread, ben, fmt.Sprint("words ", i), time.Minute)
	}
	r.mention(thread, anna, "one")
	r.answered(thread, 1)
	r.fake.Fail(apptest.Fault{Method: "GET", Path: "/messages", Status: 403, Code: 50001})
	r.mention(thread, anna, "two")
	r.answered(thread, 2)
	r.settle()
	seen := map[string]bool{}
	for _, one := range r.records.all(t) {
		name := one.Subsys + " " + one.Event
		seen[name] = true
		if got := strings.Join(slices.Sorted(maps.Keys(one.Detail)), " "); got != fields[name] {
			t.Errorf("%s has the fields %q, want %q", name, got, fields[name])
		}
	}
	for name := range fields {
		if !seen[name] {
			t.Errorf("%s was not written", name)
		}
	}
}
