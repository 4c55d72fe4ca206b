package forgotten

import (
	"crypto/hmac"
	"crypto/sha256"
	"strings"
	"time"
)

// Forgetting is one act of forgetting.
type Forgetting struct {
	ID        string    `json:"id"`
	At        time.Time `json:"at"`              // text written until then matches
	Begun     time.Time `json:"begun"`           // when it was recorded: work that was under way then may hold matches
	Typed     bool      `json:"typed,omitempty"` // text that the user typed elsewhere goes too
	Since     time.Time `json:"since,omitzero"`  // a span of time, Until excluded
	Until     time.Time `json:"until,omitzero"`
	Learn     bool      `json:"lessons,omitempty"`   // lessons learned from it go too
	Seconds   bool      `json:"seconds,omitempty"`   // blocks of its very second are marked, see AddFound
	Guest     bool      `json:"guest,omitempty"`     // somebody on Discord asked for it: its words count on Discord only
	Elsewhere bool      `json:"elsewhere,omitempty"` // another machine forgot it

	key   []byte
	kinds map[string]bool // the kinds of its marks
	done  bool
	ended time.Time // when everything was first gone through; zero while it is under way
}

// during reports whether the forgetting wasn't over at time t: what is made from text read
// then may hold matches.
func (g *Forgetting) during(t time.Time) bool { return g.ended.IsZero() || !g.ended.Before(t.Round(0)) }

// IsOver reports whether everything was gone through once.
func (g *Forgetting) IsOver() bool { return !g.ended.IsZero() }

// end records when everything was gone through. Later attempts don't change that time.
func (g *Forgetting) end(at time.Time) {
	if g.ended.IsZero() {
		g.ended = at
	}
}

// Counts reports whether the words of a forgetting count in a session. Somebody on Discord
// who types text of the owner's own conversations must not be able to empty these.
func (g *Forgetting) Counts(session string) bool {
	return !g.Guest || strings.HasPrefix(session, "discord-")
}

// traceLine is a line of the file. The number of words and the tag have no key, so the file
// holds them sealed: a tag alone would reveal which of the few possible PINs it may be.
type traceLine struct {
	Kind  string `json:"kind,omitempty"` // text, block, session, author
	Words int    `json:"n,omitempty"`    // in files older than forgottenFormat, like Tag
	Tag   uint16 `json:"tag,omitempty"`
	Seal  []byte `json:"seal,omitempty"`
	Sum   []byte `json:"sum,omitempty"`
	Of    string `json:"of,omitempty"`
}

// seal returns the line in the form in which it is written.
func (l traceLine) seal(g *Forgetting) traceLine {
	if l.Kind != traceText {
		return l
	}
	l.Seal = g.sum("seal", string(l.Sum))[:3]
	for i, c := range []byte{byte(l.Words), byte(l.Tag), byte(l.Tag >> 8)} {
		l.Seal[i] ^= c
	}
	l.Words, l.Tag = 0, 0
	return l
}

// open undoes seal.
func (l traceLine) open(g *Forgetting) traceLine {
	if len(l.Seal) != 3 {
		return l
	}
	pad := g.sum("seal", string(l.Sum))
	l.Words, l.Tag = int(l.Seal[0]^pad[0]), uint16(l.Seal[1]^pad[1])|uint16(l.Seal[2]^pad[2])<<8
	l.Seal = nil
	return l
}

// The kinds of a trace.
const (
	traceText    = "text"
	traceBlock   = "block"
	traceSession = "session"
	traceAuthor  = "author"
	traceTouched = "touched"
	tracePart    = "part"
	traceSecond  = "second"
)

func (g *Forgetting) sum(kind, text string) []byte {
	mac := hmac.New(sha256.New, g.key)
	mac.Write([]byte(kind + "\x00" + text))
	return mac.Sum(nil)[:sha256.Size/2]
}
