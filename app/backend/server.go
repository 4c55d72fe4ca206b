package backend

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"mac-stats/app/config"
	"mac-stats/app/discord/token"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/wholefile"
)

// backendPostgres is the word of recall.backend for a server.
const backendPostgres = "postgres"

// The place of the server's password in the keychain.
const (
	keychainService = "mac-stats"
	keychainAccount = "postgres-password"
)

// machineFile names this machine to the others. It moves with the data folder, and comes
// back with a backup of it.
const machineFile = "machine-id"

// memoryServer is the server that the settings name.
type memoryServer struct {
	mu      sync.Mutex
	address string
	server  *postgres.Server
	err     error
}

// MemoryServer is the server where several machines keep their search index together; nil
// where recall.backend is local. An error says what to correct. Nothing is sent yet.
func (b *Backend) MemoryServer() (*postgres.Server, error) {
	set := b.Config().Recall
	m := &b.server
	m.mu.Lock()
	defer m.mu.Unlock()
	if set.Backend != backendPostgres || b.Demo {
		m.drop()
		return nil, nil //nolint:nilnil // none is no error
	}
	if m.address == set.PostgresURL && (m.server != nil || m.err != nil) {
		return m.server, m.err
	}
	m.drop()
	m.address = set.PostgresURL
	machine, err := machineID(b.Paths)
	if err != nil {
		return nil, err // tried again
	}
	name, _ := os.Hostname() // without one it is "another machine" to the others
	m.server, m.err = postgres.New(postgres.Config{Address: set.PostgresURL, Password: b.serverPassword, Machine: machine, Name: name})
	return m.server, m.err
}

func (m *memoryServer) drop() {
	if m.server != nil {
		m.server.Close()
	}
	m.address, m.server, m.err = "", nil, nil
}

// closeServer lets the connections go.
func (b *Backend) closeServer() error {
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	b.server.drop()
	return nil
}

// recallServer is MemoryServer for the index, which says of itself why one is missing.
func (b *Backend) recallServer() recall.Server {
	s, err := b.MemoryServer()
	if err != nil {
		return recall.BrokenServer(err)
	}
	if s == nil {
		return nil
	}
	return s
}

// machineID reads the machine's name for others, or makes one.
func machineID(paths config.Paths) (string, error) {
	path := filepath.Join(paths.Home, machineFile)
	data, err := os.ReadFile(path)
	if id := strings.TrimSpace(string(data)); err == nil && id != "" {
		return id, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read this machine's id for the memory server: %w", err)
	}
	bits := make([]byte, 16)
	_, _ = rand.Read(bits) // never fails
	id := hex.EncodeToString(bits)
	if err := wholefile.Write(path, []byte(id+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("save this machine's id for the memory server: %w", err)
	}
	return id, nil
}

// keychain is the system's; nil for a data folder elsewhere, which has none.
func (b *Backend) keychain() token.Keychain {
	getenv := lookup(b.environ)
	if b.Demo || getenv("MAC_STATS_HOME") != "" {
		return nil
	}
	return token.NewKeychain(getenv)
}

func (b *Backend) serverPassword() string {
	if k := b.keychain(); k != nil {
		if password, err := k.Get(keychainService, keychainAccount); err == nil {
			return password
		}
	}
	return ""
}

// ErrNoKeychain: there is no keychain to keep a password in.
var ErrNoKeychain = token.ErrNoKeychain

// SetServerPassword keeps the server's password in the keychain; "" takes it out.
func (b *Backend) SetServerPassword(password string) error {
	k := b.keychain()
	if k == nil {
		return ErrNoKeychain
	}
	err := error(nil)
	if password == "" {
		err = k.Delete(keychainService, keychainAccount)
	} else {
		err = k.Set(keychainService, keychainAccount, password)
	}
	if err != nil {
		return fmt.Errorf("save the memory server's password: %w", err)
	}
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	b.server.drop()
	return nil
}
