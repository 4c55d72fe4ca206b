package recall

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/rank"
)

const (
	// embedWait is how long a search waits for the vector of its question where
	// Config.EmbedPatience doesn't say.
	embedWait = 800 * time.Millisecond // and never more than half the time that it has
	// embedRest is how long no search asks a server again that made one wait for longer
	// than embedPatience and then gave nothing.
	embedRest     = 10 * time.Second
	embedPatience = 100 * time.Millisecond
	// embedText is how much of a question is embedded, in bytes.
	embedText = 4 << 10
)

// meaning is what a text means, as a vector.
type meaning struct {
	model EmbedModel
	d     *direction // nil: there is none
	state VectorState
}

// meaningOf asks the embedding server for the vector of a question. It never fails: a
// server that is dead or talks nonsense costs nothing, one that is slow no more than
// Config.EmbedPatience, and then nothing for embedRest.
func (x *Index) meaningOf(ctx context.Context, text string) meaning {
	if x.cfg.Embedder == nil {
		return meaning{state: VectorsOff}
	}
	x.mu.Lock()
	resting := time.Now().Before(x.embedAgain)
	x.mu.Unlock()
	if resting {
		return meaning{state: VectorsPartial}
	}
	begun := time.Now()
	m, err := x.askMeaning(ctx, cut(text, embedText))
	switch {
	case errors.Is(err, ErrNoModel):
		return meaning{state: x.withoutModel(ctx)}
	case err == nil:
		return m
	}
	x.logger.Debug("the question could not be embedded; it is answered by words alone", "err", err)
	if ctx.Err() == nil && time.Since(begun) > embedPatience {
		x.mu.Lock()
		x.embedAgain = time.Now().Add(embedRest)
		x.mu.Unlock()
	}
	return meaning{state: VectorsPartial}
}

// withoutModel says how the vectors stand where no model is installed: those there are
// wait for theirs.
func (x *Index) withoutModel(ctx context.Context) VectorState {
	if x.hasVectors(ctx) {
		return VectorsPaused
	}
	return VectorsOff
}

// hasVectors says whether there is anything to compare a question with.
func (x *Index) hasVectors(ctx context.Context) bool {
	n := 0
	err := x.reading(ctx, func(q queryer, _ *view) (err error) {
		n, err = countModels(ctx, q)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.logger.Debug("the vectors can't be read", "err", err)
	}
	return n > 0
}

// askMeaning waits for the server as long as a search may; one that doesn't keep to
// its context is left behind.
func (x *Index) askMeaning(ctx context.Context, text string) (meaning, error) {
	wait := cmp.Or(x.cfg.EmbedPatience, embedWait)
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(end)/2) // the words need their time too
	}
	ctx, stop := context.WithTimeout(ctx, wait)
	defer stop()
	type answer struct {
		m   meaning
		err error
	}
	done := make(chan answer, 1)
	go func() {
		m, err := x.embedQuestion(ctx, text)
		done <- answer{m, err}
	}()
	select {
	case a := <-done:
		return a.m, a.err
	case <-ctx.Done():
		return meaning{}, ctx.Err()
	}
}

func (x *Index) embedQuestion(ctx context.Context, text string) (meaning, error) {
	m, err := x.cfg.Embedder.Model(ctx)
	if err != nil {
		return meaning{}, err
	}
	if !x.hasVectors(ctx) {
		return meaning{model: m, state: VectorsBuilding}, nil
	}
	vectors, err := x.cfg.Embedder.Embed(ctx, m, AsQuestion, []string{text})
	if err != nil {
		return meaning{}, err
	}
	if len(vectors) != 1 || m.Dims > 0 && len(vectors[0]) != m.Dims {
		return meaning{}, errForeignVectors
	}
	d, ok := newDirection(vectors[0])
	if !ok {
		return meaning{}, errForeignVectors
	}
	m.Dims = len(vectors[0])
	return meaning{model: m, d: d, state: VectorsReady}, nil
}

// near is a document and how near its meaning is to the question's.
type near struct {
	at     uint32
	cosine float32
}

