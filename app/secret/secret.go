// Package secret keeps a token: in the system's keychain or, without one, in a file that
// nobody else can read. No error or log holds a secret. The Discord bot's token and the
// token of an Ollama server are kept here.
package secret

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode"

	"github.com/zalando/go-keyring"

	"mac-stats/sessionmem/wholefile"
)

const (
	service = "mac-stats"
	maxSize = 4096
	// patience is the time limit for the keychain: it may ask its user to unlock it, and
	// nobody may be there.
	patience = 20 * time.Second
)

// ErrNone means that there is no secret.
var ErrNone = errors.New("nothing is saved")

// Keychain keeps one secret for a service and account. NewKeychain returns the system's.
type Keychain interface {
	Get(service, account string) (string, error)
	Set(service, account, secret string) error
	Delete(service, account string) error
}

// Place is where a secret is kept. All fields but Keychain are required.
type Place struct {
	Account  string   // in the keychain
	File     string   // mode 0600; used without a keychain
	Keychain Keychain // nil if there is none
	What     string   // the token in words: "the token of the Discord bot"
	Command  string   // saves it: "mac-stats discord token"
}

// OneWord returns a secret as people paste it, and whether it is one word of printable
// characters.
func OneWord(text string) (string, bool) {
	text = strings.TrimSpace(text)
	odd := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r > unicode.MaxASCII }
	return text, text != "" && len(text) < maxSize && !strings.ContainsFunc(text, odd)
}

// Find returns the secret and where it was found: "keychain" or the file's path.
func (p Place) Find() (text, from string, err error) {
	if text, err := p.fromKeychain(); err == nil {
		return text, "keychain", nil
	}
	info, err := os.Stat(p.File)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", ErrNone
	}
	if err != nil {
		return "", p.File, fmt.Errorf("reading %s: %w", p.What, err)
	}
	switch {
	case !info.Mode().IsRegular() || info.Size() > maxSize:
		return "", p.File, fmt.Errorf("%s is no file with a token in it: move it away, and save the token with `%s`", p.File, p.Command)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", p.File, fmt.Errorf("%s can be read by others (%04o), so it is not used: run `chmod 600 %s`, and better make a new token, for somebody may have read this one", p.File, info.Mode().Perm(), p.File)
	}
	data, err := os.ReadFile(p.File)
	if err != nil {
		return "", p.File, fmt.Errorf("reading %s: %w", p.What, err)
	}
	return string(data), p.File, nil
}

// Save saves the secret in the keychain, or in the file if there is none, and returns where
// it is now.
func (p Place) Save(text string) (to string, err error) {
	if p.Keychain != nil {
		if _, err := within(func() (string, error) { return "", p.Keychain.Set(service, p.Account, text) }); err == nil {
			if err := os.Remove(p.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "keychain", fmt.Errorf("the token is in the keychain now, but the old one stays in %s: %w", p.File, err)
			}
			return "keychain", nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(p.File), 0o700); err != nil {
		return "", fmt.Errorf("saving the token: %w", err)
	}
	if err := wholefile.Write(p.File, []byte(text+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("saving the token: %w", err)
	}
	return p.File, nil
}

// Forget removes the secret from the keychain and the file.
func (p Place) Forget() error {
	if p.Keychain != nil {
		_, err := within(func() (string, error) { return "", p.Keychain.Delete(service, p.Account) })
		if err != nil && !errors.Is(err, keyring.ErrNotFound) && !errors.Is(err, ErrNoKeychain) {
			if _, readErr := p.fromKeychain(); readErr == nil {
				return fmt.Errorf("taking the token out of the keychain: %w", err)
			}
		}
	}
	if err := os.Remove(p.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the token: %w", err)
	}
	return nil
}

func (p Place) fromKeychain() (string, error) {
	if p.Keychain == nil {
		return "", ErrNoKeychain
	}
	return within(func() (string, error) { return p.Keychain.Get(service, p.Account) })
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
