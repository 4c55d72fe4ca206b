package recall

import (
	"context"
	"path"
	"slices"
	"strings"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
)

// Erase physically removes chunks, whole sessions and whole files (paths below the data
// folder) from the index: when it returns, no byte of them is left in its files, nor of any
// chunk removed earlier. It ignores what the index doesn't hold. File names stay with the
// remaining chunks; to remove a name, erase the session and rename the file. The next
// copy removes from the server what the files no longer hold. Erase fails with ErrBusy if another process keeps writing.
func (x *Index) Erase(ctx context.Context, ids, sessions, files []string) error {
	defer nudge(x.mirror.wake)
	defer x.compared.forget() // compare the remaining sources with their files again
	return x.file.Erase(ctx, x.cfg.ErasePatience, func(now *index.Snapshot) (sources []string, places []index.Place, err error) {
		for _, k := range now.Sources() {
			all := paths(k)
			named := func(p string) bool { return slices.Contains(files, p) }
			switch {
			case k.Session != "" && slices.Contains(sessions, k.Session), len(all) > 0 && !slices.ContainsFunc(all, func(p string) bool { return !named(p) }):
				sources = append(sources, k.Key)
			case slices.ContainsFunc(all, named): // of a session that has several
				err = now.Each(ctx, k, func(at uint32, d *index.Passage) error {
					if d.File < len(all) && named(all[d.File]) {
						places = append(places, now.Place(at))
					}
					return nil
				})
				if err != nil {
					return nil, nil, err
				}
			}
		}
		for _, id := range ids {
			if err := eachOfID(ctx, now, id, func(at uint32, _ *index.Passage, _ *index.Indexed) { places = append(places, now.Place(at)) }); err != nil {
				return nil, nil, err
			}
		}
		return sources, places, nil
	})
}

// paths returns the files of a source, relative to the data folder.
func paths(k *index.Indexed) []string {
	if k.Session == "" {
		return k.Files
	}
	out := make([]string, len(k.Files))
	for i, f := range k.Files {
		out[i] = path.Join("session", f)
	}
	return out
}

// eachOfID calls found for each passage of a chunk.
func eachOfID(ctx context.Context, now *index.Snapshot, id string, found func(at uint32, d *index.Passage, k *index.Indexed)) error {
	session, _, _ := strings.Cut(id, "/")
	for _, k := range now.Sources() {
		if k.Session != session && (k.Session != "" || !strings.HasPrefix(id, "memory/"+k.Key+"/")) {
			continue
		}
		err := now.Each(ctx, k, func(at uint32, d *index.Passage) error {
			if c, _ := corpus.ChunkOf(d, &k.Source); c.ID == id {
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
