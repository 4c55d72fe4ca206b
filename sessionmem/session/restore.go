package session

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"

	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// insertion is what is put into a file.
type insertion struct {
	at   int64
	data []byte
}

// putBack puts missing blocks back where they stood: behind the block that is in front of
// them in the journal. A reset, a rewind or a Summary then means what it meant, whatever
// was said since.
func (s *state) putBack(ctx context.Context) (missing []journaled, err error) {
	if err := s.refreshToWrite(ctx); err != nil {
		return nil, err
	}
	all, err := s.readJournal()
	if err != nil || len(all.missing) == 0 {
		return nil, err
	}
	blocks, err := s.journalBlocks(all)
	if err != nil {
		return nil, err
	}
	files, rest := s.insertions(all.blocks, blocks)
	for _, p := range files {
		if err := s.insertInto(p.part, p.what); err != nil {
			s.stat = nil
			return nil, err
		}
	}
	if len(files) > 0 {
		s.stat = nil
		if err := s.refresh(); err != nil {
			return nil, err
		}
	}
	if len(rest) > 0 { // there is nothing left that they stood behind
		if _, err := s.write(rest); err != nil {
			return nil, err
		}
	}
	s.logger.Info("what a save had removed is restored", "session", s.name, "blocks", len(all.missing))
	return all.missing, nil
}

// journalBlocks gives the missing blocks of a journal that was just read, by where they
// stand in it.
func (s *state) journalBlocks(all readout) (map[int64]transcript.Block, error) {
	data, err := s.dir.ReadRegular(journalFile(s.name))
	if err != nil {
		return nil, wholefile.Explain("reading a journal", err)
	}
	blocks := make(map[int64]transcript.Block, len(all.missing))
	for _, m := range all.missing {
		if m.at+m.size > int64(len(data)) {
			return nil, fmt.Errorf("reading a journal: %w", sessiondir.ErrReplaced)
		}
		b := transcript.ParseBlock(data[m.at:m.at+m.size], m.at, m.size, false).Decode()
		if b.ID != m.id {
			return nil, fmt.Errorf("reading a journal: %w", sessiondir.ErrReplaced)
		}
		blocks[m.at] = s.guard(b, false)
	}
	return blocks, nil
}

// insertedInto is what is put into one of a session's files.
type insertedInto struct {
	part
	what []insertion
}

// insertions tells what to put where. Blocks of a session that holds none of those around
// them are given back.
func (s *state) insertions(order []journaled, blocks map[int64]transcript.Block) (files []insertedInto, rest []transcript.Block) {
	add := func(p part, at int64, b transcript.Block) {
		i := slices.IndexFunc(files, func(f insertedInto) bool { return f.file == p.file })
		if i < 0 {
			i = len(files)
			files = append(files, insertedInto{part: p})
		}
		f := &files[i]
		text := transcript.AppendBlock(nil, b)[1:] // without its blank line
		if n := len(f.what); n > 0 && f.what[n-1].at == at {
			f.what[n-1].data = append(append(f.what[n-1].data, '\n'), text...)
			return
		}
		f.what = append(f.what, insertion{at, text})
	}
	var before *stretch // the block in front
	for _, j := range order {
		b, lost := blocks[j.at]
		n, there := s.index.Find(s.index.Hash(j.id))
		switch {
		case there && !lost:
			place := s.place(n)
			if before == nil {
				for _, r := range rest {
					add(place.part, place.at, r)
				}
				rest = nil
			}
			before = &place
		case lost && before == nil:
			rest = append(rest, b)
		case lost:
			add(before.part, before.at+before.size, b)
		}
	}
	return files, rest
}

// insertInto writes a file anew with more in it: what it holds is copied byte by byte.
func (s *files) insertInto(p part, what []insertion) error {
	was, err := s.dir.Lstat(p.file)
	if err != nil {
		return wholefile.Explain("reading "+p.file, err)
	}
	if was.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("writing %s: it is a link; put the file itself in its place", p.file)
	}
	data, err := s.dir.ReadRegular(p.file)
	if err != nil {
		return wholefile.Explain("reading "+p.file, err)
	}
	if !p.sameAs(was) || int64(len(data)) != was.Size() {
		return fmt.Errorf("writing %s: %w", p.file, sessiondir.ErrReplaced)
	}
	slices.SortStableFunc(what, func(a, b insertion) int { return int(a.at - b.at) })
	var out []byte
	at := int64(0)
	for _, w := range what {
		out = append(out, data[at:w.at]...)
		at = w.at
		for !bytes.HasSuffix(out, []byte("\n\n")) && len(out) > 0 {
			out = append(out, '\n')
		}
		out = append(out, w.data...)
		if at < int64(len(data)) {
			out = append(out, '\n')
		}
	}
	out = append(out, data[at:]...)
	return s.dir.Replace(p.file, was, out)
}
