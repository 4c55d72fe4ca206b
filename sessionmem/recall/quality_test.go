package recall

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
)

// The quality of the ranking is measured on conversations with questions whose answers
// are known, in the form of LoCoMo: RECALL_QUESTIONS names the file. Its data never go
// into the project.

type conversation struct {
	Speakers []string `json:"speakers"`
	Sessions []struct {
		Date  string `json:"date"`
		Turns []struct {
			ID      string `json:"id"`
			Speaker string `json:"speaker"`
			Text    string `json:"text"`
			Caption string `json:"caption"`
		} `json:"turns"`
	} `json:"sessions"`
	Questions []question `json:"questions"`
}

type question struct {
	Question string   `json:"question"`
	Evidence []string `json:"evidence"`
	Category int      `json:"category"`
}

// asked is a conversation in an index of its own.
type asked struct {
	conversation
	index *Index
	now   time.Time
}

func loadConversations(b *testing.B) []asked {
	b.Helper()
	path := os.Getenv("RECALL_QUESTIONS")
	if path == "" {
		b.Skip("RECALL_QUESTIONS names no file with questions")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	var all []conversation
	if err := json.Unmarshal(data, &all); err != nil {
		b.Fatal(err)
	}
	out := make([]asked, len(all))
	for i, c := range all {
		out[i] = indexConversation(b, c)
	}
	return out
}

// indexConversation writes a conversation as transcripts and indexes them.
func indexConversation(b *testing.B, c conversation) asked {
	b.Helper()
	root := b.TempDir()
	dir := filepath.Join(root, "session")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	a := asked{conversation: c}
	for n, s := range c.Sessions {
		at, err := time.Parse("3:04 pm on 2 January, 2006", s.Date)
		if err != nil {
			b.Fatal(err)
		}
		name := fmt.Sprintf("cli-s%d", n+1)
		var text strings.Builder
		fmt.Fprintf(&text, "---\nformat: mac-stats-session/1\nsession: %s\nsource: cli\n---\n", name)
		for i, t := range s.Turns {
			kind := "Assistant"
			if t.Speaker == c.Speakers[0] {
				kind = "User"
			}
			words := t.Speaker + ": " + t.Text
			if t.Caption != "" {
				words += " [" + t.Caption + "]"
			}
			fmt.Fprintf(&text, "\n## %s · %s\n<!-- id=%s -->\n\n%s\n", kind, at.Add(time.Duration(i)*20*time.Second).Format(time.RFC3339), strings.ReplaceAll(t.ID, ":", "-"), words)
		}
		a.now = at.Add(24 * time.Hour)
		file := filepath.Join(dir, "session-memory-"+name+"-"+at.Format("20060102-150405")+"-talk.md")
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	store, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		b.Fatal(err)
	}
	x, err := Open(Config{Root: root, CacheDir: b.TempDir(), Store: store})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = x.Close(), store.Close() })
	if _, err := x.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	a.index = x
	return a
}

// measures are sums over questions.
type measures struct {
	n                              float64
	r5, r10, r25, s5, s10, h1, mrr float64
}

func (m *measures) add(o measures) {
	m.n += o.n
	m.r5, m.r10, m.r25 = m.r5+o.r5, m.r10+o.r10, m.r25+o.r25
	m.s5, m.s10, m.h1, m.mrr = m.s5+o.s5, m.s10+o.s10, m.h1+o.h1, m.mrr+o.mrr
}

func (m measures) String() string {
	p := func(x float64) float64 { return math.Round(1000*x/m.n) / 10 }
	return fmt.Sprintf("%5.0f | %5.1f %5.1f %5.1f | %5.1f %5.1f | %5.1f %5.3f", m.n, p(m.r5), p(m.r10), p(m.r25), p(m.s5), p(m.s10), p(m.h1), m.mrr/m.n)
}

func session(turn string) string { s, _, _ := strings.Cut(turn, ":"); return s }

