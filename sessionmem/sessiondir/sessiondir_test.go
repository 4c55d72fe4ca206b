package sessiondir_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"

	"github.com/google/go-cmp/cmp"
)

// open returns the folder at a path that is not there yet, and what it logs.
func open(t *testing.T, below ...string) (d *sessiondir.Dir, path string, log *bytes.Buffer) {
	t.Helper()
	path, log = filepath.Join(t.TempDir(), "data", "session"), &bytes.Buffer{}
	d = sessiondir.New(path, slog.New(slog.NewTextHandler(log, nil)), below...)
	filetest.Must(t, d.Check())
	t.Cleanup(func() { filetest.Must(t, d.Close()) })
	return d, path, log
}

func TestFolderIsCreatedAtItsFirstUse(t *testing.T) {
	d, path, _ := open(t, "a", "b/c")
	for _, name := range []string{"", transcript.LocksDir, "a", "b/c"} {
		fi, err := os.Stat(filepath.Join(path, name))
		if err != nil || !fi.IsDir() || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o700 {
			t.Errorf("%q: %v, %v", name, fi, err)
		}
	}
	if d.Never() || d.Path("a/x") != filepath.Join(path, "a", "x") || d.Relative(filepath.Join(path, "a", "x")) != "a/x" {
		t.Errorf("%v: a/x is %s, which is %s", d.Never(), d.Path("a/x"), d.Relative(filepath.Join(path, "a", "x")))
	}
	var none *sessiondir.Dir // a store in memory has no folder
	if err := none.Check(); err != nil || none.Path("a/x") != filepath.FromSlash("a/x") || none.Relative("a/x") != "a/x" {
		t.Errorf("without a folder: %v", err)
	}
}

