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
	// TrashDir holds deleted sessions.
	TrashDir = ".trash"
	// TrashStamp is the layout of the UTC time at the beginning of a trash folder's name.
	TrashStamp = "20060102-150405.000"
)

// Trashed is the trash folder of one deletion; the files in it keep their paths.
type Trashed struct {
	Dir     string // in the session folder
	Stamp   string // in the form of TrashStamp
	Session string
}

// Trash returns what is in the trash, oldest first.
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

// TrashedFiles returns the paths that the files had, relative to the session folder.
func (d *folder) TrashedFiles(t Trashed) ([]string, error) {
	var files []string
	err := d.dir.WalkDir(t.Dir, func(p string, e fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(p, t.Dir+"/")
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(p, transcript.FileSuffix): // Delete moved it, whatever it is
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

// IsAttachmentName reports whether a file in session/files may have this name.
func IsAttachmentName(name string) bool { return attachmentName.MatchString(name) }

// attachmentName matches the name of a file in session/files.
var attachmentName = regexp.MustCompile(`^[0-9a-f]{64}(-\d{1,3})?\.[a-z0-9]{1,8}$`)

// IsAttachment reports whether a path below the session folder is that of an attachment.
func IsAttachment(file string) bool {
	dir, base := path.Split(file)
	return dir == transcript.FilesDir+"/" && attachmentName.MatchString(base)
}
