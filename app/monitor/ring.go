package monitor

// ring is the newest n values.
type ring struct {
	buf  []float64
	next int // where the next value goes, once the ring is full
}

func newRing(n int) *ring { return &ring{buf: make([]float64, 0, n)} }

func (r *ring) push(v float64) {
	if len(r.buf) < cap(r.buf) {
		r.buf = append(r.buf, v)
		return
	}
	r.buf[r.next] = v
	r.next = (r.next + 1) % len(r.buf)
}

// values copies the ring, oldest first.
func (r *ring) values() []float64 {
	out := make([]float64, 0, len(r.buf))
	out = append(out, r.buf[r.next:]...)
	return append(out, r.buf[:r.next]...)
}