// Work in a folder that is away fails and creates nothing; back in its place, or with another
// in its place, work goes on there.
func TestFolderThatMoves(t *testing.T) {
	d, path, log := open(t)
	filetest.Must(t, d.WriteNew("x.md", []byte("one")))
	filetest.Must(t, os.Rename(path, path+".away"))
	for range 2 {
		if err := d.Check(); err == nil || !strings.Contains(err.Error(), "opening the session folder") {
			t.Errorf("away: %v", err)
		}
		if err := d.WriteNew("y.md", nil); err == nil || d.Never() {
			t.Errorf("writing to a folder that is away: %v", err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was created again: %v", err)
	}
	filetest.Must(t, os.Rename(path+".away", path))
	filetest.Must(t, d.Check())
	if data, err := d.ReadFile("x.md"); string(data) != "one" || err != nil {
		t.Errorf("back again: %q, %v", data, err)
	}
	filetest.Must(t, os.Rename(path, path+".old"))
	filetest.Write(t, filepath.Join(path, "x.md"), "another")
	filetest.Must(t, d.Check())
	if data, err := d.ReadFile("x.md"); string(data) != "another" || err != nil {
		t.Errorf("another in its place: %q, %v", data, err)
	}
	if n := strings.Count(log.String(), "another session folder, or none"); n != 2 {
		t.Errorf("%d warnings:\n%s", n, log)
	}
	filetest.Must(t, d.Close())
	for range 2 {
		if err := d.Check(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
	}
	if _, err := d.ReadFile("x.md"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("reading from a closed folder: %v", err)
	}
}

// A folder that can't be created returns the reason until it can.
func TestFolderThatCannotBeUsedYet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session")
	filetest.Write(t, path, "a file")
	d := sessiondir.New(path, slog.New(slog.DiscardHandler))
	if err := d.Check(); err == nil || !d.Never() {
		t.Errorf("a file in its place: %v", err)
	}
	filetest.Must(t, os.Remove(path))
	if err := d.Check(); err != nil || d.Never() {
		t.Errorf("then: %v", err)
	}
	filetest.Must(t, d.Close())
}

// A folder in which nothing can be created can be read.
func TestFolderWithoutLocksCanBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session")
	filetest.Write(t, filepath.Join(path, transcript.LocksDir), "a file")
	filetest.Write(t, filepath.Join(path, "x.md"), "one")
	var log bytes.Buffer
	d := sessiondir.New(path, slog.New(slog.NewTextHandler(&log, nil)))
	filetest.Must(t, d.Check())
	if data, err := d.ReadRegular("x.md"); string(data) != "one" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := d.Lock(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "locking x") {
		t.Errorf("a lock: %v", err)
	}
	if !strings.Contains(log.String(), "sessions can be read but not written") {
		t.Errorf("logged %s", log.String())
	}
	filetest.Must(t, d.Close())
}

// No link leads out of the folder.
func TestLinksStayWithinTheFolder(t *testing.T) {
	d, path, _ := open(t)
	outside := filepath.Join(t.TempDir(), "secret")
	filetest.Write(t, outside, "secret")
	filetest.Write(t, filepath.Join(path, "x.md"), "one")
	for name, to := range map[string]string{"inside": "x.md", "outside": outside, "nowhere": "none.md", "folder": filepath.Dir(outside)} {
		filetest.Must(t, os.Symlink(to, filepath.Join(path, name)))
	}
	if data, err := d.ReadRegular("inside"); string(data) != "one" || err != nil {
		t.Errorf("a link within: %q, %v", data, err)
	}
	for _, name := range []string{"outside", "nowhere"} {
		_, serr := d.Stat(name)
		_, oerr := d.Open(name)
		_, rerr := d.ReadRegular(name)
		_, ferr := d.StatFile(name)
		for _, err := range []error{serr, oerr, rerr, ferr} {
			if !errors.Is(err, sessiondir.ErrLink) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if fi, err := d.Lstat(name); err != nil || fi.Mode()&fs.ModeSymlink == 0 || !d.Has(name) {
			t.Errorf("%s itself: %v, %v", name, fi, err)
		}
	}
	for what, err := range map[string]error{
		"reading": second(d.ReadFile("folder/secret")), "writing": d.WriteNew("folder/new", nil), "removing": d.Remove("folder/secret"),
		"a path of its own": second(d.Stat("../secret")), "making a folder": d.MkdirAll("folder/new", 0o700), "all in it": d.RemoveAll("folder/x/y"),
	} {
		if err == nil {
			t.Errorf("%s leads out of the folder", what)
		}
	}
	if got := filetest.Read(t, outside); got != "secret" {
		t.Errorf("outside stands %q", got)
	}
}

func second[T any](_ T, err error) error { return err }

func TestFilesOfTheFolder(t *testing.T) {
	d, path, _ := open(t)
	filetest.Must(t, d.MkdirAll("sub/deep", 0o700))
	filetest.Must(t, d.WriteNew("sub/x.md", []byte("one")))
	filetest.Must(t, d.WriteAtomic("sub/x.md", []byte("two"), false))
	filetest.Must(t, d.WriteAtomic("sub/y.md", []byte("three"), true))
	names, err := d.Names("sub")
	slices.Sort(names)
	if diff := cmp.Diff([]string{"deep", "x.md", "y.md"}, names); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, err := d.Names("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the names in a missing folder: %v", err)
	}
	if fi, err := os.Stat(filepath.Join(path, "sub", "x.md")); err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi, err)
	}
	if _, err := d.ReadRegular("sub/deep"); !errors.Is(err, transcript.ErrNotFile) {
		t.Errorf("reading a folder: %v", err)
	}
	if _, err := d.ReadRegular("sub/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading nothing: %v", err)
	}
	for name, folder := range map[string]bool{"sub/x.md": false, "sub/deep": true} {
		if fi, err := d.StatFile(name); err != nil || fi.IsDir() != folder {
			t.Errorf("%s: %v, %v", name, fi, err)
		}
	}
	var walked []string
	filetest.Must(t, d.WalkDir("sub", func(p string, _ fs.DirEntry, err error) error {
		walked = append(walked, p)
		return err
	}))
	if diff := cmp.Diff([]string{"sub", "sub/deep", "sub/x.md", "sub/y.md"}, walked); diff != "" {
		t.Error(diff)
	}
	for range 2 {
		filetest.Must(t, d.RemoveIfThere("sub/y.md"))
	}
	if err := d.RemoveIfThere("sub"); err == nil {
		t.Error("a folder that isn't empty is removed")
	}
	filetest.Must(t, d.RemoveAll("sub"))
	if d.Has("sub/x.md") || d.Has("sub") {
		t.Error("it is still there")
	}
}

