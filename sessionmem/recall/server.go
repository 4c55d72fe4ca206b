package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
)

// ErrServer means that the server of recall.backend can't be used. The error it wraps says
// why, and what to do.
var ErrServer = errors.New("the memory server can't be used")

// Server is a mirror of the indexes of several machines. Each machine copies what its own files
// hold, and finds there what the others copied. It is safe for concurrent use.
type Server interface {
	// Search returns the best passages of the other machines, best first. Their Semantic is the cosine
	// of their vector and the question's, 0 without one; they have no Score and no Relevance.
	Search(ctx context.Context, q ServerQuestion) ([]Hit, error)
	// Compare begins a copy. sums has the sum of the prints of each source of this machine; the
	// result has the sources that the server holds otherwise, and whether it holds any of them.
	// It drops what is neither in sums nor in keep.
	Compare(ctx context.Context, sums map[string]int64, keep []string) (differ map[string]bool, dropped int, err error)
	// Prints returns the prints of the passages of one of this machine's sources, by number.
	Prints(ctx context.Context, key string) (map[int]int64, error)
	// Put writes and removes passages: all of it, or nothing. It leaves out what any machine forgot
	// and returns its indexes.
	Put(ctx context.Context, all []ServerPassage, gone []ServerPlace) (forgotten []int, err error)
	// Unembedded returns passages of this machine without a vector of a model, with entries above after.
	Unembedded(ctx context.Context, m EmbedModel, after int64, limit int) ([]ServerUnembedded, error)
	// PutVectors stores the vectors of those passages that still exist.
	PutVectors(ctx context.Context, m EmbedModel, entries []int64, vectors [][]float32) error
}

// ServerPlace is the place of a passage in its source.
type ServerPlace struct {
	Key    string // of the source
	Number int
}

// ServerPassage is a passage in the form the server stores.
type ServerPassage struct {
	ServerPlace
	corpus.Chunk        // with its text
	Print        int64  // changes when the text, its time or its terms do
	Hash         uint64 // of the text
	Terms        []analysis.TermFreq
}

// ServerUnembedded is a passage on the server that has no vector.
type ServerUnembedded struct {
	Entry int64
	Hash  uint64 // of its text
}

// ServerTerm is a term of a question.
type ServerTerm struct {
	Forms  []string // that it may have in a text
	Weight float64
	Held   int // passages on this machine that have it
}

// ServerQuestion is what the server finds passages for.
type ServerQuestion struct {
	Terms       []ServerTerm
	Spans       []analysis.Span // times that it names
	OnlyTime    bool            // it names a time and nothing else
	Scope       Scope           // without Allow
	ColdBefore  int64           // sessions silent since then are cold, in seconds since 1970; 0: none
	MeaningOnly bool
	Vector      []float32 // of Model; nil: none
	Model       EmbedModel
	Limit       int
}

// ServerStatus describes the server.
type ServerStatus struct {
	Version  string // of the server
	Vectors  string // version of pgvector; "": not installed, and searches use words alone
	Bytes    int64
	Machines []ServerMachine // this one first
	Took     time.Duration   // one round trip
}

// ServerMachine is a machine that copies its index to the server.
type ServerMachine struct {
	Name     string
	Mine     bool
	Passages int
	Vectors  int
	Seen     time.Time // when it last copied something
}

const (
	// serverWait is how long a search with a deadline, or without Config.ServerPatience, waits
	// for the server, and at most two thirds of its remaining time: then this machine's index
	// answers alone.
	serverWait = 300 * time.Millisecond
	// serverRest is how long searches don't ask a server again that failed.
	serverRest = 10 * time.Second
)

// serverAsker asks the server in the settings and leaves it alone for a while if it fails.
type serverAsker struct {
	cfg *Config

	mu    sync.Mutex
	again time.Time // when a search asks a failed server again
	err   error     // why it failed
}

// server returns the server in the settings; nil for none. The error says why it can't be used.
func (a *serverAsker) server() (Server, error) {
	if a.cfg.Server == nil {
		return nil, nil //nolint:nilnil // nil means that there is none
	}
	return a.cfg.Server()
}

// note records whether the server answered.
func (a *serverAsker) note(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err = err; err != nil {
		a.again = time.Now().Add(serverRest)
	}
}

