package cpuwindow

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/apptest"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/sessionmem"
)

// The promised figures, printed beside the measured ones.
const (
	promisedBusy    = 25.0 // % of a core, of the UI goroutine
	promisedP95     = 4.0  // ms of work for an update
	promisedGrowth  = 1.5  // the last 1,000 tokens to the first 1,000
	promisedOpening = 50.0 // ms
	promisedKey     = 8.0  // ms
)

// section is part of a typical answer, about 250 tokens long.
const section = "## Why it is slow\n\nThe process `mds_stores` is **indexing** the backup disk, which takes most of two cores; see [the manual](http://example.org).\n\n" +
	"- first it reads every file\n- then it writes an index\n  - which is *large*\n\n" +
	"```go\nfunc load(path string) (*index, error) {\n\tdata, err := os.ReadFile(path) // all of it\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"load: %w\", err)\n\t}\n\treturn parse(data), nil\n}\n```\n\n" +
	"| process | share |\n|---|---:|\n| mds_stores | 2.3 |\n| WindowServer | 0.4 |\n\nSo $x^2$ of them go on. " + "It is a sentence of some length that says what was found, and then one more. " + "\n\n"

// tokensOf splits a text as a model streams it: about four bytes a token.
func tokensOf(n int) []string {
	text := strings.Repeat(section, n/(len(section)/4)+1)
	out := make([]string, 0, n)
	for at := 0; len(out) < n; at += 4 {
		out = append(out, text[at:at+4])
	}
	return out
}

// BenchmarkStreamedAnswer measures an answer of 20,000 tokens at 200 tokens/s: each update, the
// preparation on another goroutine and the work of the UI goroutine.
func BenchmarkStreamedAnswer(b *testing.B) {
	const tokens, perSecond = 20_000, 200
	benchStream(b, tokensOf(tokens), perSecond)
	b.ReportMetric(promisedGrowth, "x-last/first-1000-promised")
}

func benchStream(b *testing.B, all []string, perSecond int) {
	tokens := len(all)
	perFrame := int(float64(perSecond) * (80 * time.Millisecond).Seconds())
	w := newBench(b).shown()
	var figures streamFigures
	for b.Loop() {
		w.w.NewChat()
		w.w.chat.Send("q")
		c := w.w.chats().Shown()
		var ui, work []time.Duration
		for at := 0; at < tokens; at += perFrame {
			began := time.Now()
			for _, t := range all[at:min(at+perFrame, tokens)] {
				c.Apply(token(t))
			}
			v := c.View(time.Now())
			prepared := time.Now()
			w.w.chat.Draw(v)
			ui, work = append(ui, time.Since(prepared)), append(work, time.Since(began))
		}
		c.RunEnded(c.Running())
		figures.add(ui, work, 1000/perFrame, time.Duration(tokens/perSecond)*time.Second)
	}
	figures.report(b)
}

// forms are answers of a single block, which no blank line ends.
func forms() map[string]func(i int) string {
	const sentence = "It reads every file of the disk and then writes an **index** of what `mds` found. "
	return map[string]func(i int) string{
		"list":  func(i int) string { return fmt.Sprintf("- item %d: %s\n", i, sentence) },
		"loose": func(i int) string { return fmt.Sprintf("- item %d: %s\n\n", i, sentence) },
		"numbers": func(i int) string {
			return fmt.Sprintf("%d. %s\n%s- below it\n", i+1, sentence, strings.Repeat(" ", len(fmt.Sprint(i+1))+2))
		},
		"quote":     func(i int) string { return fmt.Sprintf("> %d %s\n>\n", i, sentence) },
		"paragraph": func(int) string { return sentence },
		"lines":     func(i int) string { return fmt.Sprintf("%d %s\n", i, sentence) },
		"table": func(i int) string {
			row := fmt.Sprintf("| process %d | %d | %s |\n", i, i, sentence)
			if i == 0 {
				return "| process | share | note |\n|---|---:|---|\n" + row
			}
			return row
		},
		"below": func(i int) string {
			row := fmt.Sprintf("| process %d | %s |\n", i, sentence)
			if i == 0 {
				return "These are the processes:\n| process | note |\n|---|---|\n" + row
			}
			return row
		},
		"lone": func(i int) string {
			if i == 0 {
				return "A lone ` and **two that nothing closes. "
			}
			return fmt.Sprintf("It reads every file of the disk %d and then writes an index of them. ", i)
		},
		"code": func(i int) string {
			line := fmt.Sprintf("\tif x := load(%d); x != nil { // %s\n\t\treturn \"text\"\n\t}\n", i, sentence)
			if i == 0 {
				return "```go\n" + line
			}
			return line
		},
	}
}

