package sessionmem

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Incomplete names what a folder lacks that was moved or restored only in part.
type Incomplete struct {
	Journals []string // sessions of which there is only the journal
	Parts    []string // sessions whose first file is missing
	Keys     bool     // a key of what was forgotten is missing
}

// Incomplete looks for what is missing from the folder. It reads names, and the record of what
// was forgotten.
func (s *Store) Incomplete() (Incomplete, error) {
	if s.dir == nil {
		return Incomplete{}, nil
	}
	entries, err := s.catalog.Entries()
	if err != nil {
		return Incomplete{}, err
	}
	first := map[string]int{} // the first part that there is
	for _, e := range entries {
		if part, known := first[e.Session]; !known || e.Part < part {
			first[e.Session] = e.Part
		}
	}
	var in Incomplete
	for _, name := range slices.Sorted(maps.Keys(first)) {
		if first[name] > 1 {
			in.Parts = append(in.Parts, name)
		}
	}
	journals, err := s.dir.Names(transcript.JournalDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return in, wholefile.Wrap("reading the journals", err)
	}
	known, err := s.catalog.Names() // those in the trash too
	if err != nil {
		return in, err
	}
	slices.Sort(journals)
	for _, file := range journals {
		name, ok := strings.CutSuffix(file, transcript.FileSuffix)
		if ok && !known[name] && transcript.CheckName(name) == nil {
			in.Journals = append(in.Journals, name)
		}
	}
	in.Keys, err = s.forgotten.LacksKey()
	return in, err
}
