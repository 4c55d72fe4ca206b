package cpuwindow

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/adrg/xdg"
	"github.com/godbus/dbus/v5"

	"mac-stats/app/i18n"
)

// reveal shows a file in the system's file manager, selected where that is possible.
func (w *Window) reveal(path string) {
	go func() {
		if err := revealFile(w.ctx, path); err != nil {
			w.p.Do(func() {
				w.tell(i18n.T("The folder can't be opened from here"), i18n.With("The file is at {{.Path}} ({{.Error}}).", i18n.Places{"Path": path, "Error": err.Error()}))
			})
		}
	}()
}

func revealFile(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	switch runtime.GOOS {
	case "darwin":
		return startProgram(ctx, "open", "-R", path)
	case "windows":
		return startProgram(ctx, "explorer", "/select,"+path)
	}
	if revealByBus(ctx, path) == nil {
		return nil
	}
	return openWithSystem(ctx, filepath.Dir(path)) // no file manager on the bus: its folder
}

// revealByBus asks the desktop's file manager to select a file
// (freedesktop.org, File Manager D-Bus Interface).
func revealByBus(ctx context.Context, path string) error {
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("session bus: %w", err)
	}
	defer func() { _ = conn.Close() }() // what it was for is done
	uri := url.URL{Scheme: "file", Path: path}
	return conn.Object("org.freedesktop.FileManager1", "/org/freedesktop/FileManager1").
		CallWithContext(ctx, "org.freedesktop.FileManager1.ShowItems", 0, []string{uri.String()}, "").Err
}

func startProgram(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	go func() { _ = cmd.Wait() }() // only to leave no zombie; what it opened lives on
	return nil
}

// exportFolder is where exports go: the user's downloads, else the home folder.
func exportFolder() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for the export: %w", err)
	}
	for _, dir := range []string{xdg.UserDirs.Download, filepath.Join(home, "Downloads")} {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
			return dir, nil
		}
	}
	return home, nil
}

// exportFile writes data to a new file in dir named after title, and never over one
// that is there.
func exportFile(dir, title, ext string, data []byte) (string, error) {
	base := fileTitle(title)
	for n := 1; n < 1000; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s (%d)", base, n)
		}
		path := filepath.Join(dir, name+ext)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("export: %w", err)
		}
		_, err = f.Write(data)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("export: %w", errors.Join(err, os.Remove(path)))
		}
		return path, nil
	}
	return "", fmt.Errorf("export: there are too many files named %s in %s", base, dir)
}

// fileTitle makes a title one that every file system takes.
func fileTitle(title string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) {
			return ' '
		}
		return r
	}, title)
	clean = strings.Trim(strings.Join(strings.Fields(clean), " "), ". ")
	if r := []rune(clean); len(r) > 60 {
		clean = strings.TrimSpace(string(r[:60]))
	}
	return orElse(clean, "conversation")
}
