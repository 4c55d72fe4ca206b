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

// The app is not alone in writing config.toml: its own commands do, and people in an
// editor. Our own writers take turns by a lock. An editor's save is never lost, whenever
// it comes: what a write of ours replaced is looked at, and if it is not what was read
// before, somebody saved in between and the change is made in that instead.

const (
	lockName     = ".config.lock"
	lockPatience = 10 * time.Second
	savePatience = 3 * time.Second        // for another program's save to end
	saveLook     = 20 * time.Millisecond  // between two looks at it
	saveQuiet    = 300 * time.Millisecond // how long a file rests that nobody is saving, where the system can't tell
	mostChanges  = 20                     // by others, during one of ours
)

// ErrBusy: another program is writing the settings and takes its time.
var ErrBusy = errors.New("another program is writing it; try again")

// change replaces a file by what do makes of its text; nil stands for no file.
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
	now := text // what is in the file
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
		text = saved // somebody saved meanwhile: that is what people want
	}
	return errors.Join(ErrBusy, put(target, now, text))
}

// put leaves a text in the file, whoever saves meanwhile.
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

// lock keeps other writers of ours away, in this process and others.
func lock(file string) (unlock func(), err error) {
	l := wholefile.NewLock(filepath.Join(filepath.Dir(file), lockName))
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	if _, err := l.TryLockContext(ctx, saveLook/4); err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrBusy, err)
	}
	return func() { _ = l.Unlock() }, nil // ends with the process at the latest
}

// readSaved reads the file when nobody is saving it; nil is no file.
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

// Settle waits until nobody is saving a file, for some seconds at most: half of what
// people saved is not what they want.
func Settle(file string) { _, _ = readSaved(file) } // what can't be read is told by Load

// comesBack reports whether a file that isn't there was just moved away by an editor,
// which puts the new one there: files with its name and more are beside it.
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

// isSaving reports whether somebody is just saving a file, which can't be read or not as
// err says.
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

// replace puts after in the place of a file that holds before, nil for no file. Where
// somebody saved meanwhile it gives that, and what the file holds now.
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
	case errors.Is(err, fs.ErrNotExist): // an editor has moved it away, and puts the new one there
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

// readClosed reads the file that was replaced when nobody writes into it any more.
func readClosed(old string) ([]byte, error) {
	for deadline := time.Now().Add(savePatience); ; time.Sleep(saveLook) {
		open, known := wholefile.IsOpenForWriting(old)
		data, err := wholefile.Read(old, maxFile)
		if known && !open || !known && (len(data) > 0 || err != nil) || time.Now().After(deadline) {
			return data, err
		}
	}
}

// replaceIf is replace where files can't be exchanged: it looks at the file again
// before it takes its place.
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
