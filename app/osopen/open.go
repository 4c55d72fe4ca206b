// Package osopen opens files and addresses with the user's programs, and writes exports
// where the user finds them.
//
// Open, Reveal and Prepare work on files and folders; CheckLink decides what may be done
// with an address from an untrusted text; Export writes a new file and never replaces one.
// Nothing goes through a shell. The started programs outlive mac-stats; an error means that
// one couldn't be started, not what it did afterwards.
//
// The package asks and shows nothing; its callers, the window and its pages, do.
package osopen

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"mac-stats/app/sessionbus"
)

// Open opens a path or an address with the desktop's program for it.
func Open(ctx context.Context, target string) error {
	switch runtime.GOOS {
	case "darwin":
		return start(ctx, "open", target)
	case "windows":
		return start(ctx, "rundll32", "url.dll,FileProtocolHandler", target)
	}
	return start(ctx, "xdg-open", target)
}

// Prepare creates an empty file, or a folder if the path has no extension, unless something
// is there. Then an editor can open and save it.
func Prepare(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if filepath.Ext(path) == "" {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("make file: %w", err)
	}
	return f.Close()
}

// Reveal shows a file in the system's file manager, selected if possible.
func Reveal(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	switch runtime.GOOS {
	case "darwin":
		return start(ctx, "open", "-R", path)
	case "windows":
		return selectInExplorer(ctx, path)
	}
	if revealByBus(ctx, path) == nil {
		return nil
	}
	return Open(ctx, filepath.Dir(path)) // no file manager on the bus: open the folder
}

// revealByBus asks the desktop's file manager to select a file
// (freedesktop.org, File Manager D-Bus Interface).
func revealByBus(ctx context.Context, path string) error {
	conn, err := sessionbus.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // the call is done
	uri := url.URL{Scheme: "file", Path: path}
	return conn.Object("org.freedesktop.FileManager1", "/org/freedesktop/FileManager1").
		CallWithContext(ctx, "org.freedesktop.FileManager1.ShowItems", 0, []string{uri.String()}, "").Err
}

// start runs a program that outlives the context.
func start(ctx context.Context, name string, args ...string) error {
	return startCommand(exec.CommandContext(context.WithoutCancel(ctx), name, args...))
}

// startCommand starts a program without waiting for it.
func startCommand(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	go func() { _ = cmd.Wait() }() // only to avoid a zombie
	return nil
}

// CheckLink decides whether to open an address, ask first, or refuse it. Only web and mail
// addresses open without asking.
func CheckLink(raw string) (open, ask bool) {
	u, err := url.Parse(raw)
	if err != nil {
		return false, false
	}
	switch u.Scheme {
	case "http", "https":
		return u.Host != "", false
	case "mailto":
		return true, false
	case "", "javascript", "data", "vbscript":
		return false, false
	}
	return false, true
}
