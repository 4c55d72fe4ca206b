package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mac-stats/agents/process"

	"mac-stats/sessionmem/excerpt"
)

// server is one server in mcp.json.
type server struct {
	client *Client
	name   string
	config config

	life context.Context // cancelled when it is removed from mcp.json or the Client is closed
	end  context.CancelFunc

	renewing sync.Mutex // held while its token is renewed

	mu      sync.Mutex // guards the fields below
	attempt *attempt   // the current attempt to start it, or nil
	session *mcp.ClientSession
	conn    *lenient // of the session
	kill    func()   // kills the process; nil for a server on the web
	sent    *meter
	junk    string // the first line on its stdout that is no message
	stale   bool   // it announced that its tools have changed
	err     error
	tried   time.Time // when it last failed
}

func (s *server) status() (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.config.Disabled:
		return StateOff, nil
	case s.session != nil:
		return StateRunning, nil
	case s.attempt != nil:
		return StateStarting, nil
	case errors.Is(s.err, ErrEnded):
		return StateIdle, s.err
	case s.err != nil:
		return StateFailed, s.err
	}
	return StateIdle, nil
}

// mayStart reports whether a turn may try to start the server on its own.
func (s *server) mayStart() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.config.Disabled && (s.err == nil || time.Since(s.tried) > retryAfter)
}

// attempt is one attempt to start a server. All callers that need the server wait for the
// same attempt, and each can stop waiting at any time.
type attempt struct {
	began  time.Time
	cancel context.CancelFunc
	done   chan struct{}
	err    error // valid once done is closed
}

// begin starts an attempt, which ends when ctx is done, or returns the current one.
func (s *server) begin(ctx context.Context) *attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attempt != nil {
		return s.attempt
	}
	ctx, cancel := context.WithCancel(ctx)
	a := &attempt{began: time.Now(), cancel: cancel, done: make(chan struct{})}
	s.attempt = a
	go func() {
		defer context.AfterFunc(s.life, cancel)()
		defer cancel()
		a.err = s.try(ctx)
		s.mu.Lock()
		s.attempt = nil
		s.mu.Unlock()
		close(a.done)
	}()
	return a
}

// start waits until the server runs and its tools are known. If ctx is done, only the wait
// ends, because another turn may be waiting too.
func (s *server) start(ctx context.Context) error {
	a := s.begin(s.life)
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return fmt.Errorf("the MCP server %s is being started: %w", s.name, context.Cause(ctx))
	}
}

// restart stops the server and starts it again for the person, who waits for it until ctx
// is done.
func (s *server) restart(ctx context.Context, why string) error {
	s.quit(why)
	a := s.begin(ctx)
	<-a.done
	return a.err
}

// quit stops the server, or the attempt to start it.
func (s *server) quit(why string) {
	s.mu.Lock()
	under := s.attempt
	s.mu.Unlock()
	if under != nil {
		under.cancel()
		<-under.done
	}
	s.stop(why)
}

