package discord_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/app/apptest"
	"mac-stats/sessionmem/transcript"
)

func TestMentionIsAnsweredWithPromptFirst(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	id := r.mention(general, anna, "why is the sky blue?")
	got := r.answered(general, 1)
	if got[0].Text != "the answer" || got[0].Reply != id {
		t.Errorf("the bot wrote %+v", got[0])
	}
	chat := r.lastChat()
	if !strings.HasPrefix(chat.Messages[0].Content, "You are Luna, by LUNA_RUNTIME_PROMPT.md.") {
		t.Errorf("the request begins with %.60q", chat.Messages[0].Content)
	}
	last := chat.Messages[len(chat.Messages)-1].Content
	if !strings.HasPrefix(last, "Anna: why is the sky blue?") {
		t.Errorf("the message was sent as %q", last)
	}
	hasNone(t, sent(chat), "owner's machine", "FETCH_URL", "SYSTEM_STATS")
	tr, err := r.store.Load(t.Context(), "discord-"+general)
	if err != nil {
		t.Fatal(err)
	}
	if user := tr.Blocks[0]; user.Kind != transcript.KindUser || user.Attrs["author"] != anna.ID || user.Attrs["msg"] != id || user.Text != "why is the sky blue?" {
		t.Errorf("the transcript begins with %+v", user)
	}
}

func TestWhichMessagesAreAnswered(t *testing.T) {
	t.Parallel()
	own := "[allow]\nusers = [\"301\"]\nroles = [\"401\"]\n[default]\ndebounce = \"0\"\n[channel.201]\nmode = \"all_messages\"\n"
	bot := []apptest.User{luna}
	tests := map[string]struct {
		message apptest.Message
		answer  bool
		code    bool
	}{
		"given a mention":                            {message: apptest.Message{Channel: general, Author: anna, Text: "<@" + apptest.BotID + "> hi", Mentions: bot}, answer: true},
		"given a message to nobody":                  {message: apptest.Message{Channel: general, Author: anna, Text: "hi all"}},
		"given a direct message":                     {message: apptest.Message{Channel: direct, Author: anna, Text: "hi"}, answer: true},
		"given a channel where all is read":          {message: apptest.Message{Channel: "201", Author: anna, Text: "hi all"}, answer: true},
		"given somebody with the role":               {message: apptest.Message{Channel: general, Author: apptest.User{ID: "310", Name: "Cleo", Roles: []string{"401"}}, Text: "hi", Mentions: bot}, answer: true},
		"given a stranger who mentions it":           {message: apptest.Message{Channel: general, Author: ben, Text: "hi", Mentions: bot}, code: true},
		"given a stranger where all is read":         {message: apptest.Message{Channel: "201", Author: ben, Text: "hi all"}},
		"given a stranger's direct message":          {message: apptest.Message{Channel: direct, Author: ben, Text: "hi"}, code: true},
		"given another bot":                          {message: apptest.Message{Channel: general, Author: robot, Text: "hi", Mentions: bot}},
		"given a webhook":                            {message: apptest.Message{Channel: general, Author: anna, Webhook: "55", Text: "hi", Mentions: bot}},
		"given that somebody joined":                 {message: apptest.Message{Channel: general, Author: anna, Kind: 7, Mentions: bot}},
		"given its own echo":                         {message: apptest.Message{Channel: general, Author: luna, Text: "hi", Mentions: bot}},
		"given a name that is only part of the word": {message: apptest.Message{Channel: general, Author: anna, Text: "lunatic session status"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, options{channels: own})
			r.fake.Say(tt.message)
			r.mention(general, anna, "the last one") // the intake keeps the order
			r.await("the last answer", func() bool {
				for _, c := range r.model.Chats() {
					if strings.Contains(sent(*c.Chat), "the last one") {
						return true
					}
				}
				return false
			})
			if tt.code {
				r.await("the code", func() bool { return strings.Contains(fmt.Sprint(r.fake.Sent("")), "mac-stats discord pair") })
			}
			r.settle()
			others := 0
			for _, c := range r.model.Chats() {
				if !strings.Contains(sent(*c.Chat), "the last one") {
					others++
				}
			}
			if asked := others > 0 || len(r.model.Chats()) == 2; tt.answer != asked {
				t.Errorf("the model was asked about it: %v", asked)
			}
			if code := strings.Contains(fmt.Sprint(r.fake.Sent("")), "mac-stats discord pair"); code != tt.code {
				t.Errorf("a code was given: %v", code)
			}
		})
	}
}

