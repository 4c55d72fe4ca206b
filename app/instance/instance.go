// Package instance keeps a single app per data folder and lets commands send it requests:
// over a unix socket (0600) in the runtime folder, with one line of JSON per request and
// per answer.
//
// A lock file beside the socket decides which process is the app. The system releases the
// lock when the process ends, however that happens, so a socket left by a dead process is
// taken over without a race. Windows has unix sockets since Windows 10. On a system without
// them, the log says so and the app runs without one: a second start reports that the app
// runs, but can't show its window.
package instance

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"mac-stats/sessionmem/wholefile"
)

// ErrRunning means that another process is the app for this data folder.
var ErrRunning = errors.New("mac-stats is already running")

// ErrNoWindow means that the app for this data folder runs without a window.
var ErrNoWindow = errors.New("mac-stats runs without a window")

// ErrNotRunning means that no process is the app for this data folder.
var ErrNotRunning = errors.New("mac-stats is not running")

// The operations of requests.
const (
	OpShow    = "show"     // open the window (with Session, if set)
	OpNewChat = "new-chat" // open the window with a new chat
	OpChanged = "changed"  // another process wrote to Session
	OpPing    = "ping"     // do nothing: checks that the app runs
)

// Request is a request from a second start or a command to the running app.
type Request struct {
	Op      string `json:"op"`                // one of the Op constants
	Session string `json:"session,omitempty"` // for changed and show
	Asked   bool   `json:"asked,omitempty"`   // for changed: it was asked in a terminal
	Token   string `json:"token,omitempty"`   // for show and new-chat: the desktop's permission to come to the front
}

// answer is the line sent back.
type answer struct {
	OK       bool   `json:"ok"`
	NoWindow bool   `json:"no_window,omitempty"` // the app can't show the requested window
	Error    string `json:"error,omitempty"`
}

const (
	// maxLine is the longest request or answer, in bytes.
	maxLine = 4096
	// connTimeout is how long a request may take on either side.
	connTimeout = 2 * time.Second
	// maxConns is how many requests are read at the same time; others wait.
	maxConns = 16
	dirPerm  = 0o700
	filePerm = 0o600
)

// Listener is the running app's end.
type Listener struct {
	socket net.Listener // nil if the system has none
	path   string
	lock   *flock.Flock
	handle func(Request)
	bare   bool // there is no window
	done   sync.WaitGroup
	close  sync.Once
	err    error

	mu    sync.Mutex // guards conns; serial runs one handle at a time
	conns map[net.Conn]struct{}
	ended bool

	serial sync.Mutex
}

// Listen makes this process the app for home, or returns ErrRunning. It takes over a socket
// left by a dead process. handle is called for one request at a time, on its own goroutine
// and before the answer is sent; it isn't called for pings.
func Listen(runtimeDir, home string, handle func(Request)) (*Listener, error) {
	return listenAs(runtimeDir, home, false, handle)
}

// ListenWindowless is Listen for an app without a window: requests to open one get
// ErrNoWindow and don't reach handle.
func ListenWindowless(runtimeDir, home string, handle func(Request)) (*Listener, error) {
	return listenAs(runtimeDir, home, true, handle)
}

func listenAs(runtimeDir, home string, bare bool, handle func(Request)) (*Listener, error) {
	if handle == nil {
		panic("instance: Listen needs handle")
	}
	path, err := socketPath(appSocket, runtimeDir, home)
	if err != nil {
		return nil, err
	}
	lock, err := takeLock(path + ".lock")
	if err != nil {
		return nil, err
	}
	socket, err := listen(path)
	if noSockets(err) {
		slog.Warn("other starts of mac-stats and its commands can't reach the app: this system has no unix sockets", "error", err)
		return &Listener{path: path, lock: lock}, nil
	}
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	l := &Listener{socket: socket, path: path, lock: lock, handle: handle, bare: bare, conns: map[net.Conn]struct{}{}}
	l.done.Add(1)
	go l.serve()
	return l, nil
}

func takeLock(path string) (*flock.Flock, error) {
	lock := wholefile.NewLock(path)
	held, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !held {
		return nil, ErrRunning
	}
	return lock, nil
}

// listen creates the socket. The caller holds the lock, so an existing socket is dead.
func listen(path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the socket of an earlier run: %w", err)
	}
	socket, err := listenPrivately(path)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	if err := os.Chmod(path, filePerm); err != nil {
		return nil, errors.Join(fmt.Errorf("protect the socket: %w", err), socket.Close())
	}
	return socket, nil
}

