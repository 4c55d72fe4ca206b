package crash

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// crashHome, if set, makes this test binary a program that crashes.
const crashHome = "MAC_STATS_TEST_CRASH_HOME"

const secretText = "my cat is called Rosalind"

func TestMain(m *testing.M) {
	home := os.Getenv(crashHome)
	if home == "" {
		os.Exit(m.Run())
	}
	w, err := Start(home, "v9")
	if err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	crashes[os.Args[1]]()
	if err := w.Stop(); err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	os.Exit(0)
}

// crashes are ways to end.
var crashes = map[string]func(){
	"index": func() { var s []int; _ = s[len(os.Args)+3] },
	"text":  func() { panic(secretText + "\ngoroutine 1 [running]:\n" + secretText) },
	"error": func() { panic(fmt.Errorf("chat: %s", secretText)) },
	"other": func() { done := make(chan bool); go func() { panic("chat: " + secretText) }(); <-done },
	"mutex": func() { new(sync.Mutex).Unlock() },
	"hang":  func() { fmt.Println("ready"); time.Sleep(time.Minute) },
	"well":  func() {},
}

// crasher returns this test binary as a program that crashes in the given way.
func crasher(t *testing.T, home, how string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, how)
	cmd.Env = append(os.Environ(), crashHome+"="+home)
	return cmd
}

// logged writes a log with a line from before the crash and others that don't belong in a
// report.
func logged(t *testing.T, home string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(home, "logs"), 0o700); err != nil {
		t.Fatal(err)
	}
	log := fmt.Sprintf("time=%s level=INFO msg=start token=abc mode=app\ntime=%s level=DEBUG msg=%q\n%s\ntime=%s level=INFO msg=later\n",
		time.Now().Add(-time.Minute).Format(time.RFC3339Nano), time.Now().Format(time.RFC3339Nano), secretText, secretText,
		time.Now().Add(time.Hour).Format(time.RFC3339Nano))
	if err := os.WriteFile(filepath.Join(home, "logs", "mac-stats.log"), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestACrashLeavesAReport(t *testing.T) {
	for how, cause := range map[string]string{
		"index": "panic: runtime error: index out of range [5] with length 0",
		"text":  "panic: (25 characters that are not kept)",
		"error": "panic: chat: (31 characters that are not kept)",
		"other": "panic: chat: (31 characters that are not kept)",
		"mutex": "fatal error of the runtime: the stack says where",
	} {
		t.Run(how, func(t *testing.T) {
			home := t.TempDir()
			logged(t, home)
			var exit *exec.ExitError
			if out, err := crasher(t, home, how).CombinedOutput(); !errors.As(err, &exit) || exit.ExitCode() != 2 {
				t.Fatalf("it ended with %v:\n%s", err, out)
			}
			reports, err := Reports(home)
			if err != nil || len(reports) != 1 {
				t.Fatalf("%v, %v", reports, err)
			}
			r := reports[0]
			text, err := r.Text()
			if err != nil || r.Cause != cause || r.Seen || time.Since(r.Time) > time.Minute {
				t.Errorf("%v: %+v", err, r)
			}
			for _, want := range []string{"mac-stats stopped unexpectedly\n", "version: v9\n", "system:  ", "ran for: ", "goroutine ", "crash_test.go:", "level=INFO msg=start [hidden] mode=app\n"} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in the report:\n%s", want, text)
				}
			}
			for _, bad := range []string{"Rosalind", "later", "abc", home} {
				if strings.Contains(text, bad) {
					t.Errorf("%q is in the report:\n%s", bad, text)
				}
			}
			if info, err := os.Stat(r.Path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			if parts := names(t, home, "*.part"); len(parts) > 0 {
				t.Errorf("left behind: %v", parts)
			}
		})
	}
}

