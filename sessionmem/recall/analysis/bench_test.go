package analysis

import (
	"testing"

	"mac-stats/sessionmem/filetest"
)

func BenchmarkAnalysisOfChunks(b *testing.B) {
	texts := filetest.SampleTexts(20000)
	a := NewAnalyzer()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		a.Chunk(texts[i%len(texts)], saturday)
		i++
	}
	b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "chunks/s")
}

func BenchmarkAnalysisOfAQuestion(b *testing.B) {
	a := NewAnalyzer()
	for b.Loop() {
		a.Query("What did the dog of Anna find in the garden last week?", saturday)
	}
}
