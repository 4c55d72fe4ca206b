package discord_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/app/apptest"
	"mac-stats/app/discord"
	"mac-stats/sessionmem/forget"
)

// Words belong to the people who wrote them, and follow their changes on Discord.

// last returns the last message of a request to the model.
func last(c api.ChatRequest) string { return c.Messages[len(c.Messages)-1].Content }

// onDisk returns the files of the data folder that hold a text.
func (r *rig) onDisk(text string) (found []string) {
	r.t.Helper()
	err := filepath.WalkDir(r.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			found = append(found, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

// forgets returns a function that erases a person from transcripts and memory, as the app
// does.
func (r *rig) forgets() func(context.Context, string) (string, error) {
	return func(ctx context.Context, user string) (string, error) {
		f := forget.New(forget.Params{Root: r.root, Store: r.store, Memory: r.memory})
		plan, err := f.Plan(ctx, forget.Selection{Author: user, Lessons: true})
		if err == nil {
			_, err = f.Do(ctx, plan)
		}
		return "", err
	}
}

func TestABareMentionQuotesTheAuthorOfTheText(t *testing.T) {
	const words = "my xylophone is under the stairs"
	bare := func(r *rig, channel, reply string) {
		r.fake.Say(apptest.Message{Channel: channel, Author: anna, Text: "<@" + apptest.BotID + ">", Mentions: []apptest.User{luna}, Reply: reply})
	}
	tests := map[string]func(r *rig) (channel string){
		"given a reply in a channel": func(r *rig) string {
			bare(r, general, r.put(general, ben, words, time.Minute))
			return general
		},
		"given a reply to what was said long ago": func(r *rig) string {
			bare(r, general, r.put(general, ben, words, 48*time.Hour))
			return general
		},
		"given a thread": func(r *rig) string {
			withThread(r, ben, "the starter")
			r.put(thread, ben, words, time.Minute)
			bare(r, thread, "")
			return thread
		},
		"given a reply after another message that came with it": func(r *rig) string {
			id := r.put(general, ben, words, time.Minute)
			r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "<@" + apptest.BotID + ">", Mentions: []apptest.User{luna}})
			bare(r, general, id)
			return general
		},
	}
	for name, say := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r *rig
			r = start(t, options{forget: func(ctx context.Context, user string) (string, error) { return r.forgets()(ctx, user) }})
			channel := say(r)
			r.answered(channel, 1)
			r.settle()
			text := sent(r.lastChat())
			hasNone(t, text, "Anna: my xylophone")
			inOrder(t, text, "Ben: "+words, "Anna: ")
			if n := strings.Count(text, words); n != 1 {
				t.Errorf("Ben's words are there %d times", n)
			}
			r.mention(channel, ben, "forget me")
			r.await("it to be done", func() bool { return strings.Contains(fmt.Sprint(r.fake.Sent(channel)), "Forgotten") })
			if found := r.onDisk(words); len(found) > 0 {
				t.Errorf("after Ben's forget me his words are in %q", found)
			}
		})
	}
}

