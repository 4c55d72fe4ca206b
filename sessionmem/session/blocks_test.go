package session_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/transcript"
)

var stamp = time.Date(2026, 11, 21, 10, 15, 2, 0, time.FixedZone("", 3600))

const stampText = "2026-11-21T10:15:02+01:00"

// writeBlocks returns the text of a transcript of these blocks.
func writeBlocks(t testing.TB, blocks ...transcript.Block) string {
	t.Helper()
	var buf bytes.Buffer
	tr := &transcript.Transcript{Info: transcript.Info{Name: "cpu-k3x9qa", Source: "cpu", Started: stamp, Title: "Why is my fan loud"}, Blocks: blocks}
	if err := transcript.Write(&buf, tr); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func parse(t testing.TB, text string) *transcript.Transcript {
	t.Helper()
	tr, err := transcript.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}
