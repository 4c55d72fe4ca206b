package erase

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Each gives every block of the sessions' files as a forgetting finds
// them: archive, trash, copies and checkpoints too, a block as often as it stands
// there; of a journal what stands nowhere else. What can't be read is left out: Forget
// tells of it.
// sessions are those to look at, nil is all.
func (e *Eraser) Each(ctx context.Context, sessions map[string]bool, each func(session, path string, b transcript.Block)) error {
	all, err := e.groups(sessions)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		told := map[string]bool{} // ids
		for _, group := range all[name] {
			seen := transcript.NewCollector()
			for _, file := range group {
				if err := ctx.Err(); err != nil {
					return err
				}
				data, err := e.dir.ReadRegular(file.File)
				if err != nil {
					continue
				}
				data, _ = wholefile.Decode(data)
				from := len(seen.T.Blocks)
				if seen.Read(bytes.NewReader(data)) != nil {
					continue // from memory: does not fail
				}
				path := e.dir.Path(file.File)
				for _, b := range seen.T.Blocks[from:] {
					if isJournal(file.File) && (told[b.ID] || b.Note == transcript.NoteRemoved) {
						continue
					}
					told[b.ID] = true
					each(name, path, b)
				}
			}
		}
	}
	return nil
}
