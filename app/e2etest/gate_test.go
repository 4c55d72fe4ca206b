//go:build e2e

package e2etest

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
)

// gate is a server's address at which nobody answers until it is opened: a server that
// is started later.
type gate struct {
	address string // host:port
	target  string
}

func newGate(t testing.TB, target string) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{address: l.Addr().String(), target: target}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return g
}

// open lets connections through from now on, until the test ends.
func (g *gate) open(t testing.TB) {
	t.Helper()
	l, err := net.Listen("tcp", g.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go g.pass(in)
		}
	}()
}

func (g *gate) pass(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp", g.target)
	if err != nil {
		return
	}
	defer out.Close()
	var both sync.WaitGroup
	copyTo := func(to, from net.Conn) {
		_, _ = io.Copy(to, from) // one side is gone: so is the other
		_ = errors.Join(to.Close(), from.Close())
	}
	both.Go(func() { copyTo(out, in) })
	both.Go(func() { copyTo(in, out) })
	both.Wait()
}
