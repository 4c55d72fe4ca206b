package recall

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/rank"
)

// world is a data folder of generated sessions: word frequencies like those of a language
// (Zipf, with some hundred thousand rare words), turns of about twenty words.
type world struct {
	root, cache string
	store       *sessionmem.Store
	x           *Index
	r           *rand.Rand
	zipf        *rand.Zipf
	texts       []string // some of them, as a source of questions
	text, files int64    // bytes in the chunks and in the transcripts
	now         time.Time
}

const (
	worldWords   = 60_000
	worldSession = 30 // turns
)

// word returns a word; function words make up most of a text.
func (w *world) word() string {
	if w.r.IntN(100) < 45 {
		return strings.Fields("the and to of a in that is it you for was on are with this have be at or not but they what so")[w.r.IntN(25)]
	}
	n := w.zipf.Uint64()
	var b strings.Builder
	for n += 8100; n > 0; n /= 90 {
		b.WriteByte("bcdfghjklmnprstvwz"[n%18])
		b.WriteByte("aeiou"[n/18%5])
	}
	return b.String()
}

func (w *world) sentence() string {
	var b strings.Builder
	for i := range 8 + w.r.IntN(32) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.word())
	}
	return b.String() + ".?"[w.r.IntN(5)/4:][:1]
}

