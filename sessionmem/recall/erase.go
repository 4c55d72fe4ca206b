package recall

import (
	"context"
	"path"
	"slices"
	"strings"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/format"
)

// Erase physically removes chunks, whole sessions and whole files (paths below the data
// folder) from the index: when it returns, no byte of them is left in its files, nor of any
// chunk removed earlier. It ignores what the index doesn't hold. File names stay with the
// remaining chunks; to remove a name, erase the session and rename the file. The server
// isn't changed (see Server.Erase), but the next push removes from it what the files no
// longer hold. Erase fails with ErrBusy if another process keeps writing.
func (x *Index) Erase(ctx context.Context, ids, sessions, files []string) error {
	defer nudge(x.uploads.wake)
	defer x.indexer.Recheck() // compare the remaining sources with their files again
	return x.file.Erase(ctx, x.cfg.ErasePatience, func(now *engine.Snapshot, out *engine.Erasure) error {
		return choose(ctx, now, out, ids, sessions, files)
	})
}

// choose adds to out everything that Erase has to remove.
func choose(ctx context.Context, now *engine.Snapshot, out *engine.Erasure, ids, sessions, files []string) error {
	for _, k := range now.Sources() {
		if k == nil {
			continue
		}
		if k.Session != "" && slices.Contains(sessions, k.Session) || allIn(k, files) {
			out.Source(k)
			continue
		}
		if err := chooseFiles(ctx, now, out, k, files); err != nil {
			return err
		}
	}
	for _, id := range ids {
		if err := eachOfID(ctx, now, id, func(_ uint32, d format.Passage, k *engine.Source) { out.Passage(k, &d) }); err != nil {
			return err
		}
	}
	return nil
}

// allIn reports whether files includes every file of a source.
func allIn(k *engine.Source, files []string) bool {
	return len(k.State.Files) > 0 && !slices.ContainsFunc(paths(k), func(p string) bool { return !slices.Contains(files, p) })
}

// paths returns the files of a source, relative to the data folder.
func paths(k *engine.Source) []string {
	out := make([]string, len(k.State.Files))
	for i, f := range k.State.Files {
		out[i] = f.File
		if k.Session != "" {
			out[i] = path.Join("session", f.File)
		}
	}
	return out
}

// chooseFiles selects the chunks of single files in a session that has several.
func chooseFiles(ctx context.Context, now *engine.Snapshot, out *engine.Erasure, k *engine.Source, files []string) error {
	all := paths(k)
	if !slices.ContainsFunc(all, func(p string) bool { return slices.Contains(files, p) }) {
		return nil
	}
	return now.Each(ctx, k, func(_ uint32, d format.Passage) error {
		if d.File < len(all) && slices.Contains(files, all[d.File]) {
			out.Passage(k, &d)
		}
		return nil
	})
}

// eachOfID calls found for each passage of a chunk.
func eachOfID(ctx context.Context, now *engine.Snapshot, id string, found func(at uint32, d format.Passage, k *engine.Source)) error {
	session, _, _ := strings.Cut(id, "/")
	for _, k := range slices.Concat(now.OfSession(session), now.OfSession("")) {
		if k.Session == "" && !strings.HasPrefix(id, "memory/"+k.Key+"/") {
			continue
		}
		err := now.Each(ctx, k, func(at uint32, d format.Passage) error {
			if c, _ := corpus.ChunkOf(&d, &k.Name, k.State.Files); c.ID == id {
				found(at, d, k)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
