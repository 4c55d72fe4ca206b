package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/wholefile"
)

// retryMidSave calls write until it returns something other than sessiondir.ErrMidSave, and
// with anyway once patience is over. No lock is held in between.
func retryMidSave[T any](ctx context.Context, patience time.Duration, write func(anyway bool) (T, error)) (T, error) {
	for begun := time.Now(); ; {
		anyway := time.Since(begun) > patience
		out, err := write(anyway)
		if anyway || !errors.Is(err, sessiondir.ErrMidSave) {
			return out, err
		}
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case <-time.After(saveCheck):
		}
	}
}

// How long a file that lacks blocks must be unchanged before it is written to: an editor
// that writes in place may be in the middle of it. A file that is empty or ends within a
// line must be unchanged for longer.
const (
	saveTime     = time.Second
	halfSaveTime = 3 * saveTime
	savePatience = 15 * saveTime
	saveCheck    = 50 * time.Millisecond
)

// midSave reports whether another program seems to be saving the file. The caller has brought
// the session up to date.
func (s *state) midSave() bool {
	if s.file == "" {
		return s.mayReturn()
	}
	if s.journal.IsWhole() || s.trustSaves || s.ignoreSaves || s.stat == nil {
		return false // the usual case: blocks were only added to the file
	}
	takes := saveTime
	if len(s.tail) == 0 || s.tail[len(s.tail)-1] != '\n' {
		takes = halfSaveTime
	}
	if age := time.Since(s.stat.ModTime()); age < 0 || age >= takes {
		return false
	}
	missing, err := s.journal.Missing()
	return err == nil && len(missing) > 0
}

// mayReturn reports whether a session without a file may get it back in a moment: it has a
// journal, and the folder has just changed. That is what an editor leaves that moves the file
// away before it writes the new one; a file started meanwhile would be a second one.
func (s *state) mayReturn() bool {
	if s.trustSaves || s.ignoreSaves || !s.journal.Exists() {
		return false
	}
	fi, err := s.dir.Stat(".")
	if err != nil {
		return false
	}
	age := time.Since(fi.ModTime())
	return age >= 0 && age < halfSaveTime
}

// waitForFile gives known files that are gone a moment to return: an editor may be between the
// two steps of a save.
func (s *files) waitForFile(ctx context.Context) error {
	for try := 0; s.file != "" && try < 10; try++ {
		if s.inPlace() || s.allExist() {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// refreshToWrite brings the session up to date and returns an error if it can't be written to.
func (s *state) refreshToWrite(ctx context.Context) error {
	if err := s.waitForFile(ctx); err != nil {
		return err
	}
	if err := s.refresh(); err != nil {
		return err
	}
	if converted, err := s.toUTF8(); err != nil {
		return err
	} else if converted {
		if err := s.refresh(); err != nil {
			return err
		}
	}
	if s.readOnly {
		return fmt.Errorf("%w: %s has a newer format than this version writes; update mac-stats, or start a new session", ErrReadOnly, s.file)
	}
	if slices.ContainsFunc(s.transcripts(), catalog.InArchive) {
		if err := s.bringBack(); err != nil {
			return err
		}
		return s.refresh()
	}
	return nil
}

// toUTF8 rewrites a file that an editor saved in another encoding: appended blocks are
// UTF-8. Of a charset that is a guess the bytes stay.
func (s *files) toUTF8() (converted bool, err error) {
	if s.file == "" || s.size == 0 || s.isUTF8 {
		return false, nil
	}
	f, err := s.dir.Open(s.file)
	if err != nil {
		return false, wholefile.Explain("reading "+s.file, err)
	}
	defer f.Close()
	was, err := f.Stat()
	if err != nil {
		return false, wholefile.Explain("reading "+s.file, err)
	}
	head := make([]byte, 64)
	n, _ := f.ReadAt(head, 0) // the refresh before this reported any problem
	if text, enc := wholefile.Decode(head[:n]); bytes.Equal(text, head[:n]) || enc.Charset() != "" {
		s.isUTF8 = true
		return false, nil
	}
	raw, err := io.ReadAll(io.NewSectionReader(f, 0, was.Size()))
	if err != nil {
		return false, wholefile.Explain("reading "+s.file, err)
	}
	text, enc := wholefile.Decode(raw)
	if bytes.Equal(text, raw) || enc.Charset() != "" {
		return false, nil
	}
	if err := s.dir.Replace(s.file, was, text); err != nil {
		return false, err
	}
	s.logger.Info("a transcript was saved in another encoding and is UTF-8 again", "file", s.file)
	return true, nil
}

// bringBack moves an archived transcript, with all its parts, back to the session folder to be
// written to. The caller holds the append lock and refreshes the session.
func (s *files) bringBack() error {
	for _, file := range s.transcripts() {
		if !catalog.InArchive(file) {
			continue
		}
		if err := s.dir.Move(file, path.Base(file), s.catalog.Open); err != nil {
			return err
		}
	}
	return nil
}
