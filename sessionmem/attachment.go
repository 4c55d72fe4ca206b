package sessionmem

import (
	"context"

	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// ErrAttachment: an attached file can't be read any more. The message says why.
var ErrAttachment = attach.ErrKept

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

// ReadAttachment reads an attached file. One that is missing, that leads out of the
// session folder, or that is no file, gives ErrAttachment with the reason.
func (s *Store) ReadAttachment(session string, a transcript.Attachment) ([]byte, error) {
	if s.IsPrivate(session) {
		if data, ok := s.Session(session).Attached(a.File); ok {
			return data, nil
		}
	}
	return attach.ReadKept(s.dir, a)
}

// AttachmentPath is where an attached file is; "" where it is nowhere on disk.
func (s *Store) AttachmentPath(session string, a transcript.Attachment) string {
	if s.dir == nil || s.IsPrivate(session) {
		return ""
	}
	return s.dir.Path(transcript.FilesDir + "/" + a.File)
}
