package sharedfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
)

// What a program writes into a file that the app has replaced meanwhile is its user's text.
func TestWhatAReplacedFileReceivesIsTakenOver(t *testing.T) {
	for _, tc := range []struct {
		name    string
		write   string // by the editor, at the end of the old file; "" for nothing
		cut     bool   // it empties the old file first
		after   func(r *rig)
		pending bool // while the editor has it open
		want    string
		beside  string // what a visible file beside it has; "" for no such file
	}{
		{name: "nothing", pending: true, want: "- one\n- new" + origin + "\n"},
		{name: "a line", write: "- mine\n", pending: true, want: "- one\n- mine\n\n## Remembered\n\n- new" + origin + "\n"},
		{name: "the app's line too", write: "- new" + origin + "\n- mine\n", pending: true, want: "- one\n- new" + origin + "\n- mine\n"},
		{name: "everything removed", cut: true, pending: true, want: "- one\n- new" + origin + "\n"},
		{name: "forgotten text", write: "- zanzibar\n- mine\n", pending: true, want: "- one\n- mine\n\n## Remembered\n\n- new" + origin + "\n", after: func(r *rig) { r.sieve.word = "zanzibar" }},
		{name: "and another program saved it", write: "- mine\n", pending: true, want: "- theirs\n", beside: "- one\n- mine\n", after: func(r *rig) { saved(r.t, r.path, "- theirs\n") }},
		{name: "and saved under the right name", write: "- mine\n", pending: true, want: "- one\n- mine\n", after: func(r *rig) { saved(r.t, r.path, "- one\n- mine\n") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			filetest.InTime(t, func(t *testing.T) {
				r := newRig(t)
				saved(t, r.path, "- one\n")
				flag := os.O_WRONLY | os.O_APPEND
				editor, err := os.OpenFile(r.path, flag, 0)
				must(t, err)
				defer editor.Close()
				unlock, err := r.Lock(t.Context())
				must(t, err)
				unlock()
				r.add("- new" + origin)
				links := r.Replaced()
				if len(links) != 1 || !r.Unsettled() {
					t.Fatalf("watched are %q", links)
				}
				old := filepath.Join(filepath.Dir(r.path), links[0])
				if tc.cut {
					must(t, editor.Truncate(0))
				}
				_, err = editor.WriteString(tc.write)
				must(t, err)
				if tc.write != "" || tc.cut {
					touch(t, old)
				}
				if pending, err := r.TakeOver(t.Context()); err != nil || pending != tc.pending {
					t.Errorf("while it is open: pending %v, %v", pending, err)
				}
				must(t, editor.Close())
				if tc.after != nil {
					tc.after(r)
				}
				time.Sleep(31 * time.Second) // longer than a file is watched by any system
				if pending, err := r.again().TakeOver(t.Context()); err != nil || pending {
					t.Errorf("pending %v, %v", pending, err)
				}
				if got := readFile(t, r.path); got != tc.want {
					t.Errorf("%q, want %q", got, tc.want)
				}
				if beside, _ := os.ReadFile(r.path + ".orig"); string(beside) != tc.beside {
					t.Errorf("beside it is %q, want %q", beside, tc.beside)
				}
				if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) || len(r.Replaced()) > 0 || r.Unsettled() {
					t.Errorf("still watched: %q, %v", r.Replaced(), err)
				}
			})
		})
	}
}

// Two files of the user's are never mixed, however often it happens.
func TestFilesThatAreKeptBesideHaveNamesOfTheirOwn(t *testing.T) {
	filetest.InTime(t, func(t *testing.T) {
		r := newRig(t)
		for range 2 {
			saved(t, r.path, "- one\n")
			editor, err := os.OpenFile(r.path, os.O_WRONLY|os.O_APPEND, 0)
			must(t, err)
			r.add("- new" + origin)
			_, err = editor.WriteString("- mine\n")
			must(t, errors.Join(err, editor.Close()))
			saved(t, r.path, "- theirs\n")
			time.Sleep(31 * time.Second)
			if pending, err := r.TakeOver(t.Context()); err != nil || pending {
				t.Errorf("pending %v, %v", pending, err)
			}
		}
		for _, name := range []string{".orig", ".2.orig"} {
			if got := readFile(t, r.path+name); got != "- one\n- mine\n" {
				t.Errorf("%s has %q", name, got)
			}
		}
	})
}

// Old files go at once if they may hold forgotten text.
func TestDropReplaced(t *testing.T) {
	filetest.InTime(t, func(t *testing.T) {
		r := newRig(t)
		r.DropReplaced() // there are none
		saved(t, r.path, "- one\n")
		editor, err := os.OpenFile(r.path, os.O_WRONLY|os.O_APPEND, 0)
		must(t, err)
		defer editor.Close()
		r.add("- new" + origin)
		old := filepath.Join(filepath.Dir(r.path), r.Replaced()[0])
		r.DropReplaced()
		if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) || len(r.Replaced()) > 0 {
			t.Errorf("left: %q, %v", r.Replaced(), err)
		}
	})
}
