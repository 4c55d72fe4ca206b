package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/app/apptest"
	"mac-stats/sessionmem/transcript"
)

// Calls that Discord refuses, and things that disappear while the bot works.

// slowly is a model that writes the last word of its answer only once finish is called.
// Until then there is a draft.
func slowly() (script testkit.Script, finish func()) {
	var chunks []string
	for i := range 30 {
		chunks = append(chunks, fmt.Sprintf("word%d ", i))
	}
	until := make(chan struct{})
	return testkit.Script{Rules: []testkit.Rule{
		{UserContains: "slowly", Reply: testkit.Reply{Chunks: chunks, Until: until}},
		{Reply: testkit.Reply{Text: "the answer"}},
	}}, func() { close(until) }
}

// answersOf returns the answers in a place's transcript.
func (r *rig) answersOf(place string) []string {
	r.t.Helper()
	session, err := r.store.Context(r.t.Context(), "discord-"+place)
	if err != nil {
		r.t.Fatal(err)
	}
	var list []string
	for _, b := range session.Messages {
		if b.Kind == transcript.KindAssistant {
			list = append(list, b.Text)
		}
	}
	return list
}

func TestTheOwnerIsToldOnceWhereTheBotMayNotWrite(t *testing.T) {
	t.Parallel()
	r := start(t, options{script: testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "a heron in a lantern"}}}}})
	r.fake.SetChannel(general, func(c *apptest.Channel) { c.NoSend = true })
	for i := range 2 {
		r.mention(general, anna, fmt.Sprint("are you there? ", i))
		r.settle()
	}
	kept, err := r.store.Load(t.Context(), "discord-"+general)
	if err != nil || strings.Count(fmt.Sprint(kept.Blocks), "heron") != 2 {
		t.Errorf("the answers aren't in the transcript: %v, %v", kept, err)
	}
	r.await("word to the owner", func() bool { return r.refused.text() == general+"\n" })
	r.mention("201", anna, "and here?")
	r.answered("201", 1)
	r.fake.SetChannel(general, func(c *apptest.Channel) { c.NoSend = false })
	r.mention(general, anna, "and now?")
	r.answered(general, 1)
	inOrder(t, sent(r.lastChat()), "are you there? 0", "are you there? 1", "and now?")
	hasNone(t, sent(r.lastChat()), "heron") // nobody saw it
}

func TestWithoutReadingHistoryTheBotStillAnswers(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	r.fake.SetChannel(general, func(c *apptest.Channel) { c.NoHistory = true })
	to := r.put(general, ben, "what it may not read", time.Minute)
	r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "<@" + apptest.BotID + "> what is that?", Mentions: []apptest.User{luna}, Reply: to})
	if got := r.answered(general, 1)[0]; got.Text != "the answer" || got.Reply != "" {
		t.Errorf("it wrote %+v", got)
	}
}

func TestWithoutAttachingFilesALongAnswerIsTruncated(t *testing.T) {
	t.Parallel()
	long := testkit.Lines("A line of the answer that is not short,", 500)
	r := start(t, options{script: testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: long}}}}})
	r.fake.SetChannel(general, func(c *apptest.Channel) { c.NoAttach = true })
	r.mention(general, anna, "all of it")
	got := r.answered(general, 6)
	if len(got) != 6 || !strings.HasSuffix(got[5].Text, "*I can't attach files here, so the rest is left out.*") {
		t.Fatalf("it wrote %d messages, the last %q", len(got), got[len(got)-1].Text)
	}
	for _, m := range got {
		if len([]rune(m.Text)) > 2000 || strings.Contains(m.Text, "in the file") {
			t.Errorf("a message of %d characters: %.80q", len([]rune(m.Text)), m.Text)
		}
	}
}

