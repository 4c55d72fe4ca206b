package wholefile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// staleAfter is the minimum age of a temporary file that counts as abandoned. In a folder
// that machines share, the writer's process ID proves nothing.
const staleAfter = 10 * time.Minute

// Sweep removes what dead writers left in the folder at root, in all folders below it, and
// beside the targets of links there. It keeps files of running processes, files younger
// than ten minutes, and files with one of names. It returns the paths of the removed files.
//
// Folders that can't be read and files that can't be removed are reported together in the
// error. A missing root is no error.
func Sweep(ctx context.Context, root string, names ...string) (removed []string, err error) {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	var errs []error
	clean := func(path string, d fs.DirEntry) {
		if !isAbandoned(d) || slices.Contains(names, d.Name()) {
			return
		}
		if err := os.RemoveAll(path); err != nil {
			errs = append(errs, err)
			return
		}
		removed = append(removed, path)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil // it has disappeared
		case err != nil:
			errs = append(errs, err)
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			errs = append(errs, behindLink(path, clean))
			return nil
		}
		clean(path, d)
		if d.IsDir() && IsTempName(d.Name()) {
			return fs.SkipDir
		}
		return nil
	})
	return removed, errors.Join(append(errs, err)...)
}

// behindLink looks into the folder that a link leads to, or that holds the link's target.
// It goes no deeper, because that folder isn't the app's. A dangling link is no error.
func behindLink(path string, clean func(string, fs.DirEntry)) error {
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil //nolint:nilerr // a dangling link
	}
	if fi, err := os.Stat(to); err != nil || !fi.IsDir() {
		to = filepath.Dir(to)
	}
	entries, err := os.ReadDir(to)
	for _, e := range entries {
		clean(filepath.Join(to, e.Name()), e)
	}
	return err
}

// IsTempName reports whether TempName made the name.
func IsTempName(name string) bool { return tempName.MatchString(name) }

// isAbandoned reports whether a dead writer left the file behind.
func isAbandoned(d fs.DirEntry) bool {
	m := tempName.FindStringSubmatch(d.Name())
	if m == nil {
		return false
	}
	fi, err := d.Info()
	if err != nil || time.Since(fi.ModTime()) < staleAfter {
		return false
	}
	pid, err := strconv.Atoi(m[1])
	return err != nil || !Running(pid)
}
