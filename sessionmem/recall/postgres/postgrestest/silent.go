package postgrestest

import (
	"net"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// Silent takes connections, answers once and never again.
type Silent struct {
	Address string
	Came    chan struct{} // something was asked that it doesn't answer
	open    atomic.Int32  // connections that the other side has not ended
}

// Holds says whether connections stay open. The driver ends them some 15 s after a query
// was given up: that is no wait for whoever asks.
func (s *Silent) Holds() bool {
	time.Sleep(100 * time.Millisecond) // an end is seen a moment after it
	return s.open.Load() > 0
}

// What a Silent may answer.
const (
	YesToTLS = "S"                                                   // the handshake never ends
	Ready    = "R\x00\x00\x00\x08\x00\x00\x00\x00Z\x00\x00\x00\x05I" // a query has no answer
)

// NewSilent listens on a socket, or by TCP where that is to speak TLS, until the test ends.
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
