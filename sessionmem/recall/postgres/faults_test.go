package postgres_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/recall/recalltest"
)

// proxy sits between a machine and the server, and causes the faults of networks.
type proxy struct {
	to    string
	fault atomic.Pointer[fault]

	mu    sync.Mutex
	conns []net.Conn
}

// fault is what happens to the server's answers.
type fault struct {
	delay   time.Duration
	cut     int // the connection ends after this many bytes
	corrupt int // one byte in this many is changed
}

// newProxy starts a proxy and returns its address in place of the server's.
func newProxy(t *testing.T, address string, s *recalltest.Postgres) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{to: s.Socket()}
	t.Cleanup(func() { _ = l.Close(); p.drop() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(t, c)
		}
	}()
	q := u.Query()
	q.Set("host", dir)
	u.RawQuery = q.Encode()
	return p, u.String()
}

func (p *proxy) serve(t *testing.T, c net.Conn) {
	to, err := (&net.Dialer{}).DialContext(t.Context(), "unix", p.to)
	if err != nil {
		_ = c.Close()
		return
	}
	p.mu.Lock()
	p.conns = append(p.conns, c, to)
	p.mu.Unlock()
	go func() { _, _ = io.Copy(to, c); _ = to.Close() }()
	defer c.Close()
	buf, sent := make([]byte, 4096), 0
	for {
		n, err := to.Read(buf)
		if err != nil {
			return
		}
		if f := p.fault.Load(); f != nil {
			time.Sleep(f.delay)
			if f.cut > 0 && sent+n > f.cut {
				_, _ = c.Write(buf[:max(0, f.cut-sent)])
				_ = to.Close()
				return
			}
			for i := range n {
				if f.corrupt > 0 && (sent+i)%f.corrupt == f.corrupt-1 {
					buf[i] ^= 0x55
				}
			}
		}
		sent += n
		if _, err := c.Write(buf[:n]); err != nil {
			return
		}
	}
}

// drop closes all connections.
func (p *proxy) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

// TestAServerWithFaultsCostsNothingButItsHits: with each fault this machine's index answers
// and says so, and nothing is lost.
func TestAServerWithFaultsCostsNothingButItsHits(t *testing.T) {
	cluster := recalltest.SharedPostgres(t)
	for _, c := range []struct {
		name  string
		fault fault
	}{
		{"slow", fault{delay: 2 * time.Second}},
		{"cut at once", fault{cut: 1}},
		{"cut in an answer", fault{cut: 700}},
		{"corrupt from the beginning", fault{corrupt: 7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, address := newProxy(t, cluster.Database(t), cluster)
			a := newMachine(t, address, "desk")
			a.say("cpu-one", "the otter swims")
			a.finds("otter", "the otter swims")
			f := c.fault
			p.fault.Store(&f)
			p.drop()
			b := a.again(t, address, 300*time.Millisecond)
			for range 3 {
				got, err := b.Search(t.Context(), recall.Query{Text: "otter", Now: a.now})
				if err != nil || len(got.Hits) != 1 || !errors.Is(got.State.Server, recall.ErrServer) || !strings.Contains(got.State.String(), "partial: this machine alone") {
					t.Errorf("%d hits, %v, %v, %v; want this machine's, marked partial", len(got.Hits), got.State, got.State.Server, err)
				}
			}
			if c.fault.delay == 0 { // what is slow arrives eventually
				if _, err := b.Copy(t.Context()); err == nil {
					t.Error("a push through it says that it worked")
				}
			}
			p.fault.Store(nil)
			p.drop()
			a.say("cpu-one", "the otter dives")
			a.finds("otter", "the otter dives, the otter swims")
		})
	}
}

// again opens a machine's index with another server and wait, as another process would.
func (m *machine) again(t *testing.T, address string, patience time.Duration) *recall.Index {
	t.Helper()
	server, err := postgres.New(postgres.Config{Address: address, Secret: []byte("desk")})
	if err != nil {
		t.Fatal(err)
	}
	x, err := recall.Open(recall.Config{
		Root: m.Root, CacheDir: m.CacheDir, Store: m.Store, Settings: m.Settings,
		Server: func() (recall.Server, error) { return server, nil }, ServerPatience: patience,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close(); _ = x.Close() })
	return x
}

// TestAServerThatIsKilledLosesNothing: after a crash, what was put is there or is put again.
func TestAServerThatIsKilledLosesNothing(t *testing.T) {
	cluster := recalltest.StartPostgres(t)
	a := newMachine(t, cluster.Database(t), "desk")
	a.say("cpu-one", "the otter swims")
	for round := range 2 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 50 {
				if _, err := a.Copy(t.Context()); err != nil {
					return
				}
			}
		}()
		if _, err := a.Index.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		cluster.Kill()
		<-done
		a.now = a.now.Add(time.Minute)
		if err := cluster.Run(); err != nil {
			t.Fatal(err)
		}
		a.say("cpu-one", "an otter dives")
		want := "an otter dives, the otter swims"
		if round == 1 {
			want = "an otter dives, " + want
		}
		for try := 0; ; try++ { // searches leave a failed server alone for a while
			if _, err := a.Copy(t.Context()); err == nil || try > 3 {
				break
			}
		}
		a.finds("otter", want)
	}
}

// TestAnyTextIsAQuestionAndNoStatement asks questions that would change or break a statement
// if they were part of it; the same texts are stored as well.
func TestAnyTextIsAQuestionAndNoStatement(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	there, a := newMachine(t, address, "lap"), newMachine(t, address, "desk")
	texts := []string{
		`'`, `''; DROP TABLE mirror; --`, `a'b\c`, `\`, `otter & ! | <-> :* (`, "otter\x00swims", "otter \xff\xfe", `"otter" OR 'swims'`, "O'Brien's 'otter'", `C:\otter\new.txt`,
		"$1 @queries %s {otter}", "last week", "😀'", `x='1' OR '1'='1'`,
	}
	there.say("cpu-one", texts...)
	a.sync()
	texts = append(texts, strings.Repeat("otter' ", 1<<17), strings.Repeat("x", 1<<20))
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		texts = append(texts, odd(r))
	}
	for _, q := range texts {
		a.found(q) // fails if the server doesn't answer
	}
	if got := a.found(`C:\otter\new.txt`); !strings.Contains(got, `C:\otter\new.txt`) {
		t.Errorf("a path isn't found: %.200q", got)
	}
}

// odd returns a text of characters with a special meaning somewhere.
func odd(r *rand.Rand) string {
	signs := []string{"'", `"`, `\`, "&", "|", "!", "(", ")", ":", "*", "<->", "<2>", "\x00", "\xff", "%", "$1", "@me", "--", "/*", ";", "otter", "é", "水", " ", "\n", "E'", "::tsquery", "."}
	var b strings.Builder
	for range 1 + r.IntN(12) {
		b.WriteString(signs[r.IntN(len(signs))])
	}
	return b.String()
}
