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
	nearWait     = 80 * time.Millisecond  // how long exact hits wait for related ones
	exactWait    = 300 * time.Millisecond // how long related hits wait for exact ones
	nearPause    = 300 * time.Millisecond // from the last key until a model is asked
	nearTime     = 2 * time.Second        // how long the model may take
	nearMost     = 8                      // related conversations at most
	nearLeast    = 0.2                    // least recall.Hit.Relevance
	nearSnippet  = 160                    // characters
	nearLead     = 40                     // characters of a snippet before the first word
	leastLooking = 3                      // least length of such a query, in characters
)

// found is the result of a search: the conversations that contain every word, and related ones.
type found struct {
	hits, near []wordsearch.Hit
	state      string // of the index if it is incomplete
	early      bool   // the search for hits is still running
	err        error
}

// nearness is what the index found, with the state of the index.
type nearness struct {
	hits  []recall.Hit
	state recall.State
}

// lookFor searches for conversations with every word and for related ones: at once by words,
// and by meaning too when the user stops typing. The search for every word reads all files; if
// that takes long, related hits are shown first. show is called up to three times.
func (s Search) lookFor(ctx context.Context, query string, infos []transcript.Info, show func(found)) {
	with := func(f found, n nearness) found {
		return withNear(f, n.hits, n.state, newWordForms(query, s.Finder.Find), infos)
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
	f, near := together(exact, s.quickly(ctx, query), func(n nearness) {
		if early := with(found{early: true}, n); len(early.near) > 0 {
			show(early)
		}
	})
	if ctx.Err() != nil {
		return
	}
	f = with(f, near)
	show(f)
	if utf8.RuneCountInString(query) < leastLooking || !waited(ctx, nearPause) {
		return
	}
	ctx, stop := context.WithTimeout(ctx, nearTime)
	defer stop()
	if hits, state, err := s.Related(ctx, query, false); err == nil && ctx.Err() == nil {
		if more := with(f, nearness{hits, state}); !sameHits(more.near, f.near) || more.state != f.state {
			show(more)
		}
	}
}

// quickly looks for related conversations by words only. For a short query it finds none.
func (s Search) quickly(ctx context.Context, query string) <-chan nearness {
	out := make(chan nearness, 1)
	if utf8.RuneCountInString(query) < leastLooking {
		out <- nearness{}
		return out
	}
	go func() {
		ctx, stop := context.WithTimeout(ctx, exactWait)
		defer stop()
		hits, state, err := s.Related(ctx, query, true)
		if err != nil {
			hits = nil
		}
		out <- nearness{hits, state}
	}()
	return out
}

// together waits for the exact hits, and briefly for the related ones. If the exact hits take
// long, it calls early with the related ones.
func together(exact <-chan found, quick <-chan nearness, early func(nearness)) (f found, near nearness) {
	wait := time.After(exactWait)
	for known, looked := false, false; !known || !looked; {
		select {
		case f = <-exact:
			known, wait = true, time.After(nearWait)
		case near = <-quick:
			looked = true
		case <-wait:
			if !known {
				early(near)
			}
			looked, wait = true, nil
		}
	}
	return f, near
}

// waited waits until d has passed or ctx ends. It reports whether d has passed.
func waited(ctx context.Context, d time.Duration) bool {
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

// withNear adds related conversations to those that contain every word.
func withNear(f found, hits []recall.Hit, state recall.State, forms *wordForms, infos []transcript.Info) found {
	known := map[string]transcript.Info{}
	for _, in := range infos {
		known[in.Name] = in
	}
	for _, h := range f.hits {
		delete(known, h.Info.Name)
	}
	f.near = nil
	for _, h := range hits {
		in, ok := known[h.Session]
		if h.Machine != "" {
			in, ok = transcript.Info{Name: h.Session, Source: h.Source, Active: h.Time, ReadOnly: true, Machine: h.Machine}, true
		}
		if !ok || h.Relevance < nearLeast || len(f.near) == nearMost {
			continue
		}
		snippet := snippetOf(h.Text, forms)
		f.near = append(f.near, wordsearch.Hit{
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
	if len(runes) <= nearSnippet {
		return flat
	}
	start := 0
	if marks := forms.marks(flat); len(marks) > 0 {
		start = max(0, utf8.RuneCountInString(flat[:marks[0].From])-nearLead)
	}
	end := min(start+nearSnippet, len(runes))
	out := strings.TrimSpace(string(runes[start:end]))
	if start > 0 {
		out = "…" + out
	}
	if end < len(runes) {
		out += "…"
	}
	return out
}
