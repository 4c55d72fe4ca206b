package sessionmem

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

func mapKeys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

// forgetAttachments forgets files that only blocks link which are forgotten.
func (s *Store) forgetAttachments(ctx context.Context, t *forgotten.Traces, o ForgetOptions, all []forgettable, planned map[string][][]*cleaning) ([]forgotten.Touched, error) {
	lost := map[string]string{}                   // by attachment: a session that links it
	links := map[string][]transcript.Attachment{} // by file that is changed: what it links afterwards
	for _, ses := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := &forgetSession{s: s, t: t, o: o, name: ses.name, groups: ses.groups}
		work := f.plan()
		if len(work) > 0 && o.Dry {
			planned[ses.name] = work
		}
		for _, group := range work {
			for _, c := range group {
				for _, file := range c.lost {
					lost[file] = ses.name
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
	if err := s.keepLinked(lost, links); err != nil {
		return nil, err
	}
	var found []forgotten.Touched
	for _, file := range slices.Sorted(mapKeys(lost)) {
		found = append(found, s.removeAttachment(file, lost[file], o.Dry)...)
	}
	return found, nil
}

// keepLinked leaves only the attachments that no transcript links any more.
func (s *Store) keepLinked(lost map[string]string, links map[string][]transcript.Attachment) error {
	all, err := s.forgettable(ForgetOptions{})
	if err != nil {
		return wholefile.Explain("looking for what else links a file", err)
	}
	for _, ses := range all {
		for _, group := range ses.groups {
			for _, e := range group {
				if list, changed := links[e.File]; changed {
					for _, a := range list {
						delete(lost, a.File)
					}
					continue
				}
				data, err := s.root.ReadRegular(e.File)
				if err != nil {
					continue // refused anyway, or it links nothing
				}
				maps.DeleteFunc(lost, func(file, _ string) bool { return bytes.Contains(data, []byte(file)) })
			}
		}
	}
	return nil
}

// removeAttachment removes an attached file, in the trash too.
func (s *Store) removeAttachment(file, session string, dry bool) []forgotten.Touched {
	places := []string{path.Join(transcript.FilesDir, file)}
	all, _ := s.catalog.Trash() // none, or it can't be read: what is in it is refused
	for _, t := range all {
		places = append(places, path.Join(t.Dir, transcript.FilesDir, file))
	}
	var found []forgotten.Touched
	for _, p := range places {
		if !s.root.Has(p) {
			continue
		}
		touched := forgotten.Touched{Place: "attachment", Action: forgotten.Removed, Path: s.root.Path(p), Session: session}
		if !dry {
			if err := s.root.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
				touched.Action, touched.Why = forgotten.Refused, wholefile.WhyNot(err)
			}
		}
		found = append(found, touched)
	}
	return found
}

// forgetAttachedTexts removes attached files that hold what is meant themselves.
// They are what the user chose: only where what the user typed elsewhere goes too.
func (s *Store) forgetAttachedTexts(t *forgotten.Traces, o ForgetOptions) ([]forgotten.Touched, error) {
	var found []forgotten.Touched
	seen := map[string]bool{}
	err := s.root.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !catalog.IsAttachmentName(path.Base(p)) || !strings.HasPrefix(p, transcript.FilesDir+"/") && !strings.HasPrefix(p, catalog.TrashDir+"/") {
			return nil //nolint:nilerr // a folder that can't be read was told of
		}
		base := path.Base(p)
		if seen[base] {
			return nil
		}
		data, err := s.root.ReadRegular(p)
		if err != nil || !t.HoldsRaw(data) {
			return nil //nolint:nilerr // no file, or gone
		}
		seen[base] = true
		if !t.MeansTyped() {
			found = append(found, forgotten.Touched{Place: "attachment", Action: forgotten.Kept, Path: s.root.Path(p), Why: "a file you attached says the same; with copies it goes too"})
			return nil
		}
		return nil
	})
	if !t.MeansTyped() {
		return found, err
	}
	for _, base := range slices.Sorted(mapKeys(seen)) {
		found = append(found, s.removeAttachment(base, "", o.Dry)...)
	}
	return found, err
}

