package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// heldTexts holds the blocks that are in the context, by their numbers in the index. Others
// are read from the file on demand.
type heldTexts struct {
	blocks map[uint32]transcript.Block
	bytes  int
}

// heldMore is how many blocks are held beyond the context.
const heldMore = 64

// put holds a block whose text form has that size. A very long block is always read from
// the file, cut, just as it would be after a restart.
func (t *heldTexts) put(n uint32, b transcript.Block, size int) {
	if size > transcript.BlockLimit {
		return
	}
	if len(t.blocks) > 2*branch.MaxMessages || t.bytes > 2*branch.MaxBytes {
		*t = heldTexts{}
	}
	if t.blocks == nil {
		t.blocks = map[uint32]transcript.Block{}
	}
	t.blocks[n] = b
	t.bytes += size
}

// keep drops all blocks but these.
func (t *heldTexts) keep(numbers []uint32) {
	if len(t.blocks) < 2*len(numbers)+heldMore && t.bytes <= 2*branch.MaxBytes {
		return
	}
	old := t.blocks
	*t = heldTexts{}
	for _, n := range numbers {
		if b, ok := old[n]; ok {
			t.put(n, b, len(b.Text)+len(b.Context))
		}
	}
}

// blockSource reads blocks of a session: from memory if held, otherwise from its file. The
// caller holds ses.mu and closes it.
type blockSource struct {
	s    *state
	f    *os.File // opened on demand
	of   string   // the part that f belongs to
	buf  []byte   // what was read last
	from int64    // its offset in f
}

// readAhead is how many bytes are read at once if blocks are read in the order of the file.
const readAhead = 64 << 10

func (s *state) source() *blockSource { return &blockSource{s: s} }

func (r *blockSource) close() {
	if r.f != nil {
		_ = r.f.Close() // read only
	}
}

// block returns a block by its number, its text cut at transcript.BlockLimit.
func (r *blockSource) block(n uint32) (transcript.Block, error) {
	ses := r.s
	if b := ses.withoutFile(n); b != nil {
		return *b, nil
	}
	if b, ok := ses.texts.blocks[n]; ok {
		return b, nil
	}
	raw, err := r.read(n, transcript.BlockLimit)
	if err != nil {
		return transcript.Block{}, err
	}
	b := raw.Decode()
	if ses.index.IsDerived(n) {
		b.ID = ses.index.DerivedID(n, raw.Derived())
	}
	if more := raw.Size - int64(len(raw.Raw)); more > 0 {
		b.Text += fmt.Sprintf("\n\n[… %d more bytes stand in the transcript alone]", more)
	}
	if ses.index.Hash(b.ID) != ses.index.ID(n) {
		return transcript.Block{}, fmt.Errorf("reading %s: %w", ses.file, sessiondir.ErrReplaced)
	}
	ses.texts.put(n, b, int(raw.Size))
	return b, nil
}

// read reads a block as it is in the file, at most limit bytes of it; 0 means all.
func (r *blockSource) read(n uint32, limit int64) (transcript.RawBlock, error) {
	where := r.s.place(n)
	if err := r.open(where.part); err != nil {
		return transcript.RawBlock{}, err
	}
	length := where.size
	if limit > 0 {
		length = min(length, limit)
	}
	if skip, held := where.at-r.from, int64(len(r.buf)); skip < 0 || skip+length > held {
		want := length
		if held > 0 && skip >= 0 && skip <= held+readAhead {
			want = max(length, readAhead)
		}
		buf := slices.Grow(r.buf[:0], int(want))[:want]
		n, err := r.f.ReadAt(buf, where.at)
		r.buf, r.from = buf[:n], where.at
		switch {
		case int64(n) >= length:
		case errors.Is(err, io.EOF):
			return transcript.RawBlock{}, fmt.Errorf("reading %s: %w", where.file, sessiondir.ErrReplaced) // an editor has just cut the file short
		default:
			return transcript.RawBlock{}, wholefile.Explain("reading "+where.file, err)
		}
	}
	raw := r.buf[where.at-r.from:][:length:length]
	return transcript.ParseBlock(raw, where.at, where.size, where.bare), nil
}

// open opens a part if it is still the file that the session was read from.
func (r *blockSource) open(p part) error {
	if r.f != nil && r.of == p.file {
		return nil
	}
	f, err := r.s.catalog.Open(p.file)
	if errors.Is(err, sieve.ErrHoldsForgotten) {
		return sessiondir.ErrReplaced // by a file in which forgotten text came back
	}
	if err != nil {
		return wholefile.Explain("reading "+p.file, err)
	}
	fi, err := f.Stat()
	if err == nil && (p.stat == nil || !os.SameFile(fi, p.stat) || fi.Size() < p.stat.Size()) {
		err = sessiondir.ErrReplaced
	}
	if err != nil {
		return errors.Join(wholefile.Explain("reading "+p.file, err), f.Close())
	}
	r.close()
	r.f, r.of, r.buf = f, p.file, r.buf[:0]
	return nil
}

// message returns a block of the branch with its current text.
func (r *blockSource) message(f *branch.Fold, n uint32) (transcript.Block, error) {
	note, edited := f.Edit(n)
	if !edited {
		return r.block(n)
	}
	b, err := r.block(n)
	if err == nil {
		var edit transcript.Block
		edit, err = r.block(note)
		b.Text = edit.Text
	}
	return b, err
}

// contextNow returns the context for a model from what is known.
func (s *state) contextNow() (transcript.Context, error) {
	f, x := &s.fold, &s.index
	at, from := f.LastSummary(x)
	kept, omitted := f.Window(x, from, f.Len(), s.end())
	r := s.source()
	defer r.close()
	out := transcript.Context{Settings: f.Settings(), Titled: f.Titled(), Total: f.Messages(x), Omitted: omitted, Messages: make([]transcript.Block, 0, len(kept))}
	if at >= 0 {
		summary, err := r.block(f.Block(at))
		if err != nil {
			return transcript.Context{}, err
		}
		out.Summary = &summary
		kept = append(kept, at)
	}
	numbers := make([]uint32, len(kept))
	for i, k := range kept {
		numbers[i] = f.Block(k)
		if k == at {
			continue
		}
		b, err := r.message(f, numbers[i])
		if err != nil {
			return transcript.Context{}, err
		}
		out.Messages = append(out.Messages, b)
	}
	s.texts.keep(numbers)
	return out, nil
}

// withoutFile returns a block that is in no file: of a private session, or waiting for the
// disk. It returns nil for one in a file.
func (s *state) withoutFile(n uint32) *transcript.Block {
	switch {
	case s.private.Load():
		return &s.mem[n]
	case s.unsaved.base != nil && n >= s.unsaved.first:
		return &s.unsaved.blocks[n-s.unsaved.first]
	}
	return nil
}

// sameBlock reports whether a block of the session has the content of b.
func (s *state) sameBlock(n uint32, b transcript.Block) (bool, error) {
	var there transcript.Block
	if held := s.withoutFile(n); held != nil {
		there = *held
	} else {
		r := s.source()
		defer r.close()
		raw, err := r.read(n, 0)
		if err != nil {
			return false, err
		}
		there = raw.Decode()
		if there.ID == "" || s.index.IsDerived(n) {
			there.ID = b.ID // b was found by this ID
		}
	}
	return bytes.Equal(transcript.AppendBlock(nil, there), transcript.AppendBlock(nil, b)), nil
}
