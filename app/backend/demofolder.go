package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"mac-stats/app/config"
	"mac-stats/app/demo"
	"mac-stats/sessionmem/wholefile"
)

const (
	demoFolder = "mac-stats-demo-" // prefix of the demo folders' names
	demoLock   = "demo.lock"       // held while a demo runs
	demoKept   = 24 * time.Hour    // a killed demo leaves its folder this long, for inspection
)

// openDemo creates a data folder that Close removes, and starts the scripted server.
func (b *Backend) openDemo(ctx context.Context) error {
	if err := b.makeDemoFolder(); err != nil {
		return fmt.Errorf("make the demo's folder: %w", err)
	}
	server, err := demo.Start(ctx)
	if err != nil {
		return fmt.Errorf("start the demo's server: %w", err)
	}
	b.closers = append(b.closers, server.Close)
	b.demoHost = server.Host()
	return nil
}

func (b *Backend) makeDemoFolder() error {
	dir, err := os.MkdirTemp("", demoFolder)
	if err != nil {
		return err
	}
	b.closers = append(b.closers, func() error { return os.RemoveAll(dir) })
	lock := wholefile.NewLock(filepath.Join(dir, demoLock))
	if _, err := lock.TryLock(); err != nil {
		return err
	}
	b.closers = append(b.closers, lock.Unlock)
	b.Paths = config.Paths{
		Home:    filepath.Join(dir, "data"),
		Cache:   filepath.Join(dir, "cache"),
		Runtime: filepath.Join(dir, "run"),
	}
	for _, d := range []string{b.Paths.Home, b.Paths.Cache, b.Paths.Runtime} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// sweepDemos removes the folders in temp that demos left before the given time without
// closing (killed, or their screen went away). It only removes a folder that has a demo's
// name and a lock file that nobody holds.
func sweepDemos(temp string, before time.Time, log *slog.Logger) {
	folders, err := filepath.Glob(filepath.Join(temp, demoFolder+"*"))
	if err != nil {
		log.Debug("folders of earlier demos were not looked for", "error", err)
	}
	for _, dir := range folders {
		if err := sweepDemo(dir, before); err != nil {
			log.Debug("a folder of an earlier demo stays", "folder", dir, "error", err)
		}
	}
}

func sweepDemo(dir string, before time.Time) error {
	path := filepath.Join(dir, demoLock)
	folder, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	file, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !folder.IsDir() || !file.Mode().IsRegular() {
		return errors.New("it is not a demo's")
	}
	if !file.ModTime().Before(before) {
		return nil
	}
	lock := wholefile.NewLock(path)
	held, err := lock.TryLock()
	if err != nil || !held {
		return err // its demo runs
	}
	// Unlock first: Windows can't remove an open file. Only another sweep takes this lock.
	if err := lock.Unlock(); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
