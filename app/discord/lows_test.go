package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/app/apptest"
)

// People who asked are told if the app ended before the answer, and no unfinished draft
// remains.
func TestPeopleWhoWaitAreToldThatTheAppWasClosed(t *testing.T) {
	runApart(t, options{workers: 1})
	script, _ := slowly() // it never ends
	for name, kill := range map[string]bool{"given kill -9": true, "given that it is closed": false} {
		t.Run(name, func(t *testing.T) {
			r := start(t, options{script: script, workers: 1})
			var other *apart
			if kill {
				r.stop()
				other = r.startApart()
			}
			r.mention(general, anna, "slowly")
			r.await("the draft", func() bool {
				return len(r.fake.Sent(general)) == 1 && strings.HasSuffix(r.fake.Sent(general)[0].Text, "…")
			})
			first := r.mention("201", ben, "are you there?")
			second := r.mention("201", anna, "and I?")
			r.mention("201", anna, "forget me")
			r.await("it to be told", r.fake.CaughtUp)
			time.Sleep(500 * time.Millisecond) // and to have processed it
			if kill {
				other.kill()
			} else {
				r.stop()
			}
			r.await("its end", func() bool { return !r.fake.Connected() })
			again := start(t, options{root: r.root, fake: r.fake})
			again.await("the words", func() bool { return strings.Contains(fmt.Sprint(r.fake.Sent("201")), "closed before") })
			again.settle()
			for _, m := range r.fake.Sent(general) {
				if strings.HasSuffix(m.Text, "…") || !strings.Contains(m.Text, "word") {
					t.Errorf("in the first channel stands %q", m.Text)
				}
			}
			notices := 0
			for _, m := range r.fake.Sent("201") {
				if strings.Contains(m.Text, "closed before") {
					notices++
					if m.Reply != first && m.Reply != second {
						t.Errorf("it replies to %q", m.Reply)
					}
				}
			}
			if notices != 1 {
				t.Errorf("it was told %d times", notices)
			}
			again.stop()
			last := start(t, options{root: r.root, fake: r.fake})
			last.mention("201", ben, "once more")
			last.await("the answer", func() bool { return strings.Contains(fmt.Sprint(r.fake.Sent("201")), "the answer") })
			last.settle()
			if n := strings.Count(fmt.Sprint(r.fake.Sent("201")), "closed before"); n != 1 {
				t.Errorf("after another start it was told %d times", n)
			}
		})
	}
}

func TestAReplyInADirectConversationIsQuoted(t *testing.T) {
	t.Parallel()
	r := start(t, options{script: testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "luna's own words"}}}}})
	old := r.fake.Put(apptest.Message{Channel: direct, Author: anna, Text: "the xylophone costs 40", Time: time.Now().Add(-time.Hour)})
	r.fake.Say(apptest.Message{Channel: direct, Author: anna, Text: "is that much?", Reply: old})
	r.answered(direct, 1)
	inOrder(t, quotedPart(r.lastChat()), "Anna: the xylophone costs 40")
	r.fake.Say(apptest.Message{Channel: direct, Author: anna, Text: "thanks", Reply: r.fake.Sent(direct)[0].ID})
	r.answered(direct, 2)
	if n := strings.Count(sent(r.lastChat()), "luna's own words"); n != 1 {
		t.Errorf("the answer it replies to is there %d times", n)
	}
}

func TestAForwardIsQuotedAndAttributedToNobody(t *testing.T) {
	t.Parallel()
	r := start(t, options{channels: openToAll + "[channel.201]\nmode = \"all_messages\"\n"})
	for _, channel := range []string{direct, "201"} {
		r.fake.Say(apptest.Message{Channel: channel, Author: anna, Forward: "somebody's xylophone\nis loud"})
		r.answered(channel, 1)
		inOrder(t, sent(r.lastChat()), "<<<quoted", "somebody's xylophone is loud", "Anna: ")
		hasNone(t, last(r.lastChat()), "xylophone")
	}
	r.settle()
	if found := r.onDisk("xylophone"); len(found) > 0 {
		t.Errorf("what nobody knows the author of is in %q", found)
	}
}

func TestAMentionOfTheBotsOwnRoleIsAMention(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "<@&" + apptest.BotRole + "> hello there", Roles: []string{apptest.BotRole}})
	r.answered(general, 1)
	if got := last(r.lastChat()); !strings.HasPrefix(got, "Anna: hello there") {
		t.Errorf("it was asked %q", got)
	}
	r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "<@&401> hello others", Roles: []string{"401"}})
	r.settle()
	if n := len(r.model.Chats()); n != 1 {
		t.Errorf("another role's mention was answered: %d", n)
	}
}

func TestAnEditThatAddsTheMention(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	edit := func(id, text string) {
		r.fake.Mention(general, id, luna)
		r.fake.EditMessage(general, id, text)
		r.settle()
	}
	id := r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "what is two and two?"})
	r.settle()
	edit(id, "<@"+apptest.BotID+"> what is two and two?")
	r.answered(general, 1)
	edit(id, "<@"+apptest.BotID+"> what is two and three?") // only once
	edit(r.fake.Put(apptest.Message{Channel: general, Author: anna, Text: "long ago", Time: time.Now().Add(-48 * time.Hour)}), "<@"+apptest.BotID+"> long ago")
	if n := len(r.model.Chats()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

func TestAnImageDoesNotHoldUpATextBesideIt(t *testing.T) {
	t.Parallel()
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"
	r := start(t, options{script: testkit.Script{Models: []testkit.Model{{Name: "qwen3:8b", ParameterSize: "8B", Capabilities: []string{"completion"}, ContextLength: 16384}}}})
	r.fake.Say(apptest.Message{
		Channel: general, Author: anna, Text: "<@" + apptest.BotID + "> what do the notes say?", Mentions: []apptest.User{luna},
		Attachments: []apptest.Attachment{{Name: "cat.png", Type: "image/png", Data: []byte(png)}, {Name: "notes.txt", Type: "text/plain", Data: []byte("the notes say hello")}},
	})
	got := r.answered(general, 1)[0].Text
	inOrder(t, got, "the answer", "cat", "can't be looked at")
	inOrder(t, last(r.lastChat()), "what do the notes say?", "cat.png can't be looked at", "the notes say hello")
}

func TestQuotedLinesHaveNamesForMentions(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	withThread(r, ben, "the starter")
	r.fake.Put(apptest.Message{Channel: thread, Author: ben, Text: "<@301> ask <@" + apptest.BotID + "> about <#200>, <@&401> and <@999>", Mentions: []apptest.User{anna, luna}, Time: time.Now().Add(-time.Minute)})
	r.mention(thread, anna, "well?")
	r.answered(thread, 1)
	text := quotedPart(r.lastChat())
	inOrder(t, text, "@Anna ask @luna about #channel, @role and @somebody")
	hasNone(t, text, "<@", "<#")
}
