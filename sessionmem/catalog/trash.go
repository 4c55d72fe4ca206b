package catalog

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
)

const (
	// TrashDir holds what was deleted.
	TrashDir = ".trash"
	// TrashStamp is the form of the time, in UTC, that the name of a folder of the trash begins with.
	TrashStamp = "20060102-150405.000"
)

// Trashed is what one Delete put into the trash: a folder with the files at the
// paths they had.
type Trashed struct {
	Dir     string // in the session folder
	Stamp   string // TrashStamp
	Session string
}

// Trash gives what is in the trash, oldest first.
func (d *folder) Trash() ([]Trashed, error) {
	names, err := d.dir.Names(TrashDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var all []Trashed
	for _, n := range names {
		if len(n) <= len(TrashStamp)+1 || n[len(TrashStamp)] != '.' {
			continue
		}
		if _, err := time.Parse(TrashStamp, n[:len(TrashStamp)]); err != nil {
			continue
		}
		all = append(all, Trashed{path.Join(TrashDir, n), n[:len(TrashStamp)], n[len(TrashStamp)+1:]})
	}
	return all, nil
}

// TrashedFiles gives the paths the files had, relative to the session folder.
func (d *folder) TrashedFiles(t Trashed) ([]string, error) {
	var files []string
	err := d.dir.WalkDir(t.Dir, func(p string, e fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(p, t.Dir+"/")
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(p, transcript.FileSuffix): // whatever it is, Delete has moved it
			files = append(files, rel)
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.Type().IsRegular() && IsAttachment(rel):
			files = append(files, rel)
		}
		return nil
	})
	return files, err
}

// IsAttachmentName says whether that is the name of a file in session/files.
func IsAttachmentName(name string) bool { return attachmentName.MatchString(name) }

// attachmentName is a file name in session/files.
var attachmentName = regexp.MustCompile(`^[0-9a-f]{64}(-\d{1,3})?\.[a-z0-9]{1,8}$`)

// IsAttachment says whether a path below the session folder is an attachment's.
func IsAttachment(file string) bool {
	dir, base := path.Split(file)
	return dir == transcript.FilesDir+"/" && attachmentName.MatchString(base)
}
