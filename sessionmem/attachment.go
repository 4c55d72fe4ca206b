package sessionmem

import (
	"context"

	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Attach saves an upload in session/files under a random name, mode 0600, and only once
// however often this process attaches it; a private session keeps it in memory. When
// Attach returns, the file is safe on disk.
func (s *Store) Attach(ctx context.Context, session string, u attach.File) (transcript.Attachment, error) {
	if err := transcript.CheckName(session); err != nil {
		return transcript.Attachment{}, err
	}
	if err := ctx.Err(); err != nil {
		return transcript.Attachment{}, err
	}
	a := u.Attachment()
	if s.IsPrivate(session) {
		s.Session(session).Attach(a.File, u.Data)
		return a, nil
	}
	if err := s.dir.Check(); err != nil {
		return transcript.Attachment{}, err
	}
	if err := attach.Keep(s.dir, &a, u.Data); err != nil {
		return transcript.Attachment{}, wholefile.Explain("keeping "+u.Name, err)
	}
	return a, nil
}

// ReadAttachment reads an attached file. It returns attach.ErrKept with the reason if the
// file is missing, leads out of the session folder, or isn't a regular file.
func (s *Store) ReadAttachment(session string, a transcript.Attachment) ([]byte, error) {
	if s.IsPrivate(session) {
		if data, ok := s.Session(session).Attached(a.File); ok {
			return data, nil
		}
	}
	return attach.ReadKept(s.dir, a)
}

// AttachmentPath returns the path of an attached file; "" if it isn't on disk.
func (s *Store) AttachmentPath(session string, a transcript.Attachment) string {
	if s.dir == nil || s.IsPrivate(session) {
		return ""
	}
	return s.dir.Path(transcript.FilesDir + "/" + a.File)
}