// listenPrivately relies on the folder's mode 0700: nobody reaches the socket before its
// own permissions are set.
func listenPrivately(path string) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(context.Background(), "unix", path)
}

// Close removes the socket and waits for running requests, at most for their timeout. It
// may be called more than once.
func (l *Listener) Close() error {
	l.close.Do(func() {
		l.mu.Lock()
		l.ended = true
		for c := range l.conns {
			_ = c.SetReadDeadline(time.Now()) // a client that has not asked yet gets no answer
		}
		l.mu.Unlock()
		if l.socket != nil {
			l.err = l.socket.Close() // removes the file too
		}
		l.wait()
		if err := os.Remove(l.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.err = errors.Join(l.err, err)
		}
		l.err = errors.Join(l.err, l.lock.Unlock())
	})
	return l.err
}

// wait gives running requests their timeout to end: one may hang in a handle that waits for
// something already closed.
func (l *Listener) wait() {
	ended := make(chan struct{})
	go func() { l.done.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(connTimeout):
	}
}

func (l *Listener) serve() {
	defer l.done.Done()
	slots := make(chan struct{}, maxConns)
	for {
		slots <- struct{}{}
		conn, err := l.socket.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as out of file descriptors, which passes
			<-slots
			slog.Warn("a request to the app was lost", "error", err)
			time.Sleep(100 * time.Millisecond)
			continue
		}
		if !l.keep(conn) {
			<-slots
			_ = conn.Close() // we are closing
			continue
		}
		l.done.Add(1)
		go func() {
			defer func() { l.drop(conn); <-slots; l.done.Done() }()
			l.answer(conn)
		}()
	}
}

// keep registers a connection so that Close can end it; false if Close was called.
func (l *Listener) keep(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || conn.SetDeadline(time.Now().Add(connTimeout)) != nil {
		return false
	}
	l.conns[conn] = struct{}{}
	return true
}

func (l *Listener) drop(conn net.Conn) {
	l.mu.Lock()
	delete(l.conns, conn)
	l.mu.Unlock()
	_ = conn.Close() // after the answer an error no longer matters
}

// answer reads a request, handles it and replies.
func (l *Listener) answer(conn net.Conn) {
	var r Request
	err := readLine(conn, &r)
	if err == nil {
		err = r.check()
	}
	if err == nil && l.bare && (r.Op == OpShow || r.Op == OpNewChat) {
		err = ErrNoWindow
	}
	if err == nil && r.Op != OpPing {
		l.serial.Lock()
		l.handle(r)
		l.serial.Unlock()
	}
	reply := answer{OK: err == nil, NoWindow: errors.Is(err, ErrNoWindow)}
	if err != nil {
		reply.Error = err.Error()
	}
	_ = writeLine(conn, reply) // fails only if the client is gone
}

func (r Request) check() error {
	switch r.Op {
	case OpShow, OpNewChat, OpChanged, OpPing:
		return nil
	}
	return fmt.Errorf("unknown request %q", r.Op)
}

// Send sends a request to the running app. It returns ErrNotRunning if none runs and
// ErrNoWindow if it has no window to show. It takes at most two seconds.
func Send(ctx context.Context, runtimeDir, home string, r Request) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("poke the app: %w", err)
	}
	path, err := findSocket(appSocket, runtimeDir, home)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, connTimeout)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotRunning, err)
	}
	defer func() { _ = conn.Close() }() // after the answer nothing can be lost
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	var reply answer
	if err = writeLine(conn, r); err == nil {
		err = readLine(conn, &reply)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("poke the app: %w", ctx.Err())
	case err != nil:
		return fmt.Errorf("poke the app: %w", err)
	case reply.NoWindow:
		return ErrNoWindow
	case !reply.OK:
		return fmt.Errorf("the app refused: %s", reply.Error)
	}
	return nil
}

// readLine reads one line of JSON of at most maxLine bytes.
func readLine(r io.Reader, into any) error {
	line, err := bufio.NewReaderSize(io.LimitReader(r, maxLine+1), maxLine+1).ReadSlice('\n')
	if err != nil {
		if len(line) > maxLine {
			return fmt.Errorf("the line is longer than %d bytes", maxLine)
		}
		return fmt.Errorf("read the line: %w", err)
	}
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("the line is no request: %w", err)
	}
	return nil
}

func writeLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(line) >= maxLine {
		return fmt.Errorf("the line is longer than %d bytes", maxLine)
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
