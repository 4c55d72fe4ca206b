package forgotten

import (
	"crypto/hmac"
	"crypto/sha256"
	"slices"
	"strings"
	"time"
	"unicode"

	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"
)

// Text stands in the place of what was forgotten.
const Text = "[forgotten]"

const (
	// maxWindow is how many words a trace holds; a longer sentence has several.
	maxWindow = 16

	// What a sentence needs for its copies to be found elsewhere: less than that says
	// everybody. Of a model's words it takes more, they repeat themselves.
	minTyped, minTold = 5, 8
)

// Traces tell what is to be forgotten, or was, without its text: keyed hashes of
// words that stand one behind the other, of blocks and sessions. They are made by
// Forgotten.New and never changed once they are written down.
type Traces struct {
	f     func() *textfold.Folder // made when it is needed: that takes some milliseconds
	lines []traceLine
	at    []*forgetting // whose lines these are

	texts map[int]*traceSums // by number of words
	marks map[string][]*forgetting
	spans []*forgetting

	generation string // names which forgettings these are
}

// traceSums are the traces of texts of that many words.
type traceSums struct {
	tags [1 << 16 / 64]uint64 // a bit for each tag there is
	all  map[uint16][]traceSum
}

type traceSum struct {
	sum [sha256.Size / 2]byte
	of  *forgetting
}

// forgetting is one act of forgetting.
type forgetting struct {
	ID        string    `json:"id"`
	At        time.Time `json:"at"`              // what was said until then is meant
	Begun     time.Time `json:"begun"`           // when it was written down: what was being made then may hold it
	Typed     bool      `json:"typed,omitempty"` // what the user typed elsewhere goes too
	Since     time.Time `json:"since,omitzero"`  // a span of time, Until excluded
	Until     time.Time `json:"until,omitzero"`
	Learn     bool      `json:"lessons,omitempty"`   // lessons learnt from it go too
	Seconds   bool      `json:"seconds,omitempty"`   // blocks of its very second are marked, see AddFound
	Guest     bool      `json:"guest,omitempty"`     // somebody on Discord asked for it: its words count in what is of Discord alone
	Elsewhere bool      `json:"elsewhere,omitempty"` // another machine forgot it

	key   []byte
	kinds map[string]bool // of its marks
	done  bool
	ended time.Time // when all was gone through first; zero: it is under way
}

// during says whether the forgetting wasn't over at a time: what is made of what was
// read then may hold it.
func (g *forgetting) during(t time.Time) bool { return g.ended.IsZero() || !g.ended.Before(t.Round(0)) }

// end notes when all was gone through; a later try changes nothing of that.
func (g *forgetting) end(at time.Time) {
	if g.ended.IsZero() {
		g.ended = at
	}
}

// counts says whether the words of a forgetting count in a session. Somebody on Discord
// who types what the owner's own conversations say must not have these emptied.
func (g *forgetting) counts(session string) bool {
	return !g.Guest || strings.HasPrefix(session, "discord-")
}

// traceLine is a line of the file. There, the number of words and the tag, which have no
// key, are sealed: a tag alone would tell which of the few PINs there are it may be.
type traceLine struct {
	Kind  string `json:"kind,omitempty"` // text, block, session, author
	Words int    `json:"n,omitempty"`    // of files before forgottenFormat, as Tag
	Tag   uint16 `json:"tag,omitempty"`
	Seal  []byte `json:"seal,omitempty"`
	Sum   []byte `json:"sum,omitempty"`
	Of    string `json:"of,omitempty"`
}