func newWorld(b *testing.B, chunks int) *world {
	b.Helper()
	w := &world{root: b.TempDir(), cache: b.TempDir(), r: rand.New(rand.NewPCG(7, 7)), now: time.Date(2026, 5, 3, 10, 0, 0, 0, time.UTC)}
	w.zipf = rand.NewZipf(w.r, 1.15, 12, worldWords)
	dir := filepath.Join(w.root, "session")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	for s := range chunks / worldSession {
		at := w.now.Add(-time.Duration(chunks/worldSession-s) * 10 * time.Minute)
		name := fmt.Sprintf("cpu-s%06d", s)
		text := w.session(name, at)
		w.files += int64(len(text))
		if err := os.WriteFile(filepath.Join(dir, "session-memory-"+name+"-"+at.Format("20060102-150405")+"-chat.md"), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	var err error
	if w.store, err = sessionmem.Open(sessionmem.Config{Root: w.root}); err != nil {
		b.Fatal(err)
	}
	w.x = w.open(b, w.cache)
	b.Cleanup(func() { _, _ = w.x.Close(), w.store.Close() })
	return w
}

func (w *world) session(name string, at time.Time) string {
	var out strings.Builder
	fmt.Fprintf(&out, "---\nformat: mac-stats-session/1\nsession: %s\nsource: cpu\nstarted: %s\n---\n", name, at.Format(time.RFC3339))
	for i := range worldSession {
		text := w.sentence()
		w.text += int64(len(text))
		if w.r.IntN(50) == 0 && len(w.texts) < 2000 {
			w.texts = append(w.texts, text)
		}
		fmt.Fprintf(&out, "\n## %s · %s\n<!-- id=%s -->\n\n%s\n", []string{"User", "Assistant"}[i%2], at.Add(time.Duration(i)*9*time.Second).Format(time.RFC3339), w.id(), text)
	}
	return out.String()
}

func (w *world) id() string {
	var id [8]byte
	for i := range id {
		id[i] = "abcdefghijklmnopqrstuvwxyz234567"[w.r.IntN(32)]
	}
	return string(id[:])
}

func (w *world) open(b *testing.B, cache string) *Index {
	b.Helper()
	x, err := Open(Config{Root: w.root, CacheDir: cache, Store: w.store})
	if err != nil {
		b.Fatal(err)
	}
	return x
}

// question returns some words of a chunk.
func (w *world) question() string {
	words := strings.Fields(w.texts[w.r.IntN(len(w.texts))])
	w.r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return strings.Join(words[:min(len(words), 6+w.r.IntN(6))], " ")
}

// percentiles measures the time of f, n times, and reports it beside the promised one.
func percentiles(b *testing.B, n int, f func(), p95 time.Duration) {
	b.Helper()
	took := make([]time.Duration, n)
	for i := range took {
		begun := time.Now()
		f()
		took[i] = time.Since(begun)
	}
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	b.ReportMetric(ms(took[n/2]), "p50-ms")
	b.ReportMetric(ms(took[n*95/100]), "p95-ms")
	b.ReportMetric(ms(p95), "p95-ms-promised")
}

func BenchmarkIndex(b *testing.B) {
	for _, size := range []struct {
		chunks int
		search time.Duration // promised
	}{
		{60_000, 12 * time.Millisecond},
		{600_000, 130 * time.Millisecond},
	} {
		if size.chunks > 100_000 && os.Getenv("RECALL_LARGE") == "" {
			continue // minutes: on request
		}
		b.Run(fmt.Sprint(size.chunks), func(b *testing.B) {
			w := newWorld(b, size.chunks)
			b.Run("build", w.benchBuild)
			b.Run("rank", func(b *testing.B) { w.benchRank(b, size.search) })
			b.Run("search", func(b *testing.B) { w.benchSearch(b, size.search) })
			b.Run("turn", w.benchTurn)
			b.Run("edit", w.benchEdit)
			b.Run("erase", w.benchErase)
		})
	}
}

// benchBuild builds the index from nothing, until everything is on disk.
func (w *world) benchBuild(b *testing.B) {
	var report Report
	for b.Loop() {
		var err error
		if report, err = w.x.Rebuild(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(report.Added)/report.Took.Seconds(), "chunks/s")
	s, err := w.x.Status(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(100*float64(s.Bytes)/float64(w.text), "%-of-text")
	b.ReportMetric(100*float64(s.Bytes)/float64(w.files), "%-of-files")
	w.reportMemory(b)
}

// reportMemory reports how much memory the index uses after answering.
func (w *world) reportMemory(b *testing.B) {
	b.Helper()
	if err := w.x.Close(); err != nil {
		b.Fatal(err)
	}
	w.x = w.open(b, w.cache)
	before := heapUsed()
	for range 50 {
		if _, err := w.x.Search(b.Context(), Query{Text: w.question(), Cold: true, Now: w.now}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(math.Round(float64(heapUsed()-before)/(1<<20)), "heap-MB")
	b.ReportMetric(64, "heap-MB-promised")
}

// heapUsed returns the memory in use after a collection.
func heapUsed() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// benchRank ranks with the persisted index, without reading the hits' texts.
func (w *world) benchRank(b *testing.B, p95 time.Duration) {
	ask := func(q string) {
		err := w.x.file.Read(b.Context(), func(now *index.Snapshot) error {
			asked := Query{Text: q, Limit: 50, Cold: true, Now: w.now, Strategy: Lexical}
			s := &search{x: w.x, now: now, q: asked, asked: rank.Query{Now: w.now, Limit: 50, Terms: w.x.readQuestion(asked)}, pool: 50}
			return s.run(b.Context())
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	ask(w.question())
	for b.Loop() {
		percentiles(b, 400, func() { ask(w.question()) }, p95)
	}
}

func (w *world) benchSearch(b *testing.B, p95 time.Duration) {
	for b.Loop() {
		percentiles(b, 400, func() {
			if _, err := w.x.Search(b.Context(), Query{Text: w.question(), Limit: 8, Cold: true, Now: w.now}); err != nil {
				b.Fatal(err)
			}
		}, p95)
	}
}

// transcript returns the file of session number n.
func (w *world) transcript(b *testing.B, n int) string {
	b.Helper()
	found, err := filepath.Glob(filepath.Join(w.root, "session", fmt.Sprintf("session-memory-cpu-s%06d-*.md", n)))
	if err != nil || len(found) != 1 {
		b.Fatal(found, err)
	}
	return found[0]
}

// benchTurn indexes one more turn, which is already in the file, as after a report that something
// changed.
func (w *world) benchTurn(b *testing.B) {
	file := w.transcript(b, 17)
	if _, err := w.x.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	turn := func() {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		_, err = fmt.Fprintf(f, "\n## User · %s\n<!-- id=%s -->\n\n%s\n", w.now.Format(time.RFC3339), w.id(), w.sentence())
		if err := cmp.Or(err, f.Close()); err != nil {
			b.Fatal(err)
		}
		if r, err := w.x.Sync(b.Context()); err != nil || r.Added != 1 {
			b.Fatal(r, err)
		}
	}
	for b.Loop() {
		percentiles(b, 100, turn, time.Second)
	}
}

// benchEdit changes a line of a transcript, and measures how long it takes to be found.
func (w *world) benchEdit(b *testing.B) {
	file := w.transcript(b, 23)
	n := 0
	for b.Loop() {
		percentiles(b, 20, func() {
			n++
			text, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			at := strings.LastIndex(string(text), "-->")
			edited := string(text[:at]) + fmt.Sprintf("-->\n\nedited%dword is here\n", n)
			if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
				b.Fatal(err)
			}
			if _, err := w.x.Sync(b.Context()); err != nil {
				b.Fatal(err)
			}
			a, err := w.x.Search(b.Context(), Query{Text: fmt.Sprintf("edited%dword", n), Cold: true, Now: w.now})
			if err != nil || len(a.Hits) == 0 || !strings.Contains(a.Hits[0].Text, "edited") {
				b.Fatal(a, err)
			}
		}, time.Second)
	}
}

// benchErase erases single chunks physically.
func (w *world) benchErase(b *testing.B) {
	n := 100
	for b.Loop() {
		percentiles(b, 20, func() {
			n++
			all, err := w.x.Chunks(b.Context(), fmt.Sprintf("cpu-s%06d", n))
			if err != nil || len(all) == 0 {
				b.Fatal(all, err)
			}
			if err := w.x.Erase(b.Context(), []string{all[0].ID}, nil, nil); err != nil {
				b.Fatal(err)
			}
		}, time.Second)
	}
}
