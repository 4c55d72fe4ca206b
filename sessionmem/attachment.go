package sessionmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// ErrAttachment: an attached file can't be read any more. The message says why.
var ErrAttachment = errors.New("the attached file can't be read")

// Attach keeps an upload: in session/files under a random name, 0600,
// once however often this process attaches it; in memory for a private session. When it
// returns, the file is safe on disk.
func (s *Store) Attach(ctx context.Context, session string, u attach.File) (transcript.Attachment, error) {
	if err := transcript.CheckName(session); err != nil {
		return transcript.Attachment{}, err
	}
	if err := ctx.Err(); err != nil {
		return transcript.Attachment{}, err
	}
	a := u.Attachment()
	if s.IsPrivate(session) {
		ses := s.session(session)
		ses.mu.Lock()
		defer ses.mu.Unlock()
		if ses.files == nil {
			ses.files = map[string][]byte{}
		}
		ses.files[a.File] = u.Data
		return a, nil
	}
	if err := s.root.Check(); err != nil {
		return transcript.Attachment{}, err
	}
	if err := s.keepFile(&a, u.Data); err != nil {
		return transcript.Attachment{}, wholefile.Explain("keeping "+u.Name, err)
	}
	return a, nil
}

// keepFile writes the file unless it is there. One of that name with another
// content was edited by hand: it stays, and the new one gets a number.
func (s *Store) keepFile(a *transcript.Attachment, data []byte) error {
	if err := s.root.MkdirAll(transcript.FilesDir, 0o700); err != nil {
		return err
	}
	stem, ext := strings.TrimSuffix(a.File, path.Ext(a.File)), path.Ext(a.File)
	for n := 2; ; n++ {
		file := path.Join(transcript.FilesDir, a.File)
		there, err := s.root.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) {
			if err := s.root.WriteNew(file, data); err != nil {
				return err
			}
			s.root.Sync(transcript.FilesDir)
			return nil
		}
		if err != nil {
			return err
		}
		if there.Mode().IsRegular() && there.Size() == int64(len(data)) {
			if old, err := s.root.ReadFile(file); err == nil && bytes.Equal(old, data) {
				return nil
			}
		}
		if n > 999 {
			return fmt.Errorf("%s stands in its place; move it away", file)
		}
		a.File = stem + "-" + strconv.Itoa(n) + ext
	}
}

// ReadAttachment reads an attached file. One that is missing, that leads out of the
// session folder, or that is no file, gives ErrAttachment with the reason.
func (s *Store) ReadAttachment(session string, a transcript.Attachment) ([]byte, error) {
	bad := func(why string) error { return fmt.Errorf("%w: %s %s", ErrAttachment, a.Name, why) }
	if !transcript.AttachmentLink.MatchString(a.Link()) {
		return nil, bad("is no name of an attachment")
	}
	if s.IsPrivate(session) {
		ses := s.session(session)
		ses.mu.Lock()
		data, ok := ses.files[a.File]
		ses.mu.Unlock()
		if ok {
			return data, nil
		}
	}
	if s.root == nil {
		return nil, bad("is not kept any more")
	}
	file := path.Join(transcript.FilesDir, a.File)
	fi, err := s.root.Stat(file) // os.Root follows no link out of the folder
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, bad("is not in session/files any more")
	case err != nil:
		return nil, bad("can't be opened: " + err.Error())
	case !fi.Mode().IsRegular():
		return nil, bad("is no file")
	case fi.Size() > attach.MaxImageBytes:
		return nil, bad("has grown beyond what a message may hold")
	}
	f, err := s.root.Open(file)
	if err != nil {
		return nil, bad("can't be opened: " + err.Error())
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, attach.MaxImageBytes))
	if err != nil {
		return nil, bad("can't be read: " + err.Error())
	}
	return data, nil
}

// AttachmentPath is where an attached file is; "" where it is nowhere on disk.
func (s *Store) AttachmentPath(session string, a transcript.Attachment) string {
	if s.root == nil || s.IsPrivate(session) {
		return ""
	}
	return filepath.Join(s.dir, transcript.FilesDir, a.File)
}
