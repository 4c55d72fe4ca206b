package engine

// apply makes a change known that was written. Where segments changed, all is read
// anew when it is needed.
func (e *Engine) apply(c *change) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.view == nil || e.view.change != c.was {
		return // somebody has read it from the file already
	}
	if c.rebuilt {
		e.view = nil
		return
	}
	if err := e.view.apply(c); err != nil {
		e.view = nil // the file tells
	}
}

func (v *view) apply(c *change) error {
	for p, docs := range c.dead {
		for _, doc := range docs {
			if at := p.positions[doc]; at != nowhere {
				v.hide(at)
			}
		}
	}
	for _, k := range c.dropped {
		v.dropSource(k)
	}
	for _, k := range c.added {
		v.addSource(k)
	}
	for id, state := range c.states {
		if k := v.byID[id]; k != nil {
			k.State = state
		}
	}
	if c.batch != 0 {
		if err := v.addBatch(c.batch, c.bulk); err != nil {
			return err
		}
	}
	for p, docs := range c.dead { // for the next change: it writes all of them
		p.entomb(docs)
	}
	for p, firsts := range c.purged {
		p.firsts, p.tombs = firsts, nil
	}
	if len(c.purged) > 0 {
		v.cache.clear()
	}
	v.change = c.now
	if c.removes() {
		v.removal = c.now
	}
	return nil
}

func (p *part) entomb(docs []uint32) {
	if p.id == 0 {
		return
	}
	if missing := p.docs/8 + 1 - len(p.tombs); missing > 0 {
		p.tombs = append(p.tombs, make([]byte, missing)...)
	}
	for _, doc := range docs {
		p.tombs[doc/8] |= 1 << (doc % 8)
	}
}
