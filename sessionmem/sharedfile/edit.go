package sharedfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/wholefile"
)

// Edit replaces the text of a file that people own with the result of change: following
// links, and keeping mode and encoding. What change adds at the end is appended to the file
// as it is, so that a program that has it open goes on writing into the same file; any other
// change replaces it atomically. Edit waits for another program's save to finish, and starts
// again if the file was edited meanwhile. The caller holds the lock. Errors: ErrLater in its
// forms ErrSaving if the save takes long, ErrReadOnly, and ErrAway for a file that was there
// before; errors of change; errors of the disk.
func (f *Files) Edit(ctx context.Context, path string, change func(raw []byte) ([]byte, error)) error {
	return f.EditAs(ctx, path, Editing{Patience: Patience}, change)
}

// Editing holds the options of an edit for when another program is saving the file.
type Editing struct {
	Patience time.Duration // how long to wait for the save
	Waiting  func() error  // called before waiting; may be nil
	Overdue  bool          // it has waited long enough: a program that never rests is writing the file
	takeOver bool          // the edit adopts what another program saved
}

// EditAs is Edit with options. It stops waiting when ctx ends.
func (f *Files) EditAs(ctx context.Context, path string, how Editing, change func(raw []byte) ([]byte, error)) error {
	deadline := time.Now().Add(how.Patience)
	for tries := 0; tries < memoryTries; {
		real, err := ownFile(path)
		if err != nil {
			return wholefile.Explain("writing "+filepath.Base(path), err)
		}
		raw, was, err := wholefile.ReadRaw(real)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wholefile.Explain("reading "+filepath.Base(path), err)
		}
		text, enc := wholefile.Decode(raw)
		if !how.Overdue && f.isMidSave(real, was, memorytext.Normalize(text), f.knownState(path, real, was)) {
			if how.Waiting != nil {
				if err := how.Waiting(); err != nil {
					return err
				}
				how.Waiting = nil
			}
			if !time.Now().Before(deadline) || ctx.Err() != nil {
				return fmt.Errorf("writing %s: %w; try again when it is done", filepath.Base(path), ErrSaving)
			}
			select {
			case <-ctx.Done():
			case <-time.After(savingLook):
			}
			continue
		}
		if was == nil {
			if err := f.away(path); err != nil {
				return err
			}
		}
		if isBinary(text) {
			return notText(path)
		}
		out, err := change(text)
		if err != nil {
			return err
		}
		if bytes.Equal(out, text) && was != nil {
			return nil
		}
		if was != nil && !isWritable(real, was) {
			return fmt.Errorf("%s: %w", filepath.Base(path), ErrReadOnly)
		}
		var done bool
		if was != nil && bytes.HasPrefix(out, text) && bytes.Equal(enc.Encode(text), raw) {
			done, err = wholefile.Append(real, enc.Encode(out)[len(raw):], was)
		} else {
			done, err = f.replaceOwned(path, real, enc.Encode(out), raw, was)
		}
		if err != nil {
			return wholefile.Explain("writing "+filepath.Base(path), err)
		}
		if done {
			return f.noteEdit(path, real, text, out, !how.takeOver)
		}
		tries++
	}
	return fmt.Errorf("writing %s: another program keeps changing it; try again", filepath.Base(path))
}

// knownState returns what is known about a file before it is read for a write.
func (f *Files) knownState(path, real string, fi os.FileInfo) knownFile {
	var k knownFile
	isOwn := func(stamp wholefile.Stamp) bool { return fi != nil && wholefile.StampOf(fi) == stamp }
	if stamp, ok := f.journal.stamp(path); ok {
		k.size, k.own = stamp.Size, isOwn(stamp)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if stamp, ok := f.own[real]; ok {
		k.size = max(k.size, stamp.Size)
		k.own = k.own || isOwn(stamp)
	}
	if r, ok := f.read[path]; ok && r.Stat != nil {
		k.size, k.text = r.Stat.Size(), r.text
	}
	return k
}

// replaceOwned replaces a file. The old file keeps a second name meanwhile, because a
// program that has it open may go on writing there.
func (f *Files) replaceOwned(path, real string, data, before []byte, was os.FileInfo) (bool, error) {
	link := ""
	if was != nil {
		link = filepath.Join(filepath.Dir(real), wholefile.TempName(filepath.Base(real)))
		if err := os.Link(real, link); err != nil {
			link = "" // the file system has no hard links: what other programs still write is lost
		}
	}
	done, err := wholefile.Replace(real, data, was)
	if err != nil && was != nil { // a mounted file, or a folder that may not be written
		if link != "" {
			err = errors.Join(err, os.Remove(link))
		}
		done, inPlace := wholefile.Overwrite(real, data, was)
		if inPlace == nil {
			return done, nil
		}
		return false, errors.Join(err, inPlace)
	}
	if done {
		if err := wholefile.SyncFolder(filepath.Dir(real)); err != nil {
			f.p.Logger.Warn("a memory's folder could not be synced: a power cut now could bring the file before this write back", "path", real, "err", err)
		}
	}
	if link == "" {
		return done, err
	}
	old := replaced{File: path, Link: link, Stamp: wholefile.StampOf(was), Sum: sumOf(before), At: time.Now()}
	if done && old.mayGrow() {
		f.journal.note(func(j *journal) { j.Replaced = append(j.Replaced, old) })
		return done, err
	}
	return done, errors.Join(err, os.Remove(link))
}

// isWritable reports whether its owner lets a file be written.
func isWritable(path string, fi os.FileInfo) bool {
	if fi.Mode().Perm()&0o200 == 0 {
		return false
	}
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		err = w.Close()
	}
	return !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS)
}

// noteEdit records what an edit by the app did to a memory file: its new state, the lessons
// that are new, and the lines that the edit removed. knowingly is false for an edit that
// adopts another program's save: it removes no line on purpose.
func (f *Files) noteEdit(path, real string, before, after []byte, knowingly bool) error {
	fi, err := os.Stat(real)
	if err != nil {
		return wholefile.Explain("reading "+filepath.Base(path)+" back", err)
	}
	f.mu.Lock()
	f.own[real] = wholefile.StampOf(fi)
	f.mu.Unlock()
	if !f.p.Journaled(path) {
		return nil
	}
	f.journal.noteEdit(path, wholefile.StampOf(fi), before, after, knowingly)
	f.p.Changed()
	return nil
}
