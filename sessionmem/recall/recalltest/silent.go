package recalltest

import (
	"net"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// Silent is a server that accepts connections, answers once and never again.
type Silent struct {
	Address string
	Came    chan struct{} // receives when something remains unanswered
	open    atomic.Int32  // connections that the client hasn't closed
}

// Holds reports whether connections stay open. The driver closes them about 15 s after a query
// was abandoned, without making the caller wait.
func (s *Silent) Holds() bool {
	time.Sleep(100 * time.Millisecond) // a closed connection is noticed a moment later
	return s.open.Load() > 0
}

// The answers of a Silent.
const (
	YesToTLS = "S"                                                   // the handshake never finishes
	Ready    = "R\x00\x00\x00\x08\x00\x00\x00\x00Z\x00\x00\x00\x05I" // queries get no answer
)

// NewSilent listens until the test ends: on a socket, or with TCP to test TLS.
func NewSilent(tb testing.TB, answer string) *Silent {
	tb.Helper()
	network, address := "unix", filepath.Join(tb.TempDir(), ".s.PGSQL.5432")
	if answer == YesToTLS {
		network, address = "tcp", "127.0.0.1:0"
	}
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), network, address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = l.Close() })
	s := &Silent{Address: "postgres:///x?user=x&host=" + url.QueryEscape(filepath.Dir(address)), Came: make(chan struct{}, 16)}
	if network == "tcp" {
		s.Address = "postgres://x@" + l.Addr().String() + "/x?sslmode=require"
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.open.Add(1)
			go s.serve(c, answer)
		}
	}()
	return s
}

func (s *Silent) serve(c net.Conn, answer string) {
	defer func() { _ = c.Close() }()
	defer s.open.Add(-1)
	buf := make([]byte, 4096)
	for reads := 1; ; reads++ {
		if _, err := c.Read(buf); err != nil {
			return
		}
		if reads == 1 {
			_, _ = c.Write([]byte(answer))
		}
		if reads == 2 || answer != Ready { // a query comes second
			select {
			case s.Came <- struct{}{}:
			default:
			}
		}
	}
}
