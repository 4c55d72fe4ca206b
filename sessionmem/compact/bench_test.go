package compact

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// BenchmarkCompact measures a compaction's own work for 20 messages, without the model: from
// the snapshot to the Summary on disk, with new lessons written.
func BenchmarkCompact(b *testing.B) {
	lessons := []memory.Lesson{
		{Text: "The user runs the server in the cellar.", Confidence: 0.9, Target: memory.Target{Kind: memory.TargetGlobal}},
		{Text: "The server is deployed from main.go.", Confidence: 0.9, Target: memory.Target{Kind: memory.TargetGlobal}},
	}
	for name, answer := range map[string]struct {
		Summarizer
		lessons int
	}{
		"a model's answer": {told(strings.Repeat("They look for what slows the server down. ", 40), lessons...), len(lessons)},
		"without a model": {summarizeFunc(func(context.Context, *transcript.Block, []transcript.Block) (Digest, error) {
			return Digest{}, ErrNoDigest
		}), 0},
	} {
		b.Run(name, func(b *testing.B) {
			root := b.TempDir()
			s, err := sessionmem.Open(sessionmem.Config{Root: root})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			var took time.Duration
			n := 0
			for b.Loop() {
				n++
				session := fmt.Sprintf("cli-s%d", n)
				for i := range 20 {
					m := transcript.Block{Kind: []transcript.Kind{transcript.KindUser, transcript.KindAssistant}[i%2], Text: strings.Repeat("the server: see /srv/app/main.go:12 and 10.0.0.7 for it. ", 20)}
					if _, err := s.Append(context.Background(), session, m); err != nil {
						b.Fatal(err)
					}
				}
				home := fmt.Sprintf("%s/home%d", root, n) // without lessons so far
				c := New(Config{
					Store: s, Summarizer: answer, Policy: func() Policy { return Policy{} },
					Lessons: MemoryLessons{Memory: memory.New(memory.Config{Root: home}), Store: s, Write: func() string { return "auto" }},
				})
				begun := time.Now()
				snap, p, err := c.Snapshot(context.Background(), session, "")
				if err != nil {
					b.Fatal(err)
				}
				if done, err := c.Compact(context.Background(), snap, p.KeepRecent); err != nil || done.Messages != 16 || done.Lessons.Remembered() != answer.lessons {
					b.Fatal(done, err)
				}
				took += time.Since(begun)
			}
			b.ReportMetric(float64(took.Microseconds())/1000/float64(n), "ms")
			b.ReportMetric(5, "ms-promised")
		})
	}
}
