package cpuwindow

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"mac-stats/app/i18n"
)

// openFile opens a file or folder with the program the user has for it. A file
// that is not there yet is made first, so that an editor has something to save.
func (w *Window) openFile(path string) {
	go func() {
		err := prepareFile(path)
		if err == nil {
			err = openWithSystem(w.ctx, path)
		}
		if err != nil {
			w.p.Do(func() {
				w.tell(i18n.With("{{.Path}} can't be opened from here", i18n.Places{"Path": filepath.Base(path)}), i18n.With("It is at {{.Path}} ({{.Error}}).", i18n.Places{"Path": path, "Error": err.Error()}))
			})
		}
	}()
}

// prepareFile makes an empty file where none is; folders and files are left alone.
func prepareFile(path string) error {
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

// openWithSystem hands a path or address to the desktop, never through a shell.
func openWithSystem(ctx context.Context, target string) error {
	name, args := "xdg-open", []string{target}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", target}
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	go func() { _ = cmd.Wait() }() // only to leave no zombie; what it opened lives on
	return nil
}

// linkKind says what to do with an address in an answer: open, ask first, or
// refuse. Answers are not trusted: only the web and mail open without asking.
func linkKind(raw string) (open, ask bool) {
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

// openLink opens an address of an answer.
func (w *Window) openLink(raw string) {
	open, ask := linkKind(raw)
	switch {
	case open:
		w.launch(raw)
	case ask:
		w.confirm(i18n.T("Open this address?"), i18n.With("It is not a web page and may start another program: {{.Raw}}", i18n.Places{"Raw": shorten(raw, 200)}), i18n.T("Open"), func() { w.launch(raw) })
	default:
		w.tell(i18n.T("This link can't be opened"), shorten(raw, 200))
	}
}

func (w *Window) launch(raw string) {
	go func() {
		if err := openWithSystem(w.ctx, raw); err != nil {
			w.p.Do(func() {
				w.tell(i18n.T("No browser could be started"), raw+" ("+err.Error()+")")
			})
		}
	}()
}
