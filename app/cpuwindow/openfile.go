package cpuwindow

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mac-stats/app/i18n"
	"mac-stats/app/osopen"
	"mac-stats/app/ui/overlay"
)

// openFile opens a file or folder with the program the user has for it. A file
// that is not there yet is made first, so that an editor has something to save.
func (w *Window) openFile(path string) {
	go func() {
		err := osopen.Prepare(path)
		if err == nil {
			err = osopen.Open(w.ctx, path)
		}
		if err != nil {
			w.p.Do(func() { w.cannotOpen(path, err) })
		}
	}()
}

// openTranscriptIn opens the file of a session. It may have been moved since: to the
// archive, or back. It is never made.
func (w *Window) openTranscriptIn(session, path string) {
	go func() {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if t, err := w.parts.sessions.Load(w.ctx, session); err == nil && t.Info.Path != "" {
				path = t.Info.Path
			}
		}
		_, err := os.Stat(path)
		if err == nil {
			err = osopen.Open(w.ctx, path)
		}
		if err != nil {
			w.p.Do(func() { w.cannotOpen(path, err) })
		}
	}()
}

// cannotOpen says why a file was not opened.
func (w *Window) cannotOpen(path string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		w.tell(i18n.With("{{.Path}} no longer exists", i18n.Places{"Path": filepath.Base(path)}), i18n.T("It was moved or deleted outside mac-stats."))
		return
	}
	w.tell(i18n.With("{{.Path}} can't be opened from here", i18n.Places{"Path": filepath.Base(path)}), i18n.With("It is at {{.Path}} ({{.Error}}).", i18n.Places{"Path": path, "Error": err.Error()}))
}

// reveal shows a file in the system's file manager.
func (w *Window) reveal(path string) {
	go func() {
		if err := osopen.Reveal(w.ctx, path); err != nil {
			w.p.Do(func() {
				w.tell(i18n.T("The folder can't be opened from here"), i18n.With("The file is at {{.Path}} ({{.Error}}).", i18n.Places{"Path": path, "Error": err.Error()}))
			})
		}
	}()
}

// openLink opens an address of an answer. Answers are not trusted.
func (w *Window) openLink(raw string) {
	if w.chat.Zoom(raw) {
		return
	}
	open, ask := osopen.CheckLink(raw)
	switch {
	case open:
		w.launch(raw)
	case ask:
		overlay.Confirm(w.win.Canvas(), i18n.T("Open this address?"), i18n.With("It is not a web page and may start another program: {{.Raw}}", i18n.Places{"Raw": i18n.Shorten(raw, 200)}), i18n.T("Open"), func() { w.launch(raw) })
	default:
		w.tell(i18n.T("This link can't be opened"), i18n.Shorten(raw, 200))
	}
}

func (w *Window) launch(raw string) {
	go func() {
		if err := osopen.Open(w.ctx, raw); err != nil {
			w.p.Do(func() {
				w.tell(i18n.T("No browser could be started"), raw+" ("+err.Error()+")")
			})
		}
	}()
}
