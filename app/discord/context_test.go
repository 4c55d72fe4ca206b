package discord_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollamatest"
	"mac-stats/app/discord"
	"mac-stats/app/discord/discordtest"
)

const thread = "220"

// withThread adds a thread of the channel general that somebody began with a message.
func withThread(r *rig, by discordtest.User, text string) {
	r.fake.Put(discordtest.Message{ID: thread, Channel: general, Author: by, Text: text, Time: time.Now().Add(-time.Hour)})
	r.fake.AddChannel(discordtest.Channel{ID: thread, Guild: guild, Parent: general, Name: "a thread", Type: discordtest.Thread})
}

// put writes a message into a place before the bot is asked.
func (r *rig) put(channel string, by discordtest.User, text string, ago time.Duration) string {
	return r.fake.Put(discordtest.Message{Channel: channel, Author: by, Text: text, Time: time.Now().Add(-ago)})
}

// The lines of "manual validation".

func TestMentionInAThreadSeesItsRecentMessagesInOrder(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	withThread(r, ben, "How do we ship version two?")
	r.put(thread, ben, "first thought", 30*time.Minute)
	r.put(thread, robot, "a robot's noise", 29*time.Minute)
	r.put(thread, anna, "second thought", 20*time.Minute)
	r.fake.Put(discordtest.Message{Channel: thread, Author: ben, Webhook: "5", Text: "a webhook's noise", Time: time.Now().Add(-10 * time.Minute)})
	r.fake.Put(discordtest.Message{Channel: thread, Author: ben, Kind: 6, Text: "pinned a message", Time: time.Now().Add(-10 * time.Minute)})
	r.put(thread, ben, "far too old", 5*time.Hour) // out of order in time, as an import would be
	r.put(general, ben, "chatter in the channel above", time.Minute)
	r.mention(thread, anna, "what do you think?")
	r.answered(thread, 1)
	chat := r.lastChat()
	inOrder(t, sent(chat), "This thread began with:", "Ben: How do we ship version two?", "Anna: what do you think?")
	hasNone(t, sent(chat), "noise", "pinned a message", "chatter in the channel above", "far too old")
	if n := strings.Count(sent(chat), "what do you think?"); n != 1 {
		t.Errorf("the message itself is there %d times", n)
	}
	for _, event := range []string{"collect_ok", "collect_truncated", "merge_ok"} {
		one, ok := r.has("mem.ctx", event)
		if !ok || one.Detail["case"] != "thread" {
			t.Errorf("telemetry %s: %v, %v", event, ok, one.Detail)
		}
	}
}

func TestMentionInAThreadKeepsTheOrder(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	withThread(r, ben, "the starter")
	for i := range 8 {
		r.put(thread, []discordtest.User{ben, anna}[i%2], fmt.Sprintf("said %d", i), time.Duration(20-i)*time.Minute)
	}
	r.mention(thread, anna, "now answer")
	r.answered(thread, 1)
	inOrder(t, sent(r.lastChat()), "the starter", "said 0", "said 1", "said 2", "said 7", "now answer")
	one, ok := r.has("mem.ctx", "collect_ok")
	if !ok || one.Detail["msgs"] != 9.0 || one.Detail["chars"] == 0.0 {
		t.Errorf("telemetry: %+v", one)
	}
	if tail, ok := r.has("mem.thread", "tail_ok"); !ok || tail.Detail["k"] != 5.0 || tail.Detail["count"] != 5.0 || tail.Detail["reply_target"] == "" {
		t.Errorf("telemetry of the tail: %+v", tail)
	}
}

func TestReplyInAChannelSeesItsChainAlone(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	root := r.put(general, ben, "the root of the chain", 40*time.Minute)
	r.put(general, anna, "unrelated chatter one", 39*time.Minute)
	middle := r.fake.Put(discordtest.Message{Channel: general, Author: anna, Text: "the middle of the chain", Reply: root, Time: time.Now().Add(-38 * time.Minute)})
	r.put(general, ben, "unrelated chatter two", 37*time.Minute)
	r.fake.Put(discordtest.Message{Channel: general, Author: robot, Text: "a robot's reply", Reply: middle, Time: time.Now().Add(-36 * time.Minute)})
	last := r.fake.Put(discordtest.Message{Channel: general, Author: ben, Text: "the last of the chain", Reply: middle, Time: time.Now().Add(-35 * time.Minute)})
	r.put(general, anna, "unrelated chatter three", time.Minute)
	id := r.fake.Say(discordtest.Message{Channel: general, Author: anna, Text: "<@" + discordtest.BotID + "> and what follows?", Mentions: []discordtest.User{luna}, Reply: last})
	got := r.answered(general, 1)
	chat := r.lastChat()
	inOrder(t, quotedPart(chat), "Ben: the root of the chain", "Anna: the middle of the chain", "Ben: the last of the chain")
	inOrder(t, sent(chat), "the last of the chain", "Anna: and what follows?")
	hasNone(t, sent(chat), "unrelated chatter", "a robot's reply")
	if got[0].Reply != id {
		t.Errorf("the answer replies to %s, want %s", got[0].Reply, id)
	}
}

