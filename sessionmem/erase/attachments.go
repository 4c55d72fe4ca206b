package erase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Attachments removes the attached files that only forgotten blocks link to.
func (f *Forgetting) Attachments(ctx context.Context) ([]forgotten.Touched, error) {
	lost := map[string]string{}                   // by attachment: a session that links to it
	links := map[string][]transcript.Attachment{} // by changed file: the links it has afterwards
	for _, ses := range f.sessions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, group := range ses.planned() {
			for _, c := range group {
				for _, file := range c.lost {
					lost[file] = ses.Name
				}
				if c.out != nil {
					links[c.File] = transcript.Attachments(string(c.out))
				}
			}
		}
	}
	if len(lost) == 0 {
		return nil, nil
	}
	if err := f.e.excludeLinked(lost, links); err != nil {
		return nil, err
	}
	var found []forgotten.Touched
	for _, file := range slices.Sorted(maps.Keys(lost)) {
		found = append(found, f.e.removeAttachment(file, lost[file], f.dry)...)
	}
	return found, nil
}

// excludeLinked removes from lost the attachments that a transcript still links to.
func (e *Eraser) excludeLinked(lost map[string]string, links map[string][]transcript.Attachment) error {
	all, err := e.groups(nil, time.Time{})
	if err != nil {
		return fmt.Errorf("looking for what else links a file: %w", err)
	}
	for _, groups := range all {
		for _, group := range groups {
			for _, file := range group {
				if list, changed := links[file.File]; changed {
					for _, a := range list {
						delete(lost, a.File)
					}
					continue
				}
				data, err := e.dir.ReadRegular(file.File)
				if err != nil {
					continue // it is refused anyway, or has no links
				}
				maps.DeleteFunc(lost, func(file, _ string) bool { return bytes.Contains(data, []byte(file)) })
			}
		}
	}
	return nil
}

// removeAttachment deletes an attached file, also in the trash.
func (e *Eraser) removeAttachment(file, session string, dry bool) []forgotten.Touched {
	places := []string{path.Join(transcript.FilesDir, file)}
	all, _ := e.catalog.Trash() // no trash, or one that can't be read: its content is refused
	for _, t := range all {
		places = append(places, path.Join(t.Dir, transcript.FilesDir, file))
	}
	var found []forgotten.Touched
	for _, p := range places {
		if !e.dir.Has(p) {
			continue
		}
		touched := forgotten.Touched{Place: "attachment", Action: forgotten.Removed, Path: e.dir.Path(p), Session: session}
		if !dry {
			if err := e.dir.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
				touched.Action, touched.Why = forgotten.Refused, wholefile.WhyNot(err)
			}
		}
		found = append(found, touched)
	}
	return found
}

// AttachedTexts removes attached files that hold matching text. The user chose these files,
// so this applies only if what the user typed elsewhere goes too.
func (f *Forgetting) AttachedTexts() ([]forgotten.Touched, error) {
	var found []forgotten.Touched
	seen := map[string]bool{}
	err := f.e.dir.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !catalog.IsAttachmentName(path.Base(p)) || !strings.HasPrefix(p, transcript.FilesDir+"/") && !strings.HasPrefix(p, catalog.TrashDir+"/") {
			return nil //nolint:nilerr // an unreadable folder was reported already
		}
		base := path.Base(p)
		if seen[base] {
			return nil
		}
		data, err := f.e.dir.ReadRegular(p)
		if err != nil || !f.t.HoldsRaw(data) {
			return nil //nolint:nilerr // not a file, or gone
		}
		seen[base] = true
		if !f.t.Own().Typed {
			found = append(found, forgotten.Touched{Place: "attachment", Action: forgotten.Kept, Path: f.e.dir.Path(p), Why: "a file you attached says the same; with copies it goes too"})
			return nil
		}
		return nil
	})
	if !f.t.Own().Typed {
		return found, err
	}
	for _, base := range slices.Sorted(maps.Keys(seen)) {
		found = append(found, f.e.removeAttachment(base, "", f.dry)...)
	}
	return found, err
}
