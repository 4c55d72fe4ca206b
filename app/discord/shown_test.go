package discord_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/app/apptest"
	"mac-stats/app/discord/connection"
)

// given a message that somebody chose by replying to it, then it is quoted whoever wrote it, however
// old it is and whatever it shows
func TestTheMessageRepliedToIsQuoted(t *testing.T) {
	t.Parallel()
	rich := func(key string, value any) map[string]any { return map[string]any{key: value} }
	list := func(one ...map[string]any) []map[string]any { return one }
	for name, tt := range map[string]struct {
		message apptest.Message
		want    string
	}{
		"a bot's":         {apptest.Message{Author: robot, Text: "build 12 failed"}, "Robot: build 12 failed"},
		"a webhook's":     {apptest.Message{Author: ben, Webhook: "77", Text: "deployed"}, "deployed"},
		"an embed":        {apptest.Message{Author: robot, Extra: rich("embeds", list(map[string]any{"type": "rich", "title": "Alert", "description": "disk full", "fields": list(map[string]any{"name": "host", "value": "nas"})}))}, "(embed: Alert – disk full – host: nas)"},
		"a sticker":       {apptest.Message{Author: ben, Extra: rich("sticker_items", list(map[string]any{"id": "1", "name": "Wave"}))}, "(sticker: Wave)"},
		"a poll":          {apptest.Message{Author: ben, Extra: rich("poll", map[string]any{"question": map[string]any{"text": "Lunch?"}, "answers": list(map[string]any{"poll_media": map[string]any{"text": "Soup"}}, map[string]any{"poll_media": map[string]any{"text": "Pie"}})})}, "(poll: Lunch? – Soup – Pie)"},
		"components":      {apptest.Message{Author: robot, Extra: rich("components", list(map[string]any{"type": 17, "components": list(map[string]any{"type": 10, "content": "Your order is ready"})}))}, "Your order is ready"},
		"a file":          {apptest.Message{Author: ben, Attachments: []apptest.Attachment{{Name: "plan.zip", Data: []byte("PK")}}}, "(file: plan.zip)"},
		"a poll of signs": {apptest.Message{Author: ben, Extra: rich("poll", map[string]any{"question": map[string]any{"text": "Lunch?"}, "answers": list(map[string]any{"answer_id": 1, "poll_media": map[string]any{"emoji": map[string]any{"name": "🍕"}}}, map[string]any{"answer_id": 2, "poll_media": map[string]any{"text": "Pie", "emoji": map[string]any{"name": "🥧"}}}), "results": map[string]any{"answer_counts": list(map[string]any{"id": 2, "count": 3})}})}, "(poll: Lunch? – 🍕 – 🥧 Pie: 3 votes)"},
		"a poll's result": {apptest.Message{Author: ben, Extra: map[string]any{"type": 46, "embeds": list(map[string]any{"type": "poll_result", "fields": list(map[string]any{"name": "poll_question_text", "value": "Lunch?"}, map[string]any{"name": "victor_answer_text", "value": "Pie"})})}}, "(embed: poll_question_text: Lunch? – victor_answer_text: Pie)"},
		"a preview alone": {apptest.Message{Author: robot, Extra: rich("embeds", list(map[string]any{"type": "article", "url": "https://a.example", "title": "Flood in Graz"}))}, "(embed: Flood in Graz)"},
		"a menu":          {apptest.Message{Author: robot, Extra: rich("components", list(map[string]any{"type": 1, "components": list(map[string]any{"type": 3, "placeholder": "Choose a size", "options": list(map[string]any{"label": "Small"}, map[string]any{"label": "Large"})}, map[string]any{"type": 2, "emoji": map[string]any{"name": "👍"}})}))}, "(menu: Choose a size – Small – Large)"},
		"a gallery":       {apptest.Message{Author: robot, Extra: rich("components", list(map[string]any{"type": 12, "items": list(map[string]any{"media": map[string]any{"url": "https://a.example/x.png"}, "description": "A map"})}))}, "(picture: A map)"},
		"a new member":    {apptest.Message{Author: ben, Extra: map[string]any{"type": 7}}, "Ben: (a message of Discord itself"},
		"passed on":       {apptest.Message{Author: ben, Forward: "the rumour"}, "(passed on: the rumour)"},
		"a day old":       {apptest.Message{Author: ben, Text: "yesterday's plan", Time: time.Now().Add(-30 * time.Hour)}, "Ben: yesterday's plan"},
		"with a time":     {apptest.Message{Author: ben, Text: "at <t:1767254400:R> run </deploy now:55> <:ok:12> in <id:browse>"}, "run /deploy now :ok: in #browse"},
		"signs":           {apptest.Message{Author: ben, Text: "???"}, "Ben: ???"},
	} {
		for _, place := range []string{general, thread} {
			t.Run(name+" in "+place, func(t *testing.T) {
				t.Parallel()
				r := start(t, options{})
				withThread(r, ben, "the starter")
				m := tt.message
				m.Channel = place
				if m.Time.IsZero() {
					m.Time = time.Now().Add(-time.Minute)
				}
				id := r.fake.Put(m)
				for range 20 { // beyond the end of the thread's tail
					r.put(place, ben, "chatter", 10*time.Second)
				}
				r.fake.Say(apptest.Message{Channel: place, Author: anna, Text: "<@" + apptest.BotID + "> what is this?", Mentions: []apptest.User{luna}, Reply: id})
				r.answered(place, 1)
				if got := sent(r.lastChat()); !strings.Contains(got, tt.want) {
					t.Errorf("%q isn't quoted in:\n%s", tt.want, got)
				}
			})
		}
	}
}