// judge compares the hits of a question with its evidence.
func judge(q question, hits []Hit) measures {
	m := measures{n: 1}
	found := func(k int) float64 {
		n := 0
		for _, e := range q.Evidence {
			if slices.ContainsFunc(hits[:min(k, len(hits))], func(h Hit) bool { return h.Block == strings.ReplaceAll(e, ":", "-") }) {
				n++
			}
		}
		return float64(n) / float64(len(q.Evidence))
	}
	m.r5, m.r10, m.r25 = found(5), found(10), found(25)
	var sessions, wanted []string
	for _, e := range q.Evidence {
		if s := session(e); !slices.Contains(wanted, s) {
			wanted = append(wanted, s)
		}
	}
	for _, h := range hits[:min(50, len(hits))] {
		if s := strings.Replace(h.Session, "cli-s", "D", 1); !slices.Contains(sessions, s) {
			sessions = append(sessions, s)
		}
	}
	ranked := func(k int) float64 {
		n := 0
		for _, s := range wanted {
			if slices.Contains(sessions[:min(k, len(sessions))], s) {
				n++
			}
		}
		return float64(n) / float64(len(wanted))
	}
	m.s5, m.s10 = ranked(5), ranked(10)
	if i := slices.IndexFunc(sessions, func(s string) bool { return slices.Contains(wanted, s) }); i >= 0 {
		m.mrr = 1 / float64(i+1)
		if i == 0 {
			m.h1 = 1
		}
	}
	return m
}

// ask asks all questions of a conversation.
func (a *asked) ask(b *testing.B, each func(q question, m measures)) {
	b.Helper()
	for _, q := range a.Questions {
		if len(q.Evidence) == 0 {
			continue
		}
		answer, err := a.index.Search(b.Context(), Query{Text: q.Question, Limit: 50, Cold: true, Strategy: Lexical, Now: a.now})
		if err != nil {
			b.Fatal(err)
		}
		each(q, judge(q, answer.Hits))
	}
}

// BenchmarkQuality prints how well the evidence of questions is found, by category, and
// what each part of the ranking adds.
func BenchmarkQuality(b *testing.B) {
	all := loadConversations(b)
	names := map[int]string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
	var total measures
	for b.Loop() {
		total = measures{}
		by := map[int]*measures{}
		for i := range all {
			all[i].ask(b, func(q question, m measures) {
				if by[q.Category] == nil {
					by[q.Category] = &measures{}
				}
				by[q.Category].add(m)
				total.add(m)
			})
		}
		b.Logf("%-22s questions | R@5 R@10 R@25 | session R@5 R@10 | hit@1 MRR", "")
		for _, c := range slices.Sorted(func(yield func(int) bool) {
			for c := range by {
				if !yield(c) {
					return
				}
			}
		}) {
			b.Logf("%-22s %s", cmp.Or(names[c], fmt.Sprint(c)), by[c])
		}
		b.Logf("%-22s %s", "all", total)
	}
	ablate(b, all)
	b.ReportMetric(100*total.r10/total.n, "R@10-%")
	b.ReportMetric(100*total.s10/total.n, "session-R@10-%")
	b.ReportMetric(100*total.h1/total.n, "hit@1-%")
	b.ReportMetric(total.mrr/total.n, "MRR")
}

// ablate prints what is found when a part of the ranking is left out.
func ablate(b *testing.B, all []asked) {
	b.Helper()
	for _, part := range []struct {
		name  string
		leave func(w *rankWeights)
	}{
		{"neighbours", func(w *rankWeights) { w.after, w.before = [strandGap]float32{}, [strandGap]float32{} }},
		{"questions' words", func(w *rankWeights) { w.reply = 1 }},
		{"own words", func(w *rankWeights) { w.own = 0 }},
		{"the session", func(w *rankWeights) { w.session = 0 }},
		{"flattened rarity", func(w *rankWeights) { w.idf = 1 }},
		{"little words", func(w *rankWeights) { w.short = 0 }},
		{"only asking", func(w *rankWeights) { w.question = 0 }},
		{"saying a time", func(w *rankWeights) { w.when = 0 }},
		{"the time asked for", func(w *rankWeights) { w.span = 0 }},
		{"saying a number", func(w *rankWeights) { w.many = 0 }},
		{"words in a row", func(w *rankWeights) { w.pair = 0 }},
	} {
		w := defaultWeights()
		part.leave(&w)
		var total measures
		for i := range all {
			all[i].index.weights = w
			all[i].ask(b, func(_ question, m measures) { total.add(m) })
			all[i].index.weights = defaultWeights()
		}
		b.Logf("%-22s %s", "- "+part.name, total)
	}
}
