// Package token finds and saves the bot's token: in the environment, in the system's
// keychain, or in a file that nobody else can read. No log, error or transcript holds the
// token.
package token

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/zalando/go-keyring"

	"mac-stats/sessionmem/wholefile"
)

// The variables that may hold a token. The first one that is set is used.
const (
	EnvOwn   = "MAC_STATS_DISCORD_TOKEN"
	EnvUsual = "DISCORD_TOKEN"
)

const (
	service = "mac-stats"
	account = "discord-bot-token"
	maxSize = 4096
	// patience is the time limit for the keychain: it may ask its user to unlock it, and
	// nobody may be there.
	patience = 20 * time.Second
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

// Keychain keeps one secret for a service and account. NewKeychain returns the system's.
type Keychain interface {
	Get(service, account string) (string, error)
	Set(service, account, secret string) error
	Delete(service, account string) error
}

// Place is where to look for tokens. Getenv and File are required.
type Place struct {
	Getenv   func(string) string
	File     string   // mode 0600; used without a keychain
	Keychain Keychain // nil if there is none
}

// LooksRight reports whether a token has the form of Discord's: three parts separated by
// dots. Their lengths aren't specified.
func (t Token) LooksRight() bool {
	parts := strings.Split(string(t), ".")
	return len(parts) == 3 && !slices.Contains(parts, "")
}

// Parse accepts a token as people paste it.
func Parse(text string) (Token, error) {
	text = strings.TrimSpace(text)
	text = strings.TrimSpace(strings.TrimPrefix(text, "Bot "))
	switch {
	case text == "":
		return "", fmt.Errorf("%w: paste the one from the Bot page of Discord's developer portal", ErrNone)
	case len(text) > maxSize-1, strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r > unicode.MaxASCII }):
		return "", errors.New("that is no bot token: it is one word of letters, digits, dots, dashes and underscores, from the Bot page of Discord's developer portal (Reset Token)")
	}
	return Token(text), nil
}

// Find returns the token and where it was found: a variable's name, "keychain" or the
// file's path.
func Find(p Place) (t Token, from string, err error) {
	for _, name := range []string{EnvOwn, EnvUsual} {
		if text := p.Getenv(name); text != "" {
			t, err := Parse(text)
			if err != nil {
				return "", name, fmt.Errorf("%s: %w", name, err)
			}
			return t, name, nil
		}
	}
	if text, err := fromKeychain(p.Keychain); err == nil {
		t, err := Parse(text)
		return t, "keychain", err
	}
	return fromFile(p.File)
}

func fromFile(file string) (Token, string, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("%w: make a bot in Discord's developer portal and save its token with `mac-stats discord token`", ErrNone)
	}
	if err != nil {
		return "", file, fmt.Errorf("reading the token of the Discord bot: %w", err)
	}
	switch {
	case !info.Mode().IsRegular() || info.Size() > maxSize:
		return "", file, fmt.Errorf("%s is no file with a token in it: move it away, and save the token with `mac-stats discord token`", file)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", file, fmt.Errorf("%s can be read by others (%04o), so it is not used: run `chmod 600 %s`, and better make a new token, for somebody may have read this one", file, info.Mode().Perm(), file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", file, fmt.Errorf("reading the token of the Discord bot: %w", err)
	}
	t, err := Parse(string(data))
	if err != nil {
		return "", file, fmt.Errorf("%s: %w", file, err)
	}
	return t, file, nil
}

// Save saves the token in the keychain, or in the file if there is none, and returns where
// it is now.
func Save(p Place, t Token) (to string, err error) {
	if p.Keychain != nil {
		if _, err := within(func() (string, error) { return "", p.Keychain.Set(service, account, t.Reveal()) }); err == nil {
			if err := os.Remove(p.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "keychain", fmt.Errorf("the token is in the keychain now, but the old one stays in %s: %w", p.File, err)
			}
			return "keychain", nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(p.File), 0o700); err != nil {
		return "", fmt.Errorf("saving the token: %w", err)
	}
	if err := wholefile.Write(p.File, []byte(t.Reveal()+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("saving the token: %w", err)
	}
	return p.File, nil
}

// Forget removes the token from the keychain and the file. One in the environment stays,
// because it isn't the app's.
func Forget(p Place) error {
	if p.Keychain != nil {
		_, err := within(func() (string, error) { return "", p.Keychain.Delete(service, account) })
		if err != nil && !errors.Is(err, keyring.ErrNotFound) && !errors.Is(err, ErrNoKeychain) {
			if _, readErr := fromKeychain(p.Keychain); readErr == nil {
				return fmt.Errorf("taking the token out of the keychain: %w", err)
			}
		}
	}
	if err := os.Remove(p.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the token: %w", err)
	}
	return nil
}

func fromKeychain(k Keychain) (string, error) {
	if k == nil {
		return "", ErrNoKeychain
	}
	return within(func() (string, error) { return k.Get(service, account) })
}

// within calls do, with a time limit for a keychain that doesn't answer.
func within(do func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := do()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-time.After(patience):
		return "", fmt.Errorf("%w: it does not answer", ErrNoKeychain)
	}
}
