package mcpclient

import (
	"fmt"
	"io"
	"sync/atomic"
)

// meter counts the bytes that a server sends between two calls, and stops a server that
// sends too many.
type meter struct {
	n    atomic.Int64
	over func() // may be nil
}

func (m *meter) reset() { m.n.Store(0) }

func (m *meter) full() bool { return m != nil && m.n.Load() > maxSent }

func (m *meter) reader(r io.Reader) io.Reader { return &metered{m, r} }

type metered struct {
	m *meter
	r io.Reader
}

func (r *metered) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if r.m.n.Add(int64(n)) > maxSent {
		if r.m.over != nil {
			r.m.over()
		}
		return 0, fmt.Errorf("more than %d bytes: %w", maxSent, io.ErrUnexpectedEOF)
	}
	return n, err
}
