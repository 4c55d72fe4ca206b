package postgres_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/recall/recalltest"
)

func TestMain(m *testing.M) {
	if os.Getenv(killedRoot) != "" {
		copyForEver()
	}
	code := m.Run()
	recalltest.StopPostgres()
	os.Exit(code)
}

// copied is an index whose every sync also goes to the server, and that fails if the server
// doesn't answer.
type copied struct {
	*recall.Index
	t      *testing.T
	server *postgres.Server
}

func (p copied) Sync(ctx context.Context) (recall.Report, error) {
	r, err := p.Index.Sync(ctx)
	if err == nil {
		_, err = p.Copy(ctx)
	}
	return r, err
}

func (p copied) Search(ctx context.Context, q recall.Query) (recall.Answer, error) {
	a, err := p.Index.Search(ctx, q)
	if a.State.Server != nil {
		p.t.Errorf("the server didn't answer %.20q: %v", q.Text, a.State.Server)
	}
	return a, err
}

func (p copied) Erase(ctx context.Context, ids, sessions, files []string) error {
	err := p.Index.Erase(ctx, ids, sessions, files)
	if err == nil {
		_, err = p.Copy(ctx)
	}
	return err
}

func (p copied) Close() error { p.server.Close(); return p.Index.Close() }

func TestConforms(t *testing.T) {
	cluster := recalltest.SharedPostgres(t)
	addresses := map[string]string{}
	recalltest.Run(t, func(t *testing.T, p recalltest.Params) recalltest.Backend {
		t.Helper()
		addresses[p.Root] = cluster.Database(t)
		b := open(t, p, addresses[p.Root], "here")
		if _, err := b.server.Status(t.Context()); err != nil { // creates the tables: some tests search before the first push
			t.Fatal(err)
		}
		return b
	}, func(t *testing.T, p recalltest.Params, word string) []string {
		t.Helper()
		return holding(t, addresses[p.Root], word)
	})
}

// open opens the index of a folder, with a server.
func open(t *testing.T, p recalltest.Params, address, machine string, change ...func(c *recall.Config)) copied {
	t.Helper()
	server, err := postgres.New(postgres.Config{Address: address, Secret: []byte(machine), Name: machine})
	if err != nil {
		t.Fatal(err)
	}
	c := recall.Config{
		Root: p.Root, CacheDir: p.CacheDir, Store: p.Store, Memory: p.Memory, Settings: p.Settings,
		Server: func() (recall.Server, error) { return server, nil }, ServerPatience: patience,
	}
	for _, f := range change {
		f(&c)
	}
	x, err := recall.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return copied{x, t, server}
}

// holding returns the tables of the server that contain a word.
func holding(t *testing.T, address, word string) (tables []string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	for _, table := range []string{"mirror", "mirror_machine"} {
		var n int
		if err := c.QueryRow(t.Context(), "SELECT count(*) FROM "+table+" t WHERE strpos(t::text, $1) > 0", word).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			tables = append(tables, table)
		}
	}
	return tables
}

// dumped returns the contents of tables.
func dumped(t *testing.T, address string, tables ...string) string {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	var all strings.Builder
	for _, table := range tables {
		var text string
		if err := c.QueryRow(t.Context(), "SELECT coalesce(string_agg(t::text, ' '), '') FROM "+table+" t").Scan(&text); err != nil {
			t.Fatal(err)
		}
		all.WriteString(text)
	}
	return all.String()
}
