package doctorcmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"mac-stats/app/cli/discordcmd"
	"mac-stats/app/cli/words"
	"mac-stats/app/discord/connection"
)

// discordChecks checks what the Discord bot needs, if it is switched on.
func (d *doctor) discordChecks(ctx context.Context) []check {
	if !d.b.Config().Discord.Enabled {
		return []check{good("discord", "switched off")}
	}
	return append(append([]check{d.discordToken()}, d.channelChecks()...), d.discordState(ctx))
}

func (d *doctor) discordToken() check {
	from, err := d.b.Discord.TokenFrom()
	if err != nil {
		return bad("discord token", words.OneLine(words.Sentence(err.Error()), 300),
			"Copy the token from the Bot page of Discord's developer portal (Reset Token), then `mac-stats discord token`; a variable that holds something else has to go.")
	}
	return good("discord token", "from "+from)
}

// channelChecks reads channels.toml.
func (d *doctor) channelChecks() []check {
	file := d.b.Discord.ChannelsFile()
	fix := "Edit " + file + "; it is read again when saved."
	f, found, err := discordcmd.Channels(d.b)
	if err != nil {
		return []check{bad("channels", words.OneLine(words.Sentence(err.Error()), 300), fix)}
	}
	var checks []check
	for _, one := range found {
		checks = append(checks, bad("channels", one.String(), fix))
	}
	if f.ReadsAll() && d.b.Config().Discord.MessageContent == "off" {
		checks = append(checks, bad("channels", "a channel is to read all messages, but message_content = \"off\" asks Discord for none that don't mention the bot",
			"Set discord.message_content to auto and switch on the Message Content Intent on the Bot page of the developer portal; or give no channel the mode all_messages or having_fun."))
	}
	if nobody := len(f.Users)+len(f.Roles)+len(f.Channels)+len(f.People) == 0; nobody && f.Pairing {
		checks = append(checks, noted("channels", "nobody may talk to the bot yet: write to it directly, then `mac-stats discord pair CODE --owner`"))
	} else if nobody {
		checks = append(checks, bad("channels", "nobody may talk to the bot, and nobody can ask to", "Set allow.users, allow.roles or allow.channels, or allow.pairing = true. "+fix))
	}
	if len(checks) == 0 {
		checks = []check{good("channels", file+" is fine")}
	}
	return checks
}

// discordState returns the state of the connection that the running app reported last.
func (d *doctor) discordState(ctx context.Context) check {
	const name = "discord"
	st, _, known := d.b.Discord.SavedStatus()
	switch {
	case known && st.State == connection.StateStopped:
		return bad(name, words.OneLine(st.Text, 300), cmp.Or(st.Next, "Correct that; the app retries automatically."))
	case !d.c.AppWorks(ctx, d.b):
		return noted(name, "switched on; it answers while the app runs: `mac-stats`, or `mac-stats --headless`")
	case known && st.State == connection.StateReady:
		return good(name, fmt.Sprintf("%s, since %s", strings.TrimSuffix(words.OneLine(st.Text, 200), "."), st.Since.Format("2006-01-02 15:04")))
	case known && st.State == connection.StateWaiting:
		return bad(name, words.OneLine(st.Text, 300), cmp.Or(st.Next, "Check the network; the app retries automatically."))
	}
	return noted(name, "the app has not connected yet; `mac-stats discord status` shows how it goes on")
}
