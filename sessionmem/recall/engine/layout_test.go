package engine

import (
	"math"
	"strings"
	"testing"
)

func TestMovingAStrandLeavesItsNeighborsUnchanged(t *testing.T) {
	x := newIndex(t, DefaultLimits())
	for _, source := range []string{"a", "b", "c"} {
		x.put(source, map[uint32]string{0: "the lynx sleeps under the old tree"})
	}
	for i := range uint32(20) { // it moves behind its neighbours
		x.put("a", map[uint32]string{i + 1: strings.Repeat("the otter swims ", int(i+1))})
	}
	x.read(x.e, func(now *Snapshot) {
		if now.Passages() != 23 {
			t.Errorf("%d passages", now.Passages())
		}
		l := &now.v.lay
		for _, s := range l.strands {
			for i := s.base; i < s.base+s.size; i++ {
				want := float32(l.words[i])
				for n := range uint32(strandGap) {
					if i >= s.base+n+1 && !l.refs[i-n-1].none() {
						want += l.shares.after[n] * min(float32(l.words[i-n-1]), l.shares.beginning)
					}
					if i+n+1 < s.base+s.size && !l.refs[i+n+1].none() {
						want += l.shares.before[n] * min(float32(l.words[i+n+1]), l.shares.beginning)
					}
				}
				if want /= l.shares.sum; !l.refs[i].none() && math.Abs(float64(l.around[i]-want)) > 1e-3 {
					t.Errorf("%.3f words are said around document %d of the strand at %d, want %.3f", l.around[i], i-s.base, s.base, want)
				}
			}
		}
	})
}
