package session_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// bigTranscript writes a transcript of about size bytes: messages of a thousand bytes, every
// tenth block a tool result. It returns the number of messages.
func bigTranscript(t testing.TB, root string, size int64) (messages int) {
	t.Helper()
	path := filepath.Join(root, transcript.SessionDir, "session-memory-cli-big-20261121-101502-x.md")
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	f, err := os.Create(path)
	must(t, err)
	w := bufio.NewWriterSize(f, 1<<20)
	data := transcript.AppendFront(nil, transcript.Info{Name: "cli-big", Started: stamp}, "")
	text := strings.Repeat("word ", 190)
	for n, written := 0, int64(0); written < size; n++ {
		b := transcript.Block{ID: fmt.Sprintf("b%d", n), Kind: transcript.KindUser, Time: stamp, Text: fmt.Sprint(n, " ", text)}
		switch {
		case n%10 == 9:
			b.Kind, b.Agent = transcript.KindTool, "SYSTEM_STATS"
		case n%2 == 1:
			b.Kind, b.Agent = transcript.KindAssistant, "orchestrator"
		}
		if b.IsMessage() {
			messages++
		}
		data = transcript.AppendBlock(data, b)
		_, err := w.Write(data)
		must(t, err)
		written += int64(len(data))
		data = data[:0]
	}
	must(t, errors.Join(w.Flush(), f.Close()))
	return messages
}

