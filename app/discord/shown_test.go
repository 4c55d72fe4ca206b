package discord_test

import (
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/app/apptest"
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
		"a bot's":     {apptest.Message{Author: robot, Text: "build 12 failed"}, "Robot: build 12 failed"},
		"a webhook's": {apptest.Message{Author: ben, Webhook: "77", Text: "deployed"}, "deployed"},
		"an embed":    {apptest.Message{Author: robot, Extra: rich("embeds", list(map[string]any{"type": "rich", "title": "Alert", "description": "disk full", "fields": list(map[string]any{"name": "host", "value": "nas"})}))}, "(embed: Alert – disk full – host: nas)"},
		"a sticker":   {apptest.Message{Author: ben, Extra: rich("sticker_items", list(map[string]any{"id": "1", "name": "Wave"}))}, "(sticker: Wave)"},
		"a poll":      {apptest.Message{Author: ben, Extra: rich("poll", map[string]any{"question": map[string]any{"text": "Lunch?"}, "answers": list(map[string]any{"poll_media": map[string]any{"text": "Soup"}}, map[string]any{"poll_media": map[string]any{"text": "Pie"}})})}, "(poll: Lunch? – Soup – Pie)"},
		"components":  {apptest.Message{Author: robot, Extra: rich("components", list(map[string]any{"type": 17, "components": list(map[string]any{"type": 10, "content": "Your order is ready"})}))}, "Your order is ready"},
		"a file":      {apptest.Message{Author: ben, Attachments: []apptest.Attachment{{Name: "plan.zip", Data: []byte("PK")}}}, "(file: plan.zip)"},
		"passed on":   {apptest.Message{Author: ben, Forward: "the rumour"}, "(passed on: the rumour)"},
		"a day old":   {apptest.Message{Author: ben, Text: "yesterday's plan", Time: time.Now().Add(-30 * time.Hour)}, "Ben: yesterday's plan"},
		"with a time": {apptest.Message{Author: ben, Text: "at <t:1767254400:R> run </deploy now:55> <:ok:12> in <id:browse>"}, "run /deploy now :ok: in #browse"},
		"signs":       {apptest.Message{Author: ben, Text: "???"}, "Ben: ???"},
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
