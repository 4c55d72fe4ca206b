package recall

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/rank"
	"mac-stats/sessionmem/transcript"
)

// rows is the index of rows, with the texts of its passages by their positions.
type rows struct {
	*index.Index
	texts map[string]string // by source, block and part
}

// entryOf returns a session as the index of rows takes it.
func entryOf(session string, blocks []transcript.Block) index.Entry {
	e := index.Entry{Source: index.Source{Key: "session/" + session + ".md", Session: session, From: "cli", Stamp: "1"}}
	c := corpus.Chunker{Session: session, Source: "cli"}
	for _, b := range blocks {
		for _, p := range c.Pieces(b, places.Place{}) {
			d := index.Passage{Kind: index.Other, Continues: p.Part > 0, Time: p.Time, Block: p.Block, Part: p.Part, Turn: p.Turn, Agent: p.Agent, Text: p.Text}
			switch p.Kind {
			case corpus.KindUser:
				d.Kind = index.User
			case corpus.KindAssistant:
				d.Kind = index.Assistant
			}
			if p.Strand == format.StrandWork {
				d.Strand = index.Work
			}
			e.Passages = append(e.Passages, d)
		}
	}
	return e
}

func newRows(tb testing.TB, sessions [][]transcript.Block) *rows {
	tb.Helper()
	x, err := index.Open(tb.Context(), filepath.Join(tb.TempDir(), "rows.db"), "root", true)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := x.Close(); err != nil {
			tb.Error(err)
		}
	})
	r := &rows{x, map[string]string{}}
	var all []index.Entry
	for n, blocks := range sessions {
		e := entryOf(fmt.Sprintf("cli-s%d", n+1), blocks)
		for _, p := range e.Passages {
			r.texts[fmt.Sprint(e.Session, "/", p.Block, "/", p.Part)] = p.Text
		}
		all = append(all, e)
	}
	for some := range slices.Chunk(all, 200) {
		if err := x.Update(tb.Context(), some, nil); err != nil {
			tb.Fatal(err)
		}
	}
	return r
}

// ask answers a question as Search does, with the candidates of the rows.
func (r *rows) ask(ctx context.Context, x *Index, question string, limit int, now time.Time) (hits []benchHit, err error) {
	asked := rank.Query{Now: now, Limit: limit, Terms: x.readQuestion(Query{Text: question, Now: now})}
	var top []found
	err = r.Read(ctx, func(s *index.Snapshot) error {
		all, err := s.Candidates(ctx, asked.Terms, &x.weights, nil)
		if err != nil {
			return err
		}
		all = rank.Order(asked, &x.weights, all, nil)
		pool := hitsFor(&asked, false)
		if asked.Terms.OnlyTime {
			all = rank.OfTime(asked, max(x.weights.Candidates, pool+spareHits), all, s.MessagesWithin(asked.Terms.Spans, nil))
		}
		for _, c := range all[:min(len(all), pool+spareHits)] {
			p, k, err := s.Passage(ctx, c.At)
			if err != nil {
				return err
			}
			h := newFound(&c)
			h.Session, h.Block, h.Part, h.Time, h.known = k.Session, p.Block, p.Part, p.Time, true
			h.ID = corpus.ChunkID(k.Session, p.Block, p.Part)
			h.Text = r.texts[h.ID]
			top = append(top, h)
		}
		byScore(top)
		top = top[:min(len(top), pool)]
		return nil
	})
	if err != nil {
		return nil, err
	}
	if asked.Terms.OnlyTime {
		top = top[:min(limit, len(top))]
	} else {
		top = x.refine(ctx, asked, question, false, top)
	}
	for _, h := range top {
		hits = append(hits, benchHit{h.Block, h.Session})
	}
	return hits, nil
}

// TestRowsAnswerAsTheEngineDoes compares every answer of the two on the chats that search quality
// is measured on.
func TestRowsAnswerAsTheEngineDoes(t *testing.T) {
	all := loadChats(t)
	var engine, byRows benchTable
	questions, differ := 0, 0
	for _, c := range all {
		r := newRows(t, c.sessions)
		answers := map[string][]benchHit{}
		engine.take(c, func(q benchQuestion) []benchHit {
			answers[q.text] = c.ask(t, q)
			return answers[q.text]
		})
		byRows.take(c, func(q benchQuestion) []benchHit {
			hits, err := r.ask(t.Context(), c.index, q.text, 50, c.now)
			if err != nil {
				t.Fatal(err)
			}
			questions++
			if !slices.Equal(hits, answers[q.text]) {
				differ++
				if os.Getenv("ROWS_VERBOSE") != "" {
					t.Logf("%q: %v %v", q.text, hits, answers[q.text])
				}
			}
			return hits
		})
	}
	logRow(t, "", setPeople+" "+measuresHead, rowCore+" R@10", "all R@10")
	logRow(t, "the engine", engine.total()...)
	logRow(t, "rows", byRows.total()...)
	if !slices.Equal(engine.total(), byRows.total()) {
		t.Error("the figures differ")
	}
	t.Logf("%d of %d answers differ in their order", differ, questions)
}
