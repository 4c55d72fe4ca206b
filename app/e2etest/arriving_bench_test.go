//go:build e2e

package e2etest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
)

const (
	arriving         = 120  // turns
	promisedArriving = 20.0 // MB
)

// BenchmarkArriving measures how much memory the open window needs while its conversation
// continues elsewhere: 120 turns of 2 KB, sent from a terminal.
func BenchmarkArriving(b *testing.B) {
	d, _ := benchDesk(b)
	server := testkit.Start(b, testkit.Script{
		Models: []testkit.Model{{Name: "bench:8b", ContextLength: 16384, Capabilities: []string{"completion"}}},
		Rules:  []testkit.Rule{{Reply: testkit.Reply{Text: strings.Repeat("The fan is loud because one **process** keeps a whole core busy.\n\n", 30)}}},
	})
	d.host = server.Addr()
	for b.Loop() {
		app, icon := d.launch(b)
		d.click(b, icon, "Open CPU window")
		d.screen.waitWindow(b, app.pid())
		time.Sleep(2 * time.Second)
		askOnce(b, d, app, "Why is my fan loud?")
		files, err := filepath.Glob(filepath.Join(d.home, "session", "session-memory-*.md"))
		if err != nil || len(files) != 1 {
			b.Fatalf("transcripts %v, %v", files, err)
		}
		session := strings.Join(strings.Split(filepath.Base(files[0]), "-")[2:4], "-")
		time.Sleep(2 * time.Second)
		before, used, most := app.anonymous(b), app.processor(b), 0.0
		for i := range arriving {
			if out, err := d.command(b, "ask", "--session", session, fmt.Sprintf("And what of disk %d?", i)).CombinedOutput(); err != nil {
				b.Fatalf("ask: %v\n%s", err, out)
			}
			most = max(most, app.anonymous(b))
		}
		time.Sleep(2 * time.Second)
		most = max(most, app.anonymous(b))
		b.ReportMetric(most-before, "MB-grown")
		b.ReportMetric(milliseconds(app.processor(b)-used)/arriving, "ms/turn")
		d.screen.shot(b, "arriving")
		d.click(b, icon, "Quit")
		app.waitExit(b)
	}
	b.ReportMetric(promisedArriving, "MB-grown-promised")
	reportLoad(b)
}
