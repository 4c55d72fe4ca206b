package catalog

import (
	"context"
	"path"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// FileState identifies the state of a file.
type FileState struct {
	File    string // relative to the session folder, with slashes
	Size    int64
	Changed int64  // time of the last change, ns since 1970
	Inode   uint64 // 0 if the system has none
}

// StateOf returns the FileState for a file's stamp.
func StateOf(file string, stamp wholefile.Stamp) FileState {
	return FileState{file, stamp.Size, stamp.Time, stamp.Inode}
}

// SessionFiles holds the transcript files of one conversation.
type SessionFiles struct {
	Session string
	Source  string
	Older   bool        // another file of the session's name that isn't one of its parts: read-only
	Copy    bool        // such a file is a copy
	Files   []FileState // the parts, oldest first
}

// Files returns the files of all sessions on disk, archived ones included, in the order of
// their names. It reads only folder entries, no files, so it is cheap enough to be called
// often. Sessions in memory have no files.
func (c *Catalog) Files(ctx context.Context) ([]SessionFiles, error) {
	all, err := c.Entries()
	if err != nil {
		if len(all) == 0 {
			return nil, err
		}
		c.logger.Warn("not all transcripts are found", "err", err)
	}
	folders := c.openFolders(all)
	defer folders.close()
	trash := c.deletions()
	var out []SessionFiles
	for _, same := range bySession(all) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if c.private(all[same.first].Session) {
			continue
		}
		files := []Entry{all[same.first]}
		for _, i := range same.more {
			files = append(files, all[i])
		}
		parts, others := c.ownedBy(files, trash)
		if f := c.sessionFiles(parts, folders); len(f.Files) > 0 {
			out = append(out, f)
		}
		for _, set := range others {
			if f := c.sessionFiles(set.Files, folders); len(f.Files) > 0 {
				f.Older, f.Copy = true, set.Copy
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// sessionFiles returns the states of a group of files; those gone meanwhile are left out.
func (c *Catalog) sessionFiles(group []Entry, folders openFolders) SessionFiles {
	if len(group) == 0 {
		return SessionFiles{}
	}
	out := SessionFiles{Session: group[0].Session}
	out.Source, _ = transcript.SplitName(out.Session)
	for _, e := range group {
		if stamp, ok := folders.stamp(&c.folder, e.File); ok {
			out.Files = append(out.Files, StateOf(e.File, stamp))
		}
	}
	return out
}

// State returns the current state of a file that Files returned; ok is false if it is gone or not
// a regular file.
func (d *folder) State(file string) (state FileState, ok bool) {
	if d.dir == nil {
		return FileState{}, false
	}
	stamp, ok := openFolders{}.stamp(d, file)
	return StateOf(file, stamp), ok
}

// stamp returns a file's stamp; ok is false if it is gone or not a regular file.
func (o openFolders) stamp(d *folder, file string) (wholefile.Stamp, bool) {
	dir, name := path.Split(file)
	if folder := o[dir]; folder != nil {
		if stamp, ok := wholefile.StampIn(folder, name); ok {
			return stamp, true
		}
	}
	fi, err := d.dir.StatFile(file) // a link, or a folder that can't be opened
	if err != nil || !fi.Mode().IsRegular() {
		return wholefile.Stamp{}, false
	}
	return wholefile.StampOf(fi), true
}
