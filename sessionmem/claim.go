package sessionmem

import (
	"bytes"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// maxFront is how many bytes of a file are read for its front matter.
const maxFront = 64 << 10

// claim is what a transcript's front matter says about whose file it is.
type claim struct {
	stamp   wholefile.Stamp // of the file that was read
	session string          // "" where it names none
	started string          // in the form of the time in a file's name; "" where there is none
}

// claimIn reads front matter. What the app did not write names no session.
func claimIn(front string) claim {
	name := transcript.FrontValue(front, "session")
	if !strings.HasPrefix(transcript.FrontValue(front, "format"), transcript.FormatPrefix) || transcript.CheckName(name) != nil {
		return claim{}
	}
	c := claim{session: name}
	if started, err := time.Parse(time.RFC3339, transcript.FrontValue(front, "started")); err == nil {
		c.started = started.Format(transcript.StampForm)
	}
	return c
}

// claim gives what a file's front matter says, read once as long as the file stays as it is.
func (s *Store) claim(file string) claim {
	fi, err := s.stat(file)
	if err != nil || !fi.Mode().IsRegular() {
		return claim{}
	}
	s.mu.Lock()
	known, ok := s.claims[file]
	s.mu.Unlock()
	if ok && known.stamp == wholefile.StampOf(fi) {
		return known
	}
	f, err := s.root.Open(file)
	if err != nil {
		return claim{}
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, maxFront))
	if err != nil {
		return claim{}
	}
	front, _ := transcript.CutFrontMatter(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	c := claimIn(front)
	c.stamp = wholefile.StampOf(fi)
	s.mu.Lock()
	s.claims[file] = c
	s.mu.Unlock()
	return c
}

// entryOf is the entry of a file. Where its name tells no session, its front matter does.
func (s *Store) entryOf(file string) entry {
	e := entryOf(file)
	if e.Stamp != "" || s.root == nil || strings.HasPrefix(file, ".") && !strings.HasPrefix(file, trashDir+"/") {
		return e
	}
	if name := s.claim(file).session; name != "" {
		e.Session, e.claimed = name, true
	}
	return e
}

// markClaims tells copies from the session among files that only their front matter makes
// a session's: the one is the session where no file has its name. Of several it is the one
// whose name the others continue ("notes", "notes copy"); else nothing tells, and all are copies.
func markClaims(named, claims []fileSet) {
	isSession := func(set fileSet) bool { return !set.copy }
	original := -1
	if !slices.ContainsFunc(named, isSession) {
		original = slices.IndexFunc(claims, func(set fileSet) bool {
			return isSession(set) && !slices.ContainsFunc(claims, func(other fileSet) bool {
				return isSession(other) && !strings.Contains(other.files[0].Stem, set.files[0].Stem)
			})
		})
	}
	for i := range claims {
		claims[i].copy = i != original
	}
}

// deletions is what is in the trash, by the sessions' names.
type deletions map[string][]trashed

func (s *Store) deletions() deletions {
	if s.root == nil {
		return nil
	}
	all, err := s.trash()
	if err != nil {
		s.logger.Warn("a copy of a deleted session may be taken for it", "err", err)
	}
	if len(all) == 0 {
		return nil
	}
	out := deletions{}
	for _, t := range all {
		out[t.session] = append(out[t.session], t)
	}
	return out
}

// stayed says whether a file is a copy that stayed when its session was deleted: the one
// in the trash began at the same time and has another name.
func (s *Store) stayed(e entry, deleted []trashed) bool {
	if len(deleted) == 0 || s.fileInfo(e).fit == fitGiven {
		return false
	}
	began := s.began(e)
	for _, t := range deleted {
		files, err := s.trashedFiles(t)
		if err != nil {
			continue // as if it were not there: the file is shown as a session
		}
		for _, file := range files {
			if isAttachmentPath(file) {
				continue
			}
			old := s.entryOf(path.Join(t.dir, file))
			if began != "" && path.Base(file) != path.Base(e.file) && s.began(old) == began {
				return true
			}
		}
	}
	return false
}

// began is the time at which a transcript says it began, in the form of file names.
func (s *Store) began(e entry) string {
	if e.Stamp != "" {
		return e.Stamp
	}
	return s.claim(e.file).started
}
