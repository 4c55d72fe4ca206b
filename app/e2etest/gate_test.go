//go:build e2e && unix

package e2etest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
)

// gate is a server's address at which nobody answers until it is opened: a server that
// starts later.
type gate struct {
	address string // host:port
	target  string
	socket  *os.File // bound to the address, so that no other process gets it
}

func newGate(t testing.TB, target string) *gate {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{target: target, socket: os.NewFile(uintptr(socket), "gate")}
	t.Cleanup(func() { g.socket.Close() })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	at, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	g.address = fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port)
	return g
}

// open lets connections through until the test ends.
func (g *gate) open(t testing.TB) {
	t.Helper()
	if err := syscall.Listen(int(g.socket.Fd()), 128); err != nil {
		t.Fatal(err)
	}
	l, err := net.FileListener(g.socket)
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
		_, _ = io.Copy(to, from) // one side has closed, so the other is closed too
		_ = errors.Join(to.Close(), from.Close())
	}
	both.Go(func() { copyTo(out, in) })
	both.Go(func() { copyTo(in, out) })
	both.Wait()
}
