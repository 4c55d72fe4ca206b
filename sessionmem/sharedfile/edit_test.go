package sharedfile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/sharedfile"
	"mac-stats/sessionmem/transcript"
)

func TestEditKeepsLinkModeAndEncoding(t *testing.T) {
	r := newRig(t)
	real := filepath.Join(t.TempDir(), "notes.md")
	const one, two = "\xff\xfe-\x00 \x001\x00\n\x00", "\xff\xfe-\x00 \x001\x00\n\x00-\x00 \x002\x00\n\x00" // UTF-16
	saved(t, real, one)
	must(t, errors.Join(os.Chmod(real, 0o640), os.MkdirAll(filepath.Dir(r.path), 0o700), os.Symlink(real, r.path)))
	r.add("- 2")
	if got := readFile(t, real); got != two {
		t.Errorf("%q", got)
	}
	if fi, err := os.Lstat(r.path); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if fi, err := os.Stat(real); err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(real)); err != nil || len(left) != 1 {
		t.Errorf("beside it: %v, %v", left, err)
	}
	if r.edits != 1 {
		t.Errorf("%d edits are reported", r.edits)
	}
}

func TestEditRefuses(t *testing.T) {
	refusal := errors.New("no")
	for _, tc := range []struct {
		name   string
		before func(r *rig)
		change error
		want   string
	}{
		{"the caller refuses", func(r *rig) { saved(t, r.path, "- one\n") }, refusal, "no"},
		{"not a text", func(r *rig) { saved(t, r.path, "\x00\x01\x00\x02\x00") }, nil, "not a text file"},
		{"a folder", func(r *rig) { must(t, os.MkdirAll(r.path, 0o700)) }, nil, "it is no file"},
		{"an agent that isn't there", func(r *rig) { r.path = filepath.Join(r.root, "agents", "agent-9", "memory.md") }, nil, "no such file"},
		{"a circle of links", func(r *rig) {
			must(t, errors.Join(os.MkdirAll(filepath.Dir(r.path), 0o700), os.Symlink("memory.md", r.path)))
		}, nil, "circle"},
		{"always edited meanwhile", func(r *rig) { saved(t, r.path, "- one\n") }, nil, "keeps changing it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			tc.before(r)
			before, _ := os.ReadFile(r.path)
			n := 0
			err := r.Edit(r.path, func([]byte) ([]byte, error) {
				if n++; strings.HasPrefix(tc.name, "always") {
					before = fmt.Appendf(nil, "- edit %d\n", n)
					saved(t, r.path, string(before))
				}
				return []byte("new"), tc.change
			})
			if err == nil || !strings.Contains(err.Error(), tc.want) || tc.change != nil && !errors.Is(err, tc.change) {
				t.Errorf("%v, want %q", err, tc.want)
			}
			if after, _ := os.ReadFile(r.path); string(after) != string(before) || r.edits > 0 {
				t.Errorf("it was changed to %q", after)
			}
			if _, err := os.Stat(filepath.Join(r.root, "agents", "agent-9")); err == nil {
				t.Error("an agent's folder was made")
			}
		})
	}
}

// An edit between reading and replacing the file isn't overwritten.
func TestEditBeginsAgainWithTheNewText(t *testing.T) {
	for how, save := range filetest.EditorSaves {
		t.Run(how, func(t *testing.T) {
			r := newRig(t)
			saved(t, r.path, "- one\n")
			first := true
			must(t, r.edit(func(text string) string {
				if first {
					first = false
					save(t, r.path, "- one\n- mine\n")
					rest(t, r.path)
				}
				return text + "- two\n"
			}))
			if got := readFile(t, r.path); got != "- one\n- mine\n- two\n" {
				t.Errorf("%q", got)
			}
		})
	}
}