func TestReplyToTheBotNeedsNoMention(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	r.mention(general, anna, "one")
	first := r.answered(general, 1)[0]
	r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "and two?", Reply: first.ID})
	r.answered(general, 2)
}

func TestDuplicatesAreAnsweredOnceAcrossARestart(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	id := r.mention(general, anna, "once")
	r.answered(general, 1)
	r.fake.Resend(general, id)
	r.settle()
	r.stop()
	again := start(t, options{root: r.root, fake: r.fake})
	again.fake.Resend(general, id)
	again.mention(general, anna, "twice")
	again.answered(general, 2)
	again.settle()
	if n := len(r.fake.Sent(general)); n != 2 {
		t.Errorf("%d answers, want 2", n)
	}
	// The conversation from before the restart goes on.
	inOrder(t, sent(again.lastChat()), "Anna: once", "the answer", "Anna: twice")
}

func TestConsecutiveMessagesAreAnsweredTogether(t *testing.T) {
	t.Parallel()
	// The debounce is so long that what follows arrives in time on any machine; a message
	// with a file ends it.
	r := start(t, options{channels: strings.Replace(openToAll, `debounce = "0"`, `debounce = "1m"`, 1)})
	r.mention(general, anna, "first half")
	gone := r.mention(general, anna, "a slip")
	edited := r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "second hlf", Mentions: []apptest.User{luna}})
	r.fake.EditMessage(general, edited, "second half")
	r.fake.DeleteMessage(general, gone)
	last := r.fake.Say(apptest.Message{
		Channel: general, Author: anna, Text: "the end", Mentions: []apptest.User{luna},
		Attachments: []apptest.Attachment{{Name: "notes.txt", Type: "text/plain", Data: []byte("what is attached")}},
	})
	got := r.answered(general, 1)
	if got[0].Reply != last {
		t.Errorf("the answer replies to %s, want the last message %s", got[0].Reply, last)
	}
	text := sent(r.lastChat())
	inOrder(t, text, "first half", "second half", "the end")
	hasNone(t, text, "a slip", "second hlf")
	r.settle()
	if n := len(r.model.Chats()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

func TestAPersonWhoNeverStopsWritingIsAnswered(t *testing.T) {
	t.Parallel()
	r := start(t, options{channels: strings.Replace(openToAll, `debounce = "0"`, `debounce = "200ms"`, 1)})
	began := time.Now()
	for i := 0; len(r.fake.Sent(general)) == 0; i++ {
		if time.Since(began) > 2*time.Minute {
			t.Fatal("it waited for the end of what never ends")
		}
		r.mention(general, anna, fmt.Sprint("and ", i))
		time.Sleep(100 * time.Millisecond) // shorter than the pause it waits for
	}
}

func TestDraftIsEditedAtMostOnceASecondThenFinal(t *testing.T) {
	t.Parallel()
	var chunks []string
	for i := range 40 {
		chunks = append(chunks, fmt.Sprintf("word%d ", i))
	}
	r := start(t, options{script: testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Chunks: chunks, Delay: 100 * time.Millisecond}}}}})
	began := time.Now()
	id := r.mention(general, anna, "slowly please")
	r.await("the final text", func() bool {
		s := r.fake.Sent(general)
		return len(s) == 1 && strings.HasSuffix(s[0].Text, "word39")
	})
	got := r.fake.Sent(general)[0]
	if got.Reply != id || len(got.Edits) < 2 || got.Text != strings.TrimSpace(strings.Join(chunks, "")) {
		t.Errorf("the message is %+v", got)
	}
	if took, most := time.Since(began), 1+int(time.Since(began)/time.Second); len(got.Edits) > most {
		t.Errorf("%d edits within %s, want at most one a second", len(got.Edits), took)
	}
	if r.fake.Typing(general) == 0 {
		t.Error("it did not show that it was typing")
	}
}

