package token

import (
	"errors"
	"runtime"

	"github.com/zalando/go-keyring"
)

// ErrNoKeychain: this system has none that can be used.
var ErrNoKeychain = errors.New("there is no keychain")

// NewKeychain is the system's keychain: Keychain on macOS, the Secret Service on
// Linux, the Credential Manager on Windows. Where no desktop session runs there is
// none (nil).
func NewKeychain(getenv func(string) string) Keychain {
	if runtime.GOOS == "linux" && getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return nil // asking would try to start a bus
	}
	return system{}
}

type system struct{}

func (system) Get(service, account string) (string, error) { return keyring.Get(service, account) }
func (system) Set(service, account, secret string) error {
	return keyring.Set(service, account, secret)
}
func (system) Delete(service, account string) error { return keyring.Delete(service, account) }
