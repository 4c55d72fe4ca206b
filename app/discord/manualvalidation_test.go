package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mac-stats/app/apptest"
)

// The "manual validation" items of the document on memory and context.

func TestManualValidation_mentionInAThreadSeesItsRecentMessages(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	withThread(r, ben, "How do we ship version two?")
	r.put(thread, ben, "first thought", 30*time.Minute)
	r.put(thread, robot, "a robot's noise", 29*time.Minute)
	r.put(thread, anna, "second thought", 20*time.Minute)
	r.fake.Put(apptest.Message{Channel: thread, Author: ben, Webhook: "5", Text: "a webhook's noise", Time: time.Now().Add(-10 * time.Minute)})
	r.fake.Put(apptest.Message{Channel: thread, Author: ben, Kind: 6, Text: "pinned a message", Time: time.Now().Add(-10 * time.Minute)})
	r.put(thread, ben, "far too old", 5*time.Hour) // out of order in time, as after an import
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

func TestManualValidation_mentionInAThreadKeepsTheOrder(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	withThread(r, ben, "the starter")
	for i := range 8 {
		r.put(thread, []apptest.User{ben, anna}[i%2], fmt.Sprintf("said %d", i), time.Duration(20-i)*time.Minute)
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

func TestManualValidation_replyInAChannelSeesOnlyItsChain(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	root := r.put(general, ben, "the root of the chain", 40*time.Minute)
	r.put(general, anna, "unrelated chatter one", 39*time.Minute)
	middle := r.fake.Put(apptest.Message{Channel: general, Author: anna, Text: "the middle of the chain", Reply: root, Time: time.Now().Add(-38 * time.Minute)})
	r.put(general, ben, "unrelated chatter two", 37*time.Minute)
	r.fake.Put(apptest.Message{Channel: general, Author: robot, Text: "a robot's reply", Reply: middle, Time: time.Now().Add(-36 * time.Minute)})
	last := r.fake.Put(apptest.Message{Channel: general, Author: ben, Text: "the last of the chain", Reply: middle, Time: time.Now().Add(-35 * time.Minute)})
	r.put(general, anna, "unrelated chatter three", time.Minute)
	id := r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "<@" + apptest.BotID + "> and what follows?", Mentions: []apptest.User{luna}, Reply: last})
	got := r.answered(general, 1)
	chat := r.lastChat()
	inOrder(t, quotedPart(chat), "Ben: the root of the chain", "Anna: the middle of the chain", "Ben: the last of the chain")
	inOrder(t, sent(chat), "the last of the chain", "Anna: and what follows?")
	hasNone(t, sent(chat), "unrelated chatter", "a robot's reply")
	if got[0].Reply != id {
		t.Errorf("the answer replies to %s, want %s", got[0].Reply, id)
	}
}

func TestManualValidation_plainMentionIsUnchanged(t *testing.T) {
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

func TestManualValidation_hugeThreadIsTruncatedAndAnswered(t *testing.T) {
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

func TestManualValidation_interleavedChatKeepsToTheChain(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	ids := map[string][]string{}
	for i := range 20 { // two conversations with alternating sentences
		for _, topic := range []string{"cats", "dogs"} {
			m := apptest.Message{Channel: general, Author: anna, Text: fmt.Sprintf("%s %d", topic, i), Time: time.Now().Add(-time.Duration(60-i) * time.Minute)}
			if list := ids[topic]; len(list) > 0 {
				m.Reply = list[len(list)-1]
			}
			ids[topic] = append(ids[topic], r.fake.Put(m))
		}
	}
	r.fake.Say(apptest.Message{Channel: general, Author: ben, Text: "<@" + apptest.BotID + "> go on", Mentions: []apptest.User{luna}, Reply: ids["cats"][19]})
	r.answered(general, 1)
	text := quotedPart(r.lastChat())
	inOrder(t, text, "cats 0", "cats 1", "cats 10", "cats 19")
	hasNone(t, text, "dogs")
}
