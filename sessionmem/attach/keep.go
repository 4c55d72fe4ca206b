package attach

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
)

// ErrKept means that an attached file can no longer be read. The message says why.
var ErrKept = errors.New("the attached file can't be read")

// Keep writes an attached file to the session folder unless it is there. If a file of that name has
// other content, it was edited by hand: it stays, and the new one gets a number.
func Keep(dir *sessiondir.Dir, a *transcript.Attachment, data []byte) error {
	if err := dir.MkdirAll(transcript.FilesDir, 0o700); err != nil {
		return err
	}
	stem, ext := strings.TrimSuffix(a.File, path.Ext(a.File)), path.Ext(a.File)
	for n := 2; ; n++ {
		file := path.Join(transcript.FilesDir, a.File)
		there, err := dir.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) {
			if err := dir.WriteNew(file, data); err != nil {
				return err
			}
			dir.Sync(transcript.FilesDir)
			return nil
		}
		if err != nil {
			return err
		}
		if there.Mode().IsRegular() && there.Size() == int64(len(data)) {
			if old, err := dir.ReadFile(file); err == nil && bytes.Equal(old, data) {
				return nil
			}
		}
		if n > 999 {
			return fmt.Errorf("%s stands in its place; move it away", file)
		}
		a.File = stem + "-" + strconv.Itoa(n) + ext
	}
}

// ReadKept reads an attached file; dir is nil if files are only in memory. It returns ErrKept
// with the reason if the file is missing, leads out of the session folder, or isn't a regular
// file.
func ReadKept(dir *sessiondir.Dir, a transcript.Attachment) ([]byte, error) {
	bad := func(why string) error { return fmt.Errorf("%w: %s %s", ErrKept, a.Name, why) }
	if !transcript.AttachmentLink.MatchString(a.Link()) {
		return nil, bad("is no name of an attachment")
	}
	if dir == nil {
		return nil, bad("is not kept any more")
	}
	file := path.Join(transcript.FilesDir, a.File)
	fi, err := dir.Stat(file) // os.Root follows no link out of the folder
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, bad("is not in session/files any more")
	case err != nil:
		return nil, bad("can't be opened: " + err.Error())
	case !fi.Mode().IsRegular():
		return nil, bad("is no file")
	case fi.Size() > MaxImageBytes:
		return nil, bad("has grown beyond what a message may hold")
	}
	f, err := dir.Open(file)
	if err != nil {
		return nil, bad("can't be opened: " + err.Error())
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxImageBytes))
	if err != nil {
		return nil, bad("can't be read: " + err.Error())
	}
	return data, nil
}
