package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Load reads a whole session, what waits for the disk included. A session never written gives ErrNotFound.
func (s *Store) Load(ctx context.Context, name string) (*transcript.Transcript, error) {
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, true)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	defer unlock()
	if ses.private.Load() {
		if len(ses.mem) == 0 {
			return nil, fmt.Errorf("%w: %s", ErrNotFound, name)
		}
		return &transcript.Transcript{Info: ses.memInfo(), Blocks: slices.Clone(ses.mem)}, nil
	}
	var t *transcript.Transcript
	err = s.purged(ctx, ses, func() error {
		parts, err := s.catalog.Parts(name)
		if err == nil {
			t, err = s.catalog.Load(parts)
		}
		return err
	})
	if err != nil && (!errors.Is(err, ErrNotFound) || len(ses.unsaved.blocks) == 0) {
		return nil, err
	}
	return ses.withUnsaved(t), nil
}

// Each reads a whole session block by block, in the memory that its largest block
// takes: for those of any size. begin (may be nil) is told what the list shows of it
// and its front matter, then each every block, in order. The session may grow
// meanwhile; what comes is not part of it. An error of theirs ends the reading.
func (s *Store) Each(ctx context.Context, name string, begin func(info transcript.Info, front string) error, each func(transcript.Block) error) error {
	if begin == nil {
		begin = func(transcript.Info, string) error { return nil }
	}
	if s.IsPrivate(name) {
		t, err := s.Load(ctx, name)
		if err == nil {
			err = begin(t.Info, t.FrontMatter)
		}
		for i := 0; err == nil && i < len(t.Blocks); i++ {
			err = each(t.Blocks[i])
		}
		return err
	}
	parts, err := s.openWhole(ctx, name)
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

// openWhole opens a session's files and tells their sizes at a moment when no block
// is half written.
func (s *Store) openWhole(ctx context.Context, name string) (parts []catalog.Part, err error) {
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, true)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	defer unlock()
	err = s.purged(ctx, ses, func() error {
		parts, err = s.catalog.OpenParts(name)
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

// LoadFile reads any transcript by path, of any known or older form. Where it is a
// part of a session, the parts beside it are read too: Info.Parts names them all, and
// Info.Path is the one that was asked for.
func (s *Store) LoadFile(path string) (*transcript.Transcript, error) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	t, err := s.catalog.ReadPath(path, s.purgePath)
	if err != nil {
		return nil, err
	}
	s.sieve.Clean(t)
	return t, nil
}

// Context gives what a model is told of the session. A session never written
// gives an empty Context and no error.
func (s *Store) Context(ctx context.Context, name string) (out transcript.Context, err error) {
	err = s.look(ctx, name, func(ses *session) error {
		out, err = s.contextNow(ses)
		return err
	})
	return out, err
}

// Message gives a message that the conversation stands on (of this branch, since
// the last reset), however long ago it was said, and the id of the message after
// it, "" where it is the last. ErrNotFound where it isn't part of it.
func (s *Store) Message(ctx context.Context, name, id string) (b transcript.Block, next string, err error) {
	err = s.look(ctx, name, func(ses *session) error {
		f, x := &ses.fold, &ses.index
		i := f.At(x, x.Hash(id))
		if i < 0 || !x.IsMessage(f.Block(i)) {
			return fmt.Errorf("%w in its context: the message %q", ErrNotFound, id)
		}
		r := s.source(ses)
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

// Standing gives a look-up for the ids of the blocks that the conversation stands on:
// those of its branch since the last reset, of any kind. It shows one moment.
func (s *Store) Standing(ctx context.Context, name string) (on func(id string) bool, err error) {
	err = s.look(ctx, name, func(ses *session) error {
		f, x := &ses.fold, &ses.index
		there := make(map[uint64]bool, f.Len())
		for i := range f.Len() {
			if _, edited := f.Edit(f.Block(i)); !edited { // what is looked up is its old text
				there[x.ID(f.Block(i))] = true
			}
		}
		hash := x.Hasher()
		on = func(id string) bool { return there[hash(id)] }
		return nil
	})
	return on, err
}

// look brings the session up to date and looks at it, under its locks.
func (s *Store) look(ctx context.Context, name string, at func(*session) error) error {
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, true)
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	defer unlock()
	if !ses.private.Load() {
		if err := s.awaitFile(ctx, ses); err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		err := s.refresh(ses)
		knows := len(ses.unsaved.blocks) > 0 && ses.index.Len() > len(ses.unsaved.blocks)
		if err != nil && !errors.Is(err, ErrNotFound) && (!knows || !isRefusal(err)) {
			return err
		}
	}
	for try := 1; ; try++ {
		err := at(ses)
		if !errors.Is(err, sessiondir.ErrReplaced) || try == appendTries {
			return err
		}
		ses.stat = nil // an editor saved in the midst of it
		if err := s.refresh(ses); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
}

// Write writes a session as transcript.Write does, of any size; it returns how many
// blocks that are. A session never written gives ErrNotFound.
func (s *Store) Write(ctx context.Context, name string, w io.Writer) (blocks int, err error) {
	var data []byte
	begin := func(info transcript.Info, front string) error {
		_, err := w.Write(transcript.AppendFront(nil, info, front))
		return err
	}
	err = s.Each(ctx, name, begin, func(b transcript.Block) error {
		blocks++
		data = transcript.AppendBlock(data[:0], b)
		_, err := w.Write(data)
		return err
	})
	return blocks, err
}