// closeLook is how many vectors are compared exactly: those whose signs agree best.
// Fewer than that are all compared. Of vectors that have to be read for it there are
// closeRead.
const (
	closeLook = 4 << 10
	closeRead = 1 << 10
)

// spot is a document's vector.
type spot struct {
	page   *vectorPage
	at     uint32
	number uint32
	slot   int32
}

// compared are documents by their meaning.
type compared struct {
	near    []near  // the nearest, best first
	average float32 // how near a document is on the average
}

// nearest gives the documents whose meaning is nearest. ok says which positions may be
// found.
func (d *direction) nearest(ctx context.Context, q queryer, v *view, s *vectorSet, limit int, ok func(at uint32) bool) (found compared, err error) {
	all := comparable(v, s, ok)
	if len(all) == 0 {
		return found, nil
	}
	if found.average, err = d.average(ctx, q, s, all); err != nil {
		return found, err
	}
	look := closeLook
	if s.lean {
		look = closeRead
	}
	if len(all) > look {
		all = d.agreeing(all, look)
	}
	cosines, err := s.cosines(ctx, q, d, numbersOf(all))
	if err != nil {
		return found, err
	}
	out := make([]near, len(all))
	for i, c := range cosines {
		out[i] = near{all[i].at, c}
	}
	slices.SortFunc(out, func(a, b near) int { return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.at, b.at)) })
	found.near = out[:min(limit, len(out))]
	return found, nil
}

func numbersOf(all []spot) []uint32 {
	out := make([]uint32, len(all))
	for i, s := range all {
		out[i] = s.number
	}
	return out
}

// comparable are the documents that have a vector and may be found.
func comparable(v *view, s *vectorSet, ok func(at uint32) bool) []spot {
	out := make([]spot, 0, s.count)
	var page *vectorPage
	last := ^uint32(0)
	for at, r := range v.lay.refs {
		if r.none() {
			continue
		}
		number := v.lay.numbers[at]
		if n := number >> pageBits; n != last {
			page, last = s.pages[n], n
		}
		if page == nil {
			continue
		}
		slot := page.index[number&(pageVectors-1)]
		if slot >= 0 && ok(uint32(at)) { //nolint:gosec // positions are 32 bits
			out = append(out, spot{page, uint32(at), number, int32(slot)}) //nolint:gosec // positions are 32 bits
		}
	}
	return out
}

// sampled is how many vectors the average is taken of.
const sampled = 1 << 10

// average compares with a sample: of runs of documents, as those of a page are.
func (d *direction) average(ctx context.Context, q queryer, s *vectorSet, all []spot) (float32, error) {
	step := len(all)/sampled + 1
	var sample []uint32
	for i := range all {
		if i/pageVectors%step == 0 {
			sample = append(sample, all[i].number)
		}
	}
	cosines, err := s.cosines(ctx, q, d, sample)
	sum := float32(0)
	for _, c := range cosines {
		sum += c
	}
	return sum / float32(len(sample)), err
}

// agreeing keeps about so many of the documents: those whose signs agree best.
func (d *direction) agreeing(all []spot, look int) []spot {
	apart := make([]uint16, len(all))
	parallel(len(all), func(i int) {
		apart[i] = uint16(d.apart(all[i].page, int(all[i].slot))) //nolint:gosec // at most maxDims
	})
	counts := make([]int, len(d.data)+1)
	for _, n := range apart {
		counts[n]++
	}
	most, seen := 0, 0
	for seen < look {
		seen += counts[most]
		most++
	}
	out := all[:0]
	for i, s := range all {
		if int(apart[i]) < most {
			out = append(out, s)
		}
	}
	return out
}

// parallel calls each for 0 … n-1 on the processors that there are.
func parallel(n int, each func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), 4, n/256+1)
	var work sync.WaitGroup
	for w := range workers {
		work.Go(func() {
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				each(i)
			}
		})
	}
	work.Wait()
}