func TestEditsDeletionsAndStopApplyToFunChannels(t *testing.T) {
	t.Parallel()
	say := func(r *rig, by apptest.User, text string) string {
		return r.fake.Say(apptest.Message{Channel: general, Author: by, Text: text})
	}
	r := start(t, options{channels: funChannels(3 * time.Second)})
	gone := say(r, anna, "the secret is xylophone")
	wrong := say(r, ben, "it is to hot")
	say(r, anna, "nice weather")
	r.fake.DeleteMessage(general, gone)
	r.fake.EditMessage(general, wrong, "it is too hot")
	r.answered(general, 1)
	r.settle()
	text := sent(r.lastChat())
	inOrder(t, text, "Ben: it is too hot", "Anna: nice weather")
	hasNone(t, text, "xylophone", "to hot\n", "Anna: Ben:", "Ben: Anna:")
	if n := len(r.model.Chats()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	// If all of it is deleted or stopped, nothing is answered.
	r.fake.DeleteMessage(general, say(r, anna, "never mind"))
	r.settle()
	say(r, anna, "one thing more")
	r.await("the bot to be told", r.fake.CaughtUp)
	time.Sleep(300 * time.Millisecond) // and to have processed it
	say(r, ben, "/stop")
	r.await("the stop", func() bool { return strings.Contains(fmt.Sprint(r.fake.Sent(general)), "1 waiting dropped") })
	time.Sleep(7 * time.Second)
	r.settle()
	if n := len(r.model.Chats()); n != 1 {
		t.Errorf("after all was deleted or stopped the model was asked %d times: %s", n, sent(r.lastChat()))
	}
}

func TestOneOfSeveralWaitingMessagesCanBeDeleted(t *testing.T) {
	t.Parallel()
	script, finish := slowly()
	r := start(t, options{workers: 1, script: script, channels: strings.Replace(openToAll, `debounce = "0"`, `debounce = "1s"`, 1)})
	r.mention("201", ben, "slowly")
	r.await("the model", func() bool { return len(r.model.Chats()) == 1 })
	first := r.fake.Say(apptest.Message{
		Channel: general, Author: anna, Text: "<@" + apptest.BotID + "> the secret is xylophone", Mentions: []apptest.User{luna},
	})
	second := r.mention(general, anna, "what is twoo and two?")
	r.mention(general, anna, "thanks")
	r.await("it to wait", func() bool {
		r.mention(general, ben, "/status")
		return strings.Contains(fmt.Sprint(r.fake.Sent(general)), "Waiting here: 1")
	})
	r.fake.DeleteMessage(general, first)
	r.fake.EditMessage(general, second, "what is two and two?")
	r.await("the bot to be told", r.fake.CaughtUp)
	time.Sleep(200 * time.Millisecond)
	finish()
	r.settle()
	text := sent(r.lastChat())
	inOrder(t, text, "what is two and two?", "thanks")
	hasNone(t, text, "xylophone", "twoo")
}

func TestEditedAndDeletedTextIsInNoLaterPrompt(t *testing.T) {
	tests := map[string]struct {
		during bool // while the first answer is being written
		change func(r *rig, question, answer string)
		want   []string
		hasNot []string
		lose   bool // lose the bot's state and restart
	}{
		"given a deleted message": {
			change: func(r *rig, q, _ string) { r.fake.DeleteMessage(general, q) }, hasNot: []string{"xylophone"},
		},
		"given an edited message": {
			change: func(r *rig, q, _ string) { r.fake.EditMessage(general, q, "<@"+apptest.BotID+"> slowly: marimba") }, want: []string{"Anna: slowly: marimba"}, hasNot: []string{"xylophone"},
		},
		"given a message that is edited, then deleted": {
			change: func(r *rig, q, _ string) { r.fake.EditMessage(general, q, "marimba"); r.fake.DeleteMessage(general, q) }, hasNot: []string{"xylophone", "marimba"},
		},
		"given many deleted at once": {
			change: func(r *rig, q, a string) {
				r.fake.Dispatch("MESSAGE_DELETE_BULK", map[string]any{"ids": []string{"1", q, a}, "channel_id": general})
			}, hasNot: []string{"xylophone", "word3"},
		},
		"given an answer that somebody deleted": {
			change: func(r *rig, _, a string) { r.fake.DeleteMessage(general, a) }, want: []string{"xylophone"}, hasNot: []string{"word3"},
		},
		"given a deletion while it is answered": {
			during: true, change: func(r *rig, q, _ string) { r.fake.DeleteMessage(general, q) }, hasNot: []string{"xylophone"},
		},
		"given an edit while it is answered": {
			during: true, change: func(r *rig, q, _ string) { r.fake.EditMessage(general, q, "slowly: marimba") }, want: []string{"marimba"}, hasNot: []string{"xylophone"},
		},
		"given a deletion after the state was lost": {
			lose: true, change: func(r *rig, q, _ string) { r.fake.DeleteMessage(general, q) }, hasNot: []string{"xylophone"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, finish := slowly()
			r := start(t, options{script: script})
			q := r.mention(general, anna, "slowly: xylophone")
			r.await("the draft", func() bool { return len(r.fake.Sent(general)) == 1 })
			answer := r.fake.Sent(general)[0].ID
			if tt.during {
				tt.change(r, q, answer)
				r.await("the bot to be told", r.fake.CaughtUp)
				time.Sleep(100 * time.Millisecond)
			}
			finish()
			r.settle()
			if tt.lose {
				r.stop()
				r.loseState()
				r = start(t, options{root: r.root, fake: r.fake})
			}
			if !tt.during {
				tt.change(r, q, answer)
				r.settle()
			}
			ask := func() string {
				n := len(r.fake.Sent(general))
				r.mention(general, ben, "and now?")
				r.answered(general, n+1)
				r.settle()
				return sent(r.lastChat())
			}
			text := ask()
			inOrder(t, text, append(tt.want, "Ben: and now?")...)
			hasNone(t, text, tt.hasNot...)
			window, err := r.state.Window(t.Context(), general)
			if err != nil {
				t.Fatal(err)
			}
			hasNone(t, fmt.Sprint(window), tt.hasNot...)
			r.stop()
			r = start(t, options{root: r.root, fake: r.fake}) // it still applies after a restart
			text = ask()
			inOrder(t, text, tt.want...)
			hasNone(t, text, tt.hasNot...)
		})
	}
}

// Of several messages answered together, one is deleted and one edited.
func TestOneOfSeveralAnsweredMessagesCanBeDeleted(t *testing.T) {
	t.Parallel()
	r := start(t, options{channels: strings.Replace(openToAll, `debounce = "0"`, `debounce = "1s"`, 1)})
	var ids []string
	for _, text := range []string{"the secret is xylophone", "", "I like tee", "and cake"} {
		ids = append(ids, r.mention(general, anna, text))
	}
	r.answered(general, 1)
	r.settle()
	inOrder(t, last(r.lastChat()), "Anna: the secret is xylophone\n  I like tee\n  and cake")
	for i, step := range []struct {
		do   func()
		want string
	}{
		{func() { r.fake.EditMessage(general, ids[2], "I like tea") }, "Anna: the secret is xylophone\n  I like tea\n  and cake"},
		{func() { r.fake.DeleteMessage(general, ids[0]) }, "Anna: I like tea\n  and cake"},
		{func() { r.fake.EditMessage(general, ids[1], "Hello!") }, "Anna: Hello!\n  I like tea\n  and cake"},
		{func() { r.fake.DeleteMessage(general, ids[3]); r.fake.DeleteMessage(general, ids[1]) }, "Anna: I like tea"},
		{func() { r.fake.DeleteMessage(general, ids[2]) }, ""},
	} {
		step.do()
		r.settle()
		r.mention(general, ben, fmt.Sprint("question ", i))
		r.answered(general, i+2)
		r.settle()
		text := sent(r.lastChat())
		if step.want == "" {
			hasNone(t, text, "Anna:")
			continue
		}
		inOrder(t, text, step.want)
		if i > 0 {
			hasNone(t, text, "xylophone", "tee")
		}
	}
}

func TestAMessageCanBeDeletedBeforeTheModelReceivesIt(t *testing.T) {
	t.Parallel()
	r := start(t, options{settings: func(s *discord.Settings) { s.FetchTimeout = 3 * time.Second }})
	withThread(r, ben, "the starter")
	r.fake.Fail(apptest.Fault{Method: "GET", Path: "/channels/" + thread + "/messages", Hang: true})
	id := r.mention(thread, anna, "the secret is xylophone")
	r.await("what is around it to be asked for", func() bool {
		for _, q := range r.fake.Requests() {
			if q.Method == "POST" && strings.HasSuffix(q.Path, "/typing") {
				return true
			}
		}
		return false
	})
	r.fake.DeleteMessage(thread, id)
	r.await("the bot to be told", r.fake.CaughtUp)
	time.Sleep(100 * time.Millisecond)
	r.settle()
	for _, c := range r.model.Chats() {
		hasNone(t, sent(*c.Chat), "xylophone")
	}
}

func TestForgetMeIsLimitedAndSkipsUselessSearches(t *testing.T) {
	t.Parallel()
	var searched atomic.Int32
	r := start(t, options{
		channels: openToAll + "[limits]\nperson = \"6/1h\"\n",
		forget:   func(context.Context, string) (string, error) { searched.Add(1); return "", nil },
	})
	r.mention(general, anna, "I like tea")
	r.answered(general, 1)
	r.settle()
	for range 3 {
		r.mention(general, anna, "forget me")
		r.settle()
	}
	if n := searched.Load(); n != 1 {
		t.Errorf("asked three times it searched %d times", n)
	}
	r.mention(general, anna, "I like tea, still")
	r.settle()
	r.mention(general, anna, "forget me")
	r.settle()
	if n := searched.Load(); n != 2 {
		t.Errorf("after a new message it had searched %d times, want 2", n)
	}
	n := len(r.fake.Sent(general))
	for range 20 {
		r.mention(general, anna, "forget me")
	}
	r.settle()
	if more := len(r.fake.Sent(general)) - n; more != 1 {
		t.Errorf("20 more were answered %d times, want the limit to be told once", more)
	}
}