func TestPlainMentionIsUnchanged(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	r.put(general, ben, "chatter before", time.Minute)
	r.mention(general, anna, "hello")
	r.answered(general, 1)
	chat := r.lastChat()
	if len(chat.Messages) != 2 {
		t.Errorf("%d messages were sent, want the system prompt and the message", len(chat.Messages))
	}
	hasNone(t, sent(chat), "chatter before", "<<<quoted")
	for _, q := range r.fake.Requests() {
		if q.Method == "GET" && strings.Contains(q.Path, "/messages") {
			t.Errorf("messages were fetched: %s", q.Path)
		}
	}
	if all := r.records.all(t); len(all) != 0 {
		t.Errorf("telemetry: %+v", all)
	}
}

func TestHugeThreadIsTruncatedAndAnswered(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	withThread(r, ben, "the starter "+strings.Repeat("S", 500))
	for i := range 90 {
		r.put(thread, ben, fmt.Sprintf("line %02d %s", i, strings.Repeat("x", 300)), time.Duration(100-i)*time.Minute)
	}
	r.mention(thread, anna, "sum it up")
	if got := r.answered(thread, 1); got[0].Text != "the answer" {
		t.Errorf("it said %q", got[0].Text)
	}
	text := quotedPart(r.lastChat())
	inOrder(t, text, "the starter", "line 75", "line 89")
	hasNone(t, text, "line 00", "line 40")
	block := text[strings.Index(text, "This thread"):]
	if n := len([]rune(block)); n > 8000+300 {
		t.Errorf("%d characters were quoted, want at most 8,000 and the words between", n)
	}
	if one, ok := r.has("mem.ctx", "collect_truncated"); !ok || one.Detail["chars"].(float64) > 8000 {
		t.Errorf("telemetry: %v %+v", ok, one)
	}
}