// BenchmarkStreamedBlock measures an answer of 2,000 tokens in a single block, which is parsed
// again as a whole at each update.
func BenchmarkStreamedBlock(b *testing.B) {
	for name, form := range forms() {
		b.Run(name, func(b *testing.B) {
			const tokens, perSecond = 2_000, 200
			var text strings.Builder
			for i := 0; text.Len() < 4*tokens; i++ {
				text.WriteString(form(i))
			}
			all := make([]string, tokens)
			for i := range all {
				all[i] = text.String()[4*i : 4*i+4]
			}
			benchStream(b, all, perSecond)
		})
	}
}

// streamFigures holds the figures of several answers, because the garbage collector runs during
// some of them only.
type streamFigures struct{ busy, p95, growth []float64 }

func (f *streamFigures) add(ui, work []time.Duration, thousand int, took time.Duration) {
	sum := func(list []time.Duration) (s time.Duration) {
		for _, d := range list {
			s += d
		}
		return s
	}
	f.busy = append(f.busy, 100*float64(sum(ui))/float64(took))
	f.p95 = append(f.p95, ms(slices.Sorted(slices.Values(work))[len(work)*95/100]))
	f.growth = append(f.growth, float64(sum(work[len(work)-thousand:]))/float64(sum(work[:thousand])))
}

// report reports the medians.
func (f *streamFigures) report(b *testing.B) {
	b.Helper()
	median := func(list []float64) float64 { return slices.Sorted(slices.Values(list))[len(list)/2] }
	b.ReportMetric(median(f.busy), "%-ui")
	b.ReportMetric(promisedBusy, "%-ui-promised")
	b.ReportMetric(median(f.p95), "ms-p95")
	b.ReportMetric(promisedP95, "ms-p95-promised")
	b.ReportMetric(median(f.growth), "x-last/first-1000")
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// writeTranscript writes a session of n messages as the app does.
func writeTranscript(b *testing.B, root, name string, messages int) {
	b.Helper()
	var s strings.Builder
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	fmt.Fprintf(&s, "---\nformat: mac-stats-session/1\nsession: %s\nsource: cpu\nstarted: %s\ntitle: long\n---\n", name, at.Format(time.RFC3339))
	for i := range messages / 2 {
		fmt.Fprintf(&s, "\n## User · %s\n<!-- id=u%d -->\n\na question of some words, number %d\n", at.Format(time.RFC3339), i, i)
		fmt.Fprintf(&s, "\n## Assistant · %s · orchestrator · qwen3:8b\n<!-- id=a%d parent=u%d -->\n\n%s\n", at.Format(time.RFC3339), i, i, strings.TrimSpace(section))
	}
	file := filepath.Join(root, "session", fmt.Sprintf("session-memory-%s-%s-long.md", name, at.Format("20060102-150405")))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(s.String()), 0o600); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkOpenLongSession measures opening a session of 5,000 messages from disk until it is
// laid out, and the memory it takes afterwards.
func BenchmarkOpenLongSession(b *testing.B) {
	w := newBench(b)
	writeTranscript(b, w.home, "cpu-long", 5000)
	store, err := sessionmem.Open(sessionmem.Config{Root: w.home})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	w.with(func(p *parts) { p.sessions = store })
	w.shown()
	before := heap()
	for b.Loop() {
		c := conversation.New("cpu-long")
		t, err := store.Load(b.Context(), c.Name)
		if err != nil {
			b.Fatal(err)
		}
		c.Fill(t)
		w.w.chat.Show(c)
	}
	b.ReportMetric(ms(b.Elapsed())/float64(b.N), "ms")
	b.ReportMetric(promisedOpening, "ms-promised")
	if v := w.w.chats().Shown().View(time.Now()); v.Older < 4900 || len(v.Entries) == 0 {
		b.Fatalf("%d older, %d here", v.Older, len(v.Entries))
	}
	b.ReportMetric(float64(heap()-before)/1e6, "MB-held")
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkKeystroke measures a key typed into a composer with 8 KB of text.
func BenchmarkKeystroke(b *testing.B) {
	w := newBench(b).shown()
	e := w.w.chat.Compose.Entry
	w.w.chat.Compose.SetText(strings.Repeat("words in a line of text that goes on\n", 220))
	b.ResetTimer()
	n := 0
	began := time.Now()
	for b.Loop() {
		e.TypedRune('x')
		e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyBackspace})
		n += 2
	}
	b.ReportMetric(ms(time.Since(began))/float64(n), "ms/key")
	b.ReportMetric(promisedKey, "ms/key-promised")
}

// BenchmarkApplyToken measures applying one token event on the run's goroutine.
func BenchmarkApplyToken(b *testing.B) {
	c := conversation.New("cpu-1")
	c.Begin("q", time.Now())
	c.SetRun(apptest.NewRun())
	ev := agents.Event{Type: agents.EventToken, Round: 1, Text: "word ", Agent: "o", Model: "m"}
	for b.Loop() {
		c.Apply(ev)
	}
}
