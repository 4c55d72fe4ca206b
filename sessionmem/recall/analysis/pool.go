package analysis

import "sync"

// Pool keeps analyzers, which are expensive to make and learn words, for the next one who
// needs one. The zero value is empty. It is safe for use by several goroutines.
type Pool struct {
	mu   sync.Mutex
	free []*Analyzer
}

// poolSize is how many a pool keeps.
const poolSize = 2

// Get gives an analyzer, which goes back with Put.
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

// Put takes one back.
func (p *Pool) Put(a *Analyzer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < poolSize {
		p.free = append(p.free, a)
	}
}

// Drop lets all go.
func (p *Pool) Drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = nil
}
