package analysis

import "sync"

// Pool keeps analyzers for reuse, because they are expensive to make and learn words. The
// zero value is empty. It is safe for concurrent use.
type Pool struct {
	mu   sync.Mutex
	free []*Analyzer
}

// poolSize is how many analyzers a pool keeps.
const poolSize = 2

// Get returns an analyzer, to be returned with Put.
func (p *Pool) Get() *Analyzer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		a := p.free[n-1]
		p.free = p.free[:n-1]
		return a
	}
	return NewAnalyzer()
}

// Put returns an analyzer to the pool.
func (p *Pool) Put(a *Analyzer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < poolSize {
		p.free = append(p.free, a)
	}
}

// Drop empties the pool.
func (p *Pool) Drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = nil
}
