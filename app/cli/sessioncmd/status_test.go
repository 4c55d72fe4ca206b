package sessioncmd

import (
	"testing"

	"mac-stats/sessionmem/transcript"
)

func TestCountBlocks(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"2 summaries":       countBlocks(2, transcript.KindSummary),
		"2 notes":           countBlocks(2, transcript.KindNote),
		"1 user message":    countBlocks(1, transcript.KindUser),
		"1 answer":          countBlocks(1, transcript.KindAssistant),
		"2 agents' answers": countBlocks(2, transcript.KindAgent),
		"1 tool result":     countBlocks(1, transcript.KindTool),
		"3 text":            "3 text",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
