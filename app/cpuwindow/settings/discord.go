package settings

import (
	"context"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// discordInterval is the time between two checks of the bot while the settings are shown.
const discordInterval = 2 * time.Second

// discordCard shows the state of the Discord bot, its token, who is waiting to be paired,
// and who is paired.
type discordCard struct {
	page    *Page
	shown   discordView
	result  string // result of the last button
	looking bool
	round   int             // number of the newest check; results of older ones are dropped
	asked   bool            // the source of the token is known: the keychain isn't asked repeatedly
	card    *column.CardRow // nil until the bot's state is known
}

// discordView holds what the card shows; the card is redrawn when it changes.
type discordView struct {
	state, text, next, from string
	bot                     string // its name on Discord; "" if not connected
	code                    int    // the code with which Discord closed the connection, or 0
	waiting                 []botstate.Pairing
	people                  []channels.Person
	users, roles, places    int // number of IDs that channels.toml allows
}

func (v discordView) same(o discordView) bool {
	return v.state == o.state && v.text == o.text && v.next == o.next && v.from == o.from && v.bot == o.bot && v.code == o.code &&
		v.users == o.users && v.roles == o.roles && v.places == o.places &&
		slices.EqualFunc(v.waiting, o.waiting, func(a, b botstate.Pairing) bool { return a.Code == b.Code }) && slices.Equal(v.people, o.people)
}

// words describes the bot's state, in the user's language if it is translated.
func (v discordView) words() string {
	words := strings.TrimSpace(BotWords(v.text) + " " + BotWords(v.next))
	switch connection.State(v.state) {
	case connection.StateReady:
		if v.bot != "" {
			return i18n.With("Connected as {{.Name}}.", i18n.Places{"Name": v.bot})
		}
	case connection.StateConnecting:
		return i18n.T("Connecting to Discord…")
	case connection.StateWaiting:
		return i18n.With("Not connected right now; reconnecting automatically. ({{.Why}})", i18n.Places{"Why": BotWords(v.text)})
	case connection.StateOff:
		return i18n.T("Not connected. The bot answers while it is switched on and has a token.")
	case connection.StateStopped:
		if v.code == 0 && v.from == "" {
			return i18n.T("Not connected. The bot answers while it is switched on and has a token.")
		}
	}
	return words
}

// BotWords translates a text of the bot if it is one of its own sentences.
func BotWords(text string) string {
	if slices.Contains(connection.Sentences(), text) {
		return i18n.T(text)
	}
	return text
}

// check reads the bot's state in the background and draws it if it changed. It repeats while
// the settings are shown.
func (c *discordCard) check() {
	bot := c.page.parts.Discord
	if bot == nil || c.looking {
		return
	}
	c.looking = true
	c.round++
	round, from, ask := c.round, c.shown.from, !c.asked
	c.asked = true
	go func() {
		ctx, cancel := context.WithTimeout(c.page.host.Context(), discordInterval)
		defer cancel()
		st, file := bot.Status(), bot.Channels()
		view := discordView{state: string(st.State), text: st.Text, next: st.Next, bot: st.Bot.Name, code: st.Code, from: from}
		view.people, view.users, view.roles, view.places = file.People, len(file.Users), len(file.Roles), len(file.Channels)
		if ask {
			view.from, _ = bot.TokenFrom() // "" if there is none
		}
		view.waiting, _ = bot.Pairings(ctx) // on an error none are shown
		if c.page.host.Context().Err() != nil {
			return
		}
		c.page.host.Do(func() {
			c.looking = false
			c.take(view)
		})
		time.AfterFunc(discordInterval, func() {
			c.page.host.Do(func() {
				if c.page.visible() && c.round == round {
					c.check()
				}
			})
		})
	}()
}

func (c *discordCard) take(v discordView) {
	if c.card != nil && v.same(c.shown) {
		return
	}
	c.shown = v
	c.draw()
}

// draw rebuilds the card.
func (c *discordCard) draw() {
	v := c.shown
	text := v.words()
	role := kit.RoleText
	if v.state == string(connection.StateStopped) {
		role = kit.RoleWarn
	}
	parts := []fyne.CanvasObject{prose.NewParagraph(text, role)}
	if v.from == "" {
		parts = append(parts, prose.NewParagraph(i18n.T("There is no token yet. Make a bot in Discord's developer portal (Bot, Reset Token), copy its token, then press the button."), kit.RoleMuted))
	} else {
		parts = append(parts, prose.NewParagraph(i18n.With("Token stored in: {{.Place}}", i18n.Places{"Place": v.from}), kit.RoleMuted))
	}
	parts = append(parts, prose.NewParagraph(i18n.With("Allowed: people {{.People}}, roles {{.Roles}}, channels {{.Channels}}",
		i18n.Places{"People": len(v.people) + v.users, "Roles": v.roles, "Channels": v.places}), kit.RoleMuted), c.buttons(v))
	parts = append(parts, c.people(v)...)
	if c.result != "" {
		parts = append(parts, prose.NewParagraph(c.result, kit.RoleMuted))
	}
	c.card = column.NewCardRow(kit.RoleNone, parts...)
	c.card.Pad, c.card.Gap = kit.Gap12, kit.Gap8
	c.page.show()
}

// people returns who is waiting to be paired and who is paired.
func (c *discordCard) people(v discordView) []fyne.CanvasObject {
	var parts []fyne.CanvasObject
	person := func(text string, buttons ...fyne.CanvasObject) {
		parts = append(parts, prose.NewParagraph(text, kit.RoleText), kit.NewFlowRow(kit.Gap8, buttons...))
	}
	for _, p := range v.waiting {
		person(i18n.With("{{.Name}} asks for access (code {{.Code}})", i18n.Places{"Name": p.Name, "Code": p.Code}),
			kit.NewButton(kit.ButtonPlain, i18n.T("Allow"), func() { c.approve(p.Code, false) }),
			kit.NewButton(kit.ButtonPlain, i18n.T("This is me"), func() { c.approve(p.Code, true) }))
	}
	for _, p := range v.people {
		name := p.Name
		if p.Owner {
			name = i18n.With("{{.Name}} (you)", i18n.Places{"Name": p.Name})
		}
		person(name, kit.NewButton(kit.ButtonPlain, i18n.T("Remove"), func() {
			c.do(func(ctx context.Context) (string, error) { return "", c.page.parts.Discord.Revoke(ctx, p.ID) })
		}))
	}
	return parts
}

// buttons returns the actions on the bot itself.
func (c *discordCard) buttons(v discordView) *kit.FlowRow {
	list := []fyne.CanvasObject{kit.NewButton(kit.ButtonPlain, i18n.T("Paste token from clipboard"), c.pasteToken)}
	if v.state == string(connection.StateStopped) && v.from != "" {
		list = append(list, kit.NewButton(kit.ButtonPlain, i18n.T("Connect again"), func() {
			c.do(func(context.Context) (string, error) { return "", c.page.parts.Discord.Connect() })
		}))
	}
	list = append(list, kit.NewButton(kit.ButtonPlain, i18n.T("Open channels.toml"), func() { c.page.host.OpenFile(c.page.parts.Discord.ChannelsFile()) }))
	return kit.NewFlowRow(kit.Gap8, list...)
}

// pasteToken saves the token from the clipboard; the token is never shown.
func (c *discordCard) pasteToken() {
	text := c.page.host.Clipboard()
	c.do(func(context.Context) (string, error) {
		where, err := c.page.parts.Discord.SetToken(text)
		return i18n.With("Token saved in: {{.Place}}", i18n.Places{"Place": where}), err
	})
}

func (c *discordCard) approve(code string, owner bool) {
	c.do(func(ctx context.Context) (string, error) {
		p, err := c.page.parts.Discord.Approve(ctx, code, owner)
		return i18n.With("{{.Name}} may talk to the bot now.", i18n.Places{"Name": p.Name}), err
	})
}

// do does work in the background and reports the result.
func (c *discordCard) do(work func(ctx context.Context) (string, error)) {
	go func() {
		result, err := work(c.page.host.Context())
		if c.page.host.Context().Err() != nil {
			return
		}
		c.page.host.Do(func() {
			c.result = result
			if err != nil {
				c.result = err.Error()
			}
			c.asked = false
			c.draw()
			c.check()
		})
	}()
}
