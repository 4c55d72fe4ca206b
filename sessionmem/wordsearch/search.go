package wordsearch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"
)

const (
	// snippetLen is how many bytes of a text a Hit quotes around a match;
	// snippetLead is how many of them come before it.
	snippetLen  = 160
	snippetLead = 40

	// searchChunk is how many transcripts are read before checking whether there are enough
	// hits.
	searchChunk = 64
)

// Hit is a session that contains every word of a query.
type Hit struct {
	Info       transcript.Info
	TitleMarks []textfold.Mark // matches in Info.Title
	Block      string          // ID of the block to open; "" if the title contains all words
	Kind       transcript.Kind // of that block
	Time       time.Time
	Snippet    string          // of that block, on one line
	Marks      []textfold.Mark // matches in Snippet
	Blocks     int             // number of blocks that contain at least one of the words
}

// Searcher finds sessions by their words. It reads the transcripts for each query and
// keeps nothing of them. It is safe for use by several goroutines.
type Searcher struct {
	store  *sessionmem.Store
	fold   *textfold.Folder
	logger *slog.Logger
}

// New returns a Searcher over all transcripts of the store, archived ones included. Without a
// store only Find works.
func New(store *sessionmem.Store, logger *slog.Logger) *Searcher {
	return &Searcher{store: store, fold: textfold.NewFolder(), logger: logger}
}

// Search returns the sessions that contain every word of the query in their titles and texts,
// last active first, at most limit (0: no limit). It ignores case and diacritics, and finds a
// word inside longer ones; words in quotation marks are found as a phrase. A query without
// words has no hits. What can't be read is skipped. The error is that of ctx, or of a folder
// that can't be listed.
func (s *Searcher) Search(ctx context.Context, query string, limit int) ([]Hit, error) {
	words := s.words(query)
	if len(words) == 0 {
		return nil, nil
	}
	infos, err := s.store.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("searching: %w", err)
	}
	infos = slices.DeleteFunc(infos, func(i transcript.Info) bool { return i.Copy }) // the original has the text, or a person removed it there
	var hits []Hit
	for chunk := range slices.Chunk(infos, searchChunk) {
		hits = append(hits, s.searchChunk(ctx, chunk, words)...)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if limit > 0 && len(hits) >= limit {
			return hits[:limit], nil
		}
	}
	return hits, nil
}

// Find returns every match of the phrase in text, in order and without overlap. It ignores
// case and diacritics.
func (s *Searcher) Find(text, phrase string) []textfold.Mark {
	wanted := s.fold.AppendFold(nil, []byte(strings.TrimSpace(phrase)))
	if len(wanted) == 0 || !bytes.Contains(s.fold.AppendFold(nil, []byte(text)), wanted) {
		return nil
	}
	return s.fold.Mapped(text).Find(wanted)
}

// words returns the folded words of a query, each once; a phrase in quotation marks counts
// as one of them.
func (s *Searcher) words(query string) [][]byte {
	var out [][]byte
	add := func(w string) {
		folded := s.fold.AppendFold(nil, []byte(w))
		if len(folded) > 0 && !slices.ContainsFunc(out, func(o []byte) bool { return bytes.Equal(o, folded) }) {
			out = append(out, folded)
		}
	}
	query = textfold.Spelling(query)
	for i, part := range strings.Split(query, `"`) {
		if i%2 == 1 {
			add(strings.Join(strings.Fields(part), " "))
			continue
		}
		for w := range strings.FieldsSeq(part) {
			add(w)
		}
	}
	return out
}

// searchChunk searches some sessions on all processors and returns the hits in their order.
func (s *Searcher) searchChunk(ctx context.Context, infos []transcript.Info, words [][]byte) []Hit {
	found := make([]*Hit, len(infos))
	next := make(chan int)
	var work sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(infos)) {
		work.Go(func() {
			var buf searchBuffer
			for i := range next {
				found[i] = s.searchSession(ctx, infos[i], words, &buf)
			}
		})
	}
	for i := range infos {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	work.Wait()
	var hits []Hit
	for _, h := range found {
		if h != nil {
			hits = append(hits, *h)
		}
	}
	return hits
}

// searchBuffer is memory that is reused for one transcript after another.
type searchBuffer struct{ raw, folded []byte }

