package backend

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
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
	"mac-stats/app/discord/token"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
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

const (
	// machineFile is the secret that tells this machine from the others, which know what is
	// made of it. It moves with the data folder, and comes back with a backup of it.
	machineFile = "machine.key"
	// serversFile lists the servers that hold what this machine put, one a line: a forgetting
	// reaches them whatever the settings say by then.
	serversFile = "memory-servers"
)

// SharedMemory is the server where several machines keep their search index together, and
// the list of those that hold what this machine put.
type SharedMemory struct {
	app     *base
	store   *sessionmem.Store
	mu      sync.Mutex // guards what follows
	address string
	server  *postgres.Server // that the settings name
	err     error
	noted   *postgres.Server // that is in serversFile
}

// Server is the server where several machines keep their search index together; nil
// where recall.backend is local. An error says what to correct. Nothing is sent yet.
func (sm *SharedMemory) Server() (*postgres.Server, error) {
	set := sm.app.Config().Recall
	sm.mu.Lock()
	defer sm.mu.Unlock()
	if set.Backend != backendPostgres || sm.app.Demo {
		sm.drop()
		return nil, nil //nolint:nilnil // none is no error
	}
	if sm.address == set.PostgresURL && (sm.server != nil || sm.err != nil) {
		return sm.server, sm.err
	}
	sm.drop()
	server, err := sm.openServer(set.PostgresURL)
	if err != nil && !errors.Is(err, recall.ErrServer) {
		return nil, err // tried again
	}
	sm.address, sm.server, sm.err = set.PostgresURL, server, err
	return sm.server, sm.err
}

// openServer gives the server at an address, as this machine.
func (sm *SharedMemory) openServer(address string) (*postgres.Server, error) {
	secret, err := machineSecret(sm.app.Paths)
	if err != nil {
		return nil, err
	}
	id := sha256.Sum256(append([]byte("mac-stats machine id\x00"), secret...))
	name, _ := os.Hostname() // without one it is "another machine" to the others
	return postgres.New(postgres.Config{Address: address, Password: sm.serverPassword, Machine: hex.EncodeToString(id[:16]), Name: name})
}

// drop forgets the server; its connections are let go when they are free.
func (sm *SharedMemory) drop() {
	if sm.server != nil {
		go sm.server.Close()
	}
	sm.address, sm.server, sm.err, sm.noted = "", nil, nil, nil
}

// close lets the connections go.
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

// forIndex is Server for the index, which says of itself why one is missing.
func (sm *SharedMemory) forIndex() recall.Server {
	s, err := sm.Server()
	if err != nil {
		return recall.BrokenServer(err)
	}
	if s == nil {
		return nil
	}
	return s
}

// note puts a server into the list of those that hold what this machine put.
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

// ServersLeft are the addresses of servers that hold what this machine put and that the
// settings don't name any more.
func (sm *SharedMemory) ServersLeft() []string {
	set, now := sm.app.Config().Recall, ""
	if set.Backend == backendPostgres {
		now = postgres.Settled(set.PostgresURL)
	}
	return slices.DeleteFunc(sm.serversNoted(), func(line string) bool { return line == now })
}

// serversNoted are the addresses in serversFile.
func (sm *SharedMemory) serversNoted() []string {
	data, err := os.ReadFile(filepath.Join(sm.app.Paths.Home, serversFile))
	if err != nil {
		return nil // none, mostly
	}
	return linesOf(string(data))
}

// linesOf are the lines of a text that aren't empty.
func linesOf(text string) (out []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// changeServers changes the list of serversFile, in one process at a time.
func (sm *SharedMemory) changeServers(ctx context.Context, change func(all []string) []string) error {
	path := filepath.Join(sm.app.Paths.Home, serversFile)
	lock := wholefile.NewLock(filepath.Join(sm.app.Paths.Home, "."+serversFile+".lock"))
	if err := wholefile.TakeLock(ctx, lock); err != nil {
		return fmt.Errorf("note where this machine's memory is: %w", err)
	}
	defer func() { _ = lock.Unlock() }() // the process gives it back at its end
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

// DropMemory takes what this machine put off all servers that hold some of it, and gives
// their names.
func (sm *SharedMemory) DropMemory(ctx context.Context) (names []string, err error) {
	boards, closeAll := sm.boards()
	defer closeAll()
	for _, board := range boards {
		s, ok := board.(*postgres.Server)
		if !ok {
			_, err := board.Look(ctx, nil)
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

// boards are the servers that a forgetting has to reach.
func (sm *SharedMemory) boards() (boards []forget.Board, closeAll func()) {
	var opened []*postgres.Server
	add := func(name string, s *postgres.Server, err error) {
		if err != nil {
			boards = append(boards, &brokenBoard{name: name, err: err})
		} else if s != nil {
			boards = append(boards, s)
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
	return boards, func() {
		for _, s := range opened {
			s.Close()
		}
	}
}

// brokenBoard is a server that can't be used for what err says.
type brokenBoard struct {
	forget.Board // Look comes before all others
	name         string
	err          error
}

func (b *brokenBoard) Name() string { return b.name }

func (b *brokenBoard) Look(context.Context, []byte) (forgotten.BoardState, error) {
	return forgotten.BoardState{}, b.err
}

// machineSecret reads this machine's secret, or makes one.
func machineSecret(paths config.Paths) ([]byte, error) {
	path := filepath.Join(paths.Home, machineFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		bits := make([]byte, 32)
		_, _ = rand.Read(bits) // never fails
		if err = wholefile.Create(path, []byte(hex.EncodeToString(bits)+"\n"), 0o600); err == nil || errors.Is(err, fs.ErrExist) {
			data, err = os.ReadFile(path) // another process may have been first
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

// pair is what other machines seal their keys to.
func (sm *SharedMemory) pair() (*forgotten.Pair, error) {
	secret, err := machineSecret(sm.app.Paths)
	if err != nil {
		return nil, err
	}
	return forgotten.NewPair(secret)
}

func (sm *SharedMemory) serverPassword() string {
	if k := sm.app.keychain(); k != nil {
		if password, err := k.Get(keychainService, keychainAccount); err == nil {
			return password
		}
	}
	return ""
}

// ErrNoKeychain: there is no keychain to keep a password in.
var ErrNoKeychain = token.ErrNoKeychain

// SetServerPassword keeps the server's password in the keychain; "" takes it out.
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