// seal gives the line as it is written.
func (l traceLine) seal(g *forgetting) traceLine {
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

// open gives the line as it was before seal.
func (l traceLine) open(g *forgetting) traceLine {
	if len(l.Seal) != 3 {
		return l
	}
	pad := g.sum("seal", string(l.Sum))
	l.Words, l.Tag = int(l.Seal[0]^pad[0]), uint16(l.Seal[1]^pad[1])|uint16(l.Seal[2]^pad[2])<<8
	l.Seal = nil
	return l
}

func newTraces(f func() *textfold.Folder) *Traces {
	return &Traces{f: f, texts: map[int]*traceSums{}, marks: map[string][]*forgetting{}}
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

func (g *forgetting) sum(kind, text string) []byte {
	mac := hmac.New(sha256.New, g.key)
	mac.Write([]byte(kind + "\x00" + text))
	return mac.Sum(nil)[:sha256.Size/2]
}

// add takes a line in.
func (t *Traces) add(l traceLine, g *forgetting) {
	if l.Kind != traceText {
		mark := l.Kind + "\x00" + string(l.Sum)
		if slices.Contains(t.marks[mark], g) {
			return
		}
		t.marks[mark] = append(t.marks[mark], g)
		if !g.kinds[l.Kind] { // others may be reading it, of a forgetting that is known whole
			if g.kinds == nil {
				g.kinds = map[string]bool{}
			}
			g.kinds[l.Kind] = true
		}
		t.lines = append(t.lines, l)
		return
	}
	if len(l.Sum) != sha256.Size/2 || l.Words < 1 || l.Words > maxWindow {
		return
	}
	w := t.texts[l.Words]
	if w == nil {
		w = &traceSums{all: map[uint16][]traceSum{}}
		t.texts[l.Words] = w
	}
	entry := traceSum{[sha256.Size / 2]byte(l.Sum), g}
	if slices.Contains(w.all[l.Tag], entry) {
		return
	}
	w.tags[l.Tag/64] |= 1 << (l.Tag % 64)
	w.all[l.Tag] = append(w.all[l.Tag], entry)
	t.lines = append(t.lines, l)
}

// own is the forgetting that these traces are made for.
func (t *Traces) own() *forgetting { return t.at[0] }

// ID names the forgetting.
func (t *Traces) ID() string { return t.own().ID }

// At is when it was begun: what is said later is not meant.
func (t *Traces) At() time.Time { return t.own().At }

// Touches reports whether Touch added this place.
func (t *Traces) Touches(place string) bool {
	return slices.ContainsFunc(t.at, func(g *forgetting) bool { return t.marked(g, traceTouched, place) })
}

// Touch notes a place (a session's name, a file's path below the data folder) that
// something was found in: what is derived from it is made anew.
func (t *Traces) Touch(place string) { t.addMark(traceTouched, place) }

// WithLessons reports whether what was learnt from it goes too, instead of being
// proposed for removal.
func (t *Traces) WithLessons() bool { return t.own().Learn }

// NeedsBlocks says whether a session's file has to be taken apart to see whether anything
// in it is meant: something is by other things than its words.
func (t *Traces) NeedsBlocks(session string) bool {
	return len(t.spans) > 0 || slices.ContainsFunc(t.at, func(g *forgetting) bool {
		return g.kinds[traceBlock] || g.kinds[tracePart] || g.kinds[traceAuthor] || t.marked(g, traceSession, session)
	})
}

// Empty reports whether there is nothing to look for.
func (t *Traces) Empty() bool { return len(t.texts) == 0 && len(t.marks) == 0 && len(t.spans) == 0 }

// AddWords adds words that stand so in a text, one behind the other, at most 16 of
// them for each trace: where they stand together anywhere, they are meant.
func (t *Traces) AddWords(text string) {
	for _, w := range t.f().Read([]byte(text)).Whole() {
		t.addWindows(w, 0, len(w.Words))
	}
}

// addWindows adds n words from the first on; the last window reaches back, so that it
// isn't a few words that stand everywhere.
func (t *Traces) addWindows(w textfold.Words, first, n int) {
	for i := 0; i < n; i += maxWindow {
		size := min(maxWindow, n-i)
		from := first + i
		if size < maxWindow && i > 0 {
			from, size = first+n-maxWindow, maxWindow
		}
		t.addWindow(w, from, size)
	}
}

func (t *Traces) addWindow(w textfold.Words, i, n int) {
	g := t.own()
	text := string(w.Window(i, n))
	if text == "forgotten" {
		return
	}
	t.add(traceLine{Kind: traceText, Words: n, Tag: w.Tag(i, n), Sum: g.sum(traceText, text), Of: g.ID}, g)
}

// AddPhrase adds every form that a phrase has in a text or a file's bytes: it may begin
// and end within a word, unless Phrase.Whole says otherwise. It reports whether it stands
// there.
func (t *Traces) AddPhrase(text string, phrase textfold.Phrase) bool {
	return t.AddPhraseRaw([]byte(text), phrase)
}

// AddPhraseRaw is AddPhrase for bytes.
func (t *Traces) AddPhraseRaw(data []byte, phrase textfold.Phrase) bool {
	there := false
	for _, w := range t.f().Read(data).All() {
		for _, f := range w.FindAny(phrase) {
			t.addWindows(w, f[0], f[1])
			there = true
		}
	}
	return there
}

// Has reports whether a phrase stands in a text as AddPhrase finds it.
func (t *Traces) Has(text string, phrase textfold.Phrase) bool {
	return slices.ContainsFunc(t.f().Read([]byte(text)).All(), func(w textfold.Words) bool { return len(w.FindAny(phrase)) > 0 })
}

// Phrase makes words comparable.
func (t *Traces) Phrase(words string) textfold.Phrase { return t.f().Phrase(words) }

// words are a text's words as they stand, folded.
func (t *Traces) words(text string) string { return string(t.f().WordsOf([]byte(text), false).Folded) }

// AddSentences adds the sentences of a text that say enough to be known again
// elsewhere. typed: a person wrote it.
func (t *Traces) AddSentences(text string, typed bool) {
	for _, s := range textfold.Sentences(text) {
		r := t.f().Read([]byte(s))
		if !distinctive(r.Plain[0], typed) {
			continue
		}
		for _, w := range r.Whole() {
			t.addWindows(w, 0, len(w.Words))
		}
	}
}

func distinctive(w textfold.Words, typed bool) bool {
	n := len(w.Words)
	digits := strings.ContainsFunc(string(w.Folded), unicode.IsDigit)
	if !typed {
		return n >= minTold || digits && n >= minTyped
	}
	return n >= minTyped || digits && n >= 2 && len(w.Folded) >= 6 || len(w.Folded) >= 20
}

// AddBlock adds a block, whatever it says.
func (t *Traces) AddBlock(session, id string) { t.addMark(traceBlock, session+"\x00"+id) }

// AddPart adds words that stand in a block: they are meant there even where what a
// person typed is not meant elsewhere.
func (t *Traces) AddPart(session, id, words string) {
	t.addMark(tracePart, session+"\x00"+id)
	t.AddWords(words)
}

// SelectsPart says whether AddPart was told of this block.
func (t *Traces) SelectsPart(session, id string) bool {
	return slices.ContainsFunc(t.at, func(g *forgetting) bool { return t.marked(g, tracePart, session+"\x00"+id) })
}

// AddSession adds the blocks of a session up to now, but for those of this second.
func (t *Traces) AddSession(name string) { t.addMark(traceSession, name) }

// AddFound notes which blocks of the very second of the forgetting it found: another one
// with the same words was said after it.
func (t *Traces) AddFound(found []Touched) {
	t.own().Seconds = true
	for _, id := range OfSecond(found, t.At()) {
		t.addMark(traceSecond, id)
	}
}

// OfSecond gives the blocks of that second among those that were found.
func OfSecond(found []Touched, at time.Time) (ids []string) {
	for _, f := range found {
		if f.Block != "" && f.Action != Kept && f.Time.Truncate(time.Second).Equal(at.Truncate(time.Second)) {
			ids = append(ids, f.Block)
		}
		ids = append(ids, f.Latest...)
	}
	return ids
}

// AddAuthor adds the blocks that an author wrote up to now.
func (t *Traces) AddAuthor(author string) { t.addMark(traceAuthor, author) }

func (t *Traces) addMark(kind, text string) {
	g := t.own()
	t.add(traceLine{Kind: kind, Sum: g.sum(kind, text), Of: g.ID}, g)
}

// ForGuest says that somebody on Discord asks for it: what is meant by its words alone
// is left where the owner's own conversations, memory and files say the same.
func (t *Traces) ForGuest() { t.own().Guest = true }

// IsForGuest reports whether ForGuest was told.
func (t *Traces) IsForGuest() bool { return t.own().Guest }

// AddSpan adds the blocks of a time, until excluded and never later than now.
func (t *Traces) AddSpan(since, until time.Time) {
	g := t.own()
	if until.IsZero() || until.After(g.At) {
		until = g.At
	}
	g.Since, g.Until = since, until
	t.spans = append(t.spans, g)
}

// Selects says whether a block is meant itself, whatever it says.
func (t *Traces) Selects(session string, b transcript.Block) bool {
	return t.selecting(session, b) != nil
}

// selecting gives the forgetting that means a block itself.
func (t *Traces) selecting(session string, b transcript.Block) *forgetting {
	if len(t.marks) == 0 && len(t.spans) == 0 {
		return nil
	}
	for _, g := range t.at {
		before := !b.Time.IsZero() && b.Time.Before(g.At.Truncate(time.Second))
		switch {
		case t.marked(g, traceBlock, session+"\x00"+b.ID),
			before && t.marked(g, traceSession, session),
			before && slices.ContainsFunc(b.Writers(), func(id string) bool { return t.marked(g, traceAuthor, id) }),
			slices.Contains(t.spans, g) && !b.Time.IsZero() && !b.Time.Before(g.Since) && b.Time.Before(g.Until):
			return g
		}
	}
	return nil
}

func (t *Traces) marked(g *forgetting, kind, text string) bool {
	return g.kinds[kind] && slices.Contains(t.marks[kind+"\x00"+string(g.sum(kind, text))], g)
}
