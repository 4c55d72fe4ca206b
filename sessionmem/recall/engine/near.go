package engine

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"mac-stats/sessionmem/recall/rank"
)

// near is a passage and how near its meaning is to the question's.
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

// spot is a passage's vector.
type spot struct {
	page   *vectorPage
	at     uint32
	number uint32
	slot   int32
}

// compared are passages by their meaning.
type compared struct {
	near    []near  // the nearest, best first
	average float32 // how near a passage is on the average
}

// nearest gives the passages whose meaning is nearest. ok says which positions may be
// found.
func (d *Direction) nearest(ctx context.Context, q queryer, v *view, s *vectorSet, limit int, ok func(at uint32) bool) (found compared, err error) {
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

// comparable are the passages that have a vector and may be found.
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

// average compares with a sample: of runs of passages, as those of a page are.
func (d *Direction) average(ctx context.Context, q queryer, s *vectorSet, all []spot) (float32, error) {
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

// agreeing keeps about so many of the passages: those whose signs agree best.
func (d *Direction) agreeing(all []spot, look int) []spot {
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

// semanticLimit is how many neighbours in meaning are taken.
const semanticLimit = 200

// nearness is what is known of the meanings of candidates.
type nearness struct {
	rank.Meaning
	s       *Snapshot
	d       *Direction
	vectors *vectorSet
}

// near adds the places of the nearest in meaning to those found by words; nil where there
// are none to compare with.
func (s *Snapshot) near(ctx context.Context, q *Question, places *[]uint32, found *Found) (*nearness, error) {
	if q.Vector == nil {
		return nil, nil //nolint:nilnil // none is no error
	}
	vectors, err := s.e.setOf(ctx, s.q, q.Model)
	if err != nil || vectors.pages == nil {
		return nil, err
	}
	if found.Vectors = CoverAll; vectors.count < s.v.docs {
		found.Vectors = CoverSome
	}
	l := &s.v.lay
	nearest, err := q.Vector.nearest(ctx, s.q, s.v, vectors, semanticLimit, func(at uint32) bool { return q.Allowed == nil || q.Allowed[l.sources[at]] })
	if err != nil || len(nearest.near) == 0 {
		return nil, err
	}
	if q.MeaningOnly {
		*places = nil
	}
	seen := make(map[uint32]bool, len(*places))
	for _, at := range *places {
		seen[at] = true
	}
	for _, n := range nearest.near {
		if !seen[n.at] {
			*places = append(*places, n.at)
		}
	}
	return &nearness{Meaning: rank.Meaning{Average: float64(nearest.average), Best: float64(nearest.near[0].cosine)}, s: s, d: q.Vector, vectors: vectors}, nil
}

// fill fills in how near in meaning candidates are, and the messages beside them.
func (n *nearness) fill(ctx context.Context, all []rank.Candidate) error {
	const each = 3
	numbers := make([]uint32, 0, each*len(all))
	l := &n.s.v.lay
	number := func(at uint32) uint32 {
		if l.refs[at].none() {
			return 0 // nothing has it
		}
		return l.numbers[at]
	}
	for i := range all {
		before, after := n.s.Beside(all[i].At)
		numbers = append(numbers, all[i].Number, number(before), number(after))
	}
	cosines, err := n.vectors.cosines(ctx, n.s.q, n.d, numbers)
	if err != nil {
		return err
	}
	for i := range all {
		of := cosines[each*i : each*i+each]
		all[i].Meant, all[i].Cosine = n.vectors.has(all[i].Number), float64(of[0])
		all[i].Beside = [2]float64{float64(of[1]), float64(of[2])}
	}
	return nil
}