func TestCapOfMessages(t *testing.T) {
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

func TestInterleavedChatKeepsToTheChain(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	ids := map[string][]string{}
	for i := range 20 { // two conversations, one after the other's sentence
		for _, topic := range []string{"cats", "dogs"} {
			m := discordtest.Message{Channel: general, Author: anna, Text: fmt.Sprintf("%s %d", topic, i), Time: time.Now().Add(-time.Duration(60-i) * time.Minute)}
			if list := ids[topic]; len(list) > 0 {
				m.Reply = list[len(list)-1]
			}
			ids[topic] = append(ids[topic], r.fake.Put(m))
		}
	}
	r.fake.Say(discordtest.Message{Channel: general, Author: ben, Text: "<@" + discordtest.BotID + "> go on", Mentions: []discordtest.User{luna}, Reply: ids["cats"][19]})
	r.answered(general, 1)
	text := quotedPart(r.lastChat())
	inOrder(t, text, "cats 0", "cats 1", "cats 10", "cats 19")
	hasNone(t, text, "dogs")
}

// Replies in threads.

func TestReplyTargetInAThread(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before func(r *rig)
		during func(r *rig) // while the model is at work
		empty  bool
		want   string // text of the message that is replied to; "" for none
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
			empty:  true, want: "why does the build fail?", input: "Anna: why does the build fail?",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r *rig
			r = start(t, options{script: ollamatest.Script{Rules: []ollamatest.Rule{{Func: func(api.ChatRequest) ollamatest.Reply {
				if tt.during != nil {
					tt.during(r)
				}
				return ollamatest.Reply{Text: "the answer"}
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

// textOf is a message's text as Discord has it.
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
	r.fake.Say(discordtest.Message{Channel: thread, Author: robot, Text: "beep, says the robot"})
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
	r.fake.Say(discordtest.Message{Channel: thread, Author: anna, Text: "just talking"})
	r.answered(thread, 1)
	text := quotedPart(r.lastChat())
	inOrder(t, text, "before 4", "before 5", "before 6", "before 7", "before 8")
	hasNone(t, text, "before 3", "beep", "the starter", "just talking")
}

func TestForumPostBeginsWithItsOwnFirstMessage(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	const post = "230"
	r.fake.AddChannel(discordtest.Channel{ID: post, Guild: guild, Parent: forum, Name: "a post", Type: discordtest.Thread})
	r.fake.Put(discordtest.Message{ID: post, Channel: post, Author: ben, Text: "the post itself", Time: time.Now().Add(-48 * time.Hour)})
	r.put(post, ben, "a comment", time.Minute)
	r.mention(post, anna, "and?")
	r.answered(post, 1)
	inOrder(t, quotedPart(r.lastChat()), "the post itself", "a comment")
}

func TestEachMessageIsSentOnce(t *testing.T) {
	t.Parallel()
	r := start(t, options{script: ollamatest.Script{Rules: []ollamatest.Rule{{Reply: ollamatest.Reply{Text: "luna's own words"}}}}})
	withThread(r, ben, "the starter")
	r.put(thread, ben, "somebody's words", time.Minute)
	r.mention(thread, anna, "question one")
	r.answered(thread, 1)
	r.mention(thread, ben, "question two")
	r.answered(thread, 2)
	text := sent(r.lastChat())
	inOrder(t, text, "the starter", "somebody's words", "question one", "luna's own words", "question two")
	for _, once := range []string{"the starter", "somebody's words", "question one", "question two", "luna's own words"} {
		if n := strings.Count(text, once); n != 1 {
			t.Errorf("%q is there %d times in:\n%s", once, n, text)
		}
	}
}

func TestWhatCannotBeFetchedIsLeftOut(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault  discordtest.Fault
		reason string
		wait   time.Duration // 2 minutes where 0
	}{
		"given no permission":      {discordtest.Fault{Method: "GET", Path: "/messages", Status: 403, Code: 50001}, "permission", 0},
		"given an archived thread": {discordtest.Fault{Method: "GET", Path: "/messages", Status: 400, Code: 50083}, "archived", 0},
		"given no answer":          {discordtest.Fault{Method: "GET", Path: "/messages", Hang: true}, "timeout", 300 * time.Millisecond},
		"given a long wait":        {discordtest.Fault{Method: "GET", Path: "/messages", Status: 429, RetryAfter: 600}, "timeout", 300 * time.Millisecond},
		"given a broken server":    {discordtest.Fault{Method: "GET", Path: "/messages", Status: 400}, "fetch", 0},
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
	middle := r.fake.Put(discordtest.Message{Channel: general, Author: anna, Text: "the middle", Reply: root, Time: time.Now().Add(-9 * time.Minute)})
	r.fake.DeleteMessage(general, root)
	r.fake.Say(discordtest.Message{Channel: general, Author: anna, Text: "<@" + discordtest.BotID + "> go on", Mentions: []discordtest.User{luna}, Reply: middle})
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

func TestWindowIsBoundedAndMadeAnewFromTheTranscript(t *testing.T) {
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
	if n := len(chat.Messages); n != 1+12+1 {
		t.Errorf("%d messages were sent, want the prompt, 12 of history and the new one", n)
	}
	inOrder(t, sent(chat), "turn 3", "turn 8", "one more")
	hasNone(t, sent(chat), "turn 2 ")
	for _, m := range chat.Messages[1:] {
		if n := len([]rune(m.Content)); n > 4000+100 {
			t.Errorf("a message of %d characters was sent", n)
		}
	}
}

func TestAPersonsFactsAreForThatPersonAlone(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	namesake := discordtest.User{ID: "303", Name: anna.Name}
	writeFile(t, filepath.Join(r.root, "memory", "user-"+anna.ID+".md"), "- likes oolong\n")
	writeFile(t, filepath.Join(r.root, "memory", "user-"+ben.ID+".md"), "- likes espresso\n")
	tests := []struct {
		by       discordtest.User
		told     string
		withheld []string
	}{
		{anna, "likes oolong", []string{"espresso"}},
		{ben, "likes espresso", []string{"oolong"}},
		{namesake, "", []string{"oolong", "espresso"}},
	}
	for i, tt := range tests {
		r.mention(general, tt.by, "what do you know of me?")
		r.answered(general, i+1)
		text := sent(r.lastChat())
		inOrder(t, text, tt.told)
		hasNone(t, text, tt.withheld...)
	}
}
