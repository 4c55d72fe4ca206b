package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mac-stats/sessionmem/wholefile"
)

const (
	dirPerm  = 0o700
	filePerm = 0o600
)

// WriteDefault writes the commented default file with mode 0600 unless a file exists (even
// a broken symlink).
func WriteDefault(file string, defaults []byte) error {
	if _, err := os.Lstat(file); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), dirPerm); err != nil {
		return fmt.Errorf("write the default settings: %w", err)
	}
	_, err := wholefile.WriteIf(file, defaults, filePerm, func() bool {
		_, err := os.Lstat(file)
		return errors.Is(err, fs.ErrNotExist)
	})
	if err != nil {
		return fmt.Errorf("write the default settings: %w", err)
	}
	return nil
}

// RemoveDefault removes the file that WriteDefault wrote, unless it has been changed or is
// a link.
func RemoveDefault(file string, defaults []byte) error {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, err := wholefile.Read(file, maxFile)
	if err == nil && bytes.Equal(data, defaults) {
		err = os.Remove(file)
	}
	if err != nil {
		return fmt.Errorf("take the default settings away: %w", err)
	}
	return nil
}
