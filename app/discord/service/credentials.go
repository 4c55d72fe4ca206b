package service

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"mac-stats/app/discord/token"
	"mac-stats/sessionmem/wholefile"
)

// credentials saves and finds the bot's token, and marks each change of it: the running
// app, which may be another process, connects again when the mark changes.
type credentials struct {
	place token.Place
	mark  string // the file whose modification time is that of the last change
	look  func() // makes Run check its settings now
}

// SetToken saves the bot's token and returns the place it is saved in.
func (c *credentials) SetToken(text string) (where string, err error) {
	t, err := token.Parse(text)
	if err != nil {
		return "", err
	}
	where, err = token.Save(c.place, t)
	return where, errors.Join(err, c.Connect())
}

// ForgetToken removes the token from the keychain and the file.
func (c *credentials) ForgetToken() error {
	return errors.Join(token.Forget(c.place), c.Connect())
}

// Connect makes the running app, in this process or another, connect again, for example
// after a setting was corrected in the developer portal.
func (c *credentials) Connect() error {
	err := os.MkdirAll(filepath.Dir(c.mark), 0o700)
	if err == nil {
		err = os.WriteFile(c.mark, []byte(time.Now().Format(time.RFC3339Nano)+"\n"), 0o600)
	}
	c.look()
	return err
}

// TokenFrom returns where the token was found: the name of a variable, the keychain or the
// file.
func (c *credentials) TokenFrom() (from string, err error) {
	_, from, err = token.Find(c.place)
	return from, err
}

// stamps returns the stamps of the token's file and of the mark.
func (c *credentials) stamps() [2]wholefile.Stamp {
	return [2]wholefile.Stamp{stampOf(c.place.File), stampOf(c.mark)}
}
