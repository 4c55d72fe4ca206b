package sessions

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mac-stats/app/cpuwindow/indexwords"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wordsearch"
)

const (
	relatedWait   = 80 * time.Millisecond  // how long exact hits wait for related ones
	exactWait     = 300 * time.Millisecond // how long related hits wait for exact ones
	meaningPause  = 300 * time.Millisecond // from the last key until a model is asked
	meaningTime   = 2 * time.Second        // how long the model may take
	maxRelated    = 8                      // related conversations at most
	minRelevance  = 0.2                    // least recall.Hit.Relevance
	snippetLength = 160                    // characters
	snippetLead   = 40                     // characters of a snippet before the first word
	minQuery      = 3                      // least length of such a query, in characters
)

// found is the result of a search: the conversations that contain every word, and related ones.
type found struct {
	hits, related []wordsearch.Hit
	state         string // of the index if it is incomplete
	early         bool   // the search for hits is still running
	err           error
}

// relatedHits holds what the index found, with the state of the index.
type relatedHits struct {
	hits  []recall.Hit
	state recall.State
}

// run searches for conversations with every word and for related ones: at once by words,
// and by meaning too when the user stops typing. The search for every word reads all files; if
// that takes long, related hits are shown first. show is called up to three times.
func (s Search) run(ctx context.Context, query string, infos []transcript.Info, show func(found)) {
	with := func(f found, n relatedHits) found {
		return addRelated(f, n.hits, n.state, newWordForms(query, s.Finder.Find), infos)
	}
	exact := make(chan found, 1)
	go func() {
		hits, err := s.Finder.Search(ctx, query, switcherHits)
		forms := newWordForms(query, s.Finder.Find)
		for i, h := range hits {
			hits[i].Marks, hits[i].TitleMarks = forms.leading(h.Snippet, h.Marks), forms.leading(h.Info.Title, h.TitleMarks)
		}
		exact <- found{hits: hits, err: err}
	}()
	f, related := collect(exact, s.relatedByWords(ctx, query), func(n relatedHits) {
		if early := with(found{early: true}, n); len(early.related) > 0 {
			show(early)
		}
	})
	if ctx.Err() != nil {
		return
	}
	f = with(f, related)
	show(f)
	if utf8.RuneCountInString(query) < minQuery || !sleep(ctx, meaningPause) {
		return
	}
	ctx, stop := context.WithTimeout(ctx, meaningTime)
	defer stop()
	if hits, state, err := s.Related(ctx, query, false); err == nil && ctx.Err() == nil {
		if more := with(f, relatedHits{hits, state}); !sameHits(more.related, f.related) || more.state != f.state {
			show(more)
		}
	}
}

// relatedByWords looks for related conversations by words only. For a short query it finds none.
func (s Search) relatedByWords(ctx context.Context, query string) <-chan relatedHits {
	out := make(chan relatedHits, 1)
	if utf8.RuneCountInString(query) < minQuery {
		out <- relatedHits{}
		return out
	}
	go func() {
		ctx, stop := context.WithTimeout(ctx, exactWait)
		defer stop()
		hits, state, err := s.Related(ctx, query, true)
		if err != nil {
			hits = nil
		}
		out <- relatedHits{hits, state}
	}()
	return out
}

// collect waits for the exact hits, and briefly for the related ones. If the exact hits take
// long, it calls early with the related ones.
func collect(exact <-chan found, quick <-chan relatedHits, early func(relatedHits)) (f found, related relatedHits) {
	wait := time.After(exactWait)
	for known, looked := false, false; !known || !looked; {
		select {
		case f = <-exact:
			known, wait = true, time.After(relatedWait)
		case related = <-quick:
			looked = true
		case <-wait:
			if !known {
				early(related)
			}
			looked, wait = true, nil
		}
	}
	return f, related
}

// sleep waits until d has passed or ctx ends. It reports whether d has passed.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func sameHits(a, b []wordsearch.Hit) bool {
	return slices.EqualFunc(a, b, func(x, y wordsearch.Hit) bool {
		return x.Info.Name == y.Info.Name && x.Info.Machine == y.Info.Machine && x.Block == y.Block
	})
}

// addRelated adds related conversations to those that contain every word.
func addRelated(f found, hits []recall.Hit, state recall.State, forms *wordForms, infos []transcript.Info) found {
	known := map[string]transcript.Info{}
	for _, in := range infos {
		known[in.Name] = in
	}
	for _, h := range f.hits {
		delete(known, h.Info.Name)
	}
	f.related = nil
	for _, h := range hits {
		in, ok := known[h.Session]
		if h.Machine != "" {
			in, ok = transcript.Info{Name: h.Session, Source: h.Source, Active: h.Time, ReadOnly: true, Machine: h.Machine}, true
		}
		if !ok || h.Relevance < minRelevance || len(f.related) == maxRelated {
			continue
		}
		snippet := snippetOf(h.Text, forms)
		f.related = append(f.related, wordsearch.Hit{
			Info: in, Block: h.Block, Kind: transcript.Kind(h.Kind), Time: h.Time, Snippet: snippet, Marks: forms.marks(snippet),
		})
	}
	f.state = ""
	if indexwords.Lacks(state) {
		f.state = indexwords.Of(state)
	}
	return f
}

// snippetOf returns the text of a passage around the first word of the query, on one line.
func snippetOf(text string, forms *wordForms) string {
	flat := strings.Join(strings.Fields(transcript.PlainText(text)), " ")
	runes := []rune(flat)
	if len(runes) <= snippetLength {
		return flat
	}
	start := 0
	if marks := forms.marks(flat); len(marks) > 0 {
		start = max(0, utf8.RuneCountInString(flat[:marks[0].From])-snippetLead)
	}
	end := min(start+snippetLength, len(runes))
	out := strings.TrimSpace(string(runes[start:end]))
	if start > 0 {
		out = "…" + out
	}
	if end < len(runes) {
		out += "…"
	}
	return out
}