// searchSession returns the session's hit, nil if a word is missing.
func (s *Searcher) searchSession(ctx context.Context, info transcript.Info, words [][]byte, buf *searchBuffer) *Hit {
	title := s.fold.Mapped(info.Title)
	inTitle := make([]bool, len(words))
	hit := &Hit{Info: info, Time: info.Active}
	all := true
	for i, w := range words {
		marks := title.Find(w)
		hit.TitleMarks = append(hit.TitleMarks, marks...)
		inTitle[i] = len(marks) > 0
		all = all && inTitle[i]
	}
	hit.TitleMarks = textfold.JoinMarks(hit.TitleMarks)
	blocks := s.blocksWith(ctx, info, words, inTitle, buf)
	if s.pick(hit, blocks, words, inTitle) || all {
		return hit
	}
	return nil
}

// blocksWith reads a transcript's blocks, none if it lacks a word that the title also
// lacks.
func (s *Searcher) blocksWith(ctx context.Context, info transcript.Info, words [][]byte, inTitle []bool, buf *searchBuffer) []transcript.Block {
	switch {
	case info.Err != nil:
		return nil
	case info.Path == "":
		t, err := s.store.Load(ctx, info.Name)
		if err != nil {
			return nil // the session is gone meanwhile
		}
		return t.Blocks
	}
	if err := buf.readAll(s.store, info); err != nil {
		s.logger.Debug("a transcript can't be searched", "path", info.Path, "err", err)
		return nil
	}
	if !s.holds(buf, words, inTitle) {
		return nil
	}
	t, err := transcript.Parse(bytes.NewReader(buf.raw))
	if err != nil {
		return nil // writing to memory doesn't fail
	}
	return t.Blocks
}

// holds reports whether the file's texts contain the words that the title lacks. Most files
// don't contain all words anywhere, which is cheap to check; only otherwise are headings and
// comments separated from texts.
func (s *Searcher) holds(buf *searchBuffer, words [][]byte, inTitle []bool) bool {
	seen := slices.Clone(inTitle)
	buf.folded = s.fold.AppendFold(buf.folded[:0], buf.raw)
	for i, w := range words {
		if !inTitle[i] && !bytes.Contains(buf.folded, w) {
			return false
		}
	}
	r := transcript.NewReader(bytes.NewReader(buf.raw))
	for slices.Contains(seen, false) {
		b, err := r.Read()
		if err != nil { // the end
			return false
		}
		if b.Headed && b.Heading.Known && b.Heading.Kind == transcript.KindNote {
			continue
		}
		text := b.Raw
		if b.Headed && b.Heading.Known {
			text = b.Raw[b.BodyStart:]
		}
		buf.folded = s.fold.AppendFold(buf.folded[:0], text)
		for i, w := range words {
			seen[i] = seen[i] || bytes.Contains(buf.folded, w)
		}
	}
	return true
}

// readAll reads all files of a session one after another, the later ones without
// their front matter.
func (b *searchBuffer) readAll(s *sessionmem.Store, info transcript.Info) error {
	b.raw = b.raw[:0]
	for _, p := range info.Files() {
		before := len(b.raw)
		if err := b.read(s, p); err != nil {
			return err
		}
		if before > 0 {
			_, front := transcript.CutFrontMatter(b.raw[before:])
			b.raw = append(slices.Replace(b.raw, before, before+front, '\n'), '\n')
		}
	}
	return nil
}

// read appends a whole file.
func (b *searchBuffer) read(s *sessionmem.Store, path string) error {
	f, err := s.OpenPart(context.Background(), path)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if need := len(b.raw) + int(fi.Size()) + 2; cap(b.raw) < need { // two more: line ends between the files
		b.raw = append(make([]byte, 0, need+need/4), b.raw...)
	}
	for {
		n, err := f.Read(b.raw[len(b.raw):cap(b.raw)])
		b.raw = b.raw[:len(b.raw)+n]
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(b.raw) == cap(b.raw) { // it grew while being read
			b.raw = slices.Grow(b.raw, searchGrowth)
		}
	}
}

// searchGrowth is how much the buffer grows for a file that is being written to.
const searchGrowth = 64 << 10