// memoryUse runs work and returns how much more of the heap is in use after it, and at most
// during it, in bytes.
func memoryUse(work func()) (held, peak int64) {
	inUse := func() int64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64()) //nolint:gosec // bytes of a heap
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // garbage counts for little
	runtime.GC()
	before := inUse()
	end, ended := make(chan struct{}), make(chan int64)
	go func() {
		most := int64(0)
		for {
			most = max(most, inUse())
			select {
			case <-end:
				ended <- most
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	work()
	close(end)
	most := <-ended
	runtime.GC()
	return inUse() - before, most - before
}

const mb = 1 << 20

func TestBigTranscriptTakesLittleMemory(t *testing.T) {
	root := t.TempDir()
	size := int64(100 * mb)
	if testing.Short() {
		size = 30 * mb
	}
	messages := bigTranscript(t, root, size)
	var s *sessionmem.Store
	var c transcript.Context
	held, peak := memoryUse(func() {
		s = openStore(t, root)
		var err error
		c, err = s.Context(t.Context(), "cli-big")
		must(t, err)
		for i := range 100 {
			mustAppend(t, s, "cli-big", user(fmt.Sprint("one more ", i)))
		}
		_, err = s.Session("cli-big").Summaries().Snapshot(t.Context(), "")
		must(t, err)
	})
	t.Logf("%d MB: %d KB held, %d KB at most", size/mb, held>>10, peak>>10)
	if held > 16*mb || peak > 48*mb {
		t.Errorf("a transcript of %d MB takes %d MB, %d MB at most", size/mb, held/mb, peak/mb)
	}
	if c.Total != messages || c.Omitted+len(c.Messages) != messages || len(c.Messages) < branch.MaxMessages/2 {
		t.Errorf("%d messages of %d, %d omitted, %d in all", len(c.Messages), messages, c.Omitted, c.Total)
	}
	held, peak = memoryUse(func() {
		n := 0
		must(t, s.Each(t.Context(), "cli-big", nil, func(transcript.Block) error { n++; return nil }))
		if list, err := s.List(t.Context()); err != nil || list[0].Messages != messages+100 {
			t.Errorf("%+v, %v", list, err)
		}
	})
	if held > 8*mb || peak > 48*mb {
		t.Errorf("reading a transcript of %d MB takes %d MB, %d MB at most", size/mb, held/mb, peak/mb)
	}

	// a branch from far back reads again what was dropped, and a restart gives the same
	if _, err := s.Rewind(t.Context(), "cli-big", "b20", user("another way")); err != nil {
		t.Fatal(err)
	}
	got, err := s.Context(t.Context(), "cli-big")
	must(t, err)
	if got.Total != 19 || len(got.Messages) != 19 || got.Messages[0].ID != "b0" || got.Messages[18].Text != "another way" {
		t.Errorf("%d messages, %d in all", len(got.Messages), got.Total)
	}
	fresh, err := openStore(t, root).Context(t.Context(), "cli-big")
	must(t, err)
	if diff := cmp.Diff(got, fresh); diff != "" {
		t.Errorf("after a restart: %s", diff)
	}
}

// The context of a conversation without a Summary is the same after a restart, at every
// length.
func TestLongContextIsTheSameAfterARestart(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	blocks := make([]transcript.Block, 0, branch.MaxMessages)
	for i := range branch.MaxMessages - 5 {
		blocks = append(blocks, user(fmt.Sprint("message ", i)))
	}
	if _, err := s.Session("cli-a").Append(t.Context(), blocks...); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		mustAppend(t, s, "cli-a", assistant(fmt.Sprint("more ", i)))
		got, err := s.Context(t.Context(), "cli-a")
		must(t, err)
		fresh, err := openStore(t, root).Context(t.Context(), "cli-a")
		must(t, err)
		if diff := cmp.Diff(got, fresh); diff != "" {
			t.Fatalf("with %d more: %s", i+1, diff)
		}
		want := branch.MaxMessages - 4 + i
		if want > branch.MaxMessages {
			want -= branch.MaxMessages/2 + 1
		}
		if len(got.Messages) != want || got.Total != branch.MaxMessages-4+i || got.Omitted != got.Total-want {
			t.Errorf("with %d more: %d messages, %d omitted, %d in all; want %d", i+1, len(got.Messages), got.Omitted, got.Total, want)
		}
	}
	// an old message that models no longer get can still be found and edited
	b, next, err := s.Session("cli-a").Message(t.Context(), mustFirst(t, s, "cli-a"))
	if err != nil || b.Text != "message 0" || next == "" {
		t.Errorf("%+v, %q, %v", b, next, err)
	}
	snap, err := s.Session("cli-a").Summaries().Snapshot(t.Context(), "")
	must(t, err)
	if got := snap.Covered(4); got != branch.MaxMessages+5-4 {
		t.Errorf("a Summary covers %d messages", got)
	}
}

// mustFirst returns the ID of a session's first block.
func mustFirst(t testing.TB, s *sessionmem.Store, name string) string {
	t.Helper()
	tr, err := s.Load(t.Context(), name)
	must(t, err)
	return tr.Blocks[0].ID
}

func TestOneHugeBlockTakesLittleMemory(t *testing.T) {
	size := 50 * mb // holding it whole takes more than the limit
	if testing.Short() {
		size = 20 * mb
	}
	const head = "---\nformat: mac-stats-session/1\n---\n\n## User · 2026-11-21T10:15:02+01:00\n<!-- id=a -->\n\n"
	line := strings.Repeat("x", 99) + "\n"
	for name, tt := range map[string]struct {
		head, again string // a hundred bytes, again and again
		first       transcript.Kind
	}{
		"a block of many MB":           {head, line, transcript.KindUser},
		"a line of many MB":            {head, strings.Repeat("x", 100), transcript.KindUser},
		"many MB without a heading":    {"", line, transcript.KindText},
		"many MB of zeros":             {"", strings.Repeat("\x00", 100), transcript.KindText},
		"a block of many MB and no id": {"## User\n\n", line, transcript.KindUser},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			writeFile(t, filepath.Join(root, transcript.SessionDir, "session-memory-cli-a-20261121-101502-x.md"), tt.head+strings.Repeat(tt.again, size/100))
			s := openStore(t, root)
			held, peak := memoryUse(func() {
				c, err := s.Context(t.Context(), "cli-a")
				must(t, err)
				for _, m := range c.Messages {
					if len(m.Text) > transcript.BlockLimit+100 || !strings.HasSuffix(m.Text, "stand in the transcript alone]") {
						t.Errorf("a text of %d bytes: …%q", len(m.Text), m.Text[len(m.Text)-60:])
					}
				}
				mustAppend(t, s, "cli-a", user("goes on"))
				if list, err := s.List(t.Context()); err != nil || len(list) != 1 || list[0].Err != nil {
					t.Errorf("%+v, %v", list, err)
				}
			})
			if held > 16*mb || peak > 40*mb {
				t.Errorf("it takes %d MB, %d MB at most", held/mb, peak/mb)
			}
			c, err := s.Context(t.Context(), "cli-a")
			must(t, err)
			fresh, err := openStore(t, root).Context(t.Context(), "cli-a")
			must(t, err)
			if diff := cmp.Diff(c, fresh); diff != "" {
				t.Errorf("after a restart: %.400s", diff)
			}
			tr, err := s.Load(t.Context(), "cli-a")
			must(t, err)
			if len(tr.Blocks) != 2 || tr.Blocks[0].Kind != tt.first || len(tr.Blocks[0].Text) < size*99/100 || tr.Blocks[1].Text != "goes on" {
				t.Errorf("the transcript has %d blocks", len(tr.Blocks))
			}
			if tt.first == transcript.KindUser { // it is found by the ID that was derived from the whole text
				if _, _, err := s.Session("cli-a").Message(t.Context(), tr.Blocks[0].ID); err != nil {
					t.Error(err)
				}
			}
			if got := readFile(t, tr.Info.Path); !strings.HasPrefix(got, tt.head+strings.Repeat(tt.again, size/100)) {
				t.Error("what was there is changed")
			}
		})
	}
}

// BenchmarkHugeTranscript opens a transcript of 1 GB, reads its context and appends to it.
func BenchmarkHugeTranscript(b *testing.B) {
	root := b.TempDir()
	messages := bigTranscript(b, root, 1<<30)
	var held, peak int64
	for b.Loop() {
		h, p := memoryUse(func() {
			s := openStore(b, root)
			if c, err := s.Context(b.Context(), "cli-big"); err != nil || c.Total < messages {
				b.Fatalf("%d messages, %v", c.Total, err)
			}
			mustAppend(b, s, "cli-big", user("one more"))
		})
		held, peak = max(held, h), max(peak, p)
	}
	b.ReportMetric(float64(held)/mb, "MB-held")
	b.ReportMetric(64, "MB-held-promised")
	b.ReportMetric(float64(peak)/mb, "MB-peak")
	b.ReportMetric(128, "MB-peak-promised")
}
