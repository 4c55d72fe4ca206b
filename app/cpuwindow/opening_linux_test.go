package cpuwindow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/transcript"
)

// rig is a window on a desk where xdg-open records what it is asked to open.
type rig struct {
	*screentest.Screen
	opener   *opener
	record   string
	told     []string
	archived string // where the session's file is now
}

func (r *rig) Notify(words, more string) { r.told = append(r.told, words+"|"+more) }

func onDesk(t *testing.T) *rig {
	t.Helper()
	bin := t.TempDir()
	r := &rig{Screen: screentest.New(t), record: filepath.Join(bin, "record")}
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" >> "+r.record+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(bin, "none"))
	r.opener = newOpener(r, func(context.Context, string) (*transcript.Transcript, error) {
		if r.archived == "" {
			return nil, errors.New("no such session")
		}
		return &transcript.Transcript{Info: transcript.Info{Path: r.archived}}, nil
	})
	r.Win = test.NewTempWindow(t, kit.Text("the chat"))
	r.Win.Resize(fyne.NewSize(600, 400))
	return r
}

// opened waits until something was opened or reported, and returns what was opened.
func (r *rig) opened() string {
	r.T.Helper()
	what := ""
	filetest.Until(r.T, "something opened", func() bool {
		select {
		case f := <-r.Queue:
			f()
		default:
		}
		data, err := os.ReadFile(r.record)
		if err == nil && strings.HasSuffix(string(data), "\n") {
			what = strings.TrimSpace(string(data))
			filetest.Must(r.T, os.Remove(r.record))
		}
		return what != "" || len(r.told) > 0
	})
	return what
}

// reported fails the test unless this was reported since the last call.
func (r *rig) reported(want string) {
	r.T.Helper()
	if got := strings.Join(r.told, "; "); !strings.HasPrefix(got, want) || want == "" && got != "" {
		r.T.Errorf("reported: %q, want %q", got, want)
	}
	r.told = nil
}

func TestFilesAndFoldersAreOpened(t *testing.T) {
	r := onDesk(t)
	file, folder := filepath.Join(t.TempDir(), "notes.md"), filepath.Join(t.TempDir(), "new")
	for _, path := range []string{file, folder} {
		r.opener.File(path)
		if got := r.opened(); got != path {
			t.Errorf("opened %q, want %q", got, path)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("there is nothing to save: %v", err)
		}
	}
	r.opener.Reveal(file)
	if got := r.opened(); got != filepath.Dir(file) {
		t.Errorf("opened %q", got)
	}
	r.reported("")
	r.opener.Reveal(file + ".gone")
	r.opened()
	r.reported("The folder can't be opened from here|The file is at " + file + ".gone (")
	t.Setenv("PATH", t.TempDir()) // without a program that opens files
	r.opener.File(file)
	r.opened()
	r.reported("notes.md can't be opened from here|It is at " + file + " (")
}

// A transcript that was moved is opened where it is now; no new file is created.
func TestATranscriptIsOpenedWhereItIs(t *testing.T) {
	r := onDesk(t)
	dir := t.TempDir()
	here, moved := filepath.Join(dir, "s.md"), filepath.Join(dir, "archive.md")
	if err := os.WriteFile(moved, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.opener.Transcript("cpu-a", moved)
	if got := r.opened(); got != moved {
		t.Errorf("opened %q", got)
	}
	r.archived = moved
	r.opener.Transcript("cpu-a", here)
	if got := r.opened(); got != moved {
		t.Errorf("opened %q, want %q", got, moved)
	}
	r.archived = ""
	r.opener.Transcript("cpu-a", here)
	r.opened()
	r.reported("s.md no longer exists|It was moved or deleted outside mac-stats.")
	if _, err := os.Stat(here); err == nil {
		t.Error("it made a transcript")
	}
}

// Answers are not trusted: only web pages open at once.
func TestLinksOfAnswers(t *testing.T) {
	r := onDesk(t)
	r.opener.Link("https://example.org/a")
	if got := r.opened(); got != "https://example.org/a" {
		t.Errorf("opened %q", got)
	}
	for _, raw := range []string{"javascript:alert(1)", "data:text/html,x", "/etc/passwd", "::"} {
		r.opener.Link(raw)
		r.reported("This link can't be opened|" + raw)
	}
	r.opener.Link("ssh://host")
	r.Sees("Open this address?", "ssh://host")
	r.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn}) // Cancel
	if overlay.OpenModal(r.Canvas()) != nil {
		t.Fatal("the question is still there")
	}
	if _, err := os.Stat(r.record); err == nil {
		t.Error("it opened without a yes")
	}
	r.opener.Link("ssh://host")
	r.Confirm("Open")
	if got := r.opened(); got != "ssh://host" {
		t.Errorf("opened %q", got)
	}
	t.Setenv("PATH", t.TempDir())
	r.opener.Link("https://example.org/b")
	r.opened()
	r.reported("No browser could be started|https://example.org/b (")
}
