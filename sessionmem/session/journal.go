package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// The journal of a session holds the blocks that the app has acknowledged, as they were
// written: a file in the transcript's own format beside the transcripts. Whoever saves
// the transcript in an editor decides what is in the session. What such a save removed is
// in no list, context or search from then on, but it is still in the journal until the
// user has it put back or agrees.
//
// A block is added after it is safe in the transcript. That costs no second fsync, and
// where it fails the turn goes on: the next block makes up for it. The journal holds each
// block once. Where it grows beyond journalMost, it goes down to the newest journalKept.
// What was removed and not decided about leaves it after removedKept. It goes with the
// session: to the archive or the trash a session goes without it. In-memory sessions
// have none.
const (
	journalMost = 32 << 20 // bytes
	journalKept = 16 << 20 // bytes
	removedKept = 30 * 24 * time.Hour
)

// journal is what this process knows of a session's journal.
type journal struct {
	stat    os.FileInfo // as it was read last; nil: it has to be read
	missing []journaled // blocks that the session's files lack
	held    int         // how many of its blocks the files hold
	whole   bool        // it holds what the files hold
	failed  bool        // the last write failed, and it was said
}

// journaled is a block in a journal.
type journaled struct {
	id      string
	at      int64
	size    int64
	kind    transcript.Kind
	message bool
	noted   time.Time // when it was first found missing; zero: it is there, or that is not noted yet
}

func journalFile(name string) string {
	return transcript.JournalDir + "/" + name + transcript.FileSuffix
}

// missing gives the blocks of the journal that the session's files lack, in their order.
// The caller holds s.mu and has brought the session up to date.
func (s *state) missing() ([]journaled, error) {
	file := journalFile(s.name)
	fi, err := s.dir.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wholefile.Explain("reading a journal", err)
	}
	if was := s.journal.stat; was != nil && os.SameFile(was, fi) && was.Size() == fi.Size() && was.ModTime().Equal(fi.ModTime()) {
		return slices.DeleteFunc(slices.Clone(s.journal.missing), func(m journaled) bool { return s.taken(m.id) }), nil
	}
	all, err := s.readJournal()
	if err != nil {
		return nil, err
	}
	s.journal.stat, s.journal.missing, s.journal.held = all.stat, all.missing, all.held
	return all.missing, nil
}

// readout is a journal as it was read.
type readout struct {
	stat    os.FileInfo
	blocks  []journaled         // each once, in order
	ids     map[uint64]struct{} // of them
	missing []journaled
	held    int   // how many of the blocks the files hold
	end     int64 // of what is whole: a power cut may have left half a block, or zeros
}

// readJournal reads the session's journal; fs.ErrNotExist where there is none.
func (s *state) readJournal() (readout, error) {
	out := readout{ids: map[uint64]struct{}{}}
	f, err := s.catalog.Open(journalFile(s.name))
	if errors.Is(err, sieve.ErrHoldsForgotten) {
		if err = s.eraser.Purge(context.Background(), s.forgotten.Traces(), s.name); err == nil {
			f, err = s.catalog.Open(journalFile(s.name))
		}
	}
	if err != nil {
		return out, wholefile.Explain("reading a journal", err)
	}
	defer f.Close()
	if out.stat, err = f.Stat(); err != nil {
		return out, wholefile.Explain("reading a journal", err)
	}
	noted := map[string]time.Time{}
	out.end = out.stat.Size()
	r := transcript.NewSizedReader(io.NewSectionReader(f, 0, out.end), out.end)
	if transcript.ReadOnlyFormat(r.Front) {
		return out, fmt.Errorf("%w: %s has a newer format than this version writes", ErrReadOnly, journalFile(s.name))
	}
	lacks := map[int]bool{}
	cut, err := s.cutShort(f, out.end)
	last := int64(0)
	for err == nil {
		raw, rerr := r.Read()
		if err = rerr; err != nil {
			break
		}
		last = raw.Offset
		b, whole := raw.Head()
		if !whole {
			b = raw.Decode()
		}
		if b.Kind == transcript.KindNote && b.Note == transcript.NoteRemoved {
			for id := range strings.FieldsSeq(b.Text) {
				if _, ok := noted[id]; !ok {
					noted[id] = b.Time
				}
			}
			continue
		}
		hash := s.index.Hash(b.ID)
		if _, twice := out.ids[hash]; b.ID == "" || !raw.Headed || twice {
			continue
		}
		out.ids[hash] = struct{}{}
		if s.taken(b.ID) {
			out.held++
		} else if s.lacks(raw.Decode()) {
			lacks[len(out.blocks)] = true
		}
		out.blocks = append(out.blocks, journaled{id: b.ID, at: raw.Offset, size: raw.Size, kind: b.Kind, message: b.IsMessage()})
	}
	if !errors.Is(err, io.EOF) {
		return out, wholefile.Explain("reading a journal", err)
	}
	if cut {
		out.end = last
		if n := len(out.blocks); n > 0 && out.blocks[n-1].at == last {
			out.held = -1 // it is brought up to date
			delete(out.ids, s.index.Hash(out.blocks[n-1].id))
			out.blocks = out.blocks[:n-1]
		}
	}
	for i, b := range out.blocks {
		if lacks[i] {
			b.noted = noted[b.id]
			out.missing = append(out.missing, b)
		}
	}
	return out, nil
}

// lacks says whether a block of the journal, whose id no block has, is missing: its
// comment alone may be gone, and what is forgotten is not missed.
func (s *state) lacks(b transcript.Block) bool {
	if b.Text == forgotten.Text || b.Kind == transcript.KindNote && b.Note == transcript.NoteRestored {
		return false
	}
	return !s.taken(transcript.DeriveID(b.Kind, b.Text))
}

// cutShort says whether a journal of that size ends within a block.
func (s *state) cutShort(f *os.File, size int64) (bool, error) {
	end := []byte{'\n'}
	if size == 0 {
		return false, nil
	}
	_, err := f.ReadAt(end, size-1)
	return end[0] != '\n', err
}