// A file that another program is saving isn't edited until it has been still for a second.
// Whoever waits doesn't hold the lock meanwhile.
func TestWritersWaitUntilAFileIsStill(t *testing.T) {
	text := func(text string) func(r *rig) { return func(r *rig) { r.state(text) } }
	for _, tc := range []struct {
		name    string
		begin   func(r *rig)
		states  []func(r *rig) // of the save, each 300 ms after the one before
		want    string
		atOnce  bool
		another bool // process, which hasn't seen the file before
	}{
		{name: "as the app left it", begin: func(r *rig) { r.add("- one") }, want: "- one\n- new\n", atOnce: true},
		{name: "as another process left it", begin: func(r *rig) { r.add("- one") }, want: "- one\n- new\n", atOnce: true, another: true},
		{name: "no file", begin: func(*rig) {}, want: "- new\n", atOnce: true},
		{name: "saved long ago", begin: func(r *rig) { saved(r.t, r.path, "- mine\n") }, want: "- mine\n- new\n", atOnce: true},
		{name: "saved at once", begin: func(r *rig) { r.add("- one") }, states: []func(r *rig){text("- one\n- mine\n")}, want: "- one\n- mine\n- new\n"},
		{name: "saved before the app knows it", begin: func(*rig) {}, states: []func(r *rig){text("- mine\n")}, want: "- mine\n- new\n"},
		{name: "emptied, then written in pieces", begin: func(r *rig) { r.add("- one") }, states: []func(r *rig){text(""), text("- o"), text("- one\n- mi"), text("- one\n- mine\n")}, want: "- one\n- mine\n- new\n"},
		{name: "moved away, then written", begin: func(r *rig) { r.add("- one") }, states: []func(r *rig){func(r *rig) { must(r.t, os.Rename(r.path, r.path+"~")) }, text("- mine\n")}, want: "- mine\n- new\n"},
		{name: "moved away before the app knows it", begin: func(r *rig) { saved(r.t, r.path, "- one\n") }, states: []func(r *rig){func(r *rig) {
			must(r.t, os.Rename(r.path, r.path+"~"))
			touch(r.t, filepath.Dir(r.path))
		}, text("- mine\n")}, want: "- mine\n- new\n"},
		{name: "shortened on purpose", begin: func(r *rig) { r.add("- one"); r.add("- two") }, states: []func(r *rig){text("- mine\n")}, want: "- mine\n- new\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			filetest.InTime(t, func(t *testing.T) {
				r := newRig(t)
				must(t, os.MkdirAll(filepath.Dir(r.path), 0o700))
				tc.begin(r)
				if tc.another {
					r.Files = r.again()
				}
				began := time.Now()
				if len(tc.states) > 0 {
					tc.states[0](r)
				}
				go func() {
					for i, state := range tc.states {
						if i > 0 {
							time.Sleep(300 * time.Millisecond)
							state(r)
						}
						unlock, err := r.again().Lock(t.Context())
						if err != nil || time.Since(began) != time.Duration(i)*300*time.Millisecond {
							t.Errorf("the lock came after %v, %v", time.Since(began), err)
						}
						unlock()
					}
				}()
				r.add("- new")
				if got := readFile(t, r.path); got != tc.want {
					t.Errorf("%q, want %q", got, tc.want)
				}
				last := began.Add(time.Duration(max(0, len(tc.states)-1)) * 300 * time.Millisecond)
				if took := time.Since(last); tc.atOnce != (took == 0) || took > 1100*time.Millisecond {
					t.Errorf("it was written %v after the last state of the save", took)
				}
			})
		})
	}
}

// A program that never rests is waited for, but not for ever.
func TestAFileThatNeverRestsIsWrittenAfterAWhile(t *testing.T) {
	filetest.InTime(t, func(t *testing.T) {
		r := newRig(t)
		r.add("- one")
		r.state("- one\n- state 0\n")
		ended, stop := context.WithCancel(t.Context())
		go func() {
			for ended.Err() == nil {
				time.Sleep(497 * time.Millisecond) // never together with the writer, which looks at multiples of 20 ms
				r.state(readFile(t, r.path) + "- more\n")
			}
		}()
		began := time.Now()
		r.add("- new")
		if took := time.Since(began); took < sharedfile.LongestWait || took > sharedfile.LongestWait+time.Second {
			t.Errorf("it was written after %v", took)
		}
		stop()
		time.Sleep(time.Second)
		if got := readFile(t, r.path); strings.Count(got, "- more\n") < 30 || !strings.Contains(got, "- new\n") {
			t.Errorf("%q", got)
		}
	})
}

func TestAWriterThatWaitsCanBeStopped(t *testing.T) {
	filetest.InTime(t, func(t *testing.T) {
		r := newRig(t)
		r.add("- one")
		writeFile(t, r.path, "")
		touch(t, r.path)
		ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer stop()
		asked := time.Now()
		if _, err := r.LockStill(ctx, r.path); !errors.Is(err, sharedfile.ErrSaving) || !strings.Contains(err.Error(), "try again") || time.Since(asked) > time.Second {
			t.Errorf("after %s: %v", time.Since(asked), err)
		}
	})
}

// A file that only the app writes is replaced under a folder that may be missing.
func TestRewrite(t *testing.T) {
	r := newRig(t)
	path := filepath.Join(r.root, "a", "b", "list")
	for _, want := range []string{"1", "11"} {
		must(t, r.Rewrite(path, func(raw []byte) ([]byte, error) { return append(raw, '1'), nil }))
		if got := readFile(t, path); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	refusal := errors.New("no")
	if err := r.Rewrite(path, func([]byte) ([]byte, error) { return nil, refusal }); !errors.Is(err, refusal) || readFile(t, path) != "11" {
		t.Errorf("the caller refuses: %v", err)
	}
	for _, bad := range []string{filepath.Dir(path), filepath.Join(path, "below a file", "list")} {
		if err := r.Rewrite(bad, func([]byte) ([]byte, error) { return []byte("x"), nil }); err == nil {
			t.Errorf("%s was written", bad)
		}
	}
}

// One process at a time holds the lock. A session folder that was moved away isn't made
// anew in its place.
func TestLock(t *testing.T) {
	filetest.InTime(t, func(t *testing.T) {
		r := newRig(t)
		unlock, err := r.Lock(t.Context())
		must(t, err)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := r.again().Lock(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("taken twice: %v", err)
		}
		unlock()
		session := filepath.Join(r.root, transcript.SessionDir)
		other := r.again() // which has never taken the lock
		must(t, os.Rename(session, r.root+"/away"))
		for _, files := range []*sharedfile.Files{r.Files, other} {
			if _, err := files.Lock(t.Context()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("while it is away: %v", err)
			}
		}
		must(t, os.Rename(r.root+"/away", session))
		unlock, err = r.Lock(t.Context())
		must(t, err)
		unlock()
	})
}