// try starts the server if it isn't running, and reads its tools.
func (s *server) try(ctx context.Context) error {
	s.mu.Lock()
	running, stale := s.session, s.stale
	s.stale = false
	s.mu.Unlock()
	if s.config.Disabled {
		return fmt.Errorf("%s is disabled in mcp.json", s.name)
	}
	if s.life.Err() != nil {
		return fmt.Errorf("%s was changed in mcp.json, or mac-stats is quitting", s.name)
	}
	if running != nil && !stale {
		return nil
	}
	limit := s.client.start
	if ctx.Value(signing{}) != nil {
		limit = signTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := error(nil)
	if running == nil {
		running, err = s.connect(ctx)
	}
	var now known
	if err == nil {
		s.sent.reset()
		now, err = s.listTools(ctx, running)
	}
	if err == nil {
		err = s.client.learn(s, now)
	}
	if err == nil {
		err = s.life.Err() // it was removed, or the Client closed, before there was a session
	}
	if err != nil {
		s.stop("")
		why := s.explain(ctx, err)
		err = fmt.Errorf("the MCP server %s doesn't start: %w", s.name, why)
		if s.life.Err() == nil && !errors.Is(ctx.Err(), context.Canceled) { // it failed by itself
			keepErr := s.client.keep(s.name, func(k known) (known, error) {
				if k.Config != s.config.hash() {
					k = known{Config: s.config.hash()}
				}
				k.Failed = why.Error()
				return k, nil
			})
			if keepErr != nil {
				s.client.p.Logger.Warn("why an MCP server failed can't be kept", "server", s.name, "error", keepErr)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err = err; err != nil {
		s.tried = time.Now()
		s.client.p.Logger.Warn("an MCP server failed", "server", s.name, "error", err)
	}
	return err
}

// explain turns an error of the server into plain words.
func (s *server) explain(ctx context.Context, err error) error {
	s.mu.Lock()
	sent := s.sent
	s.mu.Unlock()
	switch {
	case sent.full():
		return fmt.Errorf("it sent more than %d MB and was ended", maxSent>>20)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errors.New("it didn't answer in time")
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s isn't installed or not in PATH", s.config.Command)
	case errors.Is(err, ErrSignIn):
		return ErrSignIn
	case errors.Is(err, errForbidden):
		return errForbidden
	case errors.Is(err, errMoreRights):
		return errMoreRights
	case errors.Is(err, io.EOF), errors.Is(err, mcp.ErrConnectionClosed), errors.Is(err, os.ErrClosed), errors.Is(err, syscall.EPIPE):
		if s.config.Command == "" {
			break
		}
		if last, _ := s.client.Log(s.name, 1); len(last) > 0 {
			return fmt.Errorf("it ended with %q; more may be in %s", s.shown(last[0]), s.logFile())
		}
		return fmt.Errorf("it ended without a word; try its command in a terminal: %s", s.config.where())
	}
	if _, cause, unsent := strings.Cut(err.Error(), "rejected by transport: "); unsent { // it looks like a response
		return errors.New(s.shown(cause))
	}
	if answer := (*jsonrpc.Error)(nil); errors.As(err, &answer) {
		return &jsonrpc.Error{Code: answer.Code, Message: s.shown(answer.Message)}
	}
	return errors.New(s.shown(err.Error()))
}

// shown returns a text of an error without what may be secret in it.
func (s *server) shown(text string) string {
	return clean(excerpt.Addresses(s.config.expanded(s.client.p.Environ).hiding()(text)), maxAbout)
}

// connect starts the program, or opens the connection.
func (s *server) connect(ctx context.Context) (*mcp.ClientSession, error) {
	sent := &meter{}
	s.mu.Lock()
	s.sent, s.junk = sent, ""
	s.mu.Unlock()
	var to mcp.Transport
	conn, kill := &lenient{hide: s.config.expanded(s.client.p.Environ).hiding()}, func() {}
	var err error
	if s.config.Command == "" {
		to, err = s.web(sent, conn)
	} else {
		to, kill, err = s.run(sent)
	}
	if err != nil {
		return nil, err
	}
	through := transport(func(ctx context.Context) (mcp.Connection, error) {
		var err error
		conn.Connection, err = to.Connect(ctx)
		return conn, err
	})
	client := mcp.NewClient(&mcp.Implementation{Name: "mac-stats", Version: s.client.p.Version}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.stale = true // checked before the next call
		},
	})
	// The session outlives the turn that first needed it.
	session, err := within(ctx, kill, func(ctx context.Context) (*mcp.ClientSession, error) { return client.Connect(ctx, through, nil) })
	if err != nil {
		kill()
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session, s.conn, s.kill = session, conn, kill
	go func() {
		_ = session.Wait() // the next call reports the error
		kill()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.session == session {
			s.session, s.err = nil, ErrEnded
		}
	}()
	return session, nil
}

// within calls a server, and kills it if it continues after ctx is done.
func within[T any](ctx context.Context, kill func(), f func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f(ctx)
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(killAfter):
		kill()
		var none T
		return none, context.Cause(ctx)
	}
}

// run starts the server's program.
func (s *server) run(sent *meter) (mcp.Transport, func(), error) {
	config := s.config.expanded(s.client.p.Environ)
	var more []string
	for _, name := range sorted(config.Env) {
		more = append(more, name+"="+config.Env[name])
	}
	cmd := exec.CommandContext(context.Background(), config.Command, config.Args...)
	cmd.Env, cmd.Dir = process.Environ(s.client.p.Environ, more...), config.Dir
	if cmd.Dir == "" {
		cmd.Dir, _ = os.UserHomeDir() // "" is this process's folder
	}
	log, err := openLog(s.logFile(), config.hiding())
	if err != nil {
		return nil, nil, fmt.Errorf("open its log: %w", err)
	}
	cmd.Stderr = log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	p, err := process.Start(cmd, process.Usual())
	if err != nil {
		_ = log.Close() // nothing was written
		return nil, nil, err
	}
	ended := make(chan struct{})
	var once sync.Once
	kill := func() {
		once.Do(func() {
			_ = stdin.Close() // a well-behaved server then exits
			select {
			case <-ended:
			case <-time.After(killAfter / 2):
			}
			p.Kill() // including what is left of its group
		})
	}
	sent.over = p.Kill
	go func() {
		_ = cmd.Wait() // its exit code doesn't matter
		close(ended)
		p.Kill()        // what is left of its group
		_ = log.Close() // everything is written, or can't be
	}()
	pipe := newPipe(sent.reader(stdout), stdin, func(line []byte) {
		_, _ = log.Write(slices.Concat([]byte("stdout: "), line, []byte("\n"))) // never fails
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.junk == "" {
			s.junk = s.shown(string(line))
		}
	})
	return transport(func(context.Context) (mcp.Connection, error) { return pipe, nil }), kill, nil
}

// stop stops the server.
func (s *server) stop(why string) {
	s.mu.Lock()
	session, kill := s.session, s.kill
	s.session, s.kill = nil, nil
	s.mu.Unlock()
	if session == nil {
		return
	}
	if why != "" {
		s.client.p.Logger.Info("an MCP server is ended", "server", s.name, "reason", why)
	}
	kill()
	closed := make(chan struct{})
	go func() { _ = session.Close(); close(closed) }() // it may hang with its server
	select {
	case <-closed:
	case <-time.After(killAfter):
	}
}
