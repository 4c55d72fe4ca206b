package sharedfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// Edit replaces the text of a file that people own with the result of change: following
// links, and keeping mode and encoding. What change adds at the end is appended to the file
// as it is, so that a program that has it open goes on writing into the same file; any other
// change replaces it atomically. Edit starts again if the file was edited meanwhile. The
// caller holds the lock, taken by LockStill. Errors: ErrLater in its forms ErrReadOnly,
// ErrCharset, and ErrAway for a file that was there before; errors of change; errors of the disk.
func (f *Files) Edit(path string, change func(raw []byte) ([]byte, error)) error {
	return f.edit(path, true, change)
}

// edit is Edit. knowingly is false for an edit that adopts what another program saved.
func (f *Files) edit(path string, knowingly bool, change func(raw []byte) ([]byte, error)) error {
	for range memoryTries {
		real, err := f.ownFile(path)
		if err != nil {
			return wholefile.Explain("writing "+filepath.Base(path), err)
		}
		raw, was, err := wholefile.ReadRaw(real)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wholefile.Explain("reading "+filepath.Base(path), err)
		}
		text, enc := wholefile.Decode(raw)
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
		data, ok := enc.Encode(out)
		if !ok {
			return fmt.Errorf("%s: %w", filepath.Base(path), ErrCharset)
		}
		if was != nil && bytes.HasPrefix(out, text) && bytes.HasPrefix(data, raw) {
			done, err = wholefile.Append(real, data[len(raw):], was)
		} else {
			done, err = f.replaceOwned(path, real, data, raw, was)
		}
		if err != nil {
			return wholefile.Explain("writing "+filepath.Base(path), err)
		}
		if done {
			return f.noteEdit(path, real, text, out, knowingly)
		}
	}
	return fmt.Errorf("writing %s: another program keeps changing it; try again", filepath.Base(path))
}

// knownState returns what is known about a file before it is read or written.
func (f *Files) knownState(path, real string, fi os.FileInfo) knownFile {
	var k knownFile
	isOwn := func(stamp wholefile.Stamp) bool { return fi != nil && wholefile.StampOf(fi) == stamp }
	if stamp, ok := f.journal.stamp(path); ok {
		k.size, k.own, k.there = stamp.Size, isOwn(stamp), true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if stamp, ok := f.own[real]; ok {
		k.size = max(k.size, stamp.Size)
		k.own, k.there = k.own || isOwn(stamp), true
	}
	if r, ok := f.read[path]; ok && r.Stat != nil {
		k.size, k.there = r.Stat.Size(), true
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
		f.journal.note(func(on *journal) { on.Files[f.journal.rel(path)] = wholefile.StampOf(fi) })
		return nil
	}
	f.journal.noteEdit(path, wholefile.StampOf(fi), before, after, knowingly)
	f.p.Changed()
	return nil
}
