package discord_test

import (
	"fmt"
	"testing"

	"mac-stats/app/discord/discordtest"
)

const funChannels = openToAll + "[channel.200]\nmode = \"having_fun\"\n[having_fun]\nmin_delay = \"100ms\"\nmax_delay = \"300ms\"\nbot_replies = 2\n"

func TestHavingFunIsCasualAndJoinsWhatWasSaid(t *testing.T) {
	r := start(t, options{channels: funChannels})
	r.fake.Say(discordtest.Message{Channel: general, Author: anna, Text: "nice weather"})
	r.fake.Say(discordtest.Message{Channel: general, Author: ben, Text: "too hot for me"})
	r.answered(general, 1)
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

func TestBotsAreAnsweredOnlySoOftenInARow(t *testing.T) {
	r := start(t, options{channels: funChannels})
	for i := range 5 {
		r.fake.Say(discordtest.Message{Channel: general, Author: robot, Text: fmt.Sprint("beep ", i)})
		if i < 2 {
			r.answered(general, i+1)
		}
		r.settle()
	}
	if n := len(r.fake.Sent(general)); n != 2 {
		t.Errorf("a robot was answered %d times in a row, want 2", n)
	}
	r.fake.Say(discordtest.Message{Channel: general, Author: anna, Text: "now a person speaks"})
	r.answered(general, 3)
	r.fake.Say(discordtest.Message{Channel: general, Author: robot, Text: "beep again"})
	r.answered(general, 4)
}

func TestAllWhoSpokeInFunAreItsAuthors(t *testing.T) {
	r := start(t, options{channels: funChannels})
	r.fake.Say(discordtest.Message{Channel: general, Author: anna, Text: "nice weather"})
	r.fake.Say(discordtest.Message{Channel: general, Author: ben, Text: "too hot for me"})
	r.answered(general, 1)
	session, err := r.store.Context(t.Context(), "discord-"+general)
	if err != nil || len(session.Messages) == 0 {
		t.Fatalf("%+v, %v", session, err)
	}
	for _, u := range []discordtest.User{anna, ben} {
		if b := session.Messages[0]; !b.WrittenBy(u.ID) {
			t.Errorf("%s is no author of %+v", u.Name, b)
		}
	}
}