func names(t *testing.T, home, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(home, "logs", pattern))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestAFatalSignalLeavesAReport(t *testing.T) {
	for sig, cause := range fatalSignals() {
		t.Run(cause, func(t *testing.T) {
			home := t.TempDir()
			logged(t, home)
			cmd := crasher(t, home, "hang")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if n, err := out.Read(make([]byte, 16)); n == 0 {
				t.Fatal(err)
			}
			// given a running process, then its part is left alone
			if reports, err := Reports(home); err != nil || len(reports) != 0 || len(names(t, home, "*.part")) != 1 {
				t.Errorf("while it runs: %v, %v", reports, err)
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil {
				t.Error("it ended well")
			}
			reports, err := Reports(home)
			if err != nil || len(reports) != 1 || !strings.HasPrefix(reports[0].Cause, cause) {
				t.Errorf("%+v, %v", reports, err)
			}
		})
	}
}

func TestANormalEndLeavesNoReport(t *testing.T) {
	home := t.TempDir()
	if out, err := crasher(t, home, "well").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left := names(t, home, "*"); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestAKilledProcessLeavesNoReport(t *testing.T) {
	home := t.TempDir()
	cmd := crasher(t, home, "hang")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if n, err := out.Read(make([]byte, 16)); n == 0 {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	reports, err := Reports(home)
	if left := names(t, home, "*"); err != nil || len(reports) != 0 || len(left) != 0 {
		t.Errorf("%v, %v, left: %v", reports, err, left)
	}
}

func TestDismissedReportsStayAndOldOnesAreRemoved(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "logs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range kept + 3 {
		name := fmt.Sprintf("crash-20260101-0000%02d-%d%s", i, i, newSuffix)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(causeLabel+"cause "+strconv.Itoa(i)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"crash-notes.txt", "crash-x.part", "crash-20260101-000000.txt.bak"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// given a part with this process's PID, from before the PID was reused
	part := filepath.Join(dir, partName(os.Getpid()))
	if err := os.WriteFile(part, []byte(headOf("v1", time.Now())), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Start(home, "v2")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Stop(); err != nil {
		t.Fatal(err)
	}
	reports, err := Reports(home)
	if err != nil {
		t.Fatal(err)
	}
	if err := reports[0].Dismiss(); err != nil {
		t.Fatal(err)
	}
	reports, err = Reports(home)
	if err != nil || !reports[0].Seen || reports[0].Cause != "cause 12" || reports[1].Seen || reports[1].Cause != "cause 11" {
		t.Errorf("%v, %+v", err, reports)
	}
	if err := reports[0].Dismiss(); err != nil {
		t.Errorf("again: %v", err)
	}
	if len(reports) > kept {
		t.Errorf("%d reports are kept", len(reports))
	}
	for _, name := range []string{"crash-notes.txt", "crash-x.part"} {
		if len(names(t, home, name)) == 0 {
			t.Errorf("%s, which is not ours, is gone", name)
		}
	}
}

func TestStartWithoutAWritableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(file, "v1"); err == nil {
		t.Error("no error")
	}
	if reports, err := Reports(file); err != nil || len(reports) != 0 {
		t.Errorf("%v, %v", reports, err)
	}
}

func TestCleanValue(t *testing.T) {
	for value, want := range map[string]string{
		"runtime error: integer divide by zero":                 "runtime error: integer divide by zero",
		"runtime error: invalid memory address [recovered]":     "runtime error: invalid memory address [recovered]",
		"interface conversion: interface {} is string, not int": "interface conversion: interface {} is string, not int",
		"send on closed channel":                                "send on closed channel",
		"hello there":                                           "(11 characters that are not kept)",
		"hello there [recovered, repanicked]":                   "(11 characters that are not kept) [recovered, repanicked]",
		"strings: negative Repeat count":                        "strings: (30 characters that are not kept)",
		`main.word("hello")`:                                    "main.word( (18 characters that are not kept)",
		"(main.thing) {…}":                                      "(main.thing) (16 characters that are not kept)",
		"runtime error: " + strings.Repeat("x", 300):            "(315 characters that are not kept)",
		"sync: negative WaitGroup counter":                      "sync: negative WaitGroup counter",
	} {
		if got := cleanValue("panic: ", value); got != want {
			t.Errorf("%q gives %q, want %q", value, got, want)
		}
	}
}

func TestOnlyTheRuntimesOutputIsKept(t *testing.T) {
	text := strings.Join([]string{
		"panic: " + secretText,
		"\t" + secretText,
		"\tpanic: second " + secretText + " [recovered]",
		"[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x49a3b4]",
		"",
		"goroutine 34 gp=0xc000002380 m=0 mp=0x1234 [chan receive, 5 minutes, locked to thread]:",
		"mac-stats/app/cpuwindow.(*Window).show.func1({0xc000, 0x1}, 0x2, ...)",
		"\t/home/ann/mac-stats/app/cpuwindow/window.go:12 +0x1d fp=0xc0001 sp=0xc0002 pc=0x12",
		"slices.SortFunc[go.shape.[]string](...)",
		"created by mac-stats/app/backend.(*Backend).watch in goroutine 1",
		"...12 frames elided...",
		secretText,
		"fonts.load",
		"rax    0x0",
		"rflags 0x246",
	}, "\n")
	got := cleanWords(text, "/home/ann")
	want := []string{
		"panic: (25 characters that are not kept)",
		"panic: (32 characters that are not kept) [recovered]",
		"[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x49a3b4]",
		"",
		"goroutine 34 gp=0xc000002380 m=0 mp=0x1234 [chan receive, 5 minutes, locked to thread]:",
		"mac-stats/app/cpuwindow.(*Window).show.func1({0xc000, 0x1}, 0x2, ...)",
		"\t~/mac-stats/app/cpuwindow/window.go:12 +0x1d fp=0xc0001 sp=0xc0002 pc=0x12",
		"slices.SortFunc[go.shape.[]string](...)",
		"created by mac-stats/app/backend.(*Backend).watch in goroutine 1",
		"...12 frames elided...",
		"fonts.load",
		"rax    0x0",
		"rflags 0x246",
	}
	if diff := cmp.Diff(want, got.stack); diff != "" || got.dropped != 2 || got.cause != want[0] {
		t.Errorf("%q, %d dropped\n%s", got.cause, got.dropped, diff)
	}
}

func TestSecretsAreHidden(t *testing.T) {
	for line, want := range map[string]string{
		"error=401 Authorization: Bearer abc.def": "error=401 [hidden] abc.def",
		"url=http://ann:hunter2@host:11434/api":   "url=http[hidden]host:11434/api",
		"discord_token=MTk4 level=INFO":           "[hidden] level=INFO",
		`key "api_key": "sk-123"`:                 `key "[hidden]"`,
		"id=" + strings.Repeat("a1", 30):          "id=[hidden]",
		"session=cpu-k3x9qa path=/a/b.md":         "session=cpu-k3x9qa path=/a/b.md",
	} {
		if got := hideSecrets(line); got != want {
			t.Errorf("%q gives %q, want %q", line, got, want)
		}
	}
}

func FuzzCleanWords(f *testing.F) {
	f.Add("panic: x\n\ngoroutine 1 [running]:\nmain.main()\n\t/a/b.go:1 +0x1\n")
	f.Add("fatal error: y\nSIGABRT: abort\nPC=0x1 m=0 sigcode=0\n")
	f.Fuzz(func(t *testing.T, text string) {
		w := cleanWords("panic: "+strings.ReplaceAll(text, "\n", "\n\t")+"\n\t"+secretText, "/home/ann")
		if strings.Contains(strings.Join(w.stack, "\n"), "Rosalind") {
			t.Errorf("kept: %q", w.stack)
		}
		if l := parsePart(text); l.words != "" && !strings.HasSuffix(text, l.words) {
			t.Errorf("%q", l.words)
		}
	})
}
