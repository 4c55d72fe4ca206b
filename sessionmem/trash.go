package sessionmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// ErrNothingDeleted: there is nothing to bring back.
var ErrNothingDeleted = errors.New("there is no deleted session to bring back")

// Delete moves the files of a session to .trash, where they stay until Undelete
// or until a person removes them; copies of it stay where they are. A running turn gives ErrBusy. What is kept in
// memory only is dropped for good.
func (s *Store) Delete(ctx context.Context, name string) error {
	if err := s.delete(ctx, name, nil); err != nil {
		return fmt.Errorf("deleting %s: %w", name, err)
	}
	return nil
}

// delete asks still, which may be nil, under the session's locks whether it is to be.
func (s *Store) delete(ctx context.Context, name string, still func() error) error {
	if err := transcript.CheckName(name); err != nil {
		return err
	}
	if err := s.mustExist(ctx, name); err != nil {
		return err
	}
	turn, err := s.tryTurn(ctx, name, "delete")
	if err != nil {
		return err
	}
	defer turn.Unlock()
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return err
	}
	defer unlock()
	if still != nil {
		if err := still(); err != nil {
			return err
		}
	}
	if ses.private.Load() {
		ses.mem, ses.files, ses.size = nil, nil, 0
		ses.forgetBlocks()
		return nil
	}
	return s.toTrash(ctx, ses)
}

// toTrash moves the files of a session to the trash, without copies; its locks are held.
func (s *Store) toTrash(ctx context.Context, ses *session) error {
	name := ses.name
	if len(ses.unsaved.blocks) > 0 { // what is deleted can be brought back
		ses.anyway = true
		if _, err := s.appendFile(ctx, ses, nil); err != nil {
			return err
		}
	}
	parts, others, err := s.catalog.Owned(name)
	if err != nil {
		return err
	}
	var files []string
	for _, e := range parts {
		files = append(files, e.File)
	}
	for _, set := range others {
		for _, e := range set.Files {
			if !set.Copy { // a copy stays: a person made it to have it
				files = append(files, e.File)
			}
		}
	}
	own, err := s.ownAttachments(ctx, name, files)
	if err != nil {
		return err
	}
	files = append(files, own...)
	dir, err := s.newTrash(name)
	if err != nil {
		return wholefile.Explain("making the trash", err)
	}
	for _, file := range files {
		if err := s.root.RenameNew(file, path.Join(dir, file)); err != nil {
			return wholefile.Explain("moving "+file+" to the trash", err)
		}
	}
	ses.forgetFile()
	s.catalog.Drop(ctx, files)
	if err := s.dropJournal(ses); err != nil {
		return wholefile.Explain("removing its journal", err)
	}
	return nil
}

// newTrash makes the folder of one Delete. Its stamp is later than all that are
// there, also after the clock went back: the last one is the last.
func (s *Store) newTrash(name string) (string, error) {
	now := time.Now().UTC()
	all, err := s.catalog.Trash()
	if err != nil {
		return "", err
	}
	if len(all) > 0 {
		if last, err := time.Parse(catalog.TrashStamp, all[len(all)-1].Stamp); err == nil && !last.Before(now.Truncate(time.Millisecond)) {
			now = last.Add(time.Millisecond)
		}
	}
	dir := path.Join(catalog.TrashDir, now.Format(catalog.TrashStamp)+"."+name)
	return dir, s.root.MkdirAll(dir, 0o700)
}

