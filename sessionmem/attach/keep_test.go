package attach_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
)

func folder(t *testing.T) (d *sessiondir.Dir, files string) {
	t.Helper()
	path := t.TempDir()
	d = sessiondir.New(path, slog.New(slog.DiscardHandler))
	filetest.Must(t, d.Check())
	t.Cleanup(func() { filetest.Must(t, d.Close()) })
	return d, filepath.Join(path, transcript.FilesDir)
}

// What stands in the place of an attachment is never overwritten; after a thousand tries that
// is an error.
func TestKeepOverwritesNothing(t *testing.T) {
	d, files := folder(t)
	stem := strings.Repeat("a", 64)
	filetest.Write(t, filepath.Join(files, stem+".txt"), "mine")
	filetest.Must(t, os.MkdirAll(filepath.Join(files, stem+"-2.txt"), 0o700))
	for range 2 {
		a := transcript.Attachment{Name: "notes.txt", File: stem + ".txt"}
		filetest.Must(t, attach.Keep(d, &a, []byte("one")))
		if a.File != stem+"-3.txt" || filetest.Read(t, filepath.Join(files, a.File)) != "one" {
			t.Errorf("kept as %s", a.File)
		}
	}
	if filetest.Read(t, filepath.Join(files, stem+".txt")) != "mine" {
		t.Error("it overwrites another")
	}
	for n := 4; n < 1000; n++ {
		filetest.Write(t, filepath.Join(files, fmt.Sprintf("%s-%d.txt", stem, n)), "mine")
	}
	a := transcript.Attachment{Name: "notes.txt", File: stem + ".txt"}
	if err := attach.Keep(d, &a, []byte("two")); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("no place is left: %v", err)
	}
}

// A file that can't be kept or read returns the reason.
func TestKeepingWithoutAFolder(t *testing.T) {
	a := transcript.Attachment{Name: "notes.txt", File: strings.Repeat("a", 64) + ".txt"}
	if _, err := attach.ReadKept(nil, a); !errors.Is(err, attach.ErrKept) || !strings.Contains(err.Error(), "is not kept any more") {
		t.Errorf("of a session in memory: %v", err)
	}
	d, files := folder(t)
	filetest.Write(t, files, "a file")
	if err := attach.Keep(d, &a, []byte("one")); err == nil {
		t.Error("a file in place of the folder holds attachments")
	}
	filetest.Must(t, os.Remove(files))
	filetest.Write(t, filepath.Join(files, a.File), "")
	filetest.Must(t, os.Truncate(filepath.Join(files, a.File), attach.MaxImageBytes+1))
	if _, err := attach.ReadKept(d, a); !errors.Is(err, attach.ErrKept) || !strings.Contains(err.Error(), "has grown beyond") {
		t.Errorf("a file that has grown: %v", err)
	}
}

// The same upload has the same name while the program runs, another one another name, and
// neither tells what is in it.
func TestNamesOfUploads(t *testing.T) {
	name := func(text string) string { return attach.File{Ext: "txt", Data: []byte(text)}.Attachment().File }
	first, again := name("one"), name("one")
	if first != again || first == name("two") {
		t.Errorf("%s, %s, %s", first, again, name("two"))
	}
	const plainHash = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed" // of "one"
	if !transcript.AttachmentLink.MatchString("[a](files/"+name("one")+")") || strings.HasPrefix(name("one"), plainHash) {
		t.Errorf("it is called %s", name("one"))
	}
}
