package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"mac-stats/app/config"
	"mac-stats/app/instance"
)

func TestASecondStartReportsAHeadlessOne(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"HOME", "MAC_STATS_HOME", "MAC_STATS_CACHE", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, dir)
	}
	if there, err := raiseRunning(t.Context()); there || err != nil {
		t.Fatalf("alone: %v, %v", there, err)
	}
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	l, err := instance.ListenWindowless(paths.Runtime, paths.Home, func(instance.Request) {})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	there, err := raiseRunning(t.Context())
	if there || !errors.Is(err, instance.ErrNoWindow) || !strings.Contains(err.Error(), "(--headless) on "+dir+": stop it first") {
		t.Errorf("beside: %v, %v", there, err)
	}
}
