package vectors

import (
	"cmp"
	"context"
	"iter"
	"runtime"
	"slices"
	"sync"

	"mac-stats/sessionmem/recall/engine/tables"
)

// Near is a passage and the similarity of its meaning to the question's.
type Near struct {
	At     uint32
	Cosine float32
}

// maxExact is how many vectors are compared exactly: those whose signs agree best. If there
// are no more than that, all are. maxExactRead is the number if they have to be read first.
const (
	maxExact     = 4 << 10
	maxExactRead = 1 << 10
)

// slotRef is the vector of a passage.
type slotRef struct {
	page   *vectorPage
	at     uint32
	number uint32
	slot   int32
}

// Compared is the result of comparing passages by meaning.
type Compared struct {
	Near    []Near  // the nearest, best first
	Average float32 // average similarity of a passage
}

// Nearest returns at most limit passages whose meaning is nearest. passages yields positions
// and numbers; those without a vector are left out.
func (s *Set) Nearest(ctx context.Context, q tables.Queryer, d *Direction, limit int, passages iter.Seq2[uint32, uint32]) (found Compared, err error) {
	all := s.withVectors(passages)
	if len(all) == 0 {
		return found, nil
	}
	if found.Average, err = d.average(ctx, q, s, all); err != nil {
		return found, err
	}
	look := maxExact
	if s.signsOnly {
		look = maxExactRead
	}
	if len(all) > look {
		all = d.closestBySigns(all, look)
	}
	cosines, err := s.Cosines(ctx, q, d, numbersOf(all))
	if err != nil {
		return found, err
	}
	out := make([]Near, len(all))
	for i, c := range cosines {
		out[i] = Near{all[i].at, c}
	}
	slices.SortFunc(out, func(a, b Near) int { return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.At, b.At)) })
	found.Near = out[:min(limit, len(out))]
	return found, nil
}

func numbersOf(all []slotRef) []uint32 {
	out := make([]uint32, len(all))
	for i, s := range all {
		out[i] = s.number
	}
	return out
}

// withVectors returns the passages that have a vector.
func (s *Set) withVectors(passages iter.Seq2[uint32, uint32]) []slotRef {
	out := make([]slotRef, 0, s.Count)
	var page *vectorPage
	last := ^uint32(0)
	for at, number := range passages {
		if n := number >> pageBits; n != last {
			page, last = s.pages[n], n
		}
		if page == nil {
			continue
		}
		if slot := page.index[number&(pageVectors-1)]; slot >= 0 {
			out = append(out, slotRef{page, at, number, int32(slot)})
		}
	}
	return out
}

// averageSample is the sample size for the average.
const averageSample = 1 << 10

// average compares with a sample of runs of passages, because a page holds a run.
func (d *Direction) average(ctx context.Context, q tables.Queryer, s *Set, all []slotRef) (float32, error) {
	step := len(all)/averageSample + 1
	var sample []uint32
	for i := range all {
		if i/pageVectors%step == 0 {
			sample = append(sample, all[i].number)
		}
	}
	cosines, err := s.Cosines(ctx, q, d, sample)
	sum := float32(0)
	for _, c := range cosines {
		sum += c
	}
	return sum / float32(len(sample)), err
}

// closestBySigns keeps about look of the passages: those whose signs agree best.
func (d *Direction) closestBySigns(all []slotRef, look int) []slotRef {
	apart := make([]uint16, len(all))
	parallel(len(all), func(i int) {
		apart[i] = uint16(d.signDistance(all[i].page, int(all[i].slot))) //nolint:gosec // at most maxDims
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

// parallel calls each for 0 … n-1 on several processors.
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
