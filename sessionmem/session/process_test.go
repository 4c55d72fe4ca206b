//go:build unix

package session_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// Some promises hold between processes. The test binary runs itself as another
// process, in the role named by this variable.
const roleVariable = "SESSIONMEM_TEST_ROLE"

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := playRole(role, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// playRole runs the other process.
func playRole(role, root, arg string) error {
	if role == "full" { // before the store is opened: the limit applies to this process
		n, err := strconv.ParseUint(arg, 10, 64)
		if err != nil {
			return err
		}
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return err
		}
	}
	s, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		return err
	}
	ctx := context.Background()
	switch role {
	case "append":
		for i := range 100 {
			if _, err := s.Append(ctx, "cli-a", user(fmt.Sprintf("%s-%d\n%s", arg, i, strings.Repeat(arg+" ", i*7)))); err != nil {
				return err
			}
		}
		return nil
	case "stream":
		return stream(ctx, s)
	case "full":
		return fillUp(ctx, s)
	case "accept":
		return acceptAll(ctx, memory.New(memory.Config{Root: root}))
	case "hold":
		l, err := s.Session("cli-a").LockTurn(ctx, "other process", nil)
		if err != nil {
			return err
		}
		fmt.Println("held")
		_, err = io.Copy(io.Discard, os.Stdin)
		l.Unlock()
		return err
	}
	return errors.New("no such role: " + role)
}

// stream writes messages and reports each, then streams an answer until it is killed.
func stream(ctx context.Context, s *sessionmem.Store) error {
	if _, err := s.Session("cli-a").LockTurn(ctx, "streamer", nil); err != nil {
		return err
	}
	for i := range 5 {
		if _, err := s.Append(ctx, "cli-a", user(fmt.Sprint("message ", i))); err != nil {
			return err
		}
		fmt.Println("acknowledged", i)
	}
	c := s.Session("cli-a").Checkpoint(ctx, transcript.Block{Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: "u"})
	for i := 0; ; i++ {
		c.SetText(strings.Repeat("token ", i+1))
		if i == 5 {
			fmt.Println("streaming")
		}
		time.Sleep(time.Millisecond)
	}
}

// fillUp appends until the file can't grow, and reports how many were acknowledged.
func fillUp(ctx context.Context, s *sessionmem.Store) error {
	for i := range 1000 {
		if _, err := s.Append(ctx, "cli-a", user(strings.Repeat("x", 700))); err != nil {
			fmt.Println(i)
			return err
		}
	}
	return nil
}

// start runs the test binary in a role.
func start(t *testing.T, role, root, arg string) (cmd *exec.Cmd, stdin io.WriteCloser, lines *bufio.Scanner) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), os.Args[0], root, arg)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	var errText strings.Builder
	cmd.Stderr = &errText
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s: %s", role, errText.String())
		}
	})
	return cmd, stdin, bufio.NewScanner(stdout)
}

// await reads lines until one begins with prefix.
func await(t *testing.T, lines *bufio.Scanner, prefix string) string {
	t.Helper()
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), prefix) {
			return lines.Text()
		}
	}
	t.Fatalf("the other process ended before saying %q", prefix)
	return ""
}

// kill ends a process that the test started, like kill -9.
func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // returns "killed"
}

func TestTwoProcessesAppendToOneSession(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	a, _, _ := start(t, "append", root, "anna")
	b, _, _ := start(t, "append", root, "bert")
	s := openStore(t, root)
	for i := range 50 { // and this one too
		mustAppend(t, s, "cli-a", user(fmt.Sprintf("carl-%d\n%s", i, strings.Repeat("carl ", i*7))))
	}
	for _, cmd := range []*exec.Cmd{a, b} {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	onlyFile(t, root)
	next := map[string]int{}
	for _, text := range texts(t, s, "cli-a") {
		head, body, _ := strings.Cut(text, "\n")
		who, n, _ := strings.Cut(head, "-")
		if n != strconv.Itoa(next[who]) {
			t.Fatalf("after %s-%d came %s", who, next[who]-1, head)
		}
		if want := strings.TrimRight(strings.Repeat(who+" ", next[who]*7), " "); strings.TrimRight(body, " ") != want {
			t.Fatalf("%s is not whole: %q", head, body)
		}
		next[who]++
	}
	if next["anna"] != 100 || next["bert"] != 100 || next["carl"] != 50 {
		t.Errorf("messages: %v", next)
	}
	if got, want := texts(t, openStore(t, root), "cli-a"), texts(t, s, "cli-a"); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Error("a fresh reader sees another context than the running one")
	}
}

