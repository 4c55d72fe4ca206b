// Package token finds and saves the bot's token: in the environment, or where package
// secret keeps it. No log, error or transcript holds the token.
package token

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"mac-stats/app/secret"
)

// The variables that may hold a token. The first one that is set is used.
const (
	EnvOwn   = "MAC_STATS_DISCORD_TOKEN"
	EnvUsual = "DISCORD_TOKEN"
)

// ErrNone means that there is no token anywhere.
var ErrNone = errors.New("there is no token for the Discord bot")

// Token is a bot's token. It hides itself when printed or logged.
type Token string

// String hides the token.
func (Token) String() string { return "[token]" }

// LogValue hides the token.
func (Token) LogValue() slog.Value { return slog.StringValue("[token]") }

// Reveal returns the token itself.
func (t Token) Reveal() string { return string(t) }

// Place is where to look for tokens. Getenv and File are required.
type Place struct {
	Getenv   func(string) string
	File     string          // mode 0600; used without a keychain
	Keychain secret.Keychain // nil if there is none
}

func (p Place) kept() secret.Place {
	return secret.Place{Account: "discord-bot-token", File: p.File, Keychain: p.Keychain, What: "the token of the Discord bot", Command: "mac-stats discord token"}
}

// LooksRight reports whether a token has the form of Discord's: three parts separated by
// dots. Their lengths aren't specified.
func (t Token) LooksRight() bool {
	parts := strings.Split(string(t), ".")
	return len(parts) == 3 && !slices.Contains(parts, "")
}

// Parse accepts a token as people paste it.
func Parse(text string) (Token, error) {
	text, ok := secret.OneWord(strings.TrimPrefix(strings.TrimSpace(text), "Bot "))
	switch {
	case text == "":
		return "", fmt.Errorf("%w: paste the one from the Bot page of Discord's developer portal", ErrNone)
	case !ok:
		return "", errors.New("that is no bot token: it is one word of letters, digits, dots, dashes and underscores, from the Bot page of Discord's developer portal (Reset Token)")
	}
	return Token(text), nil
}

// Find returns the token and where it was found: a variable's name, "keychain" or the
// file's path.
func Find(p Place) (t Token, from string, err error) {
	text := ""
	for _, name := range []string{EnvOwn, EnvUsual} {
		if text = p.Getenv(name); text != "" {
			from = name
			break
		}
	}
	if text == "" {
		if text, from, err = p.kept().Find(); errors.Is(err, secret.ErrNone) {
			return "", "", fmt.Errorf("%w: make a bot in Discord's developer portal and save its token with `mac-stats discord token`", ErrNone)
		} else if err != nil {
			return "", from, err
		}
	}
	if t, err = Parse(text); err != nil && from != "keychain" {
		err = fmt.Errorf("%s: %w", from, err)
	}
	return t, from, err
}

// Save saves the token in the keychain, or in the file if there is none, and returns where
// it is now.
func Save(p Place, t Token) (to string, err error) { return p.kept().Save(t.Reveal()) }

// Forget removes the token from the keychain and the file. One in the environment stays,
// because it isn't the app's.
func Forget(p Place) error { return p.kept().Forget() }
