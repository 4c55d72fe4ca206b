package sharedfile_test

import (
	"errors"
	"math/rand/v2"
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
	random := make([]byte, 4000)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(random) // never fails
	for name, raw := range map[string]string{
		"a zip": "PK\x03\x04\x14\x00\x08\x00\x08\x00zip data\n\x01\x02\xff more\n", "an uncompressed zip": "PK\x03\x04\x0a" + strings.Repeat("- a line of text\n", 1000),
		"an empty zip": "PK\x05\x06" + strings.Repeat("\x00", 18), "a PDF": "%PDF-1.7\n1 0 obj\n", "encrypted by git-crypt": "\x00GITCRYPT\x00" + string(random),
		"encrypted otherwise": "Salted__" + string(random), "gzip": "\x1f\x8b\x08" + string(random[:200]), "a picture": "\x89PNG\r\n\x1a\n" + string(random[:200]),
	} {
		saved(t, r.path, raw)
		if got, err := r.Read(r.path); err == nil || !strings.Contains(err.Error(), "is not a text file") {
			t.Errorf("%s: %q, %v", name, got.Text, err)
		}
		if err := r.edit(func(text string) string { return text + "- new\n" }); err == nil || !strings.Contains(err.Error(), "is not a text file") || readFile(t, r.path) != raw {
			t.Errorf("%s: written, %v", name, err)
		}
	}
	for name, raw := range map[string]string{
		"Latin-1": strings.Repeat("- gr\xfcn, sch\xf6n\n", 20), "KOI8-R": strings.Repeat("\xc4\xc1 ", 100), "colours of a terminal": strings.Repeat("\x1b[1mbold\x1b[0m\n", 20), "pages": strings.Repeat("one\n\f", 50),
		"another encoding of Japanese": strings.Repeat("- \x93\xfa\x96{\n", 20), "two control characters": "- one two three four five\x01\x02 six seven eight nine ten\n",
		"zeros of a crash": strings.Repeat("- a line of text\n", 100) + strings.Repeat("\x00", 100), "a zip that is described": "PK\\x03\\x04 begins a zip\n", "BMW": "BM is short for the car\n", "empty": "",
	} {
		saved(t, r.path, raw)
		if _, err := r.Read(r.path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
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
