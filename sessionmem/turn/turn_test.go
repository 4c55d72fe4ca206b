package turn_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/turn"
)

// turnIn returns the turn of a session as another process sees it, and its folder.
func turnIn(t *testing.T, folder string) (*turn.Turn, *sessiondir.Dir) {
	t.Helper()
	dir := sessiondir.New(folder, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = dir.Close() })
	return turn.New(dir, "cli-a", slog.New(slog.DiscardHandler)), dir
}

func TestOneHolderAtATime(t *testing.T) {
	folder := t.TempDir()
	here, dir := turnIn(t, folder)
	there, _ := turnIn(t, folder)
	lock, err := here.Take(t.Context(), "window", turn.Options{})
	filetest.Must(t, err)
	if !turn.AnyRuns(dir) || !here.IsTaken() || here.Holder().Who != "window" {
		t.Error("the turn is held and looks free")
	}
	for name, other := range map[string]*turn.Turn{"the same process": here, "another process": there} {
		ctx, cancel := context.WithCancel(t.Context())
		var holder turn.Holder
		_, err := other.Take(ctx, "command line", turn.Options{Waiting: func(h turn.Holder) { holder = h; cancel() }})
		if !errors.Is(err, context.Canceled) || holder.Who != "window" || holder.PID != os.Getpid() {
			t.Errorf("%s: got %v while %+v holds the turn", name, err, holder)
		}
	}
	lock.Release()
	if turn.AnyRuns(dir) || here.IsTaken() || here.Holder().Who != "" {
		t.Error("the turn was released and looks held")
	}
	lock, err = there.Take(t.Context(), "command line", turn.Options{Waiting: func(h turn.Holder) { t.Errorf("waited for %+v", h) }})
	filetest.Must(t, err)
	lock.Release()
}

func TestTurnWithoutALockFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	filetest.Write(t, file, "in place of the folder")
	broken, _ := turnIn(t, filepath.Join(file, "session"))
	if _, err := broken.Take(t.Context(), "window", turn.Options{}); err == nil {
		t.Error("a turn whose lock file can't be made was taken")
	}
	for name, options := range map[string]turn.Options{
		"allowed":   {Without: func(error) bool { return true }},
		"in memory": {InMemory: true},
	} {
		lock, err := broken.Take(t.Context(), "window", options)
		if err != nil || lock.HasFile() {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		lock.Release()
	}
}
