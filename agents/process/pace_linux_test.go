package process

import "testing"

// A waiting server touches a page of memory from time to time, which is no reason to read
// all of /proc ten times a second. A growing one is checked soon, however slowly it grows.
func TestAWaitingProgramIsCheckedSeldom(t *testing.T) {
	p := newPace()
	for i := range 20 {
		p.adjust(100<<20+uint64(i%2)*4096, 3)
	}
	if p.pause != latest {
		t.Errorf("looked at every %v", p.pause)
	}
	p.adjust(100<<20, 4)
	if p.pause != soonest {
		t.Errorf("with another process: looked at every %v", p.pause)
	}
	soon := 0
	for i := range 20 {
		p.adjust(100<<20+uint64(i)<<20, 4)
		if p.pause == soonest {
			soon++
		}
	}
	if soon < 2 {
		t.Errorf("growing a megabyte at a time: looked at soon %d times", soon)
	}
}
