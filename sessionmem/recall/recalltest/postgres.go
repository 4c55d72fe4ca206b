package recalltest

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Postgres is a running PostgreSQL server, with a folder and a socket of its own.
type Postgres struct {
	programs, folder string
	cmd              *exec.Cmd
	log              bytes.Buffer
}

// Programs returns the folder of the server's programs; it skips the test if there is none.
func Programs(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("MAC_STATS_TEST_POSTGRES")
	if dir == "" {
		tb.Skip("MAC_STATS_TEST_POSTGRES names no programs of PostgreSQL (scripts/postgres.sh has some)")
	}
	return dir
}

// StartPostgres starts a private server and stops it when the test ends.
func StartPostgres(tb testing.TB) *Postgres {
	tb.Helper()
	s, err := start(Programs(tb))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.remove)
	return s
}

var one struct {
	sync.Once
	*Postgres
	err error
}

// SharedPostgres returns the server that the tests of a package share; StopPostgres ends it.
func SharedPostgres(tb testing.TB) *Postgres {
	tb.Helper()
	dir := Programs(tb)
	one.Once.Do(func() { one.Postgres, one.err = start(dir) })
	if one.err != nil {
		tb.Fatal(one.err)
	}
	return one.Postgres
}

// StopPostgres ends the server of SharedPostgres, if it runs.
func StopPostgres() {
	if one.Postgres != nil {
		one.remove()
	}
}

// start creates a cluster and starts it. It isn't protected against power loss.
func start(programs string) (*Postgres, error) {
	folder, err := os.MkdirTemp("", "pg") // short, because a socket's path has a length limit
	if err != nil {
		return nil, err
	}
	s := &Postgres{programs: programs, folder: folder}
	if err := Own(folder); err != nil {
		return nil, err
	}
	initdb := exec.CommandContext(context.Background(), filepath.Join(programs, "initdb"), "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	initdb.Dir = folder
	asServer(initdb)
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s, s.Run()
}

func (s *Postgres) data() string { return filepath.Join(s.folder, "data") }

// Run starts the server again after Kill.
func (s *Postgres) Run() error {
	s.cmd = exec.CommandContext(context.Background(), filepath.Join(s.programs, "postgres"), "-D", s.data(), "-k", s.folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "shared_buffers=64MB", "-c", "autovacuum_naptime=10s")
	s.cmd.Dir, s.cmd.Stderr = s.folder, &s.log
	asServer(s.cmd)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	for {
		c, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return c.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server doesn't start: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Kill ends the server's processes as abruptly as a power cut.
func (s *Postgres) Kill() {
	_ = s.cmd.Process.Kill() // it may have ended already
	_ = s.cmd.Wait()
	_ = os.Remove(filepath.Join(s.data(), "postmaster.pid"))
}

func (s *Postgres) remove() {
	_ = s.cmd.Process.Signal(os.Interrupt) // a fast shutdown
	_ = s.cmd.Wait()
	_ = os.RemoveAll(s.folder)
}

// Folder returns a new folder that the server can read.
func (s *Postgres) Folder(tb testing.TB, name string) string {
	tb.Helper()
	dir := filepath.Join(s.folder, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := Own(dir); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// Require makes a role log in with a password.
func (s *Postgres) Require(tb testing.TB, role, password string) {
	tb.Helper()
	path := filepath.Join(s.data(), "pg_hba.conf")
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append([]byte("local all "+role+" scram-sha-256\nhost all "+role+" all scram-sha-256\n"), data...), 0o600)
	}
	if err != nil {
		tb.Fatal(err)
	}
	s.Do(tb, "postgres", "SET password_encryption = 'scram-sha-256'", "ALTER ROLE "+role+" PASSWORD '"+password+"'", "SELECT pg_reload_conf()")
}

// Do runs statements as the administrator.
func (s *Postgres) Do(tb testing.TB, database string, statements ...string) {
	tb.Helper()
	ctx := tb.Context()
	c, err := pgx.Connect(ctx, s.URL(database))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = c.Close(ctx) }()
	for _, statement := range statements {
		if _, err := c.Exec(ctx, statement); err != nil {
			tb.Fatal(statement, err)
		}
	}
}

// Socket returns the path of the server's socket.
func (s *Postgres) Socket() string { return filepath.Join(s.folder, ".s.PGSQL.5432") }

// URL returns the address of a database.
func (s *Postgres) URL(database string) string {
	return "postgres:///" + url.PathEscape(database) + "?user=postgres&host=" + url.QueryEscape(s.folder)
}

// Database creates a database with the extension, and a role that only owns a schema in it. It
// returns the role's address.
func (s *Postgres) Database(tb testing.TB) string {
	tb.Helper()
	made.Lock()
	made.n++
	name := fmt.Sprintf("memory%d", made.n)
	made.Unlock()
	s.Do(tb, "postgres", "CREATE ROLE "+name+" LOGIN", "CREATE DATABASE "+name)
	s.Do(tb, name, "CREATE SCHEMA AUTHORIZATION "+name, `DO $$ BEGIN CREATE EXTENSION vector SCHEMA public; EXCEPTION WHEN OTHERS THEN NULL; END $$`)
	return "postgres:///" + name + "?user=" + name + "&host=" + url.QueryEscape(s.folder)
}

var made struct {
	sync.Mutex
	n int
}