func TestDeletionsDuringAnAnswer(t *testing.T) {
	tests := map[string]struct {
		gone  func(r *rig, asked, draft string)
		reply bool // the answer refers to the message
		other bool // it isn't the same message as the draft
	}{
		"given the draft":          {func(r *rig, _, draft string) { r.fake.DeleteMessage(general, draft) }, true, true},
		"given the message itself": {func(r *rig, asked, _ string) { r.fake.DeleteMessage(general, asked) }, true, false},
		"given both": {func(r *rig, asked, draft string) {
			r.fake.DeleteMessage(general, asked)
			r.fake.DeleteMessage(general, draft)
		}, false, true},
		"given that it is only edited": {func(r *rig, asked, _ string) { r.fake.EditMessage(general, asked, "something else") }, true, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, finish := slowly()
			r := start(t, options{script: script})
			asked := r.mention(general, anna, "slowly please")
			r.await("a draft", func() bool { return len(r.fake.Sent(general)) == 1 })
			draft := r.fake.Sent(general)[0].ID
			tt.gone(r, asked, draft)
			r.await("the bot to be told", r.fake.CaughtUp)
			finish()
			last := func() apptest.Sent { list := r.fake.Sent(general); return list[len(list)-1] }
			r.await("the whole answer", func() bool { return strings.HasSuffix(last().Text, "word29") })
			if got := last(); (got.Reply == asked) != tt.reply || (got.ID != draft) != tt.other {
				t.Errorf("the answer is %+v; the message was %s, the draft %s", got, asked, draft)
			}
			r.mention(general, anna, "again")
			r.await("the next answer", func() bool { return last().Text == "the answer" })
			want := 2
			if tt.other {
				want++
			}
			if n := len(r.fake.Sent(general)); n != want || len(r.model.Chats()) != 2 {
				t.Errorf("%d messages were posted and the model was asked %d times", n, len(r.model.Chats()))
			}
		})
	}
}

func TestADraftWhoseResponseWasLostBecomesTheAnswer(t *testing.T) {
	t.Parallel()
	script, finish := slowly()
	r := start(t, options{script: script})
	r.fake.Fail(apptest.Fault{Method: "POST", Path: "/messages", Status: 500, Done: true, Times: 5})
	r.mention(general, anna, "slowly please")
	r.await("a draft", func() bool { return len(r.fake.Sent(general)) == 1 })
	finish()
	r.await("the whole answer", func() bool {
		list := r.fake.Sent(general)
		return len(list) > 0 && strings.HasSuffix(list[0].Text, "word29")
	})
	r.settle()
	if n := len(r.fake.Sent(general)); n != 1 {
		t.Errorf("%d messages were posted", n)
	}
}

func TestAnEmptyReplyToTheBotIsNotItsOwnWords(t *testing.T) {
	t.Parallel()
	r := start(t, options{script: testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "luna's own words"}}}}})
	r.mention(general, anna, "one")
	own := r.answered(general, 1)[0].ID
	other := r.put(general, ben, "words of Ben", time.Minute)
	for i, tt := range []struct{ to, want string }{{own, "Anna: (The message has no text"}, {other, "Anna: (no words of their own: they call you to answer the message of Ben)"}} {
		r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "<@" + apptest.BotID + ">", Mentions: []apptest.User{luna}, Reply: tt.to})
		r.answered(general, i+2)
		messages := r.lastChat().Messages
		if last := messages[len(messages)-1].Content; !strings.HasPrefix(last, tt.want) {
			t.Errorf("the model was asked %q, want %q", last, tt.want)
		}
	}
}

func TestAThreadLockedDuringAnAnswer(t *testing.T) {
	t.Parallel()
	script, finish := slowly()
	r := start(t, options{script: script})
	withThread(r, ben, "the starter")
	r.mention(thread, anna, "slowly please")
	r.await("a draft", func() bool { return len(r.fake.Sent(thread)) == 1 })
	r.fake.SetChannel(thread, func(c *apptest.Channel) { c.Archived, c.Locked = true, true })
	finish()
	r.await("the answer in the transcript", func() bool { return len(r.answersOf(thread)) == 1 })
	r.await("the last edit, in vain", func() bool { return strings.Contains(r.logs.text(), "an answer could not be sent") })
	r.mention(general, anna, "and here?")
	r.answered(general, 1)
	r.fake.SetChannel(thread, func(c *apptest.Channel) { c.Archived, c.Locked = false, false })
	r.mention(thread, anna, "go on")
	r.await("the next answer", func() bool { list := r.fake.Sent(thread); return list[len(list)-1].Text == "the answer" })
	inOrder(t, sent(r.lastChat()), "slowly please", "word29", "go on")
}