// ask has the server answer in time.
func (a *serverAsker) ask(ctx context.Context, server Server, q ServerQuestion) ([]Hit, error) {
	a.mu.Lock()
	resting, last := time.Now().Before(a.again), a.err
	a.mu.Unlock()
	if resting && last != nil {
		return nil, last
	}
	wait := cmp.Or(a.cfg.ServerPatience, serverWait)
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, serverWait, time.Until(end)*2/3)
	}
	found, err := askFor(ctx, wait, func(ctx context.Context) ([]Hit, error) { return server.Search(ctx, q) })
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ErrServer) {
		err = fmt.Errorf("%w: it didn't answer in time; mac-stats tries again by itself: %w", ErrServer, err)
	}
	if ctx.Err() == nil {
		a.note(err)
	}
	return found, err
}

// elsewhere adds what the other machines said, by its place: the first hit of the server follows
// this machine's first one, the second its second.
func (s *search) elsewhere(ctx context.Context) error {
	server, err := s.x.asker.server()
	if err != nil || server == nil || s.q.all { // a search for everything that says the same concerns this machine
		return err
	}
	q := ServerQuestion{
		Spans: s.asked.Terms.Spans, OnlyTime: s.asked.Terms.OnlyTime, Scope: s.q.Scope, MeaningOnly: s.asked.MeaningOnly,
		Vector: s.meaning.vector, Model: s.meaning.model, Limit: s.pool + spareHits,
	}
	q.Scope.Allow = nil
	if s.warm && !s.q.Cold {
		q.ColdBefore = s.settings.coldBefore(s.q.Now.Unix())
	}
	var rarity []float64
	whole := 1e-9
	for _, t := range s.asked.Terms.Terms {
		if t.Class == analysis.ClassPair || len(t.Variants) == 0 { // pairs count only when texts are known
			continue
		}
		one := ServerTerm{Weight: t.Weight, Held: s.held[t.Variants[0].Term]}
		for _, v := range t.Variants {
			one.Forms = append(one.Forms, v.Term)
		}
		q.Terms = append(q.Terms, one)
		rarity = append(rarity, t.Weight*s.x.weights.Idf(min(one.Held, s.passages), max(s.passages, 1)))
		whole += rarity[len(rarity)-1]
	}
	hits, err := s.x.asker.ask(ctx, server, q)
	if err != nil {
		return err
	}
	a := s.x.analyzers.Get()
	defer s.x.analyzers.Put(a)
	place := 0
	here := len(s.hits)
	for _, h := range hits {
		if s.q.Scope.Allow != nil && !s.q.Scope.Allow(h.Chunk) || s.x.corpus.IsForgotten(&h.Chunk) { // what was forgotten here is hidden
			continue
		}
		there := map[string]bool{}
		for _, f := range a.Chunk(h.Text, h.Time).Freqs {
			there[f.Term] = true
		}
		for i, t := range q.Terms {
			if slices.ContainsFunc(t.Forms, func(f string) bool { return there[f] }) {
				h.Relevance += rarity[i] / whole
			}
		}
		if m := s.average; m != nil && h.Semantic > 0 {
			h.Relevance = max(h.Relevance, min(1, (h.Semantic-m.Average)/max(1-m.Average, .05)))
		}
		if h.Score = 1; here > 0 {
			h.Score = s.hits[min(place, here-1)].Score
		}
		if over := place - max(here, 1) + 1; over > 0 { // beyond this machine's last one
			h.Score *= float64(spareHits) / float64(spareHits+over)
		}
		h.Relevance = max(0, min(1, h.Relevance))
		h.Score = cmp.Or(h.Score, h.Relevance) // this machine's hits have nothing to do with the question
		h.Semantic = min(h.Semantic, h.Score)
		s.hits = append(s.hits, found{Hit: h, known: true, share: 1})
		place++
	}
	slices.SortStableFunc(s.hits, func(a, b found) int { return cmp.Compare(b.Score, a.Score) })
	return nil
}

// coldBefore returns the time before which the last message of a cold session was; 0: none.
func (s Settings) coldBefore(now int64) int64 {
	if s.ColdAfter <= 0 {
		return 0
	}
	return max(0, now-int64(s.ColdAfter/time.Second))
}
