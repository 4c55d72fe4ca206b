package sharedfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/sharedfile"
)

func TestReadSeesEveryEdit(t *testing.T) {
	for how, save := range filetest.EditorSaves {
		t.Run(how, func(t *testing.T) {
			r := newRig(t)
			if got, err := r.Read(r.path); err != nil || !got.Missing || got.Saving || got.Text != "" {
				t.Errorf("no file: %+v, %v", got, err)
			}
			saved(t, r.path, "\ufeff- one\r\n- \xff\r\n")
			for range 2 {
				if got, err := r.Read(r.path); err != nil || got.Text != "- one\n- \ufffd\n" || got.Missing || got.Saving || time.Since(got.ModTime) < 50*time.Second {
					t.Errorf("%+v, %v", got, err)
				}
			}
			save(t, r.path, "- two\n- three\n")
			rest(t, r.path)
			if got, err := r.Read(r.path); err != nil || got.Text != "- two\n- three\n" {
				t.Errorf("edited: %+v, %v", got, err)
			}
		})
	}
}

// While another program saves a file, readers continue with its state before.
func TestReadDuringASave(t *testing.T) {
	const before = "- one\n- two\n"
	for _, tc := range []struct {
		name   string
		known  bool // it was read before
		half   func(r *rig)
		during sharedfile.Reading
		after  string // what a reader gets that waits
	}{
		{"emptied", true, func(r *rig) { writeFile(r.t, r.path, "") }, sharedfile.Reading{Text: before, Saving: true}, ""},
		{"cut short", true, func(r *rig) { writeFile(r.t, r.path, "- one\n") }, sharedfile.Reading{Text: before, Saving: true}, "- one\n"},
		{"moved away", true, func(r *rig) { must(r.t, os.Rename(r.path, r.path+"~")) }, sharedfile.Reading{Text: before, Saving: true}, ""},
		{"emptied, never read", false, func(r *rig) { writeFile(r.t, r.path, "") }, sharedfile.Reading{Saving: true}, ""},
		{"another text", true, func(r *rig) { writeFile(r.t, r.path, "- three\n- four\n") }, sharedfile.Reading{Text: "- three\n- four\n"}, "- three\n- four\n"},
		{"missing, never read", false, func(r *rig) { must(r.t, os.Remove(r.path)) }, sharedfile.Reading{Missing: true}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			filetest.InTime(t, func(t *testing.T) {
				r := newRig(t)
				saved(t, r.path, before)
				if tc.known {
					if _, err := r.Read(r.path); err != nil {
						t.Fatal(err)
					}
				}
				tc.half(r)
				if _, err := os.Stat(r.path); err == nil {
					touch(t, r.path)
				}
				got, err := r.Read(r.path)
				got.ModTime = time.Time{}
				if err != nil || got != tc.during {
					t.Errorf("during the save: %+v, %v", got, err)
				}
				gone := tc.name == "moved away" // a missing file isn't an empty one
				if got, err := r.ReadStable(t.Context(), r.path); errors.Is(err, sharedfile.ErrAway) != gone || err != nil && !gone || got.Saving || got.Text != tc.after {
					t.Errorf("after a second: %+v, %v", got, err)
				}
			})
		})
	}
}

func TestReadRefuses(t *testing.T) {
	r := newRig(t)
	saved(t, r.path, "\x00\x01\x00\x02\x00")
	if _, err := r.Read(r.path); err == nil || !strings.Contains(err.Error(), "save it as UTF-8") {
		t.Errorf("not a text: %v", err)
	}
	if _, err := r.Read(filepath.Dir(r.path)); err == nil || !strings.Contains(err.Error(), "it is no file") {
		t.Errorf("a folder: %v", err)
	}
	saved(t, r.path, "one\x00stray byte in all this text\n") // is allowed
	if got, err := r.Read(r.path); err != nil || !strings.HasPrefix(got.Text, "one") {
		t.Errorf("%+v, %v", got, err)
	}
}

// Forgotten text that comes back isn't read, and is removed from the file.
func TestForgottenTextThatComesBackIsRemoved(t *testing.T) {
	for _, tc := range []struct {
		name    string
		ongoing bool
		mode    os.FileMode
		left    string // in the file
	}{
		{"after a forgetting", false, 0o600, "- one\n"},
		{"during a forgetting, which removes it itself", true, 0o600, "- one\n- zanzibar\n"},
		{"read-only", false, 0o400, "- one\n- zanzibar\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			r.sieve.word, r.sieve.ongoing = "zanzibar", tc.ongoing
			saved(t, r.path, "- one\n- zanzibar\n")
			must(t, os.Chmod(r.path, tc.mode))
			for range 2 {
				if got, err := r.Read(r.path); err != nil || got.Text != "- one\n" {
					t.Errorf("%+v, %v", got, err)
				}
			}
			if got := readFile(t, r.path); got != tc.left {
				t.Errorf("the file has %q", got)
			}
			if warned := strings.Contains(r.log.String(), "level=WARN"); warned != (tc.mode == 0o400) {
				t.Errorf("warned %v:\n%s", warned, r.log)
			}
		})
	}
}