// A file that can't be replaced stays as it is, and nothing is left beside it.
func TestFailedWriteLeavesNothing(t *testing.T) {
	d, path, _ := open(t)
	filetest.Write(t, filepath.Join(path, "sub", "x.md", "in the way"), "mine")
	for name, err := range map[string]error{"atomically": d.WriteAtomic("sub/x.md", []byte("new"), true), "as a new file": d.WriteNew("sub/x.md", []byte("new"))} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if names, err := d.Names("sub"); len(names) != 1 || err != nil || filetest.Read(t, filepath.Join(path, "sub", "x.md", "in the way")) != "mine" {
		t.Errorf("there are %v, %v", names, err)
	}
}

// Some systems can't cut a file that is open for appending.
func TestTruncate(t *testing.T) {
	d, path, _ := open(t)
	filetest.Write(t, filepath.Join(path, "x"), "0123456789")
	for flag, size := range map[int]int64{os.O_WRONLY | os.O_APPEND: 7, os.O_RDONLY: 3} {
		f, err := d.OpenFile("x", flag, 0)
		filetest.Must(t, err)
		filetest.Must(t, d.Truncate(f, "x", min(size, int64(len(filetest.Read(t, filepath.Join(path, "x")))))))
		filetest.Must(t, f.Close())
	}
	if got := filetest.Read(t, filepath.Join(path, "x")); got != "012" {
		t.Errorf("it holds %q", got)
	}
	f, err := d.Open("x")
	filetest.Must(t, err)
	defer f.Close()
	filetest.Must(t, d.Remove("x"))
	if err := d.Truncate(f, "x", 1); err == nil {
		t.Error("a removed file is cut")
	}
}

func TestLockOfTheFolder(t *testing.T) {
	d, path, _ := open(t)
	release, err := d.Lock(t.Context(), "x.lock")
	filetest.Must(t, err)
	other := sessiondir.New(path, slog.New(slog.DiscardHandler))
	defer other.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := other.Lock(ctx, "x.lock"); err == nil || !strings.Contains(err.Error(), "locking x.lock") {
		t.Errorf("two have it: %v", err)
	}
	release()
	again, err := other.Lock(t.Context(), "x.lock")
	filetest.Must(t, err)
	again()
	filetest.Must(t, os.Rename(path, path+".away"))
	if _, err := d.Lock(t.Context(), "x.lock"); err == nil {
		t.Error("a lock of a folder that is away")
	}
}

