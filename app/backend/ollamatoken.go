package backend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"mac-stats/agents/ollama"
	"mac-stats/app/secret"
	"mac-stats/sessionmem/wholefile"
)

// EnvOllamaToken is the variable that overrides the saved token.
const EnvOllamaToken = "MAC_STATS_OLLAMA_TOKEN"

// ServerToken is the token for a gateway in front of the Ollama server. It belongs to the
// server that was configured when it was saved, and is sent to no other one.
type ServerToken struct {
	app    *base
	place  secret.Place
	of     string // the configured server, scheme and host; "" if its address is bad
	server string // the file with the server's address; without it there is no token
	mu     sync.Mutex
	stamp  wholefile.Stamp // of that file
	known  bool            // token is the one of that stamp
	token  string
}

// openToken finds the token's place. Nothing is read yet.
func openToken(b *base) *ServerToken {
	dir, of := filepath.Join(b.Paths.Home, "ollama"), ""
	if u, err := ollama.ParseHost(b.Config().Ollama.Host); err == nil {
		of = u.Scheme + "://" + u.Host
	}
	return &ServerToken{
		app: b, of: of, server: filepath.Join(dir, "token-server"),
		place: secret.Place{
			Account: "ollama-token", File: filepath.Join(dir, "token"), Keychain: b.keychain(),
			What: "the token of the Ollama server", Command: "mac-stats models token",
		},
	}
}

// get returns the token to send, or "". A token that another process saves is found, too.
// The keychain is asked only if a token was saved, and once.
func (st *ServerToken) get() string {
	if st.app.Demo {
		return ""
	}
	if token, ok := secret.OneWord(lookup(st.app.environ)(EnvOllamaToken)); ok {
		return token
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	var stamp wholefile.Stamp
	if info, err := os.Stat(st.server); err == nil {
		stamp = wholefile.StampOf(info)
	}
	if st.known && stamp == st.stamp {
		return st.token
	}
	token, _, err := st.saved()
	if err != nil && !errors.Is(err, secret.ErrNone) {
		st.app.Logger.Warn("the server's token is not sent", "error", err)
	}
	st.token, st.stamp, st.known = token, stamp, true
	return token
}

// saved returns the saved token and where it is.
func (st *ServerToken) saved() (token, from string, err error) {
	data, err := os.ReadFile(st.server)
	if errors.Is(err, os.ErrNotExist) {
		return "", "", secret.ErrNone
	}
	if err != nil {
		return "", "", fmt.Errorf("reading whose token is saved: %w", err)
	}
	if of := strings.TrimSpace(string(data)); of != st.of {
		return "", "", fmt.Errorf("the saved token belongs to %s, so %s doesn't get it: save one for it with `%s`", of, st.of, st.place.Command)
	}
	text, from, err := st.place.Find()
	if err != nil {
		return "", from, err
	}
	token, ok := secret.OneWord(text)
	if !ok {
		return "", from, fmt.Errorf("what is saved in %s is no token: save it again with `%s`", from, st.place.Command)
	}
	return token, from, nil
}

// From returns where the token is found that is sent: the variable's name, "keychain" or the
// file. The error is secret.ErrNone if there is none.
func (st *ServerToken) From() (from string, err error) {
	if value := lookup(st.app.environ)(EnvOllamaToken); value != "" {
		if _, ok := secret.OneWord(value); !ok {
			return EnvOllamaToken, errors.New("what " + EnvOllamaToken + " holds is no token: one is a single word")
		}
		return EnvOllamaToken, nil
	}
	_, from, err = st.saved()
	return from, err
}

// Save saves the token for the configured server, and returns where it is now and which
// server that is.
func (st *ServerToken) Save(token string) (where, server string, err error) {
	if st.of == "" {
		return "", "", errors.New("the address of the server can't be used: correct ollama.host first")
	}
	// A token that was saved before the server's name would go to the one before.
	if err := os.Remove(st.server); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", "", fmt.Errorf("noting whose token it is: %w", err)
	}
	if where, err = st.place.Save(token); err != nil {
		return where, "", err
	}
	if err = os.MkdirAll(filepath.Dir(st.server), 0o700); err == nil {
		err = wholefile.Write(st.server, []byte(st.of+"\n"), 0o600)
	}
	if err != nil {
		return where, "", fmt.Errorf("noting whose token it is: %w", err)
	}
	return where, st.of, nil
}

// Forget removes the saved token. One in the environment stays, because it isn't the app's.
func (st *ServerToken) Forget() error {
	if err := st.place.Forget(); err != nil {
		return err
	}
	if err := os.Remove(st.server); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing whose token it was: %w", err)
	}
	return nil
}
