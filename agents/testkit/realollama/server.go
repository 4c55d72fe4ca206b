package realollama

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
)

// Version is the server version that scripts/ollama.sh installs.
const Version = "0.6.5"

// EnvBinary is the environment variable with the path of an ollama binary to use instead
// of the installed one.
const EnvBinary = "MAC_STATS_TEST_OLLAMA"

// startTimeout limits how long a server may take to start; it needs about 2 s.
const startTimeout = 5 * time.Minute

// ErrNotInstalled means that there is no ollama binary for the tests.
var ErrNotInstalled = errors.New("the Ollama server for tests is not installed: run scripts/ollama.sh, or name a binary in " + EnvBinary)

// Find returns the path of the ollama binary: EnvBinary, else the one that
// scripts/ollama.sh installed in the user's cache folder, else ErrNotInstalled.
func Find() (string, error) {
	path := os.Getenv(EnvBinary)
	if path == "" {
		path = filepath.Join(cacheFolder(), "ollama-v"+Version, "ollama")
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w (%w)", ErrNotInstalled, err)
	}
	return path, nil
}

// cacheFolder returns the folder in which the scripts keep what they build once for the
// tests, on every system.
func cacheFolder() string {
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(os.Getenv("HOME"), ".cache")
	}
	return filepath.Join(cache, "mac-stats-test")
}

// Server is a running ollama process with its own models.
type Server struct {
	host   string // host:port
	cmd    *exec.Cmd
	log    *safeBuffer
	exited chan struct{} // closed when the process has ended
}

// Start starts a server on a free loopback port, with its models and home in temporary
// folders, and waits until it answers. The server stops when the test ends. If the test
// failed, its log ends with the last lines of the server's log.
func Start(tb testing.TB) *Server {
	tb.Helper()
	return StartEnv(tb)
}

// StartEnv is like Start, with additional environment variables
// ("OLLAMA_CONTEXT_LENGTH=2048").
func StartEnv(tb testing.TB, environ ...string) *Server {
	tb.Helper()
	binary, err := Find()
	if err != nil {
		tb.Fatal(err)
	}
	s, err := start(binary, freePort(tb), tb.TempDir(), environ)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		s.Stop()
		if tb.Failed() {
			tb.Logf("the end of the Ollama server's log:\n%s", s.log.tail(40))
		}
	})
	if err := s.waitReady(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return s
}

func start(binary, host, dir string, environ []string) (*Server, error) {
	s := &Server{host: host, log: &safeBuffer{}, exited: make(chan struct{})}
	s.cmd = exec.Command(binary, "serve") //nolint:noctx // Stop ends it, after the test's context is done
	s.cmd.Dir = dir
	s.cmd.Env = append([]string{
		"HOME=" + dir,
		"PATH=" + os.Getenv("PATH"),
		"TMPDIR=" + dir,
		"OLLAMA_HOST=" + host,
		"OLLAMA_MODELS=" + filepath.Join(dir, "models"),
		"OLLAMA_NOPRUNE=1",
		"OLLAMA_NUM_PARALLEL=1",
	}, environ...)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", binary, err)
	}
	go func() {
		_ = s.cmd.Wait() // waitReady reports an early exit, with the log
		close(s.exited)
	}()
	return s, nil
}

// freePort returns a loopback address on which nothing listens now.
func freePort(tb testing.TB) string {
	tb.Helper()
	var config net.ListenConfig
	l, err := config.Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("find a free port: %v", err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (s *Server) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client := s.client()
	for {
		if err := client.Heartbeat(ctx); err == nil {
			return nil
		}
		select {
		case <-s.exited:
			return fmt.Errorf("the Ollama server ended at once; its log:\n%s", s.log.tail(40))
		case <-ctx.Done():
			return fmt.Errorf("the Ollama server did not answer within %v; its log:\n%s", startTimeout, s.log.tail(40))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Stop stops the server and its model runners. It may be called more than once.
func (s *Server) Stop() {
	select {
	case <-s.exited:
		return
	default:
	}
	_ = s.cmd.Process.Signal(os.Interrupt) // it unloads its models; fails only if it has just exited
	select {
	case <-s.exited:
	case <-time.After(time.Minute):
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
}

// Host returns the server's address, host:port, for OLLAMA_HOST.
func (s *Server) Host() string { return s.host }

// Log returns the last lines of the server's log.
func (s *Server) Log(lines int) string { return s.log.tail(lines) }

func (s *Server) client() *api.Client {
	return api.NewClient(&url.URL{Scheme: "http", Host: s.host}, &http.Client{})
}

// Loaded returns the names of the models in memory.
func (s *Server) Loaded(tb testing.TB) []string {
	tb.Helper()
	running, err := s.client().ListRunning(tb.Context())
	if err != nil {
		tb.Fatalf("list the loaded models: %v", err)
	}
	var names []string
	for _, m := range running.Models {
		names = append(names, m.Name)
	}
	return names
}

// safeBuffer holds a process's output so far.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) tail(lines int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := strings.Split(strings.TrimRight(b.buf.String(), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
