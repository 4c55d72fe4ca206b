package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/rank"
)

const (
	// serverWait is how long a search with a deadline, or without Config.ServerPatience, waits
	// for the server, and at most two thirds of its remaining time: then this machine's index
	// answers.
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

// server returns the server in the settings; nil for none.
func (a *serverAsker) server() Server {
	if a.cfg.Server == nil {
		return nil
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

// ask has the server answer in time; if it fails, this machine's index has to answer.
func (a *serverAsker) ask(ctx context.Context, q ServerQuestion) (ServerFound, error) {
	server := a.server()
	a.mu.Lock()
	resting, last := time.Now().Before(a.again), a.err
	a.mu.Unlock()
	if resting && last != nil {
		return ServerFound{}, last
	}
	wait := cmp.Or(a.cfg.ServerPatience, serverWait)
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, serverWait, time.Until(end)*2/3)
	}
	found, err := askFor(ctx, wait, func(ctx context.Context) (ServerFound, error) { return server.Candidates(ctx, q) })
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ErrServer) {
		err = fmt.Errorf("%w: it didn't answer in time; mac-stats tries again by itself: %w", ErrServer, err)
	}
	if ctx.Err() == nil {
		a.note(err)
	}
	return found, err
}

// onServer runs the search on the server.
func (s *search) onServer(ctx context.Context) error {
	scope := s.q.Scope
	scope.Allow = nil
	q := ServerQuestion{Terms: s.asked.Terms, Weights: &s.x.weights, Scope: scope, MeaningOnly: s.asked.MeaningOnly, Vector: s.meaning.vector, Model: s.meaning.model}
	if !s.q.Cold {
		q.ColdBefore = s.settings.coldBefore(s.q.Now.Unix())
	}
	found, err := s.x.asker.ask(ctx, q)
	if err != nil {
		return err
	}
	s.cold, s.vectors = found.Cold, s.meaning.state
	if s.meaning.vector != nil && found.Meaning == nil {
		s.vectors = VectorsPaused
	}
	top := rank.Order(s.asked, &s.x.weights, found.Candidates, found.Meaning)
	if s.asked.Terms.OnlyTime {
		top = rank.OfTime(s.asked, max(s.x.weights.Candidates, s.pool+spareHits), top, found.Then)
	}
	return s.collectServer(ctx, top, found.Passages)
}

// collectServer makes hits of the best candidates that the scope allows. This machine's
// passages must still be in its files; what was forgotten here is hidden from all machines.
func (s *search) collectServer(ctx context.Context, top []rank.Candidate, passages []ServerHit) error {
	seen := map[string]bool{}
	for _, c := range top {
		if len(s.hits) >= s.pool+spareHits {
			break
		}
		p := &passages[c.At]
		h := newFound(&c)
		h.Chunk, h.Machine = p.Chunk, p.Machine
		if h.ID = corpus.ChunkID(h.Session, h.Block, h.Part); h.Session == "" {
			h.ID = corpus.MemoryID(p.Key, h.Block, h.Part)
		}
		if seen[h.ID] || s.q.Scope.Allow != nil && !s.q.Scope.Allow(h.Chunk) || s.x.corpus.IsForgotten(&h.Chunk) {
			continue
		}
		if p.Machine == "" && !s.x.isUnchanged(ctx, p, &h) {
			continue
		}
		seen[h.ID], h.known = true, true
		s.hits = append(s.hits, h)
	}
	byScore(s.hits)
	if s.q.Beside {
		return s.besideHere(ctx)
	}
	return nil
}

// isUnchanged reports whether this machine's files still hold the passage.
func (x *Index) isUnchanged(ctx context.Context, p *ServerHit, h *found) bool {
	if h.Session != "" {
		if print, err := x.uploads.printNow(ctx, p.Key); err == nil && print == p.Print {
			return true
		}
	}
	r := x.corpus.Texts()
	defer r.Close()
	var err error
	if h.Kind == corpus.KindMemory {
		_, err = r.ReadMemory(h.Chunk)
	} else {
		_, err = r.Search(ctx, h.Chunk, corpus.Place{Hash: index.Hash(h.Text)})
	}
	if err != nil {
		x.cfg.Logger.Debug("a hit of the memory server can't be read any more", "err", err)
	}
	return err == nil
}

// besideHere finds the messages next to the hits of this machine.
func (s *search) besideHere(ctx context.Context) error {
	return s.x.file.Read(ctx, func(now *index.Snapshot) error {
		s.now = now
		for i := range s.hits {
			h := &s.hits[i]
			if h.Machine != "" || h.Session == "" {
				continue
			}
			var failed error
			err := eachOfID(ctx, now, h.ID, func(at uint32, _ *index.Passage, _ *index.Indexed) {
				failed = s.findBeside(ctx, at, h)
			})
			if err := errors.Join(err, failed); err != nil {
				return err
			}
		}
		return nil
	})
}

// coldBefore returns the time before which the last message of a cold session was; 0: none.
func (s Settings) coldBefore(now int64) int64 {
	if s.ColdAfter <= 0 {
		return 0
	}
	return max(0, now-int64(s.ColdAfter/time.Second))
}
