package monitor

import "time"

// minElapsed is the shortest time for a rate: below it, counters that the kernel updates in
// steps give absurd values.
const minElapsed = 50 * time.Millisecond

// counters are increasing values by name: bytes of interfaces or disks.
type counters map[string][2]uint64

// rates turns counters into rates per second. A thing that appears, disappears, or whose
// counter went backwards (it wrapped, or its driver was reloaded) counts only from the next
// look on, so a rate is never negative and never the whole counter. It uses the monotonic
// clock, so setting the clock changes nothing.
type rates struct {
	at   time.Time
	last counters
	each map[string][2]float64 // of the latest look, by name
}

// next returns the rates since the previous look; false if there was none.
func (r *rates) next(now time.Time, c counters) (perSecond [2]float64, ok bool) {
	elapsed := now.Sub(r.at)
	if r.last == nil {
		r.at, r.last = now, c
		return perSecond, false
	}
	if elapsed < minElapsed {
		return perSecond, false
	}
	r.each = make(map[string][2]float64, len(c))
	for name, now := range c {
		before, known := r.last[name]
		if !known {
			continue
		}
		var own [2]float64
		for i := range now {
			if now[i] >= before[i] {
				own[i] = float64(now[i]-before[i]) / elapsed.Seconds()
				perSecond[i] += own[i]
			}
		}
		r.each[name] = own
	}
	r.at, r.last = now, c
	return perSecond, true
}

func (r *rates) reset() { *r = rates{} }
