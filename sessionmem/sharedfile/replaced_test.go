package sharedfile_test

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
)

// What a program writes into a file that the app has replaced meanwhile is its user's text.
func TestWhatAReplacedFileReceivesIsTakenOver(t *testing.T) {
	const uno = "- uno" + origin + "\n"
	for _, tc := range []struct {
		name   string
		was    string   // what the app replaced; "": a line
		write  []string // by the editor, at the end of the old file, each looked at by the app
		cut    bool     // it empties the old file first
		after  func(r *rig)
		want   string
		beside string // what a visible file beside it has; "" for no such file
	}{
		{name: "nothing", want: uno},
		{name: "a line", write: []string{"- mine\n"}, want: uno + "- mine\n"},
		{name: "line after line", write: []string{"- mi", "ne\n- and\n", "- more\n"}, want: uno + "- mi\nne\n- and\n- more\n"},
		{name: "UTF-8 behind another charset", was: "- Zo\xeb\n", write: []string{"- 茶 is mine\n", "- and é\n"}, want: uno + "- 茶 is mine\n- and é\n"},
		{name: "another charset behind UTF-8", was: "- Zoë\n", write: []string{"- mine\n"}, want: uno + "- mine\n"},
		{name: "forgotten text", write: []string{"- zanzibar\n- mine\n"}, want: uno + "- mine\n", after: func(r *rig) { r.sieve.word = "zanzibar" }},
		{name: "and another program saved the new one", write: []string{"- mine\n"}, want: "- theirs\n- mine\n", after: func(r *rig) { saved(r.t, r.path, "- theirs\n") }},
		{name: "everything removed", cut: true, want: uno},
		{name: "written anew", write: []string{"- all mine\n"}, cut: true, want: "- all mine\n\n## Remembered\n\n" + uno},
		{name: "written anew, and another program saved", write: []string{"- all mine\n"}, cut: true, want: "- theirs\n", beside: "- all mine\n", after: func(r *rig) { saved(r.t, r.path, "- theirs\n") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			filetest.InTime(t, func(t *testing.T) {
				r := newRig(t)
				saved(t, r.path, cmp.Or(tc.was, "- one\n"))
				editor, err := os.OpenFile(r.path, os.O_WRONLY|os.O_APPEND, 0)
				must(t, err)
				defer editor.Close()
				must(t, r.edit(func(string) string { return uno }))
				links := r.Replaced()
				if len(links) != 1 || !r.Unsettled() {
					t.Fatalf("watched are %q", links)
				}
				old := filepath.Join(filepath.Dir(r.path), links[0])
				if tc.after != nil {
					tc.after(r)
				}
				for _, text := range append(tc.write, "") {
					if tc.cut {
						tc.cut = false
						must(t, editor.Truncate(0))
					}
					_, err = editor.WriteString(text)
					must(t, err)
					if text != "" {
						touch(t, old)
					}
					for range 2 {
						if pending, err := r.again().TakeOver(); err != nil || !pending {
							t.Errorf("while it is open: pending %v, %v", pending, err)
						}
						time.Sleep(11 * time.Second)
					}
				}
				must(t, editor.Close())
				time.Sleep(25 * time.Hour) // longer than a file is watched by any system
				if pending, err := r.again().TakeOver(); err != nil || pending {
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
			editor, err := os.OpenFile(r.path, os.O_WRONLY, 0)
			must(t, err)
			must(t, r.edit(func(string) string { return "- uno\n" }))
			_, err = editor.WriteString("- mine, all of it\n")
			must(t, errors.Join(err, editor.Close()))
			saved(t, r.path, "- theirs\n")
			time.Sleep(25 * time.Hour)
			if pending, err := r.TakeOver(); err != nil || pending {
				t.Errorf("pending %v, %v", pending, err)
			}
		}
		for _, name := range []string{".orig", ".2.orig"} {
			if got := readFile(t, r.path+name); got != "- mine, all of it\n" {
				t.Errorf("%s has %q", name, got)
			}
		}
	})
}

// Old files lose forgotten text at once, and what is typed there afterwards isn't lost.
func TestCleanReplaced(t *testing.T) {
	filetest.InTime(t, func(t *testing.T) {
		r := newRig(t)
		r.CleanReplaced() // there are none
		saved(t, r.path, "- one\n- zanzibar\n")
		editor, err := os.OpenFile(r.path, os.O_WRONLY|os.O_APPEND, 0)
		must(t, err)
		defer editor.Close()
		must(t, r.edit(func(string) string { return "- one\n" }))
		old := filepath.Join(filepath.Dir(r.path), r.Replaced()[0])
		r.CleanReplaced()
		if got := readFile(t, old); strings.Contains(got, "zanzibar") {
			t.Errorf("left: %q", got)
		}
		_, err = editor.WriteString("- typed\n")
		must(t, errors.Join(err, editor.Close()))
		time.Sleep(25 * time.Hour)
		if pending, err := r.TakeOver(); err != nil || pending || readFile(t, r.path) != "- one\n- typed\n" {
			t.Errorf("pending %v, %v: %q", pending, err, readFile(t, r.path))
		}
		if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("left: %v", err)
		}
	})
}
