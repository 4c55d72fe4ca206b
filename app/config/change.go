package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// The app isn't the only writer of config.toml: its commands write it, and people edit it.
// Our own writers take turns with a lock. An editor's save is never lost, whenever it
// happens: after a write we check what it replaced, and if that isn't what we read,
// somebody saved in between, and we make the change in their version instead.

const (
	lockName     = ".config.lock"
	lockPatience = 10 * time.Second
	savePatience = 3 * time.Second        // for another program's save to finish
	saveLook     = 20 * time.Millisecond  // between two checks
	saveQuiet    = 300 * time.Millisecond // if a file was untouched this long, nobody is saving it, on systems that can't tell
	mostChanges  = 20                     // by others during one of ours
)

// ErrBusy means that another program is taking long to write the settings.
var ErrBusy = errors.New("another program is writing it; try again")

// change replaces a file with do's version of its text; nil means that there is no file.
func change(file string, do func(data []byte) ([]byte, error)) error {
	target, err := wholefile.Through(file)
	if err != nil {
		return err
	}
	for _, dir := range []string{filepath.Dir(file), filepath.Dir(target)} {
		if err := os.MkdirAll(dir, dirPerm); err != nil {
			return err
		}
	}
	unlock, err := lock(file)
	if err != nil {
		return err
	}
	defer unlock()
	text, err := readSaved(file)
	if err != nil {
		return err
	}
	now := text // the file's content
	for range mostChanges {
		after, err := do(text)
		if err != nil {
			return errors.Join(err, put(target, now, text))
		}
		if now != nil && bytes.Equal(after, now) && bytes.Equal(text, now) {
			return nil
		}
		var saved []byte
		if now, saved, err = replace(target, now, after); err != nil || saved == nil {
			return err
		}
		text = saved // somebody saved meanwhile, and that version counts
	}
	return errors.Join(ErrBusy, put(target, now, text))
}

// put leaves a text in the file even if somebody else saves meanwhile.
func put(target string, now, text []byte) (err error) {
	for range mostChanges {
		if bytes.Equal(now, text) {
			return nil
		}
		var saved []byte
		if now, saved, err = replace(target, now, text); err != nil || saved == nil {
			return err
		}
		text = saved
	}
	return ErrBusy
}

// lock keeps our other writers away, in this and other processes.
func lock(file string) (unlock func(), err error) {
	l := wholefile.NewLock(filepath.Join(filepath.Dir(file), lockName))
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	if _, err := l.TryLockContext(ctx, saveLook/4); err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrBusy, err)
	}
	return func() { _ = l.Unlock() }, nil // released when the process ends at the latest
}

// readSaved reads the file when nobody is saving it; nil means that there is no file.
func readSaved(file string) ([]byte, error) {
	for deadline := time.Now().Add(savePatience); ; time.Sleep(saveLook) {
		data, err := readFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			if comesBack(file) && time.Now().Before(deadline) {
				continue
			}
			return nil, nil
		}
		if err == nil {
			_, err = parse(data)
		}
		if !isSaving(file, err) {
			if err != nil {
				return nil, fmt.Errorf("%w; put that right first", err)
			}
			return data, nil
		}
		if time.Now().After(deadline) {
			return nil, errors.Join(ErrBusy, err)
		}
	}
}

// Settle waits until nobody is saving a file, for a few seconds at most: a half-saved file
// isn't what the user wants.
func Settle(file string) { _, _ = readSaved(file) } // Load reports read errors

// comesBack reports whether an editor has just moved a missing file away in order to
// replace it: then there are files beside it whose names begin with its name.
func comesBack(file string) bool {
	dir := filepath.Dir(file)
	info, err := os.Stat(dir)
	if err != nil || time.Since(info.ModTime()) > savePatience/2 {
		return false
	}
	entries, err := os.ReadDir(dir)
	base := filepath.Base(file)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() != base && strings.Contains(e.Name(), base)
	})
}

// isSaving reports whether somebody is saving a file at the moment, whether or not it can
// be read (err).
func isSaving(file string, err error) bool {
	open, known := wholefile.IsOpenForWriting(file)
	if open {
		return true
	}
	info, statErr := os.Stat(file)
	if statErr != nil {
		return false
	}
	age := time.Since(info.ModTime())
	return age >= 0 && (err != nil && age < savePatience/2 || !known && age < saveQuiet)
}

// replace writes after over a file that should hold before (nil for no file). If somebody
// saved meanwhile, it returns their text as saved, and the file's content now.
func replace(target string, before, after []byte) (now, saved []byte, err error) {
	if before == nil {
		err := wholefile.Create(target, after, filePerm)
		if errors.Is(err, fs.ErrExist) {
			saved, err = readSaved(target)
			return saved, saved, err
		}
		return after, nil, err
	}
	old, err := wholefile.Swap(target, after, filePerm)
	switch {
	case errors.Is(err, wholefile.ErrNoSwap):
		return replaceIf(target, before, after)
	case errors.Is(err, fs.ErrNotExist): // an editor has moved it away to replace it
		if saved, err = readSaved(target); saved == nil && err == nil {
			return replace(target, nil, after)
		}
		return saved, saved, err
	case err != nil:
		return before, nil, err
	}
	saved, err = readClosed(old)
	if bytes.Equal(saved, before) {
		saved = nil
	}
	return after, saved, errors.Join(err, os.Remove(old))
}

// readClosed reads the replaced file as soon as nobody writes to it any more.
func readClosed(old string) ([]byte, error) {
	for deadline := time.Now().Add(savePatience); ; time.Sleep(saveLook) {
		open, known := wholefile.IsOpenForWriting(old)
		data, err := wholefile.Read(old, maxFile)
		if known && !open || !known && (len(data) > 0 || err != nil) || time.Now().After(deadline) {
			return data, err
		}
	}
}

// replaceIf is replace on systems that can't exchange files: it checks the file again just
// before it replaces it.
func replaceIf(target string, before, after []byte) (now, saved []byte, err error) {
	done, err := wholefile.WriteIf(target, after, filePerm, func() bool {
		now, err = wholefile.Read(target, maxFile)
		return err == nil && bytes.Equal(now, before)
	})
	switch {
	case err != nil || done:
		return after, nil, err
	case now == nil:
		return replace(target, nil, after)
	}
	return now, now, nil
}
