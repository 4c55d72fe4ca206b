package osopen

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
)

// ExportFolder returns the folder for exports: the user's downloads, or the home folder.
func ExportFolder() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for the export: %w", err)
	}
	for _, dir := range []string{xdg.UserDirs.Download, filepath.Join(home, "Downloads")} {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
			return dir, nil
		}
	}
	return home, nil
}

// Export writes data to a new file in dir, named after title, and returns its path. ext is
// like ".md".
func Export(dir, title, ext string, data []byte) (string, error) {
	base := fileName(title)
	for n := 1; n < 1000; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s (%d)", base, n)
		}
		path := filepath.Join(dir, name+ext)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("export: %w", err)
		}
		_, err = f.Write(data)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("export: %w", errors.Join(err, os.Remove(path)))
		}
		return path, nil
	}
	return "", fmt.Errorf("export: there are too many files named %s in %s", base, dir)
}

// fileName turns a title into a name that every file system accepts.
func fileName(title string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) {
			return ' '
		}
		return r
	}, title)
	clean = strings.Trim(strings.Join(strings.Fields(clean), " "), ". ")
	if r := []rune(clean); len(r) > 60 {
		clean = strings.TrimSpace(string(r[:60]))
	}
	return cmp.Or(clean, "conversation")
}
