package secret

import (
	"errors"
	"runtime"

	"github.com/zalando/go-keyring"
)

// ErrNoKeychain means that this system has no usable keychain.
var ErrNoKeychain = errors.New("there is no keychain")

// NewKeychain returns the system's keychain: Keychain on macOS, the Secret Service on
// Linux, the Credential Manager on Windows. Without a desktop session it returns nil.
func NewKeychain(getenv func(string) string) Keychain {
	if runtime.GOOS == "linux" && getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return nil // a request would try to start a bus
	}
	return system{}
}

type system struct{}

func (system) Get(service, account string) (string, error) { return keyring.Get(service, account) }
func (system) Set(service, account, secret string) error {
	return keyring.Set(service, account, secret)
}
func (system) Delete(service, account string) error { return keyring.Delete(service, account) }
