package main

import (
	"path/filepath"
	"testing"

	"mac-stats/app/backend"
	"mac-stats/app/instance"
)

// A command leaves summaries to the app only if one runs for the same folder.
func TestAppRuns(t *testing.T) {
	dir := t.TempDir()
	b, err := backend.Open(t.Context(), backend.Options{Environ: []string{
		"HOME=" + dir, "MAC_STATS_HOME=" + filepath.Join(dir, "data"), "MAC_STATS_CACHE=" + filepath.Join(dir, "cache"), "XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	if appRuns(t.Context(), b) {
		t.Error("an app runs before it was started")
	}
	for home, want := range map[string]bool{filepath.Join(dir, "other"): false, b.Paths.Home: true} {
		l, err := instance.ListenWindowless(b.Paths.Runtime, home, func(instance.Request) {})
		if err != nil {
			t.Fatal(err)
		}
		if got := appRuns(t.Context(), b); got != want {
			t.Errorf("with an app for %s: %v, want %v", home, got, want)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if appRuns(t.Context(), b) {
		t.Error("an app runs after it has ended")
	}
}
