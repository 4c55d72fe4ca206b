package recall

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/rank"
	"mac-stats/sessionmem/transcript"
)

// rows is the index of rows, with the texts of its passages by their positions.
type rows struct {
	*index.Index
	path  string
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
	path := filepath.Join(tb.TempDir(), "rows.db")
	x, err := index.Open(tb.Context(), path, "root", true)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := x.Close(); err != nil {
			tb.Error(err)
		}
	})
	r := &rows{x, path, map[string]string{}}
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
	top, err := r.top(ctx, x, asked)
	if err != nil {
		return nil, err
	}
	top = top[:min(len(top), hitsFor(&asked, false))]
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

// top returns the best hits, before their texts are looked at.
func (r *rows) top(ctx context.Context, x *Index, asked rank.Query) (top []found, err error) {
	err = r.Read(ctx, func(s *index.Snapshot) error {
		all, err := s.Candidates(ctx, asked.Terms, &x.weights, nil)
		if err != nil {
			return err
		}
		all = rank.Order(asked, &x.weights, all, nil)
		pool := hitsFor(&asked, false) + spareHits
		if asked.Terms.OnlyTime {
			all = rank.OfTime(asked, max(x.weights.Candidates, pool), all, s.MessagesWithin(asked.Terms.Spans, nil))
		}
		for _, c := range all[:min(len(all), pool)] {
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
		return nil
	})
	return top, err
}

// TestRowsAnswerAsTheEngineDoes compares every answer of the two on the chats that search quality
// is measured on.
func TestRowsAnswerAsTheEngineDoes(t *testing.T) {
	all := loadChats(t)
	var byEngine, byRows benchTable
	questions, differ := 0, 0
	for _, c := range all {
		r := newRows(t, c.sessions)
		answers := map[string][]benchHit{}
		byEngine.take(c, func(q benchQuestion) []benchHit {
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
				t.Logf("%q: %v, the engine %v", q.text, hits, answers[q.text])
			}
			return hits
		})
	}
	logRow(t, "", setPeople+" "+measuresHead, rowCore+" R@10", "all R@10")
	logRow(t, "the engine", byEngine.total()...)
	logRow(t, "rows", byRows.total()...)
	if !slices.Equal(byEngine.total(), byRows.total()) {
		t.Error("the figures differ")
	}
	if differ > 0 {
		t.Errorf("%d of %d answers differ", differ, questions)
	}
}

// BenchmarkRows builds both indexes of 3,000 sessions made of the sentences of the chats, and asks
// them the same questions in turn, up to the places of the best hits.
func BenchmarkRows(b *testing.B) {
	var sentences []string
	for _, c := range loadChats(b) {
		for _, s := range c.sessions {
			for _, block := range s {
				for _, line := range strings.FieldsFunc(block.Text, func(r rune) bool { return r == '\n' || r == '.' }) {
					if line = strings.TrimSpace(line); len(line) > 30 && len(line) < 300 {
						sentences = append(sentences, line+".")
					}
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	c := &benchChat{}
	size := 0
	for n := range 3000 {
		var blocks []transcript.Block
		for m := range 12 {
			block := transcript.Block{Kind: transcript.KindUser, ID: fmt.Sprintf("m%d-%d", n, m), Time: time.Unix(1.7e9+int64(n*1000+m*20), 0).UTC()}
			length := 2
			if m%2 == 1 {
				block.Kind, length = transcript.KindAssistant, 14
			}
			for range length {
				block.Text += sentences[r.IntN(len(sentences))] + " "
			}
			size += len(block.Text)
			blocks = append(blocks, block)
		}
		c.sessions = append(c.sessions, blocks)
	}
	var long, short []string
	for len(long) < 200 {
		if words := strings.Fields(sentences[r.IntN(len(sentences))]); len(words) >= 10 && len(words) <= 25 {
			long, short = append(long, strings.Join(words, " ")), append(short, strings.Join(words[3:6], " "))
		}
	}
	begun := time.Now()
	c.write(b)
	engineBuilt := time.Since(begun)
	begun = time.Now()
	rows := newRows(b, c.sessions)
	rowsBuilt := time.Since(begun)
	fi, err := os.Stat(rows.path)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%.1f MB of text; the engine, with writing and reading the files: %.1f s, %.1f MB; rows, without: %.1f s, %.1f MB",
		float64(size)/1e6, engineBuilt.Seconds(), float64(c.index.file.Size())/1e6, rowsBuilt.Seconds(), float64(fi.Size())/1e6)
	for name, questions := range map[string][]string{"of 10 to 25 words": long, "of three words": short} {
		var byEngine, byRows []time.Duration
		for range 3 {
			for _, question := range questions {
				begun := time.Now()
				asked := Query{Text: question, Limit: 50, Cold: true, Now: c.now, Strategy: Lexical}
				err := c.index.file.Read(b.Context(), func(now *engine.Snapshot) error {
					s := &search{x: c.index, now: now, q: asked, asked: rank.Query{Now: c.now, Limit: 50, Terms: c.index.readQuestion(asked)}, pool: 50}
					return s.run(b.Context())
				})
				byEngine = append(byEngine, time.Since(begun))
				if err != nil {
					b.Fatal(err)
				}
				begun = time.Now()
				if _, err := rows.top(b.Context(), c.index, rank.Query{Now: c.now, Limit: 50, Terms: c.index.readQuestion(asked)}); err != nil {
					b.Fatal(err)
				}
				byRows = append(byRows, time.Since(begun))
			}
		}
		for of, took := range map[string][]time.Duration{"engine": byEngine, "rows": byRows} {
			slices.Sort(took)
			b.Logf("questions %s, %s: p50 %v, p95 %v", name, of, took[len(took)/2].Round(10*time.Microsecond), took[len(took)*95/100].Round(10*time.Microsecond))
		}
	}
	rows.measureChanges(b, c.sessions)
}

// measureChanges measures how long changes take: a message more, a message erased, and nothing.
func (r *rows) measureChanges(b *testing.B, sessions [][]transcript.Block) {
	b.Helper()
	stamps := map[string]string{}
	var more, erased []time.Duration
	for n, blocks := range sessions {
		name := fmt.Sprintf("cli-s%d", n+1)
		stamps["session/"+name+".md"] = "1"
		if n%50 != 0 {
			continue
		}
		further := sessions[(n+7)%len(sessions)][1]
		further.ID = "further"
		e := entryOf(name, append(slices.Clone(blocks), further))
		begun := time.Now()
		if err := r.Update(b.Context(), []index.Entry{e}, nil); err != nil {
			b.Fatal(err)
		}
		more = append(more, time.Since(begun))
		begun = time.Now()
		if err := r.Erase(b.Context(), nil, []index.Place{{Source: e.Key, Number: 1}}); err != nil {
			b.Fatal(err)
		}
		erased = append(erased, time.Since(begun))
	}
	r.Unload()
	begun := time.Now()
	changed, _, err := r.Stale(b.Context(), stamps)
	if err != nil || len(changed) != len(more) {
		b.Fatal(len(changed), err)
	}
	slices.Sort(more)
	slices.Sort(erased)
	b.Logf("a message more: p50 %v, p95 %v; a passage erased: p50 %v, p95 %v; reading the heads and looking for changes: %v",
		more[len(more)/2], more[len(more)*95/100], erased[len(erased)/2], erased[len(erased)*95/100], time.Since(begun))
}
