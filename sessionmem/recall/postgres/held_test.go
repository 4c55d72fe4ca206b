package postgres_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/recall/recalltest"
)

// otter asks for a word.
var otter = recall.ServerQuestion{Terms: []recall.ServerTerm{{Forms: []string{"otter"}, Weight: 1}}, Limit: 8}

// ask asks a server, and cancels once held reports that the server is holding the request.
func ask(t *testing.T, s *postgres.Server, held <-chan struct{}) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() {
		_, err := s.Search(ctx, otter)
		done <- err
	}()
	if held != nil {
		<-held
	}
	stop()
	if err := <-done; err == nil {
		t.Error("it was answered: this proves nothing")
	}
}

// TestNothingHoldsASearchOrTheEnd: what hangs here hangs until the test is over, so each call
// has to give up by itself.
func TestNothingHoldsASearchOrTheEnd(t *testing.T) {
	newServer := func(t *testing.T, address string, password func() string) *postgres.Server {
		t.Helper()
		s, err := postgres.New(postgres.Config{Address: address, Secret: []byte("desk"), Password: password})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		name, answer string
		left         bool // the driver takes 15 s to close
	}{
		{"a server that never answers", "", false},
		{"one that never ends its handshake", recalltest.YesToTLS, false},
		{"one that never answers a query", recalltest.Ready, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := recalltest.NewSilent(t, c.answer)
			s := newServer(t, l.Address, nil)
			ask(t, s, l.Came)
			s.Close()
			if c.left && !l.Holds() {
				t.Error("the end waited for the goodbye")
			}
		})
	}
	t.Run("a keychain that nobody unlocks", func(t *testing.T) {
		t.Parallel()
		asked, locked := make(chan struct{}), make(chan struct{})
		t.Cleanup(func() { close(locked) })
		s := newServer(t, recalltest.NewSilent(t, "").Address, func() string { close(asked); <-locked; return "" })
		ask(t, s, asked)
		s.Close()
	})
	t.Run("a name that nobody knows", func(t *testing.T) {
		asked := make(chan struct{}, 16)
		before := net.DefaultResolver
		t.Cleanup(func() { net.DefaultResolver = before })
		net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		s := newServer(t, "postgres://x@db.example.org/x", nil)
		ask(t, s, asked)
		s.Close()
	})
	t.Run("connections that are all taken", func(t *testing.T) {
		t.Parallel()
		cluster := recalltest.SharedPostgres(t)
		address := cluster.Database(t)
		a := newMachine(t, address, "desk")
		a.say("cpu-one", "the otter swims")
		lock, err := pgx.Connect(t.Context(), cluster.URL(database(address)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = lock.Close(context.WithoutCancel(t.Context())) })
		look, err := pgx.Connect(t.Context(), cluster.URL("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = look.Close(context.WithoutCancel(t.Context())) })
		if _, err := lock.Exec(t.Context(), "BEGIN; LOCK TABLE "+database(address)+".mirror"); err != nil {
			t.Fatal(err)
		}
		s := newServer(t, address, nil)
		ctx, stop := context.WithCancel(t.Context())
		for range 4 { // all connections
			go func() { _, _ = s.Prints(ctx, "x") }()
		}
		for n := 0; n < 4; {
			if err := look.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE usename = $1 AND wait_event_type = 'Lock'", database(address)).Scan(&n); err != nil {
				t.Fatal(err)
			}
		}
		ask(t, s, nil)
		s.Close()
		stop()
	})
}

// TestASearchMakesNoTables: making tables takes longer than a search may wait.
func TestASearchMakesNoTables(t *testing.T) {
	t.Parallel()
	cluster := recalltest.SharedPostgres(t)
	address := cluster.Database(t)
	s, err := postgres.New(postgres.Config{Address: address, Secret: []byte("desk")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Search(t.Context(), otter)
	says(t, err, "`mac-stats memory backend push` makes them")
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	var n int
	if err := c.QueryRow(t.Context(), "SELECT count(*) FROM pg_tables WHERE tableowner = current_user").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d tables, %v", n, err)
	}
}

// TestColdConversationsOfOthersAreLeftOut unless the question names their time.
func TestColdConversationsOfOthersAreLeftOut(t *testing.T) {
	t.Parallel()
	address := recalltest.SharedPostgres(t).Database(t)
	a, b := newMachine(t, address, "desk"), newMachine(t, address, "lap")
	a.say("cpu-old", "the otter swims")
	a.now = a.now.Add(200 * 24 * time.Hour)
	a.say("cpu-new", "the otter sleeps")
	b.now = a.now
	b.say("cpu-here", "no such animal")
	b.finds("otter", "the otter sleeps @desk")
	b.finds("otter in May 2026", "the otter sleeps @desk, the otter swims @desk")
	got, err := b.Search(t.Context(), recall.Query{Text: "otter", Now: b.now, Cold: true})
	if err != nil || len(got.Hits) != 2 {
		t.Errorf("%+v, %v: want both", got.Hits, err)
	}
	b.finds("what did we talk about in May 2026", "the otter swims @desk")
}