func TestNothingIsAnsweredInPlacesTheBotHasLeft(t *testing.T) {
	hang := testkit.Script{Rules: []testkit.Rule{
		{UserContains: "for ever", Reply: testkit.Reply{Chunks: []string{"one ", "two"}, Fault: &testkit.Fault{Kind: testkit.FaultHangMid, After: 1}}},
		{Reply: testkit.Reply{Text: "the answer"}},
	}}
	tests := map[string]func(r *rig){
		"given a channel that is deleted":    func(r *rig) { r.fake.DeleteChannel(general) },
		"given a server it was put out of":   func(r *rig) { r.fake.RemoveGuild(guild) },
		"given a channel above a thread too": func(r *rig) { r.fake.DeleteChannel(thread); r.fake.DeleteChannel(general) },
	}
	for name, leave := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, options{workers: 1, script: hang})
			withThread(r, ben, "the starter")
			r.mention(general, anna, "talk for ever")
			r.await("the model", func() bool { return len(r.model.Chats()) == 1 })
			r.mention(general, anna, "what waits")
			leave(r)
			r.fake.Say(apptest.Message{Channel: direct, Author: anna, Text: "are you still there?"})
			r.answered(direct, 1) // the one worker is free again
			for _, c := range r.model.Chats() {
				hasNone(t, sent(*c.Chat), "what waits")
			}
			if name != "given a server it was put out of" {
				r.mention("201", anna, "and here?")
				r.answered("201", 1)
			}
		})
	}
}

func TestAMessageWithWithheldTextIsExplainedOnce(t *testing.T) {
	t.Parallel()
	r := start(t, options{mentions: true})
	r.mention(general, anna, "one")
	first := r.answered(general, 1)[0]
	for range 2 { // without the mention: Discord withholds the words
		r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "and two?", Reply: first.ID})
	}
	r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "and three?", Reply: first.ID, Mentions: []apptest.User{luna}})
	r.await("the answer", func() bool { return len(r.model.Chats()) == 2 && len(r.fake.Sent(general)) == 3 })
	r.settle()
	said := 0
	for _, m := range r.fake.Sent(general) {
		if strings.HasPrefix(m.Text, "I can't read that") {
			said++
		}
	}
	inOrder(t, sent(r.lastChat()), "and three?")
	if said != 1 || len(r.model.Chats()) != 2 {
		t.Errorf("it was said %d times, and the model was asked %d times", said, len(r.model.Chats()))
	}
}

func TestTwoThousandEmojiStayWholeInBothDirections(t *testing.T) {
	t.Parallel()
	family := "\U0001f468\u200d\U0001f469\u200d\U0001f467"
	many := strings.Repeat("😀", 1700) + strings.Repeat(family, 60) // 2,000 characters, 3,880 in UTF-16
	r := start(t, options{script: testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: many}}}}})
	r.mention(general, anna, many)
	var got strings.Builder
	for _, m := range r.answered(general, 2) {
		if strings.HasPrefix(m.Text, "\u200d") || strings.HasSuffix(m.Text, "\u200d") {
			t.Errorf("a sign is cut in two: %.20q", m.Text)
		}
		got.WriteString(m.Text)
	}
	if got.String() != many {
		t.Errorf("of %d bytes %d were sent, or others", len(many), got.Len())
	}
	if !strings.Contains(sent(r.lastChat()), many) {
		t.Error("the model was not sent the whole message")
	}
}