func TestKillInMidStreamLosesNothingAcknowledged(t *testing.T) {
	root := t.TempDir()
	cmd, _, lines := start(t, "stream", root, "")
	await(t, lines, "acknowledged 4")
	await(t, lines, "streaming")
	filetest.Await(t, filepath.Join(root, transcript.SessionDir, transcript.PartialDir, "*.md"))
	kill(t, cmd)

	s := openStore(t, root)
	l, err := s.Session("cli-a").LockTurn(t.Context(), "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	l.Unlock()
	got := texts(t, s, "cli-a")
	if len(got) != 6 || got[4] != "message 4" || !strings.HasPrefix(got[5], "token") {
		t.Errorf("context after the crash: %q", got)
	}
	tr, err := s.Load(t.Context(), "cli-a")
	if err != nil {
		t.Fatal(err)
	}
	if last := tr.Blocks[len(tr.Blocks)-1]; last.Note != transcript.NoteInterrupted || last.Parent != "u" {
		t.Errorf("not marked interrupted: %+v", last)
	}
	if files, err := os.ReadDir(filepath.Join(root, transcript.SessionDir, transcript.PartialDir)); err != nil || len(files) != 0 {
		t.Errorf("left in the folder of checkpoints: %v, %v", files, err)
	}
}

func TestTurnLockHoldsBetweenProcesses(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	cmd, stdin, lines := start(t, "hold", root, "")
	await(t, lines, "held")
	s := openStore(t, root)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var told []session.Holder
	if _, err := s.Session("cli-a").LockTurn(ctx, "test", func(h session.Holder) { told = append(told, h); cancel() }); !errors.Is(err, context.Canceled) {
		t.Fatalf("locked while another process holds it: %v", err)
	}
	if len(told) != 1 || told[0].Who != "other process" || told[0].PID != cmd.Process.Pid || time.Since(told[0].Since) > time.Minute {
		t.Errorf("told %+v", told)
	}
	if err := stdin.Close(); err != nil { // it unlocks and ends
		t.Fatal(err)
	}
	l, err := s.Session("cli-a").LockTurn(t.Context(), "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	l.Unlock()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestTurnLockOfADeadProcessIsFree(t *testing.T) {
	root := t.TempDir()
	cmd, _, lines := start(t, "hold", root, "")
	await(t, lines, "held")
	kill(t, cmd)
	s := openStore(t, root)
	l, err := s.Session("cli-a").LockTurn(t.Context(), "test", func(h session.Holder) { t.Errorf("waited for the dead %+v", h) })
	if err != nil {
		t.Fatal(err)
	}
	l.Unlock()
}

func TestFullDiskLeavesNoHalfBlock(t *testing.T) {
	for _, tc := range []struct {
		name  string
		limit int
		files int
	}{
		{"given no room for the first block, then no file stays", 300, 0},
		{"given no room for a later block, then the file is as it was", 5000, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := t.TempDir()
			cmd, _, lines := start(t, "full", root, strconv.Itoa(tc.limit))
			var said strings.Builder
			cmd.Stderr = &said
			acknowledged, err := strconv.Atoi(await(t, lines, ""))
			if err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // exit 1: the disk is full
			files, err := filepath.Glob(filepath.Join(root, transcript.SessionDir, "*.md"))
			if err != nil || len(files) != tc.files {
				t.Fatalf("files %v, %v", files, err)
			}
			s := openStore(t, root)
			got := texts(t, s, "cli-a")
			if len(got) != acknowledged || strings.Join(got, "") != strings.Repeat("x", 700*acknowledged) {
				t.Errorf("%d acknowledged, %d there", acknowledged, len(got))
			}
			mustAppend(t, s, "cli-a", user("room again"))
			if got := texts(t, s, "cli-a"); len(got) != acknowledged+1 {
				t.Errorf("%d messages after one more", len(got))
			}
		})
	}
}
