package settings

import (
	"context"
	"errors"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
	"mac-stats/app/ui/screentest"
)

// stubDiscord is a bot that records its calls.
type stubDiscord struct {
	status  connection.Status
	waiting []botstate.Pairing
	file    *channels.File
	token   string
	owner   bool
	again   int // number of reconnects
}

func (s *stubDiscord) Status() connection.Status { return s.status }
func (s *stubDiscord) Channels() *channels.File  { return s.file }
func (s *stubDiscord) ChannelsFile() string      { return "channels.toml" }

func (s *stubDiscord) Pairings(context.Context) ([]botstate.Pairing, error) { return s.waiting, nil }

func (s *stubDiscord) Approve(_ context.Context, _ string, owner bool) (channels.Person, error) {
	p := channels.Person{ID: "301", Name: "Anna", Owner: owner}
	s.waiting, s.owner = nil, owner
	s.file = &channels.File{People: []channels.Person{p}}
	return p, nil
}

func (s *stubDiscord) Revoke(context.Context, string) error {
	s.file = &channels.File{}
	return nil
}

func (s *stubDiscord) SetToken(text string) (string, error) {
	if text == "" {
		return "", errors.New("there is no token in the clipboard")
	}
	s.token = text
	return "keychain", nil
}

func (s *stubDiscord) Connect() error {
	s.again++
	return nil
}

func (s *stubDiscord) TokenFrom() (string, error) {
	if s.token == "" {
		return "", errors.New("none")
	}
	return "keychain", nil
}

func TestDiscordCard(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.Win.Resize(fyne.NewSize(980, 1400))
		bot := &stubDiscord{
			status:  connection.Status{State: connection.StateStopped, Text: "Discord refused the bot's token (4004).", Next: "Copy the token again.", Code: 4004},
			waiting: []botstate.Pairing{{Code: "ABCD-EFGH", User: "301", Name: "Anna", At: time.Now()}},
			file:    &channels.File{Roles: []string{"401"}},
		}
		b.parts.Discord = bot
		b.open()
		b.page.search.Entry.SetText("discord")
		b.Settle()
		b.Sees("refused the bot's token", "There is no token yet", "Anna asks for access (code ABCD-EFGH)", "This is me", "Allowed: people 0, roles 1, channels 0")

		for _, query := range []string{"bot", "token", "people pairing", "discord"} {
			b.page.search.Entry.SetText(query)
			if !b.listed(b.page.discord.card) {
				t.Errorf("%q does not find the card", query)
			}
		}
		b.clipboard = "secret-token-of-the-bot"
		b.tap("Paste token from clipboard")
		b.Sees("Token saved in: keychain", "Token stored in: keychain")
		b.SeesNot("secret-token-of-the-bot")
		b.tap("Connect again")
		if bot.again != 1 {
			t.Errorf("it was told to connect %d times", bot.again)
		}
		if bot.token != "secret-token-of-the-bot" {
			t.Errorf("the token that was saved is %q", bot.token)
		}

		b.tap("Allow")
		b.Sees("Anna may talk to the bot now.", "Remove")
		b.SeesNot("asks for access")
		if bot.owner {
			t.Error("Anna became an owner")
		}

		bot.status = connection.Status{State: connection.StateReady, Text: "as Discord has it", Bot: connection.User{Name: "luna"}}
		time.Sleep(2 * discordInterval)
		b.Settle()
		b.Sees("Connected as luna.")

		b.tap("Remove")
		b.SeesNot("Remove")
	})
}

func TestBotStateInWords(t *testing.T) {
	tests := map[string]struct {
		view discordView
		want string
	}{
		"given it is connected":      {discordView{state: "ready", text: "x", bot: "luna"}, "Connected as luna."},
		"given no name":              {discordView{state: "ready", text: "Connected."}, "Connected."},
		"given it begins":            {discordView{state: "connecting", text: "x"}, "Connecting to Discord…"},
		"given the line is cut":      {discordView{state: "waiting", text: "Discord can't be reached.", next: "y"}, "Not connected right now; reconnecting automatically. (Discord can't be reached.)"},
		"given it is off":            {discordView{state: "off", text: "x", next: "y"}, "Not connected. The bot answers while it is switched on and has a token."},
		"given it stopped":           {discordView{state: "stopped", text: "Refused.", next: "Copy it again.", code: 4004}, "Refused. Copy it again."},
		"given it has no token":      {discordView{state: "stopped", text: "there is no token"}, "Not connected. The bot answers while it is switched on and has a token."},
		"given a token it can't use": {discordView{state: "stopped", text: "it can be read by others", from: "x"}, "it can be read by others"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.view.words(); got != tt.want {
				t.Errorf("it says %q, want %q", got, tt.want)
			}
		})
	}
}
