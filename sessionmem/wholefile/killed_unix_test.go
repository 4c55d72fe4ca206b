//go:build unix

package wholefile_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// writerVariable turns this test program into a writer that never finishes.
const writerVariable = "MAC_STATS_TEST_WRITE_TO"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerVariable); path != "" {
		writeForEver(path)
	}
	os.Exit(m.Run())
}

// writeForEver stops when everything is written and nothing is renamed.
func writeForEver(path string) {
	_, err := wholefile.WriteIf(path, []byte("new"), 0o600, func() bool {
		if _, err := os.Stdout.WriteString("written\n"); err != nil {
			os.Exit(3)
		}
		select {}
	})
	panic(err)
}

// A killed writer leaves the old file and a temporary one. The temporary one is removed
// some time after its writer died, and not before.
func TestWriterIsKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "memory.md")
	write(t, path, "old")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	writer := exec.Command(program)
	writer.Env = append(os.Environ(), writerVariable+"="+path)
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "written\n" {
		t.Fatalf("%q, %v", line, err)
	}
	var left string
	for _, name := range names(t, dir) {
		if name != "memory.md" {
			left = filepath.Join(dir, name)
		}
	}
	age := func(by time.Duration) {
		t.Helper()
		then := time.Now().Add(-by)
		if err := os.Chtimes(left, then, then); err != nil {
			t.Fatal(err)
		}
	}
	sweep := func(when string, want int) {
		t.Helper()
		removed, err := wholefile.Sweep(t.Context(), dir)
		if err != nil || len(removed) != want {
			t.Errorf("%s: removed %q, %v", when, removed, err)
		}
	}
	age(time.Hour)
	sweep("while it writes, or its computer slept", 0)
	if err := writer.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := writer.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatal(err)
	}
	age(time.Minute)
	sweep("a minute after", 0)
	age(time.Hour)
	sweep("an hour after", 1)
	if data, err := os.ReadFile(path); err != nil || string(data) != "old" || len(names(t, dir)) != 1 {
		t.Errorf("%q, %v, beside it %q", data, err, names(t, dir))
	}
}
