package recall

import "sync"

// pool keeps what is expensive to make for the next one who needs it.
type pool[T any] struct {
	make func() T

	mu   sync.Mutex
	free []T
}

// poolSize is how many a pool keeps.
const poolSize = 2

func (p *pool[T]) get() T {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		t := p.free[n-1]
		p.free = p.free[:n-1]
		return t
	}
	return p.make()
}

func (p *pool[T]) put(t T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < poolSize {
		p.free = append(p.free, t)
	}
}

// drop lets all go.
func (p *pool[T]) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = nil
}
