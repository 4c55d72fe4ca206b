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
			err := r.Edit(t.Context(), r.path, func([]byte) ([]byte, error) {
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

// An intermediate state of a save isn't edited: the edit waits for its end, or gives up.
func TestEditWaitsForASave(t *testing.T) {
	for _, tc := range []struct {
		name string
		half func(r *rig)
		end  func(r *rig) // nil: it never ends
		want string       // "" for sharedfile.ErrSaving
	}{
		{"emptied", func(r *rig) { writeFile(r.t, r.path, "") }, func(r *rig) { writeFile(r.t, r.path, "- one\n- mine\n") }, "- one\n- mine\n- new\n"},
		{"cut short", func(r *rig) { writeFile(r.t, r.path, "- o") }, func(r *rig) { writeFile(r.t, r.path, "- mine, and more of it\n") }, "- mine, and more of it\n- new\n"},
		{"moved away", func(r *rig) { must(r.t, os.Rename(r.path, r.path+"~")) }, func(r *rig) { writeFile(r.t, r.path, "- mine\n") }, "- mine\n- new\n"},
		{"open, nothing written", func(r *rig) {
			f, err := os.OpenFile(r.path, os.O_WRONLY|os.O_TRUNC, 0)
			must(r.t, err)
			r.t.Cleanup(func() { must(r.t, f.Close()) })
		}, nil, ""},
		{"shortened on purpose", func(r *rig) { writeFile(r.t, r.path, "- mine\n") }, func(*rig) {}, "- mine\n- new\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			filetest.InTime(t, func(t *testing.T) {
				r := newRig(t)
				r.add("- one")
				r.add("- two")
				tc.half(r)
				if _, err := os.Stat(r.path); err == nil {
					touch(t, r.path)
				}
				waited := 0
				go func() {
					time.Sleep(300 * time.Millisecond)
					if tc.end != nil {
						tc.end(r)
						if _, err := os.Stat(r.path); err == nil {
							touch(t, r.path)
						}
					}
				}()
				err := r.EditAs(t.Context(), r.path, sharedfile.Editing{Patience: sharedfile.Patience, Waiting: func() error { waited++; return nil }}, func(raw []byte) ([]byte, error) {
					return append(raw, "- new\n"...), nil
				})
				if waited != 1 {
					t.Errorf("it reported %d times that it waits", waited)
				}
				if tc.want == "" {
					if !errors.Is(err, sharedfile.ErrSaving) || !strings.Contains(err.Error(), "try again") {
						t.Error(err)
					}
					return
				}
				must(t, err)
				if got := readFile(t, r.path); got != tc.want {
					t.Errorf("%q, want %q", got, tc.want)
				}
			})
		})
	}
}

func TestAnEditThatWaitsCanBeStopped(t *testing.T) {
	filetest.InTime(t, func(t *testing.T) {
		r := newRig(t)
		r.add("- one")
		writeFile(t, r.path, "")
		touch(t, r.path)
		change := func([]byte) ([]byte, error) { return nil, errors.New("half a save was edited") }
		refusal := errors.New("no room to wait")
		if err := r.EditAs(t.Context(), r.path, sharedfile.Editing{Patience: time.Hour, Waiting: func() error { return refusal }}, change); !errors.Is(err, refusal) {
			t.Errorf("the caller refuses to wait: %v", err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer stop()
		asked := time.Now()
		if err := r.Edit(ctx, r.path, change); !errors.Is(err, sharedfile.ErrSaving) || time.Since(asked) > time.Second {
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
