package engine

// apply updates the view after a change was written. If segments changed, the view is
// reloaded when it is next needed.
func (e *Engine) apply(c *change) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.view == nil || e.view.change != c.was {
		return // another goroutine has loaded it from the file already
	}
	if c.rebuilt {
		e.view = nil
		return
	}
	if err := e.view.apply(c); err != nil {
		e.view = nil // reload it from the file
	}
}

func (v *view) apply(c *change) error {
	for p, docs := range c.dead {
		for _, doc := range docs {
			if at := p.positions[doc]; at != noPosition {
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
	for p, docs := range c.dead { // the next change writes all of them
		p.addTombs(docs)
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

func (p *part) addTombs(docs []uint32) {
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