func TestLongAnswers(t *testing.T) {
	t.Parallel()
	long := testkit.Lines("A line of the answer that is not short,", 80) + "```go\n" + strings.Repeat("x := 1\n", 30) + "```\n"
	r := start(t, options{script: testkit.Script{Rules: []testkit.Rule{
		{UserContains: "file", Reply: testkit.Reply{Text: testkit.Lines("A line of the answer that is not short,", 600)}},
		{Reply: testkit.Reply{Text: long}},
	}}})
	r.mention(general, anna, "long")
	r.answered(general, 2)
	r.settle()
	for _, m := range r.fake.Sent(general) {
		if len([]rune(m.Text)) > 2000 || strings.Count(m.Text, "```")%2 != 0 {
			t.Errorf("a part of %d characters: %s", len(m.Text), m.Text)
		}
	}
	r.mention("201", anna, "as a file")
	r.await("the file", func() bool {
		s := r.fake.Sent("201")
		return len(s) > 0 && len(s[len(s)-1].Files) == 1
	})
	s := r.fake.Sent("201")
	if file := s[len(s)-1].Files["answer.md"]; len(file) < 5*len(long) {
		t.Errorf("the file has %d bytes", len(file))
	}
}

func TestErrorsAreExplainedWithoutDetailsOfTheMachine(t *testing.T) {
	t.Parallel()
	r := start(t, options{script: testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Fault: &testkit.Fault{Kind: testkit.FaultStatus, Status: 500}}}}}})
	r.mention(general, anna, "hi")
	got := r.answered(general, 1)[0]
	hasNone(t, got.Text, "127.0.0.1", "http", r.root)
	if got.Text == "" || got.Text == "the answer" {
		t.Errorf("it said %q", got.Text)
	}
}

func TestStopAndStatusGetThrough(t *testing.T) {
	t.Parallel()
	r := start(t, options{workers: 1, script: testkit.Script{Rules: []testkit.Rule{
		{UserContains: "for ever", Reply: testkit.Reply{Chunks: []string{"one ", "two"}, Fault: &testkit.Fault{Kind: testkit.FaultHangMid, After: 1}}},
		{Reply: testkit.Reply{Text: "the answer"}},
	}}})
	r.mention(general, anna, "talk for ever")
	r.await("the model", func() bool { return len(r.model.Chats()) == 1 })
	for i := range 3 {
		r.mention(general, anna, fmt.Sprintf("waiting %d", i))
	}
	r.await("the status", func() bool {
		r.mention(general, anna, "/status")
		told := fmt.Sprint(r.fake.Sent(general))
		return strings.Contains(told, "Answering in this channel") && strings.Contains(told, "Waiting here: 3")
	})
	r.fake.Slash(general, "stop", anna)
	r.await("the stop", func() bool { return strings.Contains(strings.Join(r.fake.Answers(), " "), "Stopped") })
	r.mention("201", anna, "elsewhere")
	r.await("the next channel's answer", func() bool { return strings.Contains(fmt.Sprint(r.fake.Sent("201")), "the answer") })
	for _, c := range r.model.Chats() {
		hasNone(t, sent(*c.Chat), "waiting 0", "waiting 2")
	}
	if got := r.fake.Commands(); strings.Join(got, " ") != "stop status" {
		t.Errorf("the slash commands are %q", got)
	}
}

