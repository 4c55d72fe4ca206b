package sessionmem

import (
	"bytes"
	"context"
	"slices"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// EachForgettable gives every block of the sessions' files as a forgetting finds
// them: archive, trash, copies and checkpoints too, a block as often as it stands
// there; of a journal what stands nowhere else. What can't be read is left out: Forget
// tells of it.
// sessions are those to look at, nil is all.
func (s *Store) EachForgettable(ctx context.Context, sessions map[string]bool, each func(session, path string, b transcript.Block)) error {
	for _, ses := range s.all() {
		if ses.private.Load() && (sessions == nil || sessions[ses.name]) {
			ses.mu.Lock()
			blocks := slices.Clone(ses.mem)
			ses.mu.Unlock()
			for _, b := range blocks {
				each(ses.name, "", b)
			}
		}
	}
	if s.root == nil {
		return nil
	}
	all, err := s.forgettable(ForgetOptions{Sessions: sessions})
	if err != nil {
		return wholefile.Explain("looking for what is to be forgotten", err)
	}
	for _, ses := range all {
		told := map[string]bool{} // ids
		for _, group := range ses.groups {
			seen := transcript.NewCollector()
			for _, e := range group {
				if err := ctx.Err(); err != nil {
					return err
				}
				data, err := s.root.ReadRegular(e.File)
				if err != nil {
					continue
				}
				data, _ = wholefile.Decode(data)
				from := len(seen.T.Blocks)
				if seen.Read(bytes.NewReader(data)) != nil {
					continue // from memory: does not fail
				}
				path := s.root.Path(e.File)
				for _, b := range seen.T.Blocks[from:] {
					if isJournal(e.File) && (told[b.ID] || b.Note == noteRemoved) {
						continue
					}
					told[b.ID] = true
					each(ses.name, path, b)
				}
			}
		}
	}
	return nil
}

// TitlesOf gives the titles in the front matter of a session's files.
func (s *Store) TitlesOf(name string) []string {
	if s.root == nil {
		return nil
	}
	files, _ := s.catalog.Of(name) // what can't be listed is told of by Forget
	var titles []string
	for _, e := range files {
		data, err := s.root.ReadRegular(e.File)
		if err != nil {
			continue
		}
		front, _ := transcript.CutFrontMatter(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
		if title := transcript.FrontValue(front, "title"); title != "" && title != forgotten.Text {
			titles = append(titles, title)
		}
	}
	return titles
}
