package catalog

import (
	"bytes"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// maxFront is how many bytes of a file are read for its front matter.
const maxFront = 64 << 10

// claim holds what a transcript's front matter says about the session it belongs to.
type claim struct {
	stamp   wholefile.Stamp // of the file that was read
	session string          // "" if it names none
	started string          // in the form of the time in a file's name; "" if there is none
}

// claimIn reads front matter. Front matter that the app didn't write names no session.
func claimIn(front string) claim {
	name := transcript.FrontValue(front, "session")
	if !strings.HasPrefix(transcript.FrontValue(front, "format"), transcript.FormatPrefix) || transcript.CheckName(name) != nil {
		return claim{}
	}
	c := claim{session: name}
	if started, err := time.Parse(time.RFC3339, transcript.FrontValue(front, "started")); err == nil {
		c.started = started.Format(transcript.StampForm)
	}
	return c
}

// claim returns what a file's front matter says. It reads an unchanged file only once.
func (d *folder) claim(file string) claim {
	fi, err := d.dir.StatFile(file)
	if err != nil || !fi.Mode().IsRegular() {
		return claim{}
	}
	d.claiming.Lock()
	known, ok := d.claims[file]
	d.claiming.Unlock()
	if ok && known.stamp == wholefile.StampOf(fi) {
		return known
	}
	f, err := d.dir.Open(file)
	if err != nil {
		return claim{}
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, maxFront))
	if err != nil {
		return claim{}
	}
	front, _ := transcript.CutFrontMatter(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	read := claimIn(front)
	read.stamp = wholefile.StampOf(fi)
	d.claiming.Lock()
	d.claims[file] = read
	d.claiming.Unlock()
	return read
}

// EntryOf returns the entry of a file. If its name contains no session, its front matter decides.
func (d *folder) EntryOf(file string) Entry {
	e := parseEntry(file)
	if e.Stamp != "" || d.dir == nil || strings.HasPrefix(file, ".") && !strings.HasPrefix(file, TrashDir+"/") {
		return e
	}
	if name := d.claim(file).session; name != "" {
		e.Session, e.claimed = name, true
	}
	return e
}

// markClaims marks copies among files that belong to a session only by their front matter. One
// is the session if no file has the session's name: of several it is the one whose name the
// others continue ("notes", "notes copy"). If none stands out, all are copies.
func markClaims(named, claims []Set) {
	isSession := func(set Set) bool { return !set.Copy }
	original := -1
	if !slices.ContainsFunc(named, isSession) {
		original = slices.IndexFunc(claims, func(set Set) bool {
			return isSession(set) && !slices.ContainsFunc(claims, func(other Set) bool {
				return isSession(other) && !strings.Contains(other.Files[0].Stem, set.Files[0].Stem)
			})
		})
	}
	for i := range claims {
		claims[i].Copy = i != original
	}
}

// deletions holds what is in the trash, by session name.
type deletions map[string][]Trashed

func (d *folder) deletions() deletions {
	if d.dir == nil {
		return nil
	}
	all, err := d.Trash()
	if err != nil {
		d.logger.Warn("a copy of a deleted session may be taken for it", "err", err)
	}
	if len(all) == 0 {
		return nil
	}
	out := deletions{}
	for _, t := range all {
		out[t.Session] = append(out[t.Session], t)
	}
	return out
}

// isLeftover reports whether a file is a copy that was left when its session was deleted: the file
// in the trash began at the same time and has another name.
func (c *Catalog) isLeftover(e Entry, deleted []Trashed) bool {
	if len(deleted) == 0 || c.fileInfo(e).fit == fitGiven {
		return false
	}
	began := c.startStamp(e)
	for _, t := range deleted {
		files, err := c.TrashedFiles(t)
		if err != nil {
			continue // treated as missing: the file is shown as a session
		}
		for _, file := range files {
			if IsAttachment(file) {
				continue
			}
			old := c.EntryOf(path.Join(t.Dir, file))
			if began != "" && path.Base(file) != path.Base(e.File) && c.startStamp(old) == began {
				return true
			}
		}
	}
	return false
}

// startStamp returns when a transcript says it began, in the form of file names.
func (d *folder) startStamp(e Entry) string {
	if e.Stamp != "" {
		return e.Stamp
	}
	return d.claim(e.File).started
}
