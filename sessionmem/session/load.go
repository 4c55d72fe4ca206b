package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Load reads a whole session with the blocks that wait for the disk. A session without a block returns ErrNotFound.
func (s *Session) Load(ctx context.Context) (*transcript.Transcript, error) {
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", s.name, err)
	}
	defer unlock()
	if s.private.Load() {
		if len(s.mem) == 0 {
			return nil, fmt.Errorf("%w: %s", ErrNotFound, s.name)
		}
		return &transcript.Transcript{Info: s.memInfo(), Blocks: slices.Clone(s.mem)}, nil
	}
	var t *transcript.Transcript
	err = s.purged(ctx, func() error {
		parts, err := s.catalog.Parts(s.name)
		if err == nil {
			t, err = s.catalog.Load(parts)
		}
		return err
	})
	if err != nil && (!errors.Is(err, ErrNotFound) || len(s.unsaved.blocks) == 0) {
		return nil, err
	}
	return s.unsaved.appendTo(s.name, t), nil
}

// Each reads a session of any size block by block, in the memory that its largest block needs.
// It calls begin (may be nil) with the session's list entry and front matter, then each
// for every block in order. Blocks appended meanwhile are not included. An error of either
// function ends the reading.
func (s *Session) Each(ctx context.Context, begin func(info transcript.Info, front string) error, each func(transcript.Block) error) error {
	if begin == nil {
		begin = func(transcript.Info, string) error { return nil }
	}
	if s.private.Load() {
		t, err := s.Load(ctx)
		if err == nil {
			err = begin(t.Info, t.FrontMatter)
		}
		for i := 0; err == nil && i < len(t.Blocks); i++ {
			err = each(t.Blocks[i])
		}
		return err
	}
	parts, err := s.openWhole(ctx)
	if err != nil {
		return err
	}
	defer catalog.Close(parts)
	info, front, err := s.catalog.Scan(parts)
	if err != nil {
		return err
	}
	if err := begin(info, front); err != nil {
		return err
	}
	ids := transcript.NewIDs()
	for _, p := range parts {
		if err := eachBlock(ctx, p, ids, each); err != nil {
			return err
		}
	}
	return nil
}

// openWhole opens a session's files, with their sizes at a moment when no block is half
// written.
func (s *Session) openWhole(ctx context.Context) (parts []catalog.Part, err error) {
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", s.name, err)
	}
	defer unlock()
	err = s.purged(ctx, func() error {
		parts, err = s.catalog.OpenParts(s.name)
		return err
	})
	return parts, err
}

func eachBlock(ctx context.Context, p catalog.Part, ids *transcript.IDs, each func(transcript.Block) error) error {
	r := transcript.NewReader(p.Reader())
	for {
		raw, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return wholefile.Explain("reading "+p.File, err)
		}
		b := raw.Decode()
		ids.Identify(&b, raw.Derived)
		if err := errors.Join(ctx.Err(), each(b)); err != nil {
			return err
		}
	}
}

// Context returns the context for a model. A session without a block returns an empty
// Context and no error.
func (s *Session) Context(ctx context.Context) (out transcript.Context, err error) {
	err = s.inspect(ctx, func() error {
		out, err = s.contextNow()
		return err
	})
	return out, err
}

// Message returns a message that is in the context (of this branch, since the last reset),
// however old it is, and the ID of the message after it, "" if it is the last. It returns
// ErrNotFound if the message isn't in the context.
func (s *Session) Message(ctx context.Context, id string) (b transcript.Block, next string, err error) {
	err = s.inspect(ctx, func() error {
		f, x := &s.fold, &s.index
		i := f.At(x, x.Hash(id))
		if i < 0 || !x.IsMessage(f.Block(i)) {
			return fmt.Errorf("%w in its context: the message %q", ErrNotFound, id)
		}
		r := s.source()
		defer r.close()
		if b, err = r.message(f, f.Block(i)); err != nil {
			return err
		}
		for i++; i < f.Len(); i++ {
			if x.IsMessage(f.Block(i)) {
				message, err := r.block(f.Block(i))
				next = message.ID
				return err
			}
		}
		return nil
	})
	return b, next, err
}

// InContext returns a function that reports whether an ID belongs to a block in the context:
// on its branch since the last reset, of any kind. It reflects one moment.
func (s *Session) InContext(ctx context.Context) (on func(id string) bool, err error) {
	err = s.inspect(ctx, func() error {
		f, x := &s.fold, &s.index
		there := make(map[uint64]bool, f.Len())
		for i := range f.Len() {
			if _, edited := f.Edit(f.Block(i)); !edited { // the caller looks up its old text
				there[x.ID(f.Block(i))] = true
			}
		}
		hash := x.Hasher()
		on = func(id string) bool { return there[hash(id)] }
		return nil
	})
	return on, err
}

// Write writes a session of any size like transcript.Write and returns the number of its
// blocks. A session without a block returns ErrNotFound.
func (s *Session) Write(ctx context.Context, w io.Writer) (blocks int, err error) {
	var data []byte
	begin := func(info transcript.Info, front string) error {
		_, err := w.Write(transcript.AppendFront(nil, info, front))
		return err
	}
	err = s.Each(ctx, begin, func(b transcript.Block) error {
		blocks++
		data = transcript.AppendBlock(data[:0], b)
		_, err := w.Write(data)
		return err
	})
	return blocks, err
}

// HasVersion returns ErrNotFound if no branch that was left since the last reset holds the
// message.
func (s *Session) HasVersion(ctx context.Context, id string) error {
	return s.inspect(ctx, func() error {
		if !s.fold.IsLeft(&s.index, id) {
			return fmt.Errorf("%w: the version %q is not in it any more", ErrNotFound, id)
		}
		return nil
	})
}
