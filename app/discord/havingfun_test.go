package discord_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"mac-stats/app/apptest"
)

func funChannels(delay time.Duration) string {
	return fmt.Sprintf("%s[channel.200]\nmode = \"having_fun\"\n[having_fun]\nmin_delay = %q\nmax_delay = %q\nbot_replies = 2\n", openToAll, delay, 2*delay)
}

// talk lets two people talk in the channel general until both are answered at once. If the
// machine is too slow for that, they try again with a longer delay. known are files of the
// memory.
func talk(t *testing.T, known map[string]string) *rig {
	t.Helper()
	for delay := 200 * time.Millisecond; delay < 5*time.Minute; delay *= 4 {
		r := start(t, options{channels: funChannels(delay)})
		for file, text := range known {
			writeFile(t, filepath.Join(r.root, file), text)
		}
		r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "nice weather"})
		r.fake.Say(apptest.Message{Channel: general, Author: ben, Text: "too hot for me"})
		r.answered(general, 1)
		r.settle()
		if len(r.model.Chats()) == 1 {
			return r
		}
	}
	t.Fatal("what was said is never answered at once")
	return nil
}

func TestHavingFunIsCasualAndJoinsMessages(t *testing.T) {
	t.Parallel()
	r := talk(t, nil)
	text := sent(r.lastChat())
	inOrder(t, text, "You are Luna", "chatting for fun", "Local time", "Anna: nice weather", "Ben: too hot for me")
	hasNone(t, text, "MEMORY_APPEND:")
	if !r.bot.PlaceOf("discord-" + general).Silent {
		t.Error("lessons are learnt where it has fun")
	}
	if r.bot.PlaceOf("discord-201").Silent || r.bot.PlaceOf("discord-201").Server != guild {
		t.Errorf("another channel is %+v", r.bot.PlaceOf("discord-201"))
	}
}

func TestConsecutiveAnswersToBotsAreLimited(t *testing.T) {
	t.Parallel()
	r := start(t, options{channels: funChannels(100 * time.Millisecond)})
	for i := range 5 {
		r.fake.Say(apptest.Message{Channel: general, Author: robot, Text: fmt.Sprint("beep ", i)})
		if i < 2 {
			r.answered(general, i+1)
		}
		r.settle()
	}
	if n := len(r.fake.Sent(general)); n != 2 {
		t.Errorf("a robot was answered %d times in a row, want 2", n)
	}
	r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "now a person speaks"})
	r.answered(general, 3)
	r.fake.Say(apptest.Message{Channel: general, Author: robot, Text: "beep again"})
	r.answered(general, 4)
}

func TestAllWhoSpokeInAFunChannelAreAuthors(t *testing.T) {
	t.Parallel()
	r := talk(t, nil)
	session, err := r.store.Context(t.Context(), "discord-"+general)
	if err != nil || len(session.Messages) == 0 {
		t.Fatalf("%+v, %v", session, err)
	}
	for _, u := range []apptest.User{anna, ben} {
		if b := session.Messages[0]; !b.WrittenBy(u.ID) {
			t.Errorf("%s is no author of %+v", u.Name, b)
		}
	}
}
