package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	dirPerm  = 0o700
	filePerm = 0o600
)

// WriteDefault writes the commented default file where none is, with permissions
// 0600, and leaves one that is there alone (a symlink to nowhere too).
func WriteDefault(file string, defaults []byte) error {
	if _, err := os.Lstat(file); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), dirPerm); err != nil {
		return fmt.Errorf("write the default settings: %w", err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write the default settings: %w", err)
	}
	if err := fill(f, defaults); err != nil {
		return fmt.Errorf("write the default settings: %w", errors.Join(err, os.Remove(file)))
	}
	return nil
}

// RemoveDefault takes away the file that WriteDefault wrote; one that was changed
// meanwhile, or is a link, stays.
func RemoveDefault(file string, defaults []byte) error {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, err := os.ReadFile(file)
	if err == nil && bytes.Equal(data, defaults) {
		err = os.Remove(file)
	}
	if err != nil {
		return fmt.Errorf("take the default settings away: %w", err)
	}
	return nil
}

// replaceFile puts data in the place of a file at once: whoever reads it sees the
// old text or the new one. A symlink is followed and stays.
func replaceFile(file string, data []byte) error {
	target, err := followLinks(file)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), dirPerm); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), ".config-*.toml") // made with 0600
	if err != nil {
		return err
	}
	err = fill(tmp, data)
	if err == nil {
		err = os.Rename(tmp.Name(), target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// fill writes, syncs and closes a file.
func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// maxLinks is how many symlinks in a row are followed.
const maxLinks = 32

// followLinks gives the file that a symlink names in the end, also where that is
// not there yet.
func followLinks(file string) (string, error) {
	for range maxLinks {
		next, err := os.Readlink(file)
		if err != nil {
			return file, nil //nolint:nilerr // no symlink: this is the file
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(file), next)
		}
		file = next
	}
	return "", fmt.Errorf("%s: too many symlinks in a row", file)
}
