package forgotten

import (
	"crypto/sha256"

	"mac-stats/sessionmem/textfold"
)

// Common are sentences that stand in several sessions: what models always say.
type Common struct {
	t     *Traces
	loose map[[sha256.Size / 2]byte]map[string]bool // of windows that may be left out: the sessions that hold them
}

// commonFrom is in how many other sessions a sentence of a model stands that is
// nobody's in particular.
const commonFrom = 3

// Empty reports whether there is nothing to count.
func (c *Common) Empty() bool { return len(c.loose) == 0 }

// Count looks at a text of another session.
func (c *Common) Count(session, text string) {
	if c.t == nil || len(c.loose) == 0 {
		return
	}
	for _, w := range c.t.f().Read([]byte(text)).All() {
		c.count(session, w)
	}
}

func (c *Common) count(session string, w textfold.Words) {
	c.t.texts.each(w, func(_ *traceSums, _ uint16, i, n int) {
		sum := [sha256.Size / 2]byte(c.t.Own().sum(traceText, string(w.Window(i, n))))
		if in := c.loose[sum]; in != nil {
			in[session] = true
		}
	})
}
