//go:build e2e

package e2etest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
)

const (
	promisedAsk  = 60.0 // ms
	askedTimes   = 15
	yearSessions = 3000
	yearBytes    = 25_000 // per session
)

// BenchmarkAsk measures the time from the start of `mac-stats ask` until its question
// reaches the server, with a few conversations and with a year's (75 MB, indexed), and
// curl's for comparison. It takes the minimum of several runs, because other work only adds
// to it.
func BenchmarkAsk(b *testing.B) {
	server := testkit.Start(b, testkit.Script{
		Models: []testkit.Model{{Name: "bench:8b", ContextLength: 16384, Capabilities: []string{"completion"}}},
		Rules:  []testkit.Rule{{Reply: testkit.Reply{Text: "Fine."}}},
	})
	few, year := b.TempDir(), b.TempDir()
	writeSessions(b, few, 5)
	writeSessions(b, year, yearSessions)
	binary := os.Getenv("MAC_STATS_TEST_BINARY")
	run := func(home, name string, args ...string) {
		cmd := exec.CommandContext(b.Context(), name, args...)
		cmd.Env = append(os.Environ(), "HOME="+home, "MAC_STATS_HOME="+home, "MAC_STATS_CACHE="+filepath.Join(home, "cache"), "OLLAMA_HOST="+server.Addr())
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	run(year, binary, "memory", "reindex")
	least := func(home, name string, args ...string) float64 {
		var times []float64
		for range askedTimes {
			before, began := len(server.Chats()), time.Now()
			run(home, name, args...)
			times = append(times, milliseconds(server.Chats()[before].Time.Sub(began)))
		}
		return slices.Min(times)
	}
	for b.Loop() {
		b.ReportMetric(least(few, binary, "ask", "What did we decide about the backup disk?"), "ms")
		b.ReportMetric(least(few, binary, "ask", "Why is my fan loud?"), "ms-vitals")
		b.ReportMetric(least(year, binary, "ask", "What did we decide about the backup disk?"), "ms-year")
		b.ReportMetric(least(few, "curl", "-s", "http://"+server.Addr()+"/api/chat", "-d", `{"model":"bench:8b","messages":[{"role":"user","content":"hello"}]}`), "ms-curl")
	}
	b.ReportMetric(promisedAsk, "ms-promised")
	b.ReportMetric(promisedAsk, "ms-vitals-promised")
	b.ReportMetric(promisedAsk, "ms-year-promised")
	reportLoad(b)
}

// writeSessions writes transcripts of 25 kB over the last year.
func writeSessions(b *testing.B, home string, n int) {
	b.Helper()
	dir := filepath.Join(home, "session")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	words := strings.Fields("server disk fan process memory kernel model backup router coffee train ticket garden window paper music search session token answer heat battery network cable update driver graph vector cluster release invoice meeting holiday recipe bread winter summer project budget review deadline design")
	begun := time.Now().AddDate(-1, 0, 0)
	for i := range n {
		at := begun.Add(time.Duration(i) * 365 * 24 * time.Hour / time.Duration(n))
		name := fmt.Sprintf("cpu-%06x", i)
		text := fmt.Sprintf("---\nformat: mac-stats-session/1\nsession: %s\nsource: cpu\n---\n", name)
		for k := 0; len(text) < yearBytes; k++ {
			stamp := at.Add(time.Duration(k) * time.Minute).UTC().Format(time.RFC3339)
			said := make([]string, 150)
			for w := range said {
				said[w] = words[(i*7919+k*104729+w*w*31+w*i)%len(words)]
			}
			text += fmt.Sprintf("\n## User · %s\n<!-- id=u%dx%d -->\n\n%s?\n\n## Assistant · %s · orchestrator · bench:8b\n<!-- id=a%dx%d -->\n\n%s.\n",
				stamp, i, k, strings.Join(said[:20], " "), stamp, i, k, strings.Join(said[20:], " "))
		}
		file := filepath.Join(dir, fmt.Sprintf("session-memory-%s-%s-%s.md", name, at.UTC().Format("20060102-150405"), said(words, i)))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// said returns the topic for a file's name.
func said(words []string, i int) string {
	return words[i%len(words)] + "-" + words[(i/7)%len(words)]
}
