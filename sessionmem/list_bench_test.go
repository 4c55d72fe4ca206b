package sessionmem_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/transcript"
)

// BenchmarkListArchived lists 10,000 transcripts of four blocks, half of them archived,
// with a warm page cache: with a newly opened store, without and with a list cache, and
// again with a store that knows them.
func BenchmarkListArchived(b *testing.B) {
	const sessions = 10_000
	root := b.TempDir()
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, d := range []string{"", catalog.ArchiveDir + "/2026-01"} {
		if err := os.MkdirAll(filepath.Join(root, transcript.SessionDir, d), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	for i := range sessions {
		at := started.Add(time.Duration(i) * time.Minute)
		blocks := []transcript.Block{{Kind: transcript.KindUser, Time: at, Text: fmt.Sprintf("question %d", i)}}
		info := transcript.Info{Name: fmt.Sprintf("cpu-n%05d", i), Source: "cpu", Started: at, Title: transcript.TitleOf(blocks[0].Text)}
		file := transcript.FileName(info.Name, at, transcript.TopicOf(blocks[0].Text))
		data := []byte(transcript.Fence + "\n" + transcript.FrontMatter(info) + transcript.Fence + "\n")
		for j := range 4 {
			data = transcript.AppendBlock(data, transcript.Block{ID: fmt.Sprintf("b%d", j), Kind: []transcript.Kind{transcript.KindUser, transcript.KindAssistant}[j%2], Time: at, Text: fmt.Sprintf("question %d", i)})
		}
		if i%2 == 1 {
			file = catalog.ArchiveDir + "/2026-01/" + file
		}
		path := filepath.Join(root, transcript.SessionDir, file)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			b.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			b.Fatal(err)
		}
	}
	list := func(b *testing.B, s *sessionmem.Store) {
		infos, err := s.List(b.Context())
		if err != nil || len(infos) != sessions || infos[0].Messages != 4 {
			b.Fatalf("%d sessions, %v", len(infos), err)
		}
	}
	cache := b.TempDir()
	opened := func(b *testing.B, cacheDir string) *sessionmem.Store {
		s, err := sessionmem.Open(sessionmem.Config{Root: root, CacheDir: cacheDir})
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	once := func(b *testing.B, cacheDir string) {
		s := opened(b, cacheDir)
		list(b, s)
		if err := s.Close(); err != nil { // nothing of it stays in memory
			b.Fatal(err)
		}
	}
	once(b, cache)
	for _, c := range []struct {
		name     string
		cacheDir string
		promised float64 // ms
	}{{"without a cache", "", 300}, {"with the cache", cache, 20}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				once(b, c.cacheDir)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1e3/float64(b.N), "ms")
			b.ReportMetric(c.promised, "ms-promised")
		})
	}
	b.Run("again", func(b *testing.B) {
		s := opened(b, "")
		defer s.Close()
		list(b, s)
		for b.Loop() {
			list(b, s)
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/1e3/float64(b.N), "ms")
		b.ReportMetric(20, "ms-promised")
	})
}
