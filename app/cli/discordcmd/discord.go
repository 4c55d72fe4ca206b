// Package discordcmd implements `mac-stats discord`: the bot's token, its state, and who may
// talk to it.
//
// The bot runs inside the app, so the state is the one that the app reported last. The
// token is read from stdin and saved in the keychain or in a file only the user can
// read; it is never printed. channels.toml lists who may talk to the bot; pair and
// revoke change that, and people edit the rest.
//
// Package doctorcmd uses Channels; app/cli calls Command.
package discordcmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
	"mac-stats/app/discord/token"
)

// discordLine is a line of `discord status --json`.
type discordLine struct {
	Type    string `json:"type"` // discord
	Enabled bool   `json:"enabled"`
	State   string `json:"state"` // off, connecting, ready, waiting or stopped; as reported by the app
	Text    string `json:"text"`
	Next    string `json:"next"`
	Last    string `json:"last,omitempty"` // while reconnecting: why the last attempt failed
	Bot     string `json:"bot"`
	Since   string `json:"since"`
	Token   string `json:"token"` // where it was found: a variable's name, keychain or a file; "" if nowhere
	People  int    `json:"people"`
	Waiting int    `json:"waiting"`
	Found   int    `json:"found"` // number of mistakes in channels.toml

	Findings []string `json:"findings"` // the mistakes, each with its line; an unreadable file counts as one
}

// strangerLine is a line of `discord pairings --json` and `discord people --json`.
type strangerLine struct {
	Type  string `json:"type"` // pairing or person
	Code  string `json:"code,omitempty"`
	ID    string `json:"id"`
	Name  string `json:"name"`
	Owner bool   `json:"owner,omitempty"`
	Time  string `json:"time"` // pairing: when the code expires
}

// Command returns discord.
func Command(c *cmdline.Line) *cobra.Command {
	group := cmdline.Group("discord", "Answer on Discord: the bot's token, its state, and who may talk to it",
		statusCommand(c), tokenCommand(c), switchCommand(c, "on", "true"), switchCommand(c, "off", "false"),
		pairCommand(c), pairingsCommand(c), peopleCommand(c), revokeCommand(c))
	group.Long = `The bot runs inside the app, or in mac-stats --headless. Edit discord/channels.toml in
the data folder to say who may talk to it, where, and what role it has there.`
	group.Example = `  mac-stats discord token            paste the bot's token
  mac-stats discord on               answer on Discord
  mac-stats discord pair K7QF-2MXA   give access to the person with this code`
	return group
}

func statusCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "status", Short: "Show whether the bot is connected, and what is missing", Args: cmdline.NoArgs,
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, _ []string) error {
			return printStatus(ctx, c, b)
		}),
	})
}

func printStatus(ctx context.Context, c *cmdline.Line, b *backend.Backend) error {
	line := discordLine{Type: "discord", Enabled: b.Config().Discord.Enabled, State: string(connection.StateOff), Text: "The app has not connected yet."}
	if st, _, ok := b.Discord.SavedStatus(); ok {
		line.State, line.Text, line.Next, line.Last, line.Bot, line.Since = string(st.State), st.Text, st.Next, st.Last, st.Bot.Name, words.Stamp(st.Since)
	}
	if !c.AppWorks(ctx, b) && line.State != string(connection.StateStopped) {
		line.State, line.Last, line.Text, line.Next = string(connection.StateOff), "", "The app does not run.", "Start it: `mac-stats`, or `mac-stats --headless` without a screen."
	}
	if !line.Enabled {
		line.State, line.Last, line.Text, line.Next = string(connection.StateOff), "", "Discord is switched off.", "`mac-stats discord on` switches it on."
	}
	from, tokenErr := b.Discord.TokenFrom()
	if tokenErr == nil {
		line.Token = from
	}
	f, found, fileErr := Channels(b)
	if fileErr == nil {
		line.People, line.Found = len(f.People)+len(f.Users), len(found)
	}
	line.Findings = findingTexts(found, fileErr)
	waiting, err := b.Discord.Pairings(ctx)
	if err != nil {
		return err
	}
	line.Waiting = len(waiting)
	return c.Out.Print(line, discordWords(line, from, tokenErr))
}

// discordWords describes the bot's state for people.
func discordWords(line discordLine, from string, tokenErr error) string {
	text := line.Text
	if line.Last != "" {
		text += " The last try: " + line.Last
	}
	text = strings.TrimSpace(text+" "+line.Next) + "\n"
	if tokenErr != nil {
		text += words.Sentence(tokenErr.Error()) + "\n"
	} else {
		text += "Token: from " + from + ".\n"
	}
	text += fmt.Sprintf("People who may talk to it: %d; waiting to be let in: %d.\n", line.People, line.Waiting)
	for _, one := range line.Findings {
		text += one + "\n"
	}
	return text
}

// findingTexts describes the mistakes in channels.toml.
func findingTexts(found []channels.Finding, fileErr error) []string {
	out := []string{}
	for _, one := range found {
		out = append(out, one.String())
	}
	if fileErr != nil {
		out = append(out, words.Sentence(fileErr.Error()))
	}
	return out
}

// Channels reads channels.toml and lists its mistakes, including agents that don't exist.
func Channels(b *backend.Backend) (*channels.File, []channels.Finding, error) {
	f, found, err := channels.Load(b.Discord.ChannelsFile())
	if err != nil {
		return f, found, err
	}
	return f, append(found, f.Doubts(func(selector string) error {
		_, err := b.Registry.Find(selector)
		return err
	})...), nil
}

func tokenCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "token", Short: "Save the bot's token, read from the keyboard or a pipe", Args: cmdline.Exactly(0, "no words: the token is read from stdin, so that it stands in no history"),
		Long: `Reads the bot's token and keeps it in the system's keychain or, if there is none, in a file
that only you can read (discord/token). ` + token.EnvOwn + ` and ` + token.EnvUsual + `
take precedence over both. You get a token on the Bot page of https://discord.com/developers.`,
		Example: `  mac-stats discord token < token.txt`,
	}
	forget := cmd.Flags().Bool("forget", false, "remove the saved token")
	force := cmd.Flags().Bool("force", false, "save it even though it doesn't look like a token")
	cmd.RunE = c.OnBackend(func(ctx context.Context, b *backend.Backend, _ []string) error {
		if *forget {
			if err := b.Discord.ForgetToken(); err != nil {
				return cmdline.ProblemOf(err, "")
			}
			return c.Out.Text("removed\n")
		}
		text, err := c.ReadSecret(ctx, "Paste the token and press Enter: ", "the token")
		if err != nil {
			return err
		}
		if t, err := token.Parse(text); err == nil && !*force && !t.LooksRight() {
			return cmdline.Problem("That doesn't look like a bot's token, and nothing is saved: one has three parts with dots between them, about 70 characters in total.",
				"Copy the token (not the application's id or secret) from the Bot page of Discord's developer portal (Reset Token); --force saves this one as it is.")
		}
		where, err := b.Discord.SetToken(text)
		if err != nil {
			return cmdline.ProblemOf(err, "")
		}
		if where != "keychain" {
			where = "file " + where
		}
		return c.Out.Text("saved in the " + where + "\n")
	})
	return cmd
}

func switchCommand(c *cmdline.Line, name, value string) *cobra.Command {
	short := map[string]string{"on": "Answer on Discord", "off": "Stop answering on Discord"}[name]
	cmd := &cobra.Command{Use: name, Short: short, Args: cmdline.NoArgs}
	cmd.RunE = c.OnBackend(func(ctx context.Context, b *backend.Backend, _ []string) error {
		if err := b.Set("discord.enabled", value); err != nil {
			return err
		}
		if name == "on" { // if it is already on, this retries
			if err := b.Discord.Connect(); err != nil {
				return err
			}
		}
		text := "Discord is " + name + "."
		if name == "on" && !c.AppWorks(ctx, b) {
			text += " The bot answers while the app runs: `mac-stats`, or `mac-stats --headless`."
		}
		return c.Out.Text(text + "\n")
	})
	return cmd
}

func pairCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "pair CODE", Short: "Give access to the person with this code", Args: cmdline.Exactly(1, "the code"),
		Long: `Someone the bot doesn't know gets a code when they write to it. The code is valid for 15
minutes, and this command lets them talk to the bot. Use --owner for yourself: the memory
all agents share is then used where this person writes to the bot directly.`,
	}
	owner := cmd.Flags().Bool("owner", false, "this is you: use the memory of all agents in your direct conversation")
	cmd.RunE = c.OnBackend(func(ctx context.Context, b *backend.Backend, args []string) error {
		p, err := b.Discord.Approve(ctx, args[0], *owner)
		if err != nil {
			return cmdline.ProblemOf(err, "")
		}
		return c.Out.Text(fmt.Sprintf("%s (%s) may talk to the bot now; it stands in %s\n", p.Name, p.ID, b.Discord.ChannelsFile()))
	})
	return cmd
}

func pairingsCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "pairings", Short: "List the people waiting for access", Args: cmdline.NoArgs,
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, _ []string) error {
			waiting, err := b.Discord.Pairings(ctx)
			if err != nil {
				return err
			}
			lines := c.Out.NewList("CODE", "NAME", "ID", "HOLDS FOR")
			for _, p := range waiting {
				line := strangerLine{Type: "pairing", Code: p.Code, ID: p.User, Name: p.Name, Time: words.Stamp(p.Ends)}
				lines.Add(line, p.Code, words.OneLine(p.Name, 40), p.User, time.Until(p.Ends).Round(time.Minute).String())
			}
			return lines.End("Nobody waits.\n")
		}),
	})
}

func peopleCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "people", Short: "List the people who have access", Args: cmdline.NoArgs,
		RunE: c.OnBackend(func(_ context.Context, b *backend.Backend, _ []string) error {
			f, _, err := channels.Load(b.Discord.ChannelsFile())
			if err != nil {
				return err
			}
			lines := c.Out.NewList("ID", "NAME", "SINCE", "")
			for _, p := range f.People {
				line := strangerLine{Type: "person", ID: p.ID, Name: p.Name, Owner: p.Owner, Time: p.Since}
				lines.Add(line, p.ID, words.OneLine(p.Name, 40), p.Since, map[bool]string{true: "owner"}[p.Owner])
			}
			return lines.End("Nobody was let in by a code yet.\n")
		}),
	})
}

func revokeCommand(c *cmdline.Line) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "Revoke somebody's access", Args: cmdline.Exactly(1, "the person's id"),
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, args []string) error {
			if err := b.Discord.Revoke(ctx, args[0]); err != nil {
				return cmdline.ProblemOf(err, "")
			}
			return c.Out.Text("removed\n")
		}),
	}
}