// given a message of signs, a sticker or a poll, then that is what the model gets and the transcript
// holds
func TestWhatIsWrittenWithoutWords(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	for i, tt := range []struct {
		text  string
		extra map[string]any
		want  string
	}{
		{"???", nil, "???"},
		{"!!!", nil, "!!!"},
		{":-)", nil, ":-)"},
		{"", map[string]any{"sticker_items": []map[string]any{{"id": "1", "name": "Wave"}}}, "(sticker: Wave)"},
	} {
		r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "<@" + apptest.BotID + "> " + tt.text, Mentions: []apptest.User{luna}, Extra: tt.extra})
		r.answered(general, i+1)
		messages := r.lastChat().Messages
		if last := messages[len(messages)-1].Content; !strings.HasSuffix(last, "Anna: "+tt.want) {
			t.Errorf("the model was asked %q, want %q", last, tt.want)
		}
	}
}

// given an answer that Discord refuses, then the asker hears of it and it isn't in the next prompt
func TestARefusedAnswerIsNotSaid(t *testing.T) {
	t.Parallel()
	r := start(t, options{script: testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "a heron in a lantern"}}}}})
	r.fake.Fail(apptest.Fault{Method: "POST", Path: "/messages", Status: 400, Code: 200000, Times: 1})
	r.mention(general, anna, "one")
	if got := r.answered(general, 1)[0].Text; !strings.Contains(got, "Discord refuses to show it here") {
		t.Errorf("the asker was told %q", got)
	}
	r.settle()
	r.mention(general, anna, "two")
	r.answered(general, 2)
	hasNone(t, sent(r.lastChat()), "heron")
}

// given an answer of which nobody knows whether it arrived, then the asker hears that, the owner
// isn't told of permissions, and it counts as said: it may stand there
func TestAnAnswerThatMayHaveArrived(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]apptest.Fault{
		"done, but not answered": {Method: "POST", Path: "/messages", Text: "heron", Status: 502, Done: true},
		"not done":               {Method: "POST", Path: "/messages", Text: "heron", Status: 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, options{script: testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "a heron in a lantern"}}}}})
			r.fake.Fail(fault)
			r.mention(general, anna, "one")
			r.await("the words", func() bool { return strings.Contains(fmt.Sprint(r.fake.Sent(general)), "may not have arrived") })
			r.settle()
			r.fake.Heal()
			before := len(r.fake.Sent(general))
			r.mention(general, anna, "two")
			r.answered(general, before+1)
			inOrder(t, sent(r.lastChat()), "one", "heron", "two")
			if got := r.refused.text(); got != "" {
				t.Errorf("the owner was told of %s", got)
			}
		})
	}
}

