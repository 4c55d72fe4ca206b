package journal

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

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

const (
	maxBytes  = 32 << 20
	keptBytes = 16 << 20

	// RemovedKept is how long removed blocks are kept if nobody decides about them.
	RemovedKept = 30 * 24 * time.Hour
)

// Session is what a journal needs from its session, which is up to date.
type Session interface {
	// Index returns where the blocks are, those of the files first.
	Index() *branch.Index
	// Stored returns how many blocks are in the files, and the offset at which they end.
	Stored() (blocks int, end int64)
	// Read reads whole blocks of the files by their numbers.
	Read(numbers []uint32, each func(transcript.Block) error) error
}

// Journal is the journal of one session.
type Journal struct {
	in      *Folder
	name    string
	file    string
	session Session

	stat    os.FileInfo // as last read; nil: it must be read
	missing []Block     // what was missing from the session's files at that time
	held    int         // how many of its blocks are in the files
	whole   bool        // it holds everything the files hold
	failed  bool        // the last write failed, and that was logged
}

// Block is a block in a journal.
type Block struct {
	ID       string
	Message  bool
	at, size int64
	noted    time.Time // when it was first found missing; zero: it isn't missing, or that isn't noted yet
}

// Of returns the journal of a session.
func (f *Folder) Of(name string, session Session) *Journal {
	return &Journal{in: f, name: name, file: fileOf(name), session: session}
}

func fileOf(name string) string {
	return transcript.JournalDir + "/" + name + transcript.FileSuffix
}

// Exists reports whether the session has a journal.
func (j *Journal) Exists() bool { return j.in.Dir.Has(j.file) }

// Forget drops what is known of the journal: the files may now lack something else.
func (j *Journal) Forget() { j.stat, j.whole = nil, false }

// IsWhole reports whether the journal is known to hold everything the session's files hold.
func (j *Journal) IsWhole() bool { return j.whole }

// Missing returns the journal's blocks that the session's files lack, in order.
func (j *Journal) Missing() ([]Block, error) {
	fi, err := j.in.Dir.Stat(j.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wholefile.Explain("reading a journal", err)
	}
	if was := j.stat; was != nil && os.SameFile(was, fi) && was.Size() == fi.Size() && was.ModTime().Equal(fi.ModTime()) {
		return slices.DeleteFunc(slices.Clone(j.missing), func(m Block) bool { return j.has(m.ID) }), nil
	}
	all, err := j.read()
	if err != nil {
		return nil, err
	}
	j.stat, j.missing, j.held = all.stat, all.missing, all.held
	return all.missing, nil
}

// Lost returns all blocks of the journal in order, and as lost those that the session's files
// lack, as they were written.
func (j *Journal) Lost() (all []Block, lost map[string]transcript.Block, err error) {
	read, err := j.read()
	if err != nil || len(read.missing) == 0 {
		return nil, nil, err
	}
	data, err := j.in.Dir.ReadRegular(j.file)
	if err != nil {
		return nil, nil, wholefile.Explain("reading a journal", err)
	}
	lost = make(map[string]transcript.Block, len(read.missing))
	for _, m := range read.missing {
		if m.at+m.size > int64(len(data)) {
			return nil, nil, fmt.Errorf("reading a journal: %w", sessiondir.ErrReplaced)
		}
		b := transcript.ParseBlock(data[m.at:m.at+m.size], m.at, m.size, false).Decode()
		if b.ID != m.ID {
			return nil, nil, fmt.Errorf("reading a journal: %w", sessiondir.ErrReplaced)
		}
		lost[b.ID] = b
	}
	return read.blocks, lost, nil
}

// Accept drops what the session's files lack, and returns it.
func (j *Journal) Accept() ([]Block, error) {
	all, err := j.read()
	if err != nil || len(all.missing) == 0 {
		return nil, err
	}
	return all.missing, j.rewrite(all, all.missing)
}

// Remove removes the journal of a session that is deleted or archived.
func (j *Journal) Remove() error {
	j.reset()
	return wholefile.Wrap("removing its journal", j.in.Dir.RemoveIfThere(j.file))
}

// reset drops what is known of a journal that has been replaced.
func (j *Journal) reset() {
	j.stat, j.missing, j.held, j.whole, j.failed = nil, nil, 0, false, false
}

// has reports whether the session has a block of that ID.
func (j *Journal) has(id string) bool { return j.session.Index().Has(id) }

// contents is a journal as read.
type contents struct {
	stat    os.FileInfo
	blocks  []Block             // each once, in order
	ids     map[uint64]struct{} // of the blocks
	missing []Block
	held    int   // how many of the blocks are in the files
	end     int64 // of the complete part: a power cut may have left half a block, or zeros
}

// open opens the journal; what was forgotten is removed first.
func (j *Journal) open() (*os.File, error) {
	f, err := j.in.Catalog.Open(j.file)
	if errors.Is(err, sieve.ErrHoldsForgotten) {
		if err = j.in.Purge(context.Background(), j.name); err == nil {
			f, err = j.in.Catalog.Open(j.file)
		}
	}
	return f, err
}

// read reads the journal; fs.ErrNotExist if there is none.
func (j *Journal) read() (contents, error) {
	out := contents{ids: map[uint64]struct{}{}}
	f, err := j.open()
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
		return out, fmt.Errorf("%w: %s has a newer format than this version writes", transcript.ErrReadOnly, j.file)
	}
	lacks := map[int]bool{}
	cut, err := isCutShort(f, out.end)
	last := int64(0)
	x := j.session.Index()
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
		hash := x.Hash(b.ID)
		if _, twice := out.ids[hash]; b.ID == "" || !raw.Headed || twice {
			continue
		}
		out.ids[hash] = struct{}{}
		if j.has(b.ID) {
			out.held++
		} else if j.isMissed(raw.Decode()) {
			lacks[len(out.blocks)] = true
		}
		out.blocks = append(out.blocks, Block{ID: b.ID, at: raw.Offset, size: raw.Size, Message: b.IsMessage()})
	}
	if !errors.Is(err, io.EOF) {
		return out, wholefile.Explain("reading a journal", err)
	}
	if cut {
		out.end = last
		if n := len(out.blocks); n > 0 && out.blocks[n-1].at == last {
			out.held = -1 // it is being brought up to date
			delete(out.ids, x.Hash(out.blocks[n-1].ID))
			out.blocks = out.blocks[:n-1]
		}
	}
	for i, b := range out.blocks {
		if lacks[i] {
			b.noted = noted[b.ID]
			out.missing = append(out.missing, b)
		}
	}
	return out, nil
}

// isMissed reports whether a block of the journal whose ID no block has is missing: perhaps
// only its comment is gone, and forgotten text is not missed.
func (j *Journal) isMissed(b transcript.Block) bool {
	if b.Text == forgotten.Text || b.Kind == transcript.KindNote && b.Note == transcript.NoteRestored {
		return false
	}
	return !j.has(transcript.DeriveID(b.Kind, b.Text))
}

// isCutShort reports whether a journal of that size ends within a block.
func isCutShort(f *os.File, size int64) (bool, error) {
	end := []byte{'\n'}
	if size == 0 {
		return false, nil
	}
	_, err := f.ReadAt(end, size-1)
	return end[0] != '\n', err
}
