package backend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestACrashIsANoticeUntilDismissed(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "data")
	if err := os.MkdirAll(filepath.Join(home, "logs"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"crash-20261120-101500-7.new.txt", "crash-20261121-101500-8.new.txt"} {
		if err := os.WriteFile(filepath.Join(home, "logs", name), []byte("report "+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := func(watch bool) *Backend {
		b, err := Open(t.Context(), Options{Watch: watch, Version: "v1", Environ: []string{
			"HOME=" + dir, "MAC_STATS_HOME=" + home, "MAC_STATS_CACHE=" + filepath.Join(dir, "cache"), "OLLAMA_HOST=127.0.0.1:1",
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		return b
	}
	crashNotices := func(b *Backend) []Notice {
		return slices.DeleteFunc(b.Notices(), func(n Notice) bool { return n.Kind != NoticeCrash })
	}
	if n := crashNotices(open(false)); len(n) != 0 {
		t.Errorf("a command tells %v", n)
	}
	for range 2 { // given two starts of the app, then each posts the notice
		b := open(true)
		n := crashNotices(b)
		if len(n) != 1 || n[0].Text != "mac-stats stopped unexpectedly 2 times, the last time on 21 November at 10:15" ||
			!strings.Contains(n[0].Next, "`logs/crash-20261121-101500-8.new.txt`") {
			t.Fatalf("told: %+v", n)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	b := open(true)
	text, err := b.Crashes.CrashReport()
	if err != nil || text != "report crash-20261121-101500-8.new.txt\n\nreport crash-20261120-101500-7.new.txt\n" {
		t.Errorf("%q, %v", text, err)
	}
	if err := b.Crashes.DismissCrashes(); err != nil || len(crashNotices(b)) != 0 {
		t.Errorf("after it was dismissed: %v, %v", err, crashNotices(b))
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if n := crashNotices(open(true)); len(n) != 0 {
		t.Errorf("at the next start: %v", n)
	}
	left, err := filepath.Glob(filepath.Join(home, "logs", "crash-*"))
	if err != nil || len(left) != 3 { // two reports, and the file for a crash of this process
		t.Errorf("left: %v, %v", left, err)
	}
}
