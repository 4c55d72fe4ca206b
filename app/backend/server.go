package backend

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mac-stats/app/config"
	"mac-stats/app/secret"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// backendPostgres is the value of recall.backend for a shared server.
const backendPostgres = "postgres"

// The entry of the server's password in the keychain.
const (
	keychainService = "mac-stats"
	keychainAccount = "postgres-password"
)

const (
	// machineFile holds the secret that distinguishes this machine from the others, which
	// only see values derived from it. It moves with the data folder and is part of a
	// backup.
	machineFile = "machine.key"
	// serversFile lists the servers that hold something from this machine, one per line, so
	// that forgetting reaches them even after the settings have changed.
	serversFile = "memory-servers"
)

// SharedMemory is the server that holds the search index of several machines, and the list
// of all servers that hold something from this one.
type SharedMemory struct {
	app     *base
	store   *sessionmem.Store
	mu      sync.Mutex // guards the fields below
	address string
	server  *postgres.Server // as configured
	err     error
	noted   *postgres.Server // the last one written to serversFile
}

// Server returns the configured memory server; nil if recall.backend is local. Its error
// says what to correct. No request is sent yet.
func (sm *SharedMemory) Server() (*postgres.Server, error) {
	set := sm.app.Config().Recall
	sm.mu.Lock()
	defer sm.mu.Unlock()
	if set.Backend != backendPostgres || sm.app.Demo {
		sm.drop()
		return nil, nil //nolint:nilnil // nil means that none is configured
	}
	if sm.address == set.PostgresURL && (sm.server != nil || sm.err != nil) {
		return sm.server, sm.err
	}
	sm.drop()
	server, err := sm.openServer(set.PostgresURL)
	if err != nil && !errors.Is(err, recall.ErrServer) {
		return nil, err // the next call tries again
	}
	sm.address, sm.server, sm.err = set.PostgresURL, server, err
	return sm.server, sm.err
}

// openServer returns the server at an address, opened in this machine's name.
func (sm *SharedMemory) openServer(address string) (*postgres.Server, error) {
	secret, err := machineSecret(sm.app.Paths)
	if err != nil {
		return nil, err
	}
	name, _ := os.Hostname() // without a name it is "another machine" to the others
	return postgres.New(postgres.Config{Address: address, Password: sm.serverPassword, Secret: secret, Name: name})
}

// drop drops the server; its connections are closed when they are idle.
func (sm *SharedMemory) drop() {
	if sm.server != nil {
		go sm.server.Close()
	}
	sm.address, sm.server, sm.err, sm.noted = "", nil, nil, nil
}

// close closes the connections.
func (sm *SharedMemory) close() error {
	sm.mu.Lock()
	server := sm.server
	sm.server = nil
	sm.mu.Unlock()
	if server != nil {
		server.Close()
	}
	return nil
}

// forIndex returns Server for the index.
func (sm *SharedMemory) forIndex() (recall.Server, error) {
	s, err := sm.Server()
	if s == nil {
		return nil, err
	}
	return s, err
}

// note adds a server to the list of those that hold something from this machine.
func (sm *SharedMemory) note(ctx context.Context, s *postgres.Server) error {
	sm.mu.Lock()
	noted := sm.noted == s
	sm.mu.Unlock()
	if noted {
		return nil
	}
	if err := sm.changeServers(ctx, func(all []string) []string { return append(all, s.Address()) }); err != nil {
		return err
	}
	sm.mu.Lock()
	sm.noted = s
	sm.mu.Unlock()
	return nil
}

// ServersLeft returns the addresses of servers that hold something from this machine but
// are no longer configured.
func (sm *SharedMemory) ServersLeft() []string {
	set, now := sm.app.Config().Recall, ""
	if set.Backend == backendPostgres {
		now = postgres.Settled(set.PostgresURL)
	}
	return slices.DeleteFunc(sm.serversNoted(), func(line string) bool { return line == now })
}

// serversNoted returns the addresses in serversFile.
func (sm *SharedMemory) serversNoted() []string {
	data, err := os.ReadFile(filepath.Join(sm.app.Paths.Home, serversFile))
	if err != nil {
		return nil // usually there is no such file
	}
	return linesOf(string(data))
}