// Undelete brings back the session of this name that was deleted last, of any
// name where it is empty, and returns its name: another one ("cli-notes-2") where a new
// session has taken it. ErrNothingDeleted where there is none. A file that stands in the place of one that comes back is kept, and is an
// error.
func (s *Store) Undelete(ctx context.Context, name string) (string, error) {
	if err := s.root.Check(); err != nil {
		return "", err
	}
	if s.root == nil {
		return "", ErrNothingDeleted
	}
	all, err := s.catalog.Trash()
	if err != nil {
		return "", wholefile.Explain("reading the trash", err)
	}
	for _, t := range slices.Backward(all) {
		if name != "" && t.Session != name {
			continue
		}
		files, err := s.catalog.TrashedFiles(t)
		if err != nil {
			return "", wholefile.Explain("reading the trash", err)
		}
		if len(files) == 0 {
			continue // emptied by hand, or brought back by hand
		}
		as, err := s.nameBack(t, files)
		if err == nil {
			err = s.undelete(ctx, t, files, as)
		}
		if err != nil {
			return "", fmt.Errorf("bringing back %s: %w", t.Session, err)
		}
		if slices.ContainsFunc(files, catalog.InArchive) {
			if err := s.state.BroughtBack(ctx, []string{as}); err != nil {
				s.logger.Warn("a session came back and its age counts from its last message on", "session", as, "err", err)
			}
		}
		return as, nil
	}
	return "", ErrNothingDeleted
}

// nameBack is the name that a deleted session comes back under.
func (s *Store) nameBack(t catalog.Trashed, files []string) (string, error) {
	taken := func(name string) (bool, error) {
		_, err := s.catalog.Locate(name)
		if errors.Is(err, ErrNotFound) {
			return s.known(name), nil
		}
		return true, err
	}
	used, err := taken(t.Session)
	inPlace := func(file string) bool { return !catalog.IsAttachment(file) && s.root.Has(file) }
	if err != nil || !used || slices.ContainsFunc(files, inPlace) { // that is refused
		return t.Session, err
	}
	for n := 2; ; n++ {
		number := "-" + strconv.Itoa(n)
		name := t.Session[:min(len(t.Session), transcript.MaxNameLen-len(number))] + number
		if used, err := taken(name); err != nil || !used {
			return name, err
		}
	}
}

// sessionLine is the line of the front matter that names the session.
var sessionLine = regexp.MustCompile(`(?m)^(session:[ \t]*)[^\r\n]*(\r?)$`)

// renameTranscript gives a file that came back another session's name, in its front matter.
func (s *Store) renameTranscript(file, name string) error {
	was, err := s.root.Lstat(file)
	if err != nil || !was.Mode().IsRegular() {
		return err
	}
	data, err := s.root.ReadRegular(file)
	if err != nil {
		return err
	}
	text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	_, size := transcript.CutFrontMatter(text)
	size += len(data) - len(text)
	front := sessionLine.ReplaceAll(data[:size], []byte("${1}"+name+"${2}"))
	return s.root.Replace(file, was, append(front, data[size:]...))
}

func (s *Store) undelete(ctx context.Context, t catalog.Trashed, files []string, as string) error {
	ses := s.session(as)
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return err
	}
	defer unlock()
	for i, file := range files {
		if as != t.Session && !catalog.IsAttachment(file) {
			files[i] = path.Join(path.Dir(file), transcript.RenameFile(path.Base(file), t.Session, as))
		}
		err := s.root.RenameNew(path.Join(t.Dir, file), files[i])
		if errors.Is(err, sessiondir.ErrTaken) && catalog.IsAttachment(file) {
			continue // attached anew meanwhile: the same content
		}
		if err != nil {
			return wholefile.Explain("moving back "+file, err)
		}
		if as != t.Session && !catalog.IsAttachment(file) {
			if err := s.renameTranscript(files[i], as); err != nil {
				return wholefile.Explain("naming "+files[i], err)
			}
		}
	}
	if !slices.ContainsFunc(files, catalog.InArchive) {
		s.beginJournal(ses)
	}
	if err := s.bringBackAttachments(files); err != nil {
		return wholefile.Explain("bringing back attached files", err)
	}
	if err := s.root.RemoveAll(t.Dir); err != nil {
		s.logger.Debug("an empty folder stays in the trash", "dir", t.Dir, "err", err)
	}
	return nil
}
