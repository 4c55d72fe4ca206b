package catalog

import (
	"context"
	"path"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// FileState tells whether a file is as it was.
type FileState struct {
	File    string // relative to the session folder, with slashes
	Size    int64
	Changed int64  // time of the last change, ns since 1970
	Inode   uint64 // 0 where the system has none
}

// StateOf is the state of a file with this stamp.
func StateOf(file string, stamp wholefile.Stamp) FileState {
	return FileState{file, stamp.Size, stamp.Time, stamp.Inode}
}

// SessionFiles is the transcript files of one conversation.
type SessionFiles struct {
	Session string
	Source  string
	Older   bool        // another file of a session's name, not one of its parts: read-only
	Copy    bool        // such a file that is a copy
	Files   []FileState // the parts, oldest first
}

// Files gives the files of all sessions on disk, archived ones too, in the order of
// their names. It looks at their entries in the folders alone and reads none, so that
// it is cheap enough to be asked often. Sessions in memory have none.
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

// sessionFiles asks for the files of a group; those gone meanwhile are left out.
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

// State gives the state of a file that Files told of before; ok is false for what is
// gone or no regular file.
func (d *folder) State(file string) (state FileState, ok bool) {
	if d.dir == nil {
		return FileState{}, false
	}
	stamp, ok := openFolders{}.stamp(d, file)
	return StateOf(file, stamp), ok
}

// stamp asks for a file; ok is false for what is gone or no regular file.
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
