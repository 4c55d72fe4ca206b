package session

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"

	"mac-stats/sessionmem/journal"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// insertion is text to insert into a file.
type insertion struct {
	at   int64
	data []byte
}

// putBack puts missing blocks back where they were: behind the block that precedes them in the
// journal. A reset, a rewind or a Summary then means what it meant, whatever was written
// since.
func (s Removals) putBack(ctx context.Context) (missing []journal.Block, err error) {
	if err := s.ses.refreshToWrite(ctx); err != nil {
		return nil, err
	}
	all, lost, err := s.ses.journal.Lost()
	if err != nil || len(lost) == 0 {
		return nil, err
	}
	for id, b := range lost {
		lost[id] = s.ses.guard(b, false)
	}
	files, rest := s.insertions(all, lost)
	for _, p := range files {
		if err := s.ses.insertInto(p.part, p.what); err != nil {
			s.ses.stat = nil
			return nil, err
		}
	}
	if len(files) > 0 {
		s.ses.stat = nil
		if err := s.ses.refresh(); err != nil {
			return nil, err
		}
	}
	if len(rest) > 0 { // nothing they stood behind is left
		if _, err := s.ses.write(rest); err != nil {
			return nil, err
		}
	}
	s.ses.logger.Info("what a save had removed is restored", "session", s.ses.name, "blocks", len(lost))
	return slices.DeleteFunc(all, func(b journal.Block) bool { _, is := lost[b.ID]; return !is }), nil
}

// insertedInto holds the insertions for one of a session's files.
type insertedInto struct {
	part
	what []insertion
}

// insertions returns what to insert where. If the session has none of the blocks around
// them, the missing blocks are returned as rest.
func (s Removals) insertions(order []journal.Block, blocks map[string]transcript.Block) (files []insertedInto, rest []transcript.Block) {
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
	var before *stretch // the block before
	for _, j := range order {
		b, lost := blocks[j.ID]
		n, there := s.ses.index.Find(s.ses.index.Hash(j.ID))
		switch {
		case there && !lost:
			place := s.ses.place(n)
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

// insertInto rewrites a file with the insertions; what it holds is copied byte by byte.
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
