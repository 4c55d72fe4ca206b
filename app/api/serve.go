package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"mac-stats/app/instance"
)

// listenUnix is the value of api.listen for a socket in the runtime folder.
const listenUnix = "unix"

// closeTime is how long Close waits for running requests.
const closeTime = 2 * time.Second

// Server is the API at its address.
type Server struct {
	http   *http.Server
	socket string // its path; "" for a port
	addr   net.Addr
	done   chan struct{}
	close  sync.Once
	err    error
}

// Serve listens at listen: unix, or a loopback address with a port. The caller must be the
// data folder's only app, because Serve takes over a socket that a dead process left.
func Serve(a *API, listen, runtimeDir, home string) (*Server, error) {
	l, socket, err := listenAt(listen, runtimeDir, home)
	if err != nil {
		return nil, err
	}
	s := &Server{socket: socket, addr: l.Addr(), done: make(chan struct{}), http: &http.Server{
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connection{}, c) },
		Handler:     a, ReadHeaderTimeout: readTime, ReadTimeout: readTime, IdleTimeout: time.Minute,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}}
	go func() {
		defer close(s.done)
		if err := s.http.Serve(listener{l}); err != nil && !errors.Is(err, http.ErrServerClosed) {
			a.log.Warn("the local api stopped", "error", err)
		}
	}()
	return s, nil
}

// listener limits how long a client may take to read an answer.
type listener struct{ net.Listener }

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return conn{c}, nil
}

// conn is a connection each of whose writes has its own time limit: a client may read
// slowly, but not stop.
type conn struct{ net.Conn }

// connection is the key of a request's connection in its context.
type connection struct{}

// Write implements net.Conn. A write of nothing goes to the system too, which knows whether
// the other side is gone.
func (c conn) Write(p []byte) (n int, err error) {
	for {
		if err = c.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
			return n, err
		}
		var m int
		m, err = c.Conn.Write(p[n:min(n+maxWrite, len(p))])
		if n += m; err != nil || n >= len(p) {
			return n, err
		}
	}
}

// CloseWrite ends the answers, as net/http does before it closes a connection.
func (c conn) CloseWrite() error {
	if inner, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return inner.CloseWrite()
	}
	return nil
}

// whileThere returns a context that ends when the client is gone. A client that only ended
// its own side still waits for the answer, which looks the same until something is sent to
// it: so it is sent that the answer is to come (100 Continue), which every client accepts. One
// of HTTP/1.0 doesn't know that, and is sent nothing: over a socket that fails at once if it
// is gone, over a port as soon as its system has refused a probe, after a minute or so.
func whileThere(r *http.Request) (ctx context.Context, stop func()) {
	to, ok := r.Context().Value(connection{}).(net.Conn)
	if !ok {
		return r.Context(), func() {}
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	done := make(chan struct{})
	stopped := context.AfterFunc(r.Context(), func() {
		defer close(done)
		there := "HTTP/1.1 100 Continue\r\n\r\n"
		if !r.ProtoAtLeast(1, 1) {
			there = ""
		}
		again := time.NewTicker(askTime)
		defer again.Stop()
		for {
			if _, err := io.WriteString(to, there); err != nil {
				cancel(err)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		if !stopped() {
			<-done
		}
	}
}

func listenAt(listen, runtimeDir, home string) (l net.Listener, socket string, err error) {
	if listen != listenUnix {
		l, err = listenPort(listen)
		return l, "", err
	}
	if socket, err = instance.APISocket(runtimeDir, home); err != nil {
		return nil, "", fmt.Errorf("find the place of the API's socket: %w", err)
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("remove the socket of an earlier run: %w", err)
	}
	if l, err = (&net.ListenConfig{}).Listen(context.Background(), "unix", socket); err != nil {
		return nil, "", fmt.Errorf("listen on %s: %w", socket, err)
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		return nil, "", errors.Join(fmt.Errorf("protect the API's socket: %w", err), l.Close())
	}
	return l, socket, nil
}

// listenPort listens on a port and checks that its address is on this machine.
func listenPort(address string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s (api.listen): %w", address, err)
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("api.listen: %s is not an address of this machine alone", address), l.Close())
	}
	return l, nil
}

// Addr returns the listener's address.
func (s *Server) Addr() net.Addr { return s.addr }

// Close stops the server after a moment for running requests. It may be called more than
// once.
func (s *Server) Close() error {
	s.close.Do(func() {
		ctx, stop := context.WithTimeout(context.Background(), closeTime)
		defer stop()
		if err := s.http.Shutdown(ctx); err != nil {
			s.err = s.http.Close()
		}
		<-s.done
		if s.socket != "" {
			if err := os.Remove(s.socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
				s.err = errors.Join(s.err, err)
			}
		}
	})
	return s.err
}
