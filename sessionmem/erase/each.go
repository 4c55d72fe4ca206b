package erase

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Each calls each with every block of the sessions' files as a forgetting finds them: also
// in archive, trash, copies and checkpoints, and a block as often as it occurs. Of a
// journal it passes only blocks that are nowhere else. It skips files that can't be read;
// Forget reports those. sessions are the names of the sessions to visit, nil for all.
func (e *Eraser) Each(ctx context.Context, sessions map[string]bool, each func(session, path string, b transcript.Block)) error {
	all, err := e.groups(sessions, time.Time{})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		passed := map[string]bool{} // IDs that were passed already
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
					continue // can't fail: reads from memory
				}
				path := e.dir.Path(file.File)
				for _, b := range seen.T.Blocks[from:] {
					if isJournal(file.File) && (passed[b.ID] || b.Note == transcript.NoteRemoved) {
						continue
					}
					passed[b.ID] = true
					each(name, path, b)
				}
			}
		}
	}
	return nil
}