func TestCommandsByName(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	r.stop()
	r = start(t, options{root: r.root, fake: r.fake})
	r.mention(general, anna, "a secret word: xylophone")
	r.answered(general, 1)
	r.mention("201", anna, "elsewhere: marimba")
	r.answered("201", 1)
	r.settle()
	r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "Luna session status"})
	status := r.answered(general, 2)[1].Text
	inOrder(t, status, "discord-200", "Messages: 2", "Recent roles: user, assistant")
	hasNone(t, status, "xylophone", "Anna")
	r.mention(general, anna, "reset session")
	r.answered(general, 3)
	r.mention(general, anna, "what was the word?")
	r.answered(general, 4)
	hasNone(t, sent(r.lastChat()), "xylophone", "marimba")
	r.mention("201", anna, "and here?")
	r.answered("201", 2)
	inOrder(t, sent(r.lastChat()), "marimba", "and here?") // no other channel was reset
	r.mention(general, anna, "how do I reset session cookies?")
	r.answered(general, 5)
	inOrder(t, sent(r.lastChat()), "what was the word?", "how do I reset session cookies?")
}

func TestForgetMe(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	r := start(t, options{forget: func(_ context.Context, user string) (string, error) {
		asked <- user
		return "Also 3 blocks of transcripts.", nil
	}})
	r.mention(general, anna, "I like tea")
	r.answered(general, 1)
	r.mention(general, ben, "I like coffee")
	r.answered(general, 2)
	r.settle()
	r.mention(general, anna, "forget me")
	got := r.answered(general, 3)[2].Text
	if got != "Forgotten: 1 recent messages. Also 3 blocks of transcripts." || <-asked != anna.ID {
		t.Errorf("it said %q", got)
	}
	window, err := r.state.Window(t.Context(), general)
	if err != nil {
		t.Fatal(err)
	}
	hasNone(t, fmt.Sprint(window), "tea")
	inOrder(t, fmt.Sprint(window), "coffee")
}

func TestForgetMeCoversWaitingAndUnfinishedAnswers(t *testing.T) {
	t.Parallel()
	r := start(t, options{
		channels: strings.Replace(openToAll, `debounce = "0"`, `debounce = "500ms"`, 1),
		script: testkit.Script{Rules: []testkit.Rule{
			{UserContains: "slowly", Reply: testkit.Reply{Chunks: []string{"one ", "two ", "three"}, Delay: 400 * time.Millisecond}},
			{Reply: testkit.Reply{Text: "the answer"}},
		}},
		forget: func(context.Context, string) (string, error) { return "", nil },
	})
	r.mention(general, anna, "slowly: xylophone")
	r.await("the model", func() bool { return len(r.model.Chats()) == 1 })
	r.mention(general, anna, "marimba")
	r.mention("201", anna, "forget me")
	r.answered("201", 1)
	r.await("the answer that was under way", func() bool { return strings.Contains(fmt.Sprint(r.fake.Sent(general)), "three") })
	r.settle()
	window, err := r.state.Window(t.Context(), general)
	if err != nil {
		t.Fatal(err)
	}
	if len(window) > 0 {
		t.Errorf("the window holds %v", window)
	}
	r.mention(general, anna, "a new beginning")
	r.await("the next answer", func() bool { return strings.Contains(fmt.Sprint(r.fake.Sent(general)), "the answer") })
	if n := len(r.model.Chats()); n != 2 {
		t.Errorf("the model was asked %d times, want what waited to be dropped", n)
	}
}

func TestLimitsAreExplainedOnce(t *testing.T) {
	tests := map[string]struct {
		limit string
		by    []apptest.User
		says  string
	}{
		"given that of a person":  {"person = \"2/1h\"", []apptest.User{anna}, "Too many messages at once."},
		"given that of a channel": {"channel = \"2/1h\"", []apptest.User{anna, ben}, "many messages here in a short time"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, options{channels: openToAll + "[limits]\n" + tt.limit + "\n"})
			for i := range 6 {
				r.mention(general, tt.by[i%len(tt.by)], fmt.Sprint("message ", i))
			}
			r.answered(general, 3)
			r.settle()
			told := 0
			for _, m := range r.fake.Sent(general) {
				if strings.Contains(m.Text, tt.says) {
					told++
				}
			}
			if n := len(r.model.Chats()); n != 2 || told != 1 {
				t.Errorf("%d were answered and it was told %d times, want 2 and 1", n, told)
			}
			r.mention("201", anna, "elsewhere")
			if name == "given that of a channel" { // another agent has its own
				r.answered("201", 1)
			}
		})
	}
}