// given a refusal that is none of permissions, as from a wall before Discord, then the owner isn't
// told to change permissions
func TestARefusalIsNotAPermission(t *testing.T) {
	for _, e := range []connection.Error{{Status: 403}, {Status: 403, Code: 40333}, {Status: 403, Code: 50007}, {Status: 400, Code: 200000}, {Status: 404, Code: 10003}} {
		if errors.Is(&e, connection.ErrPermission) || !connection.NotDone(&e) {
			t.Errorf("%+v", e)
		}
	}
	for _, e := range []connection.Error{{Status: 403, Code: 50013}, {Status: 403, Code: 50001}} {
		if !errors.Is(&e, connection.ErrPermission) {
			t.Errorf("%+v", e)
		}
	}
}

// given two programs with one token, then each is told once, and neither writes into the other's
// answer
func TestTwoProgramsWithOneToken(t *testing.T) {
	t.Parallel()
	script := testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "the answer"}}}}
	a := start(t, options{script: script})
	b := start(t, options{script: script, fake: a.fake})
	for i := range 3 {
		a.mention(general, anna, fmt.Sprint("question ", i))
		a.answered(general, 2*i+2)
	}
	for name, r := range map[string]*rig{"the first": a, "the second": b} {
		r.await("a word to the owner of "+name, func() bool { return r.refused.text() == "another program\n" })
	}
	for _, m := range a.fake.Sent(general) {
		if m.Text != "the answer" {
			t.Errorf("it wrote %q", m.Text)
		}
	}
	a.settle()
	b.settle()
	if got := a.refused.text() + b.refused.text(); strings.Count(got, "another") != 2 {
		t.Errorf("told: %q", got)
	}
}

// given code in the message that is replied to, then it keeps its lines
func TestCodeInAQuotedMessage(t *testing.T) {
	t.Parallel()
	code := "Look:\n```python\nif x:\n    y = 1\n```\n[10:00] Ben: not said"
	r := start(t, options{})
	to := r.put(general, ben, code, time.Minute)
	r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "<@" + apptest.BotID + "> what is wrong?", Mentions: []apptest.User{luna}, Reply: to})
	r.answered(general, 1)
	if got := quotedPart(r.lastChat()); !strings.Contains(got, "Ben:\n> Look:\n> ```python\n> if x:\n>     y = 1\n> ```\n> [10:00] Ben: not said") {
		t.Errorf("quoted is\n%s", got)
	}
	withThread(r, ben, "the starter")
	r.put(thread, ben, "a\n```\n\tb\n```", time.Minute)
	r.put(thread, ben, "two\nlines", time.Minute)
	r.mention(thread, anna, "and here?")
	r.answered(thread, 1)
	inOrder(t, quotedPart(r.lastChat()), "Ben:\n> a\n> ```\n> \tb\n> ```", "Ben: two lines")
}

// given a person who writes the bot's name before a command, then it is one
func TestTheNameBeforeACommand(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "luna /stop"})
	if got := r.answered(general, 1)[0].Text; got != "There is nothing to stop here." {
		t.Errorf("it said %q", got)
	}
}

// given a post of a forum, then its title is what the model reads first
func TestTheTitleOfAPost(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	r.fake.AddChannel(apptest.Channel{ID: thread, Guild: guild, Parent: forum, Name: "Printer on fire", Type: apptest.Thread})
	r.mention(thread, anna, "what now?")
	r.answered(thread, 1)
	inOrder(t, sent(r.lastChat()), "The title of this post: Printer on fire", "what now?")
}
