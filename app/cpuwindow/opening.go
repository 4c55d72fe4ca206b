package cpuwindow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"fyne.io/fyne/v2"

	"mac-stats/app/i18n"
	"mac-stats/app/osopen"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/sessionmem/transcript"
)

// openingHost is what opening needs from the window.
type openingHost interface {
	Do(f func())              // runs f on the UI goroutine, later
	Context() context.Context // ends with the window
	Canvas() fyne.Canvas
	Notify(words, more string)
}

// opener opens files, folders and addresses with the system's programs for them, and shows what
// couldn't be opened.
//
// A missing file is created first, unless it is a transcript. Addresses in answers are not
// trusted: a web page is opened, some other addresses are opened after a confirmation, the rest
// is refused. Methods are called on the UI goroutine and return at once.
type opener struct {
	host openingHost
	load func(ctx context.Context, session string) (*transcript.Transcript, error)
}

// newOpener returns an opener. load reads a session, to find its file.
func newOpener(h openingHost, load func(ctx context.Context, session string) (*transcript.Transcript, error)) *opener {
	return &opener{host: h, load: load}
}

// File opens a file or folder with the system's program for it. A missing file is created first,
// so that the editor has a file to save.
func (o *opener) File(path string) {
	go func() {
		err := osopen.Prepare(path)
		if err == nil {
			err = osopen.Open(o.host.Context(), path)
		}
		if err != nil {
			o.host.Do(func() { o.notifyFailure(path, err) })
		}
	}()
}

// Transcript opens the file of a session, even if it was moved to the archive or back. It never
// creates the file.
func (o *opener) Transcript(session, path string) {
	go func() {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if t, err := o.load(o.host.Context(), session); err == nil && t.Info.Path != "" {
				path = t.Info.Path
			}
		}
		_, err := os.Stat(path)
		if err == nil {
			err = osopen.Open(o.host.Context(), path)
		}
		if err != nil {
			o.host.Do(func() { o.notifyFailure(path, err) })
		}
	}()
}

// notifyFailure shows why a file wasn't opened.
func (o *opener) notifyFailure(path string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		o.host.Notify(i18n.With("{{.Path}} no longer exists", i18n.Places{"Path": filepath.Base(path)}), i18n.T("It was moved or deleted outside mac-stats."))
		return
	}
	o.host.Notify(i18n.With("{{.Path}} can't be opened from here", i18n.Places{"Path": filepath.Base(path)}), i18n.With("It is at {{.Path}} ({{.Error}}).", i18n.Places{"Path": path, "Error": err.Error()}))
}

// Reveal shows a file in the system's file manager.
func (o *opener) Reveal(path string) {
	go func() {
		if err := osopen.Reveal(o.host.Context(), path); err != nil {
			o.host.Do(func() {
				o.host.Notify(i18n.T("The folder can't be opened from here"), i18n.With("The file is at {{.Path}} ({{.Error}}).", i18n.Places{"Path": path, "Error": err.Error()}))
			})
		}
	}()
}

// Link opens an address in an answer. Answers are not trusted.
func (o *opener) Link(raw string) {
	open, ask := osopen.CheckLink(raw)
	switch {
	case open:
		o.launch(raw)
	case ask:
		overlay.Confirm(o.host.Canvas(), i18n.T("Open this address?"), i18n.With("It is not a web page and may start another program: {{.Raw}}", i18n.Places{"Raw": i18n.Shorten(raw, 200)}), kit.ButtonPrimary, i18n.T("Open"), func() { o.launch(raw) })
	default:
		o.host.Notify(i18n.T("This link can't be opened"), i18n.Shorten(raw, 200))
	}
}

func (o *opener) launch(raw string) {
	go func() {
		if err := osopen.Open(o.host.Context(), raw); err != nil {
			o.host.Do(func() {
				o.host.Notify(i18n.T("No browser could be started"), raw+" ("+err.Error()+")")
			})
		}
	}()
}
