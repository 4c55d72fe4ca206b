// Package instance keeps one app per data folder and lets commands poke it: a
// unix socket (0600) in the runtime folder, one line of JSON a request, one line
// of JSON as the answer.
//
// A lock file beside the socket decides who is the app: the system frees it with
// the process, however that ended, so a socket that a dead process left behind is
// taken over without a race. Unix sockets exist on Windows 10 and newer too; where
// they don't, the log says so and the app does without: a second start is told that the
// app runs, and can't show its window.
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

// ErrRunning: another process is the app for this data folder.
var ErrRunning = errors.New("mac-stats is already running")

// ErrNoWindow: the app for this data folder runs without a window.
var ErrNoWindow = errors.New("mac-stats runs without a window")

// ErrNotRunning: no process is the app for this data folder.
var ErrNotRunning = errors.New("mac-stats is not running")

// The requests there are.
const (
	OpShow    = "show"     // open the window (of Session, if given)
	OpNewChat = "new-chat" // open the window with a new chat
	OpChanged = "changed"  // another process wrote to Session
	OpPing    = "ping"     // nothing: is anybody there
)

// Request is what a second start or a command says to the running app.
type Request struct {
	Op      string `json:"op"`                // one of the Op constants
	Session string `json:"session,omitempty"` // changed, show: which
	Token   string `json:"token,omitempty"`   // show, new-chat: the desktop's leave to come in front
}

// answer is the line that comes back.
type answer struct {
	OK       bool   `json:"ok"`
	NoWindow bool   `json:"no_window,omitempty"` // it was asked for a window and has none
	Error    string `json:"error,omitempty"`
}

const (
	// maxLine is how long a request or an answer may be, in bytes.
	maxLine = 4096
	// connTimeout is how long one request may take on either side.
	connTimeout = 2 * time.Second
	// maxConns is how many requests are read at the same time; more wait.
	maxConns = 16
	dirPerm  = 0o700
	filePerm = 0o600
)

// Listener is the running app's end.
type Listener struct {
	socket net.Listener // nil where the system has none
	path   string
	lock   *flock.Flock
	handle func(Request)
	bare   bool // there is no window to show
	done   sync.WaitGroup
	close  sync.Once
	err    error

	mu    sync.Mutex // guards conns; handle runs one at a time under serial
	conns map[net.Conn]struct{}
	ended bool

	serial sync.Mutex
}

// Listen becomes the app for home, or returns ErrRunning. A socket left by a dead
// process is taken over. handle is called for one request at a time, on a
// goroutine of its own, before the answer goes back; it is not called for pings.
func Listen(runtimeDir, home string, handle func(Request)) (*Listener, error) {
	return listenAs(runtimeDir, home, false, handle)
}

// ListenWindowless is Listen for an app that has no window: requests to open one
// are answered with ErrNoWindow and do not reach handle.
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

// listen makes the socket. The lock is held, so what stands there is dead.
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

// listenPrivately: the folder is 0700, so nobody gets at the socket before its
// own permissions are set.
func listenPrivately(path string) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(context.Background(), "unix", path)
}

// Close removes the socket and waits for requests under way, at most their
// time-out. It may be called more than once.
func (l *Listener) Close() error {
	l.close.Do(func() {
		l.mu.Lock()
		l.ended = true
		for c := range l.conns {
			_ = c.SetReadDeadline(time.Now()) // who has not asked yet gets no answer
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

// wait gives requests under way their time-out to end: one may hang in a handle
// that waits for what is already gone.
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
		if err != nil { // out of file descriptors, say: it passes
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

// keep remembers a connection so that Close can end it; false when closing.
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
	_ = conn.Close() // the answer is written; nothing can be done about an error
}

// answer reads one request, does it and says so.
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
	_ = writeLine(conn, reply) // the other side is gone: nobody is left to tell
}

func (r Request) check() error {
	switch r.Op {
	case OpShow, OpNewChat, OpChanged, OpPing:
		return nil
	}
	return fmt.Errorf("unknown request %q", r.Op)
}

// Send pokes the running app; ErrNotRunning where none runs, ErrNoWindow where it
// has none to show. It takes at most two seconds.
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
	defer func() { _ = conn.Close() }() // the answer is read; nothing is lost
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
