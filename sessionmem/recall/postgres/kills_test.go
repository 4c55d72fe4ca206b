package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/recall/recalltest"
	"mac-stats/sessionmem/transcript"
)

// Settings for the process that is killed.
const (
	killedRoot    = "MAC_STATS_TEST_KILLED_ROOT"
	killedCache   = "MAC_STATS_TEST_KILLED_CACHE"
	killedAddress = "MAC_STATS_TEST_KILLED_ADDRESS"
)

// copyForEver is the process that is killed: it keeps bringing the index and the server up to
// date.
func copyForEver() {
	store, err := sessionmem.Open(sessionmem.Config{Root: os.Getenv(killedRoot)})
	if err != nil {
		panic(err)
	}
	server, err := postgres.New(postgres.Config{Address: os.Getenv(killedAddress), Secret: []byte("desk")})
	if err != nil {
		panic(err)
	}
	x, err := recall.Open(recall.Config{Root: os.Getenv(killedRoot), CacheDir: os.Getenv(killedCache), Store: store, Server: func() (recall.Server, error) { return server, nil }})
	if err != nil {
		panic(err)
	}
	for {
		_, _ = x.Sync(context.Background()) // failures while the server is away are expected
		_, _ = x.Copy(context.Background())
	}
}

// TestKilledInMidSync kills the app or the server at random moments of a sync. In the end the
// server must hold each message once, as it is in its file, and nothing else.
// MAC_STATS_SERVER_KILLS is the number of kills.
func TestKilledInMidSync(t *testing.T) {
	rounds, _ := strconv.Atoi(os.Getenv("MAC_STATS_SERVER_KILLS"))
	rounds = max(rounds, 4)
	cluster := recalltest.StartPostgres(t)
	address := cluster.Database(t)
	a := newMachine(t, address, "desk")
	a.offline = true                                             // it only writes; the other process pushes
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1)) //nolint:gosec // a different sequence each time
	want := map[string][]string{}
	for round := range rounds {
		name := fmt.Sprintf("cpu-s%02d", r.IntN(12))
		if len(want[name]) > 0 && r.IntN(6) == 0 {
			if err := os.Remove(a.file(name)); err != nil {
				t.Fatal(err)
			}
			delete(want, name)
		}
		for range 1 + r.IntN(40) {
			a.now = a.now.Add(time.Second)
			text := fmt.Sprintf("round %d says otter %x", round, r.Uint64())
			if _, err := a.Store.Append(t.Context(), name, transcript.Block{Kind: transcript.KindUser, Text: text, Time: a.now}); err != nil {
				t.Fatal(err)
			}
			want[name] = append(want[name], text)
		}
		killOnce(t, a, cluster, address, time.Duration(r.IntN(150))*time.Millisecond, round%2 == 1)
	}
	a.offline = false
	var err error
	for range 3 { // the first may use a connection that the server has closed
		if _, err = a.Index.Sync(t.Context()); err == nil {
			_, err = a.Copy(t.Context())
		}
		if err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, onServer(t, address)); diff != "" {
		t.Error(diff)
	}
}

// killOnce makes another process push and kills it, or the server, after a while.
func killOnce(t *testing.T, a *machine, cluster *recalltest.Postgres, address string, after time.Duration, server bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	app := exec.CommandContext(t.Context(), self)
	app.Env = append(os.Environ(), killedRoot+"="+a.Root, killedCache+"="+filepath.Clean(a.CacheDir), killedAddress+"="+address)
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(30*time.Millisecond + after)
	if server {
		cluster.Kill()
	}
	_ = app.Process.Kill() // both, if the server is to be killed
	_ = app.Wait()
	if server {
		if err := cluster.Run(); err != nil {
			t.Fatal(err)
		}
	}
}

// onServer returns the texts on a server by session, in order.
func onServer(t *testing.T, address string) map[string][]string {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	rows, err := c.Query(t.Context(), "SELECT session, text FROM mirror ORDER BY session, file, number")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	var session, text string
	if _, err := pgx.ForEachRow(rows, []any{&session, &text}, func() error { out[session] = append(out[session], text); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}
