package backend

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

func TestFoldersOfKilledDemosAreRemovedAfterADay(t *testing.T) {
	now := time.Now()
	tests := []struct {
		name, folder, lock string
		age                time.Duration
		held, stays        bool
	}{
		{name: "two days old", folder: demoFolder + "1", lock: demoLock, age: 48 * time.Hour},
		{name: "an hour old", folder: demoFolder + "1", lock: demoLock, age: time.Hour, stays: true},
		{name: "of a demo that runs for two days", folder: demoFolder + "1", lock: demoLock, age: 48 * time.Hour, held: true, stays: true},
		{name: "without the lock file of a demo", folder: demoFolder + "1", lock: "notes.md", age: 48 * time.Hour, stays: true},
		{name: "of another name", folder: "mac-stats-1", lock: demoLock, age: 48 * time.Hour, stays: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			temp := t.TempDir()
			dir := filepath.Join(temp, tt.folder)
			path := filepath.Join(dir, tt.lock)
			if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
				t.Fatal(err)
			}
			lock := flock.New(path)
			if _, err := lock.TryLock(); err != nil {
				t.Fatal(err)
			}
			if !tt.held {
				if err := lock.Unlock(); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chtimes(path, now.Add(-tt.age), now.Add(-tt.age)); err != nil {
				t.Fatal(err)
			}
			sweepDemos(temp, now.Add(-demoKept), slog.New(slog.DiscardHandler))
			if _, err := os.Stat(dir); (err == nil) != tt.stays {
				t.Errorf("the folder: %v", err)
			}
			if err := lock.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestASweepFollowsNoLink(t *testing.T) {
	temp, elsewhere := t.TempDir(), t.TempDir()
	lock := filepath.Join(elsewhere, demoLock)
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(temp, demoFolder+"1")); err != nil {
		t.Fatal(err)
	}
	sweepDemos(temp, time.Now().Add(time.Hour), slog.New(slog.DiscardHandler))
	if _, err := os.Stat(lock); err != nil {
		t.Error(err)
	}
}
