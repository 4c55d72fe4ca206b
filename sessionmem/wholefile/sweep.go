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

	"mac-stats/sessionmem/alive"
)

// staleAfter is how old a temporary file is at least that is taken for left behind:
// on a folder that machines share, the writer's number says nothing.
const staleAfter = 10 * time.Minute

// Sweep removes what dead writers left in the folder at root and all below it, and
// beside the files that links there lead to. What a running process writes stays, and
// so does what is younger than ten minutes, or has one of the names. It gives the paths that
// are gone.
//
// A folder that can't be read, or a file that can't be removed, is told of in the
// error beside the others; a root that isn't there is none.
func Sweep(ctx context.Context, root string, names ...string) (removed []string, err error) {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	var errs []error
	clean := func(path string, d fs.DirEntry) {
		if !isLeft(d) || slices.Contains(names, d.Name()) {
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
			return nil // gone meanwhile
		case err != nil:
			errs = append(errs, err)
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			errs = append(errs, behindLink(path, clean))
			return nil
		}
		clean(path, d)
		if d.IsDir() && ours(d.Name()) {
			return fs.SkipDir
		}
		return nil
	})
	return removed, errors.Join(append(errs, err)...)
}

// behindLink looks through the folder that holds what a link leads to, or is it: no
// further, it is not ours. A link that leads nowhere is none.
func behindLink(path string, clean func(string, fs.DirEntry)) error {
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil //nolint:nilerr // there is nothing behind it
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

// ours says whether TempName gave the name.
func ours(name string) bool { return tempName.MatchString(name) }

// isLeft says whether a dead writer left it behind.
func isLeft(d fs.DirEntry) bool {
	m := tempName.FindStringSubmatch(d.Name())
	if m == nil {
		return false
	}
	fi, err := d.Info()
	if err != nil || time.Since(fi.ModTime()) < staleAfter {
		return false
	}
	pid, err := strconv.Atoi(m[1])
	return err != nil || !alive.Process(pid)
}