// A file that somebody else changed or is writing isn't replaced.
func TestReplaceKeepsWhatOthersWrite(t *testing.T) {
	d, path, _ := open(t)
	file := filepath.Join(path, "x.md")
	filetest.WriteEarlier(t, file, "one")
	was, err := d.Stat("x.md")
	filetest.Must(t, err)
	filetest.Must(t, d.Replace("x.md", was, []byte("two")))
	if err := d.Replace("x.md", was, []byte("three")); !errors.Is(err, sessiondir.ErrReplaced) {
		t.Errorf("changed since: %v", err)
	}
	if got := filetest.Read(t, file); got != "two" {
		t.Errorf("it holds %q", got)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	filetest.Must(t, err)
	defer f.Close()
	if _, certain := wholefile.IsOpenForWriting(file); !certain {
		t.Skip("this system doesn't tell who writes a file")
	}
	now, err := d.Stat("x.md")
	filetest.Must(t, err)
	if err := d.Replace("x.md", now, []byte("four")); !errors.Is(err, sessiondir.ErrMidSave) {
		t.Errorf("while it is written: %v", err)
	}
}

func TestRenameNew(t *testing.T) {
	d, path, _ := open(t)
	filetest.Write(t, filepath.Join(path, "x.md"), "one")
	filetest.Write(t, filepath.Join(path, "y.md"), "two")
	if err := d.RenameNew("x.md", "y.md"); !errors.Is(err, sessiondir.ErrTaken) || filetest.Read(t, filepath.Join(path, "y.md")) != "two" {
		t.Errorf("to a name that is taken: %v", err)
	}
	filetest.Must(t, d.RenameNew("x.md", "a/b/z.md"))
	if got := filetest.Read(t, filepath.Join(path, "a", "b", "z.md")); got != "one" || d.Has("x.md") {
		t.Errorf("moved: %q", got)
	}
	for name, err := range map[string]error{"nothing": d.RenameNew("none.md", "n.md"), "into a file": d.RenameNew("a/b/z.md", "y.md/z.md")} {
		if err == nil || errors.Is(err, sessiondir.ErrTaken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A moved file is complete at every moment, and no other is overwritten.
func TestMove(t *testing.T) {
	const text = "the whole transcript"
	for name, c := range map[string]struct {
		target string // "": none
		during func(t *testing.T, file string)
		err    error
	}{
		"to a free place":                {},
		"over the beginning of the same": {target: text[:7]},
		"over the same":                  {target: text},
		"over another":                   {target: "mine", err: sessiondir.ErrTaken},
		"over a longer one":              {target: text + " and more", err: sessiondir.ErrTaken},
		"while it grows":                 {during: func(t *testing.T, file string) { filetest.Write(t, file, text+" and more") }, err: sessiondir.ErrReplaced},
		"while it is replaced":           {during: func(t *testing.T, file string) { filetest.Replace(t, file, strings.ToUpper(text)) }, err: sessiondir.ErrReplaced},
		"while it is removed":            {during: func(t *testing.T, file string) { filetest.Must(t, os.Remove(file)) }, err: sessiondir.ErrReplaced},
	} {
		t.Run(name, func(t *testing.T) {
			d, path, _ := open(t)
			from, to := filepath.Join(path, "x.md"), filepath.Join(path, "archive", "2026-01", "x.md")
			filetest.WriteEarlier(t, from, text)
			before, err := os.Stat(from)
			filetest.Must(t, err)
			if c.target != "" {
				filetest.Write(t, to, c.target)
			}
			err = d.Move("x.md", "archive/2026-01/x.md", func(file string) (*os.File, error) {
				if c.during != nil && file != "x.md" { // the target is looked at once the file is open
					c.during(t, from)
				}
				return d.Open(file)
			})
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Fatalf("got %v, want %v", err, c.err)
			}
			if err == nil {
				fi, err := os.Stat(to)
				if got := filetest.Read(t, to); got != text || err != nil || !fi.ModTime().Equal(before.ModTime()) || d.Has("x.md") {
					t.Errorf("moved: %q of %s, %v", got, fi.ModTime(), err)
				}
			} else if c.target != "" && filetest.Read(t, to) != c.target {
				t.Errorf("overwritten by %q", filetest.Read(t, to))
			}
			files, err := filepath.Glob(filepath.Join(path, "archive", "2026-01", ".*"))
			if len(files) > 0 || err != nil {
				t.Errorf("left behind: %v, %v", files, err)
			}
		})
	}
	d, path, _ := open(t)
	broken := errors.New("it holds what was forgotten")
	filetest.Write(t, filepath.Join(path, "x.md"), text)
	for name, err := range map[string]error{
		"a missing file": d.Move("none.md", "archive/none.md", d.Open), "into a file": d.Move("x.md", "x.md/x.md", d.Open),
		"a file that must not be read": d.Move("x.md", "archive/x.md", func(string) (*os.File, error) { return nil, broken }),
	} {
		if err == nil || !strings.Contains(err.Error(), "moving ") || !d.Has("x.md") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
