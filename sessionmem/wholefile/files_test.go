package wholefile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/wholefile"
)

func TestCreateNeverReplaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	if err := wholefile.Create(path, []byte("first"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.Create(path, []byte("second"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("created twice: %v", err)
	}
	if err := wholefile.Create(filepath.Join(dir, "none", "a.md"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "first" {
		t.Errorf("%q, %v", data, err)
	}
	if left := names(t, dir); len(left) != 1 {
		t.Errorf("left behind: %q", left)
	}
}

// A swap gives back exactly what it replaced.
func TestSwap(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	if _, err := wholefile.Swap(path, []byte("new"), 0o600); err == nil {
		t.Error("there is nothing to swap with")
	}
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
	write(t, path, "old")
	old, err := wholefile.Swap(path, []byte("new"), 0o600)
	if errors.Is(err, wholefile.ErrNoSwap) {
		t.Skip("this file system can't exchange two files")
	}
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{path: "new", old: "old"} {
		if data, err := os.ReadFile(file); err != nil || string(data) != want {
			t.Errorf("%s has %q, %v", file, data, err)
		}
	}
	if _, err := wholefile.Swap(filepath.Join(dir, "none", "a.md"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
}

// A file that was changed since it was read isn't replaced.
func TestReplaceKeepsAnEditMadeMeanwhile(t *testing.T) {
	t.Parallel()
	stat := func(path string) os.FileInfo {
		fi, err := os.Stat(path)
		if err != nil {
			return nil
		}
		return fi
	}
	for _, tt := range []struct {
		name      string
		old       string // "" for none
		meanwhile func(path string) error
		want      string
	}{
		{"unchanged", "old", func(string) error { return nil }, "new"},
		{"new", "", func(string) error { return nil }, "new"},
		{"edited", "old", func(path string) error { return os.WriteFile(path, []byte("edited"), 0o600) }, "edited"},
		{"created", "", func(path string) error { return os.WriteFile(path, []byte("edited"), 0o600) }, "edited"},
		{"removed", "old", os.Remove, ""},
		{"replaced by a file of the same size", "old", func(path string) error {
			return errors.Join(os.WriteFile(path+"~", []byte("OLD"), 0o600), os.Rename(path+"~", path))
		}, "OLD"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.md")
			if tt.old != "" {
				write(t, path, tt.old)
			}
			was := stat(path)
			if err := tt.meanwhile(path); err != nil {
				t.Fatal(err)
			}
			done, err := wholefile.Replace(path, []byte("new"), was)
			got, _ := os.ReadFile(path)
			if err != nil || done != (tt.want == "new") || string(got) != tt.want {
				t.Errorf("done %t, %v: %q", done, err, got)
			}
		})
	}
}

// A file is read whole or not at all, and anything but a file never blocks.
func TestReadingRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	write(t, path, "12345")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	readers := map[string]func(name string, limit int64) ([]byte, error){
		"by path": func(name string, limit int64) ([]byte, error) {
			return wholefile.Read(filepath.Join(dir, name), limit)
		},
		"below a folder": func(name string, limit int64) ([]byte, error) { return wholefile.ReadIn(root, name, limit) },
		"raw": func(name string, limit int64) ([]byte, error) {
			data, _, err := wholefile.ReadRaw(filepath.Join(dir, name))
			if int64(len(data)) > limit {
				return nil, wholefile.ErrTooLarge // its own limit is far larger
			}
			return data, err
		},
	}
	huge, err := os.Create(filepath.Join(dir, "huge"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(huge.Truncate(1<<40), huge.Close()); err != nil { // a sparse file
		t.Fatal(err)
	}
	for how, read := range readers {
		for _, tt := range []struct {
			name  string
			limit int64
			want  error
		}{{"a.md", 5, nil}, {"a.md", 4, wholefile.ErrTooLarge}, {"none", 5, fs.ErrNotExist}, {".", 5, wholefile.ErrNotFile}, {"huge", 5, wholefile.ErrTooLarge}} {
			data, err := read(tt.name, tt.limit)
			if !errors.Is(err, tt.want) || tt.want == nil && string(data) != "12345" {
				t.Errorf("%s, %s of %d bytes: %q, %v, want %v", how, tt.name, tt.limit, data, err, tt.want)
			}
		}
	}
}

// UTF-16 is read as text, and written back to the same bytes.
func TestTextKeepsItsEncoding(t *testing.T) {
	t.Parallel()
	const text = "- one\n- zwei 猫 😁\n"
	encode := func(order binary.AppendByteOrder, bom string) string {
		out := []byte(bom)
		for _, u := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, u)
		}
		return string(out)
	}
	for name, raw := range map[string]string{
		"UTF-8": text, "UTF-16LE": encode(binary.LittleEndian, "\xff\xfe"), "UTF-16BE": encode(binary.BigEndian, "\xfe\xff"),
		"UTF-16LE without a mark": encode(binary.LittleEndian, ""), "UTF-16BE without a mark": encode(binary.BigEndian, ""),
	} {
		path := filepath.Join(t.TempDir(), "a.md")
		write(t, path, raw)
		got, fi, err := wholefile.ReadText(path)
		if err != nil || string(got) != text || fi.Size() != int64(len(raw)) || !bytes.Equal(got, wholefile.DecodeText([]byte(raw))) {
			t.Errorf("%s is read as %q, %v", name, got, err)
		}
		_, enc := wholefile.Decode([]byte(raw))
		if again, ok := enc.Encode(got); string(again) != raw || !ok {
			t.Errorf("%s is written back as %q", name, again)
		}
	}
}

func TestLineEndsAndMarks(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]string{"a\nb\r\n": "\r\n", "a\r\nb\n": "\n", "a\nb": "", "": ""} {
		if got := wholefile.LineEnd([]byte(lines)); got != want {
			t.Errorf("%q ends in %q", lines, got)
		}
	}
	for raw, want := range map[string][2]string{"\ufeffa": {"\ufeff", "a"}, "a": {"", "a"}, "": {"", ""}} {
		if bom, body := wholefile.CutBOM([]byte(raw)); string(bom) != want[0] || string(body) != want[1] {
			t.Errorf("%q is cut into %q and %q", raw, bom, body)
		}
	}
	for _, tt := range []struct {
		path, dir string
		want      bool
	}{{"/a/b", "/a", true}, {"/a", "/a", true}, {"/ab", "/a", false}, {"/a", "/a/b", false}, {"/a/b", "/a/", true}, {"/b", "/", true}} {
		if got := wholefile.IsWithin(filepath.FromSlash(tt.path), filepath.FromSlash(tt.dir)); got != tt.want {
			t.Errorf("%s in %s: %v", tt.path, tt.dir, got)
		}
	}
}

// An equal stamp means an unchanged file.
func TestStamps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	write(t, path, "one")
	stat := func() os.FileInfo {
		fi, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return fi
	}
	first := stat()
	now := first.ModTime()
	stamp := wholefile.StampOf(first)
	if got, want := []bool{stamp.Settled(now), stamp.Settled(now.Add(time.Second)), stamp.Settled(now.Add(3 * time.Second))}, []bool{false, false, true}; !cmp.Equal(want, got) {
		t.Errorf("settled: %v", got)
	}
	seen := wholefile.Seen{Stat: first, At: now.Add(3 * time.Second)}
	if !seen.Unchanged(stat()) || (wholefile.Seen{Stat: first, At: now}).Unchanged(stat()) || (wholefile.Seen{}).Unchanged(stat()) {
		t.Error("the same file is unchanged once its time proves it")
	}
	folder, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if got, ok := wholefile.StampIn(folder, "a.md"); !ok || got != stamp {
		t.Errorf("%+v, %v, want %+v", got, ok, stamp)
	}
	if err := os.Symlink(path, filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"none.md", ".", "link.md"} {
		if got, ok := wholefile.StampIn(folder, name); ok {
			t.Errorf("%s is a file: %+v", name, got)
		}
	}
	write(t, path+"~", "two")
	if err := errors.Join(os.Chtimes(path+"~", now, now), os.Rename(path+"~", path)); err != nil {
		t.Fatal(err)
	}
	if seen.Unchanged(stat()) || wholefile.StampOf(stat()) == stamp {
		t.Error("another file of the same size and time took its name")
	}
	if n := wholefile.LinkCount(stat()); n != 1 {
		t.Errorf("%d names", n)
	}
	if err := os.Link(path, filepath.Join(dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	if n := wholefile.LinkCount(stat()); n != 2 {
		t.Errorf("%d names, want 2", n)
	}
	if err := wholefile.SyncFolder(dir); err != nil {
		t.Error(err)
	}
	if err := wholefile.SyncFolder(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that isn't there: %v", err)
	}
}

// An error of the disk says what to do about it.
func TestDiskErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for err, advice := range map[error]string{
		syscall.ENOSPC: "free some space", syscall.EDQUOT: "free some space", syscall.EFBIG: "raise the limit",
		syscall.EROFS: "mounted read-only", fs.ErrPermission: "read and write access", syscall.ENOTDIR: "move it away",
	} {
		for _, err := range []error{err, &fs.PathError{Op: "write", Path: "a.md", Err: err}} {
			got := wholefile.Wrap("saving", err)
			if !errors.Is(got, err) || !strings.HasPrefix(got.Error(), "saving: ") || !strings.Contains(got.Error(), advice) {
				t.Errorf("%v: %v", err, got)
			}
			if why := wholefile.WhyNot(err); !strings.Contains(why, advice) {
				t.Errorf("%v: %s", err, why)
			}
		}
	}
	other := errors.New("the moon is full")
	if got := wholefile.Wrap("saving", other).Error(); got != "saving: the moon is full" || wholefile.WhyNot(other) != "the moon is full" {
		t.Errorf("an error without advice: %s", got)
	}
	if err := wholefile.Wrap("saving", nil); err != nil {
		t.Errorf("no error: %v", err)
	}
}

// A lock that another one holds is waited for until the context ends, or for half a minute.
func TestTakeLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a.lock")
		first, other := wholefile.NewLock(path), wholefile.NewLock(path)
		if err := wholefile.TakeLock(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeoutCause(t.Context(), time.Second, errors.New("not any longer"))
		defer stop()
		if err := wholefile.TakeLock(ctx, other); err == nil || err.Error() != "not any longer" {
			t.Errorf("held: %v", err)
		}
		asked := time.Now()
		if err := wholefile.TakeLock(t.Context(), other); err == nil || !strings.Contains(err.Error(), "end that program") || time.Since(asked) < wholefile.LockPatience {
			t.Errorf("held for ever, after %s: %v", time.Since(asked), err)
		}
		time.AfterFunc(time.Second, func() {
			if err := first.Unlock(); err != nil {
				t.Error(err)
			}
		})
		if err := wholefile.TakeLock(t.Context(), other); err != nil {
			t.Errorf("given back: %v", err)
		}
		if err := wholefile.TakeLock(t.Context(), wholefile.NewLock(filepath.Join(path, "none"))); !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no folder: %v", err)
		}
	})
}

// Whether somebody writes a file is known, or reported as unknown; it is never made up.
func TestAFileOpenForWriting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.md")
	write(t, path, "one")
	check := func(when string, want bool) {
		t.Helper()
		if open, known := wholefile.IsOpenForWriting(path); known && open != want || !known && open {
			t.Errorf("%s: open %v, known %v", when, open, known)
		}
	}
	check("closed", false)
	for _, flag := range []int{os.O_WRONLY | os.O_APPEND, os.O_RDWR, os.O_RDONLY} {
		f, err := os.OpenFile(path, flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprintf("open with flag %d", flag), flag != os.O_RDONLY)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		check("closed again", false)
	}
	if open, known := wholefile.IsOpenForWriting(path + ".none"); open || known {
		t.Errorf("a file that isn't there: open %v, known %v", open, known)
	}
}