// vectorsOf gives the vectors that a question can be compared with, and how the search
// stands with them.
func (e *engine) vectorsOf(ctx context.Context, q queryer, v *view, m meaning) (*vectorSet, VectorState, error) {
	if m.d == nil {
		return nil, m.state, nil
	}
	model, err := findModel(ctx, q, m.model)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, VectorsPaused, nil
	}
	if err != nil {
		return nil, VectorsPartial, err
	}
	s, err := e.vectors.load(ctx, q, model)
	switch {
	case err != nil:
		return nil, VectorsPartial, err
	case s.count < v.docs:
		return s, VectorsBuilding, nil
	}
	return s, VectorsReady, nil
}

// semanticLimit is how many neighbours in meaning are taken.
const semanticLimit = 200

// nearness is what is known of the meanings of candidates.
type nearness struct {
	rank.Meaning
	s       *search
	vectors *vectorSet
}

// near adds the places of the nearest in meaning to those found by words; nil where there
// are none to compare with.
func (s *search) near(ctx context.Context, places *[]uint32, allowed []bool) (*nearness, error) {
	vectors, state, err := s.e.vectorsOf(ctx, s.tx, s.v, s.meaning)
	s.vectors = state
	if vectors == nil || err != nil {
		return nil, err
	}
	l := &s.v.lay
	found, err := s.meaning.d.nearest(ctx, s.tx, s.v, vectors, semanticLimit, func(at uint32) bool { return allowed == nil || allowed[l.sources[at]] })
	if err != nil || len(found.near) == 0 {
		return nil, err
	}
	if s.asked.MeaningOnly {
		*places = nil
	}
	seen := make(map[uint32]bool, len(*places))
	for _, at := range *places {
		seen[at] = true
	}
	for _, n := range found.near {
		if !seen[n.at] {
			*places = append(*places, n.at)
		}
	}
	return &nearness{Meaning: rank.Meaning{Average: float64(found.average), Best: float64(found.near[0].cosine)}, s: s, vectors: vectors}, nil
}

// fill fills in how near in meaning candidates are.
func (n *nearness) fill(ctx context.Context, all []rank.Candidate) error {
	numbers := make([]uint32, len(all))
	for i := range all {
		numbers[i] = all[i].Number
	}
	cosines, err := n.vectors.cosines(ctx, n.s.tx, n.s.meaning.d, numbers)
	if err != nil {
		return err
	}
	for i := range all {
		all[i].Meant, all[i].Cosine = n.vectors.has(numbers[i]), float64(cosines[i])
	}
	return nil
}

// meaningFor is the meaning of a question that is searched for by it.
func (x *Index) meaningFor(ctx context.Context, q *Query, now State) meaning {
	if q.Strategy == Lexical {
		return meaning{state: now.Vectors}
	}
	return x.meaningOf(ctx, q.Text)
}

// vectorStatus tells how the vectors stand, without a question.
func (x *Index) vectorStatus(ctx context.Context, out *Status) {
	out.Vectors = VectorsOff
	if x.cfg.Embedder == nil {
		return
	}
	ctx, stop := context.WithTimeout(ctx, cmp.Or(x.cfg.EmbedPatience, embedWait))
	defer stop()
	m, err := x.cfg.Embedder.Model(ctx)
	if err != nil {
		if out.Vectors = VectorsPartial; errors.Is(err, ErrNoModel) {
			out.Vectors = x.withoutModel(ctx)
		}
		return
	}
	out.Model = m.Name
	err = x.reading(ctx, func(q queryer, v *view) error {
		models, err := countModels(ctx, q)
		if err != nil {
			return err
		}
		model, err := findModel(ctx, q, m)
		if errors.Is(err, sql.ErrNoRows) {
			if out.Vectors = VectorsBuilding; models > 0 {
				out.Vectors = VectorsPaused
			}
			return nil
		}
		if err != nil {
			return err
		}
		out.VectorCount, err = countVectors(ctx, q, model)
		if out.Vectors = VectorsReady; out.VectorCount < v.docs {
			out.Vectors, out.VectorsHeld, out.VectorsLeft = VectorsBuilding, x.held(), x.timeLeft(v.docs-out.VectorCount)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.logger.Debug("the vectors can't be counted", "err", err)
	}
}