// forgetMemory forgets in what this process alone holds: private sessions, and what
// waits for the disk.
func (s *Store) forgetMemory(t *forgotten.Traces, o ForgetOptions) {
	if o.Dry {
		return
	}
	for _, ses := range s.all() {
		ses.mu.Lock()
		switch {
		case ses.private.Load():
			ses.cleanPrivate(t)
		case len(ses.unsaved.blocks) > 0:
			blocks := slices.Clone(ses.unsaved.blocks)
			for i, b := range blocks {
				blocks[i], _, _ = t.Clean(ses.name, b)
			}
			ses.setUnsaved(blocks)
			s.writeRescue(ses)
		}
		ses.inTurn = slices.DeleteFunc(ses.inTurn, func(b turnBlock) bool {
			_, _, changed := t.Clean(ses.name, b.block)
			return changed
		})
		ses.mu.Unlock()
	}
}

// cleanPrivate forgets in a session that is in memory alone.
func (ses *session) cleanPrivate(t *forgotten.Traces) {
	blocks := make([]transcript.Block, len(ses.mem))
	any := false
	for i, b := range ses.mem {
		var changed bool
		blocks[i], _, changed = t.Clean(ses.name, b)
		any = any || changed
	}
	if !any {
		return
	}
	ses.mem, ses.size = nil, 0
	ses.forgetBlocks()
	for _, b := range blocks {
		ses.mem = append(ses.mem, b)
		ses.follow(b, b.Words(), ses.size, 0)
		ses.size += int64(len(b.Text))
	}
}

// ForgetCopy forgets in a transcript that lies elsewhere: of blocks that wait for the
// disk, kept by a process that may still run, or an export. place names it.
func (s *Store) ForgetCopy(place, path string, t *forgotten.Traces, dry bool) []forgotten.Touched {
	was, err := os.Stat(path) // before it is read: its owner may still run
	if err != nil {
		return nil // written where it belongs meanwhile
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil // as above
	}
	data, _ = wholefile.Decode(data)
	front, _ := transcript.CutFrontMatter(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	name := transcript.FrontValue(front, "session")
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(path), transcript.FileSuffix)
	}
	refused := func(err error) []forgotten.Touched {
		return []forgotten.Touched{{Place: place, Action: forgotten.Refused, Path: path, Session: name, Why: wholefile.WhyNot(err)}}
	}
	look := sieve.NewCleaner(t, name) // tells whether its title goes
	if _, _, err := look.File(data, nil); err != nil {
		return refused(err)
	}
	var out bytes.Buffer
	found, changed, err := look.Again().File(data, &out)
	if err != nil {
		return refused(err)
	}
	for i := range found {
		found[i].Path, found[i].Place = path, place
		if !dry {
			found[i].Text = ""
		}
	}
	if !changed || dry {
		return found
	}
	done, err := wholefile.Replace(path, out.Bytes(), was)
	switch {
	case err != nil:
		return refused(err)
	case !done:
		return []forgotten.Touched{{Place: place, Action: forgotten.Pending, Path: path, Session: name, Why: "it was written meanwhile"}}
	}
	return found
}

// exportsOf tells of the exports of a session that is rewritten: they lie where the user
// put them, and nobody else removes them.
func (s *Store) exportsOf(session string) []forgotten.Touched {
	var found []forgotten.Touched
	for _, folder := range s.state.Exports(session) {
		found = append(found, forgotten.Touched{
			Place: "export", Action: forgotten.Kept, Path: folder, Session: session,
			Why: "the conversation was exported to this folder; remove the file by hand if it holds what you forget",
		})
	}
	return found
}
