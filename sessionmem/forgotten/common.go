package forgotten

import (
	"crypto/sha256"

	"mac-stats/sessionmem/textfold"
)

// Common finds sentences that occur in several sessions: what models always say.
type Common struct {
	t     *Traces
	loose map[[sha256.Size / 2]byte]map[string]bool // from windows that may be dropped to the sessions that hold them
}

// commonFrom is the number of other sessions in which a model's sentence must occur to
// count as a stock phrase.
const commonFrom = 3

// Empty reports whether there is nothing to count.
func (c *Common) Empty() bool { return len(c.loose) == 0 }

// Count counts the sentences of a text from another session.
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
