package places

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Place is the position of a block in a transcript's file.
type Place struct {
	File   string // relative to the session folder, with slashes
	Offset int64
	Size   int64 // up to the next block
	Bare   bool  // the file has the older form, see transcript.Parse
}

// Places reads the transcripts of a session folder with the positions of their blocks.
type Places struct {
	open func(ctx context.Context, file string) (*os.File, error)
}

// New returns the Places of a folder, whose files it opens with open.
func New(open func(ctx context.Context, file string) (*os.File, error)) *Places {
	return &Places{open: open}
}

// Each reads the files of a session, its parts in order, block by block, in the memory that the
// largest block needs (4 MB of it: longer ones are cut). It returns the states of the files;
// what is written meanwhile is not included. An error of each ends the reading.
func (p *Places) Each(ctx context.Context, files []string, each func(transcript.Block, Place) error) ([]catalog.FileState, error) {
	ids := transcript.NewIDs()
	states := make([]catalog.FileState, 0, len(files))
	for _, file := range files {
		state, err := p.eachIn(ctx, file, ids, each)
		if err != nil {
			return nil, err
		}
		states = append(states, state)
	}
	return states, nil
}

// Holding returns the IDs of the Summaries in the files of a session, its parts in order, of
// which everything they cover is still there. It reads all of the files.
func (p *Places) Holding(ctx context.Context, files []string) (map[string]bool, error) {
	holding := map[string]bool{}
	var said transcript.Fingerprints
	_, err := p.Each(ctx, files, func(b transcript.Block, _ Place) error {
		if still := said.Follow(b); still && b.Kind == transcript.KindSummary {
			holding[b.ID] = true
		}
		return nil
	})
	return holding, err
}

// eachIn reads a file.
func (p *Places) eachIn(ctx context.Context, file string, ids *transcript.IDs, each func(transcript.Block, Place) error) (catalog.FileState, error) {
	f, err := p.open(ctx, file)
	if err != nil {
		return catalog.FileState{}, wholefile.Explain("reading "+file, err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return catalog.FileState{}, wholefile.Explain("reading "+file, err)
	}
	r := transcript.NewSizedReader(io.NewSectionReader(f, 0, fi.Size()), fi.Size())
	r.Limit = transcript.BlockLimit
	for {
		raw, err := r.Read()
		if errors.Is(err, io.EOF) {
			return catalog.StateOf(file, wholefile.StampOf(fi)), nil
		}
		if err != nil {
			return catalog.FileState{}, wholefile.Explain("reading "+file, err)
		}
		b := raw.Decode()
		ids.Identify(&b, raw.Derived)
		if err := errors.Join(ctx.Err(), each(b, Place{file, raw.Offset, raw.Size, r.Bare})); err != nil {
			return catalog.FileState{}, err
		}
	}
}

// BlockReader reads single blocks again by their places. It keeps the file open that it
// read last. Only one goroutine may use it; Close closes the file.
type BlockReader struct {
	open func(ctx context.Context, file string) (*os.File, error)
	of   string
	file *os.File
	raw  []byte
}

// Blocks returns a reader of single blocks.
func (p *Places) Blocks() *BlockReader { return &BlockReader{open: p.open} }

// Close closes the file.
func (r *BlockReader) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file, r.of = nil, ""
	return err
}

// Block reads the block at a place. The caller checks whether it is still the same. If there is
// no block any more, or the file is gone, the error is fs.ErrNotExist. A block without an ID
// gets none here.
func (r *BlockReader) Block(p Place) (transcript.Block, error) {
	if r.of != p.File || r.file == nil {
		_ = r.Close() // read only
		f, err := r.open(context.Background(), p.File)
		if err != nil {
			return transcript.Block{}, wholefile.Explain("reading "+p.File, err)
		}
		r.file, r.of = f, p.File
	}
	if p.Size < 0 || p.Offset < 0 || p.Size > transcript.BlockLimit {
		p.Size = transcript.BlockLimit
	}
	if int64(cap(r.raw)) < p.Size {
		r.raw = make([]byte, p.Size)
	}
	n, err := r.file.ReadAt(r.raw[:p.Size], p.Offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return transcript.Block{}, wholefile.Explain("reading "+p.File, err)
	}
	raw := transcript.ParseBlock(r.raw[:n], p.Offset, int64(n), p.Bare)
	if n == 0 || !raw.Headed && p.Offset > 0 {
		return transcript.Block{}, fmt.Errorf("%w: no block stands at byte %d of %s", fs.ErrNotExist, p.Offset, p.File)
	}
	return raw.Decode(), nil
}