// linesOf returns the nonempty lines of a text.
func linesOf(text string) (out []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// changeServers changes the list in serversFile, in one process at a time.
func (sm *SharedMemory) changeServers(ctx context.Context, change func(all []string) []string) error {
	path := filepath.Join(sm.app.Paths.Home, serversFile)
	lock := wholefile.NewLock(filepath.Join(sm.app.Paths.Home, "."+serversFile+".lock"))
	if err := wholefile.TakeLock(ctx, lock); err != nil {
		return fmt.Errorf("note where this machine's memory is: %w", err)
	}
	defer func() { _ = lock.Unlock() }() // the process releases it when it ends
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("note where this machine's memory is: %w", err)
	}
	all := change(linesOf(string(data)))
	slices.Sort(all)
	text := strings.Join(slices.Compact(all), "\n") + "\n"
	if text == string(data) || len(all) == 0 && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if len(all) == 0 {
		return os.Remove(path)
	}
	if err := wholefile.Write(path, []byte(text), 0o600); err != nil {
		return fmt.Errorf("note where this machine's memory is: %w", err)
	}
	return nil
}

// DropMemory removes everything of this machine from all servers that hold some of it, and
// returns their names.
func (sm *SharedMemory) DropMemory(ctx context.Context) (names []string, err error) {
	all, closeAll := sm.servers()
	defer closeAll()
	for _, one := range all {
		s, ok := one.(*postgres.Server)
		if !ok {
			_, err := one.Sweep(ctx, "", nil)
			return names, err
		}
		if err := s.DropMachine(ctx); err != nil {
			return names, err
		}
		sm.mu.Lock()
		sm.noted = nil
		sm.mu.Unlock()
		err := sm.changeServers(ctx, func(all []string) []string {
			return slices.DeleteFunc(all, func(line string) bool { return line == s.Address() })
		})
		if names = append(names, s.Name()); err != nil {
			return names, err
		}
	}
	return names, nil
}

// servers returns the servers that a forgetting has to reach.
func (sm *SharedMemory) servers() (all []forget.Server, closeAll func()) {
	var opened []*postgres.Server
	add := func(name string, s *postgres.Server, err error) {
		if err != nil {
			all = append(all, &brokenServer{name: name, err: err})
		} else if s != nil {
			all = append(all, s)
		}
	}
	s, err := sm.Server()
	add(postgres.Redacted(sm.app.Config().Recall.PostgresURL), s, err)
	for _, address := range sm.ServersLeft() {
		s, err := sm.openServer(address)
		if add(address, s, err); err == nil {
			opened = append(opened, s)
		}
	}
	return all, func() {
		for _, s := range opened {
			s.Close()
		}
	}
}

// brokenServer is a server that can't be used; err says why.
type brokenServer struct {
	name string
	err  error
}

func (b *brokenServer) Name() string { return b.name }

func (b *brokenServer) Sweep(context.Context, string, func(mine bool, session string, b transcript.Block) bool) ([]string, error) {
	return nil, b.err
}

// machineSecret reads this machine's secret, or creates one.
func machineSecret(paths config.Paths) ([]byte, error) {
	path := filepath.Join(paths.Home, machineFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		bits := make([]byte, 32)
		_, _ = rand.Read(bits) // never fails
		if err = wholefile.Create(path, []byte(hex.EncodeToString(bits)+"\n"), 0o600); err == nil || errors.Is(err, fs.ErrExist) {
			data, err = os.ReadFile(path) // another process may have been faster
		}
	}
	secret := bytes.TrimSpace(data)
	if err == nil && len(secret) == 0 {
		err = errors.New("it is empty; delete it")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s, which tells this machine from the others: %w", machineFile, err)
	}
	return secret, nil
}

func (sm *SharedMemory) serverPassword() string {
	if k := sm.app.keychain(); k != nil {
		if password, err := k.Get(keychainService, keychainAccount); err == nil {
			return password
		}
	}
	return ""
}

// ErrNoKeychain means that there is no keychain for a password.
var ErrNoKeychain = secret.ErrNoKeychain

// SetServerPassword saves the server's password in the keychain; "" removes it.
func (sm *SharedMemory) SetServerPassword(password string) error {
	k := sm.app.keychain()
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
	sm.mu.Lock()
	defer sm.mu.Unlock()
	sm.drop()
	return nil
}
